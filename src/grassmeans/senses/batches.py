"""Induction over many words: parallel over batches of words, resumable by batch."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from grassmeans.artifacts import digest_of, open_array, write_array, write_bytes
from grassmeans.contexts import ContextExtractor
from grassmeans.parallel import effective_workers, map_tasks
from grassmeans.progress import progress_bar
from grassmeans.senses.entries import SkippedWord, WordSenses, entry_from_dict, entry_to_dict
from grassmeans.senses.induction import induce_word
from grassmeans.senses.settings import InductionSettings
from grassmeans.vectors.word_vectors import WordVectors

BATCH_WORDS = 16

Result = WordSenses | SkippedWord


def induce_batches(
    words: Sequence[str],
    extractor: ContextExtractor,
    vectors: WordVectors,
    settings: InductionSettings,
    workers: int | None,
    parts: Path | None,
    show_progress: bool | None,
) -> Iterator[Result]:
    """Yield the result of every word, in the order of the words."""
    batches = [list(words[i : i + BATCH_WORDS]) for i in range(0, len(words), BATCH_WORDS)]
    n_workers = min(effective_workers(workers), len(batches))
    tasks = ((batch, extractor, vectors, settings, parts) for batch in batches)
    with progress_bar("inducing", len(words), unit="words", show=show_progress) as advance:
        if n_workers == 1:
            # In this process, word by word: the bar moves, and each word may use all cores.
            for batch in batches:
                yield from _induce_batch(batch, extractor, vectors, settings, parts, advance)
            return
        for batch, results in zip(batches, map_tasks(_induce_batch, tasks, n_workers), strict=True):
            advance(len(batch))
            yield from results


def _induce_batch(
    words: Sequence[str],
    extractor: ContextExtractor,
    vectors: WordVectors,
    settings: InductionSettings,
    parts: Path | None,
    advance: object = None,
) -> list[Result]:
    """Induce a batch, or read it where an earlier run has finished it."""
    part = None if parts is None else parts / digest_of(list(words))
    if part is not None and part.with_suffix(".jsonl").exists():
        if callable(advance):
            advance(len(words))
        return _read_part(part)
    results: list[Result] = []
    for word in words:
        results.append(induce_word(word, extractor, vectors, settings))
        if callable(advance):
            advance(1)
    if part is not None:
        _write_part(part, results)
    return results


def _write_part(part: Path, results: Sequence[Result]) -> None:
    part.parent.mkdir(parents=True, exist_ok=True)
    lines = []
    directions = []
    for result in results:
        if isinstance(result, WordSenses):
            lines.append(json.dumps(entry_to_dict(result) | {"k": result.n_senses}))
            directions.append(result.directions)
        else:
            lines.append(json.dumps({"skipped": result.word, "reason": result.reason}))
    stacked = np.concatenate(directions) if directions else np.empty((0, 0), np.float32)
    write_array(part.with_suffix(".npy"), stacked)
    write_bytes(part.with_suffix(".jsonl"), "\n".join(lines).encode())  # last: marks it whole


def _read_part(part: Path) -> list[Result]:
    directions = np.array(open_array(part.with_suffix(".npy"), mapped=False))
    results: list[Result] = []
    start = 0
    for line in part.with_suffix(".jsonl").read_text(encoding="utf-8").splitlines():
        values = json.loads(line)
        if "skipped" in values:
            results.append(SkippedWord(values["skipped"], values["reason"]))
            continue
        results.append(entry_from_dict(values, directions[start : start + values["k"]]))
        start += values["k"]
    return results
