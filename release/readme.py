"""The README as an index of packages shows it: its relative links lead to the source.

A hook of Hatchling, named in `pyproject.toml`. The address is that of the project, `Source` in
`[project.urls]`; `make address ADDRESS=...` sets it wherever it stands.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"(?P<image>!?)\[(?P<label>[^\]]*)\]\((?P<target>[^)\s]+)\)")
_ELSEWHERE = ("http://", "https://", "mailto:", "#")


def make_absolute(text: str, source: str, tag: str) -> str:
    """The text with links and pictures of the repository as addresses at a tag of it."""

    def lead(match: re.Match[str]) -> str:
        if match["target"].startswith(_ELSEWHERE):
            return match[0]
        kind = "raw" if match["image"] else "blob"
        address = f"{source}/{kind}/{tag}/{match['target']}"
        return f"{match['image']}[{match['label']}]({address})"

    return _LINK.sub(lead, text)


class Readme(MetadataHookInterface):
    """Gives the metadata their `readme`."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Put the text in place."""
        root = Path(self.root)
        about = (root / "src/grassmeans/version.py").read_text("utf-8")
        (version,) = re.findall(r'__version__ = "(.+)"', about)
        text = (root / "README.md").read_text("utf-8")
        shown = make_absolute(text, metadata["urls"]["Source"], f"v{version}")
        metadata["readme"] = {"content-type": "text/markdown", "text": shown}
