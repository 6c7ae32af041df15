// The shares of a word's senses over groups of documents: a small picture for each sense.

import { ask, wordUrl } from "../api.js";
import { makeAxis } from "../change_axis.js";
import { changePanel, changePicture, needsRow } from "../change_panel.js";
import { button, formatCount, h, plural } from "../dom.js";
import { downloadButtons, saveTable } from "../downloads.js";
import { waysOf } from "../group_ways.js";
import { pictureButtons } from "../picture_tools.js";
import { makeHash, navigate } from "../router.js";
import { announce, emptyPanel, makeLoader } from "../status.js";
import { wordHeading } from "../word_heading.js";

const number = (value) => (value === null ? "–" : value < 0.001 ? "< 0.001" : value.toFixed(3));

/** Senses that came or went, by name; each leads to its lines in the group where it is. */
function senseLinks(senses, group, { word, by, names }) {
  return senses.flatMap((sense, index) => [index ? ", " : "",
    h("a", { href: makeHash("concordance", word, { sense, by, group }) }, `${sense} ${names.get(sense) ?? ""}`.trim())]);
}

function pairsTable(pairs, context) {
  return h("table", { class: "word-table change-pairs" },
    h("thead", {}, h("tr", {}, ["From", "To", "Distance (JSD)", "Chance", "Gained", "Lost"].map((label) => h("th", { scope: "col" }, label)))),
    h("tbody", {}, pairs.map((pair) => h("tr", {},
      h("td", {}, `${pair.first} (${formatCount(pair.n_first)})`), h("td", {}, `${pair.second} (${formatCount(pair.n_second)})`),
      h("td", { class: "number" }, pair.jsd === null ? "too few" : pair.jsd.toFixed(3)),
      h("td", { class: "number" }, number(pair.p)),
      h("td", {}, senseLinks(pair.gained, pair.second, context)), h("td", {}, senseLinks(pair.lost, pair.first, context))))));
}

/** The first and the last group that have lines enough, in a sentence. */
function overall(pair, isTime, context) {
  if (!pair) return h("p", { class: "change-overall" }, "No two groups have enough lines to be compared.");
  return h("p", { class: "change-overall" }, h("b", {}, isTime ? "Over all: " : "First and last: "),
    `from ${pair.first} (${plural(pair.n_first, "line")}) to ${pair.second} (${plural(pair.n_second, "line")}) the distance is ${pair.jsd.toFixed(3)}; ` +
    `where nothing changed, one so large has a chance of ${number(pair.p)}.`,
    pair.gained.length ? [" Gained: ", senseLinks(pair.gained, pair.second, context), "."] : null,
    pair.lost.length ? [" Lost: ", senseLinks(pair.lost, pair.first, context), "."] : null);
}

/** Which groups have too few lines, in a sentence. */
function fewNote(shares) {
  const few = [...new Set(shares.filter((row) => row.few && row.n > 0).map((row) => row.group))];
  if (!few.length) return null;
  return h("p", { class: "soft few-note" }, `× ${few.length === 1 ? "One group has" : `${few.length} groups have`} too few lines to be compared ` +
    `(${few.slice(0, 6).join(", ")}${few.length > 6 ? ", …" : ""}): a cross without an interval, and no line goes through it.`);
}

function tableOf({ shares }) {
  const columns = ["group", "sense", "name", "count", "share", "low", "high", "n", "unknown", "few"];
  return { columns, rows: shares.map((row) => columns.map((name) => row[name])) };
}

function pairsOf({ pairs, overall: whole }, nameOf) {
  const columns = ["first", "second", "n_first", "n_second", "jsd", "p", "gained", "lost"];
  const names = (senses) => senses.map(nameOf).join("; ");
  const isListed = (pair) => pairs.some((other) => other.first === pair.first && other.second === pair.second);
  const rows = [...pairs, ...(whole && !isListed(whole) ? [whole] : [])];
  return { columns, rows: rows.map((pair) => columns.map((name) => (Array.isArray(pair[name]) ? names(pair[name]) : pair[name]))) };
}

/** Show how a word changed. */
export function mount(root, route, app) {
  const { word } = route;
  let by = "";
  const ways = waysOf(app.health.fields);
  const heading = wordHeading(word, "change");
  const choice = h("select", { onchange: () => navigate(makeHash("change", word, { by: choice.value })) },
    ways.map(([value, label]) => h("option", { value }, label)));
  const place = h("div", {});
  root.append(heading.element);
  if (!ways.length) {
    root.append(emptyPanel("No groups to compare", app.health.has_corpus
      ? "The documents of this corpus have no date or source. Read the texts with: grassmeans ingest … --meta date --meta source"
      : "Start with a corpus whose documents have dates or sources: grassmeans explore MODEL --corpus CORPUS"));
    return { update: () => {}, destroy: () => {} };
  }
  root.append(h("p", { class: "guide" }, "The share of each sense in every group of documents, with 95% intervals. Years stand in proportion. A cross has too few lines to compare. Click a point to read its lines."),
    h("form", { class: "filters", onsubmit: (event) => event.preventDefault() }, h("label", {}, "Group by", choice)), place);

  function draw(answer) {
    const senses = new Map();
    for (const row of answer.shares) senses.set(row.sense, [...(senses.get(row.sense) ?? []), row]);
    heading.facts.textContent = plural(answer.groups.length, "group")
      + (answer.n_left_out ? `, ${plural(answer.n_left_out, "document")} in none` : "")
      + (answer.measured ? `, from an even sample of ${formatCount(answer.measured)}` : "");
    if (!senses.size) {
      place.replaceChildren(emptyPanel("No line in any group", "Choose another grouping."));
      return;
    }
    const axis = makeAxis(answer.groups, by);
    const context = { word, by, names: new Map(answer.shares.map((row) => [row.sense, row.name])) };
    const lists = [...senses.values()];
    const name = `change-${word}`;
    const picture = changePicture(lists, axis, getComputedStyle(document.body).color);
    const files = downloadButtons(name, () => tableOf(answer), () => answer);
    const nameOf = (sense) => `${sense} ${context.names.get(sense) ?? ""}`.trim();
    files.append(button("CSV of the distances", () => saveTable(`${name}-distances`, pairsOf(answer, nameOf)), { class: "link" }));
    files.append(...pictureButtons(name, { clientWidth: picture.width, clientHeight: picture.height }, picture.paint));
    place.replaceChildren(...[overall(answer.overall, axis.isTime, context), fewNote(answer.shares),
      h("div", { class: needsRow(axis) ? "change-panels wide" : "change-panels" }, lists.map((rows) => changePanel(rows, axis, word, by))),
      files, h("div", { class: "scrolling", tabindex: 0, role: "region", "aria-label": "Distances between groups" }, pairsTable(answer.pairs, context))].filter(Boolean));
    announce(`${word} over ${plural(answer.groups.length, "group")}`);
  }

  const loader = makeLoader(place, "Reading the corpus…", async (signal) => {
    draw(await ask(wordUrl(word, "/change", { by }), { signal }));
  });

  function update(next) {
    by = next.params.get("by") ?? ways[Math.min(1, ways.length - 1)][0];
    choice.value = by;
    loader.load();
  }

  update(route);
  return { update, destroy: loader.stop };
}
