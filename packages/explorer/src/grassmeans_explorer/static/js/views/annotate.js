// An annotator's work: one item at a time. What was judged is on the disk before the next is shown.

import { accessPanel, askAs, projectUrl, sendAs } from "../annotation_access.js";
import { button, formatCount, h } from "../dom.js";
import { makeJudging } from "../judging.js";
import { makeHash, navigate, replaceHash } from "../router.js";
import { announce, errorPanel, waiting } from "../status.js";

const QUESTIONS = { senses: "Which sense does the word have?", relatedness: "How much have the two meanings to do with each other?" };

function nameForm(project) {
  const input = h("input", { type: "text", maxlength: 200, required: true });
  return h("form", { class: "panel access", onsubmit: (event) => { event.preventDefault(); navigate(makeHash("annotate", project, { annotator: input.value.trim() })); } },
    h("label", {}, "Your name ", input), " ", h("button", { type: "submit", class: "main" }, "Go on"));
}

/** Show the items of an annotation to one annotator. */
export function mount(root, route) {
  const project = route.word;
  let annotator = "", seen = null;
  const bar = h("progress", { max: 1, value: 0, "aria-label": "Judged" });
  const told = h("p", { class: "soft facts" });
  const message = h("div", { class: "message" });
  const place = h("div", {});
  const judging = makeJudging({ onJudge, onStep, draftOf: (item) => `annotation-comment/${project}/${annotator}/${item}` });
  root.append(h("h1", { tabindex: -1 }, project), told, bar, place, message);

  function draw() {
    told.textContent = `${seen.annotator} · ${formatCount(seen.n_judged)} of ${formatCount(seen.n_items)} judged`;
    bar.max = seen.n_items;
    bar.value = seen.n_judged;
    message.replaceChildren();
    replaceHash(makeHash("annotate", project, { annotator, place: seen.item === null ? "" : seen.place }));
    if (seen.item === null) {
      const again = button("Look at it again", () => load(seen.n_items - 1));
      place.replaceChildren(h("div", { class: "panel empty" }, h("h2", {}, "All is judged"), h("p", {}, "Thank you. Everything is kept."), h("p", {}, again)));
      again.focus();
      announce("All is judged");
      return;
    }
    if (!judging.element.isConnected) place.replaceChildren(h("h2", { class: "question" }, QUESTIONS[seen.task]), judging.element);
    judging.show({ item: seen.item, uses: seen.uses, labels: seen.labels, label: seen.judgment?.label ?? "", comment: seen.judgment?.comment ?? "", first: seen.place === 0, last: seen.place === seen.n_items - 1 });
    announce(`Item ${seen.place + 1} of ${seen.n_items}`);
  }

  async function load(at) {
    if (!annotator) {
      place.replaceChildren(nameForm(project));
      return;
    }
    if (!seen) place.replaceChildren(waiting("Opening the annotation…"));
    try {
      seen = await askAs(project, annotator, projectUrl(project, "item", { annotator, place: at }));
      draw();
    } catch (failure) {
      place.replaceChildren(accessPanel(failure, project, annotator, () => load(at)));
    }
  }

  async function onJudge(label, comment) {
    try {
      seen = await sendAs(project, annotator, projectUrl(project, "judgments"), { annotator, item: seen.item, label, comment });
    } catch (failure) {
      message.replaceChildren(errorPanel(failure, { title: "Not written: judge it again" }));
      return false;
    }
    draw();
    return true;
  }

  function onStep(by) {
    return load(String(seen.place + by));
  }

  function update(next) {
    annotator = next.params.get("annotator") ?? "";
    load(next.params.get("place"));
  }

  update(route);
  return { update, destroy: judging.stop };
}
