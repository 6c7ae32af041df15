// Who one is in an annotation. On a server that is open to others a token goes along with every
// request, in a header; it is kept for as long as this tab is open, and stands in no address.

import { ask, makeUrl } from "./api.js";
import { h } from "./dom.js";
import { announce, errorPanel } from "./status.js";

/** Who has the last word, in place of an annotator. */
export const ADJUDICATOR = "(adjudication)";

function placeOf(project, who) {
  return `annotation-token/${project}/${who}`;
}

/** The address of what an annotation has. */
export function projectUrl(project, rest, values = {}) {
  return makeUrl(`api/annotation/projects/${encodeURIComponent(project)}/${rest}`, values);
}

/** Ask as an annotator, as who adjudicates, or (with no project) as who makes annotations. */
export function askAs(project, who, url, options = {}) {
  const token = sessionStorage.getItem(placeOf(project, who));
  return ask(url, { ...options, headers: token ? { "X-Annotation-Token": token } : {} });
}

/** The same with a body. */
export function sendAs(project, who, url, body) {
  return askAs(project, who, url, { method: "POST", body });
}

/** A failure; where it is that of a token, a form for one. `again()` is called when it is there. */
export function accessPanel(failure, project, who, again) {
  if (failure.code !== "not_allowed") return errorPanel(failure, { retry: failure.status === 404 ? null : again });
  const input = h("input", { type: "password", autocomplete: "off", maxlength: 100, required: true });
  const tried = sessionStorage.getItem(placeOf(project, who));
  const name = who === ADJUDICATOR ? "who adjudicates" : who || "who makes annotations";
  if (tried) announce("The token is not right.");
  // Whoever works by keys goes on typing, once the form stands in the page.
  requestAnimationFrame(() => input.focus());
  return h("form", {
    class: "panel access",
    onsubmit: (event) => {
      event.preventDefault();
      sessionStorage.setItem(placeOf(project, who), input.value.trim());
      again();
    },
  }, h("h2", {}, "Who are you?"),
  tried ? h("p", { role: "alert" }, failure.message) : h("p", {}, "This server is open to others. The token was shown where it was started."),
  h("label", {}, `Token of ${name} `, input), " ", h("button", { type: "submit", class: "main" }, "Go on"));
}
