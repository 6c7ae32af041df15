// The words that changed most, from a report that was made before.

import { ask, makeUrl } from "../api.js";
import { formatCount, h } from "../dom.js";
import { makePager } from "../pager.js";
import { makeHash, navigate } from "../router.js";
import { emptyPanel, makeLoader } from "../status.js";

const PAGE = 50;

function changesTable(rows, by) {
  const columns = ["Word", "From", "To", "Distance (JSD)", "Change"];
  return h("table", { class: "word-table" },
    h("thead", {}, h("tr", {}, columns.map((label) => h("th", { scope: "col" }, label)))),
    h("tbody", {}, rows.map((row) => h("tr", {},
      h("td", {}, h("a", { href: makeHash("change", row.word, { by }), dir: "auto" }, row.word)),
      h("td", {}, `${row.first} (${formatCount(row.n_first)})`), h("td", {}, `${row.second} (${formatCount(row.n_second)})`),
      h("td", { class: "number" }, row.jsd.toFixed(3)), h("td", {}, row.changed ? "beyond chance" : "")))));
}

/** Show the ranking. */
export function mount(root, route, app) {
  let page = 1;
  const place = h("div", {});
  const guide = h("p", { class: "guide" }, "Words by how much the shares of their senses differ between groups of documents.");
  root.append(h("h1", { tabindex: -1 }, "Most changed"), guide, place);

  function draw(answer) {
    // Groups of another corpus are none of this one's.
    const by = app.health.fields.includes(answer.by.split(":")[0]) ? answer.by : "";
    guide.textContent = `Words by how much the shares of their senses differ, by ${answer.by}; those that changed beyond chance first.`;
    if (!answer.words.length) {
      place.replaceChildren(emptyPanel("Nothing was compared", "No word of the report has lines enough in two groups."));
      return;
    }
    place.replaceChildren(...[changesTable(answer.words, by),
      makePager(page, answer.total, PAGE, (number) => { navigate(makeHash("changes", "", { page: number })); scrollTo(0, 0); })].filter(Boolean));
  }

  const loader = makeLoader(place, "Opening the list…", async (signal) => {
    draw(await ask(makeUrl("api/changes", { limit: PAGE, offset: (page - 1) * PAGE }), { signal }));
  }, { keep: true });

  function update(next) {
    page = Math.max(1, Number(next.params.get("page")) || 1);
    loader.load();
  }

  update(route);
  return { update, destroy: loader.stop };
}
