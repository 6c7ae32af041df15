// Lines of the corpus around a word, coloured by sense.

import { ask, isAbort, makeUrl } from "../api.js";
import { senseColour } from "../colours.js";
import { makeFilters, readFilters } from "../concordance_filters.js";
import { openDocument } from "../document_dialog.js";
import { button, formatCount, h, plural } from "../dom.js";
import { downloadLinks } from "../downloads.js";
import { makeLineSelection } from "../line_selection.js";
import { makePager } from "../pager.js";
import { makeHash, navigate } from "../router.js";
import { senseBadge, senseName } from "../sense_card.js";
import { announce, emptyPanel, errorPanel, progressPanel, waiting } from "../status.js";
import { wordHeading } from "../word_heading.js";

const PAGE = 50;

function lineRow(line, names, hasCorpus, selection) {
  const inCorpus = hasCorpus && line.position !== null && line.position !== undefined;
  const name = line.sense > 0 ? names.get(line.sense) ?? `sense ${line.sense}` : "don’t know";
  const word = inCorpus
    ? button(line.word, () => openDocument(line.position), { class: "keyword", title: "Read its document" })
    : h("b", { class: "keyword" }, line.word);
  const about = Object.values(line.fields ?? {}).join(" · ");
  const row = h("tr", { "--sense": senseColour(line.sense), class: inCorpus ? "can-open" : null },
    h("td", { class: "left" }, h("bdi", {}, line.left)), h("td", { class: "middle" }, word),
    h("td", { class: "right" }, h("bdi", {}, line.right)),
    h("td", { class: "sense", title: name }, selection.box(line), senseBadge(line.sense), h("span", { class: "visually-hidden" }, name)),
    h("td", { class: "confidence" },
      h("span", { class: "bar", "--share": `${100 * (line.confidence ?? 0)}%` }),
      h("span", {}, (line.confidence ?? 0).toFixed(2))),
    about ? h("td", { class: "about soft" }, about) : null);
  if (inCorpus) {
    row.addEventListener("click", (event) => {
      // Not while text is being selected, and the button speaks for itself.
      if (!event.target.closest("button, label") && getSelection().isCollapsed) openDocument(line.position);
    });
  }
  return row;
}

function linesTable(lines, names, hasCorpus, selection) {
  const columns = ["before", "word", "after", "sense", "confidence"];
  if (lines.some((line) => Object.keys(line.fields ?? {}).length)) columns.push("document");
  const longest = Math.max(4, ...lines.map((line) => line.word.length));
  return h("table", { class: "kwic", "--letters": longest },
    h("thead", {}, h("tr", {}, columns.map((label) => h("th", { scope: "col" }, label)))),
    h("tbody", {}, lines.map((line) => lineRow(line, names, hasCorpus, selection))));
}

/** Show the concordance of a word. */
export function mount(root, route, app) {
  const { word } = route;
  let controller = null, values = {}, page = 1, k = "";
  const heading = wordHeading(word, "concordance");
  const filters = makeFilters((changed) => navigate(hashFor(changed, 1)));
  const legend = h("p", { class: "legend" });
  const place = h("div", { class: "lines" });
  const selection = makeLineSelection(word, app, () => load());
  root.append(heading.element,
    h("p", { class: "guide" }, app.health.has_corpus
      ? "Every occurrence in the corpus, with the sense that its context is nearest to. Confidence: the probability of that sense, from 0 to 1. Click a line to read its document."
      : "These are the example lines of the model: those of this word, and those of others in which it stands. To see every occurrence, start with a corpus: grassmeans explore MODEL --corpus CORPUS"),
    filters.element, legend, selection.element, place);

  const hashFor = (changed, number) => makeHash("concordance", word, { ...changed, k, page: number > 1 ? number : "" });

  function query(extra = {}) {
    return makeUrl("api/concordance", {
      word, sense: values.idk ? "" : values.sense, idk_only: values.idk, min_confidence: values.confidence,
      q: values.q, sort: values.sort, senses: k, by: values.by, group: values.group, ...extra,
    });
  }

  function draw(answer, senses) {
    const names = new Map(senses.map((sense) => [sense.number, senseName(sense)]));
    heading.facts.textContent = plural(answer.total, "line") +
      (answer.measured ? `, from an even sample of ${formatCount(answer.measured)}` : "");
    legend.replaceChildren(...senses.filter((sense) => !sense.hidden).map((sense) =>
      h("span", { class: "legend-item" }, senseBadge(sense.number, sense.colour), senseName(sense))),
    h("span", { class: "legend-item" }, senseBadge(0), "don’t know"));
    if (!answer.lines.length) {
      place.replaceChildren(emptyPanel("No line matches", "Take a filter away, or ",
        h("a", { href: makeHash("concordance", word, { k }) }, "show all lines"), "."));
      return;
    }
    place.replaceChildren(...[
      linesTable(answer.lines, names, app.health.has_corpus, selection),
      makePager(page, answer.total, PAGE, (number) => { navigate(hashFor(values, number)); scrollTo(0, 0); }),
      downloadLinks(`${word}-concordance`, query, page, PAGE),
    ].filter(Boolean));
  }

  /** Another granularity has to be found first: that may take a while. */
  function onProgress(share) {
    let panel = place.querySelector(".progress-panel");
    if (!panel) {
      panel = progressPanel(`Dividing into ${k} senses…`, () => { controller.abort(); navigate(makeHash("concordance", word)); });
      place.replaceChildren(panel);
    }
    panel.setProgress(share);
  }

  async function load() {
    controller?.abort();
    controller = new AbortController();
    const { signal } = controller;
    if (!place.children.length) place.replaceChildren(waiting("Reading the corpus…"));
    place.setAttribute("aria-busy", "true");
    place.classList.add("busy");
    try {
      const value = await app.word(word, k, { signal, onProgress });
      const { senses } = value;
      selection.set(value);
      filters.set(values, senses.filter((sense) => !sense.hidden));
      const answer = await ask(query({ limit: PAGE, offset: (page - 1) * PAGE }), { signal });
      if (signal.aborted) return;
      draw(answer, senses);
      announce(`${formatCount(answer.total)} lines`);
    } catch (failure) {
      if (isAbort(failure)) return;
      place.replaceChildren(errorPanel(failure, { retry: failure.status === 404 ? null : load }));
    }
    place.removeAttribute("aria-busy");
    place.classList.remove("busy");
  }

  function update(next) {
    values = readFilters(next.params);
    page = Math.max(1, Number(next.params.get("page")) || 1);
    k = next.params.get("k") ?? "";
    heading.setDial(k);
    load();
  }

  update(route);
  return { update, destroy: () => controller?.abort() };
}
