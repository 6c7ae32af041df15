// The filters of a concordance, as a form. Everything that they say is in the address.

import { button, debounce, h } from "./dom.js";
import { senseName } from "./sense_card.js";

const TYPING_WAIT = 400;
const NAMES = ["sense", "confidence", "q", "match", "reach", "side", "sort", "by", "group", "sample", "seed", "forms", "width"];
const ORDERS = [["position", "place in the corpus"], ["confidence", "confidence, surest first"],
  ["unsure", "confidence, least sure first"], ["sense", "sense"], ["document", "document"]];
const BESIDE = [1, 2, 3].flatMap((n) => [[`left${n}`, `${n} to the left`], [`right${n}`, `${n} to the right`]])
  .sort(([one], [other]) => (one < other ? -1 : 1));
const ALL = "all lines";
const SAMPLES = [["", ALL], ...[100, 250, 1000, 5000, 20000].map((n) => [String(n), `a random ${n.toLocaleString("en")}`]), ["200000", "all, however long it takes"]];
const WIDTHS = [["", "a line"], ["200", "two lines"], ["400", "a paragraph"]];
const REACHES = [["1", "1 word"], ["2", "2 words"], ["3", "3 words"], ["5", "5 words"], ["", "12 words"], ["30", "30 words"], ["50", "50 words"]];
const SIDES = [["", "either side"], ["left", "the left"], ["right", "the right"]];

/** What the address says -> the filters' values. */
export function readFilters(params) {
  const values = Object.fromEntries(NAMES.map((name) => [name, params.get(name) ?? ""]));
  return { ...values, idk: params.get("idk") === "1" };
}

/** The filters' values -> parameters of the server. */
export function filterQuery(values) {
  return {
    sense: values.idk ? "" : values.sense, idk_only: values.idk, min_confidence: values.confidence,
    q: values.q, match: values.match, reach: values.q ? values.reach : "", side: values.q ? values.side : "",
    sort: values.sort, by: values.by, group: values.group, sample: values.sample, seed: values.seed, forms: values.forms,
  };
}

const options = (pairs) => pairs.map(([value, label]) => h("option", { value }, label));

/** A value that is not in the list can still come from an address. */
function choose(select, value) {
  if (![...select.options].some((option) => option.value === value)) select.append(h("option", { value }, value));
  select.value = value;
}

/** The form; `onChange(values)` is called after every change. {element, set(values, senses), tellSample(size)} */
export function makeFilters(onChange, fields = []) {
  const typed = debounce(() => onChange(read()), TYPING_WAIT);
  const now = () => { typed.cancel(); showConfidence(); onChange(read()); };
  const list = (pairs) => h("select", { onchange: now }, options(pairs));
  const sense = list([]);
  const sort = h("select", { onchange: now }, options(ORDERS),
    h("optgroup", { label: "words beside it" }, options(BESIDE)),
    fields.length ? h("optgroup", { label: "documents" }, options(fields.map((name) => [`field:${name}`, name]))) : null);
  const text = h("input", { type: "search", placeholder: "river|stream swim* \"west bank\"", spellcheck: "false", autocapitalize: "off", oninput: typed });
  const forms = h("input", { type: "text", placeholder: "banks|banked or bank*", spellcheck: "false", autocapitalize: "off", onchange: now });
  const pattern = h("input", { type: "checkbox", onchange: now });
  const reach = list(REACHES), side = list(SIDES), width = list(WIDTHS), sample = list(SAMPLES);
  const again = button("Another sample", () => { seed = String((Number(seed) || 0) + 1); now(); }, { class: "quiet", hidden: true });
  const idk = h("input", { type: "checkbox", onchange: now });
  const confidence = h("input", { type: "range", min: 0, max: 1, step: 0.05, value: 0, oninput: showConfidence, onchange: now });
  const shown = h("output", {});
  const only = h("input", { type: "checkbox", onchange: now });
  const onlyName = h("span", {});
  const onlyLabel = h("label", { class: "check", hidden: true }, only, onlyName);
  let held = { by: "", group: "" }, seed = "";

  function showConfidence() {
    shown.textContent = Number(confidence.value) ? Number(confidence.value).toFixed(2) : "any";
  }

  function read() {
    return {
      sense: sense.value, q: text.value.trim(), match: pattern.checked ? "regex" : "", idk: idk.checked,
      forms: forms.value.trim(), reach: reach.value, side: side.value, width: width.value,
      confidence: Number(confidence.value) ? confidence.value : "",
      sort: sort.value === ORDERS[0][0] ? "" : sort.value,
      sample: sample.value, seed: sample.value ? seed : "",
      ...(only.checked ? held : { by: "", group: "" }),
    };
  }

  function set(values, senses) {
    sense.replaceChildren(h("option", { value: "" }, "all senses"),
      ...senses.map((own) => h("option", { value: own.number }, `${own.number} ${senseName(own)}`)));
    choose(sense, values.sense);
    sense.disabled = values.idk;
    if (document.activeElement !== text) text.value = values.q;
    forms.value = values.forms;
    pattern.checked = values.match === "regex";
    for (const [select, value] of [[reach, values.reach], [side, values.side], [width, values.width], [sample, values.sample]]) choose(select, value);
    choose(sort, values.sort || ORDERS[0][0]);
    seed = values.seed;
    again.hidden = !values.sample;
    idk.checked = values.idk;
    confidence.value = values.confidence || 0;
    if (values.by) held = { by: values.by, group: values.group };
    only.checked = Boolean(values.by);
    onlyLabel.hidden = !held.by;
    onlyName.textContent = `only ${held.group}`;
    // What is set can be seen.
    if (values.forms || values.reach || values.side || values.width || values.confidence || values.idk) more.open = true;
    showConfidence();
  }

  const more = h("details", { class: "more-filters" }, h("summary", {}, "More filters"),
    h("div", { class: "filters" },
      h("label", {}, "Other forms too", forms),
      h("label", {}, "Near is within", reach), h("label", {}, "On", side), h("label", {}, "Context", width),
      h("label", {}, h("span", {}, "Confidence at least ", shown), confidence),
      h("label", { class: "check" }, idk, "only “don’t know”")));
  /** Where the server has chosen a sample by itself, the choice says so. */
  function tellSample(size) {
    sample.options[0].textContent = size && !sample.value ? `a quick ${size.toLocaleString("en")} at random` : ALL;
  }

  const element = h("form", { role: "search", "aria-label": "Filter the lines", onsubmit: (event) => { event.preventDefault(); now(); } },
    h("div", { class: "filters" },
      h("label", {}, "Sense", sense),
      h("label", { class: "wide" }, "Words near it", text),
      h("label", { class: "check" }, pattern, "regular expressions"),
      h("label", {}, "Sort by", sort),
      h("label", {}, "Look at", sample), again, onlyLabel),
    more);
  return { element, set, tellSample };
}
