// One item to be judged: its texts, the labels, a comment. Everything goes by keys:
// a digit or a letter for a label, the arrows back and forth, C for the comment.

import { button, h } from "./dom.js";

const LETTERS = { new: "n" };

/** The key of each label: the label itself where it is a digit, else the next digit that is free. */
export function keysOf(labels) {
  const taken = new Set(labels.map(({ label }) => label));
  const free = [..."123456789"].filter((digit) => !taken.has(digit));
  return new Map(labels.map(({ label }) => [label, /^\d$/.test(label) ? label : LETTERS[label] ?? free.shift() ?? ""]));
}

/** The text of a use: its sentence, with the word marked, and what stands around it. */
export function useText(use) {
  const about = [use.date, use.grouping, use.description].filter(Boolean).join(" · ");
  return h("div", { class: "use panel" },
    h("p", { dir: "auto" }, h("span", { class: "around" }, use.before), use.left, h("mark", {}, use.word), use.right, h("span", { class: "around" }, use.after)),
    about ? h("p", { class: "soft" }, about) : null);
}

/**
 * The panel. `onJudge(label, comment)` writes a judgment and shows what is next, `onStep(by)` goes
 * back and forth, `draftOf(item)` names where a comment is kept that is not sent yet.
 */
export function makeJudging({ onJudge, onStep, draftOf }) {
  const texts = h("div", { class: "uses" });
  const choices = h("div", { class: "labels", role: "group", "aria-label": "Judgments" });
  const comment = h("textarea", { rows: 2, maxlength: 2000, oninput: () => sessionStorage.setItem(draftOf(shown.item), comment.value) });
  const save = button("Save the comment", () => judge(shown.label), { class: "small" });
  const back = button("← Back", () => onStep(-1), { class: "quiet" });
  const on = button("On →", () => onStep(1), { class: "quiet" });
  const element = h("section", { class: "judging", tabindex: -1, "aria-label": "Item" }, texts, choices,
    h("label", { class: "comment" }, "Comment (C; Escape leaves it)", comment),
    h("div", { class: "form-actions" }, back, on, save));
  let shown = null, keys = new Map(), busy = false;

  async function judge(label) {
    if (busy) return;
    busy = true;
    element.setAttribute("aria-busy", "true");
    try {
      const { item } = shown;
      if (await onJudge(label, comment.value.trim())) sessionStorage.removeItem(draftOf(item));
    } finally {
      busy = false;
      element.removeAttribute("aria-busy");
    }
  }

  /** Show an item: {item, uses, labels, label, comment, first, last}. */
  function show(next) {
    shown = next;
    keys = keysOf(next.labels);
    texts.replaceChildren(...next.uses.map(useText));
    choices.replaceChildren(...next.labels.map(({ label, name }) => button([h("kbd", {}, (keys.get(label) || "").toUpperCase()), ` ${name}`],
      () => judge(label), { class: "label-choice", "data-label": label, "aria-pressed": String(label === next.label) })));
    comment.value = sessionStorage.getItem(draftOf(next.item)) ?? next.comment;
    save.hidden = !next.label;
    back.disabled = next.first;
    on.disabled = next.last;
    element.focus({ preventScroll: true });
  }

  function onKey(event) {
    const inField = event.target.matches?.("input, textarea, select");
    if (event.target === comment && event.key === "Escape") return element.focus();
    const elsewhere = event.target !== document.body && !element.contains(event.target);
    if (!shown || !element.isConnected || inField || elsewhere || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return undefined;
    const key = event.key.toLowerCase();
    const label = [...keys].find(([, own]) => own && own === key)?.[0];
    if (label !== undefined) judge(label);
    else if (key === "arrowleft" && !shown.first) onStep(-1);
    else if (key === "arrowright" && !shown.last) onStep(1);
    else if (key === "c") comment.focus();
    else return undefined;
    return event.preventDefault();
  }

  document.addEventListener("keydown", onKey);
  return { element, show, stop: () => document.removeEventListener("keydown", onKey) };
}
