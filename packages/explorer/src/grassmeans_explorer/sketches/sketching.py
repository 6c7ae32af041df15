"""The sketch of a word, or of each of its senses: its collocates by relation, scored by logDice.

With a layer of grammar a collocate is a lemma with its part of speech, and logDice is taken inside
a relation: 14 + log2(2 f(w, r, c) / (f(w, r) + f(r, c))), with how often the word has the relation
at all, and how often any word has it with the collocate. Without one, relations are positions: the
word right before, the word right behind, and all words within five.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from grassmeans.arrays import Doubles, Indices
from grassmeans.collocations.collocates import FEWEST, NearWords, count_near_words
from grassmeans.corpus.association import measure_log_dice
from grassmeans.corpus.corpus import Corpus, open_corpus
from grassmeans.corpus.vocabulary import is_function_word
from grassmeans.errors import InputError
from grassmeans.geometry.windows import sample_positions
from grassmeans.labelling.measuring import find_targets
from grassmeans.models.model import SenseModel, open_model
from grassmeans.results import ColumnTypes, Tabular, types_of
from grassmeans.senses.samples import word_seeds
from grassmeans_explorer.grammar.layer import GrammarLayer
from grassmeans_explorer.sketches.relations import BEHIND, find_pairs, name_relation

MAX_CONTEXTS = 5_000
POSITIONS = {"left": (1, 0), "right": (0, 1), "within": (5, 5)}
"""Relations without grammar: how many words before and after."""
_DIGITS = 3


@dataclass(frozen=True, slots=True)
class SketchCollocate:
    """A word that another has in a relation."""

    word: str
    """Its lemma, where grammar is known."""
    pos: str
    """Its part of speech; empty without grammar."""
    count: int
    """How often the two are in the relation."""
    total: int
    """How often the collocate is in it with any word."""
    log_dice: float
    """How exclusively the two belong together in it, 14 at most."""


@dataclass(frozen=True, slots=True)
class SketchRelation:
    """The collocates of a word in one relation, best first."""

    name: str
    count: int
    """How often the word has it."""
    collocates: tuple[SketchCollocate, ...]


@dataclass(frozen=True, slots=True)
class SketchGroup:
    """A sense of the word, or all of it."""

    word: str
    sense: int | None
    """None for all senses together."""
    name: str
    n_lines: int
    relations: tuple[SketchRelation, ...]
    """The most frequent first."""


@dataclass(frozen=True, slots=True)
class WordSketch(Tabular):
    """The sketch of a word, a group for each sense where they are told."""

    word: str
    n_lines: int
    """Occurrences of the word."""
    n_looked_at: int
    groups: tuple[SketchGroup, ...]

    def __repr__(self) -> str:
        return f"WordSketch({self.word!r}: {len(self.groups)} groups, {self.n_looked_at:,} lines)"

    def rows(self) -> list[dict[str, Any]]:
        """A collocate a row, with the sense and the relation before it."""
        return [
            {"sense": group.sense, "name": group.name, "relation": relation.name} | asdict(one)
            for group in self.groups
            for relation in group.relations
            for one in relation.collocates
        ]

    def column_types(self) -> ColumnTypes:
        """The columns of such rows."""
        return {"sense": int, "name": str, "relation": str} | types_of(SketchCollocate)


@dataclass(frozen=True, slots=True)
class SketchLines:
    """Groups of lines: senses of a word, or a word."""

    word: str
    numbers: tuple[int | None, ...]
    names: tuple[str, ...]
    positions: tuple[Indices, ...]
    """(n,) of each group, in text order."""
    n_lines: int
    n_looked_at: int


def sketch_word(
    corpus: Corpus | str | Path,
    word: str,
    *,
    model: SenseModel | str | Path | None = None,
    layer: GrammarLayer | None = None,
    fewest: int = FEWEST,
    limit: int | None = 25,
    complete: bool = False,
    max_contexts: int = MAX_CONTEXTS,
    random_state: int = 0,
) -> WordSketch:
    """Make the sketch of a word.

    Parameters
    ----------
    corpus : Corpus or path
    word : str
    model : SenseModel, path or name, optional
        Whose senses have a sketch each; without it, the word has one.
    layer : GrammarLayer, optional
        Relations, lemmas and parts of speech; without it, collocates by position.
    fewest : int
        Collocates that are rarer in a relation are left out.
    limit : int or None
        Collocates a relation.
    complete : bool
        All collocates, however rare, and by chance as well: what a comparison needs.
    max_contexts : int
        Of more occurrences, a random sample of this size is looked at.
    """
    opened = open_corpus(corpus)
    chosen = None if model is None else open_model(model)
    if chosen is None:
        lines = find_word_lines(
            opened, word, layer, max_contexts=max_contexts, random_state=random_state
        )
    else:
        lines = _find_senses(opened, word, chosen, max_contexts, random_state)
    return sketch_lines(opened, lines, layer=layer, fewest=fewest, limit=limit, complete=complete)


def sketch_lines(
    corpus: Corpus,
    lines: SketchLines,
    *,
    layer: GrammarLayer | None = None,
    fewest: int = FEWEST,
    limit: int | None = 25,
    complete: bool = False,
) -> WordSketch:
    """Make the sketch of lines that are known, a group for each of theirs."""
    share = lines.n_looked_at / max(lines.n_lines, 1)
    choice = _Choice(1, None, True) if complete else _Choice(max(fewest, 1), limit, False)
    if layer is None:
        found = _by_position(corpus, lines.positions, share, choice)
    else:
        found = _by_grammar(corpus, layer, lines.positions, share, choice)
    named = zip(lines.numbers, lines.names, lines.positions, found, strict=True)
    groups = tuple(
        SketchGroup(lines.word, number, name, len(positions), relations)
        for number, name, positions, relations in named
    )
    return WordSketch(lines.word, lines.n_lines, lines.n_looked_at, groups)


def find_word_lines(
    corpus: Corpus,
    word: str,
    layer: GrammarLayer | None = None,
    *,
    max_contexts: int = MAX_CONTEXTS,
    random_state: int = 0,
) -> SketchLines:
    """All occurrences of a word: with grammar, of a lemma where there is such a one."""
    key = corpus.spell(word)
    lemmas = [] if layer is None else list(layer.values_of("lemma"))
    if layer is not None and key in lemmas:
        number = lemmas.index(key)
        parts = [
            np.flatnonzero(layer.numbers_of("lemma", i) == number) + shard.first_position
            for i, shard in enumerate(corpus.shards)
        ]
        everything = np.concatenate(parts)
    else:
        everything = corpus.positions(key)
    seed = word_seeds(key, random_state).spawn(1)[0]
    positions = sample_positions(everything, max_contexts, seed)
    return SketchLines(key, (None,), ("",), (positions,), len(everything), len(positions))


def _find_senses(
    corpus: Corpus, word: str, model: SenseModel, max_contexts: int, random_state: int
) -> SketchLines:
    find_targets(corpus, model)  # refuses a corpus that was split into words by another rule
    entry = model.senses(word)
    everything = model.pool_forms(corpus).positions(entry.word)
    seed = word_seeds(entry.word, random_state).spawn(1)[0]
    positions = sample_positions(everything, max_contexts, seed)
    senses = model.senses_at(corpus, entry.word, positions).senses
    numbers = tuple(range(1, entry.n_senses + 1))
    names = tuple(sense.name for sense in entry.senses) or ("",) * entry.n_senses
    groups = tuple(positions[senses == number] for number in numbers)
    return SketchLines(entry.word, numbers, names, groups, len(everything), len(positions))


@dataclass(frozen=True, slots=True)
class _Choice:
    """Which collocates are told."""

    fewest: int
    limit: int | None
    by_chance: bool  # those too that are not nearer than by chance, where that can be told


def _by_position(
    corpus: Corpus, groups: Sequence[Indices], share: float, choice: _Choice
) -> list[tuple[SketchRelation, ...]]:
    found: list[list[SketchRelation]] = [[] for _ in groups]
    for name, (before, after) in POSITIONS.items():
        shares = [share] * len(groups)
        near = count_near_words(corpus, groups, before=before, after=after, shares=shares)
        for number, relations in enumerate(found):
            own = tuple(_rank_near(near, number, choice))
            relations.append(SketchRelation(name, int(near.places[number]), own))
    return [tuple(relations) for relations in found]


def _rank_near(near: NearWords, group: int, choice: _Choice) -> Iterator[SketchCollocate]:
    if not choice.by_chance:
        for one in near.rank(group, limit=choice.limit, fewest=choice.fewest):
            yield SketchCollocate(one.word, "", one.count, one.total, one.log_dice)
        return
    counts = near.counts[group]
    others = near.totals * near.shares[group]
    dice: Doubles = measure_log_dice(counts, near.lines[group], others)
    for i in np.flatnonzero(counts).tolist():
        word = near.words[near.ids[i]]
        if not is_function_word(word, near.function_words):
            score = round(float(dice[i]), _DIGITS)
            yield SketchCollocate(word, "", int(counts[i]), int(near.totals[i]), score)


@dataclass(frozen=True, slots=True)
class _Counted:
    """How often a group has each relation with each collocate; all (n,) but the counts."""

    relation: Indices
    preposition: Indices  # numbers of lemmas
    lemma: Indices
    pos: Indices
    counts: Indices  # (n_groups, n)
    totals: Indices  # with any word


def _by_grammar(
    corpus: Corpus,
    layer: GrammarLayer,
    groups: Sequence[Indices],
    share: float,
    choice: _Choice,
) -> list[tuple[SketchRelation, ...]]:
    if not layer.has_relations:
        raise InputError(
            f"{layer.path.name} has no heads and relations: sketch by position, without it"
        )
    counted = _count(corpus, layer, groups)
    return [_rank(counted, number, layer, share, choice) for number in range(len(groups))]


def _count(corpus: Corpus, layer: GrammarLayer, groups: Sequence[Indices]) -> _Counted:
    """Count the pairs of each group, and how often its collocates are in their relations at all.

    A pair is one number: of its relation, preposition, lemma and part of speech.
    """
    sizes = [len(layer.values_of(name)) for name in ("lemma", "lemma", "pos")]
    own: list[list[Indices]] = [[np.empty(0, np.int64)] for _ in groups]
    for number, shard in enumerate(corpus.shards):
        codes, first = _encode_pairs(layer, number, sizes)
        for group, positions in enumerate(groups):
            own[group].append(codes[np.isin(first + shard.first_position, positions)])
    found = [np.concatenate(parts) for parts in own]
    wanted = np.unique(np.concatenate(found))
    counts = [np.bincount(np.searchsorted(wanted, codes), minlength=len(wanted)) for codes in found]
    totals = np.zeros(len(wanted), np.int64)
    for number in range(len(corpus.shards) if len(wanted) else 0):
        codes, _ = _encode_pairs(layer, number, sizes)
        slots = np.minimum(np.searchsorted(wanted, codes), len(wanted) - 1)
        totals += np.bincount(slots[wanted[slots] == codes], minlength=len(wanted))
    rest, pos = np.divmod(wanted, sizes[2])
    rest, lemma = np.divmod(rest, sizes[1])
    relation, preposition = np.divmod(rest, sizes[0])
    return _Counted(relation, preposition, lemma, pos, np.stack(counts), totals)


def _encode_pairs(layer: GrammarLayer, shard: int, sizes: Sequence[int]) -> tuple[Indices, Indices]:
    """(n,) the numbers of all pairs of a shard, and (n,) the places of their first words."""
    pairs, values = find_pairs(layer, shard), layer.shard(shard).values
    codes = pairs.relation.astype(np.int64) * sizes[0] + pairs.preposition
    codes = codes * sizes[1] + np.asarray(values["lemma"])[pairs.second]
    return codes * sizes[2] + np.asarray(values["pos"])[pairs.second], pairs.first


def _rank(
    counted: _Counted, group: int, layer: GrammarLayer, share: float, choice: _Choice
) -> tuple[SketchRelation, ...]:
    counts = counted.counts[group]
    lemmas, tags = layer.values_of("lemma"), layer.values_of("pos")
    kinds = np.stack([counted.relation, counted.preposition], axis=1)
    relations = []
    for relation, preposition in np.unique(kinds, axis=0).tolist():
        rows = np.flatnonzero((kinds == [relation, preposition]).all(axis=1))
        n_relation = int(counts[rows].sum())
        # Of a part of the occurrences, only that part of the collocate's could be with it.
        others = counted.totals[rows] * share
        dice: Doubles = measure_log_dice(counts[rows], n_relation, others)
        kept = np.flatnonzero(counts[rows] >= choice.fewest)
        kept = kept[np.lexsort((-counts[rows][kept], -dice[kept]))][: choice.limit]
        found = tuple(
            SketchCollocate(
                lemmas[counted.lemma[rows[i]]],
                tags[counted.pos[rows[i]]],
                int(counts[rows[i]]),
                int(counted.totals[rows[i]]),
                round(float(dice[i]), _DIGITS),
            )
            for i in kept.tolist()
        )
        if found:
            name = name_relation(relation, lemmas[preposition] if relation >= BEHIND else "")
            relations.append(SketchRelation(name, n_relation, found))
    return tuple(sorted(relations, key=lambda one: (-one.count, one.name)))
