"""A billion words: what each step takes at growing sizes, and what four billion would take.

    python benchmarks/bench_scale.py                       # made-up text, a minute or two
    python benchmarks/bench_scale.py --input enwiki.jsonl.xz --tokens 15M 60M 250M \
        --folder run --price 0.10 --name scale-enwiki      # hours; goes on where it was stopped

Texts are grown from the input (`growing_text.py`) and go through the commands that a user gives,
one after the other: seconds, processor seconds, what was written, what lies on disk in the end, and
the largest memory of all processes together. With several sizes each has an exponent, the slope of
its logarithm over that of the tokens: 1 is linear. Memory is told with and without the pages of
mapped files, which the system takes back when it needs them; the latter has its bytes a token.

`--steps` names what is run: ingest, vectors, induce, label (the paper's way), induce-en, label-en
(the English model's contexts, fewer words) and encoder (`--encoder-minutes`). With an input, steps
that `results/NAME.json` has are not run again, and of an interrupted step nothing is counted: it is
begun anew. Without one, all is measured anew. The folder of a size goes when its last step is done
(`--keep` leaves it). All steps are run once with little text before, so that nothing is compiled
while it is measured.

The plan takes each step from the largest size on, by its exponent, 1 at least, and words to induce
by the contexts they have at most. Memory, without mapped files, grows by its bytes a token. It is
arithmetic: nothing of that size has been run, and made-up text of the usual sizes says nothing of
it.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from bench_pipeline import COMMAND, made_up_texts
from grassmeans import Corpus
from growing_text import Written, grow_text, read_number, read_texts, write_text
from measurement import RESULTS, CommandRun, describe_machine, run_measured, write_result

STEPS = ("ingest", "vectors", "induce", "label", "induce-en", "label-en", "encoder")
NEEDS = {
    "ingest": ("text",),
    "vectors": ("ingest",),
    "induce": ("ingest", "vectors"),
    "label": ("ingest", "induce"),
    "induce-en": ("ingest",),
    "label-en": ("ingest", "induce-en"),
    "encoder": ("ingest",),
}
CONTEXTS = {"induce": 10_000, "induce-en": 1_000}
"""So many contexts of a word are taken at most, as the command does unless told."""
MOST_VECTORS = 200_000
"""So many words have vectors at most, as the command does unless told."""
MADE_UP_DOCUMENTS = 60
WARM_UP_TOKENS = 50_000

Row = dict[str, Any]
Rows = list[Row]


@dataclass(frozen=True, slots=True)
class Settings:
    """What is measured; rows of other settings are no part of the same result."""

    input: str | None
    words: int
    words_en: int
    least: int
    senses: str
    epochs: int
    encoder_minutes: float
    seed: int


def choose_words(corpus: Corpus, n_words: int, least: int) -> list[str]:
    """Content words that occur often enough, from frequent to rare in even steps."""
    vocabulary = corpus.vocabulary
    frequent = vocabulary.words[: vocabulary.size_at(least)]
    found = [w for w in frequent if len(w) > 2 and w.isalnum() and w not in corpus.function_words]
    places = np.linspace(0, len(found) - 1, min(n_words, len(found))).astype(int)
    return [found[place] for place in np.unique(places)]


class Size:
    """The steps of one size, in a folder of its own."""

    def __init__(self, n_tokens: int, folder: Path, settings: Settings, row: Row) -> None:
        self.folder = folder / str(n_tokens)
        self.row = row
        self._words = {"induce": folder / "words.txt", "induce-en": folder / "words-en.txt"}
        self._n_tokens = n_tokens
        self._settings = settings
        self._input = Path(settings.input) if settings.input else None

    def run(self, step: str) -> None:
        """Run a step, and those before it whose folders are gone."""
        for needed in NEEDS.get(step, ()):
            if not self._place(needed).exists():
                self.run(needed)
        place = self._place(step)
        shutil.rmtree(place.parent, ignore_errors=True)
        place.parent.mkdir(parents=True)
        self.row[step] = self._write_text() if step == "text" else self._run_command(step)
        self.row[step]["disk_bytes"] = count_bytes(place)
        self.row[step]["load_average"] = round(os.getloadavg()[0], 2)

    def _place(self, step: str) -> Path:
        return self.folder / step / ("text.jsonl" if step == "text" else "made")

    def _read(self) -> Iterator[str]:
        if self._input is not None:
            return read_texts(self._input)
        return itertools.islice(made_up_texts(), MADE_UP_DOCUMENTS)

    def _write_text(self) -> Row:
        started = time.perf_counter()
        texts = grow_text(self._read, self._settings.seed)
        written: Written = write_text(texts, self._n_tokens, self._place("text"))
        return {"seconds": round(time.perf_counter() - started, 1)} | asdict(written)

    def _run_command(self, step: str) -> Row:
        if step in self._words:
            self._choose_words()
        run: CommandRun = run_measured([*COMMAND, *map(str, self._arguments(step))])
        answer = json.loads(run.output.splitlines()[-1])
        if step == "ingest":
            self.row |= {name: answer[name] for name in ("n_tokens", "n_types", "n_documents")}
        found: Row = {
            "seconds": round(run.seconds, 2),
            "cpu_seconds": round(run.cpu_seconds, 2),
            "peak_bytes": run.peak_bytes,
            "peak_own_bytes": run.peak_own_bytes,
            "written_bytes": run.written_bytes,
            "tokens_per_second": round(self.row["n_tokens"] / run.seconds),
        }
        if step == "vectors":
            found["n_words"] = answer["n_words"]
        if step in CONTEXTS:
            found["contexts"] = self._count_contexts(step)
        return found

    def _arguments(self, step: str) -> list[object]:
        settings, corpus, made = self._settings, self._place("ingest"), self._place
        commands: dict[str, list[object]] = {
            "ingest": ["ingest", made("text")],
            "vectors": ["vectors", corpus, "--epochs", settings.epochs],
            "induce": ["induce", corpus, made("vectors"), "--senses", settings.senses],
            "induce-en": ["induce", corpus, "en", "--senses", settings.senses],
            "label": ["label", corpus, made("induce")],
            "label-en": ["label", corpus, made("induce-en")],
            "encoder": ["encoder", corpus, "--minutes", settings.encoder_minutes],
        }
        words = ["--words", self._words[step]] if step in self._words else []
        return [*commands[step], *words, "-o", made(step), "--json"]

    def _choose_words(self) -> None:
        """Write the words of all sizes: those of the first one that comes so far."""
        if self._words["induce"].exists():
            return
        settings = self._settings
        corpus = Corpus.open(self._place("ingest"))
        for step, n_words in (("induce-en", settings.words_en), ("induce", settings.words)):
            chosen = choose_words(corpus, n_words, settings.least)
            self._words[step].write_text("\n".join(chosen) + "\n", encoding="utf-8")

    def _count_contexts(self, step: str) -> int:
        vocabulary = Corpus.open(self._place("ingest")).vocabulary
        words = self._words[step].read_text(encoding="utf-8").split()
        return sum(min(vocabulary.count_of(word), CONTEXTS[step]) for word in words)


def count_bytes(place: Path) -> int:
    """What a file or a folder takes."""
    files = [place] if place.is_file() else [path for path in place.rglob("*") if path.is_file()]
    return sum(path.stat().st_size for path in files)


def fit_exponent(sizes: Sequence[float], values: Sequence[float]) -> float | None:
    """The power of the size by which something grows, of at least two sizes."""
    if len(set(sizes)) < 2 or min(values) <= 0:
        return None
    return round(float(np.polyfit(np.log(sizes), np.log(values), 1)[0]), 3)


def fit_slope(sizes: Sequence[float], values: Sequence[float]) -> float | None:
    """By how much something grows with each token, of at least two sizes."""
    if len(set(sizes)) < 2:
        return None
    return round(float(np.polyfit(sizes, values, 1)[0]), 2)


def fit_steps(rows: Rows) -> dict[str, Row]:
    """Of every step how it grows with the tokens."""
    fits = {}
    for step in STEPS:
        own = [row for row in rows if step in row]
        sizes = [row["n_tokens"] for row in own]
        if len(own) < 2:
            continue
        values = {name: [row[step][name] for row in own] for name in own[0][step]}
        fits[step] = {
            "seconds_exponent": fit_exponent(sizes, values["seconds"]),
            "cpu_seconds_exponent": fit_exponent(sizes, values["cpu_seconds"]),
            "peak_own_bytes_a_token": fit_slope(sizes, values["peak_own_bytes"]),
            "disk_bytes_a_token": fit_slope(sizes, values["disk_bytes"]),
        }
    return fits


def plan_step(step: str, row: Row, fit: Row, n_tokens: float, n_words: int) -> Row:
    """Hours, memory and disk of a step, from those of the largest size on."""
    own, more = row[step], n_tokens / row["n_tokens"]
    if step in CONTEXTS:
        seconds = own["seconds"] * n_words * CONTEXTS[step] / own["contexts"]
        disk = own["disk_bytes"]
    else:
        seconds = own["seconds"] * more ** max(fit.get("seconds_exponent") or 1.0, 1.0)
        words = own.get("n_words", 0)  # of vectors, and not all of a large text have one
        disk = own["disk_bytes"] * (min(more, MOST_VECTORS / words) if words else more)
    grown = max(fit.get("peak_own_bytes_a_token") or 0.0, 0.0) * (n_tokens - row["n_tokens"])
    return {
        "hours": round(seconds / 3600, 2),
        "peak_gigabytes": round((own["peak_own_bytes"] + grown) / 1e9, 2),
        "disk_gigabytes": round(disk / 1e9, 1),
    }


def make_plan(
    rows: Rows, fits: dict[str, Row], n_tokens: int, n_words: int, cores: int, price: float
) -> Row:
    """The plan for a size that nobody has run: each step, and all of them."""
    steps = {}
    for step in STEPS:
        if own := [row for row in rows if step in row]:
            steps[step] = plan_step(step, own[-1], fits.get(step, {}), n_tokens, n_words)
    for planned in steps.values():
        planned["cost"] = round(planned["hours"] * cores * price, 2)
    largest = rows[-1]
    text = largest["text"]["disk_bytes"] * n_tokens / largest["n_tokens"]
    together = {
        name: round(sum(own[name] for own in steps.values()), 2) for name in ("hours", "cost")
    }
    together["disk_gigabytes"] = round(
        text / 1e9 + sum(own["disk_gigabytes"] for own in steps.values()), 1
    )
    about = {"tokens": n_tokens, "words": n_words, "cores": cores, "price_a_core_hour": price}
    return about | {"steps": steps, "together": together}


def format_rows(rows: Rows, fits: dict[str, Row]) -> str:
    """A table of all steps and sizes."""
    sizes = ("peak_bytes", "peak_own_bytes", "written_bytes", "disk_bytes")
    lines = [
        "| step | tokens | seconds | tokens/s | memory | without mapped files | written | on disk "
        "| exponent |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for step, row in itertools.product(STEPS, rows):
        if own := row.get(step):
            exponent = fits.get(step, {}).get("seconds_exponent")
            shown = " | ".join(f"{own[name] / 1e9:.2f} GB" for name in sizes)
            lines.append(
                f"| {step} | {row['n_tokens'] / 1e6:.1f}M | {own['seconds']:.1f} "
                f"| {own['tokens_per_second']:,} | {shown} "
                f"| {'' if exponent is None else exponent} |"
            )
    return "\n".join(lines)


def format_plan(plan: Row) -> str:
    """A table of the plan."""
    lines = [
        f"\nThe plan for {plan['tokens'] / 1e9:g} billion tokens and {plan['words']:,} words "
        f"on {plan['cores']} cores, {plan['price_a_core_hour']:g} a core hour (not run):\n",
        "| step | hours | memory | disk | cost |",
        "|---|---:|---:|---:|---:|",
    ]
    for step, own in plan["steps"].items():
        lines.append(
            f"| {step} | {own['hours']:.1f} | {own['peak_gigabytes']:.1f} GB "
            f"| {own['disk_gigabytes']:.1f} GB | {own['cost']:.2f} |"
        )
    all_steps = plan["together"]
    lines.append(
        f"| all, and the text | {all_steps['hours']:.1f} | | {all_steps['disk_gigabytes']:.1f} GB "
        f"| {all_steps['cost']:.2f} |"
    )
    return "\n".join(lines)


def read_rows(name: str, settings: Settings) -> Rows:
    """The rows that are there already; those of another text or of other words are refused."""
    path = RESULTS / f"{name}.json"
    if settings.input is None or not path.exists():
        return []
    known = json.loads(path.read_text(encoding="utf-8"))
    if known["settings"] != stored_settings(settings):
        raise SystemExit(f"{path} has other settings: {known['settings']}; give another --name")
    return list(known["rows"])


def stored_settings(settings: Settings) -> Row:
    """The settings without the folder of the input."""
    name = Path(settings.input).name if settings.input else None
    return asdict(settings) | {"input": name}


def warm_up(steps: Sequence[str], folder: Path, settings: Settings) -> None:
    """Run all steps with little text, so that everything is compiled and in the system's cache."""
    with tempfile.TemporaryDirectory(dir=folder) as place:
        few = replace(settings, words=5, words_en=2, least=20, epochs=1, encoder_minutes=0.1)
        size = Size(WARM_UP_TOKENS, Path(place), few, {})
        for step in filter(steps.__contains__, STEPS):
            size.run(step)


def measure(arguments: argparse.Namespace, settings: Settings, folder: Path) -> Row:
    """Run what is missing, and write the result after every step."""
    rows = read_rows(arguments.name, settings)
    result: Row = {"settings": stored_settings(settings), "rows": rows}
    folder.mkdir(parents=True, exist_ok=True)
    warm = False
    for n_tokens in sorted(arguments.tokens):
        row = next((row for row in rows if row["asked"] == n_tokens), None)
        if row is None:
            row = {"asked": n_tokens}
            rows.append(row)
            rows.sort(key=lambda row: int(row["asked"]))
        size = Size(n_tokens, folder, settings, row)
        missing = [step for step in STEPS if step in arguments.steps and step not in row]
        if missing and not warm:
            warm_up(arguments.steps, folder, settings)
            warm = True
        for step in missing:
            print(f"{n_tokens:,} tokens: {step}", file=sys.stderr, flush=True)
            size.run(step)
            row["commit"] = describe_machine()["commit"]
            write_result(arguments.name, result, shown=False)
        if not arguments.keep:
            shutil.rmtree(size.folder, ignore_errors=True)
    return result


def read_arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--input", type=Path)
    parser.add_argument("--tokens", type=read_number, nargs="+")
    parser.add_argument("--steps", nargs="+", choices=STEPS)
    parser.add_argument("--words", type=int, help="words to induce; 1,000, or 20 of made-up text")
    parser.add_argument("--words-en", type=int, default=100, help="with the English contexts")
    parser.add_argument("--least", type=int, default=100, help="occurrences at the smallest size")
    parser.add_argument("--senses", default="auto")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--encoder-minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, help="where texts and corpora are while it runs")
    parser.add_argument("--keep", action="store_true", help="leave them there")
    parser.add_argument("--price", type=float, default=0.0, help="of a core hour")
    parser.add_argument("--plan", type=read_number, default=4_000_000_000, help="tokens")
    parser.add_argument("--plan-words", type=int, default=30_000, help="words to induce")
    parser.add_argument("--name", default="scale")
    arguments = parser.parse_args(given)
    real = arguments.input is not None
    arguments.tokens = arguments.tokens or (
        [15_000_000, 60_000_000, 250_000_000] if real else [100_000, 200_000, 400_000]
    )
    usual = ["ingest", "vectors", "induce", "label"]
    arguments.steps = arguments.steps or ([*usual, "induce-en"] if real else usual)
    arguments.words = arguments.words or (1_000 if real else 20)
    return arguments


def main(given: Sequence[str] | None = None) -> None:
    arguments = read_arguments(given)
    settings = Settings(
        str(arguments.input) if arguments.input else None,
        *(getattr(arguments, name) for name in Settings.__slots__[1:]),
    )
    with ExitStack() as stack:
        folder = arguments.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        result = measure(arguments, settings, folder)
    cores = describe_machine()["cores"]
    rows = result["rows"]
    result["fits"] = fits = fit_steps(rows)
    result["plan"] = make_plan(
        rows, fits, arguments.plan, arguments.plan_words, cores, arguments.price
    )
    path = write_result(arguments.name, result, shown=False)
    print(format_rows(rows, fits), format_plan(result["plan"]), f"\n{path}", sep="\n")


if __name__ == "__main__":
    main()
