from __future__ import annotations

import json
import lzma

from english_texts.documents import Copies, Document, read_documents, write_documents

LONG = "She went down to the river every morning, and sat there until the sun was over the hill."


def make(text: str, kind: str = "fiction", name: str = "a") -> Document:
    return Document(name, "Title", text, kind)


def test_a_long_paragraph_is_kept_once_whatever_its_punctuation():
    copies = Copies()
    assert copies.drop(make(f"{LONG}\nYes.\nYes.\n{LONG.upper()}")).text == f"{LONG}\nYes.\nYes."
    assert copies.drop(make(f"{LONG.replace(',', ';')}\nNo.")).text == "No."


def test_single_sentences_are_kept_once_however_short():
    copies = Copies()
    assert copies.drop(make("Yes, I do.\nNo.\nYes I do!", "sentences")).text == "Yes, I do.\nNo."


def test_documents_are_written_and_counted(tmp_path):
    path = tmp_path / "a.jsonl.xz"
    documents = [make(LONG), make(LONG, name="b"), Document("c", "C", "Où? There.", "qa", "site")]
    count = write_documents(documents, path, Copies())
    assert (count.documents, count.words) == (2, 20)
    assert count.words_by_kind == {"fiction": 18, "qa": 2}
    assert count.words_by_source == {"": 18, "site": 2}
    with lzma.open(path, "rt", encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    assert lines[0] == {"id": "a", "title": "Title", "text": LONG, "kind": "fiction"}
    assert lines[1]["source"] == "site"
    assert list(read_documents(path)) == [documents[0], documents[2]]


def test_what_an_earlier_file_holds_is_left_out(tmp_path):
    path = tmp_path / "a.jsonl.xz"
    write_documents([make(LONG)], path, Copies())
    copies = Copies()
    copies.add_file(path)
    assert copies.drop(make(f"Yes.\n{LONG}")).text == "Yes."
