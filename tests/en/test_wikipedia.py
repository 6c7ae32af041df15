from __future__ import annotations

import json

from english_texts.wikipedia import (
    keep_prose,
    keep_running_text,
    read_articles,
    read_simple_english,
)

PROSE = "The apple is a fruit that people in many countries like to eat in the autumn."
LIFE = "Ann Lee (born 3 May 1950) is an actor who was in many films of the time."


def test_running_text_stays_and_what_is_around_it_goes():
    text = "\n".join(
        (
            "History.",
            PROSE,
            "It is said of the apple that it has the following parts, as in other fruits:",
            "Let formula_1 be the sum of all that is in formula_2, as it was said before.",
            'This audio file was created from a revision of the "Apple" article dated 2007-06-02.',
            "Year 875 was a common year (link will display the full calendar) of the calendar.",
            "Smith, J. The apple and its history in the world. ISBN 0-553-26968-2.",
            "Ann Arbor, Bad Ems, Bath, Bonn, Cork, Dallas, Ely, Graz, Kiel, Linz",
            "It was in the tree (, ) for all of the long summer, and no one saw formula_3 there.",
        )
    )
    assert keep_running_text(text).split("\n") == [
        PROSE,
        "It is said of the apple that it has the following parts, as in other fruits:",
        "It was in the tree for all of the long summer, and no one saw there.",
    ]


def test_prose_has_no_lists_and_no_lost_measures():
    lost = "The lake is about deep, and it is one of the sources of the river in the north."
    assert keep_prose(f"{PROSE}\n{lost}\nApples and pears and the other things in it:") == PROSE


def test_stubs_lists_and_years_are_no_articles(make_repository):
    articles = [
        ("1", "Apple", "\n".join(PROSE.replace("apple", f"apple {n}") for n in "abcdefg")),
        ("2", "Village", PROSE),
        ("3", "List of apples", "\n".join([PROSE] * 7)),
        ("4", "Ann Lee", "\n".join([LIFE, *[PROSE] * 7])),
        ("5", "Names", "\n".join([*[PROSE] * 7, "Ann Bea " * 90])),
    ]
    lines = [json.dumps({"id": i, "title": t, "text": text}) for i, t, text in articles]
    folder = make_repository({"data/wikipedia/AA/wiki_00": "\n".join(lines)})
    found = list(read_simple_english(folder))
    assert [(document.id, document.kind) for document in found] == [("simple-1", "plain")]


def test_articles_keep_their_ids(tmp_path):
    path = tmp_path / "articles.jsonl"
    articles = [{"id": "7", "title": "Apple", "text": f"Fruit.\n{PROSE}"}]
    articles += [{"id": "8", "title": "Empty", "text": "Fruit."}]
    path.write_text("\n".join(map(json.dumps, articles)), encoding="utf-8")
    [document] = read_articles(path)
    assert (document.id, document.text, document.kind) == ("7", PROSE, "wikipedia")
