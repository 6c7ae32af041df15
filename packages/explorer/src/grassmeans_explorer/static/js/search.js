// Search for a word, with completion by mouse and keyboard (the ARIA combobox pattern).

import { ask, isAbort, makeUrl } from "./api.js";
import { debounce, formatCount, h, plural } from "./dom.js";
import { makeHash, navigate } from "./router.js";

const WAIT = 120;
const SHOWN = 8;
let created = 0;

const REASONS = { form: "a form of it", part: "a part of it", meaning: "close in meaning", spelling: "spelt alike" };

/** Where no word has what was typed in it: the word that it leads to, or those that may have been meant. */
async function findLike(query, signal) {
  const found = await ask(makeUrl("api/lookup", { word: query }), { signal });
  if (found.known_by === "model") return [{ word: found.word, n_senses: found.n_senses, count: found.count }];
  if (found.known_by === "phrase") return [{ word: query, n_senses: 0, what: "phrase", count: found.in_corpus }];
  return found.suggestions.map(({ word, n_senses, reason }) => ({ word, n_senses, why: REASONS[reason] }));
}

/** A search field; `large` for the start page. */
export function makeSearch({ large = false, label = "Search a word" } = {}) {
  const id = `search-${++created}`;
  let words = [], active = -1, controller = null;
  const list = h("ul", { role: "listbox", id: `${id}-list`, "aria-label": "Words", hidden: true });
  const input = h("input", {
    type: "search", id, role: "combobox", autocomplete: "off", autocapitalize: "off", spellcheck: "false",
    placeholder: label, "aria-label": label, "aria-expanded": "false",
    "aria-controls": `${id}-list`, "aria-autocomplete": "list", enterkeyhint: "go",
    oninput: () => lookUp(), onkeydown: onKey, onblur: () => close(),
    onfocus: () => { if (input.value) lookUp(); },
  });

  function close() {
    lookUp.cancel();
    controller?.abort();
    list.hidden = true;
    active = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  }

  function open(word) {
    if (!word) return;
    close();
    input.value = "";
    input.blur();
    navigate(makeHash("word", word));
  }

  function mark(index) {
    active = index;
    [...list.children].forEach((option, i) => option.setAttribute("aria-selected", String(i === index)));
    if (index < 0) return input.removeAttribute("aria-activedescendant");
    input.setAttribute("aria-activedescendant", list.children[index].id);
    list.children[index].scrollIntoView({ block: "nearest" });
  }

  function option(entry, index) {
    return h("li", {
      role: "option", id: `${id}-${index}`, "aria-selected": "false",
      // Before the field loses its focus, which would close the list.
      onpointerdown: (event) => { event.preventDefault(); open(entry.word); },
    }, h("span", { dir: "auto" }, entry.word),
    h("small", {}, `${entry.what ?? plural(entry.n_senses, "sense")} · ${entry.why ?? `${formatCount(entry.count)}×`}`));
  }

  function showWords(found, query) {
    words = found;
    list.replaceChildren(...(found.length
      ? found.map(option)
      : [h("li", { class: "none" }, `No word of this model has “${query}” in it, or is like it. Enter looks it up all the same.`)]));
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    mark(-1);
  }

  const lookUp = debounce(async () => {
    const query = input.value.trim();
    if (!query) return close();
    controller?.abort();
    controller = new AbortController();
    try {
      const answer = await ask(makeUrl("api/words", { q: query, limit: SHOWN }), { signal: controller.signal });
      const found = answer.words.length ? answer.words : await findLike(query, controller.signal);
      if (document.activeElement === input) showWords(found, query);
    } catch (failure) {
      if (!isAbort(failure)) close(); // The view that opens after Enter says what is wrong.
    }
  }, WAIT);

  function typedWord() {
    const typed = input.value.trim();
    return words.find((entry) => entry.word.toLowerCase() === typed.toLowerCase())?.word ?? typed;
  }

  function onKey(event) {
    const last = words.length - 1;
    if (event.key === "Enter") open(active >= 0 ? words[active].word : typedWord());
    else if (event.key === "Escape" && !list.hidden) close();
    else if (list.hidden && event.key === "ArrowDown") lookUp();
    else if (list.hidden || last < 0) return;
    else if (event.key === "ArrowDown") mark(active >= last ? 0 : active + 1);
    else if (event.key === "ArrowUp") mark(active <= 0 ? last : active - 1);
    else return;
    event.preventDefault();
  }

  return h("div", { class: large ? "search large" : "search", role: "search" }, input, list);
}
