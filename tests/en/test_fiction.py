from __future__ import annotations

from dataclasses import replace

import pytest
from english_texts.fiction import (
    Choice,
    choose_books,
    is_modern_prose,
    is_wanted,
    make_document,
    name_author,
    read_fiction,
)
from english_texts.gutenberg import Book

CHOICE = Choice(words=25, words_of_book=10, words_of_author=20, shortest=5)
BOOK = Book("1", "Moods", "Ann Lee", "English", ("One two three.",) * 5, 15, 1.0, 0.5, 0.0, 0.5)


def make(number: str, author: str, speech: float, title: str = "") -> Book:
    return replace(
        BOOK, number=number, author=author, share_of_speech=speech, title=title or f"Book {number}"
    )


def test_verse_and_older_authors_are_left_out_by_their_names():
    assert is_wanted("Wells, H. G./Kipps.txt")
    assert not is_wanted("Wells, H. G./Kipps.pdf")
    assert not is_wanted("Milton, John/Areopagitica.txt")
    assert not is_wanted("Hardy, Thomas/Wessex Poems and Other Verses.txt")


@pytest.mark.parametrize(
    "change",
    [
        {"language": "French"},
        {"words": 4},
        {"share_of_prose": 0.8},
        {"archaic": 2.0},
        {"english": 0.3},
    ],
)
def test_books_that_are_no_modern_prose_are_left_out(change):
    assert is_modern_prose(BOOK, CHOICE)
    assert not is_modern_prose(replace(BOOK, **change), CHOICE)


def test_each_author_gives_the_book_with_most_speech_before_any_gives_a_second():
    books = [make("1", "Ann Lee", 0.2), make("2", "Ann Lee", 0.9), make("3", "Bob Ray", 0.1)]
    assert [book.number for book in choose_books(books, CHOICE)] == ["2", "3", "1"]
    enough = replace(CHOICE, words=11)
    assert [book.number for book in choose_books(books, enough)] == ["2", "3"]
    few_of_author = replace(CHOICE, words_of_author=10)
    assert [book.number for book in choose_books(books, few_of_author)] == ["2", "3"]


def test_a_book_is_taken_once_whatever_its_edition():
    books = [
        make("1", "Ann Lee", 0.5, "The Moods; Or, Life"),
        make("1", "Ann Lee", 0.5, "Other"),
        make("2", "Ann Lee", 0.5, "Moods (Illustrated)"),
    ]
    assert [book.title for book in choose_books(books, CHOICE)] == ["The Moods; Or, Life"]


def test_spellings_of_an_author_are_one():
    names = ("Émile Zola", "Emile Zola", "E. Zola (and others)")
    assert {name_author(name) for name in names} == {"zola e"}
    assert name_author("Horatio Alger, Jr.") == name_author("Horatio Alger") == "alger h"
    assert name_author("") == ""


def test_whole_paragraphs_are_taken_up_to_the_limit():
    document = make_document(BOOK, CHOICE)
    assert document.text == "\n".join(["One two three."] * 4)
    assert (document.id, document.title) == ("gutenberg-1", "Moods (Ann Lee)")


@pytest.mark.parametrize(
    ("title", "speech", "kind"),
    [
        ("Moods", 0.5, "fiction"),
        ("Moods", 0.1, "prose"),
        ("Letters of Ann Lee", 0.5, "letters"),
        ("The Scarlet Letterhead", 0.5, "fiction"),
    ],
)
def test_the_kind_of_a_book(title, speech, kind):
    assert make_document(make("1", "Ann Lee", speech, title), CHOICE).kind == kind


def test_books_are_read_from_a_repository(make_repository):
    text = "Title: {}\nAuthor: Ann Lee\n\n" + '"I am in the house," she said.\n\n' * 20
    folder = make_repository({f"Lee, Ann/{n}.txt": text.format(n) for n in ("Moods", "Poems")})
    choice = Choice(shortest=5, least_prose=0.5)
    [document] = read_fiction(folder, choice, workers=1)
    assert document.title == "Moods (Ann Lee)"
    assert document.id == "gutenberg-moods"


def test_books_are_read_by_processes_that_start_while_files_still_come(make_repository):
    text = "Title: {}\nAuthor: Ann Lee\n\n" + '"I am in the house," she said.\n\n' * 20
    names = [f"Moods {letter}" for letter in "abcdefghijklmnopqrstuvwxyzäöüß"]
    folder = make_repository({f"Lee, Ann/{name}.txt": text.format(name) for name in names})
    documents = read_fiction(folder, Choice(shortest=5, least_prose=0.5), workers=2)
    assert sorted(document.title for document in documents) == sorted(
        f"{name} (Ann Lee)" for name in names
    )
