// What the corpus that is open is to the model, and a word's counts in it beside the model's.

import { ask, isAbort, wordUrl } from "./api.js";
import { formatShare, h, plural } from "./dom.js";
import { errorPanel } from "./status.js";

const RELATIONS = {
  own: (name) => `with the corpus it was induced on, ${name}`,
  part: (name) => `with ${name}, a part of its text`,
  other: (name) => `with another corpus, ${name}`,
  unknown: (name) => `with the corpus ${name}; not known whether it is the model’s`,
};

/** For the foot of the page. */
export function corpusPhrase({ corpus }) {
  return corpus ? RELATIONS[corpus.relation](corpus.name) : "without a corpus";
}

/** Whether what is counted in the corpus is not what the model counted. */
export function isForeign({ corpus }) {
  return Boolean(corpus) && corpus.relation !== "own";
}

/** Of which corpus the shares of a word are; "" where that is clear. */
export function countedIn(value, { corpus }) {
  if (value.counted_in) return ` in ${value.counted_in.name}`;
  return corpus && corpus.relation !== "own" ? " in the model’s corpus" : "";
}

function notice({ corpus }, isCountedHere) {
  const reasons = {
    part: "is a part of the text that this model has seen",
    other: "is not the corpus that this model was induced on",
    unknown: "may be another corpus than this model’s, which does not say what it was induced on",
  };
  return h("p", { class: "corpus-notice" }, h("b", {}, corpus.name), ` ${reasons[corpus.relation]}. ` + (isCountedHere
    ? "A correction has counted this word in it: all counts and shares below are of this corpus."
    : "Lines come from it; counts and shares of the model’s senses stay the model’s, with those in this corpus beside them. " +
    "A division that you adopt here, a split and reassigned lines are counted in this corpus, and say so."));
}

function addShare(card, name, share) {
  const title = `Share in ${name}`;
  card.querySelector(".measure")?.after(h("div", { class: "measure in-corpus" },
    h("span", { class: "measure-label", title }, "In corpus"),
    h("span", { class: "bar", "--share": `${(100 * share).toFixed(1)}%` }),
    h("span", { class: "measure-value" }, h("span", { class: "visually-hidden" }, `${title}: `), formatShare(share))));
}

/**
 * The notice for a word under another corpus; its own counts come into `place` (the cards) when
 * they are there. Null where the corpus is the model's, or the word is counted in this corpus.
 */
export function corpusNotice(value, health, place, signal) {
  const { corpus } = health;
  if (!isForeign(health)) return null;
  const isCountedHere = value.counted_in?.digest === corpus.digest;
  const element = h("div", {}, notice(health, isCountedHere));
  if (isCountedHere) return element;
  const counts = h("p", { class: "soft", role: "status" }, `Counting in ${corpus.name}…`);
  element.append(counts);
  ask(wordUrl(value.word, "/counts"), { signal }).then((found) => {
    const looked = found.n_contexts === found.count ? "" : `, ${plural(found.n_contexts, "context")} looked at`;
    counts.textContent = `In ${found.corpus}: ${found.count ? `${plural(found.count, "occurrence")}${looked}` : found.reason}.`;
    for (const card of place.querySelectorAll(".card[data-sense]")) {
      const share = found.shares[Number(card.dataset.sense) - 1];
      if (share !== undefined) addShare(card, found.corpus, share);
    }
  }).catch((failure) => { if (!isAbort(failure)) counts.replaceWith(errorPanel(failure)); });
  return element;
}
