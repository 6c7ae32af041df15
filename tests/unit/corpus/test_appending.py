from __future__ import annotations

import numpy as np
import pytest

from grassmeans import Corpus
from grassmeans.artifacts import writing
from grassmeans.artifacts.writing import write_manifest
from grassmeans.corpus import appending
from grassmeans.corpus.appending import append_files, join_corpora
from grassmeans.corpus.ingest import FORMAT_VERSION, KIND, IngestOptions
from grassmeans.errors import InputError
from grassmeans.text.tokenizer import Tokenizer


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


def test_words_beyond_the_vocabulary_stay_unknown(folders):
    (folders / "old" / "1900.txt").write_text("crane crane wing wing nest")
    (folders / "new" / "1900.txt").write_text("nest nest nest crane crane beam")
    options = IngestOptions(max_vocabulary=2)
    old = build(folders, ["old"], "c", options=options)
    assert list(old.vocabulary.words) == ["crane", "wing"]
    grown = append_files(folders / "c", folders / "new", folders / "c2")
    # Counted are crane 2 + 2, nest 3 without the one that was beyond the old words, and wing 2.
    assert list(grown.vocabulary.words) == ["crane", "nest"]
    assert np.asarray(grown.vocabulary.counts).tolist() == [4, 3]
    tokens = [np.asarray(shard.tokens).tolist() for shard in grown.shards]
    assert tokens == [[0, 0, -1, -1, -1], [1, 1, 1, 0, 0, -1]]
    assert grown.positions("nest").tolist() == [5, 6, 7]
    assert grown.manifest["options"]["max_vocabulary"] == 2


def test_a_word_of_the_old_text_is_found_in_the_new_one_however_rare_it_is_there(folders):
    (folders / "old" / "1900.txt").write_text("crane crane crane wing wing nest")
    (folders / "new" / "1900.txt").write_text("beam beam steel steel wing")
    build(folders, ["old"], "c", options=IngestOptions(max_vocabulary=2))
    grown = append_files(folders / "c", folders / "new", folders / "c2")
    assert list(grown.vocabulary.words) == ["crane", "wing"]
    assert np.asarray(grown.vocabulary.counts).tolist() == [3, 3]
    assert grown.positions("wing").tolist() == [3, 4, 10]


def test_what_was_read_and_left_out_is_added_up(folders):
    old = build(folders, ["old"], "c")
    (folders / "new" / "1900.txt").write_text("steel crane beam\n\nsteel crane beam\n\nx\n")
    grown = append_files(folders / "c", folders / "new", folders / "c2")
    assert (old.n_documents, old.n_tokens) == (2, 7)
    assert (grown.n_documents, grown.n_tokens) == (4, 11)
    assert grown.manifest["skipped"] == {"duplicate document": 1}
    assert list(grown.manifest["examples"]) == ["duplicate document"]
    assert grown.manifest["sources"] == ["1900.txt", "1900.txt"]
    assert grown.manifest["digest"] != old.manifest["digest"]


def test_the_old_rule_of_words_is_kept(folders):
    build(folders, ["old"], "c", options=IngestOptions(Tokenizer(lowercase=False)))
    (folders / "new" / "1900.txt").write_text("Crane")
    grown = append_files(folders / "c", folders / "new", folders / "c2")
    assert grown.count_of("Crane") == 1


def test_the_old_options_hold_for_the_new_text(folders):
    options = IngestOptions(
        language="es",
        function_words=frozenset({"crane"}),
        keep_links=True,
        keep_duplicates=True,
        max_vocabulary=1000,
        shard_chars=20,
    )
    old = build(folders, ["old"], "c", options=options)
    (folders / "new" / "1900.txt").write_text("steel crane beam\n\nsteel crane beam\n")
    grown = append_files(folders / "c", folders / "new", folders / "c2")
    assert grown.manifest["options"] == old.manifest["options"]
    assert grown.function_words == frozenset({"crane"})
    assert grown.n_documents == 4  # also what comes twice


def test_a_run_that_was_interrupted_does_not_read_the_new_text_again(folders, monkeypatch):
    build(folders, ["old"], "c")

    def stop(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(appending, "_join", stop)
        with pytest.raises(KeyboardInterrupt):
            append_files(folders / "c", folders / "new", folders / "c2")

    def read_again(*_, **__):
        raise AssertionError("the new text was read again")

    monkeypatch.setattr(appending.Ingest, "take_files", read_again)
    grown = append_files(folders / "c", folders / "new", folders / "c2")
    assert grown.count_of("crane") == 3


def test_what_cannot_be_appended(folders):
    old = build(folders, ["old"], "c", meta=("source",))
    with pytest.raises(InputError, match="keeps these fields of its documents: source"):
        append_files(folders / "c", folders / "new", folders / "c2", meta=("date",))
    with pytest.raises(InputError, match="input"):
        append_files(folders / "c", folders / "new", folders / "c", overwrite=True)
    fields = old.manifest | {"labelled": {"by": "a model"}}
    head = ("kind", "format_version", "grassmeans", "created", "manifest_digest")
    write_manifest(old.path, KIND, FORMAT_VERSION, {n: fields[n] for n in fields if n not in head})
    with pytest.raises(InputError, match="c is labelled: append to the corpus that it was made"):
        append_files(folders / "c", folders / "new", folders / "c2")
    write_manifest(
        old.path, KIND, FORMAT_VERSION, {n: old.manifest[n] for n in old.manifest if n not in head}
    )
    (folders / "new" / "1900.txt").write_text("")
    with pytest.raises(InputError, match="no words were found"):
        append_files(folders / "c", folders / "new", folders / "c2")
    assert Corpus.open(folders / "c").n_documents == 2
    assert not (folders / "c2").exists()


def test_corpora_that_are_joined_are_that_of_all_text(folders):
    old = build(folders, ["old"], "c", meta=("source",))
    new = build(folders, ["new"], "d")
    joined = join_corpora([old, new], folders / "j", workers=1)
    whole = build(folders, ["old", "new"], "all")
    assert joined.vocabulary.words == whole.vocabulary.words
    np.testing.assert_array_equal(joined.vocabulary.counts, whole.vocabulary.counts)
    assert [str(line) for line in joined.concordance("crane")] == [
        str(line) for line in whole.concordance("crane")
    ]
    assert joined.field_values("source") == ["old", "old", ""]
    assert (joined.n_documents, joined.n_tokens) == (3, 10)
    assert "appended" not in joined.manifest


def test_corpora_of_different_rules_are_not_joined(folders):
    old = build(folders, ["old"], "c")
    new = build(folders, ["new"], "d", options=IngestOptions(tokenizer=Tokenizer(lowercase=False)))
    with pytest.raises(InputError, match="different rules"):
        join_corpora([old, new], folders / "j")
    with pytest.raises(InputError, match="twice"):
        join_corpora([old, old], folders / "j")
    assert not (folders / "j").exists()
