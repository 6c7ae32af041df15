// Pages of a long list.

import { button, formatCount, h } from "./dom.js";

/** Buttons for the neighbouring pages and a field for any page; `onPage(page)`, from 1. */
export function makePager(page, total, size, onPage) {
  const pages = Math.max(1, Math.ceil(total / size));
  if (pages === 1) return null;
  const field = h("input", {
    type: "number", min: 1, max: pages, value: page, "aria-label": "Page",
    onchange: () => onPage(Math.max(1, Math.min(pages, Math.round(Number(field.value)) || 1))),
  });
  return h("nav", { class: "pager", "aria-label": "Pages" },
    button("Previous", () => onPage(page - 1), { disabled: page <= 1 }),
    h("span", {}, "page ", field, ` of ${formatCount(pages)}`),
    button("Next", () => onPage(page + 1), { disabled: page >= pages }));
}
