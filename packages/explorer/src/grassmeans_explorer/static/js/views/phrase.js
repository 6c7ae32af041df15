// A phrase of the corpus: its lines, what stands near it, and its senses, where they are asked for.

import { ask, makeUrl } from "../api.js";
import { button, formatCount, formatShare, h, plural } from "../dom.js";
import { downloadLinks } from "../downloads.js";
import { makeMatchLines, readLineValues } from "../match_lines.js";
import { NO_CORPUS, nothingToAsk } from "../query_tabs.js";
import { makeHash, navigate } from "../router.js";
import { lineParts, senseBadge, wordList } from "../sense_card.js";
import { emptyPanel, makeLoader } from "../status.js";
import { PHRASE_VIEWS, wordHeading } from "../word_heading.js";

const SHOWN = 30;
const FEWEST = 3;
const DIALS = [["auto", "as many as there seem to be"], ...[2, 3, 4, 5].map((n) => [String(n), String(n)])];

function nearTable(rows) {
  if (!rows.length) return emptyPanel("No collocates", `No word stands near it ${FEWEST} times or more, and more often than by chance.`);
  return h("table", { class: "collocates near-phrase" },
    h("thead", {}, h("tr", {}, ["near it", "times", "in the corpus", "logDice", "log-likelihood"].map((label) => h("th", { scope: "col" }, label)))),
    h("tbody", {}, rows.map((row) => h("tr", {}, h("th", { scope: "row" }, h("a", { href: makeHash("word", row.word), dir: "auto" }, row.word)),
      [formatCount(row.count), formatCount(row.total), row.log_dice.toFixed(2), row.log_likelihood.toFixed(1)].map((value) => h("td", { class: "number" }, value))))));
}

/** Show a phrase. */
export function mount(root, route, app) {
  const phrase = route.word;
  let values = {}, k = "", sense = "";
  const { element: heading, facts } = wordHeading(phrase, "phrase", "", PHRASE_VIEWS);
  root.append(heading);
  if (!app.health.has_corpus) return nothingToAsk(root, "Phrases need a corpus", NO_CORPUS);
  const go = (changed) => navigate(makeHash("phrase", phrase, { ...values, k, sense, page: values.page > 1 ? values.page : "", ...changed }));
  const dial = h("select", { "aria-label": "How many senses" }, DIALS.map(([value, label]) => h("option", { value }, label)));
  const cards = h("div", {}), near = h("div", {});
  const lines = makeMatchLines(app, go, { name: phrase, onFound: (answer) => { facts.textContent = plural(answer.found, "line"); } });
  const number = () => (k && k !== "auto" ? k : "");
  root.append(h("section", { class: "phrase-senses" }, h("h2", {}, "Senses"),
    h("p", { class: "form-actions" }, dial, button("Look for its senses", () => go({ k: dial.value, sense: "", page: "" }))), cards),
  h("h2", {}, "Lines"), lines.element, h("h2", {}, "Collocates"), near);

  function card(one) {
    return h("article", { class: "card", "--sense": one.colour, "aria-label": `${phrase}, sense ${one.number}: ${one.name}` },
      h("header", {}, senseBadge(one.number, one.colour), " ", h("h3", { dir: "auto" }, one.name)),
      h("p", { class: "soft" }, `${formatShare(one.share)} · ${plural(one.n_lines, "line")}`),
      wordList("Typical of its contexts", one.characteristic_words),
      wordList("Nearest words", one.nearest_words),
      h("ul", { class: "examples" }, one.examples.map((line) => h("li", { dir: "auto" }, lineParts(line)))),
      h("p", { class: "card-links" }, h("a", { href: makeHash("phrase", phrase, { k, sense: one.number }) }, "Its lines")));
  }

  const senses = makeLoader(cards, "Looking for senses in the corpus…", async (signal) => {
    const answer = await ask(makeUrl("api/headword/senses", { word: phrase, k: number() }), { signal });
    cards.replaceChildren(h("p", { class: "soft" }, `From ${formatCount(answer.looked_at)} of ${plural(answer.count, "line")}; ${formatCount(answer.unknown)} are `, h("a", { href: makeHash("phrase", phrase, { k, sense: "0" }) }, "“don’t know”"), ".", answer.verdict ? ` ${answer.verdict}` : ""),
      h("div", { class: "cards" }, answer.senses.map(card)),
      sense ? h("p", {}, `Below: sense ${sense}. `, h("a", { href: makeHash("phrase", phrase, { k }) }, "All senses together"), ".") : "");
  });
  const address = (extra = {}) => makeUrl("api/headword/collocates", { word: phrase, sense: Number(sense) || "", k: sense ? number() : "", limit: SHOWN, fewest: FEWEST, ...extra });
  const collocates = makeLoader(near, "Reading the corpus…", async (signal) => {
    const answer = await ask(address(), { signal });
    near.replaceChildren(h("div", { class: "scroll-wide", tabindex: 0, role: "region", "aria-label": "Collocates" }, nearTable(answer.collocates)), downloadLinks(`${phrase}-collocates`, address));
  });

  function update(next) {
    values = readLineValues(next.params);
    const before = [k, sense].join(), first = !near.children.length;
    k = next.params.get("k") ?? "";
    sense = k ? next.params.get("sense") ?? "" : "";
    dial.value = k || "auto";
    lines.load({ q: phrase, typed: true, sense, k: sense ? number() : "" }, values);
    if (!first && before === [k, sense].join()) return;
    collocates.load();
    if (k) senses.load();
    else cards.replaceChildren();
  }

  update(route);
  return { update, destroy: () => { lines.stop(); senses.stop(); collocates.stop(); } };
}
