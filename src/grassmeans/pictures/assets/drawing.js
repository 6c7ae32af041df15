// What all pictures share: places for labels that do not cover one another, and a picture as SVG.
"use strict";

const LABEL_RINGS = [5, 14, 26, 42, 64, 92, 128, 172, 224, 286, 360];
const LABEL_TURNS = [0, 0.5, 0.25, 0.75, 0.0625, 0.9375, 0.4375, 0.5625, 0.125, 0.875, 0.375, 0.625, 0.1875, 0.3125, 0.6875, 0.8125];
const LABEL_AIR = 2;

/**
 * Places for labels: beside their points, within the picture, and none over another.
 *
 * labels: [{x, y, width, height, inside, gap}], the most important ones first; `inside` lets a label
 * lie on its own point, `gap` is the radius of the point. dots: [[x, y], ...], which are covered only where there is no better place.
 * Returns for each label its box {x, y, width, height, away}, or null where there is no room; `away`
 * is how far it lies from its point. `reach` bounds that.
 */
function placeLabels(labels, width, height, dots = [], reach = Infinity) {
  const placed = [];
  const overlaps = (a, b) => a.x < b.x + b.width + LABEL_AIR && b.x < a.x + a.width + LABEL_AIR &&
    a.y < b.y + b.height + LABEL_AIR && b.y < a.y + a.height + LABEL_AIR;
  const covers = (box) => dots.reduce((sum, [x, y]) =>
    sum + (x > box.x && x < box.x + box.width && y > box.y && y < box.y + box.height), 0);
  const boxAt = (label, x, y, away) => ({
    x: Math.max(0, Math.min(width - label.width, x - label.width / 2)),
    y: Math.max(0, Math.min(height - label.height, y - label.height / 2)),
    width: label.width, height: label.height, away,
  });

  return labels.map((label) => {
    let best = null, least = Infinity;
    const offer = (box, cost) => {
      if (cost >= least || placed.some((other) => overlaps(box, other))) return;
      const total = cost + 2.5 * Math.min(24, covers(box));
      if (total < least) { best = box; least = total; }
    };
    if (label.width > width || label.height > height) return null;
    if (label.inside) offer(boxAt(label, label.x, label.y, 0), 0);
    for (const ring of LABEL_RINGS) {
      if (ring > reach || ring >= least) break;
      LABEL_TURNS.forEach((turn, order) => {
        const angle = 2 * Math.PI * turn;
        const far = ring + (label.gap ?? 0);
        const box = boxAt(label, label.x + Math.cos(angle) * (far + label.width / 2),
          label.y + Math.sin(angle) * (far + label.height / 2), ring);
        offer(box, ring + order / 4);
      });
    }
    if (best) placed.push(best);
    return best;
  });
}

/** The width of a text in pixels, in a font as canvas takes it. */
function measureLabel(text, font) {
  measureLabel.context ??= document.createElement("canvas").getContext("2d");
  measureLabel.context.font = font;
  return measureLabel.context.measureText(text).width;
}

/** Something to paint on like a canvas's context, whose `toString` is the picture as SVG. */
class SvgPainter {
  constructor(width, height) {
    Object.assign(this, { width, height, fillStyle: "#000", strokeStyle: "#000", globalAlpha: 1, lineWidth: 1, font: "", lineJoin: "miter" });
    this.parts = [];
    this.path = "";
  }

  write(tag, attributes, text = null) {
    const escape = (value) => String(value).replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
    const all = Object.entries(attributes).map(([name, value]) => ` ${name}="${escape(value)}"`).join("");
    this.parts.push(text === null ? `<${tag}${all}/>` : `<${tag}${all}>${escape(text)}</${tag}>`);
  }

  point(letter, x, y) { this.path += `${letter}${x.toFixed(1)} ${y.toFixed(1)}`; }

  beginPath() { this.path = ""; }

  moveTo(x, y) { this.point("M", x, y); }

  lineTo(x, y) { this.point(this.path ? "L" : "M", x, y); }

  closePath() { this.path += "Z"; }

  /** Whole circles only. */
  arc(x, y, radius) {
    this.point("M", x - radius, y);
    for (const side of [2, -2]) this.path += `a${radius} ${radius} 0 1 0 ${side * radius} 0`;
  }

  fillRect(x, y, width, height) { this.write("rect", { x, y, width, height, fill: this.fillStyle }); }

  fill() { this.write("path", { d: this.path, fill: this.fillStyle, "fill-opacity": this.globalAlpha }); }

  stroke() {
    this.write("path", { d: this.path, fill: "none", stroke: this.strokeStyle, "stroke-width": this.lineWidth, "stroke-opacity": this.globalAlpha });
  }

  text(text, x, y, paint) {
    const [, weight, size, family] = /^(\d+) (\d+)px (.*)$/.exec(this.font);
    this.write("text", { x: x.toFixed(1), y: y.toFixed(1), "font-weight": weight, "font-size": size, "font-family": family, ...paint }, text);
  }

  fillText(text, x, y) { this.text(text, x, y, { fill: this.fillStyle }); }

  strokeText(text, x, y) {
    this.text(text, x, y, { fill: "none", stroke: this.strokeStyle, "stroke-width": this.lineWidth, "stroke-linejoin": this.lineJoin });
  }

  toString() {
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${this.width} ${this.height}" width="${this.width}" height="${this.height}">\n` +
      `${this.parts.join("\n")}\n</svg>\n`;
  }
}
