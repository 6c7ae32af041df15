// The shares of a word's senses over groups of documents: a small picture for each sense.

import { ask, wordUrl } from "../api.js";
import { senseColour } from "../colours.js";
import { formatCount, formatShare, h, plural, svg } from "../dom.js";
import { waysOf } from "../group_ways.js";
import { makeHash, navigate } from "../router.js";
import { announce, emptyPanel, makeLoader } from "../status.js";
import { wordHeading } from "../word_heading.js";

const WIDTH = 240, HEIGHT = 130, LEFT = 36, RIGHT = 12, TOP = 8, BOTTOM = 24;

function point(row, x, word, by) {
  const y = (share) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - share);
  const label = `${row.group}: ${formatShare(row.share)} (${formatShare(row.low)} to ${formatShare(row.high)}) of ${plural(row.n, "line")}`
    + (row.few ? ", too few to compare" : "");
  const href = makeHash("concordance", word, { sense: row.sense, by, group: row.group });
  return svg("a", { href, "aria-label": `${label}. Show the lines.` }, svg("title", {}, label),
    svg("line", { x1: x, x2: x, y1: y(row.high), y2: y(row.low), class: "range" }),
    svg("circle", { cx: x, cy: y(row.share), r: 5, class: row.few ? "few" : "point" }));
}

function panel(rows, word, by) {
  const step = (WIDTH - LEFT - RIGHT) / Math.max(rows.length - 1, 1);
  const tall = HEIGHT - TOP - BOTTOM;
  const grid = [0, 0.5, 1].map((share) => {
    const y = TOP + tall * (1 - share);
    return [svg("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y, y2: y, class: "grid" }),
      svg("text", { x: 0, y: y + 4 }, `${100 * share} %`)];
  });
  const ends = [...new Set([0, rows.length - 1])].map((i) =>
    svg("text", { x: LEFT + i * step, y: HEIGHT - 6, "text-anchor": i ? "end" : "start" }, rows[i].group.slice(0, 18)));
  const there = rows.map((row, i) => [row, LEFT + i * step]).filter(([row]) => row.n > 0);
  const line = there.filter(([row]) => !row.few).map(([row, x]) => `${x},${TOP + tall * (1 - row.share)}`).join(" ");
  const { sense, name } = rows[0];
  return h("figure", { class: "change-panel", "--sense": senseColour(sense) },
    svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "group", "aria-label": `Share of sense ${sense} over the groups` },
      grid, ends, svg("polyline", { points: line }), there.map(([row, x]) => point(row, x, word, by))),
    h("figcaption", {}, h("b", {}, `${sense} `), name));
}

function pairsTable(pairs) {
  const number = (value) => (value === null ? "–" : value < 0.001 ? "< 0.001" : value.toFixed(3));
  return h("table", { class: "word-table change-pairs" },
    h("thead", {}, h("tr", {}, ["From", "To", "Distance (JSD)", "Chance", "Gained", "Lost"].map((label) => h("th", { scope: "col" }, label)))),
    h("tbody", {}, pairs.map((pair) => h("tr", {},
      h("td", {}, `${pair.first} (${formatCount(pair.n_first)})`), h("td", {}, `${pair.second} (${formatCount(pair.n_second)})`),
      h("td", { class: "number" }, pair.jsd === null ? "too few" : pair.jsd.toFixed(3)),
      h("td", { class: "number" }, number(pair.p)),
      h("td", {}, pair.gained.join(", ")), h("td", {}, pair.lost.join(", "))))));
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
  root.append(h("p", { class: "guide" }, "The share of each sense in every group of documents, with 95% intervals. Hollow points have too few lines to compare. Click a point to read its lines."),
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
    place.replaceChildren(h("div", { class: "change-panels" }, [...senses.values()].map((rows) => panel(rows, word, by))),
      pairsTable(answer.pairs));
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
