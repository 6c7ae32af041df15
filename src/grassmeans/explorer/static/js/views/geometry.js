// The geometry of a word: planes of contexts in three dimensions, and a map of many contexts.

import { ask, isAbort, wordUrl } from "../api.js";
import { senseColour } from "../colours.js";
import { contextMap } from "../context_map.js";
import { button, h, plural } from "../dom.js";
import { downloadButtons } from "../downloads.js";
import { makeHash, navigate, replaceHash } from "../router.js";
import { lineParts, senseBadge, senseName } from "../sense_card.js";
import { emptyPanel, errorPanel, progressPanel, waiting } from "../status.js";
import { wordHeading } from "../word_heading.js";

const MAP_POINTS = 400;

function planeList(scene, select) {
  return h("details", {}, h("summary", {}, "The planes as a list"),
    h("ul", { class: "plane-list" }, scene.planes.map((plane, index) =>
      h("li", { dir: "auto" }, senseBadge(plane.sense, scene.colours[plane.sense]), " ", lineParts(plane), " ",
        button("Pick", () => select(index), { class: "small", "aria-label": `Pick plane ${index + 1}` })))));
}

/** Show the geometry of a word. */
export function mount(root, route, app) {
  const { word } = route;
  let controller = null, entry = null, scene = null, viewer = null, map = null, k = "", wanted = "", drawn = null;
  const heading = wordHeading(word, "geometry");
  const choices = h("fieldset", { class: "dial" });
  const planes = h("div", { class: "planes-place" });
  const mapPlace = h("div", { class: "map-place" });
  root.append(heading.element, choices,
    h("div", { class: "two-columns" },
      h("section", { class: "panel" }, h("h2", {}, "Planes"),
        h("p", { class: "soft" }, "The words around an occurrence span a plane. Planes of one sense meet along a common line: that line is the sense."), planes),
      h("section", { class: "panel" }, h("h2", {}, "Map of contexts"),
        h("p", { class: "soft" }, "One dot for each context, in the colour of its sense; like contexts lie near one another. Large dots are sure."), mapPlace)));
  const darkness = matchMedia("(prefers-color-scheme: dark)");
  const recolour = () => viewer?.redraw();
  darkness.addEventListener("change", recolour);

  const nameOf = (number) => number > 0
    ? senseName(entry.senses.find((sense) => sense.number === number) ?? { number }) : "don’t know";

  const planesUrl = () => wordUrl(word, "/planes", { k, senses: wanted });

  function drawChoices() {
    choices.replaceChildren(h("legend", {}, "Senses to show"), h("div", { class: "choices" },
      entry.senses.filter((sense) => !sense.hidden).map((sense) =>
        h("label", { class: "choice", "--sense": senseColour(sense.number, sense.colour) },
          h("input", { type: "checkbox", value: sense.number, onchange: chooseSenses }),
          h("span", {}, senseBadge(sense.number, sense.colour), ` ${senseName(sense)}`)))),
    h("p", { class: "soft" }, "Three dimensions hold two or three lines well."));
  }

  function chooseSenses() {
    const chosen = [...choices.querySelectorAll("input:checked")].map((box) => box.value);
    navigate(makeHash("geometry", word, { k, senses: chosen.join(",") }));
  }

  function markChosen() {
    const shown = new Set(scene.lines.map((line) => String(line.sense)));
    for (const box of choices.querySelectorAll("input")) box.checked = shown.has(box.value);
  }

  function drawScene(picked) {
    const box = h("div", { class: "planes" });
    planes.replaceChildren(box);
    viewer = window.drawPlanes(box, scene, {
      onSelect: (_, index) => replaceHash(makeHash("geometry", word, { k, senses: wanted, plane: index + 1 })),
    });
    if (picked >= 1 && picked <= scene.planes.length) viewer.select(picked - 1);
    planes.append(planeList(scene, (index) => viewer.select(index)),
      h("p", { class: "downloads" }, h("span", {}, "Download"),
        h("a", { href: planesUrl(), download: `${word}-planes.json` }, "JSON")));
  }

  function drawMap(answer) {
    if (!answer.points.length) {
      mapPlace.replaceChildren(emptyPanel("No contexts to map", "The model keeps no example lines of this word; start with a corpus to see all."));
      return;
    }
    map = contextMap(word, answer.points, nameOf);
    const columns = ["x", "y", "sense", "confidence", "left", "word", "right"];
    const table = () => ({ columns, rows: answer.points.map((point) => columns.map((name) => point[name])) });
    mapPlace.replaceChildren(map, downloadButtons(`${word}-map`, table, () => answer));
  }

  async function part(place, work, signal) {
    try {
      await work();
    } catch (failure) {
      if (!isAbort(failure) && !signal.aborted) place.replaceChildren(errorPanel(failure));
    }
  }

  function onProgress(share) {
    let panel = planes.querySelector(".progress-panel");
    if (!panel) {
      panel = progressPanel(`Dividing into ${k} senses…`, () => { controller.abort(); navigate(makeHash("geometry", word)); });
      planes.replaceChildren(panel);
    }
    panel.setProgress(share);
  }

  async function load(picked) {
    controller?.abort();
    controller = new AbortController();
    const { signal } = controller;
    planes.replaceChildren(waiting("Drawing…"));
    scene = viewer = null;
    try {
      const found = await app.word(word, k, { signal, onProgress });
      // Not drawn anew for the same senses: a box that was clicked keeps its focus.
      if (found !== entry) { entry = found; drawChoices(); }
    } catch (failure) {
      if (!isAbort(failure)) planes.replaceChildren(errorPanel(failure, { title: "Nothing to draw" }));
      return;
    }
    if (signal.aborted) return;
    heading.facts.textContent = `${plural(entry.senses.length, "sense")} ${k ? "found anew" : "in the model"}`;
    part(planes, async () => {
      scene = await ask(planesUrl(), { signal });
      for (const line of scene.lines) line.name = nameOf(line.sense);
      drawScene(picked);
      markChosen();
    }, signal);
    if (map) return;
    mapPlace.replaceChildren(waiting("Drawing the map…"));
    part(mapPlace, async () => drawMap(await ask(wordUrl(word, "/map", { k, limit: MAP_POINTS }), { signal })), signal);
  }

  function update(next) {
    if (k !== (next.params.get("k") ?? "")) map = null;
    k = next.params.get("k") ?? "";
    wanted = next.params.get("senses") ?? "";
    heading.setDial(k);
    const picked = Number(next.params.get("plane"));
    if (drawn === `${k}/${wanted}` && scene) return viewer?.select(picked >= 1 && picked <= scene.planes.length ? picked - 1 : -1);
    drawn = `${k}/${wanted}`;
    return load(picked);
  }

  update(route);
  return { update, destroy: () => { controller?.abort(); darkness.removeEventListener("change", recolour); } };
}
