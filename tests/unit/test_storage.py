from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

from grassmeans import Corpus
from grassmeans.checked import MANIFEST
from grassmeans.errors import ArtifactError, InputError, MissingExtraError
from grassmeans.storage import copy_artifact, is_address, list_files

fsspec = pytest.importorskip("fsspec", reason="needs the extra storage")

TEXTS = ["the crane lifted a beam", "a crane by the river", "a third one"]


@pytest.fixture
def store() -> Iterator[fsspec.AbstractFileSystem]:
    """An empty object store in memory."""
    memory = fsspec.filesystem("memory")
    memory.store.clear()
    yield memory
    memory.store.clear()


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    return Corpus.from_texts(TEXTS, tmp_path / "corpus")


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


def test_an_artifact_goes_to_a_store_and_back(store, corpus, tmp_path) -> None:
    copy_artifact(corpus.path, "memory://bucket/corpus", workers=1)
    copy_artifact("memory://bucket/corpus", tmp_path / "back", workers=1)
    assert read_all(tmp_path / "back") == read_all(corpus.path)
    assert Corpus.open(tmp_path / "back").n_documents == 3
    with pytest.raises(InputError, match="exists already"):
        copy_artifact(corpus.path, "memory://bucket/corpus", workers=1)
    copy_artifact(corpus.path, "memory://bucket/corpus", workers=1, overwrite=True)
    with pytest.raises(InputError, match="exists already"):
        copy_artifact("memory://bucket/corpus", tmp_path / "back", workers=1)


def test_the_manifest_comes_last(store, corpus, monkeypatch) -> None:
    from grassmeans import storage

    sent: list[str] = []
    monkeypatch.setattr(storage, "send_file", lambda source, address: sent.append(source.name))
    copy_artifact(corpus.path, "memory://bucket/corpus", workers=1)
    assert sent[-2:] == ["checksums.txt", MANIFEST]
    assert sent.count(MANIFEST) == 1


def test_a_damaged_copy_is_refused(store, corpus, tmp_path) -> None:
    copy_artifact(corpus.path, "memory://bucket/corpus", workers=1)
    path = "/bucket/corpus/shards/00000/tokens.npy"
    content = bytearray(store.cat_file(path))
    content[-1] ^= 1
    store.pipe_file(path, bytes(content))
    with pytest.raises(ArtifactError, match=r"tokens\.npy is not what was written"):
        copy_artifact("memory://bucket/corpus", tmp_path / "back", workers=1)
    assert not (tmp_path / "back").exists()


def test_what_is_no_artifact_is_not_copied(store, corpus, tmp_path) -> None:
    store.pipe_file("/bucket/notes/a.txt", b"text")
    with pytest.raises(ArtifactError, match="no grassmeans folder"):
        copy_artifact("memory://bucket/notes", tmp_path / "back")
    with pytest.raises(InputError, match="one address"):
        copy_artifact(corpus.path, tmp_path / "other")
    store.pipe_file(f"/bucket/model/{MANIFEST}", b'{"kind": "model"}')
    with pytest.raises(InputError, match="holds a model"):
        copy_artifact(corpus.path, "memory://bucket/model", overwrite=True)


def test_the_extra_is_named_where_it_is_missing(corpus, monkeypatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda package: None)
    with pytest.raises(MissingExtraError, match=r"grassmeans\[storage\]"):
        copy_artifact(corpus.path, "s3://bucket/corpus")
