"""Damaged artifacts, through every reader: one line that names the file, or the same answer.

``TORTURE=n`` makes n times as many examples.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from damage import make_old
from grassmeans.artifacts.checking import find_damage
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
