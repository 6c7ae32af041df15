// All annotations: go on with one, make one of lines of a word, or bring tables along.

import { accessPanel, sendAs } from "../annotation_access.js";
import { ask } from "../api.js";
import { h, plural } from "../dom.js";
import { makeHash } from "../router.js";
import { announce, emptyPanel, errorPanel, makeLoader } from "../status.js";

const TASKS = [["senses", "a sense for each line"], ["relatedness", "how related two lines are"]];
const TABLES = ["uses", "instances", "judgments", "labels", "senses", "decisions"];

/** Which table a file is, by its name: uses.csv, or crane_uses.tsv; undefined for none. */
function kindOf(file) {
  const name = file.name.replace(/\.[ct]sv$/, "").split("_").at(-1);
  return TABLES.find((kind) => kind === name);
}

/** The files as {kind: text}; those of several words become one, where their columns are the same. */
async function readTables(files) {
  const tables = {};
  for (const file of files) {
    const kind = kindOf(file), text = (await file.text()).replace(/^\ufeff/, "").replaceAll("\r\n", "\n");
    if (!kind) throw new Error(`${file.name} is no table of these: ${TABLES.map((name) => `${name}.csv`).join(", ")}. Take it out, or give it another name.`);
    if (!text.trim()) continue;
    const [head, ...rows] = text.split("\n");
    if (tables[kind] === undefined) tables[kind] = text;
    else if (tables[kind].startsWith(`${head}\n`)) tables[kind] = `${tables[kind].trimEnd()}\n${rows.join("\n")}`;
    else throw new Error(`${file.name} has other columns than the tables of ${kind} before it: bring them along one by one.`);
  }
  return tables;
}

function field(label, input) {
  return h("label", {}, label, input);
}

function names(text) {
  return text.split(",").map((name) => name.trim()).filter(Boolean);
}

function projectPanel(project) {
  const { name } = project;
  return h("li", { class: "panel" }, h("h2", {}, name),
    h("p", { class: "soft" }, `${project.words.join(", ")} · ${plural(project.n_items, "item")} · ${TASKS.find(([task]) => task === project.task)[1]}`),
    h("p", { class: "card-links" },
      project.annotators.map((who) => h("a", { href: makeHash("annotate", name, { annotator: who }) }, `Judge as ${who}`)),
      project.annotators.length ? null : h("a", { href: makeHash("annotate", name) }, `Judge lines of ${name}`),
      h("a", { href: makeHash("agreement", name) }, `Run ${name}`)));
}

/** Show the list. */
export function mount(root, route) {
  const list = h("div", {});
  const message = h("div", { class: "message", role: "status" });
  root.append(h("h1", { tabindex: -1 }, "Annotation"),
    h("p", { class: "guide" }, "Several people say which sense a line has, or how related two are. Nobody sees what others say before it is compared."), list, message);

  async function attempt(url, body, told) {
    try {
      const answer = await sendAs("", "", url, body);
      message.replaceChildren(h("p", { class: "done" }, told(answer)));
      announce(told(answer));
      loader.load();
    } catch (failure) {
      message.replaceChildren(accessPanel(failure, "", "", () => attempt(url, body, told)));
    }
  }

  function makingForm() {
    const word = h("input", { type: "text", maxlength: 200, required: true, value: route.params.get("word") ?? "" });
    const name = h("input", { type: "text", maxlength: 64, required: true, pattern: "[A-Za-z0-9][A-Za-z0-9._\\-]*" });
    const people = h("input", { type: "text", required: true, placeholder: "Ann, Bo" });
    const task = h("select", {}, TASKS.map(([value, label]) => h("option", { value }, label)));
    const size = h("input", { type: "number", min: 1, max: 1000, value: 50 });
    const even = h("input", { type: "checkbox" });
    const make = () => attempt("api/annotation/projects", { name: name.value.trim(), word: word.value.trim(), annotators: names(people.value), task: task.value, size: Number(size.value), stratified: even.checked },
      (made) => `${made.name} is made: ${plural(made.n_items, "item")}.`);
    return h("details", { open: Boolean(word.value) }, h("summary", {}, "Draw lines of a word"),
      h("form", { class: "filters making", onsubmit: (event) => { event.preventDefault(); make(); } },
        field("Word", word), field("Name of the annotation", name), field("Annotators, with commas", people), field("What is asked", task), field("Lines", size),
        h("label", { class: "check" }, even, "the same share for every sense"), h("button", { type: "submit", class: "main" }, "Make it")));
  }

  function importForm() {
    const name = h("input", { type: "text", maxlength: 64, required: true, pattern: "[A-Za-z0-9][A-Za-z0-9._\\-]*" });
    const people = h("input", { type: "text", placeholder: "those of the tables" });
    const files = h("input", { type: "file", multiple: true, required: true, accept: ".csv,.tsv" });
    async function bring() {
      let tables;
      try {
        tables = await readTables(files.files);
      } catch (failure) {
        message.replaceChildren(errorPanel(failure, { title: "Nothing was made" }));
        return;
      }
      await attempt("api/annotation/imports", { name: name.value.trim(), annotators: names(people.value), ...tables },
        (made) => `${made.project.name} is made: ${plural(made.project.n_items, "item")}, ${plural(made.n_judgments, "judgment")}. ${made.passed_over.join("; ")}`);
    }
    return h("details", {}, h("summary", {}, "Bring tables along (DURel, word usage graphs)"),
      h("form", { class: "filters importing", onsubmit: (event) => { event.preventDefault(); bring(); } },
        field("Name of the annotation", name), field("Further annotators", people), field("uses.csv, judgments.csv, instances.csv, …", files), h("button", { type: "submit", class: "main" }, "Bring them along")));
  }

  const loader = makeLoader(list, "Opening the annotations…", async (signal) => {
    const found = await ask("api/annotation/projects", { signal });
    list.replaceChildren(...[
      found.projects.length ? h("ul", { class: "projects" }, found.projects.map(projectPanel)) : emptyPanel("No annotation yet", "Draw lines of a word, or bring tables along."),
      found.damaged.length ? h("p", { class: "soft" }, `Cannot be read: ${found.damaged.join(", ")}`) : null,
      found.can_make ? makingForm() : null, importForm()].filter(Boolean));
  }, { keep: true });

  loader.load();
  return { update: () => {}, destroy: loader.stop };
}
