// A wrong sense in one's own text, corrected in place: another sense of the word, or none of these.
// The stretch of text that decided is given to the sense, as lines of a concordance are.

import { send } from "./api.js";
import { correctionHistory, describeAssigned } from "./correction_history.js";
import { button, h } from "./dom.js";
import { makeHash } from "./router.js";
import { senseName } from "./sense_card.js";
import { announce, errorPanel } from "./status.js";

const NONE_OF_THESE = "none";

/** One sense to choose, as a radio button. */
function choice(value, label, isChosen) {
  return h("label", { class: "sense-choice" }, h("input", { type: "radio", name: "right-sense", value, checked: isChosen }), ` ${label}`);
}

/**
 * {element, open(word)}; `part(from, to)` gives characters of the text, `onChange(start)` is called when
 * senses have changed: of the word that begins there, or of none in particular. `element` tells what was corrected, with its undo.
 */
export function makeTagCorrection(app, { part, onChange }) {
  const element = h("section", { class: "tag-corrected", "aria-label": "Corrections in this text", hidden: true });

  function passageOf(word) {
    const [start, end] = word.context;
    return { left: part(start, word.start), word: word.word, right: part(word.end, end) };
  }

  /** Show what became of it, with the undo of this word. */
  function tell(value, said) {
    const again = h("div", {});
    const redo = async (action, senses, text) => {
      try {
        const changed = await send("api/corrections", { word: value.word, action, senses, revision: value.revision });
        app.forgetWord(value.word);
        tell(changed, text);
        element.querySelector(".redo, .undo:not(:disabled)")?.focus();
        onChange();
      } catch (failure) {
        again.replaceChildren(errorPanel(failure, { title: "Nothing was changed" }));
      }
    };
    element.replaceChildren(h("div", { class: "panel" }, h("p", { class: "done" }, h("b", { dir: "auto" }, value.word), `: ${said} `, value.edited ? "Not saved yet. " : "",
      h("a", { href: makeHash("word", value.word, { edit: true }) }, "Correct and save")), correctionHistory(value, redo), again));
    element.hidden = false;
    announce(said);
  }

  /** Ask for the right sense of a word; closing gives the focus back. */
  async function open(word) {
    const message = h("div", { role: "status" });
    const list = h("fieldset", { class: "sense-choices" }, h("legend", {}, "The right sense here"));
    const give = h("button", { type: "submit", class: "main", disabled: true }, "Give it this sense");
    const form = h("form", { onsubmit: (event) => { event.preventDefault(); assign(); } },
      h("p", { class: "soft", dir: "auto" }, passageOf(word).left, h("b", {}, word.word), passageOf(word).right), list,
      h("p", { class: "soft" }, "The sense learns from this place, so that others may change too. It can be undone."),
      h("div", { class: "form-actions" }, give, button("Cancel", () => dialog.close(), { class: "quiet" })), message);
    const dialog = h("dialog", { class: "document-dialog small-dialog", "aria-label": `Correct “${word.word}”` },
      h("header", {}, h("h2", { dir: "auto" }, `Correct “${word.word}”`)), form);
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
    let value = null;

    async function assign() {
      const picked = new FormData(form).get("right-sense");
      const senses = picked === NONE_OF_THESE ? [] : [Number(picked)];
      give.disabled = true;
      message.textContent = "Working…";
      try {
        const body = { word: word.key, action: "assign", senses, passages: [passageOf(word)], revision: value.revision };
        const changed = await send("api/corrections", body);
        app.forgetWord(word.key);
        dialog.close();
        tell(changed, describeAssigned(changed.corrections.at(-1), senses[0] ?? changed.senses.length, changed.n_contexts));
        onChange(word.start);
      } catch (failure) {
        message.replaceChildren(errorPanel(failure, { title: "Nothing was changed" }));
        give.disabled = false;
      }
    }

    app.forgetWord(word.key);
    try {
      value = await app.word(word.key, "", {});
      list.append(...value.senses.filter((sense) => !sense.hidden).map((sense) =>
        choice(String(sense.number), `${sense.number} ${senseName(sense)}`, sense.number === word.shown)),
      choice(NONE_OF_THESE, "none of these: a new sense", false));
      give.disabled = false;
      (list.querySelector("input:checked") ?? list.querySelector("input")).focus();
    } catch (failure) {
      message.replaceChildren(errorPanel(failure));
    }
  }

  return { element, open };
}
