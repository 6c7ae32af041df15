// The dial for granularity: how many senses the word is divided into.

import { h } from "./dom.js";

const MOST_SENSES = 8;

function choice(name, value, label, onChange) {
  const input = h("input", { type: "radio", name, value, onchange: () => onChange(value) });
  return h("label", { class: "choice" }, input, h("span", {}, label));
}

/** Radio buttons; "" stands for the model's own senses. {element, set(value)} */
export function makeDial(hasCorpus, onChange) {
  const steps = Array.from({ length: MOST_SENSES }, (_, index) => String(index + 1));
  const element = h("fieldset", { class: "dial", disabled: !hasCorpus },
    h("legend", {}, "How finely to divide"),
    h("div", { class: "choices" },
      choice("dial", "", "As in the model", onChange),
      steps.map((step) => choice("dial", step, step, onChange)),
      choice("dial", "auto", "Let the data decide", onChange)),
    h("p", { class: "soft" }, hasCorpus
      ? "Few senses are broad, many are fine. A number finds that many senses anew in the corpus, now."
      : "To divide anew, start with a corpus: grassmeans explore MODEL --corpus CORPUS"));

  function set(value) {
    for (const input of element.querySelectorAll("input")) input.checked = input.value === value;
  }

  /** The model's own senses, or what corrections have made of them. */
  function setEdited(edited) {
    element.querySelector("input[value=''] + span").textContent = edited ? "As corrected" : "As in the model";
  }

  return { element, set, setEdited };
}
