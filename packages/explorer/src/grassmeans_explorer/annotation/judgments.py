"""Judgments on disk: a file of lines for each annotator, to which is only ever added.

A line is on the disk before a judgment is answered. Files are locked while a line is written, so
that two people, or one in two windows, lose nothing. A line without an end is that of a judgment
that was never answered; it is cut off. Who judges again adds a line: the last one counts, and the
earlier ones stay.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from grassmeans.artifacts.checking import damaged, parse_json
from grassmeans.artifacts.schema import check_values, one_of, text
from grassmeans.artifacts.temporaries import lock_file
from grassmeans.artifacts.writing import encode_json, explain_write_errors, sync_to_disk
from grassmeans.errors import InputError
from grassmeans_explorer.journals import write_all

_KIND, _FORMAT = "judgments", 1
_HEAD = {"kind": one_of(_KIND), "format_version": one_of(_FORMAT), "annotator": text}
_RULES = dict.fromkeys(("item", "label", "comment", "at"), text)
LONGEST_COMMENT = 2_000
_WAIT = 10.0
_PLAIN = re.compile(r"[^A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class Judgment:
    """What somebody said of an item."""

    item: str
    label: str
    comment: str = ""
    at: str = ""
    """When, in the time of Greenwich."""


def name_file(annotator: str) -> str:
    """The name of an annotator's file: letters that any disk takes, and a digest of the name."""
    plain = _PLAIN.sub("_", annotator).strip("_")[:40] or "annotator"
    digest = hashlib.blake2b(annotator.encode("utf-8", "backslashreplace"), digest_size=6)
    return f"{plain}-{digest.hexdigest()}.jsonl"


class JudgmentFile:
    """The judgments of one annotator."""

    def __init__(self, folder: Path, annotator: str) -> None:
        self.annotator = annotator
        self.path = folder / name_file(annotator)

    def append(self, judgments: Sequence[Judgment]) -> None:
        """Add judgments, all or none of them; they are on the disk when this returns."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        rows = [asdict(one) | {"at": one.at or now} for one in judgments]
        content = b"".join(encode_json(row) + b"\n" for row in rows)
        self.path.parent.mkdir(exist_ok=True)
        with explain_write_errors(self.path), self._hold() as file:
            size = self._find_end(file)
            try:
                if size == 0:
                    content = self._head() + content
                file.seek(size)
                file.truncate()
                write_all(file, content)
                os.fsync(file.fileno())
            except OSError:
                with contextlib.suppress(OSError):
                    file.truncate(size)
                raise
        sync_to_disk(self.path.parent)

    def read(self) -> list[Judgment]:
        """All judgments in the order they were made, those that were replaced as well."""
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return []
        lines = content[: content.rfind(b"\n") + 1].split(b"\n")[:-1]
        if not lines:
            return []
        head = parse_json(lines[0], self.path)
        check_values(self.path, head, _HEAD)
        if head["annotator"] != self.annotator:
            raise damaged(self.path, f"it is the file of {self.annotator!r}")
        found = []
        for line in lines[1:]:
            values = parse_json(line, self.path)
            check_values(self.path, values, _RULES)
            found.append(Judgment(**{name: values[name] for name in _RULES}))
        return found

    def _head(self) -> bytes:
        about: dict[str, Any] = {"kind": _KIND, "format_version": _FORMAT}
        return encode_json(about | {"annotator": self.annotator}) + b"\n"

    @contextlib.contextmanager
    def _hold(self) -> Iterator[IO[bytes]]:
        """The file, which is this one's alone until the block ends."""
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
        # Without a buffer: what a full disk has refused is not written when the file is closed.
        with os.fdopen(descriptor, "r+b", buffering=0) as file:
            end = time.monotonic() + _WAIT
            while lock_file(file.fileno()) is False:
                if time.monotonic() > end:
                    raise InputError(f"{self.path.name} is in use: try again in a moment")
                time.sleep(0.005)
            yield file

    @staticmethod
    def _find_end(file: IO[bytes]) -> int:
        """How many bytes are whole lines."""
        file.seek(0)
        return file.read().rfind(b"\n") + 1
