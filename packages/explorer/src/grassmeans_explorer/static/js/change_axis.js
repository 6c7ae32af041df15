// Where groups of documents stand on an axis: years in proportion, other groups side by side.

const TICKS = 4;
const STEPS = [1, 2, 5];

/** The middle of a group of time in years, "1850-1859" or "1850-03" by month; null where it is none. */
export function yearOf(group, by) {
  const found = /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(group);
  if (!found || !by.includes(":")) return null;
  const first = Number(found[1]);
  if (found[2] === undefined) return first + 0.5;
  return by.endsWith(":month") ? first + (Number(found[2]) - 0.5) / 12 : (first + Number(found[2]) + 1) / 2;
}

/** Round years between two, a few of them. */
function roundYears(from, to) {
  const rough = Math.max((to - from) / TICKS, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * (STEPS.find((factor) => factor * power >= rough) ?? 10);
  const found = [];
  for (let year = Math.ceil(from / step) * step; year <= to; year += step) found.push(year);
  return found.length ? found : [Math.round(from)];
}

/**
 * {isTime, places, labels}: a place between 0 and 1 for each group, and [place, text] of the labels.
 * Where not every group is a time, they stand side by side, each with its label.
 */
export function makeAxis(groups, by) {
  const years = groups.map((group) => yearOf(group, by));
  if (!years.length || years.includes(null)) {
    const places = groups.map((_, index) => (groups.length > 1 ? index / (groups.length - 1) : 0.5));
    return { isTime: false, places, labels: groups.map((group, index) => [places[index], group]) };
  }
  const from = Math.min(...years), to = Math.max(...years);
  const place = (year) => (to > from ? (year - from) / (to - from) : 0.5);
  return { isTime: true, places: years.map(place), labels: roundYears(from, to).map((year) => [place(year), String(year)]) };
}
