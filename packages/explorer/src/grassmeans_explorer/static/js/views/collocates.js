// The collocates of a word or of one of its senses: what stands near it more often than by chance.

import { ask, wordUrl } from "../api.js";
import { makeSettings, readSettings, settingsQuery } from "../collocate_settings.js";
import { senseColour } from "../colours.js";
import { formatCount, h, plural } from "../dom.js";
import { downloadLinks } from "../downloads.js";
import { makeHash, navigate } from "../router.js";
import { senseName } from "../sense_card.js";
import { announce, emptyPanel, makeLoader } from "../status.js";
import { wordHeading } from "../word_heading.js";

const SHOWN = 100;
const HIGHEST = 14;
const DEFAULT_SPAN = 5;

function table(answer, link) {
  return h("table", { class: "collocates", "--sense": senseColour(answer.sense ?? 0, answer.sense === null ? "#1f5f8b" : null) },
    h("thead", {}, h("tr", {}, ["near it", "times", "in the corpus", "logDice", "log-likelihood"].map((label, i) => h("th", { scope: "col", colspan: i === 3 ? 2 : null }, label)))),
    h("tbody", {}, answer.collocates.map((row) => h("tr", {},
      h("th", { scope: "row" }, h("a", { href: link(row.word), dir: "auto", title: "Read these lines" }, row.word)),
      h("td", { class: "number" }, formatCount(row.count)),
      h("td", { class: "number soft" }, formatCount(row.total)),
      h("td", { class: "number" }, row.log_dice.toFixed(2)),
      h("td", { class: "bar-cell" }, h("span", { class: "bar", "--share": `${Math.max(0, (100 * row.log_dice) / HIGHEST).toFixed(1)}%` })),
      h("td", { class: "number" }, row.log_likelihood.toLocaleString("en", { maximumFractionDigits: 1 }))))));
}

/** Show collocates. */
export function mount(root, route, app) {
  const { word } = route;
  let sense = "", k = "", settings = {};
  const heading = wordHeading(word, "collocates");
  root.append(heading.element);
  if (!app.health.has_corpus) {
    root.append(emptyPanel("Collocates need a corpus", "Start with one: grassmeans explore MODEL --corpus CORPUS"));
    return { update: () => {}, destroy: () => {} };
  }
  const choice = h("select", { onchange: () => navigate(hashFor({ sense: choice.value })) });
  const against = h("select", { onchange: () => navigate(makeHash("compare", word, { sense, other: word, other_sense: against.value, ...settings })) });
  const againstLabel = h("label", {}, "Compare with", against);
  const form = makeSettings((changed) => navigate(hashFor(changed)));
  const place = h("div", {});
  root.append(
    h("p", { class: "guide" }, h("b", {}, "logDice"), ": how exclusively the two belong together, 14 at most; one less is half as much. ",
      h("b", {}, "Log-likelihood"), ": how sure it is that they are near each other more often than by chance; from 10.8 on, less than one word in a thousand gets there by chance. Click a word to read its lines."),
    h("form", { "aria-label": "Collocates", onsubmit: (event) => event.preventDefault() },
      h("div", { class: "filters" }, h("label", {}, "Of", choice), againstLabel), form.element), place);

  const hashFor = (changed) => makeHash("collocates", word, { sense, k, ...settings, ...changed });

  function showSenses(senses) {
    const visible = senses.filter((one) => !one.hidden).map((one) => [String(one.number), `sense ${one.number}: ${senseName(one)}`]);
    const option = ([value, label]) => h("option", { value }, label);
    choice.replaceChildren(option(["", "all senses together"]), ...visible.map(option));
    choice.value = sense;
    against.replaceChildren(option(["", "…"]), ...visible.filter(([value]) => value !== sense).map(option));
    againstLabel.hidden = !sense || Boolean(k) || visible.length < 2;
  }

  function draw(answer) {
    const sample = answer.measured ? `, from a random sample of ${formatCount(answer.measured)} of ${formatCount(answer.occurrences)} occurrences` : "";
    heading.facts.textContent = plural(answer.lines, "line") + sample;
    if (!answer.collocates.length) {
      place.replaceChildren(emptyPanel("No collocates", "Fewer times, more words on each side, or more lines may show some."));
      return;
    }
    const reach = Math.max(Number(settings.before || DEFAULT_SPAN), Number(settings.after || DEFAULT_SPAN));
    const link = (near) => makeHash("concordance", word, { sense, k, q: `"${near}"`, reach, sample: settings.sample });
    place.replaceChildren(h("div", { class: "scroll-wide" }, table(answer, link)), downloadLinks(`${word}-collocates`, address));
    announce(`${answer.collocates.length} collocates`);
  }

  const address = (extra = {}) => wordUrl(word, "/collocates", { sense, k, limit: SHOWN, ...settingsQuery(settings), ...extra });

  const loader = makeLoader(place, "Reading the corpus…", async (signal) => {
    const value = await app.word(word, k, { signal, onProgress: () => {} }).catch((failure) => {
      // A word that only the corpus has still has collocates.
      if (failure.status !== 404 || sense) throw failure;
      return { senses: [] };
    });
    showSenses(value.senses);
    const answer = await ask(address(), { signal });
    if (!signal.aborted) draw(answer);
  }, { keep: true, onFailure: () => { heading.facts.textContent = ""; } });

  function update(next) {
    sense = next.params.get("sense") ?? "";
    k = next.params.get("k") ?? "";
    settings = readSettings(next.params);
    heading.setDial(k);
    form.set(settings);
    loader.load();
  }

  update(route);
  return { update, destroy: loader.stop };
}
