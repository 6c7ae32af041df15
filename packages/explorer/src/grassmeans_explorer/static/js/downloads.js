// The table behind a view, to take along.

import { button, formatCount, h } from "./dom.js";

const MOST_ROWS = 5000;
const TABLES = [["csv", "CSV"], ["tsv", "TSV"], ["jsonl", "JSON lines"]];

function row(label, ...items) {
  return h("p", { class: "downloads" }, h("span", {}, label), items);
}

/** Links to the server's own tables; `url(values)` makes an address. Long ones come in parts. */
export function downloadLinks(name, url, page = null, size = 0) {
  const all = page === null ? {} : { limit: MOST_ROWS };
  const part = page === null ? {} : { limit: size, offset: (page - 1) * size };
  return row(page === null ? "Download" : `Download the first ${formatCount(MOST_ROWS)} rows`,
    TABLES.map(([kind, label]) => h("a", { href: url({ ...all, format: kind }), download: `${name}.${kind}` }, label)),
    page === null ? null : h("span", {}, "or this page"),
    h("a", { href: url(part), download: `${name}.json` }, "JSON"));
}

/** Links to all rows of a list, however long: the server streams them. */
export function wholeListLinks(name, rows, url) {
  const link = (kind, label) => h("a", { href: url({ format: kind, whole: true }), download: `${name}.${kind}` }, label);
  return row(`Download all ${formatCount(rows)} rows`, link("csv", "CSV"), link("tsv", "TSV"), link("jsonl", "JSON lines"));
}

export function saveFile(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = h("a", { href: url, download: name, hidden: true });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

// As the server's tables are: a text that a spreadsheet would calculate gets an apostrophe before it.
function csvCell(value) {
  const text = value === null || value === undefined ? "" : String(value);
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Rows of plain values -> CSV, with a byte order mark so that spreadsheets read it as UTF-8. */
export function toCsv(columns, rows) {
  return "\ufeff" + [columns, ...rows].map((cells) => cells.map(csvCell).join(",")).join("\r\n") + "\r\n";
}

/** Let the browser save {columns, rows} as a table. */
export function saveTable(name, { columns, rows }) {
  saveFile(`${name}.csv`, "text/csv", toCsv(columns, rows));
}

/** The same for what only this page has: `table()` gives {columns, rows}, `data()` the JSON. */
export function downloadButtons(name, table, data) {
  return row("Download",
    button("CSV", () => saveTable(name, table()), { class: "link" }),
    button("JSON", () => saveFile(`${name}.json`, "application/json", JSON.stringify(data(), null, 2)), { class: "link" }));
}
