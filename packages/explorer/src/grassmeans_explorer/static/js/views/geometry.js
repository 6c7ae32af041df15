// The geometry of a word: planes of contexts in three dimensions, and a map of many contexts.

import { ask, isAbort, wordUrl } from "../api.js";
import { senseColour } from "../colours.js";
import { contextMap, readingOf } from "../context_map.js";
import { openDocument } from "../document_dialog.js";
import { button, debounce, h, plural } from "../dom.js";
import { downloadButtons } from "../downloads.js";
import { pictureButtons, zoomButtons } from "../picture_tools.js";
import { makeHash, navigate, replaceHash } from "../router.js";
import { lineParts, senseBadge, senseName } from "../sense_card.js";
import { emptyPanel, errorPanel, showDividing, waiting } from "../status.js";
import { readView, writeView } from "../viewport.js";
import { wordHeading } from "../word_heading.js";

const MAP_POINTS = 400;
const VIEW_WAIT = 300;

function planeList(scene, select) {
  return h("details", {}, h("summary", {}, "The planes as a list"),
    h("ul", { class: "plane-list" }, scene.planes.map((plane, index) =>
      h("li", { dir: "auto" }, senseBadge(plane.sense, scene.colours[plane.sense]), " ", lineParts(plane), " ",
        button("Pick", () => select(index), { class: "small", "aria-label": `Pick plane ${index + 1}` })))));
}

/** Show the geometry of a word. */
export function mount(root, route, app) {
  const { word } = route;
  let controller = null, entry = null, scene = null, viewer = null, map = null, drawn = null;
  let k = "", wanted = "", picked = 0, view = readView(""), doc = "", dialog = null;
  const heading = wordHeading(word, "geometry");
  const choices = h("fieldset", { class: "dial" });
  const planes = h("div", { class: "planes-place" });
  const mapPlace = h("div", { class: "map-place" });
  const reading = h("p", { class: "soft map-reading" });
  root.append(heading.element, choices,
    h("div", { class: "two-columns" },
      h("section", { class: "panel" }, h("h2", {}, "Planes"),
        h("p", { class: "soft" }, `Each disc is one line of text: the words that stand around “${word}” in it. Lines of one sense have words of one kind around them, ` +
          "so that their discs all cut through one bar, which has the colour and the name of the sense. A disc that lies along its bar is a typical line; one that " +
          "leans away from it is an unusual one. Two bars at a wide angle are senses whose lines have little in common; at a narrow angle, senses that are used alike."), planes),
      h("section", { class: "panel" }, h("h2", {}, "Map of contexts"),
        reading, mapPlace)),
    h("p", { class: "soft" }, "Among other words: ",
      h("a", { href: makeHash("map", "", { words: word, neighbours: 20 }) }, "a map of the senses near these"), "."));
  const darkness = matchMedia("(prefers-color-scheme: dark)");
  const recolour = () => viewer?.redraw();
  darkness.addEventListener("change", recolour);

  const nameOf = (number) => number > 0
    ? senseName(entry.senses.find((sense) => sense.number === number) ?? { number }) : "don’t know";
  const open = app.health.has_corpus ? (line) => showDocument(String(line.position)) : null;
  const planesUrl = () => wordUrl(word, "/planes", { k, senses: wanted });
  const visible = () => entry.senses.filter((sense) => !sense.hidden);
  const keepAddress = () => replaceHash(makeHash("geometry", word, { k, senses: wanted, plane: picked || "", at: writeView(view), doc }));
  const keepView = debounce(keepAddress, VIEW_WAIT);

  /** The document of a line, which the address names as long as it is open. */
  function showDocument(position) {
    doc = position;
    keepAddress();
    dialog = openDocument(position, { onClose: () => { dialog = null; if (doc === position) { doc = ""; keepAddress(); } } });
  }

  function drawChoices() {
    choices.replaceChildren(h("legend", {}, "Senses to show"), h("div", { class: "choices" },
      visible().map((sense) =>
        h("label", { class: "choice", "--sense": senseColour(sense.number, sense.colour) },
          h("input", { type: "checkbox", value: sense.number, onchange: chooseSenses }),
          h("span", {}, senseBadge(sense.number, sense.colour), ` ${senseName(sense)}`)))));
  }

  function chooseSenses() {
    const chosen = [...choices.querySelectorAll("input:checked")].map((box) => box.value);
    navigate(makeHash("geometry", word, { k, senses: chosen.join(","), at: writeView(view) }));
  }

  /** Both pictures show the senses of the address; without them the map shows all. */
  function markChosen() {
    const numbers = wanted ? new Set(wanted.split(",").map(Number)) : null;
    for (const box of choices.querySelectorAll("input")) box.checked = numbers === null || numbers.has(Number(box.value));
    map?.showSenses(numbers);
  }

  function selectPicked() {
    viewer.select(picked >= 1 && picked <= scene.planes.length ? picked - 1 : -1);
  }

  function drawScene() {
    const box = h("div", { class: "planes" });
    planes.replaceChildren(box);
    viewer = window.drawPlanes(box, scene, {
      onSelect: (_, index) => { picked = index + 1; keepAddress(); }, onOpen: open,
    });
    selectPicked();
    const some = scene.lines.length < visible().length;
    const canvas = box.querySelector("canvas");
    planes.append(
      wanted || some ? h("p", { class: "soft" }, "Three dimensions hold two or three lines well. ",
        wanted ? h("a", { href: makeHash("geometry", word, { k }) }, "Show those that differ most")
          : "These are the senses that differ most; choose others above.") : "",
      planeList(scene, (index) => viewer.select(index)),
      h("div", { class: "picture-bar" },
        zoomButtons({ zoomIn: () => viewer.zoom(1.25), zoomOut: () => viewer.zoom(0.8), reset: () => viewer.zoom(0) }),
        h("p", { class: "downloads" }, h("span", {}, "Download"), pictureButtons(`${word}-planes`, canvas, viewer.paint),
          h("a", { href: planesUrl(), download: `${word}-planes.json` }, "JSON"))));
  }

  function drawMap(answer) {
    if (!answer.points.length) {
      mapPlace.replaceChildren(emptyPanel("No contexts to map", "The model keeps no example lines of this word; start with a corpus to see all."));
      return;
    }
    reading.textContent = readingOf(answer.layout);
    map = contextMap(word, answer, { nameOf, open, view, onView: (next) => { view = next; keepView(); } });
    const columns = ["x", "y", "sense", "confidence", "left", "word", "right", "document"];
    const table = () => ({ columns, rows: answer.points.map((point) => columns.map((name) => point[name])) });
    const downloads = downloadButtons(`${word}-map`, table, () => answer);
    downloads.firstChild.after(...pictureButtons(`${word}-map`, map.scatter.picture, map.scatter.paint));
    mapPlace.replaceChildren(map.element, h("div", { class: "picture-bar" }, zoomButtons(map.scatter.tools), downloads));
  }

  async function part(place, work, signal) {
    try {
      await work();
      markChosen();
    } catch (failure) {
      if (!isAbort(failure) && !signal.aborted) place.replaceChildren(errorPanel(failure));
    }
  }

  async function load() {
    controller?.abort();
    controller = new AbortController();
    const { signal } = controller;
    planes.replaceChildren(waiting("Drawing…"));
    scene = viewer = null;
    try {
      const onProgress = showDividing(planes, k, () => { controller.abort(); navigate(makeHash("geometry", word)); });
      const found = await app.word(word, k, { signal, onProgress });
      // Not drawn anew for the same senses: a box that was clicked keeps its focus.
      if (found !== entry) { entry = found; drawChoices(); }
    } catch (failure) {
      if (!isAbort(failure)) planes.replaceChildren(errorPanel(failure, { title: "Nothing to draw" }));
      return;
    }
    if (signal.aborted) return;
    heading.facts.textContent = `${plural(visible().length, "sense")} ${k ? "found anew" : "in the model"}`;
    markChosen();
    part(planes, async () => {
      scene = await ask(planesUrl(), { signal });
      for (const line of scene.lines) line.name = nameOf(line.sense);
      drawScene();
    }, signal);
    if (map) return;
    mapPlace.replaceChildren(waiting("Drawing the map…"));
    part(mapPlace, async () => drawMap(await ask(wordUrl(word, "/map", { k, limit: MAP_POINTS }), { signal })), signal);
  }

  function update(next) {
    if (k !== (next.params.get("k") ?? "")) map = null;
    k = next.params.get("k") ?? "";
    wanted = next.params.get("senses") ?? "";
    picked = Number(next.params.get("plane")) || 0;
    view = readView(next.params.get("at"));
    heading.setDial(k);
    map?.scatter.setView(view);
    const place = /^\d+$/.test(next.params.get("doc") ?? "") ? next.params.get("doc") : "";
    if (place !== doc) {
      doc = "";
      dialog?.close();
      if (place && open) showDocument(place);
    }
    if (drawn === `${k}/${wanted}` && scene) return selectPicked();
    drawn = `${k}/${wanted}`;
    return load();
  }

  update(route);
  return { update, destroy: () => { doc = ""; dialog?.close(); controller?.abort(); keepView.cancel(); darkness.removeEventListener("change", recolour); } };
}
