"""Cases of damage that were found by hand: each ends in one line that names the file."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from damage import edit_manifest, make_old
from grassmeans.artifacts.digests import find_damage
from grassmeans.artifacts.writing import read_manifest
from grassmeans.cli.main import app
from grassmeans.errors import ArtifactError
from grassmeans.models.places import installed_folder
from small_artifacts import ANSWERS, make_artifacts


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sound")
    make_artifacts(folder)
    return folder


@pytest.fixture(scope="module")
def twin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Artifacts of the same kinds and shapes, and with other numbers."""
    folder = tmp_path_factory.mktemp("twin")
    make_artifacts(folder, seed=1)
    return folder


@pytest.fixture
def old(sound: Path, tmp_path: Path) -> Path:
    """A copy without digests: what is left are the checks of shapes, types, bounds and order."""
    for kind in ("corpus", "model"):
        shutil.copytree(sound / kind, tmp_path / "old" / kind)
    return make_old(tmp_path / "old")


def change_context(**changes: Any) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        about = json.loads((folder / "manifest.json").read_text())["context"]
        edit_manifest(folder, context=about | changes)

    return change


def change(**changes: Any) -> Callable[[Path], None]:
    return lambda folder: edit_manifest(folder, **changes)


def change_array(name: str, edit: Callable[[np.ndarray], np.ndarray]) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        found = np.load(folder / name)
        (folder / name).unlink()  # it may be shared with another artifact
        np.save(folder / name, edit(found.copy()))

    return write


def drop(part: str, field: str) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        path = folder / part / "manifest.json"
        fields = json.loads(path.read_text())
        del fields[field]
        path.write_text(json.dumps(fields))

    return write


def put(name: str, content: bytes) -> Callable[[Path], None]:
    def write(folder: Path) -> None:
        (folder / name).unlink()
        (folder / name).write_bytes(content)

    return write


def set_last(value: float) -> Callable[[np.ndarray], np.ndarray]:
    def edit(array: np.ndarray) -> np.ndarray:
        array.reshape(-1)[-1] = value
        return array

    return edit


def claim(shape: str, kind: str = "<i4") -> bytes:
    """An array file whose header claims a shape, with no numbers behind it."""
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (63 - (10 + len(header)) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header


SHARD = "shards/00000/"
CASES: list[tuple[str, Callable[[Path], None], str]] = [
    ("model", change_context(window=-1), "manifest.json"),
    ("model", change_context(window=10**12), "manifest.json"),
    ("model", change_context(window="x"), "manifest.json"),
    ("model", change_context(rank=0), "manifest.json"),
    ("model", change_context(rank=10**9), "manifest.json"),
    ("model", change_context(weighting="heavy"), "manifest.json"),
    ("model", change_context(drop_repeats="x"), "manifest.json"),
    ("model", change(idk_threshold="abc"), "manifest.json"),
    ("model", change(idk_threshold=7), "manifest.json"),
    ("model", change(answer_curve={"intercept": 1}), "manifest.json"),
    ("learned", change(answer_curve={"intercept": 10**400, "log_margin": 1}), "manifest.json"),
    ("model", change(settings={"n_init": "x"}), "manifest.json"),
    ("model", change(tokenizer=[]), "manifest.json"),
    ("model", change(tokenizer={"max_token_length": "x"}), "manifest.json"),
    ("model", change(tokenizer={"underscores": []}), "manifest.json"),
    ("model", change(tokenizer={"phrases": 3}), "manifest.json"),
    ("model", change(tokenizer={"phrases": [3]}), "manifest.json"),
    ("model", change(context=None), "manifest.json"),
    ("model", put("function_words.txt", b"the\n\xff"), "function_words.txt"),
    ("model", put("inventory/words.txt", b"crane\n\xff\xfe"), "words.txt"),
    ("model", put("inventory/words.txt", b"crane\ncrane"), "words.txt"),
    ("model", put("inventory/skipped.tsv", b"no reason\n"), "skipped.tsv"),
    ("model", change_array("inventory/directions.npy", lambda a: a[:, :-1]), "inventory"),
    ("model", change_array("inventory/directions.npy", set_last(np.nan)), "inventory"),
    ("model", change_array("inventory/directions.npy", lambda a: a.astype(">f4")), "directions"),
    ("model", change_array("inventory/sense_offsets.npy", set_last(9)), "sense_offsets.npy"),
    ("model", change_array("inventory/sense_offsets.npy", lambda a: a[::-1]), "sense_offsets.npy"),
    ("vectors", change(dim="x"), "manifest.json"),
    ("vectors", change(n_words=-3), "manifest.json"),
    ("vectors", put("vectors.npy", claim("(1000000000000000, 8)", "<f4")), "vectors.npy"),
    ("vectors", put("vectors.npy", claim("(5, 8)", "<f1")), "vectors.npy"),
    ("vectors", put("words.txt", b"\xff\n" * 5), "words.txt"),
    ("compact vectors", change(quantised={"bits": 3, "digest": ""}), "manifest.json"),
    ("compact inventory", change(block_words=0), "manifest.json"),
    ("compact inventory", change(n_directions=5), "sense_counts.npy"),
    ("learned", put("encoder/weights.safetensors", b"\xff" * 64), "weights.safetensors"),
    ("learned", drop("encoder", "n_axes"), "manifest.json"),
    ("learned", drop("encoder", "word_bits"), "manifest.json"),
    ("corpus", change(shards=[]), "manifest.json"),
    ("corpus", change(shards=[{}]), "manifest.json"),
    ("corpus", change(options={}), "manifest.json"),
    ("corpus", change(n_types=3), "counts.npy"),
    ("corpus", change_array(SHARD + "tokens.npy", lambda a: a[:-1]), "tokens.npy"),
    ("corpus", change_array(SHARD + "tokens.npy", set_last(10**6)), "tokens.npy"),
    ("corpus", change_array(SHARD + "tokens.npy", set_last(-2)), "tokens.npy"),
    ("corpus", put(SHARD + "tokens.npy", claim("(1000000000000000,)")), "tokens.npy"),
    ("corpus", change_array(SHARD + "documents.npy", lambda a: a[::-1]), "documents.npy"),
    ("corpus", change_array(SHARD + "documents.npy", lambda a: a + 1), "documents.npy"),
    ("corpus", change_array(SHARD + "text_offsets.npy", set_last(10**9)), "text_offsets.npy"),
    ("corpus", change_array(SHARD + "anchors.npy", set_last(10**9)), "anchors.npy"),
    (
        "corpus",
        change_array(SHARD + "index_positions.npy", lambda a: a + 10**6),
        "index_positions.npy",
    ),
    ("corpus", change_array(SHARD + "index_offsets.npy", set_last(10**9)), "index_offsets.npy"),
    ("corpus", change_array(SHARD + "index_words.npy", lambda a: a[::-1]), "index_words.npy"),
    ("corpus", put(SHARD + "metadata.jsonl", b'["1"]'), "metadata.jsonl"),
    ("corpus", put("words.txt", b"\xff\xfe"), "words.txt"),
    ("corpus", change_array("counts.npy", lambda a: a[::-1]), "counts.npy"),
    ("labelled", change(labelled={}), "manifest.json"),
    ("labelled", change_array("sense_counts.npy", lambda a: a + 1), "sense_distances.npy"),
    ("labelled", change_array(SHARD + "sense_positions.npy", lambda a: a[::-1]), "positions.npy"),
    ("labelled", change_array(SHARD + "sense_distances.npy", set_last(9)), "sense_distances.npy"),
]


@pytest.mark.parametrize(("kind", "damage", "file"), CASES)
def test_damage_is_one_line_that_names_the_file(sound, tmp_path, kind, damage, file) -> None:
    folder = make_old(Path(shutil.copytree(sound / kind, tmp_path / kind)))
    (tmp_path / "corpus").exists() or (tmp_path / "corpus").symlink_to(sound / "corpus")
    ANSWERS[kind](folder)
    damage(folder)
    with pytest.raises(ArtifactError) as told:
        ANSWERS[kind](folder)
    assert str(folder) in str(told.value)
    assert file in str(told.value)
    assert "\n" not in str(told.value)


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    code = "from grassmeans.cli.main import run; run()"
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_shortened_corpus_ends_labelling_with_one_line(old: Path, tmp_path: Path) -> None:
    change_array(SHARD + "tokens.npy", lambda a: a[:-1])(old / "corpus")
    done = run("label", old / "corpus", old / "model", "-o", tmp_path / "out", "-j", 2)
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
    assert "tokens.npy is truncated or damaged" in done.stderr
    assert not (tmp_path / "out").exists()


def test_verifying_tells_sound_from_damaged_and_old(sound: Path, old: Path, tmp_path) -> None:
    from typer.testing import CliRunner

    def verify(folder: Path) -> Any:
        return CliRunner().invoke(app, ["info", str(folder), "--verify"])

    told = json.loads(verify(sound / "model").output)["verified"]
    # Function words, six files of the inventory; words, counts and numbers of the vectors.
    assert told == "10 files are what was written"
    assert "10 have no digest" in json.loads(verify(old / "model").output)["verified"]
    copy = Path(shutil.copytree(sound / "model", tmp_path / "copy"))
    path = copy / "vectors" / "vectors.npy"
    path.write_bytes(path.read_bytes()[:-1] + b"\x00")
    error = verify(copy).exception
    assert isinstance(error, ArtifactError)
    assert f"{path} is not what was written" in str(error)
    edit_manifest(copy / "vectors", sealed=True, window=7)
    told = str(verify(copy).exception)
    assert f"{copy / 'vectors' / 'manifest.json'} is not the one that {copy}" in told
    assert "manifest.json was changed" in str(verify(copy / "vectors").exception)


def exchange(part: str) -> Callable[[Path, Path], None]:
    def put_twin(folder: Path, twin: Path) -> None:
        remove(part)(folder, twin)
        copy = shutil.copytree if (twin / part).is_dir() else shutil.copyfile
        copy(twin / part, folder / part)

    return put_twin


def remove(part: str) -> Callable[[Path, Path], None]:
    def take(folder: Path, _: Path) -> None:
        shutil.rmtree(folder / part) if (folder / part).is_dir() else (folder / part).unlink()

    return take


def block(part: str, place: str | None = None) -> Callable[[Path, Path], None]:
    """A pipe in the place of a file, or a link."""

    def put_pipe(folder: Path, _: Path) -> None:
        (folder / part).unlink()
        os.mkfifo(folder / part) if place is None else (folder / part).symlink_to(place)

    return put_pipe


EXCHANGED: list[tuple[str, Callable[[Path, Path], None], str]] = [
    ("model", exchange("vectors"), "vectors/manifest.json is not the one"),
    ("model", exchange("manifest.json"), "is not the one"),
    ("model", exchange("checksums.txt"), "checksums.txt is not the one"),
    ("compact learned", exchange("inventory"), "inventory/manifest.json is not the one"),
    ("compact learned", exchange("encoder"), "encoder/manifest.json is not the one"),
    ("model", remove("vectors"), "vectors/manifest.json is missing"),
    ("model", remove("checksums.txt"), "checksums.txt is missing"),
    ("model", block("inventory/words.txt"), "words.txt is no regular file"),
    ("model", block("manifest.json"), "manifest.json is no regular file"),
    ("model", block("vectors/manifest.json", "/dev/zero"), "manifest.json is no regular file"),
    ("model", block("checksums.txt", "/dev/zero"), "checksums.txt is no regular file"),
    ("learned", block("encoder/weights.safetensors"), "weights.safetensors is no regular file"),
    ("corpus", remove("function_words.txt"), "function_words.txt is missing"),
    ("corpus", remove(SHARD + "metadata.jsonl"), "metadata.jsonl is missing"),
    ("corpus", block(SHARD + "tokens.npy", "/dev/zero"), "tokens.npy is no regular file"),
]


@pytest.mark.parametrize(("kind", "damage", "told"), EXCHANGED)
def test_a_part_that_is_another_or_no_file_is_told_when_opening(
    sound, twin, tmp_path, kind, damage, told
) -> None:
    folder = Path(shutil.copytree(sound / kind, tmp_path / kind))
    (tmp_path / "corpus").exists() or (tmp_path / "corpus").symlink_to(sound / "corpus")
    damage(folder, twin / kind)
    with pytest.raises(ArtifactError, match=told):
        ANSWERS[kind](folder)


def test_commands_tell_of_exchanged_parts_in_one_line(sound, twin, tmp_path) -> None:
    folder = Path(shutil.copytree(sound / "model", tmp_path / "model"))
    exchange("vectors")(folder, twin / "model")
    for command in (
        ["info", folder, "--verify"],
        ["show", folder, "crane"],
        ["similar", folder, "x"],
    ):
        done = run(*command)
        assert (done.returncode, done.stdout) == (2, "")
        assert len(done.stderr.strip().splitlines()) == 1
        assert "vectors/manifest.json is not the one" in done.stderr


def test_the_model_of_the_package_is_whole() -> None:
    place = installed_folder("en")
    if not place.exists():
        pytest.skip("the package was built without its model")
    assert "parts" in read_manifest(place)
    assert find_damage(place)[0] == []


def test_an_edited_manifest_is_noticed(sound: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(sound / "vectors", tmp_path / "copy"))
    edit_manifest(copy, sealed=True, window=7)
    with pytest.raises(ArtifactError, match=r"manifest\.json was changed after it was written"):
        ANSWERS["vectors"](copy)
    edit_manifest(copy, window=7)  # who means it takes the digest out
    ANSWERS["vectors"](copy)


def test_sha256sum_reads_the_list(sound: Path) -> None:
    if shutil.which("sha256sum") is None:
        pytest.skip("sha256sum is not installed")
    command = ["sha256sum", "--check", "--strict", "checksums.txt"]
    done = subprocess.run(command, cwd=sound / "corpus", capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
