// The colours of senses, as in every picture of the library; the server sends them, this is for
// what it leaves out.

const SENSE_COLOURS = [
  "#d1495b", "#2878b5", "#3a9d5d", "#e08e1b", "#7d5ba6", "#148f9b", "#b0562a", "#66707a",
  "#c2418f", "#7f7a18", "#5f6fc4", "#8f7060",
];
const IDK_COLOUR = "#8a8a8a";

/** The colour of a sense by its number from 1; grey for "I don't know", 0. */
export function senseColour(number, given) {
  if (typeof given === "string" && /^#[0-9a-f]{6}$/i.test(given)) return given;
  return number > 0 ? SENSE_COLOURS[(number - 1) % SENSE_COLOURS.length] : IDK_COLOUR;
}
