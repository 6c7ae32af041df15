// The fields of an entry: what is typed is saved a moment later, and when a field is left.

import { button, debounce, h } from "./dom.js";

const WAIT = 900;
let created = 0;

/** Fields whose last letters are not sent yet, by the action that sends them. */
const unsent = new Set();

/** Whether something was typed that is not sent yet. */
export const isTyping = () => unsent.size > 0;

/** Send what was typed last, now. */
export function flushFields() {
  for (const action of [...unsent]) action();
}

/** Save by `save(value)` what `read()` gives when it has changed. */
function saver(read, save) {
  let last = JSON.stringify(read());
  const now = () => {
    later.cancel();
    unsent.delete(now);
    const value = read();
    if (JSON.stringify(value) === last) return;
    last = JSON.stringify(value);
    save(value);
  };
  const later = debounce(now, WAIT);
  return { now, typed: () => { unsent.add(now); later(); } };
}

function proposal(text, take) {
  return h("p", { class: "proposal" }, h("span", { class: "label" }, "Proposed"), " ", h("span", { dir: "auto" }, text), " ",
    button("Take it", take, { class: "small" }));
}

/**
 * A text with its label. `options`: {rows, list, proposed, toText, fromText}; `proposed` is shown beside
 * a field that is empty, until it is taken or something is typed.
 */
export function textField(label, value, save, { rows = 0, list = null, proposed = "", toText = (x) => x, fromText = (x) => x } = {}) {
  const id = `entry-field-${++created}`;
  const input = h(rows ? "textarea" : "input", { id, type: rows ? null : "text", rows: rows || null, list, dir: "auto", value: toText(value) });
  const saving = saver(() => fromText(input.value), save);
  const hint = proposed && !toText(value) ? proposal(proposed, () => { input.value = proposed; hint.remove(); saving.now(); input.focus(); }) : null;
  input.addEventListener("input", () => { hint?.remove(); saving.typed(); });
  input.addEventListener("change", saving.now);
  return h("div", { class: "entry-field" }, h("label", { for: id, class: "label" }, label), input, hint);
}

/** A choice. */
export function choiceField(label, value, choices, save) {
  const select = h("select", { onchange: () => save(select.value) }, choices.map((one) => h("option", { value: one, selected: one === value }, one)));
  return h("div", { class: "entry-field" }, h("label", {}, h("span", { class: "label" }, label), select));
}

/** Rows of a kind and a text: labels ({kind, text}), references ({kind, key}); `name` is that of the text. */
export function rowsField(label, one, values, kinds, name, save) {
  const rows = h("div", { class: "entry-rows" });
  const read = () => [...rows.children].map((row) => ({ kind: row.querySelector("select").value, [name]: row.querySelector("input").value.trim() })).filter((row) => row[name]);
  let saving = null;
  function addRow(value) {
    const row = h("div", { class: "entry-row" },
      h("select", { "aria-label": `Kind of this ${one}`, onchange: () => saving.now() }, kinds.map((kind) => h("option", { value: kind, selected: kind === value.kind }, kind))),
      h("input", { type: "text", dir: "auto", "aria-label": `Text of this ${one}`, value: value[name], oninput: () => saving.typed(), onchange: () => saving.now() }),
      button("Remove", () => { row.remove(); saving.now(); add.focus(); }, { class: "small quiet", "aria-label": `Remove this ${one}` }));
    rows.append(row);
    return row;
  }
  const add = button(`Add a ${one}`, () => addRow({ kind: kinds[0], [name]: "" }).querySelector("input").focus(), { class: "small" });
  values.forEach(addRow);
  saving = saver(read, save);
  return h("div", { class: "entry-field", role: "group", "aria-label": label }, h("span", { class: "label" }, label), rows, add);
}
