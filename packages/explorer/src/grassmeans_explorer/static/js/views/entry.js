// The dictionary entry of a word: what a person writes of its senses, with proposals beside it.

import { ask } from "../api.js";
import { button, h, plural } from "../dom.js";
import { choiceField, flushFields, isTyping, rowsField, textField } from "../entry_fields.js";
import { entryDownloads } from "../entry_files.js";
import { entryUrl, makeSaving } from "../entry_saving.js";
import { LABEL_KINDS, REFERENCE_KINDS, entrySense, lines, takeAll } from "../entry_sense.js";
import { announce, makeLoader } from "../status.js";
import { PHRASE_VIEWS, wordHeading } from "../word_heading.js";

const STATUSES = ["draft", "review", "done"];
const PARTS = ["noun", "proper noun", "verb", "adjective", "adverb", "pronoun", "preposition", "conjunction", "determiner", "numeral", "interjection", "particle", "affix", "phrase"];

function lateTexts(conflicts) {
  if (!conflicts.length) return null;
  const texts = (senses) => senses.flatMap((sense) => [[sense.name, sense.definition].filter(Boolean).join(": "), ...texts(sense.senses)]).filter(Boolean);
  return h("details", {}, h("summary", {}, `Texts that came too late (${conflicts.length})`),
    h("ol", {}, conflicts.map((late) => h("li", { dir: "auto" }, texts(late.senses).join("; ") || "no definitions"))));
}

/** Show the entry of a word, or of a phrase of the corpus: `found` is what the server says of it. */
export function mount(root, route, app, found) {
  const { word } = route;
  let value = null, proposals = null;
  const heading = found.known_by === "phrase" ? wordHeading(word, "entry", "", PHRASE_VIEWS) : wordHeading(word, "entry");
  const place = h("div", { class: "entry" });
  const remarks = h("div", {});
  const hint = h("p", { class: "soft", role: "status" });
  const saving = makeSaving(word, (answer, redraw) => { value = answer; showState(); if (redraw) drawSent(); });
  const undo = button("Undo", () => { flushFields(); saving.undo().then(propose); }, { class: "undo" });
  const redo = button("Redo", () => saving.redo().then(propose), { class: "redo" });
  const takeEvery = button("Take all proposals", () => takeThem(), { class: "main" });
  root.append(heading.element,
    h("p", { class: "guide" }, "What you type is saved as you go. Senses move with the buttons, or with Alt and the arrow keys."),
    h("div", { class: "entry-bar" }, undo, redo, takeEvery, saving.state), saving.element, remarks, hint, place);

  const allProposed = () => (proposals ? [
    ...(proposals.part_of_speech && !value.entry.part_of_speech ? [{ action: "set", path: [], field: "part_of_speech", text: proposals.part_of_speech }] : []),
    ...proposals.senses.flatMap((proposed) => takeAll(value.entry, proposed))] : []);

  function takeThem() {
    const changes = allProposed();
    saving.change(changes, true).then(propose).then(() => announce(`${plural(changes.length, "proposal")} taken`));
  }

  function showState() {
    undo.disabled = !value.can_undo;
    redo.disabled = !value.can_redo;
    heading.facts.textContent = value.written ? `${value.entry.status}; ${plural(value.entry.senses.length, "sense")}` : "not written yet";
    const missing = value.model_senses.filter((sense) => !sense.in_entry && !sense.hidden);
    remarks.replaceChildren(...[
      value.not_kept ? h("p", { class: "led-here" }, `Nothing can be written: ${value.not_kept}.`) : null,
      value.remarks.length ? h("ul", { class: "entry-remarks" }, value.remarks.map((remark) => h("li", {}, remark))) : null,
      missing.length ? h("div", { class: "edit-actions" }, missing.map((sense) =>
        button(`Add ${sense.key}: ${sense.name}`, () => change([{ action: "add", key: sense.key }], true, [value.entry.senses.length + 1]), { class: "small" }))) : null,
    ].filter(Boolean));
  }

  async function change(changes, redraw, focus) {
    if (redraw) flushFields();
    await saving.change(changes, redraw);
    if (!redraw) return;
    await propose();
    const sense = focus ? place.querySelector(`[data-path="${focus.join(".")}"]`) : null;
    (sense?.querySelector("textarea") ?? undo).focus();
  }

  const setEntry = (field) => (given) => change([{ action: "set", path: [], field, ...given }], false);

  /** Labels, references and notes of the whole entry and of each sense. */
  const moreParts = () => [...place.querySelectorAll(":is(.entry-field, .entry-columns) ~ details")];
  const placeOf = (part) => part.closest("[data-path]")?.dataset.path ?? "";

  /** Draw anew; the field that has the keyboard keeps it, and what is open stays so. */
  function draw() {
    const open = new Set(moreParts().filter((part) => part.open).map(placeOf));
    const inputs = () => [...place.querySelectorAll("input, textarea, select")];
    const at = inputs().indexOf(document.activeElement);
    const caret = at < 0 ? null : document.activeElement.selectionStart ?? null;
    fill();
    for (const part of moreParts()) part.open ||= open.has(placeOf(part));
    const field = at < 0 ? null : inputs()[at];
    field?.focus({ preventScroll: true });
    if (field && caret !== null) field.setSelectionRange(caret, caret);
  }

  function fill() {
    const { entry } = value;
    const context = {
      word, change, entry: () => value.entry,
      modelSenses: new Map(value.model_senses.map((sense) => [sense.key, sense])),
      proposals: new Map((proposals?.senses ?? []).map((sense) => [sense.path.join("."), sense])),
    };
    takeEvery.hidden = !allProposed().length;
    place.replaceChildren(...[
      h("datalist", { id: "parts-of-speech" }, PARTS.map((part) => h("option", { value: part }))),
      h("section", { class: "panel entry-whole", "aria-label": "The entry as a whole" },
        h("div", { class: "entry-columns" },
          textField("Part of speech of the word", entry.part_of_speech, (text) => setEntry("part_of_speech")({ text }), { list: "parts-of-speech", proposed: proposals?.part_of_speech ?? "" }),
          choiceField("Status", entry.status, STATUSES, (text) => setEntry("status")({ text }))),
        h("details", { open: entry.labels.length + entry.references.length + entry.notes.length > 0 }, h("summary", {}, "Labels, references, notes of the word"),
          rowsField("Labels of the word", "label", entry.labels, LABEL_KINDS, "text", (labels) => setEntry("labels")({ labels })),
          rowsField("References of the word", "reference", entry.references, REFERENCE_KINDS, "key", (references) => setEntry("references")({ references })),
          textField("Notes on the word, one a line", entry.notes, (items) => setEntry("notes")({ items }), lines))),
      h("ol", { class: "entry-senses" }, entry.senses.map((sense, index) => entrySense(sense, [index + 1], entry.senses.length, context))),
      button("Add a sense of your own", () => change([{ action: "add" }], true, [entry.senses.length + 1])),
      lateTexts(value.conflicts),
      value.written ? entryDownloads(word) : null,
    ].filter(Boolean));
  }

  /** Draw anew once what is being typed is in the entry: its fields are filled from there. */
  async function drawSent() {
    while (isTyping()) {
      flushFields();
      await saving.settled();
    }
    if (root.isConnected) draw();
  }

  /** Whether somebody is about to write into a new row, which only the page knows of. */
  function isBegun() {
    const row = root.isConnected && document.activeElement?.closest(".entry-row");
    return Boolean(row) && !row.querySelector("input").value;
  }

  /** Fetch what is proposed for what is empty now. */
  async function propose() {
    if (!value.model_senses.length) return;
    try {
      const answer = await ask(entryUrl(word, "/proposal"));
      await saving.settled();
      while (isBegun()) await new Promise((go) => { setTimeout(go, 300); });
      proposals = answer;
      hint.textContent = "";
      await drawSent();
    } catch (failure) {
      hint.textContent = `There are no proposals: ${failure.message}`;
    }
  }

  const loader = makeLoader(place, "Opening the entry…", async (signal) => {
    value = await ask(entryUrl(word), { signal });
    saving.set(value);
    if (signal.aborted) return;
    showState();
    draw();
    if (value.model_senses.length) {
      hint.textContent = "Looking for proposals…";
      propose();
    } else hint.textContent = "The model has no senses of it: write your own.";
  });

  const leave = () => flushFields();
  addEventListener("pagehide", leave);
  loader.load();
  return { update: () => {}, destroy: () => { leave(); removeEventListener("pagehide", leave); loader.stop(); } };
}
