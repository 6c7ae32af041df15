// Elements built from data. Text always goes in as text, never as markup: whatever a corpus or a
// model holds can only be read, not run. Styles go through CSS variables, which the page's
// Content-Security-Policy allows, unlike style attributes.

const SVG = "http://www.w3.org/2000/svg";
const PROPERTIES = new Set(["value", "checked", "disabled", "indeterminate", "hidden"]);

function fill(element, settings, children) {
  for (const [name, value] of Object.entries(settings)) {
    if (value === null || value === undefined) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name.startsWith("--")) element.style.setProperty(name, value);
    else if (PROPERTIES.has(name)) element[name] = value;
    else if (value !== false) element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat(2).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** An HTML element: h("a", {href: "#/", onclick: f, "--share": "40%"}, "text", otherElement). */
export function h(tag, settings = {}, ...children) {
  return fill(document.createElement(tag), settings, children);
}

/** The same for SVG. */
export function svg(tag, settings = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), settings, children);
}

/** Run `action` when nothing more has happened for `wait` milliseconds. */
export function debounce(action, wait) {
  let timer = 0;
  const delayed = (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...values), wait);
  };
  delayed.cancel = () => clearTimeout(timer);
  return delayed;
}

const numbers = new Intl.NumberFormat("en");

/** 12345 -> "12,345". */
export function formatCount(value) {
  return numbers.format(value ?? 0);
}

/** 0.123 -> "12 %"; small shares are not rounded away. */
export function formatShare(value) {
  const percent = 100 * (value ?? 0);
  return percent > 0 && percent < 1 ? "< 1 %" : `${Math.round(percent)} %`;
}

/** One or several of something: plural(2, "sense") -> "2 senses". */
export function plural(count, noun) {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** A button. */
export function button(label, onclick, settings = {}) {
  return h("button", { type: "button", onclick, ...settings }, label);
}
