// Lines of the corpus around a word, coloured by sense.

import { ask, makeUrl } from "../api.js";
import { filterQuery, makeFilters, readFilters } from "../concordance_filters.js";
import { openDocument } from "../document_dialog.js";
import { button, formatCount, h, plural } from "../dom.js";
import { downloadLinks } from "../downloads.js";
import { makeKeeping } from "../entry_lines.js";
import { makeFrequency } from "../frequency.js";
import { kwicTable, lineTools } from "../kwic_table.js";
import { makeLineSelection } from "../line_selection.js";
import { makePager } from "../pager.js";
import { makeHash, navigate, parseRoute, replaceHash } from "../router.js";
import { readSample, sampleLinks } from "../sample_links.js";
import { senseBadge, senseName } from "../sense_card.js";
import { announce, emptyPanel, makeLoader, showDividing } from "../status.js";
import { wordHeading } from "../word_heading.js";

const PAGE = 50;
const MOST_FORMS = 12;

/** Show the concordance of a word. */
export function mount(root, route, app) {
  const { word } = route;
  let values = {}, page = 1, k = "", per = "", sample = {}, shown = null, opened = null;
  const hasCorpus = app.health.has_corpus;
  const heading = wordHeading(word, "concordance");
  const filters = makeFilters((changed) => navigate(hashFor(changed)), app.health.fields);
  const legend = h("p", { class: "legend" });
  const place = h("div", { class: "lines" });
  const selection = makeLineSelection(word, app, () => loader.load());
  const keeping = makeKeeping(word, app);
  const frequency = makeFrequency(app.health.fields, (chosen) => navigate(hashFor(values, { per: chosen, page })));
  const files = h("div", { class: "line-files" });
  root.append(heading.element,
    h("p", { class: "guide" }, hasCorpus
      ? "Every occurrence in the corpus, with the sense that its context is nearest to. Confidence: the probability that this is right, from 0 to 1. Click a line to read its document, the head of a column to sort by it."
      : "These are the example lines of the model: those of this word, and those of others in which it stands. To see every occurrence, start with a corpus: grassmeans explore MODEL --corpus CORPUS"),
    filters.element, lineTools(files, hasCorpus ? frequency.element : null), legend, selection.element, keeping.element, place);

  const hashFor = (changed, more = {}) => makeHash("concordance", word,
    { ...changed, k, per, ...sample, ...more, page: more.page > 1 ? more.page : "" });

  function query(path, extra = {}) {
    return makeUrl(path, { word, senses: k, ...filterQuery(values), ...extra });
  }

  function tellFacts(answer) {
    const looked = answer.measured ? `, from a random sample of ${formatCount(answer.measured)} of ${formatCount(answer.occurrences)} occurrences` : "";
    const forms = answer.forms?.length ? `; with ${answer.forms.slice(0, MOST_FORMS).join(", ")}${answer.forms.length > MOST_FORMS ? ` and ${answer.forms.length - MOST_FORMS} more words` : ""}` : "";
    heading.facts.textContent = plural(answer.total, "line") + looked + forms;
  }

  /** What is said above a sample of the lines that the filters leave. */
  function sampleNote(answer) {
    const others = () => navigate(hashFor(values, { draw: String((Number(sample.draw) || 0) + 1) }));
    const share = sample.stratified ? ", the same share of every sense where there are so many" : "";
    return h("p", { class: "sample-note" }, `${formatCount(answer.lines.length)} of these lines at random${share}. `,
      button("Others", others, { class: "small" }), " ", h("a", { href: hashFor(values, { take: "", stratified: "", draw: "" }) }, "Show all"));
  }

  function draw(answer, senses) {
    tellFacts(answer);
    filters.tellSample(answer.measured);
    legend.replaceChildren(...(senses.length ? [...senses.filter((sense) => !sense.hidden).map((sense) =>
      h("span", { class: "legend-item" }, senseBadge(sense.number, sense.colour), " ", senseName(sense))),
    h("span", { class: "legend-item" }, senseBadge(0), " don’t know")]
      : [h("span", {}, "This word is not in the model, so its lines have no senses. ",
        h("a", { href: makeHash("word", word, { k: "auto" }) }, "Look for its senses in the corpus"), ".")]));
    files.replaceChildren();
    if (!answer.lines.length) {
      place.replaceChildren(emptyPanel("No line matches", "Take a filter away, or ",
        h("a", { href: makeHash("concordance", word, { k }) }, "show all lines"), "."));
      return;
    }
    const lines = (extra) => query("api/concordance", { width: values.width, ...extra });
    place.replaceChildren(...[
      sample.take ? sampleNote(answer) : null,
      kwicTable(answer.lines, {
        names: new Map(senses.map((sense) => [sense.number, senseName(sense)])),
        fields: app.health.fields, sort: values.sort, isWide: Boolean(values.width), selection, keeping: senses.length && !k ? keeping : null,
        onOpen: hasCorpus ? (position) => navigate(hashFor(values, { page, doc: position })) : null,
        onSort: (sort) => navigate(hashFor({ ...values, sort: sort === "position" ? "" : sort })),
      }),
      sample.take ? null : makePager(page, answer.total, PAGE, (number) => { navigate(hashFor(values, { page: number })); scrollTo(0, 0); }),
    ].filter(Boolean));
    files.append(...[
      sample.take ? null : downloadLinks(`${word}-concordance`, lines, page, PAGE),
      hasCorpus ? sampleLinks(`${word}-sample`, (extra) => query("api/sample", { width: values.width, ...extra }), senses.length > 0, sample, (chosen) => navigate(hashFor(values, chosen))) : null,
    ].filter(Boolean));
  }

  const loader = makeLoader(place, "Reading the corpus…", async (signal) => {
    const onProgress = showDividing(place, k, () => { loader.stop(); navigate(makeHash("concordance", word)); });
    const value = await app.word(word, k, { signal, onProgress }).catch((failure) => {
      // A word that only the corpus has has lines as well.
      if (failure.status !== 404 || !hasCorpus || k || values.sense) throw failure;
      return { senses: [], model_senses: false };
    });
    const { senses } = value;
    selection.set(value);
    filters.set(values, senses.filter((sense) => !sense.hidden));
    const answer = await ask(sample.take
      ? query("api/sample", { width: values.width, size: sample.take, stratified: sample.stratified, draw: sample.draw })
      : query("api/concordance", { width: values.width, limit: PAGE, offset: (page - 1) * PAGE }), { signal });
    if (signal.aborted) return;
    const last = Math.ceil(answer.total / PAGE);
    if (!sample.take && page > last && last > 0) {
      navigate(hashFor(values, { page: last }));
      return;
    }
    draw(answer, senses);
    announce(`${formatCount(answer.total)} lines`);
  }, { keep: true, onFailure: () => { heading.facts.textContent = ""; } });

  /** The document of a place that the address names; closing it takes it from the address. */
  function showDocument(position) {
    if (opened && opened.position === position) return;
    const before = opened;
    opened = null;
    before?.dialog.close();
    if (position === "") return;
    const onClose = () => {
      if (opened?.position !== position) return;
      opened = null;
      // Unless a link in it has led elsewhere.
      const { view, word: now } = parseRoute(location.hash);
      if (view === "concordance" && now === word) replaceHash(hashFor(values, { page }));
    };
    opened = { position, dialog: openDocument(position, { onClose }) };
  }

  function update(next) {
    values = readFilters(next.params);
    page = Math.max(1, Number(next.params.get("page")) || 1);
    k = next.params.get("k") ?? "";
    per = next.params.get("per") ?? "";
    sample = hasCorpus ? readSample(next.params) : {};
    heading.setDial(k);
    const wanted = JSON.stringify([values, page, k, sample]);
    if (wanted !== shown) loader.load();
    shown = wanted;
    if (hasCorpus) {
      frequency.set(per, (extra) => query("api/concordance/frequency", extra),
        (group) => makeHash("concordance", word, { ...values, k, per, by: per, group }));
      showDocument(/^\d+$/.test(next.params.get("doc") ?? "") ? next.params.get("doc") : "");
    }
  }

  update(route);
  return {
    update,
    destroy: () => {
      loader.stop();
      frequency.stop();
      const open = opened;
      opened = null;
      open?.dialog.close();
    },
  };
}
