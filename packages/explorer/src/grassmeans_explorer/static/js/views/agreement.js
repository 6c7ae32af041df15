// An annotation as the one sees it who runs it: progress, agreement, differences, and its results.

import { ADJUDICATOR, accessPanel, askAs, projectUrl, sendAs } from "../annotation_access.js";
import { savedPanel } from "../corrections.js";
import { button, formatCount, h, plural } from "../dom.js";
import { saveFile } from "../downloads.js";
import { makeHash } from "../router.js";
import { announce, errorPanel, waiting } from "../status.js";

const MOST_SHOWN = 100;
const NEAR = 40;
const number = (value) => (value === null ? "–" : value.toFixed(3));

// The nearest words on either side, none cut in two.
const before = (text) => (text.length > NEAR ? text.slice(-NEAR).replace(/^\S*\s/, "") : text);
const after = (text) => (text.length > NEAR ? text.slice(0, NEAR).replace(/\s\S*$/, "") : text);

function table(heads, rows, label) {
  return h("div", { class: "scroll-wide", role: "region", "aria-label": label, tabindex: 0 }, h("table", {},
    h("thead", {}, h("tr", {}, heads.map((head) => h("th", { scope: "col" }, head)))),
    h("tbody", {}, rows.map((cells) => h("tr", {}, cells.map((cell) => h("td", {}, cell)))))));
}

function differencesOf(project, found, unfinished) {
  const names = new Map(found.labels.map(({ label, name }) => [label, name]));
  return table(["Line", "Judgments", "In the end"], found.items.map((one, index) => [
    h("a", { href: makeHash("adjudicate", project, { place: String(index), unfinished }) }, one.uses.map((use) => `…${before(use.left)}${use.word}${after(use.right)}…`).join(" / ")),
    one.judgments.map((own) => `${own.annotator}: ${names.get(own.label)}`).join(", "),
    one.label ? `${names.get(one.label)} (${one.how})` : one.how,
  ]), "Items on which people differ");
}

/** Show how far an annotation is. */
export function mount(root, route) {
  const project = route.word;
  let unfinished = false;
  const place = h("div", {}, waiting("Opening the annotation…"));
  const message = h("div", { class: "message", role: "status" });
  root.append(h("h1", { tabindex: -1 }, project), place, message);
  const ask = (rest, values, options) => askAs(project, ADJUDICATOR, projectUrl(project, rest, values), options);

  async function attempt(work) {
    try {
      await work();
    } catch (failure) {
      message.replaceChildren(errorPanel(failure));
    }
  }

  const refit = (name) => attempt(async () => {
    message.replaceChildren(waiting("Giving the lines to their senses…"));
    const answer = await sendAs(project, ADJUDICATOR, projectUrl(project, "refit"), name ? { name } : {});
    message.replaceChildren(savedPanel(answer.version),
      h("p", {}, `${plural(answer.n_lines, "line")} given to their senses, ${plural(answer.n_open, "item")} not decided.`),
      h("ul", {}, answer.refused.map((line) => h("li", {}, line))));
    announce(`Saved as ${answer.version.saved_to}`);
  });
  const save = () => attempt(async () => {
    saveFile(`${project}.zip`, "application/zip", await ask("export", {}, { as: "blob" }));
  });

  function results(progress) {
    const name = h("input", { type: "text", maxlength: 64, placeholder: "a name, or leave it empty" });
    return h("section", {}, h("h2", {}, "Results"),
      progress.can_refit ? h("form", { class: "save", onsubmit: (event) => { event.preventDefault(); refit(name.value.trim()); } },
        h("label", {}, "Save as ", name), h("button", { type: "submit", class: "main" }, "Give the decided lines to their senses"))
        : h("p", { class: "soft" }, `The senses cannot be fitted: ${progress.cannot_refit}.`),
      h("p", {}, button("Download the tables (DURel)", save)));
  }

  function draw(progress, found) {
    const box = h("input", { type: "checkbox", checked: unfinished, onchange: () => { unfinished = box.checked; load(); } });
    place.replaceChildren(
      h("p", { class: "soft facts" }, `${progress.words.join(", ")} · ${plural(progress.n_items, "item")} · ` + progress.decisions.filter((one) => one.count).map((one) => `${formatCount(one.count)} ${one.how}`).join(", ")),
      h("section", {}, h("h2", {}, "Who has judged"),
        h("ul", { class: "people" }, progress.annotators.map((one) => h("li", {}, h("b", {}, one.name), ` ${one.n_judged} of ${progress.n_items} `,
          h("progress", { max: progress.n_items, value: one.n_judged, "aria-label": `Judged by ${one.name}` }))))),
      h("section", {}, h("h2", {}, "Agreement"),
        h("p", {}, "Krippendorff’s alpha ", h("b", { class: "alpha" }, number(progress.alpha_nominal)),
          progress.alpha_ordinal === null ? "" : `, of ranks ${number(progress.alpha_ordinal)}`, `, of ${plural(progress.n_shared, "item")} with two judgments or more. 1 is agreement in everything, 0 that of chance.`),
        table(["First", "Second", "Items", "The same", "Cohen’s kappa", "Alpha"], progress.pairs.map((pair) => [pair.first, pair.second, String(pair.n_items), number(pair.agreed), number(pair.kappa), number(pair.alpha)]), "Agreement by pairs"),
        table(["Label", "Given", "Alpha of this or another"], progress.by_label.map((one) => [one.name, String(one.count), number(one.alpha)]), "Agreement by labels")),
      h("section", {}, h("h2", {}, "Differences"),
        h("p", {}, `${plural(found.total, "item")}, ${formatCount(found.n_left)} not decided by adjudication. `,
          found.total ? h("a", { href: makeHash("adjudicate", project, { place: String(found.next_left ?? 0), unfinished }) }, "Decide them one by one") : ""),
        h("p", {}, h("label", {}, box, " also items that not everybody has judged")),
        found.items.length < found.total ? h("p", { class: "soft" }, `These are the first ${found.items.length}.`) : null,
        found.items.length ? differencesOf(project, found, unfinished) : null),
      results(progress));
  }

  async function load() {
    try {
      const [progress, found] = await Promise.all([ask("progress"), ask("differences", { unfinished, limit: MOST_SHOWN })]);
      draw(progress, found);
      announce(`${project}: agreement`);
    } catch (failure) {
      place.replaceChildren(accessPanel(failure, project, ADJUDICATOR, load));
    }
  }

  load();
  return { update: load, destroy: () => {} };
}
