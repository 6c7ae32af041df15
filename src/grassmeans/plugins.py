"""What other installed distributions add, by their entry points: models, commands, test sets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

MODELS = "grassmeans.models"
"""A name -> the folder of a model."""
COMMANDS = "grassmeans.commands"
"""Any name -> a sequence of `CommandPanel`."""
METHODS = "grassmeans.methods"
"""Any name -> a function that makes a system of a method's name; see `evaluate --method`."""
GLOSSES = "grassmeans.glosses"
"""Any name -> a function of a model that gives None, or a function of a word's entry: for each of
its senses None, or what it means and its part of speech, two texts."""
TASKS = "grassmeans.tasks"
"""The name of a test set -> what makes it of its path: a `Task`, or an `InstanceFormat`."""


@dataclass(frozen=True, slots=True)
class CommandPanel:
    """Commands that stand together in the help under a title: by themselves, or as parts of one."""

    title: str
    commands: tuple[Callable[..., None], ...]
    group: str | None = None
    about: str | None = None  # the help of the group


@cache
def find_plugins(group: str) -> dict[str, EntryPoint]:
    """The entry points of a group by their names; nothing is imported yet."""
    return {found.name: found for found in entry_points(group=group)}


def load_plugin(group: str, name: str) -> Any:
    """What an entry point stands for."""
    return find_plugins(group)[name].load()
