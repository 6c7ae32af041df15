// The first page: what this is, a search, and some words of the model that are worth a look.

import { askPatiently, isAbort } from "../api.js";
import { h } from "../dom.js";
import { makeHash } from "../router.js";
import { makeSearch } from "../search.js";
import { startTexts } from "../start_texts.js";

const WAYS = ["#/text", "#/map", "#/words"];

/** What a word shows: other words around it in one sense than in another. */
function exampleOf({ word, names }, texts, quoted) {
  const [before, first, second, end] = texts.example;
  return [before, quoted(`“${word}”`), first, quoted(names[0]), second, quoted(names[1]), end];
}

/** Show the first page: in the language of the model, where there are texts in it. */
export function mount(root, route, app) {
  const controller = new AbortController();
  const { lang: ownLang, texts } = startTexts(app.health.language);
  // What is quoted is in the language of the model, which a screen reader has to know.
  const lang = app.health.language || null;
  const quoted = (text) => h("span", { dir: "auto", lang }, text);
  const chips = h("ul", { class: "chips" });
  const about = h("section", { hidden: true }, h("h2", {}, texts.words), chips);
  const example = h("p", { class: "soft showcase-example", hidden: true });
  const search = makeSearch({ large: true, label: texts.search });
  root.lang = ownLang;
  root.append(h("div", { class: "hero" },
    h("h1", { tabindex: -1 }, texts.title),
    h("p", {}, texts.about),
    search), about, example,
  h("section", { class: "ways" }, WAYS.map((href, place) => {
    const [title, told] = texts.ways[place];
    return h("a", { class: "panel", href }, h("h2", {}, title), h("p", {}, told));
  })));

  askPatiently("api/showcase", controller.signal).then(({ words }) => {
    chips.replaceChildren(...words.map((entry) => h("li", {},
      h("a", { href: makeHash("word", entry.word), title: entry.names.join(" / ") }, quoted(entry.word), " ", h("small", {}, texts.senses(entry.n_senses))))));
    about.hidden = words.length === 0;
    const told = words.find(({ names }) => names.length > 1 && names[0] && names[1]);
    if (told) example.replaceChildren(...exampleOf(told, texts, quoted));
    example.hidden = !told;
  }).catch((failure) => {
    if (!isAbort(failure)) about.hidden = true; // The search still works, and says what is wrong.
  });
  return { update: () => {}, destroy: () => controller.abort() };
}
