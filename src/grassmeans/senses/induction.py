"""The senses of many words, from their contexts: which words, in which batches, gone on with.

What is done with each word is told in `grassmeans.senses.word_induction`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from grassmeans.artifacts.checking import open_array, parse_json, read_text
from grassmeans.artifacts.schema import check_arguments, instance_of, optional, path
from grassmeans.artifacts.writing import digest_of, write_array, write_bytes
from grassmeans.clustering.settings import AUTO, InductionSettings
from grassmeans.contexts import open_contexts
from grassmeans.contexts.interface import ContextEncoder, UnfittedContexts
from grassmeans.contexts.subspaces import SubspaceEncoder
from grassmeans.corpus.corpus import Corpus, open_corpus
from grassmeans.corpus.vocabulary import is_function_word
from grassmeans.engines.parallel import effective_workers, map_tasks, stays_here
from grassmeans.errors import InputError
from grassmeans.geometry.windows import ContextShape, check_common_words
from grassmeans.progress import format_duration, progress_bar, tell
from grassmeans.reading.given import check_words
from grassmeans.senses.entries import SkippedWord, WordSenses, entry_from_dict, entry_to_dict
from grassmeans.senses.function_words import frequent_function_words
from grassmeans.senses.inventory import SenseInventory
from grassmeans.senses.known_senses import KnownSenses
from grassmeans.senses.language import warn_of_contexts
from grassmeans.senses.word_induction import Result, WordInducer
from grassmeans.vectors.word_vectors import WordVectors

if TYPE_CHECKING:
    pass

BATCH_WORDS = 16
BLOCK_BATCHES = 12
"""Batches whose contexts a device groups together: 300 MB of lines, 1.4 GB of subspaces."""

_ENCODED_SHARE, _FEWEST_BYTES = 0.4, 1 << 30
"""Of the memory: contexts that are encoded together. The more words, the fewer passages are
read twice; with all of them, the text is read once."""

PAPER_MIN_COUNT = 10_000
_TOKENS_PER_COUNT = 200_000
_SMALLEST_MIN_COUNT = 50


def default_min_count(n_tokens: int) -> int:
    """The count from which a word's senses are induced where the user names no words.

    The paper's 10,000 belongs to a corpus of two billion words; smaller corpora get the same share
    of their size (one in 200,000), and never less than 50.
    """
    return min(PAPER_MIN_COUNT, max(_SMALLEST_MIN_COUNT, n_tokens // _TOKENS_PER_COUNT))


def frequent_words(corpus: Corpus, vectors: WordVectors, min_count: int | None = None) -> list[str]:
    """The content words of a corpus that have a vector and occur often enough."""
    if min_count is None:
        min_count = default_min_count(corpus.n_tokens)
    candidates = corpus.words_from(min_count)
    left_out = corpus.function_words
    return [w for w in candidates if w in vectors and not is_function_word(w, left_out)]


@check_arguments(settings=optional(instance_of(InductionSettings)), parts=optional(path))
def induce(
    corpus: Corpus | str | Path,
    contexts: WordVectors | ContextEncoder | UnfittedContexts | str | Path,
    words: str | Iterable[str] | None = None,
    *,
    min_count: int | None = None,
    settings: InductionSettings | None = None,
    workers: int | None = 1,
    parts: Path | None = None,
    show_progress: bool | None = None,
    known: KnownSenses | None = None,
    **changes: Any,
) -> SenseInventory:
    """Induce the senses of given words, or of all frequent ones.

    Parameters
    ----------
    corpus : Corpus or path
        A corpus, or its folder.
    contexts : WordVectors, ContextEncoder, path or str
        What contexts are made of: word vectors for the paper's subspaces, or any kind of context;
        or the path of either, or the path or name of a model whose contexts are taken; or
        ``transformer:`` and the folder or the hub's name of a transformer.
        Where a GPU encodes and groups (`ContextEncoder.use_device`), it does so from this process.
    words : str or iterable of str, optional
        One word or several, in any case where the corpus is lower-cased. Unknown and too rare ones
        end up in ``skipped``. Without it: all content words that occur
        ``min_count`` times (`default_min_count` where that is not given either); with "auto", and
        contexts whose lines have ends, also the function words that are content words at times
        (`grassmeans.senses.function_words`).
    workers : int or None
        Processes; with one, a single word uses all cores.
    parts : Path, optional
        Folder for finished parts: an interrupted run goes on from there.
    known : KnownSenses, optional
        Senses that a model with the same contexts has: few contexts of a word are grouped by them,
        too.
    **changes
        Single settings that differ from ``settings``, and with word vectors of the shape of
        contexts: ``n_senses=2``, ``rank=5``, ...
    """
    corpus = open_corpus(corpus)
    encoder, settings = choose_encoder(
        corpus, contexts, settings, changes, show_progress=show_progress
    )
    function_words: list[str] = []
    if words is None:
        fewest = default_min_count(corpus.n_tokens) if min_count is None else min_count
        chosen = frequent_words(corpus, encoder.vectors, fewest)
        if chosen and settings.n_senses == AUTO and encoder.lines_have_ends:
            function_words = frequent_function_words(corpus, encoder.vectors, fewest)
            chosen += function_words
    else:
        chosen = list(dict.fromkeys(map(corpus.spell, check_words(words))))
    if not chosen:
        raise InputError("there is no word to induce: lower min_count, or name words")
    warn_of_contexts(encoder, corpus)
    place = None if parts is None else Path(parts)
    inducer = WordInducer(
        corpus, encoder, settings, function_words=frozenset(function_words), known=known
    )
    _tell_cost(inducer, chosen, show_progress)
    results = list(induce_words(chosen, inducer, workers, place, show_progress))
    return SenseInventory(
        [result for result in results if isinstance(result, WordSenses)],
        [result for result in results if isinstance(result, SkippedWord)],
    )


def _tell_cost(inducer: WordInducer, words: Sequence[str], show_progress: bool | None) -> None:
    """Say how long the encoding of all contexts will take, where it takes long."""
    most = inducer.settings.max_contexts
    counts = {word: inducer.source.count_of(word) for word in words if inducer.occurs(word)}
    if not counts or show_progress is False:
        return
    positions = inducer.source.positions(max(counts, key=lambda word: counts[word]))
    seconds = inducer.encoder.measure_cost(inducer.source, positions)
    if seconds is not None:
        total = sum(min(count, most) for count in counts.values())
        tell(
            f"{total:,} contexts of {len(counts):,} words to encode, {1 / seconds:,.0f} a second: "
            f"about {format_duration(total * seconds)}"
        )


def choose_encoder(
    corpus: Corpus,
    contexts: WordVectors | ContextEncoder | UnfittedContexts | str | Path,
    settings: InductionSettings | None,
    changes: dict[str, Any],
    device: str | None = None,
    show_progress: bool | None = None,
) -> tuple[ContextEncoder, InductionSettings]:
    """The kind of context, and the settings with some of them changed by name.

    What has to be fitted to a corpus first is fitted here. Contexts are computed on the device from
    now on; by default where the encoder given does.
    """
    opened: Any = open_contexts(contexts) if isinstance(contexts, str | Path) else contexts
    shaping: set[str] = set()  # the settings that say how contexts are made of what was given
    if isinstance(opened, WordVectors):
        shaping = {known.name for known in fields(ContextShape)}
    elif isinstance(opened, UnfittedContexts):
        shaping = set(opened.settings)
    elif not isinstance(opened, ContextEncoder):
        raise InputError(
            "contexts must be word vectors, an encoder, or the path of one, got "
            f"{type(contexts).__name__}"
        )
    inducing = {known.name for known in fields(InductionSettings)}
    for name in changes:
        if name not in shaping | inducing:
            known = ", ".join(sorted(shaping | inducing))
            raise InputError(f"unknown setting {name!r}: expected one of {known}")
    own = {name: value for name, value in changes.items() if name in shaping}
    encoder: ContextEncoder = opened
    if isinstance(opened, WordVectors):
        encoder = SubspaceEncoder(opened, ContextShape.from_dict(own), corpus.function_words)
    elif isinstance(opened, UnfittedContexts):
        encoder = opened.fit(corpus, device or "cpu", show_progress, **own)
    if device is not None:
        encoder.use_device(device)
    check_common_words(corpus, encoder.vectors)
    chosen = settings or InductionSettings(**encoder.induction)
    return encoder, replace(chosen, **{k: v for k, v in changes.items() if k in inducing})


def induce_words(
    words: Sequence[str],
    inducer: Callable[[str], Result],
    workers: int | None = 1,
    parts: Path | None = None,
    show_progress: bool | None = None,
) -> Iterator[Result]:
    """Yield the result of every word, in their order: parallel over batches, resumable by batch."""
    batches = [list(words[i : i + BATCH_WORDS]) for i in range(0, len(words), BATCH_WORDS)]
    alone = isinstance(inducer, WordInducer) and inducer.encoder.uses_all_cores
    n_workers = 1 if alone else min(effective_workers(workers), max(len(batches), 1))
    tasks = _make_tasks(batches, inducer, parts)
    with progress_bar("inducing", len(words), unit="words", show=show_progress) as advance:
        if stays_here(n_workers):
            # In this process, word by word: the bar moves, and each word may use all cores.
            for task in tasks:
                yield from _induce_batch(*task, advance)
            return
        for batch, results in zip(batches, map_tasks(_induce_batch, tasks, n_workers), strict=True):
            advance(len(batch))
            yield from results


def _make_tasks(
    batches: Sequence[list[str]], inducer: Callable[[str], Result], parts: Path | None
) -> Iterator[tuple[list[str], Callable[[str], Result], Path | None]]:
    """Batches with their inducer.

    A device other than the CPU encodes and groups many words at once, here: workers have only
    to describe the groups. So does the CPU encode, where words have so many contexts that their
    passages would be read again and again; workers group them.
    """
    if not isinstance(inducer, WordInducer):
        yield from ((batch, inducer, parts) for batch in batches)
        return
    on_cpu, n_contexts = inducer.encoder.device == "cpu", _count_contexts(batches, inducer)
    if on_cpu and not inducer.encoder.reads_twice(n_contexts, inducer.source.n_tokens):
        yield from ((batch, inducer.only(batch), parts) for batch in batches)
        return
    for stretch in _cut_stretches(batches, inducer, parts):
        encoded = inducer.encode_ahead([word for _, words in stretch for word in words])
        if on_cpu:
            yield from ((batch, encoded.only(batch), parts) for batch, _ in stretch)
            continue
        for i in range(0, len(stretch), BLOCK_BATCHES):
            block = stretch[i : i + BLOCK_BATCHES]
            ahead = encoded.group_ahead([word for _, words in block for word in words])
            yield from ((batch, ahead.only(batch), parts) for batch, _ in block)


def _cut_stretches(
    batches: Sequence[list[str]], inducer: WordInducer, parts: Path | None
) -> Iterator[list[tuple[list[str], list[str]]]]:
    """Batches that are encoded together, as many as the memory takes; each with what it lacks."""
    shape = inducer.encoder.shape
    room = max(_FEWEST_BYTES, int(_ENCODED_SHARE * count_memory()))
    a_context = 4 * shape.rank * inducer.encoder.vectors.dim
    stretch: list[tuple[list[str], list[str]]] = []
    taken = 0
    for batch in batches:
        words = [] if _Part(batch, parts).is_finished else batch
        needed = a_context * _count_contexts([words], inducer)
        if stretch and taken + needed > room:
            yield stretch
            stretch, taken = [], 0
        stretch.append((batch, words))
        taken += needed
    yield stretch


def _count_contexts(batches: Sequence[Sequence[str]], inducer: WordInducer) -> int:
    """How many contexts of all words are looked at."""
    most = inducer.settings.max_contexts
    words = (word for batch in batches for word in batch if inducer.occurs(word))
    return sum(min(inducer.source.count_of(word), most) for word in words)


def count_memory() -> int:
    """Bytes of the machine's memory; 0 where the system does not tell."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return 0


def _induce_batch(
    words: Sequence[str],
    inducer: Callable[[str], Result],
    parts: Path | None,
    advance: Callable[[int], None] = lambda _: None,
) -> list[Result]:
    """Induce a batch, or read it where an earlier run has finished it."""
    part = _Part(words, parts)
    if part.is_finished:
        advance(len(words))
        return part.read()
    results: list[Result] = []
    for word in words:
        results.append(inducer(word))
        advance(1)
    if parts is not None:
        part.write(results)
    return results


class _Part:
    """The files of a finished batch, in a folder of parts where there is one."""

    def __init__(self, words: Sequence[str], parts: Path | None) -> None:
        part = (parts or Path()) / digest_of(list(words))
        self._lines, self._directions = part.with_suffix(".jsonl"), part.with_suffix(".npy")
        self.is_finished = parts is not None and self._lines.exists()

    def write(self, results: Sequence[Result]) -> None:
        self._lines.parent.mkdir(parents=True, exist_ok=True)
        lines, directions = [], [np.empty((0, 0), np.float32)]
        for result in results:
            if isinstance(result, WordSenses):
                lines.append(json.dumps(entry_to_dict(result) | {"k": result.n_senses}))
                directions.append(result.directions)
            else:
                lines.append(json.dumps({"skipped": result.word, "reason": result.reason}))
        write_array(self._directions, np.concatenate(directions[1:] or directions))
        write_bytes(self._lines, "\n".join(lines).encode())  # last: marks it whole

    def read(self) -> list[Result]:
        directions = open_array(self._directions, np.float32, (None, None), mapped=False)
        results: list[Result] = []
        start = 0
        for line in read_text(self._lines).splitlines():
            values = parse_json(line, self._lines)
            if "skipped" in values:
                results.append(SkippedWord(values["skipped"], values["reason"]))
                continue
            own = directions[start : start + values["k"]]
            results.append(entry_from_dict(values, own, self._lines))
            start += values["k"]
        return results
