from __future__ import annotations

import sys
from itertools import count
from pathlib import Path

import pytest

from grassmeans import Corpus, WordVectors
from grassmeans.artifacts.checking import MANIFEST
from grassmeans.artifacts.writing import write_manifest
from grassmeans.corpus.ingest import IngestOptions
from grassmeans.errors import ArtifactError, InputError, MissingExtraError
from grassmeans.outputs.addresses import find_files
from grassmeans.outputs.stores import copy_artifact, fetch_inputs

fsspec = pytest.importorskip("fsspec", reason="needs the extra storage")

TEXTS = ["the crane lifted a beam", "a crane by the river", "a third one"]


def read_all(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def list_keys(store, path: str, detail: bool = False, **_: object) -> dict | list[str]:
    """All keys below a path, as S3 lists them; an old fsspec walks its store like a disk."""
    inside = sorted(key for key in store.store if key.startswith(f"{store._strip_protocol(path)}/"))
    return {key: store.info(key) | {"type": "file"} for key in inside} if detail else inside


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
        lambda: find_files("memory://bucket/corpus"),
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
    from grassmeans.outputs import stores

    sent: list[str] = []
    monkeypatch.setattr(stores, "send_file", lambda source, address: sent.append(source.name))
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


def test_what_is_there_stays(store, corpus, tmp_path) -> None:
    other = WordVectors(["a", "b"], [[1.0, 0.0], [0.0, 1.0]])
    other.save(tmp_path / "vectors")
    copy_artifact(tmp_path / "vectors", "memory://bucket/vectors", workers=1)
    store.pipe_file(f"/bucket/site/{MANIFEST}", b'{"kind": "x", "name": "holidays"}')
    store.pipe_file("/bucket/photos/words.txt", b"photo")
    for name, message in {
        "vectors": "holds a vectors",
        "site": "not empty and not a grassmeans corpus",
        "photos": "not empty and not a grassmeans corpus",
    }.items():
        before = {path: store.cat_file(path) for path in store.find(f"/bucket/{name}")}
        with pytest.raises(InputError, match=message):
            copy_artifact(corpus.path, f"memory://bucket/{name}", overwrite=True, workers=1)
        assert {path: store.cat_file(path) for path in store.find(f"/bucket/{name}")} == before


def test_replacing_takes_the_old_artifact_away_and_nothing_else(store, corpus, tmp_path) -> None:
    address, note = "memory://bucket/corpus", "/bucket/corpus/note.txt"
    larger = Corpus.from_texts(
        ["a crane by the river"] * 27, tmp_path / "large", options=IngestOptions(shard_chars=50)
    )
    copy_artifact(larger.path, address, workers=1)
    WordVectors(["a"], [[1.0]]).save(tmp_path / "mine")
    mine = {f"mine/{name}": content for name, content in read_all(tmp_path / "mine").items()}
    for name, content in ({"note.txt": b"mine"} | mine).items():
        store.pipe_file(f"/bucket/corpus/{name}", content)
    with pytest.warns(UserWarning, match=r"not the corpus's, and they stay \(5: mine/checksums"):
        copy_artifact(corpus.path, address, workers=1, overwrite=True)
    names = {path.removeprefix("/bucket/corpus/") for path in store.find("/bucket/corpus")}
    assert names == {*read_all(corpus.path), "note.txt", *mine}
    assert store.cat_file(note) == b"mine"


def test_artifacts_that_the_manifest_names_inside_are_replaced_with_it(store, tmp_path) -> None:
    for number in (1, 2):
        inner = tmp_path / f"{number}" / f"inner-{number}" / "deep"
        inner.mkdir(parents=True)
        (inner / "x.txt").write_text(f"{number}")
        write_manifest(inner, "inner", 1, {})
        write_manifest(inner.parent, "middle", 1, {})
        write_manifest(tmp_path / f"{number}", "thing", 1, {})
        copy_artifact(tmp_path / f"{number}", "memory://b/thing", workers=1, overwrite=True)
    names = {path.removeprefix("/b/thing/") for path in store.find("/b/thing")}
    assert names == {*read_all(tmp_path / "2")}


def test_what_is_not_of_the_artifact_is_not_written_over(store, corpus) -> None:
    copy_artifact(corpus.path, "memory://bucket/corpus", workers=1)
    listed = store.cat_file("/bucket/corpus/checksums.txt").decode().splitlines(keepends=True)
    fewer = "".join(line for line in listed if not line.endswith("words.txt\n"))
    store.pipe_file("/bucket/corpus/checksums.txt", fewer.encode())
    before = {path: store.cat_file(path) for path in store.find("/bucket")}
    with pytest.raises(InputError, match=r"^function_words\.txt at .* is not of the artifact"):
        copy_artifact(corpus.path, "memory://bucket/corpus", workers=1, overwrite=True)
    assert {path: store.cat_file(path) for path in store.find("/bucket")} == before


@pytest.mark.parametrize("name", ["../beside.txt", "/bucket/beside.txt", "a/../../beside.txt"])
@pytest.mark.parametrize("place", ["checksums.txt", ".grassmeans-copy"])
def test_lists_that_name_files_elsewhere_are_refused(store, corpus, place, name) -> None:
    copy_artifact(corpus.path, "memory://bucket/corpus", workers=1)
    store.pipe_file("/bucket/beside.txt", b"mine")
    there = store.cat_file(f"/bucket/corpus/{place}") if place == "checksums.txt" else b""
    digest = b"0" * 64 + b"  " if place == "checksums.txt" else b""
    store.pipe_file(f"/bucket/corpus/{place}", there + digest + name.encode() + b"\n")
    before = {path: store.cat_file(path) for path in store.find("/bucket")}
    with pytest.raises(ArtifactError, match=r"file.* below it"):
        copy_artifact(corpus.path, "memory://bucket/corpus", workers=1, overwrite=True)
    assert {path: store.cat_file(path) for path in store.find("/bucket")} == before


@pytest.mark.parametrize("name", ["WORDS.TXT", "words.txt/inside", "u\u0308.txt", "Shards"])
def test_names_that_a_disk_may_take_for_one_are_refused(
    store, corpus, tmp_path, name, monkeypatch
) -> None:
    monkeypatch.setattr(type(store), "find", list_keys)
    copy_artifact(corpus.path, "memory://bucket/corpus", workers=1)
    store.pipe_file("/bucket/corpus/\u00fc.txt", b"")
    store.store[f"/bucket/corpus/{name}"] = store.store["/bucket/corpus/words.txt"]
    with pytest.raises(InputError, match=r"one name on some disks|as a file, and .* in it"):
        copy_artifact("memory://bucket/corpus", tmp_path / "back", workers=1)
    assert not (tmp_path / "back").exists()


def test_chains_of_addresses_are_refused(corpus, tmp_path) -> None:
    before = read_all(corpus.path)
    for chain in (f"simplecache::file://{corpus.path}", f"zip://a::file://{tmp_path}/b.zip"):
        for source, target in ((corpus.path, chain), (chain, tmp_path / "back")):
            with pytest.raises(InputError, match="is a chain of addresses"):
                copy_artifact(source, target, overwrite=True, workers=1)
    assert read_all(corpus.path) == before
    assert not (tmp_path / "back").exists()


def test_a_folder_is_itself_by_whatever_name(corpus, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "link").symlink_to(tmp_path)
    before = read_all(corpus.path)
    for name in (
        "file://corpus",
        f"local://{corpus.path}/",
        "file://link/corpus",
        "local://~/corpus",
        f"file://{tmp_path}/corpus/../corpus",
        "file://corpus/inside",
        "local://link/corpus/shards/deep",
    ):
        with pytest.raises(InputError, match="an input"):
            copy_artifact(corpus.path, name, overwrite=True, workers=1)
        with pytest.raises(InputError, match="an input"):
            copy_artifact("file://corpus", name.partition("://")[2].replace("~", "."), workers=1)
    assert read_all(corpus.path) == before


class Elsewhere(fsspec.get_filesystem_class("file")):
    """This machine's disk under another name, as by a server that runs on it."""

    protocol = "elsewhere"

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        return super()._strip_protocol(path.removeprefix("elsewhere://"))


def test_a_store_that_leads_back_to_the_source_is_noticed(corpus) -> None:
    fsspec.register_implementation("elsewhere", Elsewhere, clobber=True)
    before = read_all(corpus.path)
    for place in (corpus.path, corpus.path / "inside"):
        with pytest.raises(InputError, match=r"elsewhere://.*corpus, an input, or lies in it"):
            copy_artifact(corpus.path, f"elsewhere://{place}", overwrite=True, workers=1)
    assert read_all(corpus.path) == before


def test_an_interrupted_copy_is_finished(store, corpus, tmp_path, monkeypatch) -> None:
    from grassmeans.outputs import stores

    send, sent = stores.send_file, []

    def stop(source: Path, address: str) -> None:
        sent.append(address)
        if len(sent) == 5:
            raise KeyboardInterrupt
        send(source, address)

    with monkeypatch.context() as patch:
        patch.setattr(stores, "send_file", stop)
        with pytest.raises(KeyboardInterrupt):
            copy_artifact(corpus.path, "memory://bucket/corpus", workers=1)
    with pytest.raises(ArtifactError, match="no grassmeans folder"):
        copy_artifact("memory://bucket/corpus", tmp_path / "back")
    copy_artifact(corpus.path, "memory://bucket/corpus", workers=1)
    copy_artifact("memory://bucket/corpus", tmp_path / "back", workers=1)
    assert read_all(tmp_path / "back") == read_all(corpus.path)


def send_interrupted(source: Path, monkeypatch, stop_at: int) -> list[str]:
    """Copy with an end before one of the files; returns the names that were sent."""
    with monkeypatch.context() as patch:
        sent = count_sent(patch, stop_at)
        with pytest.raises(KeyboardInterrupt):
            copy_artifact(source, "memory://bucket/corpus", workers=1, overwrite=True)
    return sent


def count_sent(monkeypatch, stop_at: int = 0) -> list[str]:
    """Note the names that are sent, and end the copy before one of them."""
    from grassmeans.outputs import stores

    send, sent, numbers = stores.send_file, [], count(1)

    def send_some(source: Path, address: str) -> None:
        if next(numbers) >= stop_at > 0:
            raise KeyboardInterrupt
        send(source, address)
        sent.append(address.removeprefix("memory://bucket/corpus/"))

    monkeypatch.setattr(stores, "send_file", send_some)
    return sent


def test_a_copy_goes_on_where_it_was_interrupted(store, corpus, tmp_path, monkeypatch) -> None:
    address = "memory://bucket/corpus"
    first = send_interrupted(corpus.path, monkeypatch, stop_at=5)
    torn = first.pop()
    store.pipe_file(f"/bucket/corpus/{torn}", b"")  # as by a store that keeps half a file
    second = count_sent(monkeypatch)
    copy_artifact(corpus.path, address, workers=1)
    assert len(first) >= 2
    assert torn in second
    assert sorted(first + second) == sorted(read_all(corpus.path))
    copy_artifact(address, tmp_path / "back", workers=1)
    assert read_all(tmp_path / "back") == read_all(corpus.path)


def test_what_was_fetched_is_not_fetched_again(store, corpus, tmp_path, monkeypatch) -> None:
    from grassmeans.outputs import stores

    copy_artifact(corpus.path, "memory://bucket/corpus", workers=1)
    fetch, fetched, limit, numbers = stores.fetch_file, [], 5, count(1)

    def fetch_some(address: str, target: Path, n_bytes: int | None) -> None:
        if next(numbers) > limit:
            raise InputError(f"{address} cannot be reached: it is raining")
        fetched.append(target.exists())
        fetch(address, target, n_bytes)

    monkeypatch.setattr(stores, "fetch_file", fetch_some)
    with pytest.raises(InputError, match="raining"):
        copy_artifact("memory://bucket/corpus", tmp_path / "back", workers=1)
    assert fetched == [False] * 5
    fetched.clear()
    limit = 100
    copy_artifact("memory://bucket/corpus", tmp_path / "back", workers=1)
    assert fetched.count(True) == 5
    assert read_all(tmp_path / "back") == read_all(corpus.path)


@pytest.mark.parametrize(("other_stops", "stops"), [(None, 3), (-1, None), (-1, 3)])
def test_only_files_of_the_same_copy_are_left_there(
    other_stops, stops, store, corpus, tmp_path, monkeypatch
) -> None:
    """Files of the same names and sizes may be of another artifact, whole or half sent."""
    texts = ["the bench lifted a beam", "a bench by the river", "a third one"]
    other = Corpus.from_texts(texts, tmp_path / "other").path
    address = "memory://bucket/corpus"
    if other_stops is None:
        copy_artifact(other, address, workers=1)
    else:
        send_interrupted(other, monkeypatch, len(read_all(other)) + other_stops)
    if stops is not None:
        send_interrupted(corpus.path, monkeypatch, stops)
    copy_artifact(corpus.path, address, workers=1, overwrite=True)
    assert {f"/bucket/corpus/{name}" for name in read_all(corpus.path)} == {*store.find("/bucket")}
    copy_artifact(address, tmp_path / "back", workers=1)
    assert read_all(tmp_path / "back") == read_all(corpus.path)


def test_folders_of_this_machine_follow_the_rules_of_every_output(corpus, tmp_path) -> None:
    before = read_all(corpus.path)
    for source, target in (
        (corpus.path, f"file://{corpus.path}"),
        (f"file://{corpus.path}", corpus.path),
        (corpus.path, f"file://{corpus.path}/inside"),
    ):
        with pytest.raises(InputError, match="an input"):
            copy_artifact(source, target, overwrite=True, workers=1)
    assert read_all(corpus.path) == before
    site = tmp_path / "site"
    site.mkdir()
    (site / "photo.jpg").write_bytes(b"photo")
    with pytest.raises(InputError, match="not empty and not a grassmeans"):
        copy_artifact(corpus.path, f"file://{site}", overwrite=True, workers=1)
    copy_artifact(corpus.path, f"file://{tmp_path / 'copy'}", workers=1)
    assert read_all(tmp_path / "copy") == before


def test_addresses_of_nothing_are_refused(corpus, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    for address in ("memory://", "s3:///", "file://"):
        with pytest.raises(InputError, match="names no folder"):
            copy_artifact(corpus.path, address)
    with pytest.raises(InputError, match="is an address"):
        Corpus.from_files("memory://bucket/a.txt", "memory://bucket/corpus", workers=1)
    assert [path.name for path in tmp_path.iterdir()] == ["corpus"]


def test_a_damaged_folder_replaces_nothing(store, corpus, tmp_path) -> None:
    copy_artifact(corpus.path, "memory://bucket/corpus", workers=1)
    before = {path: store.cat_file(path) for path in store.find("/bucket")}
    (corpus.path / "words.txt").write_text("other")
    with pytest.raises(ArtifactError, match="is not copied"):
        copy_artifact(corpus.path, "memory://bucket/corpus", workers=1, overwrite=True)
    assert {path: store.cat_file(path) for path in store.find("/bucket")} == before


def test_the_extra_is_named_where_it_is_missing(corpus, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(MissingExtraError, match=r"grassmeans\[storage\]"):
        copy_artifact(corpus.path, "s3://bucket/corpus")
