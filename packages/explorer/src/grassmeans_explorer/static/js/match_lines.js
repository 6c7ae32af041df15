// The lines of a query or a phrase with their pages, counts, samples and downloads.

import { ask, makeUrl } from "./api.js";
import { openDocument } from "./document_dialog.js";
import { formatCount, h, plural } from "./dom.js";
import { downloadLinks } from "./downloads.js";
import { makeFrequency } from "./frequency.js";
import { lineTools } from "./kwic_table.js";
import { makePager } from "./pager.js";
import { spanTable } from "./span_table.js";
import { announce, emptyPanel, makeLoader } from "./status.js";

const PAGE = 50;
const NAMES = ["sort", "per", "by", "group", "sample", "seed", "stratified"];
const SORTS = [["", "place in the corpus"], ["sense", "sense"], ["document", "document"],
  ...["left", "right"].flatMap((side) => [1, 2, 3].map((n) => [side + n, `${n} to the ${side}`]))];
const SAMPLES = [["", "all lines"], ...[20, 50, 100, 250, 1000].map((n) => [String(n), `a random ${formatCount(n)}`])];

/** What the address says of the lines. */
export function readLineValues(params) {
  const values = Object.fromEntries(NAMES.map((name) => [name, params.get(name) ?? ""]));
  return { ...values, page: Math.max(1, Math.floor(Number(params.get("page"))) || 1) };
}

function describe(answer) {
  const more = answer.is_complete ? "" : " and more";
  const part = answer.total < answer.found ? `${formatCount(answer.total)} of ` : "";
  const told = answer.looked_at ? `, senses of a random ${formatCount(answer.looked_at)}` : "";
  return `${part}${plural(answer.found, "line")}${more}${told}`;
}

/** {element, load(query, values), stop}: `query` are parameters of api/query; `go(changed)` changes the address. */
export function makeMatchLines(app, go, { onFailure = () => {}, onFound = () => {}, name = "query" } = {}) {
  const { fields } = app.health;
  let query = {}, values = {};
  const facts = h("p", { class: "soft match-facts" });
  const place = h("div", { class: "lines" });
  const list = (pairs, key) => h("select", { onchange: (event) => go({ [key]: event.target.value, page: "" }) }, pairs.map(([value, label]) => h("option", { value }, label)));
  const sort = list([...SORTS, ...fields.map((field) => [`field:${field}`, field])], "sort"), sample = list(SAMPLES, "sample");
  const stratified = h("input", { type: "checkbox", onchange: () => go({ stratified: stratified.checked ? "1" : "" }) });
  const share = h("label", { class: "check" }, stratified, "the same share of every sense");
  const frequency = makeFrequency(fields, (per) => go({ per }));
  const files = h("div", { class: "line-files" });
  const element = h("section", { "aria-label": "Lines" },
    h("div", { class: "filters" }, h("label", {}, "Sort by", sort), h("label", {}, "Look at", sample), share), lineTools(files, frequency.element), facts, place);
  const address = (path, extra = {}) => makeUrl(path, { ...query, sort: values.sort, by: values.by, group: values.group,
    sample: values.sample, seed: values.seed, stratified: values.stratified === "1", ...extra });

  const loader = makeLoader(place, "Asking the corpus…", async (signal) => {
    const answer = await ask(address("api/query", { limit: PAGE, offset: (values.page - 1) * PAGE }), { signal });
    if (signal.aborted) return;
    onFound(answer);
    facts.textContent = describe(answer);
    announce(facts.textContent);
    place.replaceChildren(...(answer.lines.length ? [
      h("div", { class: "scroll-wide", tabindex: 0, role: "region", "aria-label": "Lines found" }, spanTable(answer.lines, { fields, sort: values.sort, onOpen: openDocument, onSort: (key) => go({ sort: key === "position" ? "" : key, page: "" }) })),
      makePager(values.page, answer.total, PAGE, (page) => go({ page })),
    ].filter(Boolean) : [emptyPanel("No line", "Nothing in the corpus fits.")]));
    files.replaceChildren(...(answer.lines.length ? [downloadLinks(name, (extra) => address("api/query", extra), values.page, PAGE)] : []));
  }, { keep: true, onFailure: (failure) => { facts.textContent = ""; onFailure(failure); } });

  function load(asked, wanted) {
    query = asked;
    values = wanted;
    sort.value = values.sort;
    sample.value = values.sample;
    stratified.checked = values.stratified === "1";
    share.hidden = !values.sample;
    frequency.set(values.per, (extra) => address("api/query/frequency", extra), () => "#/query");
    return loader.load();
  }

  return { element, load, stop: () => { loader.stop(); frequency.stop(); } };
}
