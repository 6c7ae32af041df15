// One sense of an entry, with the senses in it.

import { button, h } from "./dom.js";
import { rowsField, textField } from "./entry_fields.js";
import { makeHash } from "./router.js";

export const LABEL_KINDS = ["register", "domain", "region", "time", "attitude", "frequency", "other"];
export const REFERENCE_KINDS = ["see", "synonym", "antonym", "broader", "narrower", "part"];

const words = { toText: (list) => list.join(", "), fromText: (text) => text.split(",").map((word) => word.trim()).filter(Boolean) };
/** Notes, one a line. */
export const lines = { rows: 2, toText: (list) => list.join("\n"), fromText: (text) => text.split("\n").map((line) => line.trim()).filter(Boolean) };
const sameLine = (one, other) => `${one.left}${one.word}${one.right}` === `${other.left}${other.word}${other.right}`;

/** The sense at a place; nothing where there is none. */
const senseAt = (entry, path) => path.reduce((found, number) => found?.senses[number - 1], entry);

/** The changes that take all of a proposal for what is still empty in an entry. */
export function takeAll(entry, proposed) {
  const sense = senseAt(entry, proposed.path);
  if (!sense) return [];
  const set = (field, more) => ({ action: "set", path: proposed.path, key: sense.key, field, ...more });
  return [
    ...["name", "definition", "part_of_speech"].filter((field) => proposed[field] && !sense[field]).map((field) => set(field, { text: proposed[field] })),
    ...(proposed.collocates.length && !sense.collocates.length ? [set("collocates", { items: proposed.collocates })] : []),
  ];
}

function exampleItem(example, decide, forget) {
  return h("li", { dir: "auto", class: `entry-example ${example.decision}` },
    h("span", {}, example.left, h("b", {}, example.word), example.right), " ",
    example.document ? h("small", { class: "soft" }, example.document) : null,
    h("span", { class: "entry-tools" },
      example.decision === "keep" ? h("span", { class: "tag" }, "kept") : button("Keep", () => decide("keep"), { class: "small" }),
      example.decision === "never" ? h("span", { class: "tag" }, "never shown") : button("Never", () => decide("never"), { class: "small" }),
      forget ? button("Forget", forget, { class: "small quiet" }) : null));
}

/** The examples with a decision on one of them; nothing for "forget". */
function decideOn(examples, example, decision) {
  const decided = decision ? [{ ...example, decision }] : [];
  if (!examples.some((other) => sameLine(other, example))) return [...examples, ...decided];
  return examples.flatMap((other) => (sameLine(other, example) ? decided : [other]));
}

/** `save(change)`: `change` makes the new examples of those that are there when its turn comes. */
function exampleField(sense, proposed, save) {
  const item = (example, own) => {
    const decide = (decision) => save((examples) => decideOn(examples, example, decision));
    return exampleItem(example, decide, own ? () => decide("") : null);
  };
  const items = [...sense.examples.map((example) => item(example, true)), ...proposed.map((example) => item(example, false))];
  return h("div", { class: "entry-field", role: "group", "aria-label": "Examples" }, h("span", { class: "label" }, "Examples"),
    items.length ? h("ul", { class: "examples" }, items) : h("p", { class: "soft" }, "None yet: keep lines of the concordance."));
}

/** How many senses the one before the last of a place has. */
function countInner(senses, above, last) {
  const beside = above.reduce((found, number) => found[number - 1].senses, senses);
  return beside[last - 2].senses.length;
}

/** Move with the buttons, or with Alt and an arrow key. */
function orderTools(path, key, siblings, { change, entry }) {
  const last = path.at(-1), above = path.slice(0, -1);
  const move = (to) => change([{ action: "move", path, key, to }], true, to);
  const label = path.join(".");
  return [
    button("Up", () => move([...above, last - 1]), { class: "small up", disabled: last === 1, "aria-label": `Up: sense ${label}` }),
    button("Down", () => move([...above, last + 1]), { class: "small down", disabled: last === siblings, "aria-label": `Down: sense ${label}` }),
    button("Inside the one above", () => move([...above, last - 1, countInner(entry().senses, above, last) + 1]), { class: "small", disabled: last === 1, "aria-label": `Inside the one above: sense ${label}` }),
    button("Out", () => move([...above.slice(0, -1), above.at(-1) + 1]), { class: "small", disabled: !above.length, "aria-label": `Out: sense ${label}` }),
  ];
}

function onKeys(event, path, key, siblings, context) {
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (!event.altKey || !step) return;
  const to = path.at(-1) + step;
  event.preventDefault();
  event.stopPropagation();
  if (to >= 1 && to <= siblings) context.change([{ action: "move", path, key, to: [...path.slice(0, -1), to] }], true, [...path.slice(0, -1), to]);
}

function heading(sense, label, context) {
  const own = context.modelSenses.get(sense.key);
  return h("header", {}, h("h2", {}, `Sense ${label}`),
    own ? h("a", { class: "soft", href: makeHash("word", context.word, { sense: own.number }) }, `${sense.key}: ${own.name || "no name"}`) : null,
    own?.hidden ? h("span", { class: "tag" }, "hidden in the model") : null,
    sense.former ? h("span", { class: "tag gone" }, `no longer in the model: it was ${sense.former}`) : null,
    !sense.key && !sense.former ? h("span", { class: "tag" }, "your own sense") : null);
}

/**
 * A sense. `context`: {word, entry(), modelSenses (by key), proposals (by path), change(changes, redraw, focus)};
 * `siblings` is how many senses stand beside it, itself included.
 */
export function entrySense(sense, path, siblings, context) {
  const label = path.join(".");
  const proposed = context.proposals.get(label) ?? { path, name: "", definition: "", part_of_speech: "", collocates: [], examples: [] };
  const save = (field, more, redraw = false) => context.change([{ action: "set", path, key: sense.key, field, ...more }], redraw, path);
  // Where another click is on its way, its examples are there before these are made.
  const saveExamples = (make) => context.change(() => {
    const now = senseAt(context.entry(), path);
    return [{ action: "set", path, key: sense.key, field: "examples", examples: make(now && now.key === sense.key ? now.examples : sense.examples) }];
  }, true, path);
  const all = () => takeAll(context.entry(), proposed);
  const text = (field, title, more = {}) => textField(title, sense[field], (value) => save(field, { text: value }), { proposed: proposed[field], ...more });
  return h("li", {
    class: sense.former ? "panel entry-sense gone" : "panel entry-sense", "data-path": label,
    onkeydown: (event) => onKeys(event, path, sense.key, siblings, context),
  },
  heading(sense, label, context),
  h("div", { class: "entry-tools", role: "group", "aria-label": `Order of sense ${label}` }, orderTools(path, sense.key, siblings, context),
    button("Add a sub-sense", () => context.change([{ action: "add", path }], true, [...path, sense.senses.length + 1]), { class: "small" }),
    button("Remove", () => context.change([{ action: "remove", path, key: sense.key }], true, path), { class: "small", "aria-label": `Remove sense ${label}` }),
    all().length ? button("Take all proposals of this sense", () => context.change(all(), true, path), { class: "small take-all" }) : null),
  sense.proposed.length ? h("p", { class: "proposal" }, `Not looked at yet: ${sense.proposed.join(", ")}. `,
    button("They are right", () => context.change([{ action: "accept", path, key: sense.key }], true, path), { class: "small" })) : null,
  text("definition", "Definition", { rows: 2 }),
  h("div", { class: "entry-columns" }, text("name", "Name"), text("part_of_speech", "Part of speech", { list: "parts-of-speech" })),
  textField("Collocates", sense.collocates, (items) => save("collocates", { items }), { ...words, proposed: proposed.collocates.join(", ") }),
  exampleField(sense, proposed.examples, saveExamples),
  h("details", { open: sense.labels.length + sense.references.length + sense.notes.length > 0 }, h("summary", {}, "Labels, references, notes"),
    rowsField("Labels", "label", sense.labels, LABEL_KINDS, "text", (labels) => save("labels", { labels })),
    rowsField("References", "reference", sense.references, REFERENCE_KINDS, "key", (references) => save("references", { references })),
    textField("Notes, one a line", sense.notes, (items) => save("notes", { items }), lines)),
  sense.senses.length ? h("ol", { class: "entry-senses" }, sense.senses.map((inner, index) => entrySense(inner, [...path, index + 1], sense.senses.length, context))) : null);
}
