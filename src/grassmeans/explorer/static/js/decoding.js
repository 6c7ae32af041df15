// Distances to senses -> the nearest one, or probabilities: the same rules as in the library, so
// that a slider answers without asking the server.

/** Number of the nearest sense, from 1; 0 where even that is `threshold` away or more. */
export function decodeHard(distances, threshold) {
  let nearest = 0;
  distances.forEach((distance, index) => {
    if (distance !== null && (nearest === 0 || distance < distances[nearest - 1])) nearest = index + 1;
  });
  return nearest > 0 && distances[nearest - 1] < threshold ? nearest : 0;
}
