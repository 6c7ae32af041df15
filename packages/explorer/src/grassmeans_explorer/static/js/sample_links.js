// A sample of the lines that filters leave, to take along.

import { h } from "./dom.js";
import { downloadLinks } from "./downloads.js";

const SIZES = [20, 50, 100, 250, 1000];

/** `url(values)` makes an address of api/sample; `hasSenses`: whether every sense may have its share. */
export function sampleLinks(name, url, hasSenses) {
  const size = h("select", { onchange: draw }, SIZES.map((n) => h("option", { value: String(n) }, `${n} lines`)));
  const stratified = h("input", { type: "checkbox", onchange: draw });
  const seed = h("input", { type: "number", min: 0, max: 4294967295, value: "0", onchange: draw });
  const links = h("div", {});
  function draw() {
    const values = { size: size.value, stratified: stratified.checked, draw: seed.value === "0" ? "" : seed.value };
    links.replaceChildren(downloadLinks(name, ({ format }) => url({ ...values, format, size: format ? values.size : Math.min(values.size, 200) })));
  }
  draw();
  return h("details", { class: "sample-links" }, h("summary", {}, "A random sample of these lines"),
    h("div", { class: "filters" }, h("label", {}, "So many", size), h("label", {}, "Seed", seed),
      hasSenses ? h("label", { class: "check" }, stratified, "the same share of every sense") : null), links);
}
