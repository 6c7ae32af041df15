// All dictionary entries that are written, as files too.

import { h, plural } from "../dom.js";
import { entryDownloads, importForm, listEntries } from "../entry_files.js";
import { makePager } from "../pager.js";
import { makeHash, navigate } from "../router.js";
import { emptyPanel, makeLoader } from "../status.js";

const PAGE = 100;

/** Show the entries. */
export function mount(root, route) {
  let page = 1;
  const facts = h("p", { class: "soft facts" });
  const place = h("div", {});
  const remarks = h("div", {});

  const loader = makeLoader(place, "Reading the entries…", async (signal) => {
    const found = await listEntries((page - 1) * PAGE, PAGE, signal);
    if (signal.aborted) return;
    facts.textContent = `${plural(found.total, "word")} with an entry`;
    remarks.replaceChildren(...[...found.remarks, ...(found.not_kept ? [`Nothing can be written: ${found.not_kept}.`] : [])].map((text) => h("p", { class: "led-here" }, text)));
    if (!found.total) {
      place.replaceChildren(emptyPanel("No entries yet", "Look a word up and open its tab “Entry”, or import a file."));
      return;
    }
    place.replaceChildren(...[
      h("table", { class: "word-table" },
        h("thead", {}, h("tr", {}, ["word", "status", "senses", "defined"].map((label) => h("th", { scope: "col" }, label)))),
        h("tbody", {}, found.entries.map((entry) => h("tr", {},
          h("td", {}, h("a", { href: makeHash("entry", entry.word), dir: "auto" }, entry.word)), h("td", {}, entry.status),
          h("td", { class: "number" }, String(entry.n_senses)), h("td", { class: "number" }, String(entry.n_defined)))))),
      makePager(page, found.total, PAGE, (number) => navigate(makeHash("entries", "", { page: number }))),
      entryDownloads(),
    ].filter(Boolean));
  }, { keep: true });

  root.append(h("h1", { tabindex: -1 }, "Entries"), facts, remarks, place, importForm(() => loader.load()));

  function update(next) {
    page = Math.max(1, Number(next.params.get("page")) || 1);
    loader.load();
  }

  update(route);
  return { update, destroy: loader.stop };
}
