// A word: its senses as cards, the dial, the picture of how senses split, and corrections.

import { makeAdoption } from "../adoption.js";
import { ask, isAbort, wordUrl } from "../api.js";
import { corpusNotice, countedIn } from "../corpus_note.js";
import { makeCorrections } from "../corrections.js";
import { makeDial } from "../dial.js";
import { button, debounce, formatCount, h, plural } from "../dom.js";
import { downloadButtons, downloadLinks } from "../downloads.js";
import { makeKeeping } from "../entry_lines.js";
import { MOST_CONTEXTS, runInduction } from "../jobs.js";
import { makeLineSelection } from "../line_selection.js";
import { makeHash, navigate } from "../router.js";
import { senseCard } from "../sense_card.js";
import { showSought } from "../sought_sense.js";
import { levelsOf, splitTree } from "../split_tree.js";
import { announce, emptyPanel, errorPanel, progressPanel, waiting } from "../status.js";
import { wordHeading } from "../word_heading.js";

const DIAL_WAIT = 200;

function senseTable(value) {
  const columns = ["word", "sense", "name", "share", "crispness", "characteristic_words", "nearest_words"];
  const rows = value.senses.map((sense) => [value.word, sense.number, sense.name, sense.share, sense.crispness,
    (sense.characteristic_words ?? []).join(" "), (sense.nearest_words ?? []).join(" ")]);
  return { columns, rows };
}

function guide() {
  return h("p", { class: "guide" },
    h("b", {}, "Share"), ": how many of the word’s occurrences have this sense. ",
    h("b", {}, "Crispness"), ": how close its contexts lie to the sense, from 0 (vague) to 1 (sharp). " +
    "The senses were found in raw text; their names are words that are typical of them.");
}

/** Show a word; see main.js for what a view is. */
export function mount(root, route, app) {
  const { word } = route;
  let controller = null, value = null, k = "", editing = false, first = true;
  const heading = wordHeading(word, "word");
  const go = debounce((chosen) => navigate(makeHash("word", word, { k: chosen, edit: editing && !chosen })), DIAL_WAIT);
  const dial = makeDial(app.health.has_corpus, go);
  const place = h("div", { class: "word-place" });
  const corrections = makeCorrections(word, {
    value: () => value,
    hasCorpus: app.health.has_corpus,
    reload: () => { app.forgetWord(word); update(route, true); },
    onSaved: (name) => { document.getElementById("draft").replaceChildren(); app.forgetWord(word); value = { ...value, saved_as: name }; },
    onChange: (changed, number) => {
      app.forgetWord(word);
      value = changed;
      draw();
      // What was clicked has been drawn anew: the keyboard goes on there.
      place.querySelector(`.card[data-sense="${number}"] .tools button`)?.focus({ preventScroll: true });
    },
  });
  const selection = makeLineSelection(word, app, () => update(route, true));
  const keeping = makeKeeping(word, app);
  root.append(heading.element, dial.element, place);

  function facts() {
    const seen = value.n_contexts && value.n_contexts !== value.count ? `, ${formatCount(value.n_contexts)} looked at` : "";
    const found = k ? `found anew in ${app.health.corpus.name} in ${(value.seconds ?? 0).toFixed(1)} s`
      : value.edited ? "with your corrections" : "in the model";
    const where = k ? "" : countedIn(value, app.health);
    heading.facts.textContent = `${plural(value.count, "occurrence")}${where}${seen}; ${plural(value.n_senses, "sense")} ${found}`;
  }

  /** The division of the dial has become the word's senses. */
  function keep() {
    app.forgetWord(word);
    navigate(makeHash("word", word, { edit: true }));
  }

  function toggleEditing() {
    navigate(makeHash("word", word, { edit: !editing }));
  }

  function draw() {
    facts();
    dial.setEdited(k ? value.revision > 0 : value.edited);
    if (!value.senses.length) {
      place.replaceChildren(value.undone.length
        ? emptyPanel("Not in the model any more", "The word was added by a correction, which is undone.")
        : emptyPanel("No senses", "This word occurs too seldom to divide it."),
      value.undone.length ? corrections.bar() : "");
      return;
    }
    // What the data decided has a number too, and the other views know only numbers.
    const number = k === "auto" ? String(value.senses.length) : k;
    heading.setDial(number);
    const context = { word, k: number, fromModel: !k, count: app.health.has_corpus ? 3 : 6, selection: editing && !k ? selection : null, keeping: k ? null : keeping };
    if (context.selection) selection.set(value);
    const shown = value.senses.filter((sense) => editing || !sense.hidden);
    const hidden = value.senses.length - shown.length;
    const levels = k ? levelsOf(value.tree) : [];
    const adoption = k ? makeAdoption(value, { k, levels, maxContexts: MOST_CONTEXTS, onDone: keep, reload: () => update(route, true) }) : null;
    const toggle = button(editing ? "Finish correcting" : "Correct these senses", toggleEditing, { class: "toggle-editing" });
    place.replaceChildren(...[
      k ? splitTree(value.tree, Math.max(260, Math.min(place.clientWidth || 640, 960)), adoption.set) : null,
      adoption?.element,
      k ? null : corpusNotice(value, app.health, place, controller.signal),
      value.n_senses === 1 && !k ? h("p", { class: "one-sense" }, "One sense: nothing in the contexts of this word told the model to divide it.") : null,
      h("div", { class: "above" }, guide(), k || editing ? null : toggle),
      editing && !k ? corrections.bar(toggle) : null,
      value.edited && !editing ? h("p", { class: "soft" }, value.saved_as
        ? `These senses have corrections, which are saved as ${value.saved_as}.`
        : "These senses have corrections that are not saved yet.") : null,
      context.selection ? selection.element : null,
      keeping.element,
      h("div", { class: "cards" }, shown.map((sense) => senseCard(sense, context, editing && !k ? corrections.tools(sense) : null))),
      hidden ? h("p", { class: "soft" }, `${plural(hidden, "sense")} hidden by a correction; the occurrences that are nearest to it go to the other senses, or to “don’t know”.`) : null,
      h("div", { class: "below" },
        h("p", { class: "soft" }, k ? "Single senses are corrected after the division is adopted."
          : app.health.has_annotation ? h("a", { href: makeHash("annotation", "", { word }) }, "Let several people judge lines") : ""),
        k ? downloadButtons(`${word}-${k}-senses`, () => senseTable(value), () => value)
          : downloadLinks(word, (values) => wordUrl(word, "", values))),
    ].filter(Boolean));
  }

  function fail(failure) {
    const unknown = failure.status === 404 && app.health.has_corpus && !k;
    place.replaceChildren(errorPanel(failure, {
      title: failure.status === 404 ? `“${word}” is not in this model` : "That did not work",
      retry: failure.status === 404 || failure.status === 409 ? null : () => update(route, true),
    }), unknown ? h("p", {}, "It may still be in the corpus: ",
      h("a", { href: makeHash("word", word, { k: "auto" }) }, "look for its senses there"), ".") : "");
  }

  async function fetchValue(signal) {
    if (!k) return ask(wordUrl(word), { signal });
    const cancel = () => { controller.abort(); navigate(makeHash("word", word)); };
    const panel = progressPanel(k === "auto" ? "Looking for senses in the corpus…" : `Dividing into ${plural(Number(k), "sense")}…`, cancel);
    place.replaceChildren(panel);
    return runInduction(word, k, { signal, onProgress: panel.setProgress });
  }

  async function load() {
    controller?.abort();
    controller = new AbortController();
    const { signal } = controller;
    place.replaceChildren(waiting("Opening the word…"));
    try {
      const answer = await fetchValue(signal);
      if (signal.aborted) return;
      value = answer;
      draw();
      showSought(place, route.params, value);
      if (!first) announce(`${plural(value.senses.length, "sense")} of ${word}`);
      first = false;
    } catch (failure) {
      if (!isAbort(failure) && !signal.aborted) fail(failure);
    }
  }

  function update(next, force = false) {
    const wanted = next.params.get("k") ?? "";
    const changed = force || wanted !== k || value === null;
    editing = next.params.get("edit") === "1";
    route = next;
    k = wanted;
    dial.set(k);
    heading.setDial(k);
    if (changed) return load();
    draw();
    if (next.params.get("sense")) return showSought(place, next.params, value);
    place.querySelector(".toggle-editing")?.focus({ preventScroll: true });
    return undefined;
  }

  update(route, true);
  return { update, destroy: () => { go.cancel(); controller?.abort(); } };
}
