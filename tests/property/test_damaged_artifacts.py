"""Damaged artifacts, through every reader: one line that names the file, or the same answer.

``TORTURE=n`` makes n times as many examples.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from damage import make_old
from grassmeans.artifacts.digests import find_damage
from grassmeans.errors import ArtifactError, GrassmeansError
from small_artifacts import ANSWERS, make_artifacts

EXAMPLES = settings(
    max_examples=25 * int(os.environ.get("TORTURE", "1")),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
STRANGE = [None, True, -1, 0, 10**12, 10**30, 1.5, float("nan"), float("inf"), "x", "", [], {}]
STRANGE += [[{}], [[]], {"kind": "x"}, "\ud800", "n" * 200]


@pytest.fixture(scope="module")
def artifacts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return make_artifacts(tmp_path_factory.mktemp("sound"))


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Others of the same kinds and shapes."""
    return make_artifacts(tmp_path_factory.mktemp("twins"), seed=1)


@pytest.fixture(scope="module")
def old_artifacts(artifacts, tmp_path_factory) -> dict[str, Path]:
    """The same, as earlier releases wrote them."""
    folder = tmp_path_factory.mktemp("old") / "all"
    shutil.copytree(artifacts["corpus"].parent, folder)
    make_old(folder)
    return {kind: folder / kind for kind in artifacts}


@pytest.fixture(scope="module")
def answers(artifacts) -> dict[str, Any]:
    return {kind: ANSWERS[kind](artifacts[kind]) for kind in artifacts}


def files_of(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


@contextmanager
def replaced(path: Path, content: bytes) -> Iterator[None]:
    """Have other content in a file; by another file, because the old one may be mapped."""
    before = path.read_bytes()
    put(path, content)
    try:
        yield
    finally:
        put(path, before)


def put(path: Path, content: bytes) -> None:
    temporary = path.with_name(path.name + ".new")
    temporary.write_bytes(content)
    os.replace(temporary, path)


@st.composite
def damages(draw: st.DrawFn) -> Any:
    """A function from sound bytes to damaged ones."""
    place, value, length = draw(st.floats(0, 1)), draw(st.integers(1, 255)), draw(st.integers(1, 9))
    kind = draw(st.sampled_from(["flip", "cut", "grow", "blank", "noise", "empty"]))
    noise = draw(st.binary(min_size=length, max_size=length))

    def damage(content: bytes) -> bytes:
        at = min(int(place * len(content)), max(len(content) - 1, 0))
        if kind == "flip" and content:
            return content[:at] + bytes([content[at] ^ value]) + content[at + 1 :]
        if kind == "cut":
            return content[:at]
        if kind == "grow":
            return content + noise
        if kind in ("blank", "noise"):
            other = b"\0" * length if kind == "blank" else noise
            return content[:at] + other + content[at + length :]
        return b""

    return damage


def ask(kind: str, folder: Path) -> tuple[Any, GrassmeansError | None]:
    """What an artifact answers, or its error; nothing else may end it."""
    try:
        return ANSWERS[kind](folder), None
    except GrassmeansError as error:
        return None, error


@pytest.mark.parametrize("kind", ANSWERS)
@EXAMPLES
@given(data=st.data())
def test_damage_is_named_or_changes_nothing(kind, artifacts, answers, data) -> None:
    folder = artifacts[kind]
    path = data.draw(st.sampled_from(files_of(folder)))
    content = data.draw(damages())(path.read_bytes())
    with replaced(path, content):
        answer, error = ask(kind, folder)
    if error is None:
        assert answer == answers[kind]
    else:
        assert isinstance(error, ArtifactError)
        assert str(folder) in str(error)
        assert "\n" not in str(error)


@pytest.mark.parametrize("kind", ANSWERS)
@EXAMPLES
@given(data=st.data())
def test_without_digests_damage_never_ends_in_anything_but_an_error(
    kind, old_artifacts, data
) -> None:
    folder = old_artifacts[kind]
    path = data.draw(st.sampled_from(files_of(folder)))
    with replaced(path, data.draw(damages())(path.read_bytes())):
        _, error = ask(kind, folder)
    assert error is None or "\n" not in str(error)


@contextmanager
def moved_away(path: Path, put_instead: Callable[[], object]) -> Iterator[None]:
    """Have something else in the place of a file or a folder, or nothing."""
    aside = path.with_name(path.name + ".aside")
    kept = Path(shutil.move(path, aside.parent.parent / aside.name))
    try:
        put_instead()
        yield
    finally:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
        shutil.move(kept, path)


@pytest.mark.parametrize("kind", ANSWERS)
@EXAMPLES
@given(data=st.data())
def test_a_part_that_is_no_file_any_more_is_named(kind, artifacts, data) -> None:
    folder = artifacts[kind]
    path = data.draw(st.sampled_from(files_of(folder)))
    how = data.draw(st.sampled_from(["gone", "pipe", "endless", "loop", "folder"]))
    put_instead = {
        "gone": lambda: None,
        "pipe": lambda: os.mkfifo(path),
        "endless": lambda: path.symlink_to("/dev/zero"),
        "loop": lambda: path.symlink_to(path.name),
        "folder": path.mkdir,
    }[how]
    with moved_away(path, put_instead):
        _, error = ask(kind, folder)
        try:
            found = find_damage(folder)[0]
        except ArtifactError as verified:
            found = [str(verified)]
    assert isinstance(error, ArtifactError)
    assert str(folder) in str(error)
    assert "\n" not in str(error)
    # A folder whose own manifest is gone is no artifact, and holds nothing that could be verified.
    assert found or path == folder / "manifest.json"


@pytest.mark.parametrize("kind", ANSWERS)
@EXAMPLES
@given(data=st.data())
def test_a_part_of_a_twin_is_named_or_the_same(kind, artifacts, twins, answers, data) -> None:
    folder = artifacts[kind]
    inner = sorted(path.parent for path in folder.rglob("manifest.json") if path.parent != folder)
    path = data.draw(st.sampled_from([*inner, *files_of(folder)]))
    other = twins[kind] / path.relative_to(folder)
    copy = shutil.copytree if other.is_dir() else shutil.copyfile
    with moved_away(path, lambda: copy(other, path)):
        answer, error = ask(kind, folder)
        found = find_damage(folder)[0]
    if error is None:
        assert answer == answers[kind]
    else:
        assert isinstance(error, ArtifactError)
        assert str(folder) in str(error)
        assert "\n" not in str(error)
        assert found


def edit_value(values: Any, draw: Any) -> Any:
    """Replace or remove one value somewhere among plain values."""
    if isinstance(values, dict | list) and values and draw(st.integers(0, 4)):
        keys = list(values) if isinstance(values, dict) else range(len(values))
        key = draw(st.sampled_from(keys))
        if draw(st.integers(0, 5)) == 0:
            del values[key]
        else:
            values[key] = edit_value(values[key], draw)
        return values
    return draw(st.sampled_from(STRANGE))


@pytest.mark.parametrize("kind", ANSWERS)
@EXAMPLES
@given(data=st.data())
def test_edited_values_end_in_an_error_or_an_answer(kind, old_artifacts, data) -> None:
    folder = old_artifacts[kind]
    texts = [path for path in files_of(folder) if path.suffix == ".json"]
    path = data.draw(st.sampled_from(texts))
    edited = edit_value(json.loads(path.read_text()), data.draw)
    with replaced(path, json.dumps(edited).encode()):
        _, error = ask(kind, folder)
    assert error is None or "\n" not in str(error)


@pytest.mark.parametrize("kind", ANSWERS)
@EXAMPLES
@given(data=st.data())
def test_every_changed_byte_is_found_by_verifying(kind, artifacts, data) -> None:
    folder = artifacts[kind]
    heads = ("manifest.json", "checksums.txt")
    path = data.draw(st.sampled_from([p for p in files_of(folder) if p.name not in heads]))
    before = path.read_bytes()
    content = data.draw(damages())(before)
    with replaced(path, content):
        problems, n_compared, _ = find_damage(folder)
    assert n_compared > 0
    assert problems == ([] if content == before else [f"{path} is not what was written"])
