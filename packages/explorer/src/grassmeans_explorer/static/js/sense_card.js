// One sense of a word, as a card.

import { ask, isAbort, wordUrl } from "./api.js";
import { senseColour } from "./colours.js";
import { button, formatShare, h } from "./dom.js";
import { makeHash } from "./router.js";
import { errorPanel } from "./status.js";

const FIRST_EXAMPLES = 3;
const MORE_EXAMPLES = 10;
const CORE = 20;

/** A number in the colour of its sense; "?" stands for "I don't know". */
export function senseBadge(number, colour) {
  return h("span", { class: "badge", "--sense": senseColour(number, colour) }, number > 0 ? String(number) : "?");
}

/** What a sense is called; models without names tell it by its most typical words. */
export function senseName(sense) {
  return sense.name || (sense.characteristic_words ?? []).slice(0, 3).join(", ") || `sense ${sense.number}`;
}

// A side that begins or ends like a sentence, that is marked as cut already, or that is too short to
// have been cut is shown as it is.
const BEGUN = /^(?:.{0,20}$|\s*…|[^\p{L}\p{N}]*[\p{Lu}\p{Lt}\p{Lo}\p{N}])/su;
const ENDED = /(?:^.{0,20}|[.!?…。！？｡؟।]["'’”“»«)\]」』]*\s*)$/su;

/** A line of text around a word; where it was cut, an ellipsis stands for the half of a word. */
export function lineParts({ left, word, right }) {
  return [
    BEGUN.test(left) ? left : `…${left.replace(/^\S*\s(?=.{20})/s, "")}`,
    h("b", {}, word),
    ENDED.test(right) ? right : `${right.replace(/(?<=.{20})\s\S*$/s, "")}…`,
  ];
}

function exampleLine(example, { selection, keeping, number }) {
  return h("li", { dir: "auto" }, selection?.box(example), lineParts(example), keeping?.tools({ ...example, sense: number }));
}

/** A share of 1 as a bar with its value. */
function measure(label, value, text) {
  return h("div", { class: "measure" },
    h("span", { class: "measure-label" }, label), " ",
    h("span", { class: "bar", "--share": `${(100 * Math.max(0, Math.min(1, value))).toFixed(1)}%` }),
    h("span", { class: "measure-value" }, text));
}

/** Words behind a label; nothing without words. */
export function wordList(label, words) {
  if (!words?.length) return null;
  return h("p", { class: "words" }, h("span", { class: "label" }, label), " ",
    words.map((word, index) => [index ? ", " : "", h("span", { dir: "auto" }, word)]));
}

function lexemeList(lexemes) {
  if (!lexemes?.length) return null;
  return h("p", { class: "words" }, h("span", { class: "label" }, "Like these senses of words"), " ",
    lexemes.map((lexeme, index) => [
      index ? ", " : "",
      h("a", {
        href: makeHash("word", lexeme.word, { sense: lexeme.sense }),
        title: `similarity ${lexeme.similarity.toFixed(2)}`,
      }, lexeme.key),
    ]));
}

const spaced = (text) => text.replace(/[\s…]+/g, " ");

/** Whether two lines are the same: the model keeps shorter ones than the corpus gives. */
function isSame(one, other) {
  const [left, otherLeft, right, otherRight] = [one.left.trimStart(), other.left.trimStart(), one.right.trimEnd(), other.right.trimEnd()].map(spaced);
  const before = Math.min(CORE, left.length, otherLeft.length);
  const after = Math.min(CORE, right.length, otherRight.length);
  return one.word === other.word && right.slice(0, after) === otherRight.slice(0, after)
    && left.slice(left.length - before) === otherLeft.slice(otherLeft.length - before);
}

/** The best lines of a sense, `count` at first, and a way to more of them. */
function exampleList(word, sense, { fromModel, concordance, k, count = FIRST_EXAMPLES, selection, keeping }) {
  const tools = { selection, keeping, number: sense.number };
  const lines = sense.examples ?? [];
  if (!lines.length) return h("p", { class: "soft" }, "No example lines are kept for this sense.");
  const shown = lines.slice(0, count);
  const list = h("ul", { class: "examples" }, lines.slice(0, count).map((line) => exampleLine(line, tools)));
  const rest = h("p", { class: "card-links" });
  if (fromModel) {
    let offset = 0;
    const load = async (wanted) => {
      more.disabled = true;
      try {
        // The lines of the card stand somewhere among those of the server.
        const limit = wanted + (offset ? 0 : shown.length);
        const answer = await ask(wordUrl(word, `/senses/${sense.number}/examples`, { limit, offset }));
        const found = answer.examples.filter((line) => !shown.some((other) => isSame(line, other)));
        shown.push(...found);
        list.append(...found.map((line) => exampleLine(line, tools)));
        offset += answer.examples.length;
        more.disabled = false;
        if (offset >= answer.total || !answer.examples.length) more.replaceWith(found.length ? "" : h("span", { class: "soft" }, "These are all."));
      } catch (failure) {
        if (!isAbort(failure)) more.replaceWith(errorPanel(failure));
      }
    };
    const more = button("More examples", () => load(MORE_EXAMPLES), { class: "link" });
    rest.append(more);
    if (lines.length < count) load(count - lines.length);
  }
  rest.append(h("a", { href: concordance }, "All lines of this sense"),
    h("a", { href: makeHash("collocates", word, { sense: sense.number, k }) }, "Collocates"));
  return h("div", {}, h("p", { class: "label" }, "As in"), list, rest);
}

/**
 * The card. `context`: {word, fromModel, k, count, selection, keeping}, `count` of examples at first, of which
 * `selection` may choose some, and `keeping` takes them into the entry; `tools` are shown below the title.
 */
export function senseCard(sense, context, tools = null) {
  const name = senseName(sense);
  const concordance = makeHash("concordance", context.word, { sense: sense.number, k: context.k });
  return h("article", {
    class: sense.hidden ? "card hidden-sense" : "card", "data-sense": sense.number,
    "aria-label": `${context.word}, sense ${sense.number}: ${name}`, "--sense": senseColour(sense.number, sense.colour),
  },
  h("header", {}, senseBadge(sense.number, sense.colour), " ", h("h2", { dir: "auto" }, name),
    sense.hidden ? h("span", { class: "tag" }, "hidden") : null),
  tools,
  measure("Share", sense.share, formatShare(sense.share)),
  measure("Crispness", sense.crispness, (sense.crispness ?? 0).toFixed(2)),
  wordList("Typical of its contexts", sense.characteristic_words),
  wordList("Nearest words", sense.nearest_words),
  lexemeList(sense.nearest_lexemes),
  exampleList(context.word, sense, { ...context, concordance }));
}
