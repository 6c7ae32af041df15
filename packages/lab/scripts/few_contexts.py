"""How well few contexts of a word are divided into senses, whose number is found by itself.

    python packages/lab/scripts/few_contexts.py en --sizes 4 8 12 20 \
        sentences=tests/data/english-sentences.jsonl makes-sense=makes-sense-2016

Groups of so many instances are drawn of each word of test sets with gold senses: half of one sense
and half of another, for up to five pairs of senses of a word and three draws of each; and all of
one sense. They are grouped as `find_senses` does it, with what the model knows of the word.
Reported, in percent: groups of two senses that are divided right, and the pairs of contexts in them
that are; groups of one sense that are split, and the pairs that are together. Every word is in one
of two halves, by its name, so that a limit can be chosen with one and reported with the other.
"""

from __future__ import annotations

import argparse
import zlib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

import grassmeans
from grassmeans.arrays import Floats, Indices
from grassmeans.clustering.settings import AUTO
from grassmeans.evaluation.instances import known_form
from grassmeans.evaluation.loading import open_named_task
from grassmeans.evaluation.pairs import ContextEncoding
from grassmeans.evaluation.systems import ModelSystem
from grassmeans.geometry.distances import usable_contexts
from grassmeans.geometry.rules import GroupingRules
from grassmeans.models.building import ContextSource
from grassmeans.senses.known_senses import KnownSenses

PAIRS_OF_SENSES, DRAWS = 5, 3


class Group(NamedTuple):
    """Contexts of a word (n, rank, dim), and their senses (n,)."""

    word: str
    bases: Floats
    senses: Indices


def draw_groups(
    word: str, bases: Floats, senses: list[str], size: int, rng: np.random.Generator
) -> Iterator[Group]:
    """Groups of two senses, then groups of one."""
    places = {name: [i for i, s in enumerate(senses) if s == name] for name in sorted(set(senses))}
    half = size // 2
    both = [p for p in combinations(places, 2) if all(len(places[name]) >= half for name in p)]
    for n in rng.permutation(len(both))[:PAIRS_OF_SENSES]:
        own = [places[name] for name in both[n]]
        exhausted = all(len(some) == half for some in own)
        for _ in range(1 if exhausted else DRAWS):
            drawn = np.concatenate([rng.choice(some, half, replace=False) for some in own])
            yield Group(word, bases[drawn], np.repeat([0, 1], half))
    for some in places.values():
        for _ in range(DRAWS if len(some) > size else int(len(some) == size)):
            drawn = rng.choice(some, size, replace=False)
            yield Group(word, bases[drawn], np.zeros(size, np.int64))


def divide(group: Group, known: KnownSenses | None, rules: GroupingRules) -> Indices:
    """(n,) senses as they are found."""
    bases = group.bases
    if known is not None:
        bases = known.add_to(group.word, bases, rules.few_contexts)
    found = grassmeans.KGrassmeans(AUTO, signed=True, rules=rules, random_state=0).fit(bases)
    return np.asarray(found.labels_, np.int64)


def score(groups: list[Group], found: list[Indices]) -> str:
    """Groups that are right, and the share of right pairs in them."""
    right, pairs = [], []
    for group, senses in zip(groups, found, strict=True):
        above = np.triu_indices(len(senses), 1)
        agree = np.equal.outer(senses, senses) == np.equal.outer(group.senses, group.senses)
        right.append(bool(agree.all()))
        pairs.append(float(agree[above].mean()))
    return f"{100 * np.mean(right):5.1f} {100 * np.mean(pairs):5.1f} ({len(groups)})"


def main() -> None:
    """Read the command line, and print a line for each test set, size and half of the words."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("tasks", nargs="+", metavar="TASK=PATH")
    parser.add_argument("--sizes", type=int, nargs="+", default=[4])
    parser.add_argument("--part-cosine", type=float)
    parser.add_argument("--unknown", action="store_true", help="without what the model knows")
    options = parser.parse_args()
    model = grassmeans.load(options.model)
    rules = model.encoder.grouping
    if options.part_cosine is not None:
        rules = replace(rules, part_cosine=options.part_cosine)
    known = None if options.unknown else ContextSource(model.encoder, model=model).find_known()
    print("test set, size, half: two senses right, pairs | one sense whole, pairs (groups)")
    for name in options.tasks:
        task = open_named_task(name)
        encoding = ContextEncoding(ModelSystem(model))
        drawn: dict[tuple[int, int], list[Group]] = defaultdict(list)
        for labelled in task.labelled.by_word().values():
            target = labelled[0][0].target
            bases = encoding.encode([instance for instance, _ in labelled])
            kept = np.flatnonzero(usable_contexts(bases)).tolist()
            word = known_form(model.inventory, target) or target
            senses = [labelled[i][1] for i in kept]
            rng = np.random.default_rng(zlib.crc32(target.encode()))
            for size in options.sizes:
                groups = draw_groups(word, bases[kept], senses, size, rng)
                drawn[size, zlib.crc32(target.encode()) % 2] += groups
        for (size, half), groups in sorted(drawn.items()):
            found = [divide(group, known, rules) for group in groups]
            for kind in (True, False):
                own = [n for n, group in enumerate(groups) if (group.senses.max() > 0) == kind]
                told = score([groups[n] for n in own], [found[n] for n in own]) if own else "-"
                print(f"{name} {size} {half}: {told}" if kind else f" | {told}", end="")
            print(flush=True)


if __name__ == "__main__":
    main()
