// Items on which people differ, one at a time: what each of them said, and the last word.

import { ADJUDICATOR, accessPanel, askAs, projectUrl, sendAs } from "../annotation_access.js";
import { formatCount, h } from "../dom.js";
import { makeJudging } from "../judging.js";
import { makeHash, replaceHash } from "../router.js";
import { announce, emptyPanel, errorPanel, waiting } from "../status.js";

/** Show the items of an annotation that are to be decided. */
export function mount(root, route) {
  const project = route.word;
  let at = 0, unfinished = false, found = null;
  const told = h("p", { class: "soft facts" });
  const said = h("ul", { class: "said" });
  const message = h("div", { class: "message" });
  const place = h("div", {});
  const judging = makeJudging({ onJudge, onStep, draftOf: (item) => `annotation-comment/${project}/${ADJUDICATOR}/${item}` });
  root.append(h("h1", { tabindex: -1 }, project), told, h("p", {}, h("a", { href: makeHash("agreement", project) }, "Agreement and progress")), place, message);

  function ask(offset) {
    return askAs(project, ADJUDICATOR, projectUrl(project, "differences", { offset: String(offset), limit: 1, unfinished }));
  }

  function draw() {
    const one = found.items[0];
    told.textContent = `${formatCount(found.total)} items on which people differ, ${formatCount(found.n_left)} not decided`;
    message.replaceChildren();
    if (!one) {
      place.replaceChildren(emptyPanel("Nothing to decide", "There is no item that everybody has judged and on which people differ."));
      return;
    }
    replaceHash(makeHash("adjudicate", project, { place: String(at), unfinished }));
    const names = new Map(found.labels.map(({ label, name }) => [label, name]));
    said.replaceChildren(...one.judgments.map((own) => h("li", {}, h("b", {}, own.annotator), `: ${names.get(own.label)}`, own.comment ? ` (${own.comment})` : "")),
      h("li", {}, one.how === "open" ? "No majority" : `Now: ${names.get(one.label)} (${one.how})`));
    if (!judging.element.isConnected) place.replaceChildren(h("h2", { class: "question" }, "What is it in the end?"), said, judging.element);
    judging.show({ item: one.item, uses: one.uses, labels: found.labels, label: one.adjudication?.label ?? "", comment: one.adjudication?.comment ?? "", first: at === 0, last: at >= found.total - 1 });
    announce(`Item ${at + 1} of ${found.total}`);
  }

  /** Show an item; with `goOn` the next that is not decided, from it on. */
  async function load(offset, goOn = false) {
    if (!found) place.replaceChildren(waiting("Opening the annotation…"));
    try {
      let next = await ask(offset), target = offset;
      if (goOn && next.next_left !== null && next.next_left !== offset) {
        target = next.next_left;
        next = await ask(target);
      }
      found = next;
      at = target;
      draw();
    } catch (failure) {
      place.replaceChildren(accessPanel(failure, project, ADJUDICATOR, () => load(offset)));
    }
  }

  async function onJudge(label, comment) {
    try {
      await sendAs(project, ADJUDICATOR, projectUrl(project, "adjudications"), { item: found.items[0].item, label, comment });
    } catch (failure) {
      message.replaceChildren(errorPanel(failure, { title: "Not written: decide it again" }));
      return false;
    }
    await load(at, true);
    return true;
  }

  function onStep(by) {
    return load(at + by);
  }

  function update(next) {
    unfinished = next.params.get("unfinished") === "1";
    load(Math.max(0, Number(next.params.get("place")) || 0));
  }

  update(route);
  return { update, destroy: judging.stop };
}
