"""Names that a package gives, imported when they are first used: starting up stays fast."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def give_names(package: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    """A module's ``__getattr__`` for names that live in other modules.

    Parameters
    ----------
    package : str
        ``__name__`` of the package that gives the names.
    modules : mapping
        Name -> the module that has it.
    """

    def find(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(importlib.import_module(modules[name]), name)
        setattr(sys.modules[package], name, found)
        return found

    return find
