"""The uses of words: which sense each has in which document, from labels or measured on the spot.

A labelled corpus is gone through shard by shard, for some words at a time: however large it is,
the uses of one block of words are in memory at once. Both ways read a corpus in its documents and
choose by the same rule, so that they agree, but for rounding and for words with one sense: a label
always has it, and what is measured may be "I don't know".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from grassmeans.arrays import Indices, Integers
from grassmeans.change.grouping import GroupedCorpus, GroupedDocuments
from grassmeans.corpus.corpus import Corpus
from grassmeans.errors import InputError, UnknownWordError
from grassmeans.geometry.windows import sample_positions
from grassmeans.labelling.measuring import find_targets, read_targets
from grassmeans.models.model import SenseModel
from grassmeans.models.versions import list_digests
from grassmeans.reading.given import spell_word
from grassmeans.senses.keys import decode_key
from grassmeans.senses.samples import word_seeds

BLOCK_USES = 8_000_000
"""Uses that are in memory at once; a word that has more is alone."""

MAX_CONTEXTS = 5_000
"""Of a word and group, in a corpus without labels: a sample of its occurrences is measured."""


@dataclass(frozen=True, slots=True)
class Uses:
    """Uses of some words in documents that have a group, sorted by word, document and sense."""

    words: Sequence[str]
    n_senses: Indices  # (n_words,)
    # (n_entries,) a word's number, a document (those of all corpora are counted on), a sense (0 is
    # "I don't know"), the document's group, and how often the word has the sense there.
    word: Integers
    document: Integers
    sense: Integers
    group: Integers
    count: Integers

    def count_senses(self, n_groups: int) -> Indices:
        """(n_words, n_groups, most senses + 1) occurrences; column 0 is "I don't know"."""
        shape = (len(self.words), n_groups, int(self.n_senses.max(initial=1)) + 1)
        flat = np.ravel_multi_index((self.word, self.group, self.sense), shape)
        found = np.bincount(flat, weights=self.count, minlength=int(np.prod(shape)))
        return found.astype(np.int64).reshape(shape)


def collect_uses(
    model: SenseModel,
    documents: GroupedDocuments,
    words: Sequence[str] | None = None,
    max_contexts: int = MAX_CONTEXTS,
    random_state: int = 0,
) -> Iterator[Uses]:
    """The uses of words, spelt as the model does, block by block; by default of all, by labels.

    In a corpus without labels a sample of ``max_contexts`` of each word and group is measured.
    `InputError` where labels are missing or another model's, or words were split by another rule.
    """
    labelled = [part.corpus.is_labelled for part in documents.parts]
    if all(labelled):
        yield from _read_labels(model, documents, words)
        return
    if any(labelled):
        raise InputError("some corpora are labelled and others are not: label them all, or none")
    if words is None:
        path, name = documents.parts[0].corpus.path, model.folder or "MODEL"
        raise InputError(
            f"all words need a labelled corpus: run `grassmeans label {path} {name} -o labelled` "
            "first, or name words"
        )
    measured = [
        _measure_part(model, part, words, max_contexts, random_state) for part in documents.parts
    ]
    yield _join(words, model, documents, measured)


_Columns = tuple[Integers, Indices, Integers]
"""Words, documents of a corpus and senses, one row a use."""


def _read_labels(
    model: SenseModel, documents: GroupedDocuments, words: Sequence[str] | None
) -> Iterator[Uses]:
    digests = list_digests(model)  # senses of earlier versions have the same numbers
    for part in documents.parts:
        about = part.corpus.manifest["labelled"]
        if about["model_digest"] not in digests:
            raise InputError(
                f"{part.corpus.path} was labelled by another model ({about['model'] or 'unnamed'})"
                ": give that one, or label the corpus again"
            )
    chosen = list(model.inventory.words) if words is None else list(words)
    counts = np.zeros(len(chosen), np.int64)
    tables = [_tabulate_tokens(part.corpus, chosen) for part in documents.parts]
    for part, (word_of, _) in zip(documents.parts, tables, strict=True):
        known = word_of[:-1] >= 0
        own = np.asarray(part.corpus.vocabulary.counts)[known]
        counts += np.bincount(word_of[:-1][known], own, len(chosen)).astype(np.int64)
    block_of = np.cumsum(counts) // BLOCK_USES
    for block in np.unique(block_of[counts > 0]).tolist():
        mine = np.flatnonzero((block_of == block) & (counts > 0))
        number = np.full(len(chosen) + 1, -1, np.int32)
        number[mine] = np.arange(len(mine))
        read = [
            _read_part(part, number[word_of], sense_of)
            for part, (word_of, sense_of) in zip(documents.parts, tables, strict=True)
        ]
        yield _join([chosen[i] for i in mine.tolist()], model, documents, read)


def _tabulate_tokens(corpus: Corpus, words: Sequence[str]) -> tuple[Integers, Integers]:
    """(n_types + 1,) the word and the sense of each token id; -1 for none, and at the end."""
    read_targets(corpus)  # checks the labels
    numbers = {word: i for i, word in enumerate(words)}
    keys = corpus.vocabulary.words
    word_of = np.full(len(keys) + 1, -1, np.int32)
    sense_of = np.zeros(len(keys) + 1, np.int32)
    for i, key in enumerate(keys):
        word, sense = decode_key(key)
        if sense is not None and word in numbers:
            word_of[i], sense_of[i] = numbers[word], sense
    return word_of, sense_of


def _read_part(part: GroupedCorpus, word_of: Integers, sense_of: Integers) -> _Columns:
    found: list[_Columns] = []
    for shard in part.corpus.shards:
        tokens = np.asarray(shard.tokens)
        places = np.flatnonzero(word_of[tokens] >= 0)
        offsets = np.asarray(shard.document_offsets)
        own = np.searchsorted(offsets, places, side="right") - 1 + shard.first_document
        kept = part.groups[own] >= 0
        ids = tokens[places[kept]]
        found.append((word_of[ids], own[kept], sense_of[ids]))
    return _stack(found)


def _measure_part(
    model: SenseModel,
    part: GroupedCorpus,
    words: Sequence[str],
    max_contexts: int,
    random_state: int,
) -> _Columns:
    """The senses of words in a corpus without labels, as `SenseModel.senses_at` tells them."""
    find_targets(part.corpus, model)  # says whether the two fit
    corpus = model.pool_forms(part.corpus)
    columns: list[_Columns] = []
    for number, word in enumerate(words):
        positions = find_positions(corpus, word)
        own = corpus.documents_of(positions)
        kept = sample_by_group(part.groups[own], max_contexts, word, random_state)
        senses = model.senses_at(corpus, word, positions[kept]).senses.astype(np.int32)
        columns.append((np.full(len(kept), number, np.int32), own[kept], senses))
    return _stack(columns)


def _stack(parts: Sequence[_Columns]) -> _Columns:
    words, documents, senses = (np.concatenate(column) for column in zip(*parts, strict=True))
    return words, documents, senses


def sample_by_group(groups: Integers, at_most: int, word: str, random_state: int) -> Indices:
    """(n,) which occurrences to look at, so many of each group: a small one is not lost."""
    seeds = word_seeds(word, random_state).spawn(int(groups.max(initial=-1)) + 1)
    chosen = [
        sample_positions(np.flatnonzero(groups == group), at_most, seed)
        for group, seed in enumerate(seeds)
    ]
    return np.sort(np.concatenate(chosen)) if chosen else np.empty(0, np.int64)


def find_positions(corpus: Corpus, word: str) -> Indices:
    """Positions of a word in a corpus, labelled or not; none where it does not occur."""
    if not corpus.is_labelled:
        try:
            return corpus.positions(word)
        except UnknownWordError:
            return np.empty(0, np.int64)
    keys = corpus.vocabulary.words
    ids = [i for i, key in enumerate(keys) if key.startswith(word) and decode_key(key)[0] == word]
    found = [corpus.positions(i) for i in ids]
    return np.sort(np.concatenate(found)) if found else np.empty(0, np.int64)


def _join(
    words: Sequence[str], model: SenseModel, documents: GroupedDocuments, parts: Sequence[_Columns]
) -> Uses:
    """The uses of all corpora, counted by word, document and sense."""
    n_senses = np.array([model.inventory.sense_counts[word] for word in words], np.int64)
    most = int(n_senses.max(initial=1)) + 1
    starts = np.cumsum([0, *(part.corpus.n_documents for part in documents.parts)])
    groups = np.concatenate([part.groups for part in documents.parts])
    shape = (max(len(words), 1), int(starts[-1]), most)
    flat = np.concatenate(
        [
            np.ravel_multi_index((word, document + start, sense), shape)
            for (word, document, sense), start in zip(parts, starts, strict=False)
        ]
    )
    different, count = np.unique(flat, return_counts=True)
    word, document, sense = (
        column.astype(np.int32) for column in np.unravel_index(different, shape)
    )
    return Uses(words, n_senses, word, document, sense, groups[document], count.astype(np.int32))


def spell_words(model: SenseModel, words: Sequence[str]) -> list[str]:
    """Words as the model spells them; `UnknownWordError` for one that has no senses."""
    if not words:
        raise InputError("no word was given: name one or more")
    found = []
    for word in words:
        spelled = model.spell(word)
        if spelled not in model.inventory:
            known = spell_word(word, model.tokenizer)
            raise UnknownWordError(f"{known!r} has no senses in the model")
        found.append(spelled)
    return list(dict.fromkeys(found))
