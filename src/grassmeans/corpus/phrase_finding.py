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
from pathlib import Path
from typing import NamedTuple

import numpy as np

from grassmeans.arrays import Booleans, Doubles, Indices, Integers
from grassmeans.artifacts import schema
from grassmeans.artifacts.checking import damaged, open_array
from grassmeans.artifacts.temporaries import temporary_folder
from grassmeans.artifacts.writing import write_array
from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.ingest import Ingest
from grassmeans.corpus.shard import TEXT, Shard
from grassmeans.corpus.vocabulary import is_function_word
from grassmeans.engines import EngineChoice, use_engine
from grassmeans.engines.parallel import is_remote, map_tasks
from grassmeans.errors import InputError
from grassmeans.kernels import get_kernels
from grassmeans.kernels.arguments import PhraseTrie
from grassmeans.outputs.places import check_output
from grassmeans.progress import progress_bar
from grassmeans.reading.documents import RawDocument, ReadReport
from grassmeans.text.phrases import Phrases, make_trie
from grassmeans.text.tokenizer import Tokenizer

_MOST_BETWEEN = 2
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
    """What counts as a phrase."""

    threshold: float = 0.6  # the smallest normalised mutual information, in [-1, 1]
    min_count: int = 10  # the fewest occurrences, of a phrase and of its words
    passes: int = 2  # with each pass phrases can be twice as long
    # What may stand inside of a phrase; by default some words of the corpus's language.
    common_words: frozenset[str] | None = None
    max_phrases: int = 50_000  # only the most frequent are kept

    def __post_init__(self) -> None:
        counts = dict.fromkeys(("min_count", "passes", "max_phrases"), schema.whole(1))
        schema.check_fields(self, threshold=schema.number(-1.0, 1.0), **counts)


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
    """The phrases of a corpus, most frequent first; documents that came tokenised are passed over.

    ``beside`` is where a temporary folder is made that workers of other machines see.
    """
    chosen = settings or PhraseSettings()
    _check_corpus(corpus)
    finder = _Finder(corpus, chosen)
    with temporary_folder(beside) as scratch:
        for number in range(1, chosen.passes + 1):
            places = [scratch / f"{i:05d}.npy" for i in range(len(corpus.shards))]
            tasks = (
                (shard, corpus.tokenizer, place, finder.view)
                for shard, place in zip(corpus.shards, places, strict=True)
            )
            description = f"counting pairs, pass {number}"
            with progress_bar(
                description, len(places), unit="shards", show=show_progress
            ) as advance:
                for counts in map_tasks(_count_shard, tasks, workers):
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

    They are one's own, "port ellery", or those that `find_phrases` finds; as part of the tokenizer
    they are joined in new text as well.
    """
    _check_corpus(corpus)
    with use_engine(engine, workers):
        check_output(output, "corpus", inputs=[corpus.path], overwrite=overwrite)
        if phrases is None:
            beside = Path(output).resolve().parent if is_remote() else None
            found = find_phrases(
                corpus, settings, workers=workers, beside=beside, show_progress=show_progress
            )
            chosen = [phrase.entry for phrase in found]
            problem = f"no phrases were found in {corpus.path}: try a lower threshold or min_count"
        else:
            spelled = (corpus.tokenizer.tokenize(phrase) for phrase in phrases)
            chosen = [" ".join(words) for words in spelled if len(words) > 1]
            problem = "no phrase was given: each needs two words or more"
        if not chosen:
            raise InputError(problem)
        options = replace(
            corpus.options,
            tokenizer=replace(corpus.tokenizer, phrases=Phrases(chosen)),
            keep_duplicates=True,
            keep_links=False,  # the stored text is clean: its links are gone
        )
        ingest = Ingest(
            Path(output),
            options,
            total_bytes=sum(len(shard.text) for shard in corpus.shards),
            sources=corpus.manifest.get("sources", ()),
            inputs=[corpus.path],
            workers=workers,
            overwrite=overwrite,
            show_progress=show_progress,
        )
        ingest.take_documents(_read_documents(corpus, ingest.report))
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


class _CorpusView(NamedTuple):
    """What the workers of a pass know."""

    trie: PhraseTrie | None  # the phrases found so far, by word ids; None in the first pass
    # (n_types + 1,) number of each word id among the common words, -1 for others; the last is for
    # unknown words.
    common: Integers
    allowed: Booleans  # (n_types + 1,) whether a phrase may begin or end with a word


class _PairCounts(NamedTuple):
    """Pairs of words and how often each word occurs."""

    pairs: Indices  # (n_pairs,) rising; see `_number_pairs`
    counts: Indices  # (n_pairs,)
    # (n_words,) counts of the words, and of the phrases found so far, which come after them.
    words: Indices


def _count_shard(
    shard: Shard, tokenizer: Tokenizer, scratch: Path, view: _CorpusView
) -> _PairCounts:
    """Count the pairs of a shard; ``scratch`` keeps where its words follow each other."""
    tokens = np.asarray(shard.tokens)
    if scratch.exists():
        follows = np.asarray(open_array(scratch, np.bool_, (len(tokens),)))
    else:
        follows = _find_follows(shard, tokenizer)
        write_array(scratch, follows)
    n_types = len(view.common) - 1
    n_words = n_types
    if view.trie is not None:
        lengths, phrases = get_kernels().join_phrases(tokens, follows, view.trie)
        tokens = np.where(phrases >= 0, n_types + phrases, tokens)[lengths > 0]
        follows = follows[lengths > 0]
        n_words += int(view.trie.ends.max()) + 1
    pairs, counts = np.unique(_number_pairs(tokens, follows, view, n_words), return_counts=True)
    return _PairCounts(pairs, counts, np.bincount(tokens[tokens >= 0], minlength=n_words))


def _find_follows(shard: Shard, tokenizer: Tokenizer) -> Booleans:
    """(n_tokens,) whether a phrase may go on from the token before."""
    offsets = np.asarray(shard.document_offsets)
    follows = np.zeros(int(offsets[-1]) if len(offsets) else 0, np.bool_)
    for i in np.flatnonzero(~np.asarray(shard.pretokenised)).tolist():
        found = tokenizer.find_follows(shard.document_text(i))
        if len(found) != offsets[i + 1] - offsets[i]:
            raise damaged(shard.folder / TEXT, "text and tokens do not fit")
        follows[offsets[i] : offsets[i + 1]] = found
    return follows


def _number_pairs(tokens: Integers, follows: Booleans, view: _CorpusView, n_words: int) -> Indices:
    """Every two words with at most two common words between them, as one number each.

    (first * n_words + second) * n_between + between, where between is 0 for nothing, and then one
    common word, and then two.
    """
    n_types = len(view.common) - 1
    known = np.minimum(tokens, n_types)  # phrases are as unknown words, but allowed
    common = np.where(tokens < n_types, view.common[known], -1)
    allowed = np.where(tokens < n_types, view.allowed[known], True)
    places = np.flatnonzero(common < 0)
    left, right = places[:-1], places[1:]
    breaks = np.cumsum(~follows)
    good = (breaks[left] == breaks[right]) & (right - left <= _MOST_BETWEEN + 1)
    good &= allowed[left] & allowed[right]
    left, right = left[good], right[good]
    n_common = int(view.common.max(initial=-1)) + 1
    between = np.zeros(len(left), np.int64)
    one, two = right - left == 2, right - left == 3
    between[one] = 1 + common[left[one] + 1]
    between[two] = 1 + n_common + common[left[two] + 1] * n_common + common[left[two] + 2]
    pairs = tokens[left].astype(np.int64) * n_words + tokens[right]
    numbered: Indices = pairs * (1 + n_common + n_common**2) + between
    return numbered


def score_pairs(pairs: Indices, first: Indices, second: Indices, total: int) -> Doubles:
    """(n,) normalised mutual information of pairs that occur so often, as their words do."""
    share = pairs / total
    information = np.log(share) - np.log(first / total) - np.log(second / total)
    with np.errstate(divide="ignore"):  # a text that is one phrase, again and again
        return np.where(pairs < total, information / -np.log(share), 1.0)


def _add_counts(parts: Sequence[_PairCounts]) -> _PairCounts:
    """The counts of several shards together."""
    pairs = np.concatenate([part.pairs for part in parts])
    counts = np.concatenate([part.counts for part in parts])
    order = np.argsort(pairs, kind="stable")
    pairs, counts = pairs[order], counts[order]
    starts = np.flatnonzero(np.diff(pairs, prepend=-1))
    if len(starts):
        pairs, counts = pairs[starts], np.add.reduceat(counts, starts)
    return _PairCounts(pairs, counts, np.sum([part.words for part in parts], axis=0))


class _Finder:
    """Adds up the counts of shards, and finds the phrases of a pass."""

    def __init__(self, corpus: Corpus, settings: PhraseSettings) -> None:
        self._vocabulary = vocabulary = corpus.vocabulary
        self._settings = settings
        words = settings.common_words
        if words is None:
            words = frozenset(COMMON_WORDS.get(corpus.options.language, "").split())
        self._common = vocabulary.ids_of(word for word in sorted(words) if word in vocabulary)
        common = np.full(len(vocabulary) + 1, -1, np.int32)
        common[self._common] = np.arange(len(self._common))
        # A phrase neither begins nor ends with a rare word, a function word, or an unknown one.
        allowed = np.zeros(len(vocabulary) + 1, np.bool_)
        left_out = corpus.function_words | words
        frequent = vocabulary.words[: vocabulary.size_at(settings.min_count)]
        allowed[: len(frequent)] = [
            len(word) > 1 and not is_function_word(word, left_out) for word in frequent
        ]
        self.view = _CorpusView(None, common, allowed)
        self.found: dict[str, FoundPhrase] = {}
        self._phrases: list[tuple[int, ...]] = []  # word ids of what was found so far
        self._start_pass()

    def _start_pass(self) -> None:
        self._parts: list[_PairCounts] = []
        self._n_waiting = 0
        self._fewest = 1

    def add(self, counts: _PairCounts) -> None:
        """Take over the counts of a shard."""
        self._parts.append(counts)
        self._n_waiting += len(counts.pairs)
        if self._n_waiting > _MOST_PAIRS:
            self._merge()

    def _merge(self) -> _PairCounts:
        merged = _add_counts(self._parts)
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
        """Word ids of the common words that a number of `_number_pairs` stands for."""
        n_common = len(self._common)
        if between == 0:
            return ()
        inside = [between - 1] if between <= n_common else divmod(between - 1 - n_common, n_common)
        return [int(self._common[number]) for number in inside]
