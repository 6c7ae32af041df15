"""Which books of Project Gutenberg are taken, and how much: modern prose, with much speech."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from english_texts.documents import Document
from english_texts.gutenberg import Book, read_book
from english_texts.repositories import decode_text, read_files

LEFT_OUT = frozenset(
    (
        "Buckley, Theodore Alois",
        "Burton, Richard Francis, Sir",
        "Cervantes Saavedra, Miguel de",
        "Dante Alighieri",
        "Defoe, Daniel",
        "Doré, Gustave",
        "Franklin, Benjamin",
        "Gibbon, Edward",
        "Goethe, Johann Wolfgang von",
        "Homer",
        "Jowett, Benjamin",
        "Milton, John",
        "Morley, Henry",
        "Nietzsche, Friedrich Wilhelm",
        "Ormsby, John",
        "Plato",
        "Pope, Alexander",
        "Scott, Walter",
        "Shakespeare, William",
        "Smith, Geoffrey Bache",
        "Swift, Jonathan",
        "Voltaire",
    )
)
"""Folders of verse, of English before the 19th century, of translations that sound like it."""


@dataclass(frozen=True)
class Choice:
    """The rules by which books are taken."""

    words: int = 45_000_000
    words_of_book: int = 40_000
    words_of_author: int = 1_000_000
    shortest: int = 1_500
    least_prose: float = 0.85
    most_archaic: float = 1.5
    least_english: float = 0.40
    much_speech: float = 0.25


_LETTERS = re.compile(
    r"\b(?:letters?|correspondence|diary|diaries|journals?|notebooks?|note-books?)\b", re.IGNORECASE
)
_NO_PROSE = re.compile(
    r"\b(?:poems?|poetical|verses?|ballads?|songs?|lyrics|dictionary|index|catalogue|bibliography|"
    r"quotations|widger'?s|linked|concordance|grammar|complete works|works of)\b",
    re.IGNORECASE,
)


def read_fiction(folder: Path, choice: Choice, workers: int) -> Iterator[Document]:
    """The books that are taken, as documents; in rounds over the authors."""
    files = read_files(folder, is_wanted)
    with ProcessPoolExecutor(workers) as pool:
        books = list(pool.map(_read, files, chunksize=16))
    for book in choose_books(books, choice):
        yield make_document(book, choice)


def is_wanted(path: str) -> bool:
    """Whether a file may be a book of prose, by its folder and its name."""
    author, _, name = path.partition("/")
    return author not in LEFT_OUT and name.endswith(".txt") and not _NO_PROSE.search(name)


def choose_books(books: Iterable[Book], choice: Choice) -> list[Book]:
    """One book of every author, the one with most speech, then a second one, until it is enough."""
    by_author: defaultdict[str, list[Book]] = defaultdict(list)
    seen: set[str] = set()
    for book in books:
        names = {book.number or book.title, _plain(book.title)}
        if is_modern_prose(book, choice) and not names & seen:
            seen |= names
            by_author[name_author(book.author)].append(book)
    for own in by_author.values():
        own.sort(key=lambda book: (-book.share_of_speech, book.number))
    chosen: list[Book] = []
    of_author: defaultdict[str, int] = defaultdict(int)
    words = 0
    for round_ in zip_longest(*(by_author[author] for author in sorted(by_author))):
        for book in filter(None, round_):
            taken = min(book.words, choice.words_of_book)
            author = name_author(book.author)
            if words < choice.words and of_author[author] < choice.words_of_author:
                chosen.append(book)
                of_author[author] += taken
                words += taken
    return chosen


def is_modern_prose(book: Book, choice: Choice) -> bool:
    """Whether a book is English prose of the last two centuries, and long enough."""
    return (
        book.language.startswith("English")
        and book.words >= choice.shortest
        and book.share_of_prose >= choice.least_prose
        and book.archaic <= choice.most_archaic
        and book.english >= choice.least_english
    )


def make_document(book: Book, choice: Choice) -> Document:
    """The first part of a book, whole paragraphs."""
    kept: list[str] = []
    words = 0
    for paragraph in book.paragraphs:
        if words >= choice.words_of_book:
            break
        kept.append(paragraph)
        words += len(paragraph.split())
    if _LETTERS.search(book.title):
        kind = "letters"
    else:
        kind = "fiction" if book.share_of_speech >= choice.much_speech else "prose"
    title = f"{book.title} ({book.author})"
    return Document(f"gutenberg-{book.number or _plain(book.title)}", title, "\n".join(kept), kind)


def name_author(author: str) -> str:
    """A name by which the spellings of one author are known: surname and initial."""
    plain = unicodedata.normalize("NFD", re.split(r"\(| and ", author, maxsplit=1)[0].lower())
    names = re.findall(r"[a-z]+", re.sub(r"\b(?:jr|sr|sir|pere|fils|graf)\b|[^a-z .,]", "", plain))
    return f"{names[-1]} {names[0][0]}" if names else author


def _read(file: tuple[str, bytes]) -> Book:
    return read_book(decode_text(file[1]))


def _plain(title: str) -> str:
    """A title by which editions of one book are known: without volumes, notes and articles."""
    title = re.split(r"[;:(,]|\bvol", title.lower())[0]
    return re.sub(r"^(?:the|a|an) |\W+", "", title)
