"""Damage done to artifacts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def make_old(folder: Path) -> Path:
    """Make an artifact, and those in it, such as older releases wrote: without any digests."""
    for path in folder.rglob("checksums.txt"):
        path.unlink()
    for path in folder.rglob("manifest.json"):
        fields = json.loads(path.read_text())
        for name in ("manifest_digest", "parts"):
            fields.pop(name, None)
        path.write_text(json.dumps(fields))
    return folder


def edit_manifest(folder: Path, *, sealed: bool = False, **changes: Any) -> None:
    """Change fields of a manifest, which forgets its digest unless it is to stay ``sealed``."""
    path = folder / "manifest.json"
    fields = json.loads(path.read_text()) | changes
    if not sealed:
        fields.pop("manifest_digest", None)
    path.write_text(json.dumps(fields))
