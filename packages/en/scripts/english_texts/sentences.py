"""Short sentences of everyday life, as people gave them to be read aloud."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from english_texts.documents import Document
from english_texts.paragraphs import tidy
from english_texts.repositories import decode_text, read_files

TOGETHER = 30
"""How many sentences make a document: they have nothing to do with each other."""
_FOLDER = "server/data/en/"
_LEFT_OUT = ("wiki.", "fxvoice-cues", "singleword-benchmark", "DictionaryofForeignPhrases")
_SHORTEST = 3


def read_common_voice(folder: Path) -> Iterator[Document]:
    """The English sentences of Common Voice, without those taken from Wikipedia."""
    for path, content in read_files(folder, _is_wanted):
        name = path.removeprefix(_FOLDER).removesuffix(".txt")
        yield from group_sentences(decode_text(content).splitlines(), f"common-voice-{name}")


def group_sentences(lines: Iterable[str], name: str) -> Iterator[Document]:
    """Documents of so many sentences, each a paragraph, each once."""
    seen = dict.fromkeys(filter(is_sentence, map(clean_sentence, lines)))
    sentences = spread(list(seen))
    for start in range(0, len(sentences), TOGETHER):
        text = "\n".join(sentences[start : start + TOGETHER])
        yield Document(f"{name}-{start // TOGETHER}", name, text, "sentences")


def clean_sentence(line: str) -> str:
    """A sentence with an end, whatever stood before it."""
    line = tidy(line).lstrip("-—–•* ")
    return line if not line or line[-1] in ".!?\"'”’…" else line.rstrip(",;:- ") + "."


def is_sentence(line: str) -> bool:
    """Whether a line has some words, and English letters."""
    words = line.split()
    return len(words) >= _SHORTEST and line.isascii() | (_latin(line) >= 0.95)


def spread(sentences: list[str]) -> list[str]:
    """Sentences that stood together (mostly sorted) set apart, always in the same order."""
    groups = -(-len(sentences) // TOGETHER)
    return [sentence for start in range(groups) for sentence in sentences[start::groups]]


def _latin(line: str) -> float:
    return sum(ord(character) < 0x250 or character in "‘’“”—–…" for character in line) / len(line)


def _is_wanted(path: str) -> bool:
    name = path.removeprefix(_FOLDER)
    return path.startswith(_FOLDER) and path.endswith(".txt") and not name.startswith(_LEFT_OUT)
