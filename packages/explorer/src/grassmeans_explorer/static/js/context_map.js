// A map of a word's contexts: a sense has a corner of its own, contexts lie between them; the colour is the sense.

import { senseColour } from "./colours.js";
import { button, formatCount, h } from "./dom.js";
import { ANCHOR, makeScatter } from "./scatter.js";
import { lineParts, senseBadge } from "./sense_card.js";

const NARROW = 480;

const GOLDEN = 0.618;

/** What the picture shows, in words of somebody who reads lines; by its layout. */
const READING = {
  ring: "Each dot is one line of text, in the colour of its sense. Each sense has a corner of its own, the ring with its number. A dot near a " +
    "corner can hardly have another sense; between two corners it could have either; in the middle it fits all alike, and is worth reading. " +
    "Senses that are used alike stand side by side on the ring. Beyond that, left, right, up and down mean nothing. Large dots are sure.",
  between: "Each dot is one line of text, in the colour of its sense. The two senses stand on the left and on the right: the nearer a dot lies to " +
    "one, the less it can have the other, and dots in the middle could have either. The higher a dot, the better it fits its sense. Large dots are sure.",
  alone: "Each dot is one line of text. The word has one sense: to the right lie the lines that fit it best; up and down has no meaning.",
};

export function readingOf(layout) {
  return READING[layout] ?? READING.ring;
}

/** Points of one sense lie on a line, which has no second axis: they are spread across it, evenly. */
function spreadLine(points) {
  const xs = points.map((point) => point.x);
  const wide = Math.max(...xs) - Math.min(...xs);
  if (points.some((point) => point.y !== points[0].y) || wide === 0) return points;
  return points.map((point, index) => ({ ...point, y: ((index * GOLDEN) % 1 - 0.5) * wide * 0.4 }));
}

/** The name of each sense beside its corner; of long names the first word on narrow screens. */
function namesOf(corners, width, nameOf) {
  return corners.filter((corner) => !corner.hidden).map((corner) => {
    const name = nameOf(corner.sense);
    return { x: corner.x, y: corner.y, gap: ANCHOR + 1, text: width < NARROW ? name.split(/,\s/)[0] : name, colour: senseColour(corner.sense) };
  });
}

function asTable(points, nameOf) {
  return h("details", {}, h("summary", {}, `The ${formatCount(points.length)} contexts as a table`),
    h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Table of contexts" }, h("table", {},
      h("thead", {}, h("tr", {}, ["Sense", "Context", "Confidence"].map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", {}, points.map((point) => h("tr", {},
        h("td", {}, senseBadge(point.sense), h("span", { class: "visually-hidden" }, ` ${nameOf(point.sense)}`)),
        h("td", { dir: "auto" }, point.left, h("b", {}, point.word), point.right),
        h("td", {}, point.confidence.toFixed(2))))))));
}

/**
 * The map with its line of text and its table. `nameOf(sense)` gives a sense's name, `open(point)`
 * opens its document; {element, scatter, showSenses(numbers or null)}.
 */
export function contextMap(word, answer, { nameOf, open, view, onView }) {
  const points = spreadLine(answer.points);
  const corners = (answer.senses ?? []).map((corner) => ({ ...corner, hidden: false }));
  const line = h("p", { class: "map-line", "aria-live": "polite" },
    "Point at a dot, or use the arrow keys on the picture, to read its context.");
  const dots = points.map((point) => ({ x: point.x, y: point.y, radius: 3 + 3 * point.confidence, sense: point.sense, hidden: false }));
  const canOpen = (point) => open !== null && point.position !== null;

  function onChoose(index) {
    const point = points[index];
    line.replaceChildren(senseBadge(point.sense), " ", h("span", { dir: "auto" }, lineParts(point)),
      h("small", { class: "soft" }, ` ${nameOf(point.sense)}; confidence ${point.confidence.toFixed(2)}${point.document ? `; ${point.document}` : ""}`),
      ...(canOpen(point) ? [" ", button("Read its document", () => open(point), { class: "small" })] : []));
  }

  const scatter = makeScatter({
    label: `Map of ${points.length} contexts of ${word}. Arrow keys go from dot to dot, Enter opens its document, plus and minus zoom.`,
    dots, anchors: corners, namesOf: (_, width) => namesOf(corners, width, nameOf), view, onView, onChoose,
    // A finger that touches a dot wants to read its line first.
    onOpen: (index, event) => { if (canOpen(points[index]) && event.pointerType !== "touch") open(points[index]); },
  });

  function showSenses(numbers) {
    for (const one of [...dots, ...corners]) one.hidden = numbers !== null && !numbers.has(one.sense);
    scatter.refresh();
  }

  return { element: h("div", {}, scatter.element, line, asTable(points, nameOf)), scatter, showSenses };
}
