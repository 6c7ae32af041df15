"""Addresses with words in them: in ``/api/words/and%2For`` the slash is a letter of the word.

Servers undo ``%2F`` before anybody looks at the path, so that the router would see a step more. The
guard puts a mark in its place (`keep_slashes`), and routes of words put the slash back
(`WordRoute`).
"""

from __future__ import annotations

import re
from collections.abc import MutableMapping
from typing import Any
from urllib.parse import unquote

from fastapi.routing import APIRoute
from starlette.routing import Match

_MARK = "\ufdd0"  # one of the code points that Unicode keeps free for such use
_SLASH = re.compile("%2f", re.IGNORECASE)


def keep_slashes(scope: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """The scope of a request whose path has a mark for every slash that was written ``%2F``."""
    raw = scope.get("raw_path") or b""
    written = raw.decode("latin-1")
    if not _SLASH.search(written):
        return scope
    return {**scope, "path": unquote(_SLASH.sub(_MARK, written))}


class WordRoute(APIRoute):  # type: ignore[misc]
    """A route whose words may have slashes."""

    def matches(self, scope: dict[str, Any]) -> tuple[Match, dict[str, Any]]:
        """As any route, with the slashes put back."""
        match, found = super().matches(scope)
        params = found.get("path_params", {})
        found["path_params"] = {
            name: value.replace(_MARK, "/") if isinstance(value, str) else value
            for name, value in params.items()
        }
        return match, found
