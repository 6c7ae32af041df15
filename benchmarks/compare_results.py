"""Tables of two versions: the numbers of `results/` that differ from those of another one.

    python benchmarks/compare_results.py             # what was just measured, and what is committed
    python benchmarks/compare_results.py v0.1.0      # ... and what a tag, branch or commit has
    python benchmarks/compare_results.py FOLDER      # ... and the results in another folder

Each benchmark has a heading with the commit, the day and the processor of both sides, and how often
the code of the package has changed since the newer one was measured: numbers of other processors
are no comparison, and old ones say little. `make bench` ends with these tables.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from measurement import RESULTS

ROOT = RESULTS.parents[1]
SOURCES = ("src", "packages/explorer/src")
DIFFERENT = 0.05
"""Numbers that differ by less, as a part of the earlier one, are not shown without --all."""

Numbers = dict[str, float]


def flatten(value: Any, name: str = "") -> Iterator[tuple[str, float]]:
    """Every number inside a result, by its path: ``loads[clients=8].requests_per_second``."""
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield from flatten(part, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list):
        for place, part in enumerate(value):
            yield from flatten(part, f"{name}[{_name_item(part, place)}]")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield name, float(value)


def _name_item(item: Any, place: int) -> str:
    """An item of a list by its first plain value, which is what was varied; else by its place."""
    if isinstance(item, Mapping) and item:
        key, first = next(iter(item.items()))
        if isinstance(first, int | str):
            return f"{key}={first}"
    return str(place)


def read_numbers(result: Mapping[str, Any]) -> Numbers:
    """The numbers of a result, without those of its machine."""
    return dict(flatten({key: part for key, part in result.items() if key != "machine"}))


def compare(before: Numbers, now: Numbers, least: float = DIFFERENT) -> list[str]:
    """A table's rows: the numbers of both that differ, and how many times the earlier one."""
    rows = []
    for name in now:
        if name not in before or abs(now[name] - before[name]) <= least * abs(before[name]):
            continue
        ratio = f"{now[name] / before[name]:.2f}" if before[name] else ""
        rows.append(f"| {name} | {before[name]:g} | {now[name]:g} | {ratio} |")
    return rows


def describe(result: Mapping[str, Any]) -> str:
    """When and where a result was measured."""
    machine = result.get("machine", {})
    known = (machine.get(name) for name in ("commit", "date", "cpu", "cores"))
    return ", ".join(str(value) for value in known if value is not None) or "unknown"


def count_changes(commit: str | None) -> str:
    """How many commits have changed the package since one, as far as git knows it."""
    since = f"{(commit or 'unknown').removesuffix('-dirty')}.."
    done = _git("rev-list", "--count", since, "--", *SOURCES)
    return f"{done.strip()} changes of the package since" if done else "of an unknown version"


def _git(*arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], check=False, cwd=ROOT, capture_output=True, text=True
    )
    return done.stdout if done.returncode == 0 else ""


def read_earlier(place: str, name: str) -> dict[str, Any] | None:
    """A result as a folder or a revision has it; None where there is none."""
    if Path(place).is_dir():
        path = Path(place) / name
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
    text = _git("show", f"{place}:benchmarks/results/{name}")
    return json.loads(text) if text else None


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("earlier", nargs="?", default="HEAD", help="a revision or a folder")
    parser.add_argument("--all", action="store_true", help="numbers that hardly differ, too")
    options = parser.parse_args()
    if not Path(options.earlier).is_dir() and not _git("rev-parse", "--verify", options.earlier):
        parser.error(f"{options.earlier} is neither a folder nor a revision of this repository")
    for path in sorted(RESULTS.glob("*.json")):
        now = json.loads(path.read_text(encoding="utf-8"))
        commit = now.get("machine", {}).get("commit")
        print(f"\n## {path.stem}\n\nnow: {describe(now)}; {count_changes(commit)}")
        before = read_earlier(options.earlier, path.name)
        if before is None:
            print(f"before: none in {options.earlier}")
            continue
        print(f"before: {describe(before)}")
        least = 0.0 if options.all else DIFFERENT
        if rows := compare(read_numbers(before), read_numbers(now), least):
            print("\n| number | before | now | times |\n|---|---:|---:|---:|", *rows, sep="\n")


if __name__ == "__main__":
    main()
