"""Errors for people: what was expected, what was found, what to do."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Collection
from importlib import import_module
from pathlib import Path
from typing import Any

_PACKAGE = str(Path(__file__).parent)


class GrassmeansError(Exception):
    """Base of every error that is the input's or the environment's fault, not a defect.

    The command line prints its message as one line and ends with exit code 2.
    """


class InputError(GrassmeansError, ValueError):
    """An argument, a file or its content is not what was expected."""


class UnknownWordError(GrassmeansError, KeyError):
    """A word is not in the vocabulary or the inventory that was asked."""

    def __str__(self) -> str:
        # KeyError shows the repr of its argument, quotes and all; people get the sentence.
        return str(self.args[0]) if self.args else ""


class ArtifactError(GrassmeansError):
    """A stored folder is missing, truncated, of another kind or of another format version."""


class StorageError(GrassmeansError, OSError):
    """Writing failed: the disk is full, or the place cannot be written to."""


class EngineError(GrassmeansError):
    """Workers of a cluster cannot be reached, are lost, or see other files than this process."""


class MissingExtraError(GrassmeansError, ImportError):
    """An optional package is needed; the message names the extra that brings it, if one does."""

    def __init__(self, package: str, extra: str | None, purpose: str) -> None:
        source = package if extra is None else f"'grassmeans[{extra}]'"
        super().__init__(
            f"{purpose} needs the package {package!r}: install it with pip install {source}"
        )
        self.package = package
        self.extra = extra
        self.purpose = purpose

    def __reduce__(self) -> tuple[Any, ...]:
        # A worker's error is sent to the process that waits for it.
        return MissingExtraError, (self.package, self.extra, self.purpose)


def import_extra(module: str, extra: str | None, purpose: str) -> Any:
    """A module of an optional package; `MissingExtraError` where that is not installed."""
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtraError(module.partition(".")[0], extra, purpose) from error


class GrassmeansWarning(UserWarning):
    """Answers will be poor: what was found, and what to do.

    The command line prints its message as a remark.
    """


def check_choice(name: str, value: object, choices: Collection[object]) -> None:
    """Refuse a value that is none of the choices."""
    if value not in choices:
        raise InputError(f"{name} must be one of {', '.join(map(str, choices))}, got {value!r}")


def warn_user(message: str) -> None:
    """Warn at the line outside of the package that has led here, however deep this is."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, GrassmeansWarning, stacklevel=level)
