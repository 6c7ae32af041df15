// Context planes and intersection lines of a word, to turn and to pick planes from.
// drawPlanes(container, scene, {onSelect}) takes what PlanesScene.to_dict() gives, and returns
// {select(index), redraw()}. No other file is needed.
"use strict";

function drawPlanes(container, scene, options = {}) {
  const numbers = scene.lines.map((line) => line.sense);
  const colourOf = (sense) => scene.colours[sense];
  const canvas = document.createElement("canvas");
  canvas.tabIndex = 0;
  canvas.setAttribute("role", "img");
  canvas.style.cssText = "width:100%;aspect-ratio:4/3;touch-action:pan-y;cursor:grab;display:block";
  canvas.setAttribute("aria-label",
    `${scene.planes.length} context planes of "${scene.word}" in ${numbers.length} sense(s), meeting along ` +
    `${numbers.length} line(s). Arrow keys turn the picture, n and p pick the next and previous plane.`);
  const caption = document.createElement("p");
  caption.className = "planes-caption";
  caption.setAttribute("aria-live", "polite");
  container.replaceChildren(canvas, caption);
  let turn = 0.6, tilt = 0.35, selected = -1, dragging = null, moved = false;

  function rotate(v) {
    const x = Math.cos(turn) * v[0] - Math.sin(turn) * v[1];
    const y = Math.sin(turn) * v[0] + Math.cos(turn) * v[1];
    return [x, Math.cos(tilt) * y - Math.sin(tilt) * v[2], Math.sin(tilt) * y + Math.cos(tilt) * v[2]];
  }

  function place(v, width, height) {
    const [x, depth, z] = rotate(v);
    const scale = Math.min(width, height) * 0.42 / (1 + 0.25 * depth);
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

  function redraw() {
    const ratio = window.devicePixelRatio || 1;
    const width = canvas.clientWidth || 480, height = canvas.clientHeight || width * 0.75;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    const ink = getComputedStyle(container).color || "#222";
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
    context.font = "600 14px system-ui, sans-serif";
    for (const line of scene.lines) {
      const ends = [1.18, -1.18].map((s) => place(line.direction.map((v) => v * s), width, height));
      context.strokeStyle = colourOf(line.sense);
      context.lineWidth = 4;
      context.beginPath();
      context.moveTo(ends[0][0], ends[0][1]);
      context.lineTo(ends[1][0], ends[1][1]);
      context.stroke();
      const label = `${line.sense}  ${line.name || ""}`.trim();
      const space = context.measureText(label).width + 8;
      const x = Math.min(Math.max(ends[0][0] + 8, 4), width - space);
      context.fillStyle = ink;
      context.fillText(label, x, Math.min(Math.max(ends[0][1], 16), height - 6));
    }
  }

  function describe(plane) {
    const strong = document.createElement("strong");
    strong.textContent = plane.word;
    strong.style.color = colourOf(plane.sense);
    const tail = document.createElement("small");
    tail.textContent = ` (sense ${plane.sense}; cosine to its line ${plane.similarity.toFixed(2)}; ` +
      `words: ${plane.words.join(", ")})`;
    caption.replaceChildren("…" + plane.left.slice(-90), strong, plane.right.slice(0, 90) + "…", tail);
  }

  function select(index) {
    selected = index;
    if (index < 0) {
      caption.textContent = "Each disc is the plane of one context; planes of one sense meet along " +
        "its line. Drag or use the arrow keys to turn; click a disc, or press n, to read its context.";
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
    select(after === undefined ? hits[0] : after);
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
  canvas.addEventListener("keydown", (event) => {
    const n = scene.planes.length;
    if (event.key === "ArrowLeft") turn += 0.1;
    else if (event.key === "ArrowRight") turn -= 0.1;
    else if (event.key === "ArrowUp") tilt = Math.max(-1.5, tilt - 0.1);
    else if (event.key === "ArrowDown") tilt = Math.min(1.5, tilt + 0.1);
    else if (event.key === "n" && n) return select((selected + 1) % n);
    else if (event.key === "p" && n) return select((selected - 1 + n) % n);
    else if (event.key === "Escape") return select(-1);
    else return;
    event.preventDefault();
    redraw();
  });
  new ResizeObserver(redraw).observe(canvas);
  select(-1);
  return { select, redraw };
}
