// The document around a line: in a dialog, or as a page of its own (views/document.js).

import { ask, makeUrl } from "./api.js";
import { button, h } from "./dom.js";
import { makeHash } from "./router.js";
import { errorPanel, waiting } from "./status.js";

/** Text with characters start:end marked, in its paragraphs. Positions are code points, as Python counts them. */
export function markedText(text, start, end) {
  const letters = Array.from(text);
  const part = (from, to) => letters.slice(from, to).join("");
  const mark = h("mark", {}, part(start, end));
  const before = part(0, start).split(/\n+/), after = part(end).split(/\n+/);
  const paragraphs = [
    ...before.slice(0, -1).map((line) => [line]),
    [before.at(-1), mark, after[0]],
    ...after.slice(1).map((line) => [line]),
  ].filter((parts) => parts.length > 1 || parts[0].trim());
  return { mark, paragraphs: paragraphs.map((parts) => h("p", { dir: "auto" }, ...parts)) };
}

/** What is known of a document besides its text. */
export function aboutDocument(found) {
  return Object.entries(found.fields ?? {}).map(([name, value]) => `${name}: ${value}`).join(" · ");
}

/** The text of a document with its place marked: {mark, parts}. */
export function documentText(found) {
  const { mark, paragraphs } = markedText(found.text, found.start, found.end);
  const more = (position, label) => (position === null || position === undefined ? null
    : h("p", { class: "soft" }, h("a", { href: makeHash("document", String(position)) }, label)));
  return { mark, parts: [more(found.earlier, "… earlier in this document"), ...paragraphs, more(found.later, "later in this document …")] };
}

/** Open the document of a position in the corpus; closing gives the focus back. {close} */
export function openDocument(position, { onClose = null } = {}) {
  const title = h("h2", {}, "Document");
  const about = h("p", { class: "soft" });
  const body = h("div", { class: "document", tabindex: 0, role: "region", "aria-label": "Text of the document" }, waiting("Opening the document…"));
  const dialog = h("dialog", { class: "document-dialog", "aria-label": "Document" },
    h("header", {}, h("div", {}, title, about),
      h("a", { href: makeHash("document", String(position)), onclick: () => dialog.close() }, "As a page"),
      button("Close", () => dialog.close(), { class: "quiet" })), body);
  let closed = false;
  dialog.addEventListener("close", () => {
    if (closed) return;
    closed = true;
    dialog.remove();
    onClose?.();
  });
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  document.body.append(dialog);
  dialog.showModal();

  async function load() {
    try {
      const found = await ask(makeUrl("api/document", { position }));
      title.textContent = found.title || `Document ${found.document}`;
      about.textContent = aboutDocument(found);
      const { mark, parts } = documentText(found);
      body.replaceChildren(...parts.filter(Boolean));
      for (const link of body.querySelectorAll("a")) link.addEventListener("click", () => dialog.close());
      mark.scrollIntoView({ block: "center" });
    } catch (failure) {
      body.replaceChildren(errorPanel(failure));
    }
  }

  load();
  return { close: () => dialog.close() };
}
