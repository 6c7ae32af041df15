// Addresses of views: #/view/word?name=value. Everything that a view shows follows from them.

function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** "#/word/crane?k=3" -> {view: "word", word: "crane", params}. */
export function parseRoute(hash) {
  const bare = hash.replace(/^#\/?/, "");
  const cut = bare.indexOf("?");
  const path = cut < 0 ? bare : bare.slice(0, cut);
  const params = new URLSearchParams(cut < 0 ? "" : bare.slice(cut + 1));
  // A word may have slashes, also where somebody has typed them as they are.
  const [view = "", ...word] = path.split("/").map(decode);
  return { view: view || "start", word: word.join("/"), params };
}

/** The address of a view; empty values are left out. */
export function makeHash(view, word = "", values = {}) {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== null && value !== undefined && value !== "" && value !== false) {
      params.set(name, value === true ? "1" : String(value));
    }
  }
  const query = params.toString();
  const path = view === "start" ? "" : view + (word ? `/${encodeURIComponent(word)}` : "");
  return `#/${path}${query ? `?${query}` : ""}`;
}

/** Go to a view. */
export function navigate(hash) {
  location.hash = hash;
}

/** Change the address without a step in the history and without drawing anew. */
export function replaceHash(hash) {
  history.replaceState(null, "", hash);
}
