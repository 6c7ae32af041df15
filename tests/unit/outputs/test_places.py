from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from grassmeans.artifacts.checking import TEMPORARY
from grassmeans.artifacts.writing import building_place, find_manifest, write_bytes, write_manifest
from grassmeans.errors import ArtifactError, InputError, StorageError, UnknownWordError
from grassmeans.outputs import ownership
from grassmeans.outputs import places as outputs
from grassmeans.outputs.ownership import check_inputs
from grassmeans.outputs.places import (
    check_output,
    check_output_file,
    output_file,
    output_folder,
    remove_dead_work,
)

KILLED = 9


def build(path: Path, value: str, *, identity: object = None, **options: object) -> None:
    """Write an artifact of two files and a manifest."""
    with output_folder(path, "thing", identity or value, **options) as building:
        write_bytes(building.folder / "one.txt", value.encode())
        write_bytes(building.scratch / "checkpoint", b"x")
        write_bytes(building.folder / "two.txt", value.encode())
        write_manifest(building.folder, "thing", 1, {"value": value})


def value_of(folder: Path) -> str:
    """The value of a whole artifact; fails for half a one."""
    value = find_manifest(folder)["value"]
    assert (folder / "one.txt").read_text() == (folder / "two.txt").read_text() == value
    assert names(folder) == ["checksums.txt", "manifest.json", "one.txt", "two.txt"]
    return value


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def fail(path: Path, error: type[BaseException], identity: object, **options: object) -> None:
    """Begin to build, and fail."""
    with output_folder(path, "thing", identity, **options) as building:
        (building.folder / "half.txt").write_text("half")
        (building.folder / "left.npy.partial-1-ab").write_text("half")
        raise error


def stop(path: Path, identity: object, **options: object) -> None:
    """Begin to build, and be interrupted."""
    with pytest.raises(KeyboardInterrupt):
        fail(path, KeyboardInterrupt, identity, **options)


def test_an_output_appears_when_it_is_whole_and_leaves_nothing_else(tmp_path) -> None:
    place = tmp_path / "deep" / "t"
    with output_folder(place, "thing") as building:
        write_manifest(building.folder, "thing", 1, {})
        assert not place.exists()
        assert building.folder.parent.parent == place.parent  # the same file system
    assert names(place.parent) == ["t"]
    assert names(place) == ["checksums.txt", "manifest.json"]


@pytest.mark.system
def test_what_a_killed_worker_was_writing_does_not_come_along(tmp_path) -> None:
    with output_folder(tmp_path / "t", "thing") as building:
        (building.folder / "deep").mkdir()
        (building.folder / "deep" / "a.npy.partial-999-ab").write_text("half")
        write_manifest(building.folder, "thing", 1, {})
    assert names(tmp_path / "t" / "deep") == []


def test_what_the_work_adds_to_is_replaced_untold_where_all_fields_are_the_same(tmp_path) -> None:
    place = tmp_path / "t"
    with output_folder(place, "thing") as building:
        write_manifest(building.folder, "thing", 1, {"value": "old", "of": "a"})
    for fields in ({"of": "b"}, {"of": "a", "value": "new"}):
        with pytest.raises(InputError, match="exists already"):
            build(place, "new", grows=fields)
    with output_folder(place, "thing", grows={"of": "a"}) as building:
        assert building.earlier == place  # to go on from
        write_manifest(building.folder, "thing", 1, {"value": "new", "of": "a"})
    assert find_manifest(place)["value"] == "new"
    with output_folder(place, "thing", grows={"of": "a"}, overwrite=True) as building:
        assert building.earlier is None  # begun anew
        write_manifest(building.folder, "thing", 1, {})


def test_an_empty_folder_is_filled(tmp_path) -> None:
    (tmp_path / "t").mkdir()
    build(tmp_path / "t", "new")
    assert value_of(tmp_path / "t") == "new"


def test_only_overwrite_replaces(tmp_path) -> None:
    build(tmp_path / "t", "old")
    with pytest.raises(InputError, match="exists already: choose another, or pass overwrite=True"):
        build(tmp_path / "t", "new")
    assert value_of(tmp_path / "t") == "old"
    build(tmp_path / "t", "new", overwrite=True)
    assert value_of(tmp_path / "t") == "new"
    assert names(tmp_path) == ["t"]


@pytest.mark.parametrize("error", [InputError, UnknownWordError, OSError, ZeroDivisionError])
def test_a_failed_run_keeps_the_earlier_result(tmp_path, error) -> None:
    build(tmp_path / "t", "old")
    with pytest.raises(error):
        fail(tmp_path / "t", error, "new", overwrite=True)
    assert value_of(tmp_path / "t") == "old"


@pytest.mark.parametrize("keep_failed", [False, True])
def test_work_on_bad_input_is_thrown_away_unless_told(tmp_path, keep_failed) -> None:
    with pytest.raises(InputError):
        fail(tmp_path / "t", InputError, "x", keep_failed=keep_failed)
    assert names(tmp_path) == ([".t.building"] if keep_failed else [])


@pytest.mark.parametrize("error", [MemoryError, KeyboardInterrupt, InputError])
def test_work_that_did_not_begin_leaves_nothing(tmp_path, error) -> None:
    with pytest.raises(error), output_folder(tmp_path / "t", "thing", "a", keep_failed=True):
        raise error
    assert names(tmp_path) == []


def test_a_result_without_a_manifest_is_not_published(tmp_path) -> None:
    with pytest.raises(ArtifactError, match="no manifest"), output_folder(tmp_path / "t", "thing"):
        pass
    assert not (tmp_path / "t").exists()


@pytest.mark.parametrize("overwrite", [False, True])
def test_interrupted_work_goes_on(tmp_path, overwrite) -> None:
    if overwrite:
        build(tmp_path / "t", "old")
    stop(tmp_path / "t", "same", overwrite=overwrite)
    with output_folder(tmp_path / "t", "thing", "same", overwrite=overwrite) as building:
        assert names(building.folder) == ["half.txt"]  # and no temporary file
        write_manifest(building.folder, "thing", 1, {})
    assert (tmp_path / "t" / "half.txt").read_text() == "half"


def test_unfinished_work_of_other_options_is_replaced_only_when_told(tmp_path) -> None:
    stop(tmp_path / "t", "one")
    with pytest.raises(InputError, match=r"unfinished thing of other .* pass overwrite=True"):
        build(tmp_path / "t", "two")
    build(tmp_path / "t", "two", overwrite=True)
    assert value_of(tmp_path / "t") == "two"


def test_work_without_identity_is_never_taken_over(tmp_path) -> None:
    stop(tmp_path / "t", None)
    with output_folder(tmp_path / "t", "thing") as building:
        assert names(building.folder) == []
        write_manifest(building.folder, "thing", 1, {})


def test_foreign_folders_are_kept(tmp_path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / "manifest.json").write_text('{"name": "My site"}')
    (site / "photo.jpg").write_text("photo")
    with pytest.raises(InputError, match="not empty and not a grassmeans thing"):
        build(site, "new", overwrite=True)
    assert names(site) == ["manifest.json", "photo.jpg"]
    assert names(tmp_path) == ["site"]


def test_other_kinds_are_kept(tmp_path) -> None:
    (tmp_path / "t").mkdir()
    write_manifest(tmp_path / "t", "corpus", 1, {})
    with pytest.raises(InputError, match=r"another kind \(corpus\) and is never replaced"):
        build(tmp_path / "t", "new", overwrite=True)
    write_manifest(tmp_path / "t", "thing", 1, {})
    with pytest.raises(InputError, match=r"another kind \(thing without 'labelled'\)"):
        build(tmp_path / "t", "new", overwrite=True, fields=["labelled"])
    assert names(tmp_path / "t") == ["checksums.txt", "manifest.json"]


@pytest.mark.parametrize(
    ("kind", "mark"),
    [("corpus", "labelled"), ("corpus", "merged"), ("vectors", "lexemes"), ("model", "edited")],
)
def test_results_of_one_kind_that_are_different_things_are_kept(tmp_path, kind, mark) -> None:
    (tmp_path / "t").mkdir()
    write_manifest(tmp_path / "t", kind, 1, {mark: {}})
    with pytest.raises(InputError, match=rf"another kind \({kind} with '{mark}'\)"):
        check_output(tmp_path / "t", kind, overwrite=True)
    check_output(tmp_path / "t", kind, fields=[mark], overwrite=True)


def build_with_part(path: Path, value: str, **options: object) -> None:
    """An artifact with another one in it."""
    with output_folder(path, "thing", value, **options) as building:
        (building.folder / "deep").mkdir(exist_ok=True)
        write_bytes(building.folder / "deep" / "one.txt", value.encode())
        build(building.folder / "part", value)
        write_manifest(building.folder, "thing", 1, {"value": value})


def everything(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


FOREIGN = ["notes.md", "deep/notes.md", "part/notes.md", ".hidden", "new/notes.md", "other/link"]


@pytest.mark.parametrize("name", FOREIGN)
def test_what_others_put_into_a_result_is_kept(tmp_path, name) -> None:
    place = tmp_path / "t"
    build_with_part(place, "old")
    (place / name).parent.mkdir(exist_ok=True)
    if name == "other/link":
        (place / name).symlink_to(tmp_path, target_is_directory=True)
    else:
        (place / name).write_text("mine")
    before = everything(place)
    for refuse in (check_output, build):
        with pytest.raises(InputError, match=rf"t holds {name}, which is not a part of it.* move"):
            refuse(place, "thing", overwrite=True)
    assert everything(place) == before
    (place / name).unlink()
    build_with_part(place, "new", overwrite=True)
    assert (place / "part" / "one.txt").read_text() == "new"
    assert names(tmp_path) == ["t"]


def test_another_result_inside_a_result_is_kept(tmp_path) -> None:
    build(tmp_path / "t", "old")
    build(tmp_path / "t" / "model", "dear")
    with pytest.raises(InputError, match=r"t holds model/checksums.txt, which is not a part"):
        build(tmp_path / "t", "new", overwrite=True)
    assert value_of(tmp_path / "t" / "model") == "dear"


def test_what_somebody_changed_is_kept(tmp_path) -> None:
    place = tmp_path / "t"

    def edit(name: str, text: str) -> None:
        (place / name).write_text((place / name).read_text() + text)

    def unseal(key: str) -> None:
        manifest = json.loads((place / "manifest.json").read_text())
        del manifest[key]
        (place / "manifest.json").write_text(json.dumps(manifest))

    changes: dict[str, Callable[[], None]] = {
        "deep/one.txt was changed after it was written": lambda: edit("deep/one.txt", "mine"),
        "part/two.txt was changed after it was written": lambda: edit("part/two.txt", "mine"),
        "deep/one.txt is missing": (place / "deep" / "one.txt").unlink,
        "part/manifest.json is missing": lambda: shutil.rmtree(place / "part"),
        "manifest.json was changed after it was written": lambda: unseal("value"),
        "t has no list of its files": lambda: unseal("manifest_digest"),
        "part/checksums.txt is missing": (place / "part" / "checksums.txt").unlink,
    }
    for message, change in changes.items():
        shutil.rmtree(place, ignore_errors=True)
        build_with_part(place, "old")
        change()
        before = everything(place)
        for refuse in (check_output, build):
            with pytest.raises(InputError, match=rf"{message}.*(move it|delete it yourself)"):
                refuse(place, "thing", overwrite=True)
        assert everything(place) == before
    assert names(tmp_path) == ["t"]


def test_what_grows_holds_nothing_else_either(tmp_path) -> None:
    place = tmp_path / "t"
    build(place, "old")
    (place / "notes.md").write_text("mine")
    check_output(place, "thing", grows={"value": "old"})  # it may be that it is only read
    with pytest.raises(InputError, match=r"t holds notes\.md"):
        build(place, "new", grows={"value": "old"})
    assert (place / "notes.md").read_text() == "mine"
    (place / "notes.md").unlink()
    build(place, "new", grows={"value": "old"})
    assert value_of(place) == "new"


def test_files_are_read_once_to_be_compared(tmp_path, monkeypatch) -> None:
    compared: list[str] = []
    digest_of_file = ownership.digest_of_file

    def note(path: Path) -> str:
        compared.append(path.name)
        return digest_of_file(path)

    monkeypatch.setattr(ownership, "digest_of_file", note)
    build(tmp_path / "t", "old")
    check_output(tmp_path / "t", "thing", overwrite=True)
    build(tmp_path / "t", "new", overwrite=True)
    assert compared == ["one.txt", "two.txt"]


def test_inputs_are_kept(tmp_path) -> None:
    build(tmp_path / "t", "old")
    (tmp_path / "link").symlink_to(tmp_path / "t", target_is_directory=True)
    for given in ("t", "link", "t/one.txt", "link/two.txt", "t/../t"):
        with pytest.raises(InputError, match="input"):
            build(tmp_path / "t", "new", inputs=[None, tmp_path / given], overwrite=True)
    for output in ("t/inside", "link/inside"):
        with pytest.raises(InputError, match="lies in t, an input"):
            build(tmp_path / output, "new", inputs=[tmp_path / "t"])
    assert value_of(tmp_path / "t") == "old"


def test_a_new_result_may_come_into_a_folder_of_texts(tmp_path) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "gold.key").write_text("mine")
    build(tmp_path / "texts" / "t", "new", inputs=[tmp_path / "texts"])
    build(tmp_path / "texts" / "t", "newer", inputs=[tmp_path / "texts"], overwrite=True)
    with output_file(tmp_path / "texts" / "answers", inputs=[tmp_path / "texts"]) as temporary:
        temporary.touch()
    with pytest.raises(InputError, match="lies in texts, an input"):
        check_output_file(
            tmp_path / "texts" / "gold.key", inputs=[tmp_path / "texts"], overwrite=True
        )
    assert (tmp_path / "texts" / "gold.key").read_text() == "mine"


def test_a_folder_that_files_come_into_may_hold_what_is_read(tmp_path) -> None:
    build(tmp_path / "t", "old")
    check_inputs(tmp_path, [tmp_path / "t"], into=True)
    for place in ("t", "t/kept"):
        with pytest.raises(InputError, match="input"):
            check_inputs(tmp_path / place, [tmp_path / "t"], into=True)


def test_places_where_nothing_can_be_put(tmp_path, monkeypatch) -> None:
    (tmp_path / "file").touch()
    build(tmp_path / "t", "old")
    (tmp_path / "link").symlink_to(tmp_path / "t", target_is_directory=True)
    (tmp_path / "here" / "below").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "here" / "below")
    wrong = {
        tmp_path / "file": "is a file",
        tmp_path / "link": "is a symbolic link",
        Path(): "the folder you are in",
        Path(".."): "the folder you are in",
        Path("/proc"): "a disk is mounted",
    }
    for path, message in wrong.items():
        with pytest.raises(InputError, match=message):
            build(path, "new", overwrite=True)
        with pytest.raises(InputError, match=message):
            check_output(path, "thing", overwrite=True)


def test_a_folder_of_someone_else_where_we_would_build_is_kept(tmp_path) -> None:
    work = building_place(tmp_path / "t")
    work.mkdir()
    (work / "house.plan").touch()
    with pytest.raises(InputError, match=r"is in the way \(it holds house.plan\)"):
        build(tmp_path / "t", "new", overwrite=True)
    assert names(work) == ["house.plan"]


def test_what_came_meanwhile_is_kept_and_so_is_the_work(tmp_path) -> None:
    place = tmp_path / "t"

    def build_slowly() -> None:
        with output_folder(place, "thing", "x") as building:
            write_manifest(building.folder, "thing", 1, {})
            place.mkdir()
            (place / "mine").touch()

    with pytest.raises(InputError, match="not empty"):
        build_slowly()
    assert names(place) == ["mine"]
    assert (building_place(place) / "new" / "manifest.json").exists()


def test_two_runs_at_once_are_noticed(tmp_path) -> None:
    with output_folder(tmp_path / "t", "thing", "one") as building:
        for overwrite in (False, True):
            with pytest.raises(InputError, match=rf"another run \(process {os.getpid()}\)"):
                build(tmp_path / "t", "two", overwrite=overwrite)
        write_manifest(building.folder, "thing", 1, {})
    assert names(tmp_path) == ["t"]


def test_a_lock_dies_with_its_process(tmp_path) -> None:
    script = (
        "import os, sys; from grassmeans.outputs.places import output_folder\n"
        "with output_folder(sys.argv[1], 'thing', 'same') as building:\n"
        "    (building.folder / 'half.txt').write_text('half')\n"
        "    os.kill(os.getpid(), 9)\n"
    )
    subprocess.run([sys.executable, "-c", script, str(tmp_path / "t")], check=False)
    assert (building_place(tmp_path / "t") / "lock").exists()
    build(tmp_path / "t", "whole", identity="same")
    assert (tmp_path / "t" / "half.txt").exists()


def test_a_folder_that_cannot_be_moved_is_explained(tmp_path, monkeypatch) -> None:
    build(tmp_path / "t", "old")

    def refuse(source: Path, target: Path) -> None:
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    with monkeypatch.context() as patch:
        patch.setattr(outputs.os, "rename", refuse)
        with pytest.raises(StorageError, match=r"cannot be moved .* start the same command again"):
            build(tmp_path / "t", "new", overwrite=True)
    assert value_of(tmp_path / "t") == "old"


def run_and_die(action: Callable[[], None], step: int) -> bool:
    """Run in a process that dies before its ``step``-th change of the file system.

    No handler runs then, as with ``kill -9``. Returns whether it came to its end.
    """
    child = os.fork()
    if child == 0:
        left = step

        def count(event: str, arguments: tuple[object, ...]) -> None:
            nonlocal left
            changes = event in {"os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.truncate"}
            if event == "open":
                changes = isinstance(arguments[1], str) and bool(set(arguments[1]) & set("wa"))
            left -= changes
            if left < 0:
                os._exit(KILLED)

        sys.addaudithook(count)
        try:
            action()
        except BaseException:
            os._exit(1)
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, KILLED)
    return code == 0


@pytest.mark.system
@pytest.mark.parametrize("overwrite", [False, True])
def test_a_kill_between_any_two_steps_loses_nothing(tmp_path, overwrite) -> None:
    seen = set()
    for step in range(200):
        folder = tmp_path / str(step)
        place = folder / "t"
        build(place, "old")
        done = run_and_die(lambda: build(place, "new", overwrite=True), step)  # noqa: B023
        kept = place if place.exists() else building_place(place) / "old"
        seen.add((kept.name, value_of(kept)))
        if overwrite:
            build(place, "new", overwrite=True)
            assert value_of(place) == "new"
            assert names(folder) == ["t"]
        else:
            with pytest.raises(InputError, match="exists already"):
                build(place, "new")
            assert value_of(place) == value_of(kept if kept.exists() else place)
        if done:
            break
    assert seen == {("t", "old"), ("old", "old"), ("t", "new")}
    assert step > 15


@pytest.mark.system
def test_a_first_run_that_is_killed_anywhere_can_be_started_again(tmp_path) -> None:
    for step in range(200):
        place = tmp_path / str(step)
        done = run_and_die(lambda: build(place, "new"), step)  # noqa: B023
        if not place.exists():
            build(place, "new")
        assert value_of(place) == "new"
        if done:
            break
    assert step > 12


@pytest.mark.system
def test_a_kill_while_other_work_is_thrown_away(tmp_path) -> None:
    for step in range(200):
        place = tmp_path / str(step)
        stop(place, "one")
        done = run_and_die(lambda: build(place, "two", overwrite=True), step)  # noqa: B023
        build(place, "two", overwrite=True)
        assert value_of(place) == "two"
        assert not building_place(place).exists()
        if done:
            break
    assert step > 15


@pytest.mark.system
def test_an_early_check_finishes_what_a_killed_run_left(tmp_path) -> None:
    place, work = tmp_path / "t", building_place(tmp_path / "t")
    build(place, "old")
    (work / "scratch").mkdir(parents=True)  # killed after the result was put in its place
    with pytest.raises(InputError, match="exists already"):
        check_output(place, "thing")
    assert names(tmp_path) == ["t"]
    work.mkdir()
    place.rename(work / "old")  # killed between the two renames
    with pytest.raises(InputError, match="exists already"):
        check_output(place, "thing")
    assert value_of(place) == "old"
    assert names(tmp_path) == ["t"]


def test_unfinished_work_is_kept_by_an_early_check_and_held_by_its_run(tmp_path) -> None:
    stop(tmp_path / "t", "same")
    check_output(tmp_path / "t", "thing")
    with output_folder(tmp_path / "t", "thing", "same") as building:
        assert names(building.folder) == ["half.txt"]
        with pytest.raises(InputError, match="another run"):
            check_output(tmp_path / "t", "thing")
        write_manifest(building.folder, "thing", 1, {})


def test_finished_parts_leave_nothing_beside_them(tmp_path) -> None:
    stop(tmp_path / "t", "same")
    inside = building_place(tmp_path / "t") / "new"
    build(inside / "part", "whole")
    (building_place(inside / "part") / "scratch").mkdir(parents=True)
    stop(inside / "other", "half")
    with output_folder(tmp_path / "t", "thing", "same") as building:
        # A part that is not finished goes on where it is.
        assert names(building.folder) == [".other.building", "half.txt", "part"]
        build(building.folder / "other", "whole", identity="half")
        (building.folder / "other" / "half.txt").unlink()
        write_manifest(building.folder, "thing", 1, {})
    assert names(tmp_path / "t") == ["checksums.txt", "half.txt", "manifest.json", "other", "part"]


def test_what_is_put_in_its_place_is_on_the_disk_before(tmp_path, monkeypatch) -> None:
    events: list[str] = []
    rename, replace = os.rename, os.replace

    def note_rename(source, target) -> None:
        events.append(f"rename {Path(target).name}")
        rename(source, target)

    def note_replace(source, target) -> None:
        events.append(f"replace {Path(target).name}")
        replace(source, target)

    def note_sync(descriptor: int) -> None:
        events.append("sync " + Path(os.readlink(f"/proc/self/fd/{descriptor}")).name)

    monkeypatch.setattr(os, "rename", note_rename)
    monkeypatch.setattr(os, "replace", note_replace)
    monkeypatch.setattr(os, "fsync", note_sync)
    build(tmp_path / "t", "new")
    first = events.index("replace one.txt")
    assert events[first - 1].startswith("sync one.txt.partial-")
    last = events.index("rename t")
    assert {"sync one.txt", "sync two.txt", "sync new"} <= set(events[:last])
    assert f"sync {tmp_path.name}" in events[last:]
    events.clear()
    with output_file(tmp_path / "f.txt") as temporary:
        temporary.write_bytes(b"x")
    assert [event.partition(".partial")[0] for event in events] == [
        "sync f.txt",
        "replace f.txt",
        f"sync {tmp_path.name}",
    ]


def test_a_half_deleted_old_folder_never_comes_back(tmp_path) -> None:
    place, work = tmp_path / "t", building_place(tmp_path / "t")
    (work / "trash").mkdir(parents=True)
    write_manifest(work / "trash", "thing", 1, {"value": "old"})  # what is left of it
    build(place, "new")
    assert value_of(place) == "new"
    assert names(tmp_path) == ["t"]


def test_the_old_folder_is_not_dropped_for_an_empty_one(tmp_path) -> None:
    place, work = tmp_path / "t", building_place(tmp_path / "t")
    build(place, "old")
    work.mkdir()
    place.rename(work / "old")  # killed between the two renames
    place.mkdir()
    with pytest.raises(InputError, match="exists already"):
        build(place, "new")
    assert value_of(place) == "old"


def test_files_are_replaced_only_when_told(tmp_path) -> None:
    path = tmp_path / "f.txt"
    for text, overwrite in (("one", False), ("two", True)):
        with output_file(path, overwrite=overwrite) as temporary:
            temporary.write_text(text)
        assert path.read_text() == text
    (tmp_path / "link").symlink_to(path)
    wrong = {
        (path, "exists already"): {},
        (path, "is an input"): {"inputs": [tmp_path / "link"], "overwrite": True},
        (tmp_path, "is a folder: name a file"): {"overwrite": True},
        (tmp_path / "x" / "f", "there is no folder"): {},
        (tmp_path / "link", "not an ordinary file"): {"overwrite": True},
    }
    for (place, message), options in wrong.items():
        with pytest.raises(InputError, match=message), output_file(place, **options):
            pass
    assert path.read_text() == "two"


@pytest.mark.system
@pytest.mark.parametrize("deep", ["f.txt", "t"])
def test_a_kill_leaves_nothing_that_the_next_start_does_not_clean(tmp_path, deep) -> None:
    """At each step of the writing of a file or a folder."""

    def write() -> None:
        if deep == "t":
            build(tmp_path / "t", "new", overwrite=True)
        else:
            with output_file(tmp_path / deep, overwrite=True) as temporary:
                temporary.write_text("new")

    for step in range(200):
        done = run_and_die(write, step)
        write()
        assert names(tmp_path) == [deep]
        if done:
            break
    assert step > 1


def test_dead_work_of_any_name_is_cleaned(tmp_path) -> None:
    def begin() -> None:
        with output_folder(tmp_path / "anonymous", "thing") as building:
            (building.folder / "half.txt").write_text("half")
            os._exit(KILLED)

    assert not run_and_die(begin, 10**6)
    build(tmp_path / "finished", "whole")
    for name in ("finished", "mine", "empty"):
        building_place(tmp_path / name).mkdir()
    (building_place(tmp_path / "finished") / "lock").touch()  # killed after it came to its place
    (building_place(tmp_path / "mine") / "house.plan").touch()
    stop(tmp_path / "resumable", "same")
    with output_folder(tmp_path / "running", "thing") as building:
        remove_dead_work(tmp_path)
        left = {path.name for path in tmp_path.glob(".*")}
        write_manifest(building.folder, "thing", 1, {})
    assert left == {".mine.building", ".empty.building", ".resumable.building", ".running.building"}
    assert value_of(tmp_path / "finished") == "whole"


def test_temporary_files_of_dead_processes_are_cleaned(tmp_path) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    for process in (dead.pid, os.getpid()):
        (tmp_path / f"f.txt.partial-{process}-ab12").touch()
    with output_file(tmp_path / "f.txt") as temporary:
        temporary.touch()
    assert names(tmp_path) == ["f.txt", f"f.txt.partial-{os.getpid()}-ab12"]


def rename_as_windows(source: Path, target: Path) -> None:
    if Path(target).exists():
        raise FileExistsError(target)
    os.rename(source, target)


def test_on_windows_an_empty_folder_makes_way_and_no_process_is_asked_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    windows = SimpleNamespace(
        name="nt", rename=rename_as_windows, kill=lambda number, _: asked.append(number)
    )
    monkeypatch.setattr(outputs, "os", windows)
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "words.txt").write_text("crane")
    (tmp_path / "model").mkdir()
    outputs._move(tmp_path / "new", tmp_path / "model")
    assert (tmp_path / "model" / "words.txt").read_text() == "crane"
    left = tmp_path / f"page.html{TEMPORARY}99999-ab12"
    left.touch()
    outputs.remove_leftovers([left])
    assert left.exists()
    assert asked == []
