// What a view shows while it waits, when it fails, and when there is nothing to show.

import { isAbort } from "./api.js";
import { button, h } from "./dom.js";
import { makeHash } from "./router.js";

/** Say something to users of a screen reader. */
export function announce(text) {
  document.getElementById("announcer").textContent = text;
}

/** A quiet sign of waiting; it appears only when the wait is long enough to notice. */
export function waiting(label) {
  return h("p", { class: "waiting", role: "status" }, label);
}

/** Progress of long work, with a way out of it. */
export function progressPanel(label, onCancel) {
  const bar = h("progress", { max: 1, "aria-label": label });
  const panel = h("div", { class: "progress-panel" }, h("span", {}, label), bar,
    button("Cancel", onCancel, { class: "quiet" }));
  panel.setProgress = (share) => { if (share > 0) bar.value = share; };
  return panel;
}

/** Show in a place how far a division into so many senses is: it may take a while. */
export function showDividing(place, k, onCancel) {
  return (share) => {
    let panel = place.querySelector(".progress-panel");
    if (!panel) {
      panel = progressPanel(`Dividing into ${k} senses…`, onCancel);
      place.replaceChildren(panel);
    }
    panel.setProgress(share);
  };
}

/** Nothing to show, and what to do about it. */
export function emptyPanel(title, ...advice) {
  return h("div", { class: "panel empty" }, h("h2", {}, title), h("p", {}, ...advice));
}

/** Work that took too long, but whose parts are kept: the next try goes on. */
function isUnfinished(error) {
  return error.code === "out_of_time";
}

function adviceFor(error) {
  if (isUnfinished(error)) return "";
  if (error.status === 0) {
    return "Is “grassmeans explore” still running? Start it again in a terminal, then try once more.";
  }
  if (error.status === 429 || error.status === 503) {
    return error.retryAfter
      ? `The server is busy. Try again in ${Math.ceil(error.retryAfter)} seconds.`
      : "The server is busy. Try again in a moment.";
  }
  return "";
}

/** A failure: the server's own sentence, what to do, and the way on. */
export function errorPanel(error, { retry = null, title = null, advice = null } = {}) {
  const hint = advice ?? adviceFor(error);
  const words = error.suggestions ?? [];
  return h("div", { class: "panel error", role: "alert" },
    h("h2", {}, title ?? (isUnfinished(error) ? "Not finished yet" : "That did not work")),
    h("p", {}, error.message),
    hint && hint !== error.message ? h("p", {}, hint) : null,
    words.length ? h("p", {}, "Did you mean ",
      words.map((word, index) => [index ? ", " : "", h("a", { href: makeHash("word", word) }, word)]), "?") : null,
    retry ? button("Try again", retry) : null);
}

/**
 * What fills a place by `work(signal)`; asked again, it ends what was asked before. With `keep`
 * the place shows what it had until then.
 */
export function makeLoader(place, label, work, { keep = false, onFailure = () => {} } = {}) {
  let controller = null;
  async function load() {
    controller?.abort();
    controller = new AbortController();
    const { signal } = controller;
    if (!keep || !place.children.length) place.replaceChildren(waiting(label));
    place.classList.toggle("busy", keep);
    place.setAttribute("aria-busy", "true");
    try {
      await work(signal);
      if (signal.aborted) return;
    } catch (failure) {
      if (isAbort(failure)) return;
      onFailure(failure);
      place.replaceChildren(errorPanel(failure, { retry: failure.status === 404 ? null : load }));
    }
    place.classList.remove("busy");
    place.removeAttribute("aria-busy");
  }
  return { load, stop: () => controller?.abort() };
}
