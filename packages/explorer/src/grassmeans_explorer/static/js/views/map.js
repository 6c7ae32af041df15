// One picture of many words: the senses of a domain, like senses near one another.

import { ask, makeUrl } from "../api.js";
import { senseColour } from "../colours.js";
import { debounce, formatShare, h, plural } from "../dom.js";
import { downloadButtons } from "../downloads.js";
import { pictureButtons, zoomButtons } from "../picture_tools.js";
import { makeHash, navigate, replaceHash } from "../router.js";
import { makeScatter } from "../scatter.js";
import { announce, emptyPanel, makeLoader } from "../status.js";
import { readView, writeView } from "../viewport.js";

const NEIGHBOURS = [0, 10, 20, 40, 60];
const VIEW_WAIT = 300;
const NAME_REACH = 30;

/** "bank, river loan" -> "bank,river,loan". */
function readWords(text) {
  return text.split(/[,;\n]+/).map((word) => word.trim()).filter(Boolean).join(",");
}

/** A word with one sense is called by itself, others by the first word of the sense's name too. */
function labelOf(sense) {
  const name = sense.name.split(/,\s/)[0] || String(sense.sense);
  return sense.n_senses > 1 ? `${sense.word} · ${name}` : sense.word;
}

function asTable(senses, groupName) {
  return h("details", {}, h("summary", {}, `The ${plural(senses.length, "sense")} as a table`),
    h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Table of senses" }, h("table", {},
      h("thead", {}, h("tr", {}, ["Word", "Sense", "Share", "Group"].map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", {}, senses.map((sense) => h("tr", {},
        h("td", {}, h("a", { href: makeHash("word", sense.word, { sense: sense.sense }), dir: "auto" }, sense.word)),
        h("td", {}, `${sense.sense} ${sense.name}`), h("td", {}, formatShare(sense.share)), h("td", {}, groupName(sense.group))))))));
}

/** What the colours mean; a click leaves only that group, another one brings all back. */
function legendOf(groups, onChoose) {
  return h("div", { class: "choices map-groups", role: "group", "aria-label": "Groups of like senses" }, groups.map((group) =>
    h("label", { class: "choice", "--sense": senseColour(group.number, group.colour) },
      h("input", { type: "checkbox", value: group.number, checked: true, onchange: onChoose }),
      h("span", {}, h("span", { class: "swatch" }), group.words.join(", "), h("small", {}, ` ${group.n_senses}`)))));
}

/** Show the map. */
export function mount(root, route, app) {
  let words = "", neighbours = 0, view = readView(""), scatter = null, drawn = null;
  const field = h("input", { type: "text", placeholder: app.health.language === "en" ? "bank, river, loan" : null, autocomplete: "off", spellcheck: false });
  const choice = h("select", {}, NEIGHBOURS.map((count) => h("option", { value: count }, count ? `and ${count} near them` : "only these")));
  const place = h("div", {});
  const form = h("form", {
    class: "filters", onsubmit: (event) => {
      event.preventDefault();
      navigate(makeHash("map", "", { words: readWords(field.value), neighbours: Number(choice.value) || "" }));
    },
  }, h("label", { class: "wide" }, "Words, with commas", field), h("label", {}, "Which", choice), h("button", { class: "main" }, "Draw"));
  root.append(h("h1", { tabindex: -1 }, "Map of senses"),
    h("p", { class: "guide" }, "Each dot is a sense of a word; like senses lie near one another, and groups of them share a colour; of one word, its senses have their own colours. Only nearness means something: left, right, up and down do not. Give the words of a domain, or one word and its neighbours."),
    form, place);
  const keepView = debounce(() => replaceHash(makeHash("map", "", { words, neighbours: neighbours || "", at: writeView(view) })), VIEW_WAIT);

  function draw(answer) {
    const { senses, groups } = answer;
    const groupName = (number) => groups.find((group) => group.number === number)?.words.join(", ") ?? "";
    const line = h("p", { class: "map-line", "aria-live": "polite" },
      "Point at a dot, or use the arrow keys on the picture, to read its sense; a click or Enter opens the word.");
    const dots = senses.map((sense) => ({
      x: sense.x, y: sense.y, radius: sense.given ? 7 : 5, sense: sense.group, colour: senseColour(sense.group, sense.colour), hidden: false,
    }));
    const addressOf = (sense) => makeHash("word", sense.word, { sense: sense.sense });
    // Words that were asked for have their names first, then frequent senses.
    const rank = senses.map((_, index) => index).sort((a, b) => senses[b].given - senses[a].given || senses[b].share - senses[a].share);
    scatter = makeScatter({
      label: `Map of ${senses.length} senses. Arrow keys go from dot to dot, Enter opens the word, plus and minus zoom.`,
      dots, reach: NAME_REACH, view,
      onView: (next) => { view = next; keepView(); },
      namesOf: (seen) => {
        const visible = new Set(seen);
        return rank.filter((index) => visible.has(index)).map((index) => ({ x: dots[index].x, y: dots[index].y, text: labelOf(senses[index]), colour: dots[index].colour, gap: dots[index].radius - 4 }));
      },
      onChoose: (index) => {
        const sense = senses[index];
        line.replaceChildren(h("a", { href: addressOf(sense), dir: "auto" }, h("b", {}, sense.word)), ` ${sense.name}`,
          h("small", { class: "soft" }, ` sense ${sense.sense} of ${sense.n_senses}, ${formatShare(sense.share)}${sense.group ? `; among ${groupName(sense.group)}` : ""}`));
      },
      onOpen: (index, event) => { if (event.pointerType !== "touch") navigate(addressOf(senses[index])); },
    });
    const legend = legendOf(groups, () => {
      const chosen = new Set([...legend.querySelectorAll("input:checked")].map((box) => Number(box.value)));
      const all = chosen.size === groups.length || chosen.size === 0;
      dots.forEach((dot) => { dot.hidden = !all && !chosen.has(dot.sense); });
      scatter.refresh();
    });
    const columns = ["word", "sense", "name", "share", "group", "x", "y"];
    const downloads = downloadButtons("sense-map", () => ({ columns, rows: senses.map((sense) => columns.map((name) => sense[name])) }), () => answer);
    downloads.firstChild.after(...pictureButtons("sense-map", scatter.picture, scatter.paint));
    place.replaceChildren(...[
      answer.unknown.length ? h("p", { class: "soft" }, `Not in this model: ${answer.unknown.join(", ")}.`) : null,
      answer.n_left_out ? h("p", { class: "soft" }, `${plural(answer.n_left_out, "word")} more had no room.`) : null,
      groups.length ? legend : null,
      h("section", { class: "panel", "aria-label": "Picture" }, scatter.element, line,
        h("div", { class: "picture-bar" }, zoomButtons(scatter.tools), downloads), asTable(senses, groupName)),
    ].filter(Boolean));
    announce(`${plural(senses.length, "sense")} on the map`);
  }

  const loader = makeLoader(place, "Laying out the senses…", async (signal) => {
    const answer = await ask(makeUrl("api/sense-map", { words, neighbours: neighbours || "" }), { signal });
    if (!signal.aborted) draw(answer);
  });

  function load() {
    scatter = null;
    if (words) return loader.load();
    loader.stop();
    return place.replaceChildren(emptyPanel("No words yet", "Write some words above, with commas between them."));
  }

  function update(next) {
    words = readWords(next.params.get("words") ?? "");
    neighbours = Number(next.params.get("neighbours")) || 0;
    view = readView(next.params.get("at"));
    field.value = words.replaceAll(",", ", ");
    choice.value = String(NEIGHBOURS.includes(neighbours) ? neighbours : 0);
    const wanted = `${words}/${neighbours}`;
    if (wanted === drawn) return scatter?.setView(view);
    drawn = wanted;
    return load();
  }

  update(route);
  return { update, destroy: () => { loader.stop(); keepView.cancel(); } };
}
