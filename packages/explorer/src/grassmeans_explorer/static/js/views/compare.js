// Two words, or two senses, side by side: near words, collocates and lines of both and of each.

import { ask, makeUrl } from "../api.js";
import { makeSettings, readSettings, settingsQuery } from "../collocate_settings.js";
import { senseColour } from "../colours.js";
import { button, formatCount, formatShare, h, plural } from "../dom.js";
import { downloadLinks } from "../downloads.js";
import { makeHash, navigate } from "../router.js";
import { lineParts, senseBadge, senseName } from "../sense_card.js";
import { announce, emptyPanel, makeLoader } from "../status.js";
import { wordHeading } from "../word_heading.js";

const SHOWN = 20;
const PLAIN = ["#1f5f8b", "#b0562a"];

const colourOf = (side, index) => (side.sense === null ? PLAIN[index] : senseColour(side.sense, side.colour));

/** Two sides are told apart by their words, or by their senses; where colours are alike, by place. */
function nameOf(side) {
  return side.sense === null ? side.word : `${side.word} ${side.sense}`;
}

function wordItems(rows, detail, link) {
  if (!rows.length) return h("p", { class: "soft" }, "none");
  return h("ol", { class: "compared-words" }, rows.slice(0, SHOWN).map((row) =>
    h("li", {}, h("a", { href: link(row.word), dir: "auto" }, row.word), " ", h("small", {}, detail(row)))));
}

/** `labels`: what the words of one side and those of both are. */
function threeColumns(title, lists, [first, second], labels, detail, links) {
  const column = (label, rows, side, link) => h("section", { "--sense": side, class: "compared-column" }, h("h3", {}, label), wordItems(rows, detail, link));
  return h("section", { class: "compared" }, h("h2", {}, title), h("div", { class: "three-columns" },
    column(`${labels.one} ${nameOf(first)}`, lists.first, colourOf(first, 0), links[0]),
    column(labels.both, lists.shared, null, links[2]),
    column(`${labels.one} ${nameOf(second)}`, lists.second, colourOf(second, 1), links[1])));
}

function sideCard(side, index) {
  const name = side.sense === null ? "all senses together" : side.name || `sense ${side.sense}`;
  const facts = [
    side.share === null ? "" : `${formatShare(side.share)} of ${plural(side.count, "occurrence")}`,
    side.lines === null ? "" : plural(side.lines, "line"),
    side.measured ? `from a random sample of ${formatCount(side.measured)}` : "",
  ].filter(Boolean).join(" · ");
  return h("article", { class: "card", "--sense": colourOf(side, index), "aria-label": side.sense ? `${side.word}, sense ${side.sense}: ${name}` : side.word },
    h("header", {}, side.sense === null ? null : senseBadge(side.sense, side.colour), " ", h("h2", { dir: "auto" }, side.word), " ", h("span", { dir: "auto" }, name)),
    h("p", { class: "soft" }, facts),
    h("ul", { class: "examples" }, side.examples.map((line) => h("li", { dir: "auto" }, lineParts(line)))),
    h("p", { class: "card-links" },
      h("a", { href: makeHash("concordance", side.word, { sense: side.sense }) }, "All lines"),
      h("a", { href: makeHash("collocates", side.word, { sense: side.sense }) }, "Collocates"),
      h("a", { href: makeHash("word", side.word) }, "Senses of the word")));
}

/** Show two words or senses. */
export function mount(root, route, app) {
  const { word } = route;
  let wanted = {}, settings = {};
  const heading = wordHeading(word, "compare");
  const sense = h("select", { onchange: () => go({ sense: sense.value }) });
  const other = h("input", { type: "search", autocapitalize: "off", spellcheck: "false", onchange: () => go({ other: other.value.trim() || word, other_sense: "" }) });
  const otherSense = h("select", { onchange: () => go({ other_sense: otherSense.value }) });
  const form = makeSettings((changed) => navigate(hashFor(wanted, changed)), { withOrder: false });
  const place = h("div", {});
  root.append(heading.element,
    h("form", { "aria-label": "What to compare", onsubmit: (event) => event.preventDefault() },
      h("div", { class: "filters" },
        h("label", {}, `Sense of “${word}”`, sense), h("label", {}, "with the word", other), h("label", {}, "Its sense", otherSense),
        button("Change sides", () => navigate(makeHash("compare", wanted.other, { sense: wanted.other_sense, other: word, other_sense: wanted.sense, ...settings })), { class: "quiet" })),
      app.health.has_corpus ? h("details", {}, h("summary", {}, "What counts as near"), form.element) : null),
    place);

  const hashFor = (values, changed = {}) => makeHash("compare", word, { ...values, ...settings, ...changed });
  const go = (changed) => navigate(hashFor({ ...wanted, ...changed }));
  const address = (extra = {}) => makeUrl("api/compare", {
    first: word, first_sense: wanted.sense, second: wanted.other, second_sense: wanted.other_sense, ...settingsQuery(settings), ...extra,
  });

  function showSenses(select, senses, chosen) {
    select.replaceChildren(h("option", { value: "" }, "all together"), ...senses.filter((one) => !one.hidden).map((one) =>
      h("option", { value: String(one.number) }, `${one.number} ${senseName(one)}`)));
    select.value = chosen;
  }

  function draw(answer) {
    const sides = [answer.first, answer.second];
    heading.facts.textContent = answer.similarity === null ? "" : `similarity of the two ${answer.similarity.toFixed(2)}`;
    const toWord = (near) => makeHash("word", near);
    const toLines = (side) => (near) => makeHash("concordance", side.word, { sense: side.sense, q: `"${near}"`, reach: Math.max(settings.before || 5, settings.after || 5) });
    place.replaceChildren(
      h("div", { class: "two-columns" }, sides.map(sideCard)),
      answer.collocates
        ? threeColumns("Collocates", answer.collocates, sides, { one: "rather near", both: "near both alike" }, (row) => ` ${formatCount(row.first)} : ${formatCount(row.second)}`, [...sides.map(toLines), toLines(answer.first)])
        : emptyPanel("Collocates need a corpus", "Start with one: grassmeans explore MODEL --corpus CORPUS"),
      threeColumns("Nearest words", answer.neighbours, sides, { one: "near", both: "near both" }, (row) => ` ${row.first.toFixed(2)} : ${row.second.toFixed(2)}`, [toWord, toWord, toWord]),
      h("p", { class: "soft" }, "Numbers: how often a collocate stands near the first and near the second; the cosines of a near word to both."),
      downloadLinks(`${nameOf(answer.first)}-${nameOf(answer.second)}`, address));
    announce(`${nameOf(answer.first)} and ${nameOf(answer.second)}`);
  }

  const loader = makeLoader(place, "Comparing…", async (signal) => {
    const known = { signal, onProgress: () => {} };
    const value = await app.word(word, "", known);
    if (!wanted.other) wanted = twoSenses(value.senses.filter((one) => !one.hidden));
    showSenses(sense, value.senses, wanted.sense);
    other.value = wanted.other;
    if (!route.params.get("other") && !wanted.other_sense) {
      place.replaceChildren(emptyPanel("One sense", "Name another word above to compare this one with."));
      return;
    }
    const second = await app.word(wanted.other, "", known);
    showSenses(otherSense, second.senses, wanted.other_sense);
    const answer = await ask(address(), { signal });
    if (!signal.aborted) draw(answer);
  }, { keep: true, onFailure: () => { heading.facts.textContent = ""; } });

  /** Without another word: two senses of this one, where it has them. */
  function twoSenses(senses) {
    const first = wanted.sense || String(senses[0]?.number ?? "");
    const second = senses.find((one) => String(one.number) !== first);
    return { sense: first, other: word, other_sense: second ? String(second.number) : "" };
  }

  function update(next) {
    wanted = Object.fromEntries(["sense", "other", "other_sense"].map((name) => [name, next.params.get(name) ?? ""]));
    settings = readSettings(next.params);
    route = next;
    form.set(settings);
    loader.load();
  }

  update(route);
  return { update, destroy: loader.stop };
}
