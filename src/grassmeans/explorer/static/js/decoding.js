// Distances to senses -> the nearest one, or probabilities: the same rules as in the library, so
// that a slider answers without asking the server.

/**
 * Number of a tagged word's sense, from 1; 0 for "don't know". A calibrated model says how likely its
 * nearest sense is right, and `limit` is the least likelihood; otherwise it is a distance.
 */
export function decodeWord(word, limit, calibrated) {
  if (word.probabilities.length === 1) return 1;
  if (!calibrated) return decodeHard(word.distances, limit);
  if (word.confidence === null || word.confidence < limit) return 0;
  // Where nothing is known around a word, its most frequent sense.
  if (!word.distances.length) return word.probabilities.indexOf(Math.max(...word.probabilities)) + 1;
  return decodeHard(word.distances, Infinity);
}

/** Number of the nearest sense, from 1; 0 where even that is `threshold` away or more. */
export function decodeHard(distances, threshold) {
  let nearest = 0;
  distances.forEach((distance, index) => {
    if (distance !== null && (nearest === 0 || distance < distances[nearest - 1])) nearest = index + 1;
  });
  return nearest > 0 && distances[nearest - 1] < threshold ? nearest : 0;
}
