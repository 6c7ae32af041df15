// A text whose known words carry the colour and the number of their sense. One stop for the Tab
// key; the arrow keys go from word to word.

import { senseColour } from "./colours.js";
import { decodeWord } from "./decoding.js";
import { h } from "./dom.js";
import { makeHash, navigate } from "./router.js";

const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/** {element, decode(threshold, calibrated)}; `onShow(word, span)` and `onHide()` for the details of a word. */
export function makeTaggedText(answer, { onShow, onHide }) {
  // The server counts code points, JavaScript counts UTF-16 units.
  const letters = Array.from(answer.text);
  const part = (from, to) => letters.slice(from, to).join("");
  const element = h("div", { class: "tagged-text", dir: "auto", role: "group", "aria-label": "Your text with senses. Arrow keys go from word to word." });
  const spans = [];
  let last = 0;
  answer.words.forEach((word, index) => {
    const number = h("sub", { "aria-hidden": "true" });
    const span = h("span", {
      class: "tagged", role: "button", tabindex: index === 0 ? 0 : -1, "aria-describedby": "tag-details",
      onmouseenter: () => onShow(word, span), onmouseleave: () => onHide(false),
      onfocus: () => onShow(word, span), onblur: () => onHide(false),
      onkeydown: (event) => onKey(event, index),
    }, word.word, number);
    element.append(part(last, word.start), span);
    spans.push({ span, number, word });
    last = word.end;
  });
  element.append(part(last));

  function onKey(event, index) {
    if (event.key === "Escape") return onHide(true);
    if (event.key === "Enter") return navigate(makeHash("word", spans[index].word.key));
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const next = spans[(index + step + spans.length) % spans.length].span;
    spans[index].span.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }

  /** Colour anew for a threshold of "don't know"; how many words have a sense. */
  function decode(threshold, calibrated) {
    let known = 0;
    for (const { span, number, word } of spans) {
      const sense = decodeWord(word, threshold, calibrated);
      if (sense) known += 1;
      word.shown = sense;
      number.textContent = sense ? String(sense) : "?";
      span.classList.toggle("idk", sense === 0);
      span.style.setProperty("--sense", senseColour(sense));
      // What is seen comes first, so that the word can be called by it.
      span.setAttribute("aria-label", `${word.word}${sense ? `${sense}: sense ${sense}` : "?: don’t know"}`);
    }
    return known;
  }

  return { element, decode };
}
