from __future__ import annotations

import pytest
from english_texts.gutenberg import (
    clean_paragraph,
    extract_paragraphs,
    is_prose,
    is_set_apart,
    read_book,
    split_body,
)

PROSE = """The stern gravity of Warwick's face flashed into a stern indignation.
His eye shone like steel, but his voice dropped lower and his hand
closed like a vice, as he said, with the air of one who cannot
conceal:"""

VERSE = """Under the greenwood tree
Who loves to lie with me,
And turn his merry note"""

BOOK = f"""The Project Gutenberg EBook of Moods, by Louisa May Alcott\r
\r
Title: Moods\r
 And Other Stories\r
\r
Author: Louisa May Alcott\r
\r
Release Date: February 27, 2009 [EBook #28203]\r
\r
Language: English\r
\r
*** START OF THIS PROJECT GUTENBERG EBOOK MOODS ***\r
\r
Produced by David Edwards and the Online Distributed Proofreading Team.\r
\r
[Illustration: A lake]\r
\r
CHAPTER I.\r
\r
{PROSE}\r
\r
"It never is too late," he cried.\r
\r
{VERSE}\r
\r
* * * * *\r
\r
*** END OF THIS PROJECT GUTENBERG EBOOK MOODS ***\r
\r
Most people start at our Web site.\r
"""


def test_a_book_is_read_from_its_file():
    book = read_book(BOOK)
    assert (book.number, book.author, book.language) == (
        "28203",
        "Louisa May Alcott",
        "English",
    )
    assert book.title == "Moods And Other Stories"
    assert book.paragraphs == (" ".join(PROSE.split()), '"It never is too late," he cried.')
    assert book.words == 46
    assert book.share_of_speech == 0.5
    assert book.archaic == 0.0


def test_older_english_is_counted_in_a_thousand_words():
    body = "*** START OF THIS PROJECT GUTENBERG EBOOK X ***\n\nThou art the man, she said to him."
    assert read_book(body).archaic == pytest.approx(1000 / 8)


def test_without_markers_all_is_body():
    assert split_body("Once upon a time.") == ("Once upon a time.", "Once upon a time.")


def test_the_licence_at_the_end_is_no_body():
    text = "Once.\nEnd of the Project Gutenberg EBook of Moods\nMore."
    assert split_body(text)[1] == "Once.\n"


@pytest.mark.parametrize(
    ("lines", "set_apart"),
    [
        (PROSE.split("\n"), False),
        (VERSE.split("\n"), True),
        (["One line that is short."], False),
        (["Butter   1 lb.   2s."], True),
        (["| a | b |"], True),
        (["[Transcriber's note"], True),
    ],
)
def test_verse_and_tables_are_set_apart(lines, set_apart):
    assert is_set_apart(lines, width=65) is set_apart


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("He was _very_ angry--quite.", "He was very angry — quite."),
        ("The =bold= word.[12] And this[A] one.*", "The bold word. And this one."),
        ("NORA [laughs]. Just look here.", "Just look here."),
        ("MRS. LINDE. How are you?", "How are you?"),
        ("L[=a]o ``said'' no.", 'Lao "said" no.'),
    ],
)
def test_marks_of_printing_are_left_out(text, clean):
    assert clean_paragraph(text) == clean


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        ('"Yes," he said.', True),
        ('"Oh!" "No, no!"', True),
        ("The end of the road was near.", True),
        ("The End.", False),
        ("CHAPTER XII", False),
        ("THE STORY OF THE DOOR.", False),
        ("The Strange Case of Dr. Jekyll.", False),
        ("Mr. Hyde", False),
        ("Copyright, 1900, by Ann Lee.", False),
        ("12.", False),
        ("He saw <i>her</i> there.", False),
        ("Ames, Ann, 12; Bell, Bea, 14; Cole, Cy, 15; Dole, Dan, 18; " * 4 + "Eve, 3.", False),
    ],
)
def test_prose_is_told_from_headings_imprints_and_indexes(text, prose):
    assert is_prose(text) is prose


def test_illustrations_go_even_in_the_middle_of_a_paragraph():
    body = "He saw [Illustration: a [small] door] it.\n\n[Pg 12] She did, too.\n"
    assert extract_paragraphs(body) == ["He saw it.", "She did, too."]
