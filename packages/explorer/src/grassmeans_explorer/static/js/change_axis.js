// Where groups of documents stand on an axis: years in proportion, other groups side by side.

const TICKS = 4;
const STEPS = [1, 2, 5];

/** Where a group of time begins and ends, in years: "1850-1859", "1850", or "1850-03" by month; null where it is none. */
function spanOf(group, by) {
  const found = /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(group);
  if (!found || !by.includes(":")) return null;
  const first = Number(found[1]);
  if (found[2] === undefined) return [first, first + 1];
  if (by.endsWith(":month")) return [first + (Number(found[2]) - 1) / 12, first + Number(found[2]) / 12];
  return [first, Number(found[2]) + 1];
}

/** The middle of a group of time in years, or null. */
export function yearOf(group, by) {
  const span = spanOf(group, by);
  return span && (span[0] + span[1]) / 2;
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
  const spans = groups.map((group) => spanOf(group, by));
  if (!spans.length || spans.includes(null)) {
    const places = groups.map((_, index) => (index + 0.5) / groups.length);
    return { isTime: false, places, labels: groups.map((group, index) => [places[index], group]) };
  }
  // From the beginning of the first group to the end of the last one, so that both have a year beside them.
  const from = Math.min(...spans.map(([first]) => first)), to = Math.max(...spans.map(([, last]) => last));
  const place = (year) => (year - from) / (to - from);
  return { isTime: true, places: groups.map((group) => place(yearOf(group, by))), labels: roundYears(from, to).map((year) => [place(year), String(year)]) };
}
