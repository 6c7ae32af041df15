"""The whole way from text to senses at growing sizes: seconds and memory of each command.

    python benchmarks/bench_pipeline.py                        # made-up text, some seconds
    python benchmarks/bench_pipeline.py --input enwiki.jsonl.xz --sizes 5e6 15e6 62e6 \
        --epochs 5 --words words.txt --name pipeline-enwiki    # JSON lines with a field "text"

Memory is the largest sum over a command and its workers; a page that several share is counted once
where the system tells (in results of version 0.1.0 it is counted for each of them).
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from grassmeans.reading.documents import ReadReport
from grassmeans.reading.inputs import read_documents
from measurement import run_measured, write_result

COMMAND = [sys.executable, "-c", "from grassmeans.cli.main import run; run()"]


def made_up_texts() -> Iterator[str]:
    """Give endless documents of 2,000 Zipf-distributed words."""
    rng = np.random.default_rng(0)
    words = np.array([f"w{i}" for i in range(50_000)])
    weights = 1.0 / (np.arange(len(words)) + 2.7)
    weights /= weights.sum()
    while True:
        yield " ".join(rng.choice(words, size=2_000, p=weights))


def write_texts(source: Iterator[str], n_tokens: int, path: Path) -> int:
    """Write documents until there are enough words; returns how many words there are."""
    taken = 0
    with path.open("w", encoding="utf-8") as file:
        for text in source:
            file.write(json.dumps({"text": text}) + "\n")
            taken += text.count(" ") + 1
            if taken >= n_tokens:
                break
    return taken


def run_command(*arguments: object) -> dict[str, Any]:
    """Run one grassmeans command; tell seconds, peak memory and the numbers that it prints."""
    run = run_measured([*COMMAND, *map(str, arguments)])
    answer = json.loads(run.output.splitlines()[-1])
    result = {name: value for name, value in answer.items() if isinstance(value, int | float)}
    return {
        "seconds": round(run.seconds, 1),
        "peak_gib": round(run.peak_bytes / 2**30, 2),
        "result": result,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--input", type=Path)
    parser.add_argument("--sizes", type=float, nargs="+", default=[5e5, 1e6, 2e6])
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--dim", type=int, default=300)
    parser.add_argument("--words", type=Path, help="words to induce, one a line")
    parser.add_argument("--senses", type=int, default=5)
    parser.add_argument("--keep", type=Path, help="keep the folders of the last size here")
    parser.add_argument("--name", default="pipeline")
    arguments = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        for size in sorted(arguments.sizes):
            last = size == max(arguments.sizes)
            work = arguments.keep if arguments.keep and last else Path(temporary) / f"{size:.0f}"
            work.mkdir(parents=True, exist_ok=True)
            text = work / "text.jsonl"
            if arguments.input:
                documents = read_documents([arguments.input], report=ReadReport())
                n_words = write_texts((d.text for d in documents), int(size), text)
            else:
                n_words = write_texts(made_up_texts(), int(size), text)
            words = arguments.words
            if words is None:
                words = work / "words.txt"
                words.write_text("\n".join(f"w{i}" for i in range(100, 120)))
            row: dict[str, Any] = {"words_of_text": n_words}
            row["ingest"] = run_command("ingest", text, "-o", work / "corpus")
            row["vectors"] = run_command(
                "vectors", work / "corpus", "-o", work / "vectors",
                "--epochs", arguments.epochs, "--dim", arguments.dim,
            )  # fmt: skip
            row["induce"] = run_command(
                "induce", work / "corpus", work / "vectors", "-o", work / "model",
                "--words", words, "--senses", arguments.senses,
            )  # fmt: skip
            row["n_tokens"] = row["ingest"]["result"]["n_tokens"]
            row["seconds"] = round(
                sum(row[step]["seconds"] for step in ("ingest", "vectors", "induce")), 1
            )
            for step in ("ingest", "vectors"):
                millions = row["n_tokens"] / 1e6
                row[step]["seconds_per_million"] = round(row[step]["seconds"] / millions, 3)
            rows.append(row)
            print(json.dumps(row), flush=True)
    write_result(arguments.name, {"epochs": arguments.epochs, "rows": rows})


if __name__ == "__main__":
    main()
