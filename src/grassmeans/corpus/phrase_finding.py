"""Which words of a corpus are phrases, and the corpus in which they are joined.

Two words are a phrase where they stand together far more often than chance would have them: by
their normalised pointwise mutual information, ln(p(ab) / p(a) p(b)) / -ln p(ab) (Bouma, 2009),
which is 1 for words that never stand apart and 0 for words that meet by chance. Common words may
stand between them, "pyramid of giza", and are not counted. In a second pass phrases are words in
their turn, so that "new york" and "stock exchange" become one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts.temporaries import temporary_folder
from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.ingest import ingest_documents
from grassmeans.corpus.phrase_counting import (
    CorpusView,
    PairCounts,
    add_counts,
    count_shard,
    score_pairs,
)
from grassmeans.corpus.vocabulary import Vocabulary, is_function_word
from grassmeans.engines import EngineChoice, use_engine
from grassmeans.engines.parallel import is_remote, map_tasks
from grassmeans.errors import InputError
from grassmeans.outputs.places import check_output
from grassmeans.progress import progress_bar
from grassmeans.reading.documents import RawDocument, ReadReport
from grassmeans.text.phrases import Phrases, make_trie

_MOST_PAIRS = 20_000_000
"""Pairs of words that are counted at once; of more, the rarest are forgotten."""

COMMON_WORDS = {
    "en": "a an the of for and or in on at to by with from",
    "es": "de del la el los las y e o en a al",
    "fr": "de du des la le les d l et ou à au aux en",
    "de": "der die das des dem den von vom und oder am im zu zum zur für in",
    "it": "di del della dello dei degli delle d e o il la in a al alla",
    "pt": "de do da dos das e ou em no na a o",
    "nl": "van de der den het en of in op aan te voor",
    "ru": "и в на с по",
}
"""Words that may stand inside of a phrase, by language; other function words never do."""


@dataclass(frozen=True, slots=True)
class PhraseSettings:
    """What counts as a phrase.

    Parameters
    ----------
    threshold : float in [-1, 1]
        The smallest normalised mutual information.
    min_count : int
        The fewest occurrences, of a phrase and of its words.
    passes : int
        With each pass phrases can be twice as long.
    common_words : frozenset of str, optional
        What may stand inside of a phrase; by default some words of the corpus's language.
    max_phrases : int
        Only the most frequent are kept.
    """

    threshold: float = 0.6
    min_count: int = 10
    passes: int = 2
    common_words: frozenset[str] | None = None
    max_phrases: int = 50_000

    def __post_init__(self) -> None:
        if not -1.0 <= self.threshold <= 1.0:
            raise InputError(f"threshold must be between -1 and 1, got {self.threshold}")
        for name in ("min_count", "passes", "max_phrases"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} must be 1 or more, got {getattr(self, name)}")


@dataclass(frozen=True, slots=True)
class FoundPhrase:
    """A phrase of a corpus."""

    entry: str  # its words, separated by spaces
    count: int
    score: float


def find_phrases(
    corpus: Corpus,
    settings: PhraseSettings | None = None,
    *,
    workers: int | None = None,
    beside: Path | None = None,
    show_progress: bool | None = None,
) -> list[FoundPhrase]:
    """The phrases of a corpus, most frequent first.

    Documents that came tokenised are passed over: their tokens are what they are. ``beside`` is
    where a temporary folder is made, if not where the system has its own: workers of other machines
    do not see that.
    """
    chosen = settings or PhraseSettings()
    _check_corpus(corpus)
    finder = _Finder(corpus, chosen)
    with temporary_folder(beside) as scratch:
        for number in range(1, chosen.passes + 1):
            tasks = (
                (shard, corpus.tokenizer, scratch / f"{i:05d}.npy", finder.view)
                for i, shard in enumerate(corpus.shards)
            )
            description = f"counting pairs, pass {number}"
            total = len(corpus.shards)
            with progress_bar(description, total, unit="shards", show=show_progress) as advance:
                for counts in map_tasks(count_shard, tasks, workers):
                    finder.add(counts)
                    advance()
            if not finder.end_pass():
                break
    found = sorted(finder.found.values(), key=lambda phrase: (-phrase.count, phrase.entry))
    return found[: chosen.max_phrases]


def join_phrases(
    corpus: Corpus,
    output: str | Path,
    phrases: Iterable[str] | None = None,
    settings: PhraseSettings | None = None,
    *,
    workers: int | None = None,
    engine: EngineChoice = None,
    overwrite: bool = False,
    show_progress: bool | None = None,
) -> Corpus:
    """Write a corpus whose phrases are one token each, ``port_ellery``.

    They are one's own, "port ellery", or those that `find_phrases` finds. Their table is part of
    the corpus's tokenizer, and so of every model that is made of it: they are joined in new text as
    well.
    """
    with use_engine(engine, workers):
        return _join_phrases(corpus, output, phrases, settings, workers, overwrite, show_progress)


def _join_phrases(
    corpus: Corpus,
    output: str | Path,
    phrases: Iterable[str] | None,
    settings: PhraseSettings | None,
    workers: int | None,
    overwrite: bool,
    show_progress: bool | None,
) -> Corpus:
    _check_corpus(corpus)
    check_output(output, "corpus", inputs=[corpus.path], overwrite=overwrite)
    if phrases is None:
        beside = Path(output).resolve().parent if is_remote() else None
        found = find_phrases(
            corpus, settings, workers=workers, beside=beside, show_progress=show_progress
        )
        phrases = [phrase.entry for phrase in found]
        if not phrases:
            raise InputError(
                f"no phrases were found in {corpus.path}: try a lower threshold or min_count"
            )
    else:
        spelled = (corpus.tokenizer.tokenize(phrase) for phrase in phrases)
        phrases = [" ".join(words) for words in spelled if len(words) > 1]
        if not phrases:
            raise InputError("no phrase was given: each needs two words or more")
    options = replace(
        corpus.options,
        tokenizer=replace(corpus.tokenizer, phrases=Phrases(phrases)),
        keep_duplicates=True,
        keep_links=False,  # the stored text is clean: its links are gone
    )
    report = ReadReport()
    ingest_documents(
        _read_documents(corpus, report),
        Path(output),
        options,
        report=report,
        total_bytes=sum(len(shard.text) for shard in corpus.shards),
        sources=corpus.manifest.get("sources", ()),
        inputs=[corpus.path],
        workers=workers,
        overwrite=overwrite,
        show_progress=show_progress,
    )
    return Corpus.open(output)


def _check_corpus(corpus: Corpus) -> None:
    if corpus.is_labelled:
        raise InputError(f"{corpus.path} is labelled: take the corpus that it was made from")
    if corpus.tokenizer.phrases is not None:
        raise InputError(
            f"{corpus.path} has phrases already: take the corpus that it was made from, with more "
            "passes for longer ones"
        )
    if all(shard.pretokenised.all() for shard in corpus.shards):
        raise InputError(
            f"{corpus.path} came tokenised: join its phrases where its tokens are made, port_ellery"
        )


def _read_documents(corpus: Corpus, report: ReadReport) -> Iterator[RawDocument]:
    """The documents as they are stored; the keys of those that came tokenised too."""
    for shard in corpus.shards:
        sizes = np.diff(shard.text_offsets).tolist()
        for number, size in enumerate(sizes, start=shard.first_document):
            report.n_bytes += size
            yield corpus.document(number)


class _Finder:
    """Adds up the counts of shards, and finds the phrases of a pass."""

    def __init__(self, corpus: Corpus, settings: PhraseSettings) -> None:
        self._vocabulary = corpus.vocabulary
        self._settings = settings
        language = corpus.options.language
        named = settings.common_words
        words = frozenset(COMMON_WORDS.get(language, "").split()) if named is None else named
        self._common = [word for word in sorted(words) if word in self._vocabulary]
        common = np.full(len(self._vocabulary) + 1, -1, np.int32)
        common[self._vocabulary.ids_of(self._common)] = np.arange(len(self._common))
        allowed = _find_allowed(self._vocabulary, corpus.function_words | words, settings.min_count)
        self.view = CorpusView(None, common, allowed)
        self.found: dict[str, FoundPhrase] = {}
        self._phrases: list[tuple[int, ...]] = []  # word ids of what was found so far
        self._start_pass()

    def _start_pass(self) -> None:
        self._parts: list[PairCounts] = []
        self._n_waiting = 0
        self._fewest = 1

    def add(self, counts: PairCounts) -> None:
        """Take over the counts of a shard."""
        self._parts.append(counts)
        self._n_waiting += len(counts.pairs)
        if self._n_waiting > _MOST_PAIRS:
            self._merge()

    def _merge(self) -> PairCounts:
        merged = add_counts(self._parts)
        while len(merged.pairs) > _MOST_PAIRS:
            self._fewest += 1
            kept = merged.counts >= self._fewest
            merged = merged._replace(pairs=merged.pairs[kept], counts=merged.counts[kept])
        # Room for as many again before the next time.
        self._parts, self._n_waiting = [merged], 0
        return merged

    def end_pass(self) -> bool:
        """Find the phrases of the pass; returns whether there are new ones."""
        counts = self._merge()
        self._start_pass()
        n_between = 1 + len(self._common) + len(self._common) ** 2
        n_words = len(self._vocabulary) + len(self._phrases)
        frequent = counts.counts >= self._settings.min_count
        pairs, times = counts.pairs[frequent], counts.counts[frequent]
        words, between = pairs // n_between, pairs % n_between
        first, second = words // n_words, words % n_words
        scores = score_pairs(times, counts.words[first], counts.words[second], counts.words.sum())
        chosen = np.flatnonzero(scores >= self._settings.threshold).tolist()
        new: dict[str, tuple[int, ...]] = {}
        for i in chosen:
            inside = self._spell_between(int(between[i]))
            ids = (*self._ids_of(int(first[i])), *inside, *self._ids_of(int(second[i])))
            entry = " ".join(self._vocabulary.words[word] for word in ids)
            if entry not in self.found:
                new[entry] = ids
                self.found[entry] = FoundPhrase(entry, int(times[i]), float(scores[i]))
        self._phrases += list(new.values())
        trie = make_trie(self._phrases, len(self._vocabulary))
        self.view = self.view._replace(trie=trie)
        return bool(new)

    def _ids_of(self, word: int) -> tuple[int, ...]:
        n_types = len(self._vocabulary)
        return (word,) if word < n_types else self._phrases[word - n_types]

    def _spell_between(self, between: int) -> Sequence[int]:
        n_common = len(self._common)
        ids = self._vocabulary.ids_of(self._common).tolist()
        if between == 0:
            return ()
        if between <= n_common:
            return (ids[between - 1],)
        return tuple(ids[number] for number in divmod(between - 1 - n_common, n_common))


def _find_allowed(
    vocabulary: Vocabulary, left_out: frozenset[str], min_count: int
) -> NDArray[np.bool_]:
    """(n_types + 1,) whether a phrase may begin or end with a word; never with an unknown one."""
    n_frequent = vocabulary.size_at(min_count)
    allowed = np.zeros(len(vocabulary) + 1, np.bool_)
    is_left_out = partial(is_function_word, function_words=left_out)
    words = vocabulary.words[:n_frequent]
    allowed[:n_frequent] = [not is_left_out(word) and len(word) > 1 for word in words]
    return allowed
