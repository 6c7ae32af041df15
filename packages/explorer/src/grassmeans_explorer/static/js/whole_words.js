// What does not fit into the cells of a concordance is cut between words. It stays in the page, so that whole lines
// are copied, but takes no room; where not one word fits, the cell cuts it as it cuts everything.

const SLACK = 2;
const MARK = "… ";
const pen = document.createElement("canvas").getContext("2d");

/** How many characters of a side fit: whole words, counted from the word in the middle. */
function countFitting(text, isLeft, room) {
  const words = text.match(/\s*\S+\s*?(?=\s|$)|\s+/g) ?? [];
  if (isLeft) words.reverse();
  let fitting = 0, taken = "";
  for (const word of words) {
    taken = isLeft ? word + taken : taken + word;
    if (pen.measureText(taken.trim()).width > room) break;
    fitting = taken.length;
  }
  return fitting;
}

function showPart(bdi, text, isLeft, count) {
  const at = isLeft ? text.length - count : count;
  const parts = [text.slice(0, at), text.slice(at)];
  const spans = parts.map((part, index) => {
    const span = document.createElement("span");
    span.className = (index === 0) === isLeft ? "beyond" : "seen";
    span.textContent = part;
    return span;
  });
  bdi.replaceChildren(...spans);
}

function fit(table) {
  const cells = [...table.querySelectorAll("tbody td.left, tbody td.right")];
  if (!cells.length) return;
  const style = getComputedStyle(cells[0]);
  const cuts = style.whiteSpace === "nowrap"; // elsewhere lines wrap
  pen.font = style.font;
  const around = parseFloat(style.paddingLeft) + parseFloat(style.paddingRight) + SLACK;
  const mark = pen.measureText(MARK).width;
  const wanted = cells.map((cell) => {
    const isLeft = cell.classList.contains("left"), text = cell.textContent, room = cell.clientWidth - around;
    const isWhole = !cuts || pen.measureText(text.trim()).width <= room;
    return [cell.firstElementChild, text, isLeft, isWhole ? 0 : countFitting(text, isLeft, room - mark)];
  });
  for (const [bdi, text, isLeft, count] of wanted) {
    if (count) showPart(bdi, text, isLeft, count);
    else bdi.replaceChildren(text);
  }
}

/** The table, whose sides are cut anew whenever its width is another. */
export function keepWordsWhole(table) {
  let width = -1;
  new ResizeObserver(() => {
    if (table.clientWidth === width) return;
    width = table.clientWidth;
    fit(table);
  }).observe(table);
  return table;
}
