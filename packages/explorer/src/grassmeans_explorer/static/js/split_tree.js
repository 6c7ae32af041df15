// A picture of how senses split: one column for each number of senses, from one on the left;
// a block is a sense, as high as its share, and a band leads to it from the sense it came from.
// Blocks can be picked: the senses that the word is to be divided into.

import { pickNode } from "./adoption.js";
import { senseColour } from "./colours.js";
import { formatShare, h, svg } from "./dom.js";

const HEIGHT = 240;
const GAP = 6;
const BLOCK = 14;
const LABEL_LINE = 16;

/** Levels of nodes, whether the answer is one list or a list of levels. */
export function levelsOf(tree) {
  const nodes = (tree ?? []).flatMap((item) => Array.isArray(item) ? item : item.nodes ?? item);
  const levels = [];
  for (const node of nodes) (levels[node.level - 1] ??= []).push(node);
  return levels.filter(Boolean);
}

/** Colours by level and number: a sense has the colour of the largest sense that comes from it. */
function colourNodes(levels) {
  let colours = new Map(levels.at(-1).map((node) => [node.number, senseColour(node.number)]));
  const all = [colours];
  for (let depth = levels.length - 1; depth > 0; depth--) {
    const above = new Map(), largest = new Map();
    for (const node of levels[depth]) {
      if (node.share > (largest.get(node.parent) ?? -1)) {
        largest.set(node.parent, node.share);
        above.set(node.parent, colours.get(node.number));
      }
    }
    colours = above;
    all.unshift(colours);
  }
  return all;
}

/** Give every node its place {y, height} in [0, HEIGHT]; children lie beside their parent. */
function placeNodes(levels) {
  let order = new Map();
  return levels.map((level) => {
    const ranked = [...level].sort((a, b) =>
      (order.get(a.parent) ?? 0) - (order.get(b.parent) ?? 0) || a.number - b.number);
    const total = ranked.reduce((sum, node) => sum + node.share, 0) || 1;
    const room = HEIGHT - GAP * (ranked.length - 1);
    let y = 0;
    const placed = ranked.map((node) => {
      const height = Math.max(2, room * node.share / total);
      const item = { node, y, height, used: 0 };
      y += height + GAP;
      return item;
    });
    order = new Map(placed.map((item, index) => [item.node.number, index]));
    return placed;
  });
}

function drawBand(parent, child, x, nextX, colour) {
  const part = child.height * parent.height / (parent.childrenHeight || child.height);
  const top = parent.y + parent.used;
  parent.used += part;
  const middle = (x + BLOCK + nextX) / 2;
  const path = `M${x + BLOCK} ${top} C${middle} ${top} ${middle} ${child.y} ${nextX} ${child.y}` +
    `V${child.y + child.height} C${middle} ${child.y + child.height} ${middle} ${top + part} ${x + BLOCK} ${top + part}Z`;
  return svg("path", { d: path, class: "band", "--sense": colour });
}

/** Labels of the last column, one below the other without overlap. */
function drawLabels(column, x, room) {
  const letters = Math.max(4, Math.floor(room / 7));
  let last = -LABEL_LINE;
  return column.map((item) => {
    const y = Math.max(item.y + item.height / 2, last + LABEL_LINE);
    last = y;
    const name = `${item.node.number} ${item.node.name || ""}`.trim();
    return svg("text", { x, y: y + 4, class: "tree-label" }, name.length > letters ? `${name.slice(0, letters - 1)}…` : name);
  });
}

function describe(node) {
  const from = node.parent ? `, from sense ${node.parent} of ${node.level - 1}` : "";
  return `${node.number} of ${node.level}: ${node.name || "no name"}, ${formatShare(node.share)}${from}`;
}

function asTable(levels, pickers) {
  return h("details", {}, h("summary", {}, "The same as a table"),
    h("div", { class: "scroll" }, h("table", {},
      h("thead", {}, h("tr", {}, ["Senses", "Number", "Name", "Share", "Comes from", "Keep"].map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", {}, levels.flat().map((node) => h("tr", {},
        h("td", {}, String(node.level)), h("td", {}, String(node.number)), h("td", {}, node.name || ""),
        h("td", {}, formatShare(node.share)), h("td", {}, node.parent ? String(node.parent) : ""),
        h("td", {}, pickers.box(node))))))));
}

/** What is picked: blocks and boxes of the table that show it. */
function makePickers(levels, onPick) {
  const shown = new Map();
  let cut = levels.at(-1);

  function show() {
    for (const [node, elements] of shown) {
      const isChosen = cut.includes(node);
      for (const element of elements) {
        if (element.tagName === "INPUT") element.checked = isChosen;
        else element.setAttribute("aria-pressed", String(isChosen));
      }
    }
  }

  function pick(node) {
    cut = pickNode(levels, cut, node);
    show();
    onPick(cut);
  }

  function add(node, element) {
    shown.set(node, [...shown.get(node) ?? [], element]);
    return element;
  }

  return {
    show,
    block: (node, settings) => add(node, svg("rect", {
      ...settings, role: "button", tabindex: 0, "aria-label": `Keep ${describe(node)}`, onclick: () => pick(node),
      onkeydown: (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); pick(node); } },
    }, svg("title", {}, describe(node)))),
    // What is chosen already stays so: a word has at least one sense.
    box: (node) => add(node, h("input", { type: "checkbox", "aria-label": `Keep ${describe(node)}`, onchange: () => pick(node) })),
  };
}

/** The picture for a given width, with its table; `onPick(nodes)` gets the senses to keep. */
export function splitTree(tree, width, onPick) {
  const levels = levelsOf(tree);
  if (levels.length < 2) return null;
  const pickers = makePickers(levels, onPick);
  const columns = placeNodes(levels), colours = colourNodes(levels);
  const labels = Math.min(220, Math.max(90, width * 0.32));
  const step = (width - labels - BLOCK) / (columns.length - 1);
  const bands = [], blocks = [];
  columns.forEach((column, depth) => {
    const x = depth * step;
    for (const item of column) {
      blocks.push(pickers.block(item.node, {
        x, y: item.y, width: BLOCK, height: item.height, rx: 2, class: "block",
        "--sense": colours[depth].get(item.node.number) ?? senseColour(0),
      }));
    }
    if (depth === 0) return;
    const parents = new Map(columns[depth - 1].map((item) => [item.node.number, item]));
    for (const parent of parents.values()) parent.childrenHeight = 0;
    for (const item of column) {
      const parent = parents.get(item.node.parent);
      if (parent) parent.childrenHeight += item.height;
    }
    for (const item of column) {
      const parent = parents.get(item.node.parent);
      if (parent) bands.push(drawBand(parent, item, x - step, x, colours[depth].get(item.node.number) ?? senseColour(0)));
    }
  });
  const last = columns.at(-1);
  const names = drawLabels(last, (columns.length - 1) * step + BLOCK + 6, labels - 10);
  const lowest = Math.max(HEIGHT, ...names.map((label) => Number(label.getAttribute("y")) + 6));
  const figure = h("figure", { class: "tree" },
    svg("svg", {
      viewBox: `0 -2 ${width} ${lowest + 4}`, width, height: lowest + 4, role: "group",
      "aria-label": `How the senses split from 1 to ${levels.length}; the table below says the same.`,
    }, bands, blocks, names),
    h("figcaption", { class: "soft" },
      "From one sense on the left, step by step. A block is a sense, as high as its share; a band shows which sense it came from. " +
      "Pick a block to keep that sense whole: finer here, coarser there."),
    asTable(levels, pickers));
  pickers.show();
  return figure;
}
