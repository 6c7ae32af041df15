// A map of a word's contexts: like contexts lie near one another; the colour is the sense.

import { senseColour } from "./colours.js";
import { formatCount, h, svg } from "./dom.js";
import { lineParts, senseBadge } from "./sense_card.js";

const WIDTH = 640;
const HEIGHT = 480;
const MARGIN = 16;

/** Points -> places in the picture, as large as possible with equal scales. */
function placePoints(points) {
  const xs = points.map((point) => point.x), ys = points.map((point) => point.y);
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.max(...ys), Math.min(...ys)];
  const scale = Math.min((WIDTH - 2 * MARGIN) / (right - left || 1), (HEIGHT - 2 * MARGIN) / (top - bottom || 1));
  return points.map((point) => [
    WIDTH / 2 + (point.x - (left + right) / 2) * scale,
    HEIGHT / 2 - (point.y - (top + bottom) / 2) * scale,
  ]);
}

/** The point that lies nearest in the direction of an arrow key, or -1. */
function neighbour(places, from, key) {
  const [dx, dy] = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
  let best = -1, least = Infinity;
  places.forEach(([x, y], index) => {
    const along = (x - places[from][0]) * dx + (y - places[from][1]) * dy;
    const across = Math.abs((x - places[from][0]) * dy) + Math.abs((y - places[from][1]) * dx);
    if (index !== from && along > 0 && along + 2 * across < least) { best = index; least = along + 2 * across; }
  });
  return best;
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

/** The number of each sense in the middle of its dots. */
function drawNumbers(points, places) {
  const senses = [...new Set(points.map((point) => point.sense))].filter((sense) => sense > 0);
  return senses.map((sense) => {
    const own = places.filter((_, index) => points[index].sense === sense);
    return svg("text", { x: median(own.map(([x]) => x)), y: median(own.map(([, y]) => y)), class: "map-number" }, String(sense));
  });
}

function lineOf(point, name) {
  return [senseBadge(point.sense), " ", h("span", { dir: "auto" }, lineParts(point)),
    h("small", { class: "soft" }, ` ${name}; confidence ${point.confidence.toFixed(2)}`)];
}

function asTable(points, nameOf) {
  return h("details", {}, h("summary", {}, `The ${formatCount(points.length)} contexts as a table`),
    h("div", { class: "scroll" }, h("table", {},
      h("thead", {}, h("tr", {}, ["Sense", "Context", "Confidence"].map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", {}, points.map((point) => h("tr", {},
        h("td", {}, senseBadge(point.sense), h("span", { class: "visually-hidden" }, nameOf(point.sense))),
        h("td", { dir: "auto" }, point.left, h("b", {}, point.word), point.right),
        h("td", {}, point.confidence.toFixed(2))))))));
}

/** The map with its line of text and its table; `nameOf(sense)` gives a sense's name. */
export function contextMap(word, points, nameOf) {
  const places = placePoints(points);
  let current = -1;
  const line = h("p", { class: "map-line", "aria-live": "polite" },
    "Point at a dot, or use the arrow keys on the picture, to read its context.");
  const dots = points.map((point, index) => svg("circle", {
    cx: places[index][0].toFixed(1), cy: places[index][1].toFixed(1), r: 3 + 3 * point.confidence,
    class: "dot", "data-sense": point.sense, "--sense": senseColour(point.sense),
    onpointerenter: () => choose(index), onclick: () => choose(index),
  }));

  function choose(index) {
    if (current >= 0) dots[current].classList.remove("current");
    current = index;
    dots[index].classList.add("current");
    line.replaceChildren(...lineOf(points[index], nameOf(points[index].sense)));
  }

  const picture = svg("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "map", tabindex: 0, role: "img",
    "aria-label": `Map of ${points.length} contexts of ${word}. Arrow keys go from dot to dot.`,
    onfocus: () => { if (current < 0) choose(0); },
    onkeydown: (event) => {
      if (!event.key.startsWith("Arrow")) return;
      event.preventDefault();
      const next = neighbour(places, Math.max(current, 0), event.key);
      if (next >= 0) choose(next);
    },
  }, dots, drawNumbers(points, places));

  return h("div", {}, picture, line, asTable(points, nameOf));
}
