// Lines that become examples of an entry ("keep"), or are never shown there.

import { send } from "./api.js";
import { button, h } from "./dom.js";
import { entryUrl } from "./entry_saving.js";
import { makeHash } from "./router.js";
import { announce, errorPanel } from "./status.js";

/** {element, tools(line)}: two buttons for a line of a known sense, and what was done with the last one. */
export function makeKeeping(word, app) {
  const element = h("div", { class: "kept-lines", role: "status" });

  async function decide(line, decision, own) {
    const position = app.health.has_corpus ? line.position ?? null : null;
    const { sense, left, word: form, right } = line;
    try {
      const done = await send(entryUrl(word, "/examples"), { sense, decision, position, left, word: form, right, document: line.document ?? "" });
      for (const [name, each] of Object.entries(own)) each.setAttribute("aria-pressed", String(name === decision));
      const said = decision === "keep" ? `The line is an example of ${done.key} now. ` : `The line is never an example of ${done.key}. `;
      element.replaceChildren(h("p", { class: "done" }, said,
        button("Undo", () => takeBack(done.revision, own), { class: "small" }), " ", h("a", { href: makeHash("entry", word) }, "Open the entry")));
      announce(said);
    } catch (failure) {
      element.replaceChildren(errorPanel(failure, { title: "The line was not kept" }));
    }
  }

  async function takeBack(revision, own) {
    try {
      await send(entryUrl(word, "/undo"), { revision });
      for (const each of Object.values(own)) each.setAttribute("aria-pressed", "false");
      element.replaceChildren(h("p", { class: "done" }, "The entry is as before."));
    } catch (failure) {
      element.replaceChildren(errorPanel(failure, { title: "It was not undone" }));
    }
  }

  function tools(line) {
    if (!(line.sense > 0)) return null;
    const own = {};
    for (const [decision, label, title] of [["keep", "Keep", "An example for the entry"], ["never", "Never", "Not an example for the entry"]]) {
      own[decision] = button(label, () => decide(line, decision, own), { class: "small keep-line", "aria-pressed": "false", title });
    }
    return h("span", { class: "entry-tools" }, own.keep, own.never);
  }

  return { element, tools };
}
