"""Word sketches: the senses are those that the concordance tells, with the model's corrections."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from grassmeans.arrays import Indices
from grassmeans_explorer import limits
from grassmeans_explorer.limits import BoundedCache, Kept
from grassmeans_explorer.open_model import OpenModel
from grassmeans_explorer.queries.asking.matched import MatchedLine
from grassmeans_explorer.queries.asking.typed import told_to_people
from grassmeans_explorer.queries.induce import model_with
from grassmeans_explorer.queries.lines import LINE_WIDTH
from grassmeans_explorer.queries.lookup import check_typed, find_word
from grassmeans_explorer.queries.occurrences import LineSample, ids_of_forms, measure_word
from grassmeans_explorer.querying.lines import read_line
from grassmeans_explorer.sketches.differences import SketchDifference, compare_groups
from grassmeans_explorer.sketches.relations import find_related
from grassmeans_explorer.sketches.sketching import (
    MAX_CONTEXTS,
    SketchLines,
    WordSketch,
    find_word_lines,
    sketch_lines,
)
from grassmeans_explorer.work import begin_long_work, checkpoint

_FEW = 16
_SKETCHES: Kept[BoundedCache[WordSketch]] = Kept(lambda _: BoundedCache(_FEW))


@dataclass(frozen=True, slots=True)
class SketchWish:
    """What a sketch has."""

    by_sense: bool = True  # a group for every sense, where the model has senses
    by_position: bool = False  # without grammar, even where there is one
    fewest: int = 3
    limit: int = 12  # collocates of a relation


@dataclass(frozen=True, slots=True)
class SketchView:
    """The sketch of a word, and whether its relations are those of a grammar."""

    has_grammar: bool
    sketch: WordSketch


@dataclass(frozen=True, slots=True)
class RelatedLines:
    """A page of the lines in which a word has a collocate in a relation."""

    total: int
    lines: tuple[MatchedLine, ...]


def show_sketch(opened: OpenModel, word: str, wish: SketchWish) -> SketchView:
    """The collocates of a word or of its senses by relation."""
    opened.require_corpus("a word sketch")
    return SketchView(_has_grammar(opened, wish), _sketch(opened, word, wish, complete=False))


def compare_sketches(
    opened: OpenModel,
    word: str,
    wish: SketchWish,
    *,
    other: str = "",
    senses: tuple[int, int] | None = None,
) -> SketchDifference:
    """What tells two senses of a word apart; without senses, two words."""
    opened.require_corpus("a word sketch")
    check_typed(opened, other)
    if senses is None:
        if not other:
            raise limits.ConflictError("two are compared: name another word, or two senses")
        whole = replace(wish, by_sense=False)
        pair = [_sketch(opened, one, whole, complete=True).groups[0] for one in (word, other)]
    else:
        sketch = _sketch(opened, word, replace(wish, by_sense=True), complete=True)
        groups = {group.sense: group for group in sketch.groups}
        for number in senses:
            if number not in groups:
                raise limits.NothingThereError(f"{sketch.word!r} has no sense {number}")
        if senses[0] == senses[1]:
            raise limits.ConflictError("two different senses are compared, not one with itself")
        pair = [groups[number] for number in senses]
    return compare_groups(pair[0], pair[1], wish.fewest, wish.limit)


def find_related_lines(
    opened: OpenModel,
    word: str,
    *,
    relation: str,
    collocate: str,
    pos: str = "",
    sense: int | None = None,
    offset: int = 0,
    limit: int = 50,
) -> RelatedLines:
    """The lines behind a collocate of a sketch by grammar."""
    corpus = opened.require_corpus("a word sketch")
    layer = opened.grammar
    for typed in (word, collocate):
        check_typed(opened, typed)
    if layer is None:
        raise limits.ConflictError(
            "relations need a layer of grammar: start with --grammar LAYER (made by "
            "`grassmeans annotate-grammar`)"
        )
    begin_long_work()
    lines = _find_lines(opened, word, SketchWish(by_sense=sense is not None))
    own = dict(zip(lines.numbers, lines.positions, strict=True))
    if sense not in own:
        raise limits.NothingThereError(f"{lines.word!r} has no sense {sense}")
    parts = [np.empty(0, np.int64)]
    for number, shard in enumerate(corpus.shards):
        checkpoint(number / len(corpus.shards))
        found = find_related(layer, number, relation, collocate, pos)
        parts.append(found + shard.first_position)
    positions = np.intersect1d(np.concatenate(parts), own[sense])
    page = positions[offset : offset + limit].tolist()
    read = (read_line(corpus, start, start + 1, LINE_WIDTH) for start in page)
    told = lines.word if sense else "", sense, _name_of(lines, sense)
    shown = tuple(
        MatchedLine(x.start, x.end, x.document, x.left, x.match, x.right, *told, dict(x.fields))
        for x in read
    )
    return RelatedLines(len(positions), shown)


def _name_of(lines: SketchLines, sense: int | None) -> str:
    return lines.names[lines.numbers.index(sense)]


def _has_grammar(opened: OpenModel, wish: SketchWish) -> bool:
    return opened.grammar is not None and opened.grammar.has_relations and not wish.by_position


def _sketch(opened: OpenModel, word: str, wish: SketchWish, *, complete: bool) -> WordSketch:
    check_typed(opened, word)
    key = find_word(opened, word)[0]
    place = key, opened.now.revision(key), wish, complete

    def make() -> WordSketch:
        begin_long_work()
        lines = _find_lines(opened, key, wish)
        checkpoint(0.8)
        with told_to_people():
            return sketch_lines(
                opened.require_corpus("a word sketch"),
                lines,
                layer=opened.grammar if _has_grammar(opened, wish) else None,
                fewest=wish.fewest,
                limit=wish.limit,
                complete=complete,
            )

    return _SKETCHES.of(opened).get_or_make(place, make)


def _find_lines(opened: OpenModel, word: str, wish: SketchWish) -> SketchLines:
    """The lines of a word, or of its visible senses."""
    corpus = opened.require_corpus("a word sketch")
    key = find_word(opened, word)[0]
    if not wish.by_sense or key not in opened.current.inventory:
        layer = opened.grammar if _has_grammar(opened, wish) else None
        if layer is None or key not in layer.values_of("lemma"):
            ids_of_forms(opened, key)  # says that it does not occur, and what is like it
        return find_word_lines(corpus, key, layer)
    model, key = model_with(opened, key, None)
    directions = model.inventory.directions(key)
    n_lines = int(corpus.vocabulary.counts[ids_of_forms(opened, key)].sum())
    encoded = opened.limits.work.encoded_lines
    size = min(MAX_CONTEXTS, encoded) if opened.base.encoder.worth_keeping else MAX_CONTEXTS
    measured = measure_word(opened, key, directions, LineSample(size))
    senses = [sense for sense in model.inventory[key].senses if not sense.hidden]
    positions: tuple[Indices, ...] = tuple(
        measured.positions[measured.senses == sense.number] for sense in senses
    )
    names = tuple(sense.name for sense in senses)
    numbers = tuple(sense.number for sense in senses)
    return SketchLines(key, numbers, names, positions, n_lines, len(measured.positions))
