// All words of the model, as a table.

import { ask, makeUrl } from "../api.js";
import { debounce, formatCount, h, plural } from "../dom.js";
import { wholeListLinks } from "../downloads.js";
import { makePager } from "../pager.js";
import { makeHash, navigate } from "../router.js";
import { emptyPanel, makeLoader } from "../status.js";

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
  let query = "", page = 1;
  const typed = debounce(() => navigate(makeHash("words", "", { q: filter.value.trim() })), 250);
  const filter = h("input", { type: "search", placeholder: "part of a word", oninput: typed });
  const place = h("div", {});
  root.append(h("h1", { tabindex: -1 }, "All words"),
    h("p", { class: "guide" }, `The ${formatCount(app.health.n_words)} words that this model knows the senses of, the most frequent first; many have one.`),
    h("form", { class: "filters", role: "search", onsubmit: (event) => event.preventDefault() }, h("label", {}, "Filter", filter)), place);

  function draw(answer) {
    const pages = Math.ceil(answer.total / PAGE);
    if (page > pages && pages > 0) {
      place.replaceChildren(emptyPanel(`There is no page ${formatCount(page)}`, `The list has ${plural(pages, "page")}: `,
        h("a", { href: makeHash("words", "", { q: query, page: pages }) }, "go to the last one"), "."));
      return;
    }
    if (!answer.words.length) {
      const looked = makeHash("word", query);
      place.replaceChildren(emptyPanel("No such word", `No word of the model has “${query}” in it. `, h("a", { href: looked }, `Look “${query}” up`),
        " all the same, or ", h("a", { href: "#/words" }, "show all words"), "."));
      return;
    }
    place.replaceChildren(...[
      wordsTable(answer.words),
      makePager(page, answer.total, PAGE, (number) => { navigate(makeHash("words", "", { q: query, page: number })); scrollTo(0, 0); }),
      wholeListLinks("words", answer.total, (values) => makeUrl("api/words", { q: query, ...values })),
    ].filter(Boolean));
  }

  const loader = makeLoader(place, "Opening the list…", async (signal) => {
    draw(await ask(makeUrl("api/words", { q: query, limit: PAGE, offset: (page - 1) * PAGE }), { signal }));
  }, { keep: true });

  function update(next) {
    query = next.params.get("q") ?? "";
    page = Math.max(1, Math.floor(Number(next.params.get("page"))) || 1);
    if (document.activeElement !== filter) filter.value = query;
    loader.load();
  }

  update(route);
  return { update, destroy: () => { typed.cancel(); loader.stop(); } };
}
