// Your own text: every known word with its sense, and a slider for "don't know".

import { ask, askPatiently, isAbort, send, wordUrl } from "../api.js";
import { button, debounce, formatCount, h, plural } from "../dom.js";
import { downloadButtons, saveTable } from "../downloads.js";
import { runJob } from "../jobs.js";
import { makeHash, replaceHash } from "../router.js";
import { makeTagCorrection } from "../tag_correction.js";
import { announce, emptyPanel, errorPanel, progressPanel, waiting } from "../status.js";
import { makeTagDetails } from "../tag_details.js";
import { makeTaggedText } from "../tagged_text.js";

const LONGEST_IN_LINK = 2000;
const LONGEST_AT_ONCE = 2000;
const MOST_EXPLAINED = 2000;
const EXAMPLE = "The band recorded the album with guitar, drums, piano, vocals and bass, and released it as a single " +
  "that reached the top of the charts. Anglers on the lake caught trout, perch, pike and bass, and the river is full " +
  "of salmon, carp and catfish that feed on smaller fish.";

/** A text to begin with: for models of other languages, examples of two senses of a word of theirs. */
async function findExample(language) {
  if (!language || language === "en") return EXAMPLE;
  const { words } = await askPatiently("api/showcase");
  if (!words.length) return EXAMPLE;
  const { senses } = await ask(wordUrl(words[0].word));
  return senses.filter((sense) => !sense.hidden).slice(0, 2).flatMap((sense) => sense.examples.slice(0, 2))
    .map(({ left, word, right }) => `${left}${word}${right}`.trim()).join("\n");
}

// Kept while the page is open, for texts that are too long for a link.
let lastText = "";

function tableOf(answer) {
  const columns = ["start", "end", "word", "key", "sense", "name", "confidence", "probabilities", "distances"];
  const explained = answer.words.some((word) => word.deciding_words !== null);
  const rows = answer.words.map((word) => [word.start, word.end, word.word, word.key, word.shown,
    answer.senses[word.key][word.shown - 1]?.name ?? "", word.confidence, word.probabilities.join(" "), word.distances.join(" "),
    ...(explained ? [(word.deciding_words ?? []).map((item) => item.word).join(" ")] : [])]);
  return { columns: explained ? [...columns, "decided_by"] : columns, rows };
}

/** Ask for the answers: at once for a short text, as a job with progress for a long one. */
function askForSenses(body, place, controller, label) {
  const { signal } = controller;
  if (body.text.length <= LONGEST_AT_ONCE && !body.deciding) {
    place.replaceChildren(waiting(label));
    return send("api/tag", body, signal);
  }
  const panel = progressPanel(label, () => controller.abort());
  place.replaceChildren(panel);
  return runJob("api/tag?job=1", body, { signal, onProgress: panel.setProgress });
}

/** Show the view of one's own text. */
export function mount(root, route, app) {
  let controller = null, tagged = null, answer = null, onlyMarked = false;
  let byLine = null, chosenFor = ""; // null: as the server's rule decides
  let comeBack = null; // the word that was corrected, for who goes on by keys
  const ownThreshold = app.health.idk_threshold ?? 1;
  const calibrated = app.health.calibrated;
  const most = app.health.text_characters;
  const area = h("textarea", {
    id: "own-text", rows: 4, dir: "auto", placeholder: "Paste or type some sentences here.", spellcheck: "false",
    onkeydown: (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); submit(); } },
  });
  const slider = h("input", { type: "range", id: "threshold", min: 0, max: 1, step: 0.01, value: ownThreshold, oninput: () => decode() });
  const ownPlace = slider.value; // the nearest step
  const shown = h("output", { for: "threshold" });
  const count = h("p", { class: "soft", id: "tag-count" });
  const place = h("div", { class: "text-result" });
  const lineBox = h("input", { type: "checkbox", onchange: () => { byLine = lineBox.checked; chosenFor = area.value; if (area.value.trim()) submit(); } });
  const correction = makeTagCorrection(app, { part: (from, to) => tagged.part(from, to), onChange: (start = null) => { comeBack = start; submit(); } });
  const remember = debounce(keepInLink, 300);
  const controls = h("div", { class: "threshold", hidden: true },
    h("label", { for: "threshold" }, calibrated ? "Say “don’t know” below a confidence of " : "Say “don’t know” from a distance of ", shown), slider,
    h("p", { class: "soft" }, calibrated
      ? "Left: every word gets a sense. Right: careful, only sure answers. The confidence is how often such an answer is right."
      : "Left: careful, only clear cases get a sense. Right: every word gets one. It answers at once."), count);
  root.append(h("h1", { tabindex: -1 }, "Your own text"),
    h("p", { class: "guide" }, `Paste a text of up to ${formatCount(most)} characters. Every word that the model knows is marked with the number of its sense; ` +
      "point at a word, or go to it with Tab and the arrow keys, to see how sure that is and which words decided."),
    h("form", { class: "text-form", onsubmit: (event) => { event.preventDefault(); submit(); } },
      h("label", { for: "own-text", class: "visually-hidden" }, "Text"), area,
      h("div", { class: "form-actions" }, h("button", { type: "submit", class: "main" }, "Find the senses"),
        button("Try an example", async () => { area.value = await findExample(app.health.language).catch(() => EXAMPLE); submit(); }, { class: "quiet" }),
        h("label", { class: "by-line", title: "On by itself where most lines are one sentence and none is longer than 300 characters" },
          lineBox, " each line by itself"))),
    controls, correction.element, place);

  function keepInLink() {
    const theta = slider.value === ownPlace ? "" : slider.value;
    const text = lastText.length <= LONGEST_IN_LINK ? lastText : "";
    const lines = byLine === null ? "" : String(Number(byLine));
    replaceHash(makeHash("text", "", { text, theta, marked: onlyMarked, lines }));
  }

  function decode() {
    const threshold = slider.value === ownPlace ? null : Number(slider.value);
    shown.textContent = (threshold ?? ownThreshold).toFixed(2);
    remember();
    if (!tagged) return;
    const known = tagged.decode(threshold, calibrated);
    count.textContent = `${formatCount(known)} of ${formatCount(answer.words.length)} known words have a sense; ` +
      `${formatCount(answer.words.length - known)} don’t know.`;
  }

  /** Names of a word's senses; a model without names is asked for their typical words. */
  async function sensesOf(key) {
    const told = answer.senses?.[key] ?? [];
    if (told.some((sense) => sense.name)) return told;
    return app.word(key, "", {}).then((entry) => entry.senses, () => told);
  }

  /** Asked for when a word is pointed at: for all words of a long text it would take minutes. */
  async function decidedFor(word) {
    if (word.deciding_words === null) {
      const [start, end] = word.context;
      const body = { text: tagged.part(start, end), start: word.start - start, word: word.key, sense: word.nearest };
      word.deciding_words = (await send("api/tag/deciding", body)).deciding_words;
    }
    return word.deciding_words;
  }

  function markNote() {
    if (!answer.n_marks) return null;
    const box = h("input", { type: "checkbox", checked: onlyMarked, onchange: () => { onlyMarked = box.checked; submit(); } });
    const places = answer.n_marks === 1 ? "One place" : `${formatCount(answer.n_marks)} places`;
    return h("p", { class: "soft marks" }, `${places} of this text ${answer.n_marks === 1 ? "stands" : "stand"} in <b> and </b>. ` +
      (onlyMarked ? "Only known words there are looked at, as the command line does. " : "These tags are read as text, and every word is looked at. "),
    h("label", {}, box, " only marked words"));
  }

  function notes() {
    return [
      answer.remark ? h("p", { class: "remark", role: "note" }, answer.remark) : null,
      markNote(),
      answer.unknown.length ? h("p", { class: "soft" }, `Marked, but not in the model: ${answer.unknown.join(", ")}.`) : null,
    ].filter(Boolean);
  }

  function downloads() {
    const row = downloadButtons("tagged-text", () => tableOf(answer), () => answer);
    if (answer.words.length <= MOST_EXPLAINED) {
      row.append(button("CSV with the words that decided", () => saveExplained(row), { class: "link" }));
    }
    return row;
  }

  async function saveExplained(row) {
    const room = h("div", {});
    row.after(room);
    const body = { text: lastText, words: null, marks: onlyMarked, lines: answer.lines, deciding: true };
    const found = await askForSenses(body, room, controller, "Finding the words that decided…").catch((failure) => {
      if (!isAbort(failure)) room.replaceChildren(errorPanel(failure));
      return null;
    });
    if (!found) return;
    found.words.forEach((word, index) => { answer.words[index].deciding_words = word.deciding_words; });
    room.remove();
    saveTable("tagged-text", tableOf(answer));
  }

  function draw() {
    if (!answer.words.length) {
      tagged = null;
      controls.hidden = true;
      place.replaceChildren(...notes(), emptyPanel("No known word in this text",
        `The model has senses for ${formatCount(app.health.n_words)} words` +
        `${app.health.language ? ` of the language “${app.health.language}”` : ""}. Try a longer text.`));
      return;
    }
    const details = makeTagDetails(place, { sensesOf, decidedFor, onCorrect: correction.open });
    tagged = makeTaggedText(answer, { onShow: details.show, onHide: details.hide, onCorrect: correction.open });
    controls.hidden = false;
    place.replaceChildren(...notes(), tagged.element, details.element, downloads());
    decode();
    announce(count.textContent);
    if (comeBack !== null) tagged.focusAt(comeBack);
    comeBack = null;
  }

  function refuse(panel) {
    tagged = null;
    controls.hidden = true;
    place.replaceChildren(panel);
  }

  async function submit() {
    const text = area.value;
    controller?.abort();
    if (!text.trim()) return refuse(emptyPanel("There is no text yet", "Type or paste a sentence above, or try the example."));
    const length = Array.from(text).length;
    if (length > most) {
      return refuse(emptyPanel("This text is too long", `It has ${plural(length, "character")}, and ${formatCount(most)} can be looked at here. ` +
        "Take a part of it; “grassmeans tag” in a terminal takes any length."));
    }
    if (text !== chosenFor) byLine = null;
    lastText = text;
    keepInLink();
    controller = new AbortController();
    const { signal } = controller;
    try {
      const found = await askForSenses({ text, words: null, marks: onlyMarked, lines: byLine }, place, controller, "Finding the senses…");
      if (signal.aborted) return undefined;
      answer = found;
      lineBox.checked = answer.lines;
      draw();
    } catch (failure) {
      if (isAbort(failure)) {
        if (controller.signal === signal) refuse(emptyPanel("Stopped", "The text is still there: take a part of it, or begin again."));
        return undefined;
      }
      refuse(errorPanel(failure, { retry: failure.status === 0 || failure.retryAfter ? submit : null }));
    }
    return undefined;
  }

  function update(next) {
    const text = next.params.get("text") ?? lastText;
    const theta = Number(next.params.get("theta") ?? ownThreshold);
    const marked = next.params.get("marked") === "1";
    const lines = { 1: true, 0: false }[next.params.get("lines")] ?? null;
    slider.value = Number.isFinite(theta) ? theta : ownThreshold;
    if (text && (text !== area.value || marked !== onlyMarked || lines !== byLine)) {
      onlyMarked = marked;
      byLine = lines;
      chosenFor = text;
      area.value = text;
      decode();
      submit();
    } else {
      decode();
    }
  }

  update(route);
  return { update, destroy: () => { remember.cancel(); controller?.abort(); } };
}
