"""What a person can change about the senses of a word: merge, split, rename, hide, add.

Pure functions from `WordSenses` to `WordSenses`. An edit changes the senses that it names; where
contexts are given, the whole word is counted in them: occurrences, shares and mean distances of all
senses, so that these are never of two corpora. Numbers are as stable as they can be: hiding and
renaming keep them, a split puts its second part at the end, and only a merger moves the later
senses up by one. A share is that of the occurrences nearest to a sense, hidden ones among them.

A hidden sense is no candidate any more: an occurrence that was nearest to it belongs to the next
nearest sense, or to none where that is too far. While a word is being edited its direction stays
here, so that it can be shown again; `blank_hidden` gives the form in which an inventory holds it.
There the direction is zeros, whose distance is 1 to every context: whatever reads directions
(tagging, labelling) leaves the sense out without knowing of it. Under soft decoding it keeps the
small probability of a sense at distance 1.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import chain, zip_longest
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from grassmeans.clustering.loop import FitOptions, Grouping
from grassmeans.clustering.sense_number import find_meeting, solve_alone
from grassmeans.errors import InputError
from grassmeans.senses.entries import Sense, WordSenses
from grassmeans.senses.samples import (
    N_CHARACTERISTIC,
    N_EXAMPLES,
    WordSample,
    find_nearest_words,
    word_seeds,
)
from grassmeans.vectors.word_vectors import WordVectors

LONGEST_NAME = 80
FEWEST_TO_SPLIT = 4
"""Contexts that a sense must have to be split."""

_PARTS = 2
_CANCELLED = 1e-6

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
    return _replace_sense(entry, number, replace(entry.senses[number - 1], name=cleaned))


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
    return _replace_sense(entry, number, replace(entry.senses[number - 1], hidden=True))


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
    return _replace_sense(entry, number, replace(entry.senses[number - 1], hidden=False))


def merge_senses(
    entry: WordSenses,
    pair: Sequence[int],
    vectors: WordVectors,
    sample: WordSample | None = None,
    *,
    lines_have_ends: bool = False,
) -> WordSenses:
    """Make two senses one, which takes the smaller number; later ones move up.

    Neither may be hidden; the name is that of the one with the larger share. Its direction is the
    leading eigenvector of s_1 u_1 u_1' + s_2 u_2 u_2', with the shares as weights; where lines have
    ends, the mean of the two. With contexts it is the direction in which those nearest to either
    sense meet: the same formula, with their subspaces in place of the two lines.
    """
    check_numbers(entry, pair)
    if len(set(pair)) != _PARTS:
        raise InputError(f"a merger needs two different senses, got {list(pair)}")
    check_visible(entry, pair)
    first, second = (entry.senses[number - 1] for number in sorted(pair))
    weights = np.array([first.share, second.share])
    weights = weights if weights.sum() > 0.0 else np.ones(_PARTS)
    lines = entry.directions[[first.number - 1, second.number - 1]]
    direction = _mean_line(lines, weights) if lines_have_ends else _main_axis(lines, weights)
    if sample is not None:
        labels = sample.measure(blank_hidden(entry).directions).argmin(axis=1)
        group = np.isin(labels, [first.number - 1, second.number - 1])
        if group.any():
            met = find_meeting(sample.bases[group], FitOptions(signed=sample.lines_have_ends))
            direction = _turn_towards(met, lines[int(weights.argmax())])
    directions = np.array(entry.directions, np.float32)
    directions[first.number - 1] = direction
    directions = np.delete(directions, second.number - 1, axis=0)
    merged = replace(
        _join(first, second, weights),
        nearest_words=find_nearest_words(entry.word, direction[None], vectors)[0],
    )
    others = [sense for sense in entry.senses if sense.number != second.number]
    others[first.number - 1] = merged
    joined = replace(entry, directions=directions, senses=_number_from_one(others))
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
    check_numbers(entry, [number])
    check_visible(entry, [number])
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


def check_numbers(entry: WordSenses, numbers: Sequence[int]) -> None:
    """Refuse numbers of senses that the word does not have."""
    for number in numbers:
        if not 1 <= number <= len(entry.senses):
            raise InputError(
                f"{entry.word!r} has the senses 1 to {len(entry.senses)}, not {number}"
            )


def check_visible(entry: WordSenses, numbers: Sequence[int]) -> None:
    """Refuse hidden senses."""
    for number in numbers:
        if entry.senses[number - 1].hidden:
            raise InputError(f"sense {number} of {entry.word!r} is hidden: show it first")


def _main_axis(lines: NDArray[np.float32], weights: NDArray[np.float64]) -> NDArray[np.float32]:
    """The leading eigenvector of sum w_k u_k u_k', on the side of the heaviest line."""
    rows = np.sqrt(weights)[:, None] * lines.astype(np.float64)
    axis = np.linalg.svd(rows, full_matrices=False)[2][0]
    return _turn_towards(axis.astype(np.float32), lines[int(weights.argmax())])


def _mean_line(lines: NDArray[np.float32], weights: NDArray[np.float64]) -> NDArray[np.float32]:
    """The weighted mean of lines that point somewhere; the heaviest where they cancel out."""
    mean = weights @ lines.astype(np.float64)
    length = float(np.linalg.norm(mean))
    heaviest = lines[int(weights.argmax())]
    return np.asarray(mean / length if length > _CANCELLED else heaviest, np.float32)


def _turn_towards(direction: NDArray[np.float32], line: NDArray[np.float32]) -> NDArray[np.float32]:
    return -direction if float(direction @ line) < 0.0 else direction


def _join(first: Sense, second: Sense, weights: NDArray[np.float64]) -> Sense:
    """What is known of two senses, as one."""
    larger = first if weights[0] >= weights[1] else second
    shares = weights / weights.sum()
    words = _alternate(first.characteristic_words, second.characteristic_words)
    examples = _alternate(first.examples, second.examples)
    return replace(
        first,
        share=first.share + second.share,
        mean_distance=float(shares @ [first.mean_distance, second.mean_distance]),
        characteristic_words=tuple(words[:N_CHARACTERISTIC]),
        examples=tuple(examples[:N_EXAMPLES]),
        name=larger.name,
    )


def _alternate(first: Sequence[Item], second: Sequence[Item]) -> list[Item]:
    """Items of both in turns, each once."""
    pairs = zip_longest(first, second)
    return list(dict.fromkeys(item for item in chain(*pairs) if item is not None))


def describe_anew(
    entry: WordSenses,
    touched: Collection[int],
    sample: WordSample,
    vectors: WordVectors,
    *,
    keep_names: bool = False,
) -> WordSenses:
    """Describe the touched senses from contexts, and count all of the word in them."""
    described = sample.describe(entry.directions, vectors)
    senses = []
    for old, new in zip(entry.senses, described, strict=True):
        if old.number in touched:
            name = old.name if keep_names and old.name else new.name
            senses.append(replace(new, name=name, hidden=old.hidden))
        else:
            senses.append(replace(old, share=new.share, mean_distance=new.mean_distance))
    return replace(entry, count=sample.count, n_contexts=len(sample.contexts), senses=tuple(senses))


def _replace_sense(entry: WordSenses, number: int, sense: Sense) -> WordSenses:
    senses = list(entry.senses)
    senses[number - 1] = sense
    return replace(entry, senses=tuple(senses))


def _number_from_one(senses: Sequence[Sense]) -> tuple[Sense, ...]:
    return tuple(replace(sense, number=i) for i, sense in enumerate(senses, 1))
