// How often lines stand in groups of documents: a table with bars, above a concordance.

import { ask, isAbort } from "./api.js";
import { formatCount, h } from "./dom.js";
import { downloadLinks } from "./downloads.js";
import { waysOf } from "./group_ways.js";
import { errorPanel, waiting } from "./status.js";

function rowOf(row, most, link) {
  const share = (row.per_million ?? 0) / (most || 1);
  return h("tr", {},
    h("th", { scope: "row" }, link ? h("a", { href: link(row.group) }, row.group) : row.group),
    h("td", { class: "number" }, formatCount(row.count)),
    h("td", { class: "number" }, row.per_million === null ? "–" : row.per_million.toLocaleString("en", { maximumFractionDigits: 1 })),
    h("td", { class: "bar-cell" }, h("span", { class: "bar", "--share": `${(100 * share).toFixed(1)}%` })));
}

/**
 * {element, set(per, url, link)}: `per` is what is counted by, "" for a closed panel; `url(values)`
 * the address of the lines' frequencies, `link(group)` that of a group's lines. `onChoose(per)`.
 */
export function makeFrequency(fields, onChoose) {
  const choice = h("select", { onchange: () => onChoose(choice.value) },
    h("option", { value: "" }, "nothing"),
    [...waysOf(fields), ["document", "document"]].map(([value, label]) => h("option", { value }, label)));
  const place = h("div", {});
  const element = h("section", { class: "frequency", "aria-label": "Frequency" },
    h("div", { class: "filters" }, h("label", {}, "Count the lines by", choice)), place);
  let controller = null, shown = "";

  function draw(answer, url, link) {
    const most = Math.max(...answer.groups.map((row) => row.per_million ?? 0));
    const left = answer.left_out ? (answer.by === "document" ? ` ${formatCount(answer.left_out)} more lines stand in other documents.`
      : ` ${formatCount(answer.left_out)} lines are in documents of no group.`) : "";
    const estimate = answer.measured ? ` Estimated from a sample of ${formatCount(answer.measured)} of ${formatCount(answer.occurrences)} occurrences.` : "";
    place.replaceChildren(
      h("p", { class: "soft" }, `${formatCount(answer.total)} lines. Bars: lines in a million words of the group.${estimate}${left}`),
      h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Lines by group" }, h("table", { class: "frequency-table" },
        h("thead", {}, h("tr", {}, [answer.by, "lines", "per million words"].map((label, i) => h("th", { scope: "col", colspan: i > 1 ? 2 : null }, label)))),
        h("tbody", {}, answer.groups.map((row) => rowOf(row, most, answer.by === "document" ? null : link))))),
      downloadLinks("frequency", url));
  }

  async function set(per, url, link) {
    choice.value = per;
    const address = per ? url({ per }) : "";
    if (address === shown) return;
    shown = address;
    controller?.abort();
    if (!per) { place.replaceChildren(); return; }
    controller = new AbortController();
    const { signal } = controller;
    place.replaceChildren(waiting("Counting…"));
    try {
      const answer = await ask(address, { signal });
      if (!signal.aborted) draw(answer, (values) => url({ per, ...values }), link);
    } catch (failure) {
      if (!isAbort(failure)) place.replaceChildren(errorPanel(failure));
    }
  }

  return { element, set, stop: () => controller?.abort() };
}
