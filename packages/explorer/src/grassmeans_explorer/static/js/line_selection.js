// Lines chosen in a concordance, and a bar that gives them to a sense of the word.
//
// A table puts `box(line)` into each row and `element` above itself, and calls `set(value)` with
// the word whenever it has its senses. Only the model's senses get lines, and only of a corpus.

import { send } from "./api.js";
import { correctionHistory, describeAssigned } from "./correction_history.js";
import { button, h, plural } from "./dom.js";
import { makeHash } from "./router.js";
import { senseName } from "./sense_card.js";
import { announce, errorPanel } from "./status.js";

const NEW_SENSE = "new";

/** {element, box(line), set(value)}; `onChange()` is called when the senses have changed. */
export function makeLineSelection(word, app, onChange) {
  const chosen = new Set();
  const boxes = new Map();
  const count = h("b", {});
  const target = h("select", { "aria-label": "Sense for the chosen lines" });
  const message = h("div", { class: "selection-message", role: "status", tabindex: -1 });
  const history = h("div", {});
  let value = null, busy = false, last = null;

  const give = button("Give them to this sense", () => assign(), { class: "main" });
  const tools = h("div", { class: "selection-tools" }, count, target, give,
    button("Choose all on this page", () => choose([...boxes.keys()], true)),
    button("Choose none", () => choose([...chosen], false), { class: "quiet" }));
  const element = h("section", { class: "panel line-selection", "aria-label": "Chosen lines", hidden: true }, tools, message, history);

  const enabled = () => app.health.has_corpus && value !== null && value.model_senses !== false;

  function show() {
    count.textContent = `${plural(chosen.size, "line")} chosen`;
    give.disabled = busy || chosen.size === 0;
    tools.hidden = chosen.size === 0;
    element.hidden = !enabled() || (chosen.size === 0 && !message.childNodes.length);
    for (const [position, box] of boxes) box.checked = chosen.has(position);
  }

  function choose(positions, isChosen) {
    for (const position of positions) {
      if (isChosen) chosen.add(position);
      else chosen.delete(position);
    }
    show();
  }

  /** With Shift all lines between the last box and this one. */
  function toggle(position, isChosen, isRange) {
    const shown = [...boxes.keys()];
    const ends = [shown.indexOf(last), shown.indexOf(position)].sort((a, b) => a - b);
    choose(isRange && ends[0] >= 0 ? shown.slice(ends[0], ends[1] + 1) : [position], isChosen);
    last = position;
  }

  async function attempt(body, tell) {
    if (busy) return;
    busy = true;
    message.replaceChildren(h("span", {}, "Working…"));
    show();
    try {
      value = await send("api/corrections", { word, revision: value.revision, ...body });
      app.forgetWord(word);
      chosen.clear();
      const said = tell(value);
      message.replaceChildren(h("p", { class: "done" }, said, " ", value.edited ? "Not saved yet. " : "",
        h("a", { href: makeHash("word", word, { edit: true }) }, "Correct and save")));
      announce(said);
      history.replaceChildren(correctionHistory(value, (action, senses, text) => attempt({ action, senses }, () => text)));
      onChange();
    } catch (failure) {
      message.replaceChildren(errorPanel(failure, {
        title: "Nothing was changed",
        retry: failure.code === "stale" ? () => { app.forgetWord(word); message.replaceChildren(); onChange(); } : null,
      }));
    } finally {
      busy = false;
      show();
      // The button is gone that was pressed: who works by keys goes on here, before the undo.
      message.focus({ preventScroll: true });
    }
  }

  function assign() {
    const senses = target.value === NEW_SENSE ? [] : [Number(target.value)];
    return attempt({ action: "assign", senses, lines: [...chosen] }, (changed) =>
      describeAssigned(changed.corrections.at(-1), senses[0] ?? changed.senses.length, changed.n_contexts));
  }

  /** The senses that lines can be given to; boxes are made anew. */
  function set(changed) {
    value = changed;
    boxes.clear();
    const before = target.value;
    target.replaceChildren(...value.senses.filter((sense) => !sense.hidden).map((sense) =>
      h("option", { value: String(sense.number) }, `${sense.number} ${senseName(sense)}`)),
    h("option", { value: NEW_SENSE }, "a new sense of their own"));
    if ([...target.options].some((option) => option.value === before)) target.value = before;
    show();
  }

  /** A box for a line, or nothing where lines cannot be given to senses. */
  function box(line) {
    if (!enabled() || line.position === null || line.position === undefined) return null;
    const input = h("input", {
      type: "checkbox", checked: chosen.has(line.position), "aria-label": `Choose this line: ${line.word}`,
      onclick: (event) => toggle(line.position, input.checked, event.shiftKey),
    });
    boxes.set(line.position, input);
    return h("label", { class: "choose-line" }, input);
  }

  return { element, box, set };
}
