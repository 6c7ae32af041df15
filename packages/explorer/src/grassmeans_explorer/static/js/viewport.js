// The part of a picture that is seen: zoom and pan with wheel, fingers, mouse and keys.
//
// A viewport is {scale, x, y}: how much larger than the whole picture, and which place of it, in
// parts of its width and height, lies in the middle.

export const WHOLE = { scale: 1, x: 0.5, y: 0.5 };
const LARGEST = 40;
const STEP = 1.4;
const PAN = 0.15;

/** A viewport within its bounds: nothing beyond the picture's edges is seen. */
export function boundView({ scale, x, y }) {
  const size = Math.max(1, Math.min(LARGEST, scale)), half = 0.5 / size;
  const inside = (value) => Math.max(half, Math.min(1 - half, value));
  return { scale: size, x: inside(x), y: inside(y) };
}

/** The viewport after a zoom that leaves the place at (u, v), parts of what is seen, where it is. */
export function zoomAt(view, factor, u = 0.5, v = 0.5) {
  const scale = Math.max(1, Math.min(LARGEST, view.scale * factor));
  const shift = 1 / view.scale - 1 / scale;
  return boundView({ scale, x: view.x + (u - 0.5) * shift, y: view.y + (v - 0.5) * shift });
}

/** "2.5,0.31,0.7" <-> a viewport; nothing stands for the whole picture. */
export function readView(text) {
  const [scale, x, y] = (text ?? "").split(",").map(Number);
  return [scale, x, y].every(Number.isFinite) && scale > 0 ? boundView({ scale, x, y }) : WHOLE;
}

export function writeView({ scale, x, y }) {
  return scale === 1 ? "" : [scale, x, y].map((value) => Number(value.toFixed(3))).join(",");
}

/** Let an element be zoomed; `get()` and `set(view)` hold its viewport. Returns what keys do. */
export function makeZoomable(element, get, set) {
  const fingers = new Map();
  let moved = 0;
  const part = (event) => {
    const box = element.getBoundingClientRect();
    return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
  };
  const spread = () => {
    const [a, b] = [...fingers.values()];
    return Math.hypot(a[0] - b[0], a[1] - b[1]);
  };

  element.addEventListener("wheel", (event) => {
    // The wheel scrolls the page, unless somebody is at work in the picture.
    if (!event.ctrlKey && document.activeElement !== element) return;
    event.preventDefault();
    set(zoomAt(get(), Math.exp(-event.deltaY / 400), ...part(event)));
  }, { passive: false });
  element.addEventListener("pointerdown", (event) => {
    fingers.set(event.pointerId, part(event));
    moved = 0;
  });
  element.addEventListener("pointermove", (event) => {
    const last = fingers.get(event.pointerId);
    if (!last) return;
    const now = part(event), view = get();
    const before = fingers.size === 2 ? spread() : 0;
    fingers.set(event.pointerId, now);
    moved += Math.hypot(now[0] - last[0], now[1] - last[1]);
    if (fingers.size === 2) set(zoomAt(view, spread() / (before || 1), ...now));
    else if (view.scale > 1 && moved > 0.008) {
      // Only what is being dragged: a captured pointer would take the dots' clicks.
      if (!element.hasPointerCapture(event.pointerId)) element.setPointerCapture(event.pointerId);
      set(boundView({ ...view, x: view.x - (now[0] - last[0]) / view.scale, y: view.y - (now[1] - last[1]) / view.scale }));
    }
  });
  for (const name of ["pointerup", "pointercancel", "pointerleave"]) {
    element.addEventListener(name, (event) => fingers.delete(event.pointerId));
  }

  const pan = (dx, dy) => set(boundView({ ...get(), x: get().x + dx * PAN / get().scale, y: get().y + dy * PAN / get().scale }));
  const keys = {
    "+": () => set(zoomAt(get(), STEP)), "=": () => set(zoomAt(get(), STEP)), "-": () => set(zoomAt(get(), 1 / STEP)), 0: () => set(WHOLE),
    "Shift+ArrowLeft": () => pan(-1, 0), "Shift+ArrowRight": () => pan(1, 0), "Shift+ArrowUp": () => pan(0, -1), "Shift+ArrowDown": () => pan(0, 1),
  };
  return {
    zoomIn: keys["+"], zoomOut: keys["-"], reset: keys[0],
    /** Whether a drag has just ended: then a click is none. */
    wasDragged: () => moved > 0.008,
    onKey(event) {
      const name = event.key.startsWith("Arrow") && event.shiftKey ? `Shift+${event.key}` : event.key;
      if (!Object.hasOwn(keys, name) || event.ctrlKey || event.metaKey) return false;
      event.preventDefault();
      keys[name]();
      return true;
    },
  };
}
