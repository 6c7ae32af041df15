"""Artificial polysemous words (section 3 of the paper): several words merged into one.

Their senses are known for certain: the sense of an occurrence is the word that stood there. So
they show how well senses are found, in any language and without anybody's labels.

Words of one meaning are drawn from a band of frequencies (`choose_groups`), a test set is made of
their occurrences (`build_pseudowords`), and a copy of the corpus in which they are one word
(`merge_words`). There only the tokens change: the copy shares the text and everything else with its
source, positions are the same, and a concordance of a merged word shows the words that stood there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import count
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts.writing import digest_of, share_file, write_manifest
from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.ingest import FORMAT_VERSION as CORPUS_VERSION
from grassmeans.corpus.ingest import KIND as CORPUS_KIND
from grassmeans.corpus.shard import ConcordanceLine, Shard, shard_folder
from grassmeans.corpus.shard_writing import rewrite_shard
from grassmeans.corpus.vocabulary import FUNCTION_WORDS, UNKNOWN, Vocabulary, is_function_word
from grassmeans.engines.parallel import map_tasks
from grassmeans.errors import InputError
from grassmeans.labelling.decoding import SENSE_FILES
from grassmeans.outputs.places import check_output, output_folder
from grassmeans.progress import progress_bar
from grassmeans.text.tokenizer import Tokenizer, WhitespaceTokenizer
from grassmeans_lab.datasets.writing import (
    KIND,
    DatasetSummary,
    LabelledInstance,
    Sampling,
    make_instance,
    make_label,
    order_occurrences,
    sample_senses,
    text_around,
    write_dataset,
)
from grassmeans_lab.wordnet.database import WordNet

_NAME = "pseudoword"
_MIN_LENGTH = 3
_MERGED_FIELDS = ("merged",)  # a corpus without it is never replaced by one of merged words


@dataclass(frozen=True, slots=True)
class WordChoice:
    """How the words to merge are drawn.

    Parameters
    ----------
    n_groups : int
        Number of artificial words.
    size : int
        Words in each.
    min_count, max_count : int
        Words that occur so often; None: no upper limit.
    by_frequency : bool
        Draw frequent words more often, in proportion to their counts.
    """

    n_groups: int = 10
    size: int = 2
    min_count: int = 500
    max_count: int | None = 10_000
    by_frequency: bool = False
    random_state: int = 0

    def __post_init__(self) -> None:
        if self.n_groups < 1:
            raise InputError(f"n_groups must be 1 or more, got {self.n_groups}")
        if self.size < 2:
            raise InputError(f"an artificial word merges 2 words or more, got {self.size}")
        if self.max_count is not None and self.max_count < self.min_count:
            raise InputError(
                f"max_count must be min_count ({self.min_count}) or more, got {self.max_count}"
            )


@dataclass(frozen=True, slots=True)
class PseudowordSettings:
    """What goes into a test set of artificial words.

    Parameters
    ----------
    choice : WordChoice
        Which words are drawn, where none are given.
    context_chars : int
        Characters of text on either side.
    sampling : Sampling
        How many instances of a word, and the split.
    """

    choice: WordChoice = field(default_factory=WordChoice)
    context_chars: int = 500
    sampling: Sampling = field(default_factory=lambda: Sampling(max_per_sense=200))

    def __post_init__(self) -> None:
        if self.context_chars < 1:
            raise InputError(f"context_chars must be 1 or more, got {self.context_chars}")


def build_pseudowords(
    corpus: Corpus,
    output: str | Path,
    settings: PseudowordSettings | None = None,
    *,
    groups: Sequence[Sequence[str]] | None = None,
    wordnet: str | Path | None = None,
    corpus_out: str | Path | None = None,
    workers: int | None = None,
    overwrite: bool = False,
    show_progress: bool | None = None,
) -> DatasetSummary:
    """Write a test set of artificial words, and the corpus that has them.

    `InputError`, `UnknownWordError` where words do not occur, come twice, or are too few.

    Parameters
    ----------
    output : path
        Folder of the test set: ``instances.jsonl`` and ``instances.key``, or ``train`` and
        ``test`` with a split. The label of an instance is the word that stood there; in its text
        the merged words are replaced, too.
    groups : sequence of sequences of str, optional
        The words to merge; by default they are drawn (`choose_groups`).
    wordnet : path, optional
        Draw words that have one sense in this WordNet only.
    corpus_out : path, optional
        Folder of a corpus in which the words are merged (`merge_words`), to train vectors and to
        induce senses.
    """
    chosen = settings or PseudowordSettings()
    folder = Path(output)
    if corpus_out is not None:
        if Path(corpus_out).resolve() == folder.resolve():
            raise InputError("the test set and the merged corpus need two folders")
        _check_merged_output(corpus, corpus_out, wordnet, overwrite=overwrite)
    inputs = [corpus.path, corpus_out, wordnet]
    check_output(folder, KIND, inputs=inputs, overwrite=overwrite)
    if groups is None:
        database = None if wordnet is None else WordNet.open(wordnet)
        groups = choose_groups(corpus, chosen.choice, database)
    named = name_groups(corpus, groups)
    check_groups(corpus, named)
    parts = _make_instances(corpus, named, chosen, show_progress)
    if corpus_out is not None:
        merge_words(
            corpus,
            named,
            corpus_out,
            workers=workers,
            overwrite=overwrite,
            show_progress=show_progress,
        )
    facts = {
        "made_by": "pseudowords",
        "corpus": corpus.path.name,
        "corpus_digest": corpus.manifest.get("digest"),
        "parameters": asdict(chosen),
        "merged": {name: list(words) for name, words in named.items()},
    }
    return write_dataset(folder, parts, facts, inputs=inputs, overwrite=overwrite)


def name_groups(corpus: Corpus, groups: Sequence[Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Names for artificial words, ``pseudoword1`` and so on, that are no words of the corpus.

    A name is one token, so that the replaced text of an instance is read as it was meant. The words
    of the groups come back as the corpus spells them.
    """
    names = (f"{_NAME}{i}" for i in count(1))
    free = (name for name in names if name not in corpus.vocabulary)
    spelled = (tuple(map(corpus.spell, words)) for words in groups)
    return dict(zip(free, spelled, strict=False))


def _make_instances(
    corpus: Corpus,
    groups: Mapping[str, Sequence[str]],
    settings: PseudowordSettings,
    show_progress: bool | None,
) -> dict[str, list[LabelledInstance]]:
    name_of = {word: name for name, words in groups.items() for word in words}
    parts: dict[str, list[LabelledInstance]] = {part: [] for part in settings.sampling.parts}
    with progress_bar("writing", len(groups), unit="words", show=show_progress) as advance:
        for name, words in groups.items():
            senses = {make_label(word): corpus.positions(word) for word in words}
            number = 0
            for part, drawn in sample_senses(name, senses, settings.sampling).items():
                for position, label in order_occurrences(drawn):
                    number += 1
                    line = text_around(corpus, position, settings.context_chars)
                    hidden = _hide_words(corpus, line, name, name_of)
                    parts[part].append(make_instance(hidden, name, number, label))
            advance()
    return parts


def _hide_words(
    corpus: Corpus, line: ConcordanceLine, name: str, name_of: Mapping[str, str]
) -> ConcordanceLine:
    """Replace the occurrence, and the merged words in the text around it."""
    rule = _token_rule(corpus, line.position)
    left, right = (_replace_words(text, rule, name_of) for text in (line.left, line.right))
    return replace(line, left=left, word=name, right=right)


def _token_rule(corpus: Corpus, position: int) -> Tokenizer | WhitespaceTokenizer:
    shard, local = corpus.locate(position)
    return shard.token_rule(shard.document_at(local), corpus.tokenizer)


def _replace_words(
    text: str, rule: Tokenizer | WhitespaceTokenizer, name_of: Mapping[str, str]
) -> str:
    pieces: list[str] = []
    end = 0
    for start, stop in rule.spans(text):
        name = name_of.get(rule.key_of(text[start:stop]) or "")
        if name is not None:
            pieces += [text[end:start], name]
            end = stop
    return "".join([*pieces, text[end:]])


def choose_groups(
    corpus: Corpus, choice: WordChoice, wordnet: WordNet | None = None
) -> list[tuple[str, ...]]:
    """Draw words at random and put them into groups; no word comes twice.

    Without WordNet nobody knows which words have one meaning only: any content word of the band
    may come, and most words of a middle frequency have one meaning that is by far the commonest.

    Parameters
    ----------
    wordnet : WordNet, optional
        Take only words whose dictionary form has one sense there.

    `InputError` where there are not enough words.
    """
    candidates = find_candidates(corpus, choice.min_count, choice.max_count, wordnet)
    needed = choice.n_groups * choice.size
    if len(candidates) < needed:
        upper = "" if choice.max_count is None else f" to {choice.max_count:,}"
        kind = "words with one sense in WordNet" if wordnet is not None else "content words"
        raise InputError(
            f"{choice.n_groups} artificial words of {choice.size} words need {needed} words, but "
            f"the corpus has {len(candidates)} {kind} that occur {choice.min_count:,}{upper} times:"
            " widen the band (min_count=..., max_count=...), or merge fewer"
        )
    rng = np.random.default_rng(choice.random_state)
    drawn = rng.choice(
        len(candidates),
        needed,
        replace=False,
        p=_weights(corpus, candidates) if choice.by_frequency else None,
    )
    words = [candidates[i] for i in drawn.tolist()]
    return [tuple(words[i : i + choice.size]) for i in range(0, needed, choice.size)]


def find_candidates(
    corpus: Corpus, min_count: int, max_count: int | None, wordnet: WordNet | None = None
) -> list[str]:
    """Words of a band of frequencies: no function words, three letters or more and letters only."""
    vocabulary = corpus.vocabulary
    first = 0 if max_count is None else vocabulary.size_at(max_count + 1)
    band = vocabulary.words[first : vocabulary.size_at(min_count)]
    words = [
        word
        for word in band
        if len(word) >= _MIN_LENGTH
        and word.isalpha()
        and not is_function_word(word, corpus.function_words)
    ]
    return words if wordnet is None else [word for word in words if is_monosemous(word, wordnet)]


def is_monosemous(word: str, wordnet: WordNet) -> bool:
    """Whether the word, or its dictionary form, has one sense in all parts of speech together."""
    form = wordnet.base_form(word.lower())
    return sum(len(lemmas.get(form, ())) for lemmas in wordnet.index.values()) == 1


def _weights(corpus: Corpus, words: Sequence[str]) -> NDArray[np.float64]:
    counts = np.array([corpus.vocabulary.count_of(word) for word in words], np.float64)
    shares: NDArray[np.float64] = counts / counts.sum()
    return shares


def merge_words(
    corpus: Corpus,
    groups: Mapping[str, Sequence[str]],
    output: str | Path,
    *,
    workers: int | None = None,
    overwrite: bool = False,
    show_progress: bool | None = None,
) -> Corpus:
    """Write a corpus in which every occurrence of the words of a group is the group's name.

    Parameters
    ----------
    corpus : Corpus
        Of words, not of lexemes.
    groups : mapping
        Name of the new word -> the words that it stands for; see `check_groups`.
    output : path
        Folder of the new corpus; its manifest's field ``merged`` holds ``groups``.
    """
    check_groups(corpus, groups)
    source = corpus.manifest.get("digest")
    merged = {name: list(words) for name, words in groups.items()}
    with output_folder(
        output,
        CORPUS_KIND,
        [source, merged],
        inputs=[corpus.path],
        fields=_MERGED_FIELDS,
        overwrite=overwrite,
    ) as building:
        folder = building.folder
        vocabulary, new_ids = _merge_vocabulary(corpus.vocabulary, groups)
        vocabulary.save(folder)
        if (corpus.path / FUNCTION_WORDS).exists():
            share_file(corpus.path / FUNCTION_WORDS, folder / FUNCTION_WORDS)
        tasks = (
            (shard, shard_folder(folder, number), new_ids)
            for number, shard in enumerate(corpus.shards)
        )
        n_shards = len(corpus.shards)
        with progress_bar("merging", n_shards, unit="shards", show=show_progress) as advance:
            for _ in map_tasks(_write_shard, tasks, workers):
                advance()
        head = ("kind", "format_version", "grassmeans", "created")
        fields = {name: value for name, value in corpus.manifest.items() if name not in head}
        fields |= {"digest": digest_of([source, merged]), "n_types": len(vocabulary)}
        write_manifest(folder, CORPUS_KIND, CORPUS_VERSION, fields | {"merged": merged})
    return Corpus.open(output)


def _check_merged_output(
    corpus: Corpus, output: str | Path, wordnet: str | Path | None, *, overwrite: bool
) -> None:
    """Refuse early, before long work, a folder that cannot hold the merged corpus."""
    inputs = [corpus.path, wordnet]
    check_output(output, CORPUS_KIND, inputs=inputs, fields=_MERGED_FIELDS, overwrite=overwrite)


def check_groups(corpus: Corpus, groups: Mapping[str, Sequence[str]]) -> None:
    """Check that words can be merged: they occur, each in one group only, under a new name.

    Raises `InputError`, `UnknownWordError`.
    """
    if corpus.is_labelled:
        raise InputError(
            f"{corpus.path} is a labelled corpus: merge words of the corpus that it was made from"
        )
    seen: dict[str, str] = {}
    for name, words in groups.items():
        if len(set(words)) < 2:
            raise InputError(f"a merged word needs two different words or more, got {list(words)}")
        if name in corpus.vocabulary and name not in words:
            raise InputError(f"{name!r} is a word of the corpus already: choose another name")
        for word in words:
            corpus.word_id(word)
            if word in seen:
                raise InputError(f"{word!r} is in two groups: a word can be merged once only")
            seen[word] = name


def _merge_vocabulary(
    vocabulary: Vocabulary, groups: Mapping[str, Sequence[str]]
) -> tuple[Vocabulary, NDArray[np.int32]]:
    """The new words, and (n_types + 1,) the new id of every old one; the last is for unknowns."""
    name_of = {word: name for name, words in groups.items() for word in words}
    keys = [name_of.get(word, word) for word in vocabulary.words]
    counts: dict[str, int] = {}
    for key, number in zip(keys, np.asarray(vocabulary.counts).tolist(), strict=True):
        counts[key] = counts.get(key, 0) + number
    merged = Vocabulary.from_counts(counts)
    return merged, np.append(merged.ids_of(keys), np.int32(UNKNOWN))


def _write_shard(source: Shard, folder: Path, new_ids: NDArray[np.int32]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    rewrite_shard(source.folder, folder, new_ids[np.asarray(source.tokens)], SENSE_FILES)
