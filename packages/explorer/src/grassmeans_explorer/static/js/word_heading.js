// The heading that the views of one word share.

import { h } from "./dom.js";
import { makeHash } from "./router.js";

const VIEWS = [["word", "Senses"], ["concordance", "Concordance"], ["collocates", "Collocates"], ["sketch", "Sketch"], ["compare", "Compare"], ["change", "Change"], ["entry", "Entry"], ["geometry", "Geometry"]];

/** Those of a phrase. */
export const PHRASE_VIEWS = [["phrase", "Senses and lines"], ["entry", "Entry"]];

/** The word, some facts, and the way to its other views, which keep the dial `k`. */
export function wordHeading(word, view, k = "", views = VIEWS) {
  const facts = h("p", { class: "soft facts" });
  const tabs = h("nav", { class: "tabs", "aria-label": `Views of ${word}` });

  function setDial(value) {
    tabs.replaceChildren(...views.map(([name, label]) =>
      h("a", {
        href: makeHash(name, word, { k: value }),
        "aria-current": name === view ? "page" : null,
      }, label)));
  }

  setDial(k);
  const element = h("div", { class: "word-heading" }, h("h1", { dir: "auto", tabindex: -1 }, word), facts, tabs);
  return { element, facts, setDial };
}
