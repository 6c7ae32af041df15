// Which sense of a tagged word is shown, by the same rules as in the library, so that a slider
// answers without asking the server.

/**
 * Number of a tagged word's sense, from 1; 0 for "don't know". A calibrated model says how likely its
 * nearest sense is right, and `limit` is the least likelihood; otherwise it is a distance.
 */
export function decodeWord(word, limit, calibrated) {
  if (calibrated) return word.confidence !== null && word.confidence >= limit ? word.nearest : 0;
  // Where nothing is known around a word, no distance speaks for the most frequent of its senses.
  if (!word.distances.length) return word.only_sense ? word.nearest : 0;
  return word.distances[word.nearest - 1] < limit ? word.nearest : 0;
}
