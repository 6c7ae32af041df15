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

/** Induce `k` senses of a word anew; aborting `signal` ends the work on the server too. */
export async function runInduction(word, k, { signal, onProgress }) {
  const request = { word, n_senses: k === "auto" ? "auto" : Number(k), max_contexts: MOST_CONTEXTS };
  // The first call is not aborted itself: without its answer the job could not be ended.
  const started = await send("api/induce?job=1", request);
  if (!started.job) return started;
  const url = `api/jobs/${encodeURIComponent(started.job)}`;
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
      const error = job.error ?? job.result?.error ?? {};
      throw new ApiError(500, error.code ?? "failed", error.message ?? "The work failed.");
    }
    onProgress(job.progress ?? 0);
    await pause(wait, signal);
    wait = Math.min(wait * 1.5, LONGEST_WAIT);
  }
}
