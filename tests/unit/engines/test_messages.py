from __future__ import annotations

import pickle
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import numba
import numpy as np
import pytest
import scipy

pytest.importorskip("cloudpickle", reason="needs the extra cluster")

from grassmeans.artifacts.writing import write_bytes
from grassmeans.engines import messages
from grassmeans.engines.messages import (
    Packer,
    Place,
    answer,
    describe_software,
    digest_of_code,
    refuse_other_software,
)
from grassmeans.errors import EngineError, InputError, MissingExtraError, StorageError
from grassmeans.version import __version__


@dataclass
class Holder:
    """Something that tasks have in common."""

    values: np.ndarray


def add_up(number: int, holder: Holder) -> tuple[float, str, int]:
    return number + float(holder.values.sum()), type(holder.values).__name__, id(holder)


def test_arrays_lie_in_the_shared_folder_and_not_in_the_message(tmp_path: Path) -> None:
    packer = Packer(Place.prepare(tmp_path))
    holder = Holder(np.arange(100_000.0))
    message = packer.pack(add_up, (3, holder))
    assert message.n_bytes < 2_000
    assert len(list((tmp_path / "arrays").iterdir())) == 1
    total, kind, _ = answer(message)
    assert total == 3 + 99_999 * 100_000 / 2
    assert kind == "memmap"


def test_without_a_shared_folder_arrays_go_along() -> None:
    message = Packer(None).pack(add_up, (3, Holder(np.ones(50_000))))
    assert message.n_bytes > 400_000
    assert answer(message)[0] == 50_003.0


def test_what_tasks_have_in_common_is_opened_once(tmp_path: Path) -> None:
    packer = Packer(Place.prepare(tmp_path))
    holder = Holder(np.ones(4))
    first, second = (answer(packer.pack(add_up, (n, holder))) for n in (1, 2))
    assert (first[0], second[0]) == (5.0, 6.0)
    assert first[2] == second[2] != id(holder)


def fail() -> None:
    raise MissingExtraError("torch", "encoder", "learning")


def test_an_error_for_people_comes_back_as_it_was() -> None:
    given = answer(Packer(None).pack(fail, ()))
    assert isinstance(given, MissingExtraError)
    assert "learning needs the package 'torch'" in str(given)
    again = pickle.loads(pickle.dumps(given))
    assert (str(again), again.extra) == (str(given), "encoder")


def test_a_defect_is_no_answer() -> None:
    with pytest.raises(ZeroDivisionError):
        answer(Packer(None).pack(divmod, (1, 0)))


def test_a_worker_that_does_not_see_the_folder_says_so(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(messages, "TOKEN_SECONDS", 0.0)
    place = Place.prepare(tmp_path / "here")
    message = Packer(place).pack(divmod, (7, 2))
    place.fence.write_text("somebody else's")
    given = answer(message)
    assert isinstance(given, EngineError)
    assert re.search(r"does not see .*here: all workers need the folders", str(given))


@pytest.mark.parametrize("name", ["grassmeans", "Python", "numpy", "scipy", "numba"])
def test_other_software_on_a_worker_is_refused(name: str, monkeypatch) -> None:
    message = Packer(None).pack(divmod, (7, 2))
    there = message.software | {name: "0.0.1"}
    monkeypatch.setattr(messages, "describe_software", lambda: there)
    told = rf"the worker on .* has {name} 0\.0\.1 in place of [^,]*: .* install the same everywhere"
    given = answer(message)
    assert isinstance(given, EngineError)
    assert re.search(told, str(given))


def write_after(place: Path, target: Path) -> None:
    """A task that is still at work when another run begins in the same folder."""
    Place.prepare(place)
    write_bytes(target, b"late")


def test_a_task_whose_run_has_ended_changes_nothing(tmp_path: Path) -> None:
    target = tmp_path / "result"
    target.write_bytes(b"new")
    message = Packer(Place.prepare(tmp_path)).pack(write_after, (tmp_path, target))
    given = answer(message)
    assert isinstance(given, StorageError)
    assert re.search("has ended", str(given))
    assert target.read_bytes() == b"new"
    assert {path.name for path in tmp_path.iterdir() if not path.name.startswith(".")} == {"result"}


def refuse() -> None:
    raise InputError("no")


def test_answers_hold_results_or_errors() -> None:
    assert answer(Packer(None).pack(divmod, (7, 2))) == (3, 1)
    assert isinstance(answer(Packer(None).pack(refuse, ())), InputError)


def test_everything_that_results_depend_on_is_told() -> None:
    found = dict(describe_software())
    assert found.pop("grassmeans").startswith(f"{__version__} (code ")
    assert found == {
        "Python": f"{sys.version_info.major}.{sys.version_info.minor}",
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "numba": numba.__version__,
    }


@pytest.fixture
def package(tmp_path: Path) -> Path:
    (tmp_path / "kernels").mkdir()
    (tmp_path / "one.py").write_text("ONE = 1")
    (tmp_path / "kernels" / "two.cu").write_text("two")
    return tmp_path


def test_a_digest_is_of_code_alone(package: Path) -> None:
    before = digest_of_code(package)
    (package / "note.txt").write_text("no code")
    assert digest_of_code(package) == before


@pytest.mark.parametrize(
    "change",
    [
        lambda package: (package / "one.py").write_text("ONE = 2"),
        lambda package: (package / "kernels" / "two.cu").write_text("three"),
        lambda package: (package / "one.py").rename(package / "kernels" / "one.py"),
        lambda package: (package / "kernels" / "empty.py").write_text(""),
    ],
)
def test_a_digest_changes_with_code_and_its_place(change, package: Path) -> None:
    before = digest_of_code(package)
    change(package)
    assert digest_of_code(package) != before


def test_differences_are_told_in_words() -> None:
    here = {"grassmeans": "1 (code a)", "numpy": "2.0", "numba": "0.60"}
    refuse_other_software("a", here, here)
    there = here | {"grassmeans": "1 (code b)", "numba": "0.61"}
    told = "grassmeans 1 (code b) in place of 1 (code a), numba 0.61 in place of 0.60:"
    with pytest.raises(EngineError, match=re.escape(told)):
        refuse_other_software("a", there, here)
