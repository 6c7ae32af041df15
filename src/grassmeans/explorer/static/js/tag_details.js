// What lies behind a tagged word: the probability of each sense and the words that decided.

import { senseColour } from "./colours.js";
import { formatShare, h } from "./dom.js";
import { makeHash } from "./router.js";
import { senseBadge, senseName } from "./sense_card.js";

const LINGER = 250;
const MARGIN = 8;

function probabilityRow(word, index, names) {
  const number = index + 1;
  const share = word.probabilities[index];
  return h("tr", { class: number === word.shown ? "chosen" : null, "--sense": senseColour(number) },
    h("td", {}, senseBadge(number)), h("td", { class: "name" }, names.get(number) ?? ""),
    h("td", { class: "bar-cell" }, h("span", { class: "bar", "--share": `${100 * share}%` })),
    h("td", { class: "number" }, formatShare(share)));
}

function describe(word, senses) {
  const names = new Map(senses.map((sense) => [sense.number, senseName(sense)]));
  const hidden = new Set(senses.filter((sense) => sense.hidden).map((sense) => sense.number));
  if (!word.distances.length) {
    const share = formatShare(Math.max(...word.probabilities));
    return [h("p", {}, `Nothing around it tells the sense; its most frequent one has ${share} of its occurrences.`)];
  }
  const nearest = Math.min(...word.distances.filter((distance) => distance !== null));
  const deciding = word.deciding_words ?? [];
  return [
    h("table", {}, h("tbody", {}, word.probabilities.map((_, index) =>
      hidden.has(index + 1) ? null : probabilityRow(word, index, names)))),
    deciding.length ? h("p", {}, h("span", { class: "label" }, "Decided by"),
      deciding.map((item, index) => [index ? ", " : "", h("b", {}, item.word)])) : null,
    h("p", { class: "soft" }, word.shown ? "" : "Don’t know: ",
      word.confidence === null ? `the nearest sense is ${nearest.toFixed(2)} away.`
        : `such an answer is right in ${formatShare(word.confidence)} of cases; the nearest sense is ${nearest.toFixed(2)} away.`),
  ];
}

/** A panel near the word. {element, show(word, span), hide(now)}; `sensesOf(key)` gives a promise. */
export function makeTagDetails(container, sensesOf) {
  let timer = 0, current = null;
  const element = h("div", {
    class: "tag-details", id: "tag-details", role: "tooltip", hidden: true,
    onmouseenter: () => clearTimeout(timer), onmouseleave: () => hide(false),
  });

  function placeAt(span) {
    const box = span.getBoundingClientRect(), frame = container.getBoundingClientRect();
    const room = frame.width - element.offsetWidth - MARGIN;
    element.style.setProperty("--x", `${Math.max(0, Math.min(box.left - frame.left, room))}px`);
    element.style.setProperty("--y", `${box.bottom - frame.top + MARGIN / 2}px`);
    // On a phone the panel lies at the lower edge, where it must not cover the word.
    const covered = box.bottom + MARGIN - element.getBoundingClientRect().top;
    if (getComputedStyle(element).position === "fixed" && covered > 0) scrollBy(0, covered);
  }

  async function show(word, span) {
    clearTimeout(timer);
    current = word;
    const senses = await sensesOf(word.key);
    if (current !== word) return;
    const title = h("p", { class: "details-title" }, h("a", { href: makeHash("word", word.key), tabindex: -1 }, word.key),
      h("span", { class: "soft" }, word.shown ? ` sense ${word.shown}` : " don’t know"));
    element.replaceChildren(title, ...describe(word, senses).filter(Boolean));
    element.hidden = false;
    placeAt(span);
  }

  function hide(now) {
    clearTimeout(timer);
    timer = setTimeout(() => { element.hidden = true; current = null; }, now ? 0 : LINGER);
  }

  return { element, show, hide };
}
