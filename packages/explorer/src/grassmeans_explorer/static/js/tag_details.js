// What lies behind a tagged word: the probability of each sense and the words that decided.

import { senseColour } from "./colours.js";
import { button, formatShare, h } from "./dom.js";
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

function decidedBy(deciding) {
  if (!deciding.length) return [h("span", { class: "soft" }, "No single word brought it nearer to this sense.")];
  return [h("span", { class: "label" }, "Decided by"), " ",
    deciding.map((item, index) => [index ? ", " : "", h("b", { title: `${formatShare(item.weight)} of the decision` }, item.word)])];
}

function howSure(word) {
  if (word.probabilities.length === 1) return "The only sense that the model has of it.";
  const nearest = word.distances[word.nearest - 1].toFixed(2);
  const told = word.shown ? "" : "Don’t know: ";
  return told + (word.confidence === null ? `the nearest sense is ${nearest} away.`
    : `such an answer is right in ${formatShare(word.confidence)} of cases; the nearest sense is ${nearest} away.`);
}

function describe(word, senses, decided) {
  const names = new Map(senses.map((sense) => [sense.number, senseName(sense)]));
  const hidden = new Set(senses.filter((sense) => sense.hidden).map((sense) => sense.number));
  const table = h("table", {}, h("tbody", {}, word.probabilities.map((_, index) =>
    hidden.has(index + 1) ? null : probabilityRow(word, index, names))));
  if (!word.distances.length) {
    const share = formatShare(Math.max(...word.probabilities));
    const said = word.probabilities.length === 1 ? howSure(word) : `its most frequent one has ${share} of its occurrences.`;
    return [table, h("p", {}, `Nothing around it tells the sense; ${said.charAt(0).toLowerCase()}${said.slice(1)}`)];
  }
  return [table, decided, h("p", { class: "soft" }, howSure(word))];
}

/**
 * A panel near the word. {element, show(word, span), hide(now)}; `sensesOf(key)` gives a promise of its
 * senses, `decidedFor(word)` one of the words that decided;
 * `onCorrect(word)` is asked for where the sense is wrong.
 */
export function makeTagDetails(container, { sensesOf, decidedFor, onCorrect }) {
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

  async function explain(word, place) {
    try {
      place.replaceChildren(...decidedBy(await decidedFor(word)).flat(2));
    } catch {
      place.replaceChildren(h("span", { class: "soft" }, "Which words decided cannot be told just now."));
    }
  }

  async function show(word, span) {
    clearTimeout(timer);
    current = word;
    const senses = await sensesOf(word.key);
    if (current !== word) return;
    const title = h("p", { class: "details-title" },
      h("a", { href: makeHash("word", word.key, { sense: word.shown }), tabindex: -1 }, word.key),
      h("span", { class: "soft" }, word.shown ? ` sense ${word.shown}` : " don’t know"));
    const decided = h("p", {}, h("span", { class: "soft" }, "Asking which words decided…"));
    // Those who use the keyboard press C on the word itself.
    const wrong = button("Wrong? Correct it (C)", () => { hide(true); onCorrect(word); }, { class: "small", tabindex: -1 });
    element.replaceChildren(title, ...describe(word, senses, decided), wrong);
    element.hidden = false;
    placeAt(span);
    if (word.distances.length) await explain(word, decided);
  }

  function hide(now) {
    clearTimeout(timer);
    timer = setTimeout(() => { element.hidden = true; current = null; }, now ? 0 : LINGER);
  }

  return { element, show, hide };
}
