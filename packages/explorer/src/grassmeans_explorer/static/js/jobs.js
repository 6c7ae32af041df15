// Long work: start it, ask how far it is, and stop it when nobody wants it any more.

import { ApiError, ask, send } from "./api.js";

const FIRST_WAIT = 100;
const LONGEST_WAIT = 600;
/** Contexts from which senses are induced anew. */
export const MOST_CONTEXTS = 10000;

function pause(milliseconds, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => { clearTimeout(timer); resolve(); }, { once: true });
  });
}

function stopped() {
  return new DOMException("cancelled", "AbortError");
}

async function follow(url, { signal, onProgress }) {
  let wait = FIRST_WAIT;
  for (;;) {
    if (signal.aborted) {
      await ask(url, { method: "DELETE" }).catch(() => null);
      throw stopped();
    }
    const job = await ask(url);
    if (job.state === "done") return job.result;
    if (job.state === "cancelled") throw stopped();
    if (job.state === "failed") {
      const error = job.error ?? {};
      throw new ApiError(500, error.code ?? "failed", error.message ?? "The work failed.");
    }
    onProgress(job.progress ?? 0);
    await pause(wait, signal);
    wait = Math.min(wait * 1.5, LONGEST_WAIT);
  }
}

/** Start a job by sending `body`, and wait for its result; aborting `signal` or leaving the page ends it on the server too. */
export async function runJob(start, body, { signal, onProgress }) {
  // The first call is not aborted itself: without its answer the job could not be ended.
  const started = await send(start, body);
  const url = `api/jobs/${encodeURIComponent(started.job)}`;
  const leave = () => { fetch(url, { method: "DELETE", keepalive: true }).catch(() => null); };
  addEventListener("pagehide", leave);
  try {
    return await follow(url, { signal, onProgress });
  } finally {
    removeEventListener("pagehide", leave);
  }
}

/** Induce `k` senses of a word anew. */
export function runInduction(word, k, options) {
  const request = { word, n_senses: k === "auto" ? "auto" : Number(k), max_contexts: MOST_CONTEXTS };
  return runJob("api/induce?job=1", request, options);
}
