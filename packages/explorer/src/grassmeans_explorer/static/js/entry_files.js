// Entries as files: downloads in every format, and files of entries that are read back.

import { ask, send } from "./api.js";
import { button, h, plural } from "./dom.js";
import { entryFileUrl } from "./entry_saving.js";
import { makeHash } from "./router.js";
import { announce, errorPanel } from "./status.js";

const FORMATS = [["tei", "TEI Lex-0"], ["ontolex", "OntoLex"], ["lexonomy", "Lexonomy"], ["dmlex", "DMLex"], ["csv", "CSV"], ["json", "JSON"], ["html", "a page to print"]];
// By the ending, and where several formats have that, by the text.
const READ = [
  [".ttl", () => "ontolex"], [".csv", () => "csv"], [".tei", () => "tei"],
  [".xml", (text) => (/<(\w+:)?TEI\b/.test(text) ? "tei" : "lexonomy")],
  [".json", (text) => (!/"kind"\s*:\s*"grassmeans-lexicon"/.test(text) && /"(langCode|headword)"\s*:/.test(text) ? "dmlex" : "json")],
];

/** Links to the entry of a word, or to all of them. */
export function entryDownloads(word = "") {
  return h("p", { class: "downloads entry-downloads" }, h("span", {}, word ? "Download this entry" : "Download all entries"),
    FORMATS.map(([format, label]) => h("a", { href: entryFileUrl(format, word), download: "" }, label)));
}

function summary(told) {
  return [
    h("p", {}, h("b", {}, `${told.n_entries} ${told.n_entries === 1 ? "entry" : "entries"}`), `: ${told.n_new} new, ${told.n_other} in the place of what you have written, ${told.n_same} the same. `,
      told.done ? "They are imported; each can be undone on its page." : "Nothing is changed yet."),
    told.remarks.length ? h("ul", {}, told.remarks.map((remark) => h("li", {}, remark))) : null,
    told.words.length ? h("p", {}, told.words.map((one, index) => [index ? ", " : "", h("a", { href: makeHash("entry", one.word) }, one.word), ` (${one.state}${one.in_model ? "" : ", not in the model"})`])) : null,
  ].filter(Boolean);
}

/** A form that reads a file, tells what it would change, and imports it after that; `onDone()`. */
export function importForm(onDone) {
  const file = h("input", { type: "file", accept: ".json,.csv,.xml,.tei,.ttl", onchange: () => look() });
  const place = h("div", { class: "message", role: "status" });
  const fail = (failure, title) => place.replaceChildren(errorPanel(failure, { title }));

  async function look() {
    const [chosen] = file.files;
    if (!chosen) return;
    const recognise = READ.find(([ending]) => chosen.name.toLowerCase().endsWith(ending))?.[1];
    if (!recognise) {
      fail({ message: "Entries are read from .json, .csv, .xml and .ttl." }, "This file cannot be read");
      return;
    }
    const content = await chosen.text();
    const body = { format: recognise(content), content };
    try {
      const told = await send("api/entries/import/summary", body);
      const changes = told.n_new + told.n_other;
      const yes = changes ? button(`Import ${plural(changes, "change")}`, () => take({ ...body, latest: told.latest }), { class: "main" }) : null;
      place.replaceChildren(h("div", { class: "panel" }, ...summary(told),
        h("div", { class: "edit-actions" }, yes, button("Leave everything as it is", () => { place.replaceChildren(); file.value = ""; file.focus(); }, { class: "quiet" }))));
      yes?.focus();
    } catch (failure) {
      fail(failure, "This file cannot be read");
    }
  }

  async function take(body) {
    try {
      const done = await send("api/entries/import", body);
      place.replaceChildren(h("div", { class: "done" }, ...summary(done)));
      file.value = "";
      announce("Imported");
      onDone();
    } catch (failure) {
      fail(failure, "Nothing was imported");
    }
  }

  return h("section", { class: "entry-import", "aria-label": "Import entries" },
    h("label", {}, h("span", { class: "label" }, "Import entries: JSON, CSV, TEI Lex-0, Lexonomy, DMLex or OntoLex"), file), place);
}

/** A page of the entries that are written. */
export function listEntries(offset, limit, signal) {
  return ask(`api/entries?offset=${offset}&limit=${limit}`, { signal });
}
