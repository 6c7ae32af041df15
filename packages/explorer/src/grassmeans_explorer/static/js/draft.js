// Corrections of an earlier visit: told above every page until they are saved or discarded.

import { ask, send } from "./api.js";
import { savedPanel, wordLinks } from "./corrections.js";
import { button, h, plural } from "./dom.js";
import { announce, errorPanel } from "./status.js";

/** Fill `place` where a draft was found; it is empty otherwise. */
export async function showDraft(place) {
  const { edits, n_found: found } = await ask("api/corrections");
  if (!found || !edits.length) {
    place.replaceChildren();
    return;
  }
  const message = h("div", { class: "message", role: "status" });
  const actions = h("div", { class: "edit-actions" });

  async function attempt(work) {
    try {
      await work();
    } catch (failure) {
      message.replaceChildren(errorPanel(failure, { title: "Nothing was changed", retry: () => showDraft(place) }));
    }
  }

  const save = () => attempt(async () => {
    const answer = await send("api/corrections/save", {});
    announce(`Saved as ${answer.saved_to}`);
    place.replaceChildren(h("section", { class: "panel draft", "aria-label": "Saved corrections" }, savedPanel(answer),
      button("Close", () => place.replaceChildren(), { class: "quiet" })));
  });
  const discard = () => attempt(async () => {
    await send("api/corrections/discard", { n_corrections: edits.length });
    location.reload();
  });
  const offer = () => actions.replaceChildren(
    button("Save as a new version", save, { class: "main" }),
    button("Discard…", confirm, { class: "quiet" }));
  function confirm() {
    const yes = button(`Discard ${plural(edits.length, "correction")}`, discard);
    actions.replaceChildren(h("span", {}, "The senses will be as in the model again. "), yes, button("Keep them", offer, { class: "quiet" }));
    yes.focus();
  }

  offer();
  place.replaceChildren(h("section", { class: "panel draft", "aria-label": "Corrections from an earlier visit" },
    h("p", {}, h("b", {}, `${plural(found, "correction")} from an earlier visit`), ": ",
      wordLinks([...new Set(edits.map((edit) => edit.word))]), ". They are in the senses that you see, and can be undone there; no version has them yet."),
    actions, message));
}
