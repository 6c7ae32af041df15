"""Writes a small database in the format of WordNet's own files."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

NAMES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
TYPES = {"n": 1, "v": 2, "a": 3, "r": 4}


@dataclass(frozen=True)
class Entry:
    """A synset to write; pointers name the key of another one."""

    pos: str
    file: int
    lemmas: tuple[str, ...]
    gloss: str
    pointers: tuple[tuple[str, str], ...] = ()
    count: int = 0


def write_wordnet(folder: Path, entries: dict[str, Entry], *, counts: str = "index.sense") -> Path:
    """Write data, index and sense files; senses of a lemma stand in the order of the entries."""
    folder.mkdir(parents=True, exist_ok=True)
    offsets = _place(entries)
    senses: dict[tuple[str, str], list[str]] = defaultdict(list)
    for key, entry in entries.items():
        for lemma in entry.lemmas:
            senses[lemma.lower().split("(")[0], entry.pos].append(key)
    for pos, name in NAMES.items():
        own = {key: entry for key, entry in entries.items() if entry.pos == pos}
        data = "".join(_line(entry, entries, offsets, key) for key, entry in own.items())
        (folder / f"data.{name}").write_bytes((HEADER + data).encode())
        lines = [
            f"{lemma} {pos} {len(keys)} 1 @ {len(keys)} "
            f"{sum(entries[key].count > 0 for key in keys)} "
            f"{' '.join(f'{offsets[key]:08d}' for key in keys)}  \n"
            for (lemma, one), keys in sorted(senses.items())
            if one == pos
        ]
        (folder / f"index.{name}").write_bytes((HEADER + "".join(lines)).encode())
    if counts:
        rows = [
            f"{lemma}%{TYPES[pos]}:{entries[key].file:02d}:00:: "
            + (f"{offsets[key]:08d} " if counts == "index.sense" else "")
            + f"{number} {entries[key].count}\n"
            for (lemma, pos), keys in senses.items()
            for number, key in enumerate(keys, start=1)
        ]
        (folder / counts).write_text("".join(rows))
    (folder / "verb.exc").write_text("swam swim\n")
    return folder


HEADER = "  1 This stands where the licence stands.  \n"


def _place(entries: dict[str, Entry]) -> dict[str, int]:
    places = dict.fromkeys(NAMES, len(HEADER.encode()))
    zero = dict.fromkeys(entries, 0)
    offsets = {}
    for key, entry in entries.items():
        offsets[key] = places[entry.pos]
        places[entry.pos] += len(_line(entry, entries, zero, key).encode())
    return offsets


def _line(entry: Entry, entries: dict[str, Entry], offsets: dict[str, int], key: str) -> str:
    lemmas = " ".join(f"{lemma} 0" for lemma in entry.lemmas)
    pointers = "".join(
        f" {symbol} {offsets[other]:08d} {entries[other].pos} 0000"
        for symbol, other in entry.pointers
    )
    frames = " 01 + 08 00" if entry.pos == "v" else ""
    return (
        f"{offsets[key]:08d} {entry.file:02d} {entry.pos} {len(entry.lemmas):02x} {lemmas} "
        f"{len(entry.pointers):03d}{pointers}{frames} | {entry.gloss}  \n"
    )
