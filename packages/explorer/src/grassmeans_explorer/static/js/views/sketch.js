// The word sketch: collocates by relation, a column for each sense; or what tells two apart.

import { ask, makeUrl } from "../api.js";
import { senseColour } from "../colours.js";
import { formatCount, h } from "../dom.js";
import { downloadLinks } from "../downloads.js";
import { openDocument } from "../document_dialog.js";
import { NO_CORPUS, nothingToAsk } from "../query_tabs.js";
import { makeHash, navigate } from "../router.js";
import { senseBadge } from "../sense_card.js";
import { spanTable } from "../span_table.js";
import { emptyPanel, makeLoader } from "../status.js";
import { wordHeading } from "../word_heading.js";

const PLACES = { left: { reach: 1, side: "left" }, right: { reach: 1, side: "right" }, within: { reach: 5 } };
const NAMES = ["fewest", "whole", "position", "pair", "other", "relation", "collocate", "pos", "of"];

/** Show the sketch of a word. */
export function mount(root, route, app) {
  const { word } = route;
  const heading = wordHeading(word, "sketch");
  root.append(heading.element);
  if (!app.health.has_corpus) return nothingToAsk(root, "Word sketches need a corpus", NO_CORPUS);
  let values = {};
  const go = (changed) => navigate(makeHash("sketch", word, { ...values, relation: "", collocate: "", pos: "", of: "", ...changed }));
  const fewest = h("input", { type: "number", min: 1, max: 1000000, onchange: () => go({ fewest: fewest.value === "3" ? "" : fewest.value }) });
  const whole = h("input", { type: "checkbox", onchange: () => go({ whole: whole.checked }) });
  const position = h("input", { type: "checkbox", onchange: () => go({ position: position.checked }) });
  const pair = h("select", { onchange: () => go({ pair: pair.value, other: "" }) });
  const other = h("input", { type: "search", maxlength: 200, autocapitalize: "off", spellcheck: "false", onchange: () => go({ other: other.value.trim(), pair: "" }) });
  const place = h("div", {}), lines = h("div", { class: "sketch-lines" });
  root.append(h("form", { class: "filters", "aria-label": "Sketch", onsubmit: (event) => event.preventDefault() },
    h("label", {}, "At least so often", fewest), h("label", {}, "Compare two senses", pair), h("label", {}, "or with the word", other),
    h("label", { class: "check" }, whole, "all senses together"),
    app.health.has_grammar ? h("label", { class: "check" }, position, "by position, without grammar") : null), lines, place);
  const settings = () => ({ word, fewest: values.fewest, by_position: values.position === "1", by_sense: values.whole === "1" ? "false" : "" });
  const compares = () => Boolean(values.pair || values.other);
  const address = (extra = {}) => (compares()
    ? makeUrl("api/sketch/difference", { ...settings(), other: values.other, sense: values.pair.split("-")[0], other_sense: values.pair.split("-")[1], ...extra })
    : makeUrl("api/sketch", { ...settings(), ...extra }));

  /** The lines of a collocate: the concordance's near it, or those in which the grammar has the relation. */
  function linkTo(target, relation, row, sense) {
    if (PLACES[relation]) return makeHash("concordance", target, { sense, q: `"${row.word}"`, ...PLACES[relation] });
    return makeHash("sketch", target, { ...(target === word ? values : {}), relation, collocate: row.word, pos: row.pos, of: sense ?? "" });
  }

  const wordCell = (target, relation, row, sense) => h("th", { scope: "row" }, h("a", { href: linkTo(target, relation, row, sense), dir: "auto", title: "Read these lines" }, row.word), row.pos ? h("small", { class: "soft" }, ` ${row.pos}`) : null);

  function column(group) {
    const label = group.sense === null ? "all senses" : group.name || `sense ${group.sense}`;
    return h("section", { class: "compared-column", "--sense": senseColour(group.sense ?? 0) },
      h("h2", {}, group.sense === null ? null : senseBadge(group.sense), " ", label), h("p", { class: "soft" }, `${formatCount(group.n_lines)} lines`),
      group.relations.filter((one) => one.collocates.length).map((relation) => h("table", { class: "sketch-table" },
        h("caption", {}, `${relation.name} (${formatCount(relation.count)})`),
        h("thead", {}, h("tr", {}, ["word", "times", "logDice"].map((name) => h("th", { scope: "col" }, name)))),
        h("tbody", {}, relation.collocates.map((row) => h("tr", {}, wordCell(group.word, relation.name, row, group.sense),
          h("td", { class: "number" }, formatCount(row.count)), h("td", { class: "number" }, row.log_dice.toFixed(2))))))));
  }

  function differences(answer) {
    const senses = values.pair.split("-");
    const dice = (value) => (value === null ? "–" : value.toFixed(2));
    const head = ["relation", "word", `times: ${answer.first}`, `times: ${answer.second}`, `logDice: ${answer.first}`, `logDice: ${answer.second}`, "difference"];
    return h("div", { class: "scroll-wide", tabindex: 0, role: "region", "aria-label": "Differences" }, h("table", { class: "sketch-difference" },
      h("thead", {}, h("tr", {}, head.map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, answer.compared.map((row) => h("tr", {}, h("td", {}, row.relation),
        wordCell(values.other && row.difference < 0 ? answer.second : word, row.relation, row, values.pair ? senses[row.difference > 0 ? 0 : 1] : null),
        [formatCount(row.first), formatCount(row.second), dice(row.first_log_dice), dice(row.second_log_dice), row.difference.toFixed(2)].map((value) => h("td", { class: "number" }, value)))))));
  }

  async function showLines(signal) {
    lines.replaceChildren();
    if (!values.relation) return;
    const answer = await ask(makeUrl("api/sketch/lines", { word, relation: values.relation, collocate: values.collocate, pos: values.pos, sense: values.of }), { signal });
    lines.replaceChildren(h("h2", {}, `${values.relation}: ${values.collocate}`), h("p", { class: "soft" }, `${formatCount(answer.total)} lines`), spanTable(answer.lines, { onOpen: openDocument }));
  }

  function showPairs(senses) {
    const shown = senses.filter((one) => !one.hidden).map((one) => one.number);
    const pairs = shown.flatMap((a) => shown.filter((b) => b > a).map((b) => `${a}-${b}`));
    pair.replaceChildren(h("option", { value: "" }, "…"), ...pairs.map((value) => h("option", { value }, value.replace("-", " and "))));
    pair.value = values.pair;
  }

  const loader = makeLoader(place, "Reading the corpus…", async (signal) => {
    const known = await app.word(word, "", { signal, onProgress: () => {} }).catch(() => ({ senses: [] }));
    showPairs(known.senses);
    await showLines(signal);
    const answer = await ask(address(), { signal });
    const shown = compares() ? differences(answer) : h("div", { class: "sketch-columns" }, answer.sketch.groups.map(column));
    if (!compares()) heading.facts.textContent = `${formatCount(answer.sketch.n_looked_at)} of ${formatCount(answer.sketch.n_lines)} lines, ${answer.has_grammar ? "by grammatical relation" : "by position"}`;
    const empty = compares() ? !answer.compared.length : answer.sketch.groups.every((group) => group.relations.every((one) => !one.collocates.length));
    place.replaceChildren(empty ? emptyPanel("No collocates", "Fewer times may show some.") : shown, downloadLinks(`${word}-sketch`, address));
  }, { keep: true });

  function update(next) {
    values = Object.fromEntries(NAMES.map((name) => [name, next.params.get(name) ?? ""]));
    [fewest.value, other.value, whole.checked, position.checked] = [values.fewest || "3", values.other, values.whole === "1", values.position === "1"];
    loader.load();
  }

  update(route);
  return { update, destroy: loader.stop };
}
