// Context planes and intersection lines of a word, to turn, to zoom and to pick planes from.
// drawPlanes(container, scene, {onSelect, onOpen}) takes what PlanesScene.to_dict() gives, and
// returns {select(index), redraw(), zoom(factor), paint(context, width, height)}. Needs drawing.js.
"use strict";

const PLANES_FONT = "600 14px system-ui, sans-serif";
const PLANES_LINE = 20;
const PLANES_ZOOM = 8;
const PLANES_REACH = 200; // characters of a line on each side

function drawPlanes(container, scene, options = {}) {
  const numbers = scene.lines.map((line) => line.sense);
  const colourOf = (sense) => scene.colours[sense];
  const canvas = document.createElement("canvas");
  canvas.tabIndex = 0;
  canvas.setAttribute("role", "img");
  canvas.style.cssText = "width:100%;aspect-ratio:4/3;touch-action:pan-y;cursor:grab;display:block";
  canvas.setAttribute("aria-label",
    `${scene.planes.length} context planes of "${scene.word}" in ${numbers.length} sense(s), meeting along ` +
    `${numbers.length} line(s). Arrow keys turn the picture, plus and minus zoom, n and p pick the next and previous plane.`);
  const caption = document.createElement("p");
  caption.className = "planes-caption";
  caption.setAttribute("aria-live", "polite");
  container.replaceChildren(canvas, caption);
  let turn = 0.6, tilt = 0.35, size = 1, selected = -1, dragging = null, moved = false;

  function rotate(v) {
    const x = Math.cos(turn) * v[0] - Math.sin(turn) * v[1];
    const y = Math.sin(turn) * v[0] + Math.cos(turn) * v[1];
    return [x, Math.cos(tilt) * y - Math.sin(tilt) * v[2], Math.sin(tilt) * y + Math.cos(tilt) * v[2]];
  }

  function place(v, width, height) {
    const [x, depth, z] = rotate(v);
    const scale = size * Math.min(width, height) * 0.42 / (1 + 0.25 * depth);
    return [width / 2 + x * scale, height / 2 - z * scale, depth];
  }

  function rim(plane) {
    const points = [];
    for (let i = 0; i < 40; i++) {
      const a = Math.PI * i / 20;
      points.push([0, 1, 2].map((d) => Math.cos(a) * plane.basis[0][d] + Math.sin(a) * plane.basis[1][d]));
    }
    return points;
  }

  function tracePlane(context, plane, width, height) {
    context.beginPath();
    for (const point of rim(plane)) {
      const [x, y] = place(point, width, height);
      context.lineTo(x, y);
    }
    context.closePath();
  }

  function paintPlanes(context, width, height) {
    scene.planes.forEach((plane, index) => {
      const chosen = index === selected;
      tracePlane(context, plane, width, height);
      context.fillStyle = colourOf(plane.sense);
      context.globalAlpha = chosen ? 0.45 : selected >= 0 ? 0.06 : 0.13;
      context.fill();
      context.globalAlpha = chosen ? 1 : 0.55;
      context.strokeStyle = colourOf(plane.sense);
      context.lineWidth = chosen ? 2.5 : 1;
      context.stroke();
    });
    context.globalAlpha = 1;
  }

  /** The line of each sense; where its end is, for the label. */
  function paintLines(context, width, height) {
    return scene.lines.map((line) => {
      const ends = [1.18, -1.18].map((s) => place(line.direction.map((v) => v * s), width, height));
      context.strokeStyle = colourOf(line.sense);
      context.lineWidth = 4;
      context.beginPath();
      context.moveTo(ends[0][0], ends[0][1]);
      context.lineTo(ends[1][0], ends[1][1]);
      context.stroke();
      return { x: Math.max(4, Math.min(width - 4, ends[0][0])), y: Math.max(4, Math.min(height - 4, ends[0][1])) };
    });
  }

  function paintNames(context, ends, width, height, style) {
    const names = scene.lines.map((line) => line.name || `sense ${line.sense}`)
      .map((name) => (name.length > width / 14 ? name.split(/,\s/)[0] : name));
    const labels = ends.map((end, index) =>
      ({ ...end, width: measureLabel(names[index], PLANES_FONT) + 6, height: PLANES_LINE }));
    context.font = PLANES_FONT;
    context.lineJoin = "round";
    placeLabels(labels, width, height).forEach((box, index) => {
      if (!box) return;
      context.strokeStyle = style.backgroundColor;
      context.lineWidth = 4;
      context.strokeText(names[index], box.x + 3, box.y + 15);
      context.fillStyle = colourOf(scene.lines[index].sense);
      context.fillRect(box.x + 3, box.y + 18, box.width - 6, 2);
      context.fillStyle = style.color;
      context.fillText(names[index], box.x + 3, box.y + 15);
    });
  }

  /** The colours of the page around the picture. */
  function findStyle() {
    let around = container;
    while (around.parentElement && getComputedStyle(around).backgroundColor === "rgba(0, 0, 0, 0)") around = around.parentElement;
    return { color: getComputedStyle(container).color, backgroundColor: getComputedStyle(around).backgroundColor };
  }

  function paint(context, width, height) {
    paintPlanes(context, width, height);
    paintNames(context, paintLines(context, width, height), width, height, findStyle());
  }

  function redraw() {
    const ratio = window.devicePixelRatio || 1;
    const width = canvas.clientWidth || 480, height = canvas.clientHeight || width * 0.75;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    paint(context, width, height);
  }

  function zoom(factor) {
    size = factor === 0 ? 1 : Math.max(1, Math.min(PLANES_ZOOM, size * factor));
    redraw();
  }

  function describe(plane) {
    const strong = document.createElement("strong");
    strong.textContent = plane.word;
    strong.style.color = `color-mix(in srgb, ${colourOf(plane.sense)} 65%, CanvasText)`; // to stay readable
    const line = scene.lines.find((other) => other.sense === plane.sense);
    const tail = document.createElement("small");
    tail.textContent = ` (${line.name || `sense ${plane.sense}`}; lies along its sense by ${plane.similarity.toFixed(2)} of 1; ` +
      `words: ${plane.words.join(", ")})`;
    const [begun, ended] = [/^(?:…|\P{L}*\p{Lu}|$)/u.test(plane.left), /(?:[.!?…]\P{L}*|^)$/u.test(plane.right)];
    caption.replaceChildren(begun && plane.left.length <= PLANES_REACH ? plane.left : "…" + plane.left.slice(-PLANES_REACH),
      strong, ended && plane.right.length <= PLANES_REACH ? plane.right : plane.right.slice(0, PLANES_REACH) + "…", tail);
    if (options.onOpen && plane.position !== null) {
      const open = document.createElement("button");
      open.type = "button";
      open.className = "small";
      open.textContent = "Read its document";
      open.addEventListener("click", () => options.onOpen(plane));
      caption.append(" ", open);
    }
  }

  function select(index) {
    selected = index;
    if (index < 0) {
      caption.textContent = "Each disc is one line of text; the discs of one sense meet along " +
        "its bar. Drag or use the arrow keys to turn, + and − to zoom; click a disc, or press n, to read its context.";
    } else {
      describe(scene.planes[index]);
      if (options.onSelect) options.onSelect(scene.planes[index], index);
    }
    redraw();
  }

  function pick(event) {
    const box = canvas.getBoundingClientRect(), context = canvas.getContext("2d");
    const hits = [];
    const ratio = window.devicePixelRatio || 1;
    scene.planes.forEach((plane, index) => {
      tracePlane(context, plane, box.width, box.height);
      if (context.isPointInPath((event.clientX - box.left) * ratio, (event.clientY - box.top) * ratio)) hits.push(index);
    });
    if (hits.length === 0) return select(-1);
    const after = hits.find((index) => index > selected);
    return select(after === undefined ? hits[0] : after);
  }

  canvas.addEventListener("pointerdown", (event) => {
    dragging = [event.clientX, event.clientY];
    moved = false;
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!dragging) return;
    const dx = event.clientX - dragging[0], dy = event.clientY - dragging[1];
    if (Math.abs(dx) + Math.abs(dy) > 3) moved = true;
    turn -= dx * 0.01;
    tilt = Math.max(-1.5, Math.min(1.5, tilt + dy * 0.01));
    dragging = [event.clientX, event.clientY];
    redraw();
  });
  canvas.addEventListener("pointerup", (event) => {
    if (dragging && !moved) pick(event);
    dragging = null;
  });
  // The wheel scrolls the page, unless somebody is at work in the picture.
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && document.activeElement !== canvas) return;
    event.preventDefault();
    zoom(Math.exp(-event.deltaY / 500));
  }, { passive: false });
  const keys = {
    ArrowLeft: () => { turn += 0.1; }, ArrowRight: () => { turn -= 0.1; },
    ArrowUp: () => { tilt = Math.max(-1.5, tilt - 0.1); }, ArrowDown: () => { tilt = Math.min(1.5, tilt + 0.1); },
    "+": () => zoom(1.25), "=": () => zoom(1.25), "-": () => zoom(0.8), 0: () => zoom(0),
    n: () => select((selected + 1) % scene.planes.length),
    p: () => select((Math.max(selected, 0) - 1 + scene.planes.length) % scene.planes.length),
    Escape: () => select(-1),
  };
  canvas.addEventListener("keydown", (event) => {
    if (!Object.hasOwn(keys, event.key) || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    keys[event.key]();
    redraw();
  });
  new ResizeObserver(redraw).observe(canvas);
  select(-1);
  return { select, redraw, zoom, paint };
}
