// Your own text: every known word with its sense, and a slider for "don't know".

import { isAbort, send } from "../api.js";
import { button, debounce, formatCount, h } from "../dom.js";
import { downloadButtons } from "../downloads.js";
import { makeHash, replaceHash } from "../router.js";
import { announce, emptyPanel, errorPanel, waiting } from "../status.js";
import { makeTagDetails } from "../tag_details.js";
import { makeTaggedText } from "../tagged_text.js";

const LONGEST_IN_LINK = 2000;
const EXAMPLE = "The band recorded the album with guitar, drums, piano, vocals and bass, and released it as a single " +
  "that reached the top of the charts. Anglers on the lake caught trout, perch, pike and bass, and the river is full " +
  "of salmon, carp and catfish that feed on smaller fish.";

// Kept while the page is open, for texts that are too long for a link.
let lastText = "";

function tableOf(answer) {
  const columns = ["start", "end", "word", "key", "sense", "probabilities", "distances"];
  const rows = answer.words.map((word) => [word.start, word.end, word.word, word.key, word.shown,
    word.probabilities.join(" "), word.distances.join(" ")]);
  return { columns, rows };
}

/** Show the view of one's own text. */
export function mount(root, route, app) {
  let controller = null, tagged = null, answer = null;
  const ownThreshold = app.health.idk_threshold ?? 1;
  const calibrated = app.health.calibrated;
  const area = h("textarea", {
    id: "own-text", rows: 4, dir: "auto", placeholder: "Paste or type some sentences here.", spellcheck: "false",
    onkeydown: (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); submit(); } },
  });
  const slider = h("input", { type: "range", id: "threshold", min: 0, max: 1, step: 0.01, value: ownThreshold, oninput: () => decode() });
  const shown = h("output", { for: "threshold" });
  const count = h("p", { class: "soft", id: "tag-count" });
  const place = h("div", { class: "text-result" });
  const remember = debounce(keepInLink, 300);
  const controls = h("div", { class: "threshold", hidden: true },
    h("label", { for: "threshold" }, calibrated ? "Say “don’t know” below a confidence of " : "Say “don’t know” from a distance of ", shown), slider,
    h("p", { class: "soft" }, calibrated
      ? "Left: every word gets a sense. Right: careful, only sure answers. The confidence is how often such an answer is right."
      : "Left: careful, only clear cases get a sense. Right: every word gets one. It answers at once."), count);
  root.append(h("h1", { tabindex: -1 }, "Your own text"),
    h("p", { class: "guide" }, "Paste a text. Every word that the model knows is marked with the number of its sense; " +
      "point at a word, or go to it with Tab and the arrow keys, to see how sure that is and which words decided."),
    h("form", { class: "text-form", onsubmit: (event) => { event.preventDefault(); submit(); } },
      h("label", { for: "own-text", class: "visually-hidden" }, "Text"), area,
      h("div", { class: "form-actions" }, h("button", { type: "submit", class: "main" }, "Find the senses"),
        button("Try an example", () => { area.value = EXAMPLE; submit(); }, { class: "quiet" }))),
    controls, place);

  function keepInLink() {
    const theta = Number(slider.value) === ownThreshold ? "" : slider.value;
    const text = lastText.length <= LONGEST_IN_LINK ? lastText : "";
    replaceHash(makeHash("text", "", { text, theta }));
  }

  function decode() {
    shown.textContent = Number(slider.value).toFixed(2);
    remember();
    if (!tagged) return;
    const known = tagged.decode(Number(slider.value), calibrated);
    count.textContent = `${formatCount(known)} of ${formatCount(answer.words.length)} known words have a sense; ` +
      `${formatCount(answer.words.length - known)} don’t know.`;
  }

  /** Names of a word's senses; a model without names is asked for their typical words. */
  async function sensesOf(key) {
    const told = answer.senses?.[key] ?? [];
    if (told.some((sense) => sense.name)) return told;
    return app.word(key, "", {}).then((entry) => entry.senses, () => told);
  }

  function draw() {
    if (!answer.words.length) {
      tagged = null;
      controls.hidden = true;
      place.replaceChildren(emptyPanel("No known word in this text",
        `The model has senses for ${formatCount(app.health.n_words)} words` +
        `${app.health.language ? ` of the language “${app.health.language}”` : ""}. Try a longer text.`));
      return;
    }
    const details = makeTagDetails(place, sensesOf);
    tagged = makeTaggedText(answer, { onShow: details.show, onHide: details.hide });
    controls.hidden = false;
    place.replaceChildren(tagged.element, details.element,
      downloadButtons("tagged-text", () => tableOf(answer), () => answer));
    decode();
    announce(count.textContent);
  }

  async function submit() {
    const text = area.value;
    if (!text.trim()) {
      controls.hidden = true;
      place.replaceChildren(emptyPanel("There is no text yet", "Type or paste a sentence above, or try the example."));
      return;
    }
    lastText = text;
    keepInLink();
    controller?.abort();
    controller = new AbortController();
    place.replaceChildren(waiting("Finding the senses…"));
    try {
      answer = await send("api/tag", { text, words: null, idk_threshold: calibrated ? "model" : Number(slider.value), sharpness: 10 }, controller.signal);
      draw();
    } catch (failure) {
      if (isAbort(failure)) return;
      tagged = null;
      controls.hidden = true;
      place.replaceChildren(errorPanel(failure, { retry: failure.status === 0 || failure.retryAfter ? submit : null }));
    }
  }

  function update(next) {
    const text = next.params.get("text") ?? lastText;
    const theta = Number(next.params.get("theta") ?? ownThreshold);
    slider.value = Number.isFinite(theta) ? theta : ownThreshold;
    shown.textContent = Number(slider.value).toFixed(2);
    if (text && text !== area.value) {
      area.value = text;
      submit();
    } else {
      decode();
    }
  }

  update(route);
  return { update, destroy: () => { remember.cancel(); controller?.abort(); } };
}
