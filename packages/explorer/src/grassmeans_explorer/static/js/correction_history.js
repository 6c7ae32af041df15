// The corrections of a word that are not saved yet: what they were, undo and redo.

import { button, formatCount, h, plural } from "./dom.js";

/** Lines of the corpus, or places of one's own text. */
function countLines({ lines, passages }) {
  return lines.length + (passages?.length ?? 0);
}

/** "1, 2 and 3". */
export function listNumbers(numbers) {
  return [numbers.slice(0, -1).join(", "), ...numbers.slice(-1)].filter((part) => part !== "").join(" and ");
}

const SENTENCES = {
  merge: ({ senses }) => `senses ${listNumbers(senses)} merged`,
  split: ({ senses }) => `sense ${senses[0]} split`,
  rename: ({ senses, name }) => `sense ${senses[0]} renamed “${name}”`,
  hide: ({ senses }) => `sense ${senses[0]} hidden`,
  unhide: ({ senses }) => `sense ${senses[0]} shown again`,
  adopt: ({ n_senses: n }) => `${plural(n, "sense")} adopted from the corpus`,
  assign: (edit) => `${plural(countLines(edit), "line")} given to ${edit.senses.length ? `sense ${edit.senses[0]}` : "a new sense"}`,
};

/** What a correction did, in a few words. */
export function describeCorrection(edit) {
  return SENTENCES[edit.action](edit);
}

/** What became of lines that were given to a sense; `nLooked` contexts were looked at. */
export function describeAssigned(edit, number, nLooked) {
  const { n_taken: taken, n_moved: moved, senses } = edit;
  const count = countLines(edit);
  const sense = senses.length ? `sense ${number}` : `the new sense ${number}`;
  const others = moved ? ` Of the ${formatCount(nLooked)} contexts looked at, ${formatCount(moved)} other${moved === 1 ? "" : "s"} changed sense too.` : "";
  const told = count === 1 && taken === 1 ? "The line has" : `${taken} of ${plural(count, "line")} have`;
  if (edit.passages?.length && !taken) return `It is nearest to ${sense} now, but not sure enough to have it.${others}`;
  return `${told} ${sense} now.${others}`;
}

/** Undo and redo, and the list of what was done; `correct(action, senses, said)` does it. */
export function correctionHistory({ corrections, undone }, correct) {
  const last = corrections.at(-1), next = undone[0];
  const steps = h("div", { class: "edit-actions" },
    button(last ? `Undo: ${describeCorrection(last)}` : "Nothing to undo",
      () => correct("undo", [], `Undone: ${describeCorrection(last)}.`), { class: "undo", disabled: !last }),
    next ? button(`Redo: ${describeCorrection(next)}`,
      () => correct("redo", [], `Done again: ${describeCorrection(next)}.`), { class: "redo" }) : null,
    corrections.length > 1 ? button("Undo all corrections of this word",
      () => correct("reset", [], "The senses are as in the model again."), { class: "quiet" }) : null);
  const list = corrections.length > 1 ? h("details", {}, h("summary", {}, plural(corrections.length, "correction")),
    h("ol", { class: "history" }, corrections.map((edit) => h("li", {}, describeCorrection(edit))))) : null;
  return h("div", { class: "correction-history" }, steps, list);
}
