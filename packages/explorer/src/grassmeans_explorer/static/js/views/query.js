// Queries in CQL: a field with help beside it, lines, and the place of a mistake.

import { button, h } from "../dom.js";
import { makeMatchLines, readLineValues } from "../match_lines.js";
import { NO_CORPUS, nothingToAsk, queryHeading } from "../query_tabs.js";
import { makeHash, navigate } from "../router.js";

const HELP = [['"crane"', "the word"], ['"crane|heron" "lift.*"', "regular expressions of whole words"], ["[]", "any token"],
  ['[lemma="lift"]', "a form of a word"], ['[word="crane" & sense="1"]', "a word in a sense; 0: don’t know"], ['[word!="the"]', "any token but this"],
  ['[tag="N.*"] [pos="VERB"]', "tags, with a layer of grammar"], ['"old"? "crane"', "may be missing"], ['"the" []{0,3} "crane"', "up to three tokens between"],
  ['("old" | "new") "crane"', "one of several"], ['"in" "the" within s', "inside one sentence"]];

/** Show the page. */
export function mount(root, route, app) {
  root.append(queryHeading("query", "Ask the corpus"));
  if (!app.health.has_corpus) return nothingToAsk(root, "Queries need a corpus", NO_CORPUS);
  let values = {}, q = "";
  const input = h("input", { type: "text", id: "cql", class: "cql", spellcheck: "false", autocapitalize: "off", autocomplete: "off", maxlength: 2000, "aria-describedby": "cql-mistake", placeholder: '[word="crane"] []{0,2} "of"' });
  const mistake = h("div", { id: "cql-mistake", class: "cql-mistake", role: "alert" });
  const go = (changed) => navigate(makeHash("query", "", { q, ...values, page: values.page > 1 ? values.page : "", ...changed }));
  const lines = makeMatchLines(app, go, { onFailure: (failure) => showMistake(failure), onFound: () => showMistake(null) });
  lines.element.hidden = true;
  // Beside lines the help is closed: they would begin below it. A mistake opens it.
  const help = h("details", { class: "panel query-help", open: innerWidth > 640 && !route.params.get("q") }, h("summary", {}, "The language"),
    h("dl", {}, HELP.map(([text, label]) => [h("dt", {}, button(text, () => { input.value = text; input.focus(); }, { class: "link", title: "Put it into the field" })), h("dd", {}, label)])));
  const ask = (text) => navigate(makeHash("query", "", { q: text, sort: values.sort, per: values.per }));
  function submit(text) {
    if (!text) return;
    help.open = false;
    ask(text);
  }
  root.append(h("div", { class: "query-columns" },
    h("form", { class: "query-form", role: "search", "aria-label": "Query", onsubmit: (event) => { event.preventDefault(); submit(input.value.trim()); } },
      h("label", { for: "cql" }, "Query in CQL"), input, mistake, h("div", { class: "form-actions" }, h("button", { type: "submit", class: "main" }, "Find"))),
    help), lines.element);

  /** Where the server has named the column: a caret under it. */
  function showMistake(failure) {
    const column = failure?.column;
    input.setAttribute("aria-invalid", String(Boolean(column)));
    if (column) help.open = innerWidth > 640;
    lines.element.hidden = !q || Boolean(column); // which would say the same again
    mistake.replaceChildren(...(column ? [h("pre", { "aria-hidden": "true" }, `${q}\n${" ".repeat(column - 1)}^`), h("p", {}, failure.message)] : []));
  }

  function update(next) {
    q = next.params.get("q") ?? "";
    values = readLineValues(next.params);
    if (document.activeElement !== input || q) input.value = q;
    lines.element.hidden = !q;
    showMistake(null);
    if (q) lines.load({ q }, values);
  }

  update(route);
  return { update, destroy: lines.stop };
}
