"""Names that a package gives, imported when they are first used: starting up stays fast."""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any


def give_names(
    package: str,
    modules: Mapping[str, Iterable[str]],
    deprecated: Mapping[str, tuple[str, str]] | None = None,
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """A package's ``__all__``, ``__getattr__`` and ``__dir__``, for names of modules below it.

    Parameters
    ----------
    package : str
        ``__name__`` of the package that gives the names.
    modules : mapping
        A module, as seen from the package -> the names that it has.
    deprecated : mapping, optional
        A name that goes with 0.3.0 -> what it stands for (``"module:name"``), and what
        to write instead.
    """
    homes = {name: f"{package}.{module}" for module, names in modules.items() for name in names}
    old = deprecated or {}

    def find(name: str) -> Any:
        if name in old:
            place, instead = old[name]
            warnings.warn(
                f"{package}.{name} goes with 0.3.0: use {instead}",
                DeprecationWarning,
                stacklevel=2,
            )
            module, _, original = place.partition(":")
            return getattr(importlib.import_module(module), original)
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(importlib.import_module(homes[name]), name)
        setattr(sys.modules[package], name, found)
        return found

    return list(homes), find, lambda: sorted(homes)


def lead_to(package: str, module: str, *names: str) -> Callable[[str], Any]:
    """The ``__getattr__`` of a module whose names have moved to a module of another distribution.

    They work until 0.3.0, with a warning, where the other one is installed.
    """
    return give_names(
        package, {}, {name: (f"{module}:{name}", f"{module}.{name}") for name in names}
    )[1]
