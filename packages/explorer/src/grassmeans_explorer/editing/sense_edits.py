"""What a person can change about the senses of a word: merge, split, rename, hide, give lines to.

Pure functions from `WordSenses` to `WordSenses`. An edit changes the senses that it names; where
contexts are given, the whole word is counted in them: occurrences, shares and mean distances of all
senses, so that these are never of two corpora. Numbers are as stable as they can be: hiding and
renaming keep them, a split puts its second part at the end, and only a merger moves the later
senses up. A share is that of the occurrences nearest to a sense, hidden ones among them.

A hidden sense is no candidate any more: an occurrence that was nearest to it belongs to the next
nearest sense, or to none where that is too far. While a word is being edited its direction stays
here, so that it can be shown again; `blank_hidden` gives the form in which an inventory holds it.
There the direction is zeros, whose distance is 1 to every context: whatever reads directions
(tagging, labelling) leaves the sense out without knowing of it. Under soft decoding it keeps the
small probability of a sense at distance 1.

Where lines are given to a sense, the senses learn from them. A sense stands for its n contexts,
whose subspaces contain its direction u by the cosine c on the average. The contexts B_1, ..., B_m
of the lines join them, each counted w times, and the direction becomes the one in which all of them
meet: the leading eigenvector of

    n c^2 u u' + w (B_1' B_1 + ... + B_m' B_m),

the formula by which senses are merged. Where lines have ends it is the mean of n c u and the
lines, each w times. A sense that had the lines turns away from them: there they are subtracted.

How much a line counts is as little as it takes: w is 1, 2, 4, ... until all of the lines are
decoded as the sense, and at most so large that the lines weigh as much as the sense itself. A sense
that loses lines keeps three quarters of its own weight. Where not even half of the lines would have
the sense, nothing is turned: they are another one.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import chain, zip_longest
from typing import Any, TypeVar

import numpy as np

from grassmeans.arrays import Doubles, Floats, Indices
from grassmeans.clustering.loop import FitOptions, Grouping
from grassmeans.clustering.sense_number import find_meeting, solve_alone
from grassmeans.errors import InputError
from grassmeans.senses.decoding import IdkRule, decode_hard
from grassmeans.senses.describing import N_CHARACTERISTIC, describe_senses, find_nearest_words
from grassmeans.senses.entries import Sense, WordSenses
from grassmeans.senses.examples import N_EXAMPLES
from grassmeans.senses.samples import WordSample, word_seeds
from grassmeans.vectors.word_vectors import WordVectors
from grassmeans_explorer.editing.given_lines import GivenLines

LONGEST_NAME = 80
FEWEST_TO_SPLIT = 4
"""Contexts that a sense must have to be split."""

_PARTS = 2
_CANCELLED = 1e-6
_LARGEST_LOSS = 0.25  # what lines that leave a sense may weigh, for each of its own contexts

Item = TypeVar("Item")


def blank_hidden(entry: WordSenses) -> WordSenses:
    """The entry as an inventory holds it: the directions of hidden senses are zeros."""
    directions = np.array(entry.directions, np.float32)
    directions[[sense.number - 1 for sense in entry.senses if sense.hidden]] = 0.0
    return replace(entry, directions=directions)


def visible_senses(entry: WordSenses) -> tuple[Sense, ...]:
    """The senses that are not hidden."""
    return tuple(sense for sense in entry.senses if not sense.hidden)


def rename_sense(entry: WordSenses, number: int, name: str) -> WordSenses:
    """Give a sense another name; white space around and inside it is put in order."""
    check_numbers(entry, [number])
    cleaned = " ".join(name.split())
    if not cleaned or len(cleaned) > LONGEST_NAME or not cleaned.isprintable():
        raise InputError(
            f"a name needs 1 to {LONGEST_NAME} printable characters, got {len(cleaned)}: "
            "choose another"
        )
    return _change_sense(entry, number, name=cleaned)


def hide_sense(entry: WordSenses, number: int) -> WordSenses:
    """Take a sense out of use; it keeps its number."""
    check_numbers(entry, [number])
    if entry.senses[number - 1].hidden:
        raise InputError(f"sense {number} of {entry.word!r} is hidden already")
    if len(visible_senses(entry)) == 1:
        raise InputError(
            f"sense {number} is the last one of {entry.word!r} that is not hidden: "
            "show another one first"
        )
    return _change_sense(entry, number, hidden=True)


def unhide_sense(entry: WordSenses, number: int) -> WordSenses:
    """Put a hidden sense into use again."""
    check_numbers(entry, [number])
    if not entry.senses[number - 1].hidden:
        raise InputError(f"sense {number} of {entry.word!r} is not hidden")
    if not entry.directions[number - 1].any():
        raise InputError(
            f"the direction of sense {number} of {entry.word!r} was not kept: "
            "open the model that it was hidden in"
        )
    return _change_sense(entry, number, hidden=False)


def _change_sense(entry: WordSenses, number: int, **changes: Any) -> WordSenses:
    senses = list(entry.senses)
    senses[number - 1] = replace(senses[number - 1], **changes)
    return replace(entry, senses=tuple(senses))


def merge_senses(
    entry: WordSenses,
    numbers: Sequence[int],
    vectors: WordVectors,
    sample: WordSample | None = None,
    lines_have_ends: bool = False,
) -> WordSenses:
    """Make two or more senses one, which takes the smallest number; later ones move up.

    None may be hidden; the name is that of the one with the largest share. Its direction is the
    leading eigenvector of s_1 u_1 u_1' + s_2 u_2 u_2' + ..., with the shares as weights; where
    lines have ends, their mean. With contexts it is the direction in which those nearest to one of
    the senses meet: the same formula, with their subspaces in place of the lines.
    """
    check_numbers(entry, numbers)
    if len(set(numbers)) != len(numbers) or len(numbers) < _PARTS:
        raise InputError(f"a merger needs two or more different senses, got {list(numbers)}")
    check_numbers(entry, numbers, visible=True)
    parts = [entry.senses[number - 1] for number in sorted(numbers)]
    first = parts[0]
    weights = np.array([part.share for part in parts])
    weights = weights if weights.sum() > 0.0 else np.ones(len(parts))
    rows = [part.number - 1 for part in parts]
    lines = entry.directions[rows]
    direction = _merge_lines(lines, weights, lines_have_ends)
    if sample is not None:
        labels = sample.measure(blank_hidden(entry).directions).argmin(axis=1)
        group = np.isin(labels, rows)
        if group.any():
            met = find_meeting(sample.bases[group], FitOptions(signed=sample.lines_have_ends))
            direction = _turn_towards(met, lines[int(weights.argmax())])
    directions = np.array(entry.directions, np.float32)
    directions[first.number - 1] = direction
    directions = np.delete(directions, rows[1:], axis=0)
    merged = replace(
        _join(parts, weights),
        nearest_words=find_nearest_words(entry.word, direction[None], vectors)[0],
    )
    others = list(entry.senses)
    others[first.number - 1] = merged
    kept = [sense for row, sense in enumerate(others) if row not in rows[1:]]
    numbered = tuple(replace(sense, number=i) for i, sense in enumerate(kept, 1))
    joined = replace(entry, directions=directions, senses=numbered)
    if sample is None:
        return joined
    return describe_anew(joined, {first.number}, sample, vectors, keep_names=True)


def split_sense(
    entry: WordSenses, number: int, vectors: WordVectors, sample: WordSample | None
) -> WordSenses:
    """Make two senses of one, by K-Grassmeans with K = 2 on the contexts nearest to it.

    The larger part keeps the number, the other one becomes the last sense. Both are described from
    their contexts.
    """
    check_numbers(entry, [number], visible=True)
    if sample is None:
        raise InputError("a split needs the contexts of the word: open the model with its corpus")
    group = sample.measure(blank_hidden(entry).directions).argmin(axis=1) == number - 1
    n_contexts = int(group.sum())
    if n_contexts < FEWEST_TO_SPLIT:
        raise InputError(
            f"sense {number} of {entry.word!r} has {n_contexts} contexts here, a split needs "
            f"{FEWEST_TO_SPLIT} or more"
        )
    seeds = np.random.default_rng(word_seeds(entry.word, number))
    members = sample[group]
    fit = FitOptions(signed=sample.lines_have_ends)
    found = solve_alone(Grouping(members.bases, _PARTS, fit, seeds))
    if len(np.unique(found.labels)) < _PARTS:
        raise InputError(f"the contexts of sense {number} of {entry.word!r} are all alike")
    parts = members.orient(found.directions, vectors)
    directions = np.concatenate([entry.directions, parts[1:]]).astype(np.float32)
    directions[number - 1] = parts[0]
    last = replace(entry.senses[number - 1], number=len(directions))
    wider = replace(entry, directions=directions, senses=(*entry.senses, last))
    return describe_anew(wider, {number, last.number}, sample, vectors)


def check_numbers(entry: WordSenses, numbers: Sequence[int], *, visible: bool = False) -> None:
    """Refuse numbers of senses that the word does not have, and perhaps hidden ones."""
    for number in numbers:
        if not 1 <= number <= len(entry.senses):
            raise InputError(
                f"{entry.word!r} has the senses 1 to {len(entry.senses)}, not {number}"
            )
        if visible and entry.senses[number - 1].hidden:
            raise InputError(f"sense {number} of {entry.word!r} is hidden: show it first")


def _merge_lines(lines: Floats, weights: Doubles, have_ends: bool) -> Floats:
    """The leading eigenvector of sum w_k u_k u_k', on the side of the heaviest line.

    Where lines have ends, their weighted mean; the heaviest where they cancel out.
    """
    heaviest = lines[int(weights.argmax())]
    if have_ends:
        mean = weights @ lines.astype(np.float64)
        length = float(np.linalg.norm(mean))
        return np.asarray(mean / length if length > _CANCELLED else heaviest, np.float32)
    rows = np.sqrt(weights)[:, None] * lines.astype(np.float64)
    axis = np.linalg.svd(rows, full_matrices=False)[2][0]
    return _turn_towards(axis.astype(np.float32), heaviest)


def _turn_towards(direction: Floats, line: Floats) -> Floats:
    return -direction if float(direction @ line) < 0.0 else direction


def _join(parts: Sequence[Sense], weights: Doubles) -> Sense:
    """What is known of some senses, as one."""
    shares = weights / weights.sum()
    words = _alternate([part.characteristic_words for part in parts])
    return replace(
        parts[0],
        share=sum(part.share for part in parts),
        mean_distance=float(shares @ [part.mean_distance for part in parts]),
        characteristic_words=words[:N_CHARACTERISTIC],
        examples=_alternate([part.examples for part in parts])[:N_EXAMPLES],
        name=parts[int(weights.argmax())].name,
        function=all(part.function for part in parts),
    )


def _alternate(lists: Sequence[Sequence[Item]]) -> tuple[Item, ...]:
    """Items of all lists in turns, each once."""
    turns = zip_longest(*lists)
    return tuple(dict.fromkeys(item for item in chain(*turns) if item is not None))


def describe_anew(
    entry: WordSenses,
    touched: Collection[int],
    sample: WordSample,
    vectors: WordVectors,
    *,
    keep_names: bool = False,
) -> WordSenses:
    """Describe the touched senses from contexts, and count all of the word in them."""
    described = describe_senses(sample, entry.directions, vectors)
    senses = []
    for old, new in zip(entry.senses, described, strict=True):
        if old.number in touched:
            name = old.name if keep_names and old.name else new.name
            senses.append(replace(new, name=name, hidden=old.hidden, function=old.function))
        else:
            senses.append(replace(old, share=new.share, mean_distance=new.mean_distance))
    return replace(entry, count=sample.count, n_contexts=len(sample.contexts), senses=tuple(senses))


@dataclass(frozen=True, slots=True)
class Reassigned:
    """A word after lines were given to a sense."""

    entry: WordSenses  # with other directions; what is told of the senses is still as before
    # The senses whose directions are others now; the one that has the lines first.
    touched: tuple[int, ...]
    n_taken: int  # how many of the lines are decoded as the sense now


def reassign_lines(
    entry: WordSenses, number: int, lines: GivenLines, rule: IdkRule = None
) -> Reassigned:
    """Give lines to a sense that is not hidden, and turn its direction towards them.

    The lines are contexts that say something; by ``rule`` they should not become "I don't know".
    """
    check_numbers(entry, [number], visible=True)
    _check_lines(entry, lines)
    before = lines.measure(blank_hidden(entry).directions).argmin(axis=1) + 1
    best, most = entry, -1
    heaviest = max(1.0, _size_of(entry, number) / len(lines.bases))
    steps = [float(2**i) for i in range(int(np.log2(heaviest)) + 1)]
    for weight in dict.fromkeys([*steps, heaviest]):
        turned = replace(entry, directions=_turn_senses(entry, number, lines, before, weight))
        taken = count_taken(turned, number, lines, rule)
        if taken > most:
            best, most = turned, taken
        if taken == len(lines.bases):
            break
    if most * 2 < len(lines.bases):
        raise InputError(
            f"{most} of the {len(lines.bases)} lines would have sense {number}, however far it "
            "turns: make them a sense of their own, or choose lines that are nearer to it"
        )
    losing = sorted(set(before.tolist()) - {number})
    return Reassigned(best, (number, *losing), most)


def add_sense_of(entry: WordSenses, lines: GivenLines, rule: IdkRule = None) -> Reassigned:
    """A new sense at the end, not described yet: the direction in which the lines meet."""
    _check_lines(entry, lines)
    met = find_meeting(lines.bases, FitOptions(signed=lines.lines_have_ends))
    directions = np.concatenate([entry.directions, met[None]]).astype(np.float32)
    number = len(directions)
    added = Sense(number, 0.0, 1.0, (), (), ())
    wider = replace(entry, directions=directions, senses=(*entry.senses, added))
    taken = count_taken(wider, number, lines, rule)
    if taken * 2 < len(lines.bases):
        raise InputError(
            f"{taken} of the {len(lines.bases)} lines would have a sense of their own: they are "
            "too like a sense there is, or too unlike each other; choose others"
        )
    return Reassigned(wider, (number,), taken)


def count_taken(entry: WordSenses, number: int, lines: GivenLines, rule: IdkRule) -> int:
    """How many of the lines are decoded as a sense."""
    distances = lines.measure(blank_hidden(entry).directions)
    return int((decode_hard(distances, rule) == number - 1).sum())


def _check_lines(entry: WordSenses, lines: GivenLines) -> None:
    if not len(lines.bases):
        raise InputError(
            f"the lines say nothing of the sense of {entry.word!r}: there are too few known words "
            "around it; choose others"
        )


def _size_of(entry: WordSenses, number: int) -> float:
    """How many contexts a sense stands for; one at least."""
    return max(1.0, entry.senses[number - 1].share * entry.n_contexts)


def _turn_senses(
    entry: WordSenses, number: int, lines: GivenLines, before: Indices, weight: float
) -> Floats:
    """(n_senses, dim) the directions after the lines have come and gone."""
    directions = np.array(entry.directions, np.float32)
    directions[number - 1] = _turn(entry, number, lines.bases, weight, lines.lines_have_ends)
    for sense in set(before.tolist()) - {number}:
        gone = lines.bases[before == sense]
        loss = -min(weight, _LARGEST_LOSS * _size_of(entry, sense) / len(gone))
        directions[sense - 1] = _turn(entry, sense, gone, loss, lines.lines_have_ends)
    return directions


def _turn(entry: WordSenses, number: int, bases: Floats, weight: float, has_ends: bool) -> Floats:
    """The direction of a sense with contexts that count ``weight`` times, less than 0 to leave."""
    direction = entry.directions[number - 1].astype(np.float64)
    size = _size_of(entry, number)
    inside = np.sqrt(max(1.0 - min(entry.senses[number - 1].mean_distance, 1.0) ** 2, 1e-4))
    if has_ends:
        turned = size * inside * direction + weight * bases[:, 0].astype(np.float64).sum(axis=0)
    else:
        rows = bases.reshape(-1, bases.shape[2]).astype(np.float64)
        matrix = size * inside**2 * np.outer(direction, direction) + weight * rows.T @ rows
        turned = np.linalg.eigh(matrix)[1][:, -1]
        turned = -turned if turned @ direction < 0.0 else turned
    length = float(np.linalg.norm(turned))
    return np.asarray(turned / length if length > 0.0 else direction, np.float32)
