// A sample of the lines that filters leave, to look at and to take along.

import { button, h } from "./dom.js";
import { downloadLinks } from "./downloads.js";

const SIZES = [20, 50, 100, 200, 1000];
/** Lines that the server gives to a page. */
export const MOST_SHOWN = 200;

/** What the address says of a sample that is shown: {take, stratified, draw}, `take` empty for none. */
export function readSample(params) {
  const number = (name) => (/^\d{1,9}$/.test(params.get(name) ?? "") ? params.get(name) : "");
  const take = number("take");
  return { take: take && String(Math.min(Math.max(Number(take), 1), MOST_SHOWN)), stratified: take && params.get("stratified") === "1", draw: take && number("draw") };
}

/**
 * `url(values)` makes an address of api/sample; `hasSenses`: whether every sense may have its share; `chosen` as
 * `readSample` tells it; `onShow(sample)` shows one in the place of all lines.
 */
export function sampleLinks(name, url, hasSenses, chosen, onShow) {
  const size = h("select", { onchange: draw }, SIZES.map((n) => h("option", { value: String(n), selected: String(n) === chosen.take }, `${n} lines`)));
  const stratified = h("input", { type: "checkbox", checked: Boolean(chosen.stratified), onchange: draw });
  const seed = h("input", { type: "number", min: 0, max: 4294967295, value: chosen.draw || "0", onchange: draw });
  const show = button("Show them here", () => onShow({ take: String(Math.min(size.value, MOST_SHOWN)), stratified: stratified.checked, draw: seed.value === "0" ? "" : seed.value }));
  const links = h("div", {});
  function draw() {
    const values = { size: size.value, stratified: stratified.checked, draw: seed.value === "0" ? "" : seed.value };
    links.replaceChildren(downloadLinks(name, ({ format }) => url({ ...values, format, size: format ? values.size : Math.min(values.size, MOST_SHOWN) })));
  }
  draw();
  return h("details", { class: "sample-links" }, h("summary", {}, "A random sample of these lines"),
    h("div", { class: "filters" }, h("label", {}, "So many", size), h("label", {}, "Seed", seed),
      hasSenses ? h("label", { class: "check" }, stratified, "the same share of every sense") : null, show), links);
}
