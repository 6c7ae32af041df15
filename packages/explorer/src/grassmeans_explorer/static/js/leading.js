// From what somebody typed to a word of the model. Every view of a word begins here.

import { h } from "./dom.js";
import { makeHash, replaceHash } from "./router.js";
import { errorPanel, waiting } from "./status.js";
import { mount as mountWordless } from "./views/wordless.js";

const REASONS = {
  spelling: (asked, word) => `You asked for “${asked}”; this model writes it “${word}”.`,
  possessive: (asked, word) => `“${asked}” is the possessive of “${word}”.`,
  lemma: (asked, word) => `“${asked}” is a form of “${word}”, whose senses are shown here.`,
  form: (asked, word) => `The model has no senses of “${asked}”, which seems to be a form of “${word}”. These are the senses of “${word}”.`,
};

function leadNote(found) {
  const said = REASONS[found.led_by]?.(found.asked, found.word);
  if (!said) return null;
  const own = makeHash("word", found.asked, { exact: true });
  return h("p", { class: "led-here", role: "note" }, said,
    found.itself ? [" ", h("a", { href: own }, `Look at “${found.asked}” itself`), "."] : null);
}

/** The address of the word that one is led to, with what the address said else. */
function leadRoute(route, found) {
  const values = Object.fromEntries(route.params);
  if (found.sense) values.sense = found.sense;
  const hash = makeHash(route.view, found.word, values);
  return { hash, route: { ...route, word: found.word, params: new URLSearchParams(values) } };
}

/** A view of a word as a view of whatever was typed: `mount` shows words that have senses. */
export function leadToWord(mount) {
  return (root, given, app) => {
    let inner = null, route = given, kind = "", ended = false;
    // With a dial senses are found anew, of any word of the corpus: it leads to no other word.
    const choose = (found) => (found.known_by === "model" ? "model" : route.view !== "word" || route.params.get("k") ? "anew" : "wordless");

    async function begin() {
      root.replaceChildren(waiting("Looking the word up…"));
      let found;
      try {
        found = await app.lookUp(route.word, route.params.get("exact") === "1" || Boolean(route.params.get("k")));
      } catch (failure) {
        if (!ended) root.replaceChildren(errorPanel(failure, { retry: begin }));
        return;
      }
      if (ended) return;
      if (found.known_by === "phrase" && route.view !== "entry") {
        location.replace(makeHash("phrase", route.word));
        return;
      }
      root.replaceChildren();
      kind = choose(found);
      if (kind === "model" && found.word !== route.word) {
        const led = leadRoute(route, found);
        replaceHash(led.hash);
        route = led.route;
        app.moved(route);
        root.append(...[leadNote(found)].filter(Boolean));
      }
      inner = kind === "wordless" ? mountWordless(root, route, app, found) : mount(root, route, app, found);
    }

    return {
      ready: begin(),
      update(next) {
        route = next;
        if (!inner) return;
        if (kind === "model" || (kind === "anew" && choose({}) === "anew")) return inner.update(next);
        inner.destroy();
        inner = null;
        begin().then(() => root.querySelector("h1")?.focus({ preventScroll: true }));
      },
      destroy() { ended = true; inner?.destroy(); },
    };
  };
}
