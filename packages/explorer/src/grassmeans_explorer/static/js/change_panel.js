// The share of one sense over groups of documents, on the page and as a file.

import { senseColour } from "./colours.js";
import { formatShare, h, plural, svg } from "./dom.js";
import { makeHash } from "./router.js";

const WIDTH = 260, TALL = 98, LEFT = 40, RIGHT = 16, TOP = 8, YEARS = 24, NAMES = 64, COLUMN = 30;
const LONGEST = 30;
const LETTER = 7; // pixels
const SLANTED = 4.6; // pixels that a letter of a slanted name takes, across and down
const PER_ROW = 3, GAP = 28;

const yOf = (share) => TOP + TALL * (1 - share);

/** Whether names have room side by side, each below its point. */
function isFlat(axis) {
  const room = (WIDTH - LEFT - RIGHT) / axis.places.length;
  return axis.isTime || axis.labels.every(([, text]) => LETTER * text.length < room);
}

/** Sizes of a picture: {width, height, x(place), left, isFlat}. */
function layOut(axis) {
  const flat = isFlat(axis);
  const reach = flat ? [0] : axis.labels.map(([, text]) => 8 + SLANTED * shorten(text).length);
  // Names end below their points: those of the first points need room on the left.
  const left = Math.ceil(Math.max(LEFT, ...reach.map((own, index) => own - (index + 0.5) * COLUMN)));
  const width = flat ? WIDTH : Math.max(WIDTH, left + RIGHT + COLUMN * axis.places.length);
  const below = flat ? YEARS : Math.max(NAMES, Math.ceil(20 + Math.max(...reach)));
  return { width, height: TOP + TALL + below, x: (place) => left + place * (width - left - RIGHT), left, isFlat: flat };
}

/** Whether a picture needs a row of its own. */
export function needsRow(axis) {
  return layOut(axis).width > WIDTH;
}

const shorten = (text) => (text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text);

function point(row, x, word, by) {
  const label = `${row.group}: ${formatShare(row.share)} (${formatShare(row.low)} to ${formatShare(row.high)}) of ${plural(row.n, "line")}`
    + (row.few ? ", too few to compare" : "");
  const href = makeHash("concordance", word, { sense: row.sense, by, group: row.group });
  // A few lines say little: a small cross without a range, not a point like the others.
  const mark = row.few
    ? svg("path", { d: `M${x - 4} ${yOf(row.share) - 4}l8 8m0 -8l-8 8`, class: "few" })
    : [svg("line", { x1: x, x2: x, y1: yOf(row.high), y2: yOf(row.low), class: "range" }), svg("circle", { cx: x, cy: yOf(row.share), r: 5, class: "point" })];
  return svg("a", { href, "aria-label": `${label}. Show the lines.` }, svg("title", {}, label),
    svg("circle", { cx: x, cy: yOf(row.share), r: 9, class: "target" }), mark);
}

/** The picture of one sense; `rows` are its shares in the groups of the axis. */
export function changePanel(rows, axis, word, by) {
  const { width, height, x, left, isFlat: flat } = layOut(axis);
  const grid = [0, 0.5, 1].map((share) => [
    svg("line", { x1: left, x2: width - RIGHT, y1: yOf(share), y2: yOf(share), class: "grid" }),
    svg("text", { x: left - 6, y: yOf(share) + 4, "text-anchor": "end" }, `${100 * share} %`)]);
  const bottom = TOP + TALL + 16;
  const labels = axis.labels.map(([place, text]) => svg("text", flat
    ? { x: x(place), y: bottom, "text-anchor": "middle" }
    : { x: x(place), y: bottom, "text-anchor": "end", transform: `rotate(-45 ${x(place)} ${bottom})` }, shorten(text), text === shorten(text) ? null : svg("title", {}, text)));
  const there = rows.map((row, index) => [row, x(axis.places[index])]).filter(([row]) => row.n > 0);
  const line = there.filter(([row]) => !row.few).map(([row, at]) => `${at},${yOf(row.share)}`).join(" ");
  const { sense, name } = rows[0];
  return h("figure", { class: "change-panel", "--sense": senseColour(sense), "--wide": `${width}px` },
    svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": `${word}, sense ${sense}: share over the groups` },
      grid, labels, axis.isTime ? svg("polyline", { points: line }) : null, there.map(([row, at]) => point(row, at, word, by))),
    h("figcaption", {}, h("b", {}, `${sense} `), name));
}

/** All pictures as one for a file: {width, height, paint(context)}. */
export function changePicture(senses, axis, ink) {
  const { width, height, x, left, isFlat: flat } = layOut(axis);
  const tall = height + GAP;
  const perRow = Math.min(PER_ROW, senses.length);
  const stroke = (context, colour, points, alpha = 1) => {
    Object.assign(context, { strokeStyle: colour, globalAlpha: alpha, lineWidth: 1.5 });
    context.beginPath();
    points.forEach(([px, py]) => context.lineTo(px, py));
    context.stroke();
    context.globalAlpha = 1;
  };
  const paintOne = (context, rows, dx, dy) => {
    const write = (text, px, py, weight = 400) => { context.font = `${weight} 11px sans-serif`; context.fillStyle = ink; context.fillText(text, dx + px, dy + py); };
    write(`${rows[0].sense} ${rows[0].name}`.slice(0, 40), 4, 12, 600);
    const down = dy + GAP - 8, colour = senseColour(rows[0].sense);
    for (const share of [0, 0.5, 1]) {
      write(`${100 * share} %`, 2, GAP - 4 + yOf(share));
      stroke(context, ink, [[dx + left, down + yOf(share)], [dx + width - RIGHT, down + yOf(share)]], 0.2);
    }
    for (const [place, text] of axis.labels) write(shorten(text), x(place) - 12, GAP + TOP + TALL + (flat ? 10 : 10 + 12 * (axis.labels.findIndex(([at]) => at === place) % 5)));
    const there = rows.map((row, index) => [row, dx + x(axis.places[index])]).filter(([row]) => row.n > 0);
    const firm = there.filter(([row]) => !row.few);
    if (axis.isTime && firm.length > 1) stroke(context, colour, firm.map(([row, at]) => [at, down + yOf(row.share)]));
    for (const [row, at] of there) {
      const y = down + yOf(row.share);
      if (row.few) {
        stroke(context, colour, [[at - 4, y - 4], [at + 4, y + 4]]);
        stroke(context, colour, [[at + 4, y - 4], [at - 4, y + 4]]);
        continue;
      }
      stroke(context, colour, [[at, down + yOf(row.high)], [at, down + yOf(row.low)]], 0.5);
      context.beginPath();
      context.arc(at, y, 5, 0, 2 * Math.PI);
      context.fillStyle = colour;
      context.fill();
    }
  };
  return {
    width: perRow * width, height: Math.ceil(senses.length / perRow) * tall,
    paint: (context) => senses.forEach((rows, index) => paintOne(context, rows, (index % perRow) * width, Math.floor(index / perRow) * tall)),
  };
}
