// What counts as near, and which words are told: the form that collocates and comparisons share.

import { h } from "./dom.js";

const NAMES = ["before", "after", "fewest", "order", "functions", "sample"];
const SPANS = [1, 2, 3, 5, 10, 20];
const DEFAULT = { before: "5", after: "5", fewest: "3", order: "log_dice", sample: "" };
const ORDERS = [["log_dice", "logDice"], ["log_likelihood", "log-likelihood"]];
const SAMPLES = [["", "as many lines as are quick"], ...[1000, 10000].map((n) => [String(n), `a random ${n.toLocaleString("en")} lines`]), ["200000", "all, however long it takes"]];

/** What the address says -> values; what is usual is "". */
export function readSettings(params) {
  return Object.fromEntries(NAMES.map((name) => [name, params.get(name) ?? ""]));
}

/** Values -> parameters of the server. */
export function settingsQuery({ functions, ...values }) {
  return { ...values, function_words: functions === "1" };
}

/** {element, set(values)}; `onChange(values)`. `withOrder`: whether they are ranked by one score. */
export function makeSettings(onChange, { withOrder = true } = {}) {
  const change = () => onChange(read());
  const list = (pairs) => h("select", { onchange: change }, pairs.map(([value, label]) => h("option", { value }, label)));
  const spans = SPANS.map((n) => [String(n), `${n} ${n === 1 ? "word" : "words"}`]);
  const controls = {
    before: list(spans), after: list(spans),
    fewest: h("input", { type: "number", min: 1, max: 1000000, onchange: change }),
    order: list(ORDERS), sample: list(SAMPLES),
  };
  const functions = h("input", { type: "checkbox", onchange: change });

  function read() {
    const values = Object.entries(controls).map(([name, control]) => [name, control.value === DEFAULT[name] ? "" : control.value]);
    return { ...Object.fromEntries(values), functions: functions.checked ? "1" : "" };
  }

  function set(values) {
    for (const [name, control] of Object.entries(controls)) {
      const value = values[name] || DEFAULT[name];
      if (control.options && ![...control.options].some((option) => option.value === value)) control.append(h("option", { value }, value));
      control.value = value;
    }
    functions.checked = values.functions === "1";
  }

  const element = h("div", { class: "filters" },
    h("label", {}, "To the left", controls.before), h("label", {}, "To the right", controls.after),
    h("label", {}, "At least so often", controls.fewest),
    withOrder ? h("label", {}, "Sort by", controls.order) : null,
    h("label", {}, "Look at", controls.sample),
    h("label", { class: "check" }, functions, "function words too"));
  return { element, set };
}
