"""Where models are: in a folder, or installed, by name."""

from __future__ import annotations

from pathlib import Path

from grassmeans.artifacts.checking import MANIFEST
from grassmeans.artifacts.schema import path as check_path
from grassmeans.artifacts.schema import shorten
from grassmeans.artifacts.writing import building_place, find_manifest
from grassmeans.errors import ArtifactError, InputError
from grassmeans.plugins import MODELS, find_plugins, load_plugin

KIND = "model"
RELEASED = ("en", "es", "de")
"""Languages that have a model to be installed, each as `grassmeans-LANGUAGE`."""


def list_models() -> list[str]:
    """The names of the models that are installed."""
    return sorted(find_plugins(MODELS))


def installed_folder(name: str) -> Path:
    """The folder of an installed model."""
    return Path(load_plugin(MODELS, name))


def is_installed(folder: Path) -> bool:
    """Whether a folder is that of an installed model, which nobody writes beside."""
    return installed_name(folder) is not None


def installed_name(folder: Path) -> str | None:
    """The name of the installed model whose folder it is; None for any other folder."""
    names = (n for n in list_models() if installed_folder(n).resolve() == folder.resolve())
    return next(names, None)


def resolve_name(path_or_name: str | Path) -> Path:
    """The folder of an installed model where it is the name of one; else the path as it is.

    A folder written by grassmeans goes before an installed model of the same name; any other
    folder of that name (texts in English, say, in ``en``) does not.
    """
    if expected := check_path(path_or_name):
        raise InputError(f"a model must be named by {expected}; got {shorten(path_or_name)}")
    place = Path(path_or_name)
    if (place / MANIFEST).exists() or str(path_or_name) not in list_models():
        return place
    return installed_folder(str(path_or_name))


def is_model(path: Path) -> bool:
    """Whether a path is the folder of a model."""
    manifest = find_manifest(path)
    return manifest is not None and manifest["kind"] == KIND


def find_model(path_or_name: str | Path) -> Path:
    """The folder of a model: a path, or the name of an installed model.

    `ArtifactError` where there is neither; it names the models there are, or how to get one.
    """
    folder = resolve_name(path_or_name)
    if not folder.exists() and not building_place(folder).exists():
        raise ArtifactError(
            f"there is no model at {folder}: give the folder that `grassmeans induce` wrote, "
            f"{_tell_installed(str(path_or_name))}"
        )
    return folder


def _tell_installed(name: str) -> str:
    names = list_models()
    there_are = f"the name of an installed model: {', '.join(names) or 'there is none'}"
    if len(name) != 2 or not name.isalpha() or name in names:
        return f"or {there_are}"
    if name in RELEASED:
        return f"or install the model of that name (pip install grassmeans-{name})"
    return (
        f"or {there_are}. There is no model of the language {name!r} to be installed "
        f"(those there are: {', '.join(RELEASED)}); one is made from its text by "
        f"`grassmeans model TEXT -o {name}-model --language {name}`"
    )
