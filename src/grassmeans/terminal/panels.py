"""Commands as they stand together in the help; other distributions add panels of their own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CommandPanel:
    """Commands under one title: by themselves, or as parts of one."""

    title: str
    commands: tuple[Callable[..., None], ...]
    group: str | None = None
    about: str | None = None  # the help of the group
