// The document around a line, in a dialog.

import { ask, makeUrl } from "./api.js";
import { button, h } from "./dom.js";
import { errorPanel, waiting } from "./status.js";

/** Text with characters start:end marked. Positions are code points, as Python counts them. */
export function markedText(text, start, end) {
  const letters = Array.from(text);
  const part = (from, to) => letters.slice(from, to).join("");
  const mark = h("mark", {}, part(start, end));
  return { mark, parts: [part(0, start), mark, part(end)] };
}

/** Open the document of a position in the corpus; closing gives the focus back. */
export async function openDocument(position) {
  const title = h("h2", {}, "Document");
  const body = h("div", { class: "document", tabindex: 0, "aria-label": "Text of the document" }, waiting("Opening the document…"));
  const dialog = h("dialog", { class: "document-dialog", "aria-label": "Document" },
    h("header", {}, title, button("Close", () => dialog.close(), { class: "quiet" })), body);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  document.body.append(dialog);
  dialog.showModal();
  try {
    const found = await ask(makeUrl("api/document", { position }));
    title.textContent = found.title || `Document ${found.document}`;
    const { mark, parts } = markedText(found.text, found.start, found.end);
    body.replaceChildren(h("p", { dir: "auto" }, ...parts));
    mark.scrollIntoView({ block: "center" });
  } catch (failure) {
    body.replaceChildren(errorPanel(failure));
  }
}
