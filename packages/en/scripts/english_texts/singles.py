"""Single sentences from data sets: translated ones, captions of photographs, requests."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from english_texts.documents import Document
from english_texts.repositories import decode_text, read_files
from english_texts.sentences import group_sentences

_PAIRS = re.compile(
    r"data/(?:test|dev|devtest)/(?:eng-\w+|\w+-eng)/[\w.-]+\.txt"
    r"|data/release/dev/v2023-09-26/tatoeba-dev-v2023-09-26\.(?:eng-\w+|\w+-eng)\.txt\.gz"
)
_NAMES = re.compile(
    r"\b(?:Tom|Mary|John|Alice|Bob|Ken|Sami|Layla|Ziri|Yanni|Mennad|Fadil|Skura|Rima|Boldi)\b"
)
"""People who stand in a third of all sentences of Tatoeba."""
_PEOPLE = re.compile(
    r"\b(?:I|you|he|she|it|we|they|me|him|her|us|them|my|your|his|its|our|their)\b", re.IGNORECASE
)
_NO_WORD = re.compile(r"\W+")
_FEWEST = 6
"""Shorter translated sentences are many, and show little of what a word means."""


def read_translations(folder: Path) -> Iterator[Document]:
    """English sentences of Tatoeba that were translated, those that name the same people last.

    Of sentences that differ in nothing but people, one is taken.
    """
    sentences: dict[str, str] = {}
    for path, content in read_files(folder, lambda path: bool(_PAIRS.fullmatch(path))):
        table = gzip.decompress(content) if path.endswith(".gz") else content
        for line in decode_text(table).split("\n"):
            for sentence in _english_sides(line.split("\t")):
                if len(sentence.split()) >= _FEWEST and " / " not in sentence:  # that is verse
                    sentences.setdefault(_without_people(sentence), sentence)
    named = {sentence for sentence in sentences.values() if _NAMES.search(sentence)}
    others = [sentence for sentence in sentences.values() if sentence not in named]
    yield from _group(others, "tatoeba-pairs", "tatoeba")
    yield from _group(filter(named.__contains__, sentences.values()), "tatoeba-named", "tatoeba")


def _english_sides(fields: list[str]) -> list[str]:
    """What is English of (language, language, sentence, sentence)."""
    sides = zip(fields[:2], fields[2:4], strict=False)
    return [sentence for language, sentence in sides if language == "eng"]


def _without_people(sentence: str) -> str:
    folded = _PEOPLE.sub("x", _NAMES.sub("x", sentence))
    return _NO_WORD.sub(" ", folded).strip().lower()


def read_captions(folder: Path, under: str) -> Iterator[Document]:
    """What people saw on photographs of common things: kitchens, streets, games, animals."""
    for _, content in read_files(folder, lambda path: path == under):
        captions = (caption["caption"] for caption in json.loads(content)["annotations"])
        yield from _group(captions, "coco", "coco")


def read_customers(folder: Path) -> Iterator[Document]:
    """What customers asked a bank, and said to a restaurant that takes bookings."""
    for path, content in read_files(folder, lambda path: path.endswith((".csv", ".json"))):
        if path.startswith("banking_data/") and path.endswith(".csv"):
            rows = csv.DictReader(io.StringIO(decode_text(content)))
            yield from _group((row["text"] for row in rows), f"bank-{Path(path).stem}", "polyai")
        elif path.startswith("span_extraction/restaurant8k/"):
            said = (line["userInput"]["text"] for line in json.loads(content))
            yield from _group(said, f"restaurant-{Path(path).stem}", "polyai")


def read_requests(folder: Path) -> Iterator[Document]:
    """What people ask an assistant of 150 kinds, and what it cannot do."""
    for _, content in read_files(folder, lambda path: path == "data/data_full.json"):
        parts = json.loads(content).values()
        yield from _group((request for part in parts for request, _ in part), "clinc", "clinc")


def _group(sentences: Iterable[str], name: str, source: str) -> Iterator[Document]:
    for document in group_sentences(sentences, name):
        yield replace(document, source=source)
