// The first page: what this is, a search, and some words that are worth a look.

import { ask, isAbort, makeUrl } from "../api.js";
import { h, plural } from "../dom.js";
import { makeHash } from "../router.js";
import { makeSearch } from "../search.js";

const CANDIDATES = ["crane", "bank", "bass", "seal", "mercury", "cell", "spring", "plant", "mouse", "pitch", "java", "organ"];
const FEWEST = 4;

async function findWords(signal) {
  const found = await Promise.all(CANDIDATES.map(async (word) => {
    const { words } = await ask(makeUrl("api/words", { q: word, limit: 1 }), { signal });
    return words.find((entry) => entry.word === word && entry.n_senses > 1);
  }));
  const known = found.filter(Boolean);
  if (known.length >= FEWEST) return known;
  // A model of another language, or a small one: its most frequent words.
  const { words } = await ask(makeUrl("api/words", { limit: CANDIDATES.length }), { signal });
  return [...known, ...words.filter((entry) => entry.n_senses > 1 && !known.some((other) => other.word === entry.word))];
}

/** Show the first page. */
export function mount(root) {
  const controller = new AbortController();
  const chips = h("ul", { class: "chips" });
  const about = h("section", { hidden: true }, h("h2", {}, "Words with more than one face"), chips);
  const search = makeSearch({ large: true });
  root.append(h("div", { class: "hero" },
    h("h1", { tabindex: -1 }, "What can a word mean?"),
    h("p", {}, "These senses were found in raw text, with no dictionary: words that stand around “crane” the bird span " +
      "other directions than words around “crane” the machine."),
    search), about,
  h("section", { class: "ways" },
    h("a", { class: "panel", href: "#/text" }, h("h2", {}, "Try your own text"), h("p", {}, "Paste a text and see which sense each word has, and why.")),
    h("a", { class: "panel", href: "#/map" }, h("h2", {}, "Map a domain"), h("p", {}, "The senses of many words, or of one and its neighbours, in one picture.")),
    h("a", { class: "panel", href: "#/words" }, h("h2", {}, "Browse all words"), h("p", {}, "The whole list, to filter and to download."))));

  findWords(controller.signal).then((words) => {
    chips.replaceChildren(...words.map((entry) => h("li", {},
      h("a", { href: makeHash("word", entry.word) }, h("span", { dir: "auto" }, entry.word), h("small", {}, plural(entry.n_senses, "sense"))))));
    about.hidden = words.length === 0;
  }).catch((failure) => {
    if (!isAbort(failure)) about.hidden = true; // The search still works, and says what is wrong.
  });
  return { update: () => {}, destroy: () => controller.abort() };
}
