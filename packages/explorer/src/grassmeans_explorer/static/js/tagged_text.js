// A text whose known words carry the colour and the number of their sense. One stop for the Tab
// key; the arrow keys go from word to word, and C corrects one. There may be ten thousands of words: the text listens
// for all of them.

import { senseColour } from "./colours.js";
import { decodeWord } from "./decoding.js";
import { h } from "./dom.js";
import { makeHash, navigate } from "./router.js";

const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/**
 * {element, part(from, to), decode(threshold, calibrated), focusAt(start)}; `onShow(word, span)` and `onHide(now)` for the details of a word,
 * `onCorrect(word)` where its sense is wrong.
 * Without a threshold the answers are the model's own.
 */
export function makeTaggedText(answer, { onShow, onHide, onCorrect }) {
  // The server counts code points, JavaScript counts UTF-16 units.
  const letters = Array.from(answer.text);
  const part = (from, to) => letters.slice(from, to).join("");
  const spans = [];
  const wordAt = (event) => spans[event.target.closest?.(".tagged")?.dataset.index];
  const shows = (event) => { const found = wordAt(event); if (found) onShow(found.word, found.span); };
  const hides = (event) => { if (wordAt(event)) onHide(false); };
  const element = h("div", {
    class: "tagged-text", dir: "auto", role: "group", "aria-label": "Your text with senses. Arrow keys go from word to word, C corrects a sense.",
    onmouseover: shows, onmouseout: hides, onfocusin: shows, onfocusout: hides, onkeydown: onKey,
  });
  let last = 0;
  answer.words.forEach((word, index) => {
    const number = h("sub", { "aria-hidden": "true" });
    const span = h("span", {
      class: "tagged", role: "button", tabindex: index === 0 ? 0 : -1, "aria-describedby": "tag-details", "data-index": index,
    }, word.word, number);
    element.append(part(last, word.start), span);
    spans.push({ span, number, word });
    last = word.end;
  });
  element.append(part(last));

  function onKey(event) {
    const found = wordAt(event);
    if (!found) return;
    if (event.key === "Escape") return onHide(true);
    if (event.key === "Enter") return navigate(makeHash("word", found.word.key, { sense: found.word.shown }));
    if (event.key.toLowerCase() === "c" && !event.ctrlKey && !event.metaKey) {
      onHide(true);
      event.preventDefault();
      return onCorrect(found.word);
    }
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const next = spans[(spans.indexOf(found) + step + spans.length) % spans.length].span;
    found.span.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }

  /** Colour anew for a threshold of "don't know"; how many words have a sense. */
  function decode(threshold, calibrated) {
    let known = 0;
    for (const { span, number, word } of spans) {
      const sense = threshold === null ? word.sense : decodeWord(word, threshold, calibrated);
      if (sense) known += 1;
      if (word.shown === sense) continue;
      word.shown = sense;
      // Drawn, not written: else the word would be called "crane1", by its name and by who asks for it.
      number.dataset.number = sense ? String(sense) : "?";
      span.classList.toggle("idk", sense === 0);
      span.style.setProperty("--sense", senseColour(sense));
      span.setAttribute("aria-label", sense ? `${word.word}, sense ${sense}` : `${word.word}, don’t know`);
    }
    return known;
  }

  /** Go to the word that begins at a character, as the arrow keys do. */
  function focusAt(start) {
    const found = spans.find(({ word }) => word.start === start);
    if (!found) return;
    for (const { span } of spans) span.tabIndex = span === found.span ? 0 : -1;
    found.span.focus();
  }

  return { element, part, decode, focusAt };
}
