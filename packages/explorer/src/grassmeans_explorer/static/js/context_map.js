// A map of a word's contexts: like contexts lie near one another; the colour is the sense.

import { senseColour } from "./colours.js";
import { button, formatCount, h } from "./dom.js";
import { makeScatter } from "./scatter.js";
import { lineParts, senseBadge } from "./sense_card.js";

const NARROW = 480;

const GOLDEN = 0.618;

/** Points of one sense lie on a line, which has no second axis: they are spread across it, evenly. */
function spreadLine(points) {
  const xs = points.map((point) => point.x);
  const wide = Math.max(...xs) - Math.min(...xs);
  if (points.some((point) => point.y !== points[0].y) || wide === 0) return points;
  return points.map((point, index) => ({ ...point, y: ((index * GOLDEN) % 1 - 0.5) * wide * 0.4 }));
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

/** The name of each sense in the middle of its dots; of long names the first word on narrow screens. */
function namesOf(points, width, nameOf) {
  const senses = [...new Set(points.map((point) => point.sense))];
  return senses.filter((sense) => sense > 0).sort((a, b) => a - b).map((sense) => {
    const own = points.filter((point) => point.sense === sense);
    const name = nameOf(sense);
    return {
      x: median(own.map((point) => point.x)), y: median(own.map((point) => point.y)), inside: true,
      text: width < NARROW ? name.split(/,\s/)[0] : name, colour: senseColour(sense),
    };
  });
}

function asTable(points, nameOf) {
  return h("details", {}, h("summary", {}, `The ${formatCount(points.length)} contexts as a table`),
    h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Table of contexts" }, h("table", {},
      h("thead", {}, h("tr", {}, ["Sense", "Context", "Confidence"].map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", {}, points.map((point) => h("tr", {},
        h("td", {}, senseBadge(point.sense), h("span", { class: "visually-hidden" }, nameOf(point.sense))),
        h("td", { dir: "auto" }, point.left, h("b", {}, point.word), point.right),
        h("td", {}, point.confidence.toFixed(2))))))));
}

/**
 * The map with its line of text and its table. `nameOf(sense)` gives a sense's name, `open(point)`
 * opens its document; {element, scatter, showSenses(numbers or null)}.
 */
export function contextMap(word, given, { nameOf, open, view, onView }) {
  const points = spreadLine(given);
  const line = h("p", { class: "map-line", "aria-live": "polite" },
    points === given ? "" : "One sense: to the right lie the contexts nearest to it; up and down has no meaning. ",
    "Point at a dot, or use the arrow keys on the picture, to read its context.");
  const dots = points.map((point) => ({ x: point.x, y: point.y, radius: 3 + 3 * point.confidence, sense: point.sense, hidden: false }));
  const canOpen = (point) => open !== null && point.position !== null;

  function onChoose(index) {
    const point = points[index];
    line.replaceChildren(senseBadge(point.sense), " ", h("span", { dir: "auto" }, lineParts(point)),
      h("small", { class: "soft" }, ` ${nameOf(point.sense)}; confidence ${point.confidence.toFixed(2)}`),
      ...(canOpen(point) ? [" ", button("Read its document", () => open(point), { class: "small" })] : []));
  }

  const scatter = makeScatter({
    label: `Map of ${points.length} contexts of ${word}. Arrow keys go from dot to dot, Enter opens its document, plus and minus zoom.`,
    dots, namesOf: (seen, width) => namesOf(seen.map((index) => points[index]), width, nameOf), view, onView, onChoose,
    // A finger that touches a dot wants to read its line first.
    onOpen: (index, event) => { if (canOpen(points[index]) && event.pointerType !== "touch") open(points[index]); },
  });

  function showSenses(numbers) {
    dots.forEach((dot) => { dot.hidden = numbers !== null && !numbers.has(dot.sense); });
    scatter.refresh();
  }

  return { element: h("div", {}, scatter.element, line, asTable(points, nameOf)), scatter, showSenses };
}
