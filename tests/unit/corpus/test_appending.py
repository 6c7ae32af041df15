from __future__ import annotations

import numpy as np
import pytest

from grassmeans import Corpus
from grassmeans.artifacts import writing
from grassmeans.corpus.appending import append_files
from grassmeans.errors import InputError


@pytest.fixture
def folders(tmp_path):
    texts = {"old": "a crane flew over\n\nthe crane sat\n", "new": "steel crane beam\n"}
    for name, text in texts.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "1900.txt").write_text(text)
    return tmp_path


def build(folders, names, output, **options):
    return Corpus.from_files([folders / name for name in names], folders / output, **options)


def test_a_corpus_that_grew_is_that_of_all_text(folders):
    build(folders, ["old"], "c", meta=("source",))
    grown = append_files(folders / "c", folders / "new", folders / "c2")
    whole = build(folders, ["old", "new"], "all", meta=("source",))
    assert grown.vocabulary.words == whole.vocabulary.words
    np.testing.assert_array_equal(grown.vocabulary.counts, whole.vocabulary.counts)
    assert [str(line) for line in grown.concordance("crane")] == [
        str(line) for line in whole.concordance("crane")
    ]
    assert grown.field_values("source") == ["old", "old", "new"]
    assert grown.document_text(2) == "steel crane beam"
    assert len(grown.shards) == 2
    assert grown.function_words == whole.function_words


def test_the_old_corpus_stays_and_its_text_is_shared_where_it_is_large(folders, monkeypatch):
    monkeypatch.setattr(writing, "SMALL_BYTES", 0)
    old = build(folders, ["old"], "c")
    before = {path: path.read_bytes() for path in old.path.rglob("*") if path.is_file()}
    grown = append_files(folders / "c", folders / "new", folders / "c2", workers=1)
    assert before == {path: path.read_bytes() for path in before}
    assert (grown.shards[0].folder / "text.bin").samefile(old.shards[0].folder / "text.bin")


def test_an_editor_in_one_corpus_does_not_change_the_other(folders):
    old = build(folders, ["old"], "c")
    before = {path: path.read_bytes() for path in old.path.rglob("*") if path.is_file()}
    append_files(folders / "c", folders / "new", folders / "c2")
    for path in [path for path in (folders / "c2").rglob("*") if path.is_file()]:
        with path.open("ab") as file:  # in place, as some editors write
            file.write(b"mine")
    assert before == {path: path.read_bytes() for path in before}


def test_it_can_grow_again(folders):
    build(folders, ["old"], "c")
    append_files(folders / "c", folders / "new", folders / "c2")
    grown = append_files(folders / "c2", folders / "new", folders / "c3")
    assert grown.count_of("crane") == 4
    assert [entry["first_shard"] for entry in grown.manifest["appended"]] == [1, 2]


def test_the_old_rule_of_words_is_kept(folders):
    from grassmeans.corpus.ingest import IngestOptions
    from grassmeans.text.tokenizer import Tokenizer

    build(folders, ["old"], "c", options=IngestOptions(Tokenizer(lowercase=False)))
    (folders / "new" / "1900.txt").write_text("Crane")
    grown = append_files(folders / "c", folders / "new", folders / "c2")
    assert grown.count_of("Crane") == 1


def test_what_cannot_be_appended(folders):
    build(folders, ["old"], "c", meta=("source",))
    with pytest.raises(InputError, match="keeps these fields of its documents: source"):
        append_files(folders / "c", folders / "new", folders / "c2", meta=("date",))
    with pytest.raises(InputError, match="input"):
        append_files(folders / "c", folders / "new", folders / "c", overwrite=True)
    (folders / "new" / "1900.txt").write_text("")
    with pytest.raises(InputError, match="no words were found"):
        append_files(folders / "c", folders / "new", folders / "c2")
    assert Corpus.open(folders / "c").n_documents == 2
    assert not (folders / "c2").exists()
