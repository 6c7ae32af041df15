"""Where models are: in a folder, or in the package by name."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from grassmeans.artifacts.checking import MANIFEST
from grassmeans.artifacts.schema import path as check_path
from grassmeans.artifacts.schema import shorten
from grassmeans.artifacts.writing import building_place, find_manifest
from grassmeans.contexts import SUBSTITUTES
from grassmeans.errors import ArtifactError, InputError

KIND = "model"


def models_folder() -> Path:
    """Where the package keeps its models."""
    return Path(str(resources.files("grassmeans") / "models"))


def list_models() -> list[str]:
    """The names of the models that come with the package."""
    folder = models_folder()
    if not folder.is_dir():
        return []
    return sorted(place.name for place in folder.iterdir() if (place / MANIFEST).exists())


def resolve_name(path_or_name: str | Path) -> Path:
    """The folder of the package's model where it is the name of one; else the path as it is.

    A folder written by grassmeans goes before a model of the package of the same name; any other
    folder of that name (texts in English, say, in ``en``) does not.
    """
    if expected := check_path(path_or_name):
        raise InputError(f"a model must be named by {expected}; got {shorten(path_or_name)}")
    prefix, name = split_prefix(str(path_or_name))
    if prefix:
        return Path(f"{prefix}{resolve_name(name)}")
    place = Path(path_or_name)
    if (place / MANIFEST).exists() or str(path_or_name) not in list_models():
        return place
    return models_folder() / str(path_or_name)


def split_prefix(name: str) -> tuple[str, str]:
    """What says that a name is no plain path ("substitutes:"), and the name behind it."""
    known = name.startswith(SUBSTITUTES)
    return (SUBSTITUTES, name.removeprefix(SUBSTITUTES)) if known else ("", name)


def is_model(path: Path) -> bool:
    """Whether a path is the folder of a model."""
    manifest = find_manifest(path)
    return manifest is not None and manifest["kind"] == KIND


def find_model(path_or_name: str | Path) -> Path:
    """The folder of a model: a path, or the name of a model that comes with the package.

    `ArtifactError` where there is neither; it names the models there are.
    """
    folder = resolve_name(path_or_name)
    if not folder.exists() and not building_place(folder).exists():
        names = list_models()
        shipped = f", or the name of a model of the package: {', '.join(names)}" if names else ""
        raise ArtifactError(
            f"there is no model at {folder}: give the folder that `grassmeans induce` "
            f"wrote{shipped}"
        )
    return folder
