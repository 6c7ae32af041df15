// Changes of an entry, one after the other: each is on the server's disk before it says "saved".

import { ask, makeUrl } from "./api.js";
import { button, h } from "./dom.js";
import { announce, errorPanel } from "./status.js";

const MOST_KEPT_ALIVE = 20000;

/** The address of an entry; `rest` as in "/change". */
export function entryUrl(word, rest = "") {
  const name = /^\.{1,2}$/.test(word) ? ` ${word}` : word;
  return `api/entries/words/${encodeURIComponent(name)}${rest}`;
}

/** The address of a file of entries: of one word, or of all that are written. */
export function entryFileUrl(format, word = "") {
  return makeUrl("api/entries/download", { format, word });
}

function asText(value) {
  if (value === null || value === undefined) return "(it is no longer there)";
  if (typeof value === "string") return value || "(empty)";
  return value.map((one) => (typeof one === "string" ? one : one.text ?? one.key ?? `${one.left}${one.word}${one.right}`)).join("; ") || "(empty)";
}

/** Which text it is: "crane.2, definition"; of a sense of one's own by its place. */
function nameText({ key, path, field }) {
  const sense = key || (path.length ? `Sense ${path.join(".")}` : "The entry");
  return `${sense}: ${field.replaceAll("_", " ")}`;
}

/** The changes again, each for the place where its sense is now; those of a sense that is gone need a new one first. */
function placeAnew(changes, { texts, places }) {
  const told = new Map(texts.map((text) => [text.change, text]));
  const added = new Set();
  return changes.flatMap((one, number) => {
    const path = places[number];
    if (!path) return [];
    const text = told.get(number), place = path.join(".");
    const isNew = text?.is_gone && !added.has(place);
    if (isNew) added.add(place);
    return [...(isNew ? [{ action: "add", key: text.key }] : []), { ...one, path }];
  });
}

/** Texts that were not saved, then new changes; a text that was written again comes once. */
function joinChanges(unsaved, changes) {
  const isAgain = (one) => changes.some((other) => other.action === "set" && other.field === one.field && other.path.join() === one.path.join());
  return [...unsaved.filter((one) => !isAgain(one)), ...changes];
}

/** Whether the same change may be taken later: the server is away or busy, or somebody else was first. */
const mayPass = ({ status }) => status === 0 || status === 409 || status === 429 || status >= 500;

function conflictPanel(conflict, { mine, theirs }) {
  return h("div", { class: "panel error conflict", role: "alert" },
    h("h2", {}, "This entry was changed meanwhile"),
    conflict.texts.map((text) => h("dl", {},
      h("dt", { class: "soft" }, nameText(text)),
      h("dt", {}, "Yours"), h("dd", { dir: "auto" }, asText(text.yours)),
      h("dt", {}, "There now"), h("dd", { dir: "auto" }, asText(text.theirs)))),
    conflict.texts.length ? null : h("p", {}, "Your change was not made."),
    h("div", { class: "edit-actions" }, button("Use mine", mine, { class: "main" }), button("Keep what is there", theirs)));
}

/**
 * {element, state, change(changes, redraw), undo(), redo(), reload(), set(value), settled()}: `onSaved(value, redraw)` gets
 * the entry after each step; what is not sent yet when the page is left is sent then.
 */
export function makeSaving(word, onSaved) {
  const state = h("span", { class: "soft save-state", role: "status" });
  const message = h("div", { class: "message" });
  const element = h("div", {}, message);
  let value = null, line = Promise.resolve(), open = 0;
  let unsaved = []; // texts that the server does not have yet: they go with the next change

  function take(answer, redraw) {
    value = answer;
    message.replaceChildren();
    onSaved(answer, redraw);
  }

  function settle(conflict, changes) {
    const again = (work) => () => { message.replaceChildren(); work(); };
    message.replaceChildren(conflictPanel(conflict, {
      mine: again(() => {
        value = { ...value, revision: conflict.revision };
        unsaved = [];
        const anew = placeAnew(changes, conflict);
        if (anew.length) step("/change", () => ({ changes: anew }), true);
        else reload();
      }),
      theirs: again(() => { unsaved = []; reload(); }),
    }));
    message.querySelector("button").focus();
  }

  /** What is sent again for a failure: texts that were typed; all else is looked at anew first. */
  function againAfter(failure, rest, body, redraw) {
    if (unsaved.length) return () => step("/change", () => ({ changes: [] }), redraw);
    return failure.status === 409 ? reload : () => step(rest, body, redraw);
  }

  /** One step after all before it; with `redraw` the page shows the entry anew. */
  function step(rest, body, redraw) {
    open += 1;
    state.textContent = "Saving…";
    line = line.then(async () => {
      const given = body();
      if (given.changes) given.changes = joinChanges(unsaved, given.changes);
      try {
        const sent = { revision: value.revision, ...given };
        // A page that is being left still sends what is short enough for browsers to do so.
        const keepalive = JSON.stringify(sent).length < MOST_KEPT_ALIVE;
        if (given.changes?.length === 0) {
          state.textContent = "";
          return;
        }
        const answer = await ask(entryUrl(word, rest), { method: "POST", body: sent, keepalive });
        if (given.changes) unsaved = [];
        take(answer, redraw);
        state.textContent = unsaved.length ? "Not saved" : open === 1 ? "Saved" : "Saving…";
      } catch (failure) {
        state.textContent = "Not saved";
        if (mayPass(failure) && given.changes?.every((one) => one.action === "set")) unsaved = given.changes;
        if (failure.conflict) settle(failure.conflict, given.changes);
        else message.replaceChildren(errorPanel(failure, { title: "This was not saved", retry: againAfter(failure, rest, body, redraw) }));
      } finally {
        open -= 1;
      }
    });
    return line;
  }

  async function reload() {
    try {
      take(await ask(entryUrl(word)), true);
    } catch (failure) {
      message.replaceChildren(errorPanel(failure, { retry: reload }));
    }
  }

  /** `changes` may be a function: it is asked when all before it are made. */
  const change = (changes, redraw = false) => step("/change", () => ({ changes: typeof changes === "function" ? changes() : changes }), redraw);
  const undo = () => step("/undo", () => ({}), true).then(() => announce("Undone"));
  const redo = () => step("/redo", () => ({}), true).then(() => announce("Done again"));
  return { element, state, change, undo, redo, reload, set: (answer) => { value = answer; }, settled: () => line };
}
