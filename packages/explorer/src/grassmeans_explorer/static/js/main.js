// The application: one view at a time, chosen by the address.
//
// A view is a function mount(root, route, app) -> {update(route), destroy()}. It fills `root`;
// `update` gets a new address of the same view and word, so that fields keep their focus.

import { ask, makeUrl, wordUrl } from "./api.js";
import { corpusPhrase } from "./corpus_note.js";
import { formatCount, h } from "./dom.js";
import { showDraft } from "./draft.js";
import { runInduction } from "./jobs.js";
import { leadToWord } from "./leading.js";
import { parseRoute } from "./router.js";
import { makeSearch } from "./search.js";
import { errorPanel } from "./status.js";
import { mount as adjudicate } from "./views/adjudicate.js";
import { mount as agreement } from "./views/agreement.js";
import { mount as annotate } from "./views/annotate.js";
import { mount as annotation } from "./views/annotation.js";
import { mount as change } from "./views/change.js";
import { mount as changes } from "./views/changes.js";
import { mount as collocates } from "./views/collocates.js";
import { mount as compare } from "./views/compare.js";
import { mount as concordance } from "./views/concordance.js";
import { mount as documentView } from "./views/document.js";
import { mount as geometry } from "./views/geometry.js";
import { mount as keywords } from "./views/keywords.js";
import { mount as map } from "./views/map.js";
import { mount as ngrams } from "./views/ngrams.js";
import { mount as phrase } from "./views/phrase.js";
import { mount as query } from "./views/query.js";
import { mount as sketch } from "./views/sketch.js";
import { mount as start } from "./views/start.js";
import { mount as text } from "./views/text.js";
import { mount as word } from "./views/word.js";
import { mount as words } from "./views/words.js";

const VIEWS = { start, words, word, concordance, collocates, compare, document: documentView, change, changes, text, geometry, map, phrase, query, ngrams, keywords, sketch, annotation, annotate, agreement, adjudicate };
const OF_A_WORD = new Set(["word", "concordance", "collocates", "compare", "document", "change", "geometry", "phrase", "sketch"]);
const NOT_LED = new Set(["document", "phrase"]);
const TITLES = { start: "", words: "All words", text: "Your own text", concordance: "concordance", collocates: "collocates", compare: "compare", document: "document", change: "change", changes: "Most changed", geometry: "geometry", map: "Map of senses", phrase: "phrase", query: "Queries", ngrams: "N-grams", keywords: "Keywords", sketch: "sketch", annotation: "Annotation", annotate: "judging", agreement: "agreement", adjudicate: "deciding" };
const KEPT_WORDS = 200;

const main = document.getElementById("main");
const known = new Map();
const lookedUp = new Map();
let current = null;

const app = {
  health: null,
  /** The senses of a word, kept for a while: the model's, or `k` induced anew. */
  async word(key, k, { signal, onProgress }) {
    const place = `${k}/${key}`;
    if (!known.has(place)) {
      const found = k ? await runInduction(key, k, { signal, onProgress }) : await ask(wordUrl(key), { signal });
      if (known.size >= KEPT_WORDS) known.delete(known.keys().next().value);
      known.set(place, found);
    }
    return known.get(place);
  },
  /** After a correction. */
  forgetWord(key) {
    known.delete(`/${key}`);
    lookedUp.clear();
  },
  /** Where what somebody typed leads; `exact` leads to no other word. */
  async lookUp(typed, exact) {
    const place = `${exact}/${typed}`;
    if (!lookedUp.has(place)) {
      const found = await ask(makeUrl("api/lookup", { word: typed, exact }));
      if (lookedUp.size >= KEPT_WORDS) lookedUp.clear();
      lookedUp.set(place, found);
    }
    return lookedUp.get(place);
  },
  /** The view that is shown has another address now. */
  moved(route) {
    current.key = keyOf(route);
    setTitle(route);
  },
};

function setTitle({ view, word: name }) {
  const parts = [name, TITLES[view], "Grassmeans explorer"].filter(Boolean);
  document.title = parts.join(" · ");
  for (const link of document.querySelectorAll("header nav a")) {
    if (link.dataset.view === view) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.getElementById("site-search").hidden = view === "start";
}

function keyOf(route) {
  return `${route.view}/${route.word}`;
}

function show() {
  const route = parseRoute(location.hash);
  const key = keyOf(route);
  if (current?.key === key) return current.view.update(route);
  const first = current === null;
  current?.view.destroy();
  setTitle(route);
  const root = h("div", { class: `view view-${Object.hasOwn(VIEWS, route.view) ? route.view : "none"}` });
  main.replaceChildren(root);
  if (!Object.hasOwn(VIEWS, route.view) || (OF_A_WORD.has(route.view) && !route.word)) {
    root.append(h("div", { class: "panel empty" }, h("h1", {}, "There is no such page"), h("p", {}, "Go back to the ", h("a", { href: "#/" }, "start"), ".")));
    current = { key, view: { update: () => {}, destroy: () => {} } };
    return undefined;
  }
  const mount = OF_A_WORD.has(route.view) && !NOT_LED.has(route.view) ? leadToWord(VIEWS[route.view]) : VIEWS[route.view];
  current = { key, view: mount(root, route, app) };
  if (!first) {
    scrollTo(0, 0);
    // The reader goes on at the heading, unless the view has shown something more special.
    const begin = () => { if (root.isConnected && !root.contains(document.activeElement)) root.querySelector("h1")?.focus({ preventScroll: true }); };
    if (current.view.ready) current.view.ready.then(begin);
    else begin();
  }
  return undefined;
}

function showFooter() {
  const { health } = app;
  document.getElementById("about").replaceChildren(
    h("span", {}, "Model ", h("b", {}, health.model), ` · ${formatCount(health.n_words)} words` +
      `${health.language ? ` · ${health.language}` : ""} · ${corpusPhrase(health)}`),
    h("span", {}, h("a", { href: "docs" }, "API"), ` · grassmeans ${health.version}`));
}

async function begin() {
  try {
    app.health = await ask("healthz");
  } catch (failure) {
    main.replaceChildren(errorPanel(failure, { title: "The explorer could not start", retry: begin }));
    return;
  }
  showFooter();
  document.querySelector("[data-view=changes]").hidden = !app.health.has_changes;
  document.querySelector("[data-view=annotation]").hidden = !app.health.has_annotation;
  document.getElementById("site-search").replaceChildren(makeSearch());
  show();
  showDraft(document.getElementById("draft")).catch(() => {}); // the view says what is wrong
}

// Its address would stand in the way of the view's.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
addEventListener("hashchange", () => { if (app.health) show(); });
begin();
