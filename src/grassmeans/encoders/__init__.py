"""The kinds of context, one module each: what turns occurrences into bases.

A module here has a class `Encoder`, a `grassmeans.geometry.encoder.ContextEncoder` whose ``kind``
is the module's name. That is all it takes: models say in their manifest which kind they hold.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING

from grassmeans.errors import InputError
from grassmeans.geometry.encoder import ContextEncoder
from grassmeans.lazy import give_names

if TYPE_CHECKING:
    from grassmeans.encoders.subspaces import SubspaceEncoder as SubspaceEncoder

__getattr__ = give_names(__name__, {"subspaces": ("SubspaceEncoder",)})[1]


def list_kinds() -> list[str]:
    """The kinds of context that there are."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if not module.ispkg)


def find_kind(kind: str) -> type[ContextEncoder]:
    """The class of a kind of context."""
    if kind not in list_kinds():
        raise InputError(f"there is no kind of context {kind!r}; there are {list_kinds()}")
    found: type[ContextEncoder] = importlib.import_module(f"{__name__}.{kind}").Encoder
    return found
