// Keep what the dial finds: the senses of a division, or of nodes of its tree, become the word's.

import { send } from "./api.js";
import { button, formatShare, h, plural } from "./dom.js";
import { announce, errorPanel } from "./status.js";

/** The node above another, or null. */
function parentOf(levels, node) {
  return node.parent ? levels[node.level - 2].find((other) => other.number === node.parent) ?? null : null;
}

/** The node of a level that lies above a node, or is it. */
function ancestorAt(levels, node, level) {
  let found = node;
  while (found && found.level > level) found = parentOf(levels, found);
  return found;
}

function isAbove(levels, upper, lower) {
  return lower.level >= upper.level && ancestorAt(levels, lower, upper.level) === upper;
}

/**
 * The nodes that stand for the word's senses after `node` was chosen to be one of them: it takes
 * the place of those below it; where one above it stood, its neighbours on the same level come too.
 */
export function pickNode(levels, cut, node) {
  const kept = cut.filter((other) => !isAbove(levels, node, other) && !isAbove(levels, other, node));
  const chosen = [...kept, node];
  for (const leaf of levels.at(-1)) {
    if (!chosen.some((other) => isAbove(levels, other, leaf))) chosen.push(ancestorAt(levels, leaf, node.level));
  }
  return chosen;
}

/**
 * A panel that says what would be kept, with the button that does it. `value` is what the dial
 * found, `onDone(changed)` gets the word with its new senses. {element, set(nodes)}
 */
export function makeAdoption(value, { k, levels, maxContexts, onDone, reload }) {
  const text = h("p", {});
  const message = h("div", { class: "message", role: "status" });
  let nodes = levels.at(-1) ?? [];
  const adopt = button("", async () => {
    adopt.disabled = true;
    message.replaceChildren(h("span", {}, "Working…"));
    const whole = nodes.every((node) => node.level === levels.length);
    const body = { word: value.word, action: "adopt", n_senses: k === "auto" ? "auto" : Number(k), revision: value.revision, max_contexts: maxContexts };
    if (!whole) body.nodes = nodes.map(({ level, number }) => ({ level, number }));
    try {
      const changed = await send("api/corrections", body);
      announce(`${value.word} has ${plural(changed.n_senses, "sense")} now.`);
      onDone(changed);
    } catch (failure) {
      message.replaceChildren(errorPanel(failure, { title: "Nothing was changed", retry: failure.code === "stale" ? reload : null }));
      adopt.disabled = false;
    }
  }, { class: "main adopt" });

  function set(chosen) {
    nodes = chosen;
    const count = plural(nodes.length, "sense");
    const these = nodes.length === 1 ? "this one sense" : `these ${count}`;
    adopt.textContent = value.in_model ? `Use ${these} for “${value.word}”` : `Add “${value.word}” to the model with ${these}`;
    // Senses of several levels share the contexts out anew when they stand side by side.
    const about = nodes.every((node) => node.level === levels.length) ? "" : "about ";
    text.textContent = `${count}: ${nodes.map((node) => `${node.name || "no name"} (${about}${formatShare(node.share)})`).join("; ")}.`;
  }

  set(nodes);
  const element = h("section", { class: "panel adoption", "aria-label": "Keep this division" },
    levels.length > 1 ? text : null, adopt,
    h("p", { class: "soft" }, value.in_model
      ? "It takes the place of the senses that the word has; you can undo it, and save it as a new version of the model."
      : "You can undo it, and save it as a new version of the model."), message);
  return { element, set };
}
