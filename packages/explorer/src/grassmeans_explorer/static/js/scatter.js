// A picture of dots with names, to zoom, to read with the mouse or the keys, and to take along.

import { senseColour } from "./colours.js";
import { h, svg } from "./dom.js";
import { makeZoomable, WHOLE } from "./viewport.js";

const MARGIN = 24;
const LOWEST = 300;
const HIGHEST = 620;
const LINE = 18;
const FAR = 20;
export const ANCHOR = 10;
const AROUND = [...Array(8).keys()].map((turn) => [Math.cos((turn * Math.PI) / 4), Math.sin((turn * Math.PI) / 4)]);
export const NAME_FONT = '600 13px system-ui, -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif';

/** Data -> places in a picture of so many pixels, as large as possible with equal scales. */
export function fitPlaces(points, width, height) {
  const xs = points.map((point) => point.x), ys = points.map((point) => point.y);
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.max(...ys), Math.min(...ys)];
  const room = Math.min((width - 2 * MARGIN) / (right - left), (height - 2 * MARGIN) / (top - bottom));
  const scale = Number.isFinite(room) ? room : 1; // Infinite for a single place.
  return (point) => [
    width / 2 + (point.x - (left + right) / 2) * scale,
    height / 2 - (point.y - (top + bottom) / 2) * scale,
  ];
}

/** The place that lies nearest in the direction of an arrow key, or -1. */
function neighbour(places, from, key) {
  const [dx, dy] = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
  let best = -1, least = Infinity;
  places.forEach((place, index) => {
    if (!place || index === from) return;
    const along = (place[0] - places[from][0]) * dx + (place[1] - places[from][1]) * dy;
    const across = Math.abs((place[0] - places[from][0]) * dy) + Math.abs((place[1] - places[from][1]) * dx);
    if (along > 0 && along + 2 * across < least) { best = index; least = along + 2 * across; }
  });
  return best;
}

/**
 * dots: [{x, y, radius, sense or colour, hidden}]; namesOf(indices, width) -> [{x, y, text, colour,
 * inside, gap}] for the dots that are seen, the most important first. Calls onChoose(index),
 * onOpen(index, event), onView(view). anchors: [{x, y, sense}] are drawn as rings, and are no dots.
 * {element, picture, refresh(), choose(index), setView(view), tools, paint}
 */
export function makeScatter({ label, dots, anchors = [], namesOf, reach = Infinity, view = WHOLE, onChoose, onOpen, onView }) {
  let current = -1, places = [], boxes = [], size = [640, 480], waiting = 0;
  const circles = dots.map((dot, index) => svg("circle", {
    r: dot.radius, class: "dot", "data-sense": dot.sense, "--sense": dot.colour ?? senseColour(dot.sense),
    onpointerenter: () => choose(index),
    onclick: (event) => { if (!zoomable.wasDragged()) { choose(index); onOpen?.(index, event); } },
  }));
  const rings = anchors.map((anchor) => svg("circle", { r: ANCHOR, class: "anchor", "--sense": senseColour(anchor.sense) }));
  const numbers = anchors.map((anchor) => svg("text", { class: "anchor-number", "aria-hidden": "true", "--sense": senseColour(anchor.sense) }, String(anchor.sense)));
  const names = svg("g", { "aria-hidden": "true" });
  const picture = svg("svg", {
    class: "map", tabindex: 0, role: "img", "aria-label": label,
    onfocus: () => { if (current < 0) choose(places.findIndex(Boolean)); }, onkeydown: onKey,
  }, rings, circles, numbers, names);
  const zoomable = makeZoomable(picture, () => view, setView);

  function setView(next) {
    view = next;
    onView?.(view);
    refresh();
  }

  function choose(index) {
    if (index < 0) return;
    circles[current]?.classList.remove("current");
    current = index;
    circles[index].classList.add("current");
    onChoose(index);
  }

  function onKey(event) {
    if (zoomable.onKey(event)) return;
    if (event.key !== "Enter" && !event.key.startsWith("Arrow")) return;
    event.preventDefault(); // Else Enter would close what it opens.
    if (event.key === "Enter") {
      if (current >= 0) onOpen?.(current, event);
      return;
    }
    const next = neighbour(places, current >= 0 ? current : places.findIndex(Boolean), event.key);
    if (next < 0) return;
    choose(next);
    const [u, v] = [places[next][0] / size[0], places[next][1] / size[1]];
    // What is outside comes into the middle.
    if (Math.min(u, v) < 0 || Math.max(u, v) > 1) setView({ ...view, x: view.x + (u - 0.5) / view.scale, y: view.y + (v - 0.5) / view.scale });
  }

  /** Of a ring and its middle: no name is to lie over that of another. */
  function ringPlaces([x, y]) {
    return [[x, y], ...AROUND.map(([dx, dy]) => [x + ANCHOR * dx, y + ANCHOR * dy])];
  }

  function drawNames(place) {
    const [width, height] = size;
    const isSeen = (at) => at && at[0] >= 0 && at[0] <= width && at[1] >= 0 && at[1] <= height;
    const indices = places.flatMap((at, index) => (isSeen(at) ? [index] : []));
    const wanted = namesOf(indices, width).map((name) => ({ ...name, at: place(name) }));
    boxes = window.placeLabels(wanted.map((name) => ({
      x: name.at[0], y: name.at[1], width: window.measureLabel(name.text, NAME_FONT) + 4, height: LINE, inside: name.inside, gap: name.gap,
    })), width, height, [...indices.map((index) => places[index]), ...anchors.filter((anchor) => !anchor.hidden).flatMap((anchor) => ringPlaces(place(anchor)))], reach).map((box, index) => box && { ...box, ...wanted[index], x: box.x, y: box.y }).filter(Boolean);
    names.replaceChildren(...boxes.flatMap((box) => [
      box.away > FAR ? svg("line", {
        x1: box.at[0], y1: box.at[1], x2: box.x + box.width / 2, y2: box.y + LINE / 2, class: "map-leader", "--sense": box.colour,
      }) : null,
      svg("text", { x: box.x + 2, y: box.y + 13, class: "map-name", "--sense": box.colour }, box.text),
    ].filter(Boolean)));
  }

  function draw() {
    waiting = 0;
    const width = picture.clientWidth || 640, height = Math.round(Math.max(LOWEST, Math.min(HIGHEST, width * 0.75)));
    size = [width, height];
    picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    picture.style.setProperty("--height", `${height}px`);
    picture.classList.toggle("zoomed", view.scale > 1);
    const fit = fitPlaces([...dots, ...anchors], width, height);
    const place = (point) => {
      const [x, y] = fit(point);
      return [(x - view.x * width) * view.scale + width / 2, (y - view.y * height) * view.scale + height / 2];
    };
    places = dots.map((dot) => (dot.hidden ? null : place(dot)));
    circles.forEach((circle, index) => {
      circle.classList.toggle("gone", !places[index]);
      if (!places[index]) return;
      circle.setAttribute("cx", places[index][0].toFixed(1));
      circle.setAttribute("cy", places[index][1].toFixed(1));
    });
    rings.forEach((ring, index) => {
      const [x, y] = place(anchors[index]);
      ring.classList.toggle("gone", Boolean(anchors[index].hidden));
      ring.setAttribute("cx", x.toFixed(1));
      ring.setAttribute("cy", y.toFixed(1));
      numbers[index].classList.toggle("gone", Boolean(anchors[index].hidden));
      numbers[index].setAttribute("x", x.toFixed(1));
      numbers[index].setAttribute("y", (y + 4).toFixed(1));
    });
    drawNames(place);
  }

  function refresh() {
    waiting ||= requestAnimationFrame(draw);
  }

  /** The picture as it is seen, on a canvas or as SVG. */
  function paint(context) {
    rings.filter((_, index) => !anchors[index].hidden).forEach((ring) => {
      context.strokeStyle = getComputedStyle(ring).stroke;
      context.lineWidth = 2;
      context.beginPath();
      context.arc(Number(ring.getAttribute("cx")), Number(ring.getAttribute("cy")), ANCHOR, 0, 2 * Math.PI);
      context.stroke();
    });
    numbers.filter((_, index) => !anchors[index].hidden).forEach((number) => {
      const { font, fill } = getComputedStyle(number);
      context.font = font;
      context.fillStyle = fill;
      const wide = 0.6 * parseFloat(font.match(/([\d.]+)px/)?.[1] ?? 11) * number.textContent.length;
      context.fillText(number.textContent, Number(number.getAttribute("x")) - wide / 2, Number(number.getAttribute("y")));
    });
    context.globalAlpha = 0.75;
    circles.forEach((circle, index) => {
      if (!places[index]) return;
      context.fillStyle = getComputedStyle(circle).fill;
      context.beginPath();
      context.arc(places[index][0], places[index][1], dots[index].radius, 0, 2 * Math.PI);
      context.fill();
    });
    context.globalAlpha = 1;
    context.lineWidth = 1;
    for (const box of boxes.filter(({ away }) => away > FAR)) {
      context.strokeStyle = box.colour;
      context.beginPath();
      context.moveTo(box.at[0], box.at[1]);
      context.lineTo(box.x + box.width / 2, box.y + LINE / 2);
      context.stroke();
    }
    context.font = NAME_FONT;
    context.lineJoin = "round";
    [...names.querySelectorAll("text")].forEach((text, index) => {
      const style = getComputedStyle(text);
      context.lineWidth = 4;
      context.strokeStyle = style.stroke;
      context.strokeText(boxes[index].text, boxes[index].x + 2, boxes[index].y + 13);
      context.fillStyle = style.fill;
      context.fillText(boxes[index].text, boxes[index].x + 2, boxes[index].y + 13);
    });
  }

  const watcher = new ResizeObserver(refresh);
  watcher.observe(picture);
  return { element: h("div", { class: "map-frame" }, picture), picture, refresh, choose, setView, paint, tools: zoomable };
}
