// Words that a group of documents has more often than another group, or than all others.

import { ask, makeUrl } from "../api.js";
import { formatCount, h, plural } from "../dom.js";
import { downloadLinks } from "../downloads.js";
import { waysOf } from "../group_ways.js";
import { NO_CORPUS, nothingToAsk, queryHeading } from "../query_tabs.js";
import { makeHash, navigate } from "../router.js";
import { emptyPanel, makeLoader } from "../status.js";

const SHOWN = 100;
const COLUMNS = ["Word", "Times", "In the others", "In a million", "In a million of the others", "Log-likelihood", "Log ratio"];

function keywordTable(rows) {
  return h("table", { class: "keywords" }, h("thead", {}, h("tr", {}, COLUMNS.map((label) => h("th", { scope: "col" }, label)))),
    h("tbody", {}, rows.map((row) => h("tr", {}, h("td", {}, h("a", { href: makeHash("word", row.word), dir: "auto" }, row.word)),
      [formatCount(row.count), formatCount(row.reference_count), row.per_million.toFixed(1), row.reference_per_million.toFixed(1), row.log_likelihood.toFixed(1), row.log_ratio.toFixed(2)]
        .map((value) => h("td", { class: "number" }, value))))));
}

/** Show the page. */
export function mount(root, route, app) {
  root.append(queryHeading("keywords", "Keywords"));
  const ways = waysOf(app.health.fields);
  if (!app.health.has_corpus) return nothingToAsk(root, "Keywords need a corpus", NO_CORPUS);
  if (!ways.length) return nothingToAsk(root, "No groups to compare", "The documents of this corpus have no date or source. Read the texts with: grassmeans ingest … --meta date --meta source");
  let values = {};
  const option = ([value, label]) => h("option", { value }, label);
  const change = (extra = {}) => navigate(makeHash("keywords", "", { by: by.value, group: group.value, against: against.value, score: score.value, negative: negative.checked, functions: functions.checked, ...extra }));
  const by = h("select", { onchange: () => change({ group: "", against: "" }) }, ways.map(option));
  const group = h("select", { onchange: () => change() }), against = h("select", { onchange: () => change() });
  const score = h("select", { onchange: () => change() }, [["", "log-likelihood: how sure"], ["log_ratio", "log ratio: how large"]].map(option));
  const negative = h("input", { type: "checkbox", onchange: () => change() }), functions = h("input", { type: "checkbox", onchange: () => change() });
  const place = h("div", {});
  root.append(h("p", { class: "guide" }, "Words that the documents of one group have more often than others. Log-likelihood: how sure the difference is; from 10.8 on, chance does it less than once in a thousand words. Log ratio: 1 for twice as often, 2 for four times."),
    h("form", { class: "filters", "aria-label": "Keywords", onsubmit: (event) => event.preventDefault() }, h("label", {}, "Groups by", by), h("label", {}, "Of", group), h("label", {}, "Against", against), h("label", {}, "Sort by", score),
      h("label", { class: "check" }, negative, "what it has less often"), h("label", { class: "check" }, functions, "function words too")), place);
  const address = (extra = {}) => makeUrl("api/keywords", { by: values.by, group: values.group, against: values.against, score: values.score, negative: values.negative === "1", function_words: values.functions === "1", limit: SHOWN, ...extra });

  const loader = makeLoader(place, "Counting…", async (signal) => {
    const { groups } = await ask(makeUrl("api/groups", { by: values.by }), { signal });
    const named = groups.map((one) => [one.name, `${one.name} (${plural(one.n_documents, "document")})`]);
    values.group ||= groups[0]?.name ?? "";
    group.replaceChildren(...named.map(option));
    against.replaceChildren(option(["", "all others"]), ...named.filter(([name]) => name !== values.group).map(option));
    [group.value, against.value] = [values.group, values.against === values.group ? "" : values.against];
    values.against = against.value;
    const answer = await ask(address(), { signal });
    place.replaceChildren(...(answer.keywords.length ? [h("p", { class: "soft" }, `${answer.name} (${formatCount(answer.n_tokens)} words) against ${answer.reference} (${formatCount(answer.n_reference_tokens)} words)`),
      h("div", { class: "scroll-wide", tabindex: 0, role: "region", "aria-label": "Keywords found" }, keywordTable(answer.keywords)), downloadLinks("keywords", address)]
      : [emptyPanel("No keywords", "No word is surely more frequent there.")]));
  }, { keep: true });

  function update(next) {
    values = Object.fromEntries(["by", "group", "against", "score", "negative", "functions"].map((name) => [name, next.params.get(name) ?? ""]));
    values.by ||= ways[0][0];
    [by.value, score.value, negative.checked, functions.checked] = [values.by, values.score, values.negative === "1", values.functions === "1"];
    loader.load();
  }

  update(route);
  return { update, destroy: loader.stop };
}
