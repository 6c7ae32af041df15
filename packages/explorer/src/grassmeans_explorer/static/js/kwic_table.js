// Lines of a concordance as a table: the word in the middle, its sense, what is known of its document.

import { senseColour } from "./colours.js";
import { button, h } from "./dom.js";
import { senseBadge } from "./sense_card.js";
import { keepWordsWhole } from "./whole_words.js";

function headCell({ label, sort, kind }, context) {
  const current = sort !== undefined && (context.sort || "position") === sort;
  return h("th", { scope: "col", class: kind ?? null, "aria-sort": current ? "ascending" : null },
    sort === undefined || !context.onSort ? label
      : button(label, () => context.onSort(current ? "" : sort), { class: "head", title: current ? "Sorted by this: back to the order of the corpus" : "Sort by this" }));
}

function lineRow(line, context) {
  const { names, onOpen, selection, keeping, fields, showDocument } = context;
  const canOpen = Boolean(onOpen) && line.position !== null && line.position !== undefined;
  const name = line.sense > 0 ? names.get(line.sense) ?? `sense ${line.sense}` : "don’t know";
  const word = canOpen
    ? button(line.word, () => onOpen(line.position), { class: "keyword", title: "Read its document" })
    : h("b", { class: "keyword" }, line.word);
  const row = h("tr", { "--sense": senseColour(line.sense), class: canOpen ? "can-open" : null },
    h("td", { class: "left" }, h("bdi", {}, line.left)), h("td", { class: "middle" }, word),
    h("td", { class: "right" }, h("bdi", {}, line.right)),
    names.size ? [
      h("td", { class: "sense", title: name }, selection?.box(line), senseBadge(line.sense), h("span", { class: "visually-hidden" }, ` ${name}`)),
      h("td", { class: "confidence" },
        h("span", { class: "bar", "--share": `${100 * (line.confidence ?? 0)}%` }),
        h("span", {}, (line.confidence ?? 0).toFixed(2))),
    ] : null,
    keeping ? h("td", { class: "keeping" }, keeping.tools(line)) : null,
    fields.map((field) => h("td", { class: "about soft", title: line.fields?.[field] ?? null }, line.fields?.[field] ?? "")),
    showDocument ? h("td", { class: "about soft", title: line.document }, line.document) : null);
  if (canOpen) {
    row.addEventListener("click", (event) => {
      // Not while text is being selected, and the button speaks for itself.
      if (!event.target.closest("button, label") && getSelection().isCollapsed) onOpen(line.position);
    });
  }
  return row;
}

/**
 * The table. `context`: {names (none: no senses), fields, sort, isWide} and, where they are wanted, onOpen(position),
 * onSort(sort), selection (see line_selection.js) and keeping (see entry_lines.js).
 */
export function kwicTable(lines, context) {
  const showDocument = lines.some((line) => line.document && !/^\d+$/.test(line.document));
  const columns = [
    { label: "before", sort: "left1", kind: "before" }, { label: "word", sort: "position" }, { label: "after", sort: "right1" },
    ...(context.names.size ? [{ label: "sense", sort: "sense", kind: "sense-head" }, { label: "confidence", sort: "confidence", kind: "confidence-head" }] : []),
    ...(context.keeping ? [{ label: "entry", kind: "keeping-head" }] : []),
    ...context.fields.map((field) => ({ label: field, sort: `field:${field}`, kind: "about-head" })),
    ...(showDocument ? [{ label: "document", sort: "document", kind: "about-head" }] : []),
  ];
  const longest = Math.max(4, ...lines.map((line) => line.word.length));
  return keepWordsWhole(h("table", { class: context.isWide ? "kwic wide" : "kwic", "--letters": longest },
    h("thead", {}, h("tr", {}, columns.map((column) => headCell(column, context)))),
    h("tbody", {}, lines.map((line) => lineRow(line, { ...context, showDocument })))));
}

/** What can be done with all the lines, above them: to take along, to draw from, to count. */
export function lineTools(...tools) {
  return h("section", { class: "line-tools", "aria-label": "All these lines" }, tools);
}
