// Lines of a query or a phrase as a table: the match in the middle, the sense of its word, its document.

import { senseColour } from "./colours.js";
import { button, h } from "./dom.js";
import { senseBadge } from "./sense_card.js";
import { keepWordsWhole } from "./whole_words.js";

function headCell([label, sort, kind], context) {
  const current = (context.sort || "position") === sort;
  return h("th", { scope: "col", class: kind ?? null, "aria-sort": current ? "ascending" : null },
    context.onSort ? button(label, () => context.onSort(current ? "" : sort), { class: "head", title: current ? "Sorted by this: back to the order of the corpus" : "Sort by this" }) : label);
}

function senseCell(line) {
  if (line.sense === null) return h("td", { class: "sense" });
  const name = line.sense > 0 ? `${line.of_word} ${line.sense}: ${line.sense_name || "no name"}` : "don’t know";
  return h("td", { class: "sense", title: name }, senseBadge(line.sense), h("span", { class: "visually-hidden" }, ` ${name}`));
}

/** The table. `context`: {fields, sort, onOpen(position), onSort(sort)}. */
export function spanTable(lines, context) {
  const { fields = [] } = context;
  const hasSenses = lines.some((line) => line.sense !== null);
  const columns = [["before", "left1", "before"], ["match", "position"], ["after", "right1"],
    ...(hasSenses ? [["sense", "sense", "sense-head"]] : []),
    ...fields.map((field) => [field, `field:${field}`, "about-head"]), ["document", "document", "about-head"]];
  const longest = Math.min(30, Math.max(4, ...lines.map((line) => line.word.length)));
  return keepWordsWhole(h("table", { class: "kwic", "--letters": longest },
    h("thead", {}, h("tr", {}, columns.map((column) => headCell(column, context)))),
    h("tbody", {}, lines.map((line) => h("tr", { "--sense": senseColour(line.sense ?? 0) },
      h("td", { class: "left" }, h("bdi", {}, line.left)),
      h("td", { class: "middle" }, button(line.word, () => context.onOpen(line.position), { class: "keyword", title: "Read its document" })),
      h("td", { class: "right" }, h("bdi", {}, line.right)),
      hasSenses ? senseCell(line) : null,
      fields.map((field) => h("td", { class: "about soft" }, line.fields?.[field] ?? "")),
      h("td", { class: "about soft", title: line.document }, line.document))))));
}
