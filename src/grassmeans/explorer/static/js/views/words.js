// All words of the model, as a table.

import { ask, isAbort, makeUrl } from "../api.js";
import { debounce, formatCount, h } from "../dom.js";
import { downloadLinks } from "../downloads.js";
import { makePager } from "../pager.js";
import { makeHash, navigate } from "../router.js";
import { emptyPanel, errorPanel, waiting } from "../status.js";

const PAGE = 50;

function wordsTable(words) {
  return h("table", { class: "word-table" },
    h("thead", {}, h("tr", {}, ["Word", "Occurrences", "Senses"].map((label) => h("th", { scope: "col" }, label)))),
    h("tbody", {}, words.map((entry) => h("tr", {},
      h("td", {}, h("a", { href: makeHash("word", entry.word), dir: "auto" }, entry.word)),
      h("td", { class: "number" }, formatCount(entry.count)), h("td", { class: "number" }, String(entry.n_senses))))));
}

/** Show the list of words. */
export function mount(root, route, app) {
  let controller = null, query = "", page = 1;
  const typed = debounce(() => navigate(makeHash("words", "", { q: filter.value.trim() })), 250);
  const filter = h("input", { type: "search", placeholder: "part of a word", oninput: typed });
  const place = h("div", {});
  root.append(h("h1", { tabindex: -1 }, "All words"),
    h("p", { class: "guide" }, `The ${formatCount(app.health.n_words)} words that this model has senses for, the most frequent first.`),
    h("form", { class: "filters", role: "search", onsubmit: (event) => event.preventDefault() }, h("label", {}, "Filter", filter)), place);

  function draw(answer) {
    if (!answer.words.length) {
      place.replaceChildren(emptyPanel("No such word", "Try fewer letters, or ", h("a", { href: "#/words" }, "show all words"), "."));
      return;
    }
    place.replaceChildren(...[
      wordsTable(answer.words),
      makePager(page, answer.total, PAGE, (number) => { navigate(makeHash("words", "", { q: query, page: number })); scrollTo(0, 0); }),
      downloadLinks("words", (values) => makeUrl("api/words", { q: query, ...values }), page, PAGE),
    ].filter(Boolean));
  }

  async function load() {
    controller?.abort();
    controller = new AbortController();
    if (!place.children.length) place.replaceChildren(waiting("Opening the list…"));
    try {
      draw(await ask(makeUrl("api/words", { q: query, limit: PAGE, offset: (page - 1) * PAGE }), { signal: controller.signal }));
    } catch (failure) {
      if (!isAbort(failure)) place.replaceChildren(errorPanel(failure, { retry: load }));
    }
  }

  function update(next) {
    query = next.params.get("q") ?? "";
    page = Math.max(1, Number(next.params.get("page")) || 1);
    if (document.activeElement !== filter) filter.value = query;
    load();
  }

  update(route);
  return { update, destroy: () => { typed.cancel(); controller?.abort(); } };
}
