from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from damage import edit_manifest, make_old
from grassmeans.errors import ArtifactError, UnknownWordError
from grassmeans.senses import compact_inventory
from grassmeans.senses.compact_inventory import shorten_entry, write_compact_inventory
from grassmeans.senses.entries import ExampleLine, Sense, SkippedWord, WordSenses
from grassmeans.senses.inventory import SenseInventory

BLOCK = compact_inventory._BLOCK_WORDS
N_WORDS = 2 * BLOCK + 22  # more than two blocks


def make_entry(number: int) -> WordSenses:
    n_senses = 1 + number % 3
    rows = np.random.default_rng(number).standard_normal((n_senses, 5)).astype(np.float32)
    senses = tuple(
        Sense(k + 1, 1 / n_senses, 0.5, (f"near{number}", "word"), (), ()) for k in range(n_senses)
    )
    directions = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return WordSenses(f"word{number}", 100 + number, 90, directions, senses)


@pytest.fixture
def inventory() -> SenseInventory:
    skipped = [SkippedWord("rare", "has 2 contexts")]
    return SenseInventory([make_entry(number) for number in range(N_WORDS)], skipped)


@pytest.fixture
def folder(inventory: SenseInventory, tmp_path: Path) -> Path:
    write_compact_inventory(tmp_path / "inventory", inventory.to_compact(), bits=8)
    return tmp_path / "inventory"


def test_everything_comes_back(inventory: SenseInventory, folder: Path) -> None:
    loaded = SenseInventory.load(folder)

    assert loaded.words == inventory.words
    assert loaded.skipped == inventory.skipped
    assert dict(loaded.sense_counts) == dict(inventory.sense_counts)
    for word in ("word0", f"word{BLOCK - 1}", f"word{BLOCK}", f"word{N_WORDS - 1}"):
        assert loaded[word].senses == inventory[word].senses
        assert loaded[word].count == inventory[word].count
        # 8 bits: largest number of a unit vector at most 1, half a scale at most 1 / 255
        np.testing.assert_allclose(
            loaded.directions(word), inventory.directions(word), atol=1 / 255 + 1e-6
        )
    with pytest.raises(UnknownWordError, match="it has 2 contexts"):
        loaded["rare"]


def test_names_are_read_block_by_block(tmp_path: Path, monkeypatch) -> None:
    entries = [
        replace(
            entry, senses=tuple(replace(s, name=f"{entry.word} {s.number}") for s in entry.senses)
        )
        for entry in map(make_entry, range(N_WORDS))
    ]
    write_compact_inventory(tmp_path / "i", SenseInventory(entries).to_compact(), bits=8)
    loaded = SenseInventory.load(tmp_path / "i")
    unpacked = []
    unpack = compact_inventory._decompress
    monkeypatch.setattr(
        compact_inventory, "_decompress", lambda *given: unpacked.append(1) or unpack(*given)
    )
    # In an order in which every word lies in another block than the one before.
    for number in [*range(0, N_WORDS, BLOCK), *range(N_WORDS)]:
        n_senses = 1 + number % 3
        assert loaded.name_of(f"word{number}", n_senses) == f"word{number} {n_senses}"
        assert loaded.name_of(f"word{number}", 0) == ""
    assert len(unpacked) == 3
    with pytest.raises(UnknownWordError):
        loaded.name_of("nothing", 1)


def test_a_compact_inventory_can_be_saved_as_a_plain_one(folder: Path, tmp_path: Path) -> None:
    loaded = SenseInventory.load(folder)

    loaded.save(tmp_path / "plain")

    plain = SenseInventory.load(tmp_path / "plain")
    assert plain["word70"].senses == loaded["word70"].senses
    np.testing.assert_array_equal(plain.directions("word70"), loaded.directions("word70"))


def test_no_words(tmp_path: Path) -> None:
    write_compact_inventory(tmp_path / "none", SenseInventory([]).to_compact(), bits=4)

    assert len(SenseInventory.load(tmp_path / "none")) == 0


def test_damaged_entries_are_told_when_they_are_read(folder: Path) -> None:
    path = folder / "entries.zst"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF  # in the second of three blocks
    path.write_bytes(content)

    loaded = SenseInventory.load(make_old(folder))

    assert loaded["word0"].word == "word0"
    with pytest.raises(ArtifactError, match=r"entries\.zst is truncated or damaged"):
        loaded[f"word{BLOCK + 6}"]


@pytest.mark.parametrize(
    "name", ["entries.zst", "entry_blocks.npy", "sense_counts.npy", "skipped.tsv.zst", "words.txt"]
)
def test_cut_files(folder: Path, name: str) -> None:
    path = folder / name
    path.write_bytes(path.read_bytes()[:-3])

    with pytest.raises(ArtifactError, match="truncated or damaged"):
        SenseInventory.load(folder)


@pytest.mark.parametrize("name", ["entries.zst", "codes.npy", "words.txt", "skipped.tsv.zst"])
def test_missing_files(folder: Path, name: str) -> None:
    (folder / name).unlink()

    with pytest.raises(ArtifactError, match="is missing"):
        SenseInventory.load(folder)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format_version": 9}, "has format version 9, this release reads version 1"),
        ({"n_words": 149}, "truncated or damaged"),
        ({"dim": None}, "truncated or damaged"),
        ({"block_words": 0}, "truncated or damaged"),
    ],
)
def test_damaged_manifest(folder: Path, changes: dict[str, object], message: str) -> None:
    edit_manifest(folder, **changes)

    with pytest.raises(ArtifactError, match=message):
        SenseInventory.load(folder)


def test_entries_are_shortened_between_words() -> None:
    example = ExampleLine("the tall yellow ", "crane", " lifted steel beams", "Harbour", 0.123456)
    sense = {
        "number": 1,
        "share": 0.66666666,
        "characteristic_words": ["steel"],
        "nearest_words": ["hoist"],
        "examples": [
            {name: getattr(example, name) for name in ExampleLine.__slots__},
            {"left": "", "word": "x", "right": "", "document": "", "distance": 1.0},
        ],
    }
    line = json.dumps({"word": "crane", "count": 3, "senses": [sense]}).encode()

    short = shorten_entry(line, examples=1, example_width=10)

    assert short["count"] == 3
    assert short["senses"][0]["share"] == 0.6667
    assert short["senses"][0]["nearest_words"] == []
    assert short["senses"][0]["examples"] == [
        {
            "left": "…yellow ",
            "word": "crane",
            "right": " lifted…",
            "document": "Harbour",
            "distance": 0.1235,
        }
    ]
