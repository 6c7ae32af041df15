// A word that the model has no senses of: what it is near to, what may have been meant, and its lines.

import { ask, isAbort, makeUrl } from "../api.js";
import { button, formatCount, h, plural } from "../dom.js";
import { makeHash } from "../router.js";
import { lineParts } from "../sense_card.js";
import { errorPanel, waiting } from "../status.js";

const LINES = 20;
const LABELS = { form: "Perhaps a form of", part: "Its parts", meaning: "Close in meaning", spelling: "Spelt alike" };

const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}.`;

function whatIsKnown(found, app) {
  const { word } = found;
  const corpus = app.health.has_corpus ? ` ${found.in_corpus ? `It occurs ${formatCount(found.in_corpus)}× in the corpus.` : sentence(found.reason || "It does not occur in the corpus")}` : "";
  if (found.is_function_word) {
    return `“${word}” is a function word: it holds sentences together and says little by itself, so that it is not divided into senses.${corpus}`;
  }
  if (found.known_by === "vectors") {
    const seen = found.count === null ? "" : ` It was seen ${formatCount(found.count)}× when the model was made.`;
    return `One sense: the model knows “${word}”, but has not divided it.${seen}${corpus}`;
  }
  if (found.known_by === "corpus") {
    return `The model does not know “${word}”, but the corpus has it, ${formatCount(found.in_corpus)}×. All its lines are below, as of one sense.`;
  }
  return `Neither the model nor its vectors know “${word}”.${corpus}`;
}

function wordLinks(label, items) {
  return h("p", { class: "words" }, h("span", { class: "label" }, label), " ", items.map(({ word, sense, n_senses: count }, index) => [
    index ? ", " : "",
    h("a", { href: makeHash("word", word, { sense }), dir: "auto", title: count ? plural(count, "sense") : "no senses in the model" },
      sense ? `${word}.${sense}` : word),
  ]));
}

function suggestionLists(found) {
  const reasons = Object.keys(LABELS).filter((reason) => reason !== "meaning" || !found.neighbours.length);
  return reasons.map((reason) => [reason, found.suggestions.filter((item) => item.reason === reason)])
    .filter(([, items]) => items.length).map(([reason, items]) => wordLinks(LABELS[reason], items));
}

/** The word's lines, so many at a time: in the corpus, or among the examples that the model keeps. */
function lineList(word, hasCorpus, signal) {
  const list = h("ul", { class: "examples" });
  const place = h("div", {}, waiting("Reading lines…"));
  const more = button("More lines", load, { class: "link" });

  async function load() {
    more.disabled = true;
    try {
      const values = { word, offset: list.children.length, limit: LINES };
      const answer = await ask(makeUrl("api/lookup/lines", values), { signal });
      list.append(...answer.lines.map((line) => h("li", { dir: "auto" }, lineParts(line), " ", h("small", { class: "soft" }, line.document))));
      more.disabled = false;
      if (!answer.total) return place.replaceChildren(h("p", { class: "soft" }, "It stands in none of them."));
      const rest = answer.total - list.children.length;
      place.replaceChildren(list, h("p", { class: "soft" }, `${formatCount(list.children.length)} of ${plural(answer.total, "line")} `, rest > 0 ? more : ""));
    } catch (failure) {
      if (!isAbort(failure)) place.replaceChildren(list, errorPanel(failure, { retry: load }));
    }
    return undefined;
  }

  load();
  return h("section", {}, h("h2", {}, hasCorpus ? "Lines in the corpus" : "In examples of other words"), place);
}

/** Show the word; `found` is what the server says of it. */
export function mount(root, route, app, found) {
  const controller = new AbortController();
  const { has_corpus: hasCorpus } = app.health;
  const nothing = !found.neighbours.length && !found.suggestions.length && !found.in_corpus;
  const hasLines = hasCorpus ? found.in_corpus > 0 : found.known_by === "vectors" && !found.is_function_word;
  root.append(...[
    h("div", { class: "word-heading" }, h("h1", { dir: "auto", tabindex: -1 }, found.word)),
    h("p", { class: "guide known" }, whatIsKnown(found, app)),
    found.in_corpus && !found.is_function_word ? h("p", {}, h("a", { href: makeHash("word", found.word, { k: "auto" }) }, "Look for its senses in the corpus"), ".") : null,
    found.neighbours.length ? wordLinks("Nearest in meaning", found.neighbours) : null,
    ...suggestionLists(found),
    nothing ? h("p", {}, "No word of the model is spelt like it. ", h("a", { href: "#/words" }, "Browse all words"), ".") : null,
    hasLines ? lineList(found.word, hasCorpus, controller.signal) : null,
  ].filter(Boolean));
  return { update: () => {}, destroy: () => controller.abort() };
}
