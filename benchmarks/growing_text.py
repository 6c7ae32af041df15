"""A text of any size from a smaller one, in which no document comes twice.

    python benchmarks/growing_text.py enwiki.jsonl.xz --tokens 250M -o text.jsonl

The source is taken as it is, and then again and again: the sentences of a document in another
order, some of its words exchanged for others of the text, and some for words that nobody has
written, most of which are rare. So the vocabulary keeps growing, as it does in real text. After
every twentieth document comes one of words that were drawn one by one. Nothing but a document and
some thousand words is in memory, and a short text is the beginning of a long one.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from grassmeans.reading.documents import ReadReport
from grassmeans.reading.inputs import read_documents

EXCHANGED, COINED = 0.05, 0.01
"""Of the words of a document that comes again, so many are others of the text, or new ones."""
COMMON, TAIL = 300_000, 0.8
"""How often which new word is coined: about as often as rank ``COMMON`` and further ones occur."""
DRAWN_EVERY, DRAWN_WORDS = 20, 400
REMEMBERED = 20_000

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]
_UNITS = {"k": 10**3, "M": 10**6, "B": 10**9}


@dataclass(frozen=True, slots=True)
class Written:
    """How much text was written."""

    n_tokens: int
    n_documents: int
    n_bytes: int


def read_number(text: str) -> int:
    """A number of words, as people write it: 15M, 4B, 2e6."""
    unit = _UNITS.get(text[-1:], 1)
    return round(float(text.rstrip("".join(_UNITS))) * unit)


def coin_word(number: int) -> str:
    """A word that has a number, of three syllables or more."""
    syllables: list[str] = []
    while number or len(syllables) < 3:
        number, syllable = divmod(number, len(_SYLLABLES))
        syllables.append(_SYLLABLES[syllable])
    return "".join(reversed(syllables))


class _Alteration:
    """What happens to documents that come again, with the words that have come before."""

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        self._known: list[str] = []

    def remember(self, text: str) -> None:
        """Take some words of a document, from which later ones are changed."""
        self._known = (text.split()[::5] + self._known)[:REMEMBERED]

    def change(self, text: str) -> str:
        """The document with its sentences shuffled and some words exchanged, one at least."""
        sentences = _SENTENCE_END.split(text)
        self._rng.shuffle(sentences)
        return self._exchange(" ".join(sentences).split())

    def draw(self) -> str:
        """A document of words that stood somewhere."""
        return self._exchange(self._choose(DRAWN_WORDS))

    def _choose(self, n_words: int) -> list[str]:
        if not self._known:
            return []
        places = self._rng.integers(len(self._known), size=n_words).tolist()
        return [self._known[place] for place in places]

    def _exchange(self, words: list[str]) -> str:
        n_exchanged, n_coined = (
            int(self._rng.binomial(len(words), p)) for p in (EXCHANGED, COINED)
        )
        others = self._choose(n_exchanged)
        others += [coin_word(self._draw_number()) for _ in range(max(n_coined, 1))]
        places = self._rng.integers(max(len(words), 1), size=len(others)).tolist()
        for place, other in zip(places, others, strict=True):
            words[place : place + 1] = [other]
        return " ".join(words)

    def _draw_number(self) -> int:
        return int(COMMON * (self._rng.random() ** (-1 / TAIL) - 1))


def grow_text(read: Callable[[], Iterator[str]], seed: int = 0) -> Iterator[str]:
    """Give the documents that ``read`` gives, and endless others made of them."""
    alteration = _Alteration(seed)
    for again in itertools.count():
        for number, source in enumerate(read()):
            text = alteration.change(source) if again else source
            alteration.remember(source)
            yield text
            if number % DRAWN_EVERY == DRAWN_EVERY - 1:
                yield alteration.draw()


def write_text(texts: Iterator[str], n_tokens: int, path: Path) -> Written:
    """Write documents as JSON lines until there are so many words between spaces."""
    n_words = n_documents = 0
    unfinished = path.with_name(f"{path.name}.unfinished")
    with unfinished.open("w", encoding="utf-8") as file:
        for text in texts:
            file.write(json.dumps({"id": str(n_documents), "text": text}, ensure_ascii=False))
            file.write("\n")
            n_documents += 1
            n_words += len(text.split())
            if n_words >= n_tokens:
                break
    os.replace(unfinished, path)
    return Written(n_words, n_documents, path.stat().st_size)


def read_texts(path: Path) -> Iterator[str]:
    """The texts of a file's documents."""
    return (document.text for document in read_documents([path], report=ReadReport()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("input", type=Path)
    parser.add_argument("--tokens", type=read_number, required=True)
    parser.add_argument("--output", "-o", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    texts = grow_text(lambda: read_texts(arguments.input), arguments.seed)
    print(write_text(texts, arguments.tokens, arguments.output))


if __name__ == "__main__":
    main()
