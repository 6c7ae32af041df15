"""A new user's first hour: a folder of mixed files, a CSV file and a list of strings."""

from __future__ import annotations

import csv
import gzip
import json
import re
import subprocess
import sys
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path

import pytest

import grassmeans

COMMAND = [sys.executable, "-c", "from grassmeans.cli.main import run; run()"]
# Words of a paragraph that tell one of the two senses of each word.
SENSES = {
    "crane": {"nest", "wings", "reeds", "flock", "marsh", "feathers"},
    "bank": {"money", "loan", "coins", "teller", "vault", "savings", "credit"},
    "bass": {"fish", "net", "angler", "caught", "lemon", "butter", "scales", "hook"},
}
TOWN = files("grassmeans.corpus").joinpath("data", "demo", "town.txt")
PARAGRAPHS = TOWN.read_text("utf-8").strip().split("\n\n")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Texts of one's own in every shape, beside something that is no text."""
    place = tmp_path_factory.mktemp("hour")
    mixed = place / "mixed"
    mixed.mkdir()
    parts = [PARAGRAPHS[i::5] for i in range(5)]
    (mixed / "a.txt").write_text("\n\n".join(parts[0]), encoding="utf-8-sig")
    (mixed / "b.txt").write_bytes("\n\n".join(["Café Müller", *parts[1]]).encode("latin-1"))
    lines = "\n".join(json.dumps({"text": text}) for text in parts[2])
    (mixed / "c.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    with zipfile.ZipFile(mixed / "d.zip", "w") as archive:
        archive.writestr("inside/d.txt", "\n\n".join(parts[3]).encode("utf-16"))
    (mixed / "e.pdf").write_bytes(b"%PDF-1.7 ...")
    with (place / "posts.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["id", "text"], *enumerate(parts[4])])
    return place


def run(folder: Path, *arguments: object, stdin: str = "") -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [*COMMAND, *map(str, arguments)],
        input=stdin, capture_output=True, text=True, check=False, cwd=folder, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done


def purity(pairs: Iterable[tuple[int, bool]]) -> float:
    """The share of answers that agree with most of those that have the same sense."""
    found: defaultdict[int, Counter[bool]] = defaultdict(Counter)
    for sense, gold in pairs:
        found[sense][gold] += 1
    known = [counts for sense, counts in found.items() if sense]
    return sum(max(c.values()) for c in known) / sum(sum(c.values()) for c in known)


def tells_first(word: str, text: str) -> bool:
    return bool(SENSES[word] & set(re.findall(r"\w+", text.lower())))


def test_a_folder_of_mixed_files_and_a_csv_file(folder: Path) -> None:
    words = [argument for word in SENSES for argument in ("--word", word)]
    done = run(folder, "induce", "mixed", "posts.csv", "en", "-o", "model", *words)
    assert "PDF document" in done.stderr
    assert re.search(r"Windows-1252.*b\.txt", done.stderr)
    assert json.loads(done.stdout)["n_words"] == 3
    text = "\n".join(paragraph.replace("\n", " ") for paragraph in PARAGRAPHS)
    answers = [
        json.loads(line) for line in run(folder, "tag", "model", stdin=text).stdout.splitlines()
    ]
    for word in SENSES:
        pairs = [
            (found["sense"], tells_first(word, answer["text"]))
            for answer in answers
            for found in answer["words"]
            if found["key"] == word
        ]
        assert len({sense for sense, _ in pairs if sense}) >= 2
        assert purity(pairs) > 0.85, word
        assert sum(sense > 0 for sense, _ in pairs) > len(pairs) / 2, word


@pytest.mark.parametrize("word", SENSES)
def test_a_list_of_strings(word: str) -> None:
    found = grassmeans.find_senses(PARAGRAPHS, word)
    assert 2 <= len(found.senses) <= 4
    assert all(sense.name and sense.examples for sense in found.senses)
    gold = [tells_first(word, PARAGRAPHS[occurrence.text]) for occurrence in found.occurrences]
    assert purity(zip(found.labels.tolist(), gold, strict=True)) > 0.85
