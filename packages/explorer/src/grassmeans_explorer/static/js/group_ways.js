// The ways to put documents into groups, by the fields that a corpus has.

const TIMES = ["year", "decade", "century", "month"];

/** [["date:decade", "date, by decade"], ["source", "source"], ...] */
export function waysOf(fields) {
  return fields.flatMap((field) => [
    ...(/date|year|time/i.test(field) ? TIMES.map((span) => [`${field}:${span}`, `${field}, by ${span}`]) : []),
    [field, field],
  ]);
}
