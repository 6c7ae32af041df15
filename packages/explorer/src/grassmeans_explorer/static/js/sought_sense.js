// The sense that an address names: #/word/crane?sense=2.

import { h, plural } from "./dom.js";

/** Show the card of the sense that is asked for, or say that there is none. */
export function showSought(place, params, value) {
  const number = params.get("sense");
  for (const card of place.querySelectorAll(".sought")) card.classList.remove("sought");
  if (!number) return;
  const card = [...place.querySelectorAll(".card")].find((other) => other.dataset.sense === number);
  if (card) {
    card.classList.add("sought");
    card.tabIndex = -1;
    card.focus({ preventScroll: true });
    card.scrollIntoView({ block: "nearest" });
    return;
  }
  const said = value.senses.some((sense) => String(sense.number) === number) ? `Sense ${number} of this word is hidden by a correction.`
    : `There is no sense ${number} of this word: it has ${plural(value.senses.length, "sense")}.`;
  place.prepend(h("p", { class: "led-here", role: "note" }, said));
}
