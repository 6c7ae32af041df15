// The heading of the pages that ask the whole corpus.

import { h } from "./dom.js";
import { emptyPanel } from "./status.js";

const PAGES = [["query", "Queries"], ["ngrams", "N-grams"], ["keywords", "Keywords"]];

/** The heading, with the way to the other pages. */
export function queryHeading(view, title) {
  return h("div", { class: "word-heading" }, h("h1", { tabindex: -1 }, title),
    h("nav", { class: "tabs", "aria-label": "Ask the corpus" }, PAGES.map(([name, label]) =>
      h("a", { href: `#/${name}`, "aria-current": name === view ? "page" : null }, label))));
}

/** What a page shows that needs what is not there. */
export function nothingToAsk(root, title, advice) {
  root.append(emptyPanel(title, advice));
  return { update: () => {}, destroy: () => {} };
}

export const NO_CORPUS = "Start with one: grassmeans explore MODEL --corpus CORPUS";
