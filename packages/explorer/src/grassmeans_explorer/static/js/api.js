// Calls to the server. Every failure becomes an ApiError with a sentence that can be shown.

export class ApiError extends Error {
  constructor(status, code, message, details = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.suggestions = details.suggestions ?? [];
    this.column = details.column ?? null;
    this.retryAfter = details.retryAfter ?? null;
    this.conflict = details.conflict ?? null;
  }
}

/** Path and parameters; empty ones are left out. */
export function makeUrl(path, values = {}) {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== null && value !== undefined && value !== "" && value !== false) {
      params.set(name, value === true ? "true" : String(value));
    }
  }
  const query = params.toString();
  return query ? `${path}?${query}` : path;
}

/** The address of a word's data. Browsers take "." and ".." for steps of the path, but not with a space. */
export function wordUrl(word, rest = "", values = {}) {
  const name = /^\.{1,2}$/.test(word) ? ` ${word}` : word;
  return makeUrl(`api/words/${encodeURIComponent(name)}${rest}`, values);
}

async function readError(response) {
  let body = {};
  try {
    body = await response.json();
  } catch {
    // Not JSON: the status alone has to do.
  }
  const error = body.error ?? {};
  const seconds = Number(response.headers.get("Retry-After"));
  return new ApiError(
    response.status,
    error.code ?? `http_${response.status}`,
    error.message ?? `The server answered with status ${response.status}.`,
    {
      column: error.column ?? null,
      suggestions: error.did_you_mean ?? body.did_you_mean ?? [],
      retryAfter: Number.isFinite(seconds) && seconds > 0 ? seconds : null,
      conflict: error.conflict,
    },
  );
}

/** Ask the server; the parsed JSON, or what `as` names: a blob. */
export async function ask(url, { method = "GET", body, signal, headers = {}, as = "json", keepalive = false } = {}) {
  const options = { method, signal, keepalive, headers: { Accept: "application/json", ...headers } };
  if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers["Content-Type"] = "application/json";
  }
  let response;
  try {
    response = await fetch(url, options);
  } catch (failure) {
    if (failure.name === "AbortError") throw failure;
    throw new ApiError(0, "no_answer", "The server does not answer.");
  }
  if (!response.ok) throw await readError(response);
  return response.status === 204 ? null : response[as]();
}

function pause(seconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, seconds * 1000);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    }, { once: true });
  });
}

/** Ask, and again when the server says so, which goes on where its time was up: for what nobody waits for. */
export async function askPatiently(url, signal, tries = 5) {
  for (;;) {
    try {
      return await ask(url, { signal });
    } catch (failure) {
      tries -= 1;
      if (!failure.retryAfter || tries === 0) throw failure;
      await pause(failure.retryAfter, signal);
    }
  }
}

/** Send a body. */
export function send(url, body, signal) {
  return ask(url, { method: "POST", body, signal });
}

/** Whether a failure is only that the user went elsewhere. */
export function isAbort(failure) {
  return failure?.name === "AbortError";
}
