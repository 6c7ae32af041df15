"""Lines that a person gives to a sense, and what the senses learn from them.

A sense stands for its n contexts, whose subspaces contain its direction u by the cosine c on the
average. The contexts B_1, ..., B_m of the lines join them, each counted w times, and the direction
becomes the one in which all of them meet: the leading eigenvector of

    n c^2 u u' + w (B_1' B_1 + ... + B_m' B_m),

the formula by which two senses are merged. Where lines have ends it is the mean of n c u and the
lines, each w times. A sense that had the lines turns away from them: there they are subtracted.

How much a line counts is as little as it takes: w is 1, 2, 4, ... until all of the lines are
decoded as the sense, and at most so large that the lines weigh as much as the sense itself. A sense
that loses lines keeps three quarters of its own weight. Where not even half of the lines would have
the sense, nothing is turned: they are another one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from grassmeans.arrays import Floats
from grassmeans.clustering.loop import FitOptions
from grassmeans.clustering.sense_number import find_meeting
from grassmeans.editing.sense_edits import blank_hidden, check_numbers, check_visible
from grassmeans.errors import InputError
from grassmeans.senses.decoding import IdkRule, decode_hard
from grassmeans.senses.entries import Sense, WordSenses
from grassmeans.senses.samples import WordSample

_LARGEST_LOSS = 0.25
"""What lines that leave a sense may weigh, for each of its own contexts."""


@dataclass(frozen=True, slots=True)
class Reassigned:
    """A word after lines were given to a sense."""

    entry: WordSenses  # with other directions; what is told of the senses is still as before
    # The senses whose directions are others now; the one that has the lines first.
    touched: tuple[int, ...]
    n_taken: int  # how many of the lines are decoded as the sense now


def reassign_lines(
    entry: WordSenses, number: int, lines: WordSample, rule: IdkRule = None
) -> Reassigned:
    """Give lines to a sense that is not hidden, and turn its direction towards them.

    The lines are contexts that say something; by ``rule`` they should not become "I don't know".
    """
    check_numbers(entry, [number])
    check_visible(entry, [number])
    _check_lines(entry, lines)
    before = lines.measure(blank_hidden(entry).directions).argmin(axis=1) + 1
    best, most = entry, -1
    for weight in _weights_to_try(entry, number, len(lines.bases)):
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


def add_sense_of(entry: WordSenses, lines: WordSample, rule: IdkRule = None) -> Reassigned:
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


def count_taken(entry: WordSenses, number: int, lines: WordSample, rule: IdkRule) -> int:
    """How many of the lines are decoded as a sense."""
    distances = lines.measure(blank_hidden(entry).directions)
    return int((decode_hard(distances, rule) == number - 1).sum())


def _check_lines(entry: WordSenses, lines: WordSample) -> None:
    if not len(lines.bases):
        raise InputError(
            f"the lines say nothing of the sense of {entry.word!r}: there are too few known words "
            "around it; choose others"
        )


def _weights_to_try(entry: WordSenses, number: int, n_lines: int) -> list[float]:
    """1, 2, 4, ... and last what makes the lines as heavy as the sense."""
    heaviest = max(1.0, _size_of(entry, number) / n_lines)
    steps = [float(2**i) for i in range(int(np.log2(heaviest)) + 1)]
    return steps if steps[-1] == heaviest else [*steps, heaviest]


def _size_of(entry: WordSenses, number: int) -> float:
    """How many contexts a sense stands for; one at least."""
    return max(1.0, entry.senses[number - 1].share * entry.n_contexts)


def _turn_senses(
    entry: WordSenses, number: int, lines: WordSample, before: NDArray[np.int64], weight: float
) -> Floats:
    """(n_senses, dim) the directions after the lines have come and gone."""
    directions = np.array(entry.directions, np.float32)
    directions[number - 1] = _turn(entry, number, lines.bases, weight, lines.lines_have_ends)
    for sense in set(before.tolist()) - {number}:
        gone = lines.bases[before == sense]
        most = _LARGEST_LOSS * _size_of(entry, sense) / len(gone)
        loss = -min(weight, most)
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
