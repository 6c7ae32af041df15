// A place in the corpus, as a page: the paragraphs of its document.

import { ask, isAbort, makeUrl } from "../api.js";
import { h } from "../dom.js";
import { aboutDocument, documentText } from "../document_dialog.js";
import { announce, errorPanel, waiting } from "../status.js";

/** Show the document around a position. */
export function mount(root, route) {
  const controller = new AbortController();
  const title = h("h1", { dir: "auto", tabindex: -1 }, "Document");
  const about = h("p", { class: "soft facts" });
  const place = h("div", { class: "document-page" }, waiting("Opening the document…"));
  root.append(h("div", { class: "word-heading" }, title, about), place);

  async function load() {
    try {
      const found = await ask(makeUrl("api/document", { position: route.word }), { signal: controller.signal });
      title.textContent = found.title || `Document ${found.document}`;
      about.textContent = aboutDocument(found);
      const { mark, parts } = documentText(found);
      place.replaceChildren(...parts.filter(Boolean));
      mark.scrollIntoView({ block: "center" });
      announce(title.textContent);
    } catch (failure) {
      if (!isAbort(failure)) place.replaceChildren(errorPanel(failure));
    }
  }

  load();
  return { update: () => {}, destroy: () => controller.abort() };
}
