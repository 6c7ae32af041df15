// Corrections by hand: merge, split, rename, hide; and saving them as a new version of the model.

import { ask, send } from "./api.js";
import { correctionHistory, listNumbers } from "./correction_history.js";
import { button, h, plural } from "./dom.js";
import { makeHash } from "./router.js";
import { announce, errorPanel } from "./status.js";

const MOST_WORDS = 12;

/** Links to the words of some corrections, where each of them can be undone. */
export function wordLinks(words) {
  const more = words.length > MOST_WORDS ? ` and ${words.length - MOST_WORDS} more` : "";
  return [...words.slice(0, MOST_WORDS).flatMap((word, index) => [
    index ? ", " : "", h("a", { href: makeHash("word", word, { edit: true }) }, word)]), more];
}

function command(label, text) {
  const copied = h("span", { class: "soft", role: "status" });
  return h("div", { class: "command" }, h("span", { class: "label" }, label), " ", h("code", {}, text),
    button("Copy", async () => {
      try {
        await navigator.clipboard.writeText(text);
        copied.textContent = "copied";
      } catch {
        copied.textContent = "select it and copy it by hand";
      }
    }, { class: "small" }), copied);
}

/** The other words that a version would have corrections of; `keeping` tells whether they are kept. */
function otherWords(word, keeping) {
  const place = h("p", { class: "soft" });
  ask("api/corrections").then(({ edits, kept, not_kept: reason }) => {
    if (kept) place.append("They are kept on this computer until then, also when the explorer is stopped. ");
    else keeping.textContent = `Corrections are not kept when the explorer is stopped (${reason}): save them before.`;
    const words = [...new Set(edits.map((edit) => edit.word))].filter((other) => other !== word);
    if (!words.length) return;
    place.append("A version has the corrections of other words too: ", ...wordLinks(words), ".");
  }).catch(() => {}); // the bar says all that is needed without it
  return place;
}

/** Which corrections a version does not have, as it was made from the same model as others. */
function descent({ saved_to: name, made_from: parent, lacks_corrections_of: others, merge_command: merge }) {
  if (!others.length) return [];
  return [h("p", { class: "lacks" }, `${name} was made from ${parent}. It does not have the corrections of ${others.join(", ")}.`),
    command(`Merge it with ${others[0]}`, merge)];
}

/** Where a version went, and what to type to use it. */
export function savedPanel(answer) {
  return h("div", { class: "done" },
    h("p", {}, "Saved as ", h("b", {}, answer.saved_to), ` with ${plural(answer.n_words, "edited word")}. `, "Paste this into a terminal:"),
    command("Tag a line with it", answer.tag_command),
    command("Go on from here another time", answer.explore_command),
    (answer.remarks ?? []).map((remark) => h("p", {}, remark)),
    descent(answer));
}

/**
 * Tools for a card and a bar for the whole word. `value()` is the word on the page,
 * `onChange(value, number)` gets its new senses, `onSaved(name)` the version that has them,
 * `reload()` fetches them.
 */
export function makeCorrections(word, { value, hasCorpus, onChange, onSaved, reload }) {
  const chosen = new Set();
  const message = h("div", { class: "message", role: "status" });
  const saveName = h("input", {
    type: "text", placeholder: "a name, or leave it empty", "aria-label": "Name of the new version", maxlength: 60,
  });
  let busy = false;

  async function attempt(work) {
    if (busy) return;
    busy = true;
    message.replaceChildren(h("span", {}, "Working…"));
    try {
      await work();
    } catch (failure) {
      message.replaceChildren(errorPanel(failure, {
        title: "Nothing was changed",
        retry: failure.code === "stale" ? reload : null,
      }));
    } finally {
      busy = false;
    }
  }

  function correct(action, senses, said, name) {
    return attempt(async () => {
      const body = { word, action, senses, revision: value().revision };
      if (name !== undefined) body.name = name;
      const changed = await send("api/corrections", body);
      chosen.clear();
      message.replaceChildren(h("span", {}, changed.edited ? `${said} Not saved yet.` : said));
      announce(said);
      onChange(changed, senses[0] ?? 1);
    });
  }

  function save() {
    return attempt(async () => {
      const name = saveName.value.trim();
      const answer = await send("api/corrections/save", name ? { name } : {});
      message.replaceChildren(savedPanel(answer));
      onSaved(answer.saved_to);
      announce(`Saved as ${answer.saved_to}`);
    });
  }

  function renameForm(sense, holder) {
    const input = h("input", { type: "text", value: sense.name || "", "aria-label": `New name of sense ${sense.number}`, maxlength: 80 });
    const form = h("form", {
      class: "rename",
      onsubmit: (event) => {
        event.preventDefault();
        if (input.value.trim()) correct("rename", [sense.number], `Sense ${sense.number} has a new name.`, input.value.trim());
      },
      onkeydown: (event) => { if (event.key === "Escape") holder.replaceChildren(...toolsOf(sense, holder)); },
    }, input, h("button", { type: "submit" }, "Rename"));
    holder.replaceChildren(form);
    input.select();
  }

  function toolsOf(sense, holder) {
    const { number } = sense;
    const box = h("input", {
      type: "checkbox", checked: chosen.has(number),
      onchange: () => { if (box.checked) chosen.add(number); else chosen.delete(number); showChosen(); },
    });
    return [
      button("Rename", () => renameForm(sense, holder), { class: "small" }),
      hasCorpus ? h("a", { class: "tool-link", href: makeHash("concordance", word, { sense: number }) }, "Reassign lines") : null,
      button("Split", () => correct("split", [number], `Sense ${number} is split.`),
        { class: "small", disabled: !hasCorpus, title: hasCorpus ? null : "Needs a corpus" }),
      sense.hidden
        ? button("Show again", () => correct("unhide", [number], `Sense ${number} is shown again.`), { class: "small" })
        : button("Hide", () => correct("hide", [number], `Sense ${number} is hidden.`), { class: "small" }),
      h("label", { class: "merge-choice" }, box, "merge"),
    ].filter(Boolean);
  }

  /** The tools of one sense. */
  function tools(sense) {
    const holder = h("div", { class: "tools", role: "group", "aria-label": `Correct sense ${sense.number}` });
    holder.append(...toolsOf(sense, holder));
    return holder;
  }

  const mergeButton = button("", () => {
    const senses = [...chosen].sort((a, b) => a - b);
    correct("merge", senses, `Senses ${listNumbers(senses)} are one now.`);
  }, { class: "merge-chosen" });

  function showChosen() {
    mergeButton.disabled = chosen.size < 2;
    mergeButton.textContent = chosen.size < 2 ? "Merge the chosen senses" : `Merge the ${chosen.size} chosen senses`;
  }

  /** The bar above the cards, which stays at hand while these are scrolled; `finish` is the button that closes it. */
  function bar(finish = null) {
    showChosen();
    const keeping = h("p", { class: "soft keeping" });
    return h("section", { class: "panel edit-bar", "aria-label": "Corrections" },
      h("div", { class: "edit-rows" },
        value().senses.length > 1 ? mergeButton : null, correctionHistory(value(), correct),
        h("form", { class: "save", onsubmit: (event) => { event.preventDefault(); save(); } },
          h("label", {}, "Save as ", saveName), h("button", { type: "submit", class: "main" }, "Save as a new version")),
        h("details", { class: "about-saving" }, h("summary", {}, "What becomes of corrections"),
          h("p", {}, "Your corrections are collected here until you save them as a new version. The model itself is never changed."),
          otherWords(value().word, keeping)),
        finish),
      message, keeping);
  }

  return { tools, bar };
}
