// The filters of a concordance, as a form.

import { debounce, h } from "./dom.js";
import { senseName } from "./sense_card.js";

const TYPING_WAIT = 300;
const SORTS = [["position", "Place in the corpus"], ["confidence", "Confidence"], ["sense", "Sense"]];

/** What the address says -> the filters' values. */
export function readFilters(params) {
  return {
    sense: params.get("sense") ?? "",
    idk: params.get("idk") === "1",
    confidence: params.get("confidence") ?? "",
    q: params.get("q") ?? "",
    sort: params.get("sort") ?? "",
    by: params.get("by") ?? "",
    group: params.get("group") ?? "",
  };
}

/** The form; `onChange(values)` is called after every change. {element, set(values, senses)} */
export function makeFilters(onChange) {
  const typed = debounce(() => onChange(read()), TYPING_WAIT);
  const now = () => { typed.cancel(); showConfidence(); onChange(read()); };
  const sense = h("select", { onchange: now });
  const sort = h("select", { onchange: now }, SORTS.map(([value, label]) => h("option", { value }, label)));
  const text = h("input", { type: "search", placeholder: "a word in the line", oninput: typed });
  const idk = h("input", { type: "checkbox", onchange: now });
  const confidence = h("input", { type: "range", min: 0, max: 1, step: 0.05, value: 0, oninput: showConfidence, onchange: now });
  const shown = h("output", {});
  const only = h("input", { type: "checkbox", onchange: now });
  const onlyName = h("span", {});
  const onlyLabel = h("label", { class: "check", hidden: true }, only, onlyName);
  let held = { by: "", group: "" };

  function showConfidence() {
    shown.textContent = Number(confidence.value) ? Number(confidence.value).toFixed(2) : "any";
  }

  function read() {
    return {
      sense: sense.value, q: text.value.trim(), idk: idk.checked,
      confidence: Number(confidence.value) ? confidence.value : "",
      sort: sort.value === SORTS[0][0] ? "" : sort.value,
      ...(only.checked ? held : { by: "", group: "" }),
    };
  }

  function set(values, senses) {
    sense.replaceChildren(h("option", { value: "" }, "all senses"),
      ...senses.map((sense) => h("option", { value: sense.number }, `${sense.number} ${senseName(sense)}`)));
    if (values.sense && ![...sense.options].some((option) => option.value === values.sense)) {
      sense.append(h("option", { value: values.sense }, values.sense));
    }
    sense.value = values.sense;
    sense.disabled = values.idk;
    if (document.activeElement !== text) text.value = values.q;
    idk.checked = values.idk;
    confidence.value = values.confidence || 0;
    sort.value = values.sort || SORTS[0][0];
    if (values.by) held = { by: values.by, group: values.group };
    only.checked = Boolean(values.by);
    onlyLabel.hidden = !held.by;
    onlyName.textContent = `only ${held.group}`;
    showConfidence();
  }

  const element = h("form", { class: "filters", role: "search", "aria-label": "Filter the lines", onsubmit: (event) => { event.preventDefault(); now(); } },
    h("label", {}, "Sense", sense),
    h("label", {}, "Text in the line", text),
    h("label", {}, h("span", {}, "Confidence at least ", shown), confidence),
    h("label", {}, "Sort by", sort),
    h("label", { class: "check" }, idk, "only “don’t know”"),
    onlyLabel);
  return { element, set };
}
