"""A model that grew beside one built at once, and the senses that are new.

    python packages/lab/scripts/growing.py CORPUS CONTEXTS -o FOLDER --words 60

The documents of a corpus are divided in two. A model of the first half is grown with the second
(`grassmeans update`), and another is built at once from both: of some words, and of made-up ones. A
made-up word stands for two real ones; every second of them stands for one only in the first half,
so that its other sense is born in the second. The others have both from the beginning, and should
get no third.

Printed, with 95% intervals over words: how well occurrences of made-up words in documents held
apart are told (V-measure), by either model; how far both agree on real words (V-measure of one
against the other), beside two models built at once with other seeds; how many senses that were born
are found, and how many are reported that were there; the seconds of the processor that each took.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from grassmeans import Corpus, SenseModel, load
from grassmeans.corpus.corpus import default_options
from grassmeans.corpus.vocabulary import is_function_word
from grassmeans.editing.growing import update_model
from grassmeans.evaluation.clustering_scores import cross_tabulate, v_measure
from grassmeans.evaluation.reports import bootstrap_weighted_mean
from grassmeans.geometry.distances import SenseLines
from grassmeans.models.building import build_model
from grassmeans.reading.documents import RawDocument
from grassmeans.vectors.skipgram import SkipGram, train_vectors

OWN = "own"
HELD_LINES, REAL_LINES = 100, 200


@dataclass(frozen=True)
class Material:
    """The words, and the corpora of both halves, of all, and of what is held apart."""

    real: list[str]
    pairs: dict[str, tuple[str, str]]  # made-up word -> the two that it stands for
    born: set[str]
    corpora: dict[str, Corpus]

    @property
    def words(self) -> list[str]:
        """Those whose senses are asked for."""
        return [*self.real, *self.pairs]


def make_material(options: argparse.Namespace) -> Material:
    rng = np.random.default_rng(0)
    source = Corpus.open(options.corpus)
    chosen = rng.permutation(source.n_documents)[: options.documents]
    halves = np.split(chosen, [int(0.4 * len(chosen)), int(0.8 * len(chosen))])
    words = choose_words(source, 3 * options.words, rng)
    real, rest = words[: options.words], iter(words[options.words :])
    pairs = {f"madeup{i}": pair for i, pair in enumerate(zip(rest, rest, strict=False))}
    born = set(list(pairs)[::2])
    both = {word: name for name, pair in pairs.items() for word in pair}
    early = both.copy()
    for name in born:  # not yet called so
        del early[pairs[name][1]]
    names = {"first": early, "second": both, "held": {}}
    parts = {
        key: read_documents(source, np.sort(numbers), renamed)
        for (key, renamed), numbers in zip(names.items(), halves, strict=True)
    }
    parts["all"] = parts["first"] + parts["second"]
    rules = default_options("en")
    corpora = {
        key: Corpus.from_texts(documents, options.output / f"corpus-{key}", options=rules)
        for key, documents in parts.items()
    }
    return Material(real, pairs, born, corpora)


def choose_words(corpus: Corpus, n: int, rng: np.random.Generator) -> list[str]:
    """Content words of middle frequency."""
    shares = np.asarray(corpus.vocabulary.counts) / corpus.n_tokens
    known = np.flatnonzero((shares >= 2e-5) & (shares <= 1e-4))
    words = [corpus.vocabulary.words[i] for i in known.tolist()]
    words = [w for w in words if w.isalpha() and not is_function_word(w, corpus.function_words)]
    return [str(word) for word in rng.permutation(words)[:n]]


def read_documents(
    corpus: Corpus, numbers: Sequence[int], renamed: dict[str, str]
) -> list[RawDocument]:
    """Documents as tokens, in which some words have the name of a made-up one."""
    words = np.array([renamed.get(word, word) for word in corpus.vocabulary.words], object)
    found = []
    for number in numbers:
        place = int(np.searchsorted(corpus.document_starts, number, side="right")) - 1
        shard = corpus.shards[place]
        start, end = shard.document_offsets[int(number - shard.first_document) :][:2]
        tokens = np.asarray(shard.tokens[start:end])
        found.append(RawDocument(str(number), "", " ".join(words[tokens[tokens >= 0]]), "tokens"))
    return found


def build(
    material: Material, key: str, options: argparse.Namespace, seed: int = 0
) -> tuple[SenseModel, float]:
    """A model of a part of the text, and its seconds."""
    started = time.process_time()
    contexts: Any = options.contexts
    if contexts == OWN:
        contexts = options.output / f"vectors-{key}"
        if not contexts.exists():
            train_vectors(material.corpora[key], contexts, SkipGram(dim=100, workers=1))
    model = build_model(
        material.corpora[key].path,
        contexts,
        options.output / f"model-{key}-{seed}",
        material.words,
        workers=1,
        n_senses="auto",
        max_contexts=options.max_contexts,
        random_state=seed,
    )
    return model, time.process_time() - started


def label(model: SenseModel, name: str, corpus: Corpus, word: str, at_most: int) -> list[int]:
    """The nearest sense of ``name`` for occurrences of a word."""
    if word not in corpus.vocabulary:
        return []
    lines = SenseLines.collect([np.asarray(model.inventory.directions(name))])
    found: list[int] = []
    for _, occurrences in corpus.occurrences(corpus.positions(word)[:at_most]):
        same = np.zeros(len(occurrences), np.int64)
        distances = model.encoder.measure(occurrences, same, lines)
        found += np.where(np.isnan(distances), 9.0, distances).argmin(axis=1).tolist()
    return found


def score_made_up(material: Material, model: SenseModel) -> list[float]:
    """V-measure of each made-up word, on occurrences of its two words; 0 where it has no senses."""
    scores = []
    for name, pair in material.pairs.items():
        if name not in model.inventory:
            scores.append(0.0)
            continue
        groups = [label(model, name, material.corpora["held"], w, HELD_LINES) for w in pair]
        right = [k for k, group in enumerate(groups) for _ in group]
        if len(set(right)) == 2:
            scores.append(v_measure(cross_tabulate(groups[0] + groups[1], right)))
        else:
            scores.append(float("nan"))
    return scores


def compare_real(material: Material, one: SenseModel, other: SenseModel) -> list[float]:
    """How far two models agree on the lines of each real word, by V-measure."""
    scores = []
    for word in material.real:
        if word in one.inventory and word in other.inventory:
            held = material.corpora["held"]
            labels = [label(model, word, held, word, REAL_LINES) for model in (one, other)]
            is_plain = all(len(set(own)) < 2 for own in labels)
            scores.append(1.0 if is_plain else v_measure(cross_tabulate(*labels)))
    return scores


def describe(values: Sequence[float]) -> str:
    known = np.array([value for value in values if not np.isnan(value)])
    found = bootstrap_weighted_mean(known, np.ones(len(known)))
    ends = f" ({100 * found.low:.1f} to {100 * found.high:.1f})" if found else ""
    return f"{100 * known.mean():.1f}{ends}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpus")
    parser.add_argument("contexts", help="a model or an encoder; own: subspaces of own vectors")
    parser.add_argument("-o", "--output", type=Path, required=True, help="a new folder")
    parser.add_argument("--words", type=int, default=60)
    parser.add_argument("--documents", type=int, default=4_000)
    parser.add_argument("--max-contexts", type=int, default=400)
    options = parser.parse_args()
    options.output.mkdir(parents=True)
    material = make_material(options)
    _, seconds_first = build(material, "first", options)
    at_once, seconds_all = build(material, "all", options)
    started = time.process_time()
    growth = update_model(
        options.output / "model-first-0",
        material.corpora["second"].path,
        options.output / "model-grown",
        words=material.words,
        workers=1,
    )
    seconds_grown = time.process_time() - started
    grown = load(options.output / "model-grown")
    again, _ = build(material, "all", options, seed=1)
    scores = [score_made_up(material, model) for model in (grown, at_once)]
    new = {sense.word for sense in growth.born}
    there = set(material.pairs) - material.born
    result = {
        "n_tokens": {key: corpus.n_tokens for key, corpus in material.corpora.items()},
        "made-up words, grown": describe(scores[0]),
        "made-up words, at once": describe(scores[1]),
        "made-up words, at once, another seed": describe(score_made_up(material, again)),
        "difference": describe([a - b for a, b in zip(*scores, strict=True)]),
        "agreement on real words": describe(compare_real(material, grown, at_once)),
        "agreement of two seeds": describe(compare_real(material, again, at_once)),
        "senses, grown": sum(grown.inventory.sense_counts[w] for w in grown.words),
        "senses, at once": sum(at_once.inventory.sense_counts[w] for w in at_once.words),
        "born and found": f"{len(new & material.born)} of {len(material.born)}",
        "reported, but there": f"{len(new & there)} of {len(there)}",
        "reported of real words": f"{len(new & set(material.real))} of {len(material.real)}",
        "seconds": [round(x, 1) for x in (seconds_first, seconds_grown, seconds_all)],
    }
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
