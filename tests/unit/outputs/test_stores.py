from __future__ import annotations

from pathlib import Path

import pytest

from grassmeans import Corpus
from grassmeans.errors import InputError
from grassmeans.outputs.copying import copy_artifact
from grassmeans.outputs.stores import fetch_inputs, is_address, list_files

fsspec = pytest.importorskip("fsspec", reason="needs the extra storage")

TEXTS = ["the crane lifted a beam", "a crane by the river", "a third one"]


def read_all(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_addresses_are_told_from_paths() -> None:
    assert is_address("s3://bucket/file.bz2")
    assert is_address("simplecache::https://host/file")
    assert not any(map(is_address, ["corpus", "C:\\texts", "/a/b:c", Path("s3://x"), "http:"]))


def test_inputs_with_addresses_give_the_corpus_of_the_files(store, tmp_path) -> None:
    local = tmp_path / "texts"
    local.mkdir()
    for i, text in enumerate(TEXTS):
        (local / f"{i}.txt").write_text(text)
        store.pipe_file(f"/bucket/{i}.txt", text.encode())
    store.pipe_file("/bucket/.hidden.txt", b"not this one")
    here = Corpus.from_files(local, tmp_path / "here", workers=1)
    there = Corpus.from_files("memory://bucket/*.txt", tmp_path / "there", workers=1)
    folder = Corpus.from_files(["memory://bucket"], tmp_path / "folder", workers=1)
    assert there.manifest["sources"] == ["0.txt", "1.txt", "2.txt"]
    assert there.manifest["digest"] == here.manifest["digest"] == folder.manifest["digest"]
    assert not list(tmp_path.glob(".*.inputs"))


def test_what_was_fetched_is_kept_when_a_run_ends_early(store, tmp_path) -> None:
    store.pipe_file("/bucket/a.txt", b"...")
    with pytest.raises(InputError, match="no words were found"):
        Corpus.from_files("memory://bucket/a.txt", tmp_path / "corpus", workers=1)
    assert [path.name for path in tmp_path.rglob("a.txt")] == ["a.txt"]


def test_addresses_without_files_are_told(store) -> None:
    with pytest.raises(InputError, match="there is no file at memory://nothing/x"):
        list_files("memory://nothing/x")
    with pytest.raises(InputError, match=r"nonsense://x cannot be (opened|reached): .*nonsense"):
        list_files("nonsense://x")


LEADING_OUT = ["../evil", "a/../../evil", "a/..", "/evil", "a//evil", "./evil", "C:evil", "C:/evil"]
LEADING_OUT += ["..\\evil", "a\0b", "%2e%2e/evil", "x::file:///etc/passwd", "a\nb"]


@pytest.mark.parametrize("name", LEADING_OUT)
def test_names_that_lead_out_of_their_folder_are_refused(store, corpus, tmp_path, name) -> None:
    copy_artifact(corpus.path, "memory://bucket/corpus", workers=1)
    store.store[f"/bucket/corpus/{name}"] = store.store["/bucket/corpus/words.txt"]
    (tmp_path / "here").mkdir()
    before = read_all(tmp_path)
    for read in (
        lambda: copy_artifact("memory://bucket/corpus", tmp_path / "here" / "back", workers=1),
        lambda: list_files("memory://bucket/corpus"),
        lambda: Corpus.from_files("memory://bucket/corpus", tmp_path / "here" / "c", workers=1),
    ):
        with pytest.raises(InputError, match="no name of a file below it"):
            read()
    assert read_all(tmp_path) == before


def test_files_of_this_machine_are_read_where_they_are(tmp_path) -> None:
    (tmp_path / "a.txt").write_text("the crane flew")
    with fetch_inputs([f"file://{tmp_path}/*.txt"], tmp_path / "corpus") as paths:
        assert paths == [tmp_path / "a.txt"]
    assert (tmp_path / "a.txt").exists()


def test_a_file_that_changed_meanwhile_is_fetched_anew(store, tmp_path) -> None:
    store.pipe_file("/bucket/a.txt", b"the crane flew")
    stopped = fetch_inputs(["memory://bucket/a.txt"], tmp_path / "corpus")
    with pytest.raises(KeyboardInterrupt), stopped:
        raise KeyboardInterrupt
    store.pipe_file("/bucket/a.txt", b"the crane fled")
    with fetch_inputs(["memory://bucket/a.txt"], tmp_path / "corpus") as paths:
        assert [Path(path).read_text() for path in paths] == ["the crane fled"]
    assert not (tmp_path / ".corpus.inputs").exists()


def test_fetched_files_of_a_finished_corpus_are_cleaned(store, tmp_path) -> None:
    store.pipe_file("/bucket/a.txt", b"the crane flew over the harbour")
    place, left = tmp_path / "corpus", tmp_path / ".corpus.inputs"
    Corpus.from_files(["memory://bucket/a.txt"], place, workers=1)
    assert not left.exists()
    (left / "0-0-0123abcd").mkdir(parents=True)  # killed when the corpus was in its place
    (left / "0-0-0123abcd" / "a.txt").write_text("the crane flew over the harbour")
    with pytest.raises(InputError, match="exists already"):
        Corpus.from_files([corpus_text(tmp_path)], place)
    assert not left.exists()
    (left / "holidays").mkdir(parents=True)  # of someone else
    with pytest.raises(InputError, match="exists already"):
        Corpus.from_files([corpus_text(tmp_path)], place)
    assert [path.name for path in left.iterdir()] == ["holidays"]


def corpus_text(folder: Path) -> Path:
    (folder / "b.txt").write_text("the crane")
    return folder / "b.txt"
