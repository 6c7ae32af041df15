// Words that often stand in a row, as a table.

import { ask, makeUrl } from "../api.js";
import { formatCount, h } from "../dom.js";
import { downloadLinks } from "../downloads.js";
import { makePager } from "../pager.js";
import { NO_CORPUS, nothingToAsk, queryHeading } from "../query_tabs.js";
import { makeHash, navigate } from "../router.js";
import { emptyPanel, makeLoader } from "../status.js";

const PAGE = 50;

/** Show the page. */
export function mount(root, route, app) {
  root.append(queryHeading("ngrams", "N-grams"));
  if (!app.health.has_corpus) return nothingToAsk(root, "N-grams need a corpus", NO_CORPUS);
  let values = {}, page = 1;
  const change = () => navigate(makeHash("ngrams", "", { n: n.value, containing: word.value.trim(), min: least.value, content: content.checked }));
  const n = h("select", { onchange: change }, [1, 2, 3, 4, 5, 6, 7, 8].map((size) => h("option", { value: String(size) }, String(size))));
  const word = h("input", { type: "search", maxlength: 200, autocapitalize: "off", spellcheck: "false", onchange: change });
  const least = h("input", { type: "number", min: 1, max: 1000000, onchange: change });
  const content = h("input", { type: "checkbox", onchange: change });
  const place = h("div", {});
  root.append(h("form", { class: "filters", "aria-label": "N-grams", onsubmit: (event) => { event.preventDefault(); change(); } },
    h("label", {}, "Words in a row", n), h("label", {}, "With the word", word), h("label", {}, "At least so often", least),
    h("label", { class: "check" }, content, "neither begin nor end with a function word")), place);
  const address = (extra = {}) => makeUrl("api/ngrams", { n: values.n, containing: values.containing, min_count: values.min, function_words: values.content ? "false" : "", ...extra });

  const loader = makeLoader(place, "Counting…", async (signal) => {
    const answer = await ask(address({ limit: PAGE, offset: (page - 1) * PAGE }), { signal });
    if (!answer.ngrams.length) return place.replaceChildren(emptyPanel("None", "Fewer words, or fewer times, may show some."));
    const quote = (text) => text.split(" ").map((part) => `"${part.replace(/[\\^$.*+?()[\]{}|"]/g, "\\$&")}"`).join(" ");
    return place.replaceChildren(...[h("p", { class: "soft" }, `${formatCount(answer.total)} of them`),
      h("table", { class: "word-table" }, h("thead", {}, h("tr", {}, ["Words", "Times", "In a million"].map((label) => h("th", { scope: "col" }, label)))),
        h("tbody", {}, answer.ngrams.map((row) => h("tr", {}, h("td", {}, h("a", { href: makeHash("query", "", { q: quote(row.ngram) }), dir: "auto" }, row.ngram)),
          h("td", { class: "number" }, formatCount(row.count)), h("td", { class: "number" }, row.per_million.toFixed(1)))))),
      makePager(page, answer.kept, PAGE, (number) => navigate(makeHash("ngrams", "", { ...values, page: number }))),
      downloadLinks(`${values.n}-grams`, address, page, PAGE)].filter(Boolean));
  }, { keep: true });

  function update(next) {
    const { params } = next;
    values = { n: params.get("n") ?? "2", containing: params.get("containing") ?? "", min: params.get("min") ?? "2", content: params.get("content") ?? "" };
    page = Math.max(1, Math.floor(Number(params.get("page"))) || 1);
    [n.value, word.value, least.value, content.checked] = [values.n, values.containing, values.min, values.content === "1"];
    loader.load();
  }

  update(route);
  return { update, destroy: loader.stop };
}
