// What stands below a picture: zoom, and the picture as a file.

import { button, h } from "./dom.js";
import { saveFile } from "./downloads.js";

const PNG_SCALE = 2;

/** Paint on a canvas of our own: the picture as it is seen, twice as fine. */
function toPng(paint, width, height, background) {
  const canvas = h("canvas", { width: width * PNG_SCALE, height: height * PNG_SCALE });
  const context = canvas.getContext("2d");
  context.scale(PNG_SCALE, PNG_SCALE);
  context.fillStyle = background;
  context.fillRect(0, 0, width, height);
  paint(context, width, height);
  return new Promise((resolve) => { canvas.toBlob(resolve, "image/png"); });
}

function toSvg(paint, width, height, background) {
  const painter = new SvgPainter(width, height);
  painter.fillStyle = background;
  painter.fillRect(0, 0, width, height);
  paint(painter, width, height);
  return String(painter);
}

/** Buttons to zoom. */
export function zoomButtons({ zoomIn, zoomOut, reset }) {
  return h("div", { class: "zoom", role: "group", "aria-label": "Zoom" },
    button("+", zoomIn, { "aria-label": "Zoom in", title: "Zoom in (+)" }),
    button("−", zoomOut, { "aria-label": "Zoom out", title: "Zoom out (−)" }),
    button("Reset", reset, { title: "Show the whole picture (0)" }));
}

/** Buttons that save a picture; `paint(context, width, height)` paints it as `element` shows it. */
export function pictureButtons(name, element, paint) {
  const measure = () => [element.clientWidth, element.clientHeight, getComputedStyle(document.body).getPropertyValue("--card").trim()];
  return [
    button("SVG", () => saveFile(`${name}.svg`, "image/svg+xml", toSvg(paint, ...measure())), { class: "link" }),
    button("PNG", async () => saveFile(`${name}.png`, "image/png", await toPng(paint, ...measure())), { class: "link" }),
  ];
}
