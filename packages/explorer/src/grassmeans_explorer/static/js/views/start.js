// The first page: what this is, a search, and some words of the model that are worth a look.

import { ask, isAbort } from "../api.js";
import { h, plural } from "../dom.js";
import { makeHash } from "../router.js";
import { makeSearch } from "../search.js";

/** What a word shows: other words around it in one sense than in another. */
function exampleOf({ word, names }, quoted) {
  const [first, second] = names;
  return ["Around ", quoted(`“${word}”`), " stand words of one kind where it means ", quoted(first), ", and of another where it means ", quoted(second), "."];
}

/** Show the first page. */
export function mount(root, route, app) {
  const controller = new AbortController();
  // What is quoted is in the language of the model, which a screen reader has to know.
  const lang = app.health.language || null;
  const quoted = (text) => h("span", { dir: "auto", lang }, text);
  const chips = h("ul", { class: "chips" });
  const about = h("section", { hidden: true }, h("h2", {}, "Words with more than one face"), chips);
  const example = h("p", { class: "soft showcase-example", hidden: true });
  const search = makeSearch({ large: true });
  root.append(h("div", { class: "hero" },
    h("h1", { tabindex: -1 }, "What can a word mean?"),
    h("p", {}, "These senses were found in raw text, with no dictionary: a word in one sense has other words around it than in another."),
    search), about, example,
  h("section", { class: "ways" },
    h("a", { class: "panel", href: "#/text" }, h("h2", {}, "Try your own text"), h("p", {}, "Paste a text and see which sense each word has, and why.")),
    h("a", { class: "panel", href: "#/map" }, h("h2", {}, "Map a domain"), h("p", {}, "The senses of many words, or of one and its neighbours, in one picture.")),
    h("a", { class: "panel", href: "#/words" }, h("h2", {}, "Browse all words"), h("p", {}, "The whole list, to filter and to download."))));

  ask("api/showcase", { signal: controller.signal }).then(({ words }) => {
    chips.replaceChildren(...words.map((entry) => h("li", {},
      h("a", { href: makeHash("word", entry.word), title: entry.names.join(" / ") }, quoted(entry.word), " ", h("small", {}, plural(entry.n_senses, "sense"))))));
    about.hidden = words.length === 0;
    const told = words.find(({ names }) => names.length > 1 && names[0] && names[1]);
    if (told) example.replaceChildren(...exampleOf(told, quoted));
    example.hidden = !told;
  }).catch((failure) => {
    if (!isAbort(failure)) about.hidden = true; // The search still works, and says what is wrong.
  });
  return { update: () => {}, destroy: () => controller.abort() };
}
