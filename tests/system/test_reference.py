"""The reference of Python has every public name, every class that a user meets, and its fields."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import inspect
import pkgutil
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import grassmeans

REFERENCE = Path(__file__).parents[2] / "docs" / "reference" / "api"
PUBLIC = ("evaluation", "integrations", "labelling", "lexemes", "models", "vectors")
NOT_MET = {  # given by something public, and of no use without what is inside
    "Answering", "CompactInventory", "LanguageCheck", "Lemmas", "LexemeIds", "ModelSenses",
    "NearestRows", "Occurrences", "PhraseTrie", "Senses", "SenseLines", "Shard", "SoftShard",
    "Stretch", "Table", "Targets", "TokenText",
}  # fmt: skip

pytestmark = pytest.mark.skipif(not REFERENCE.is_dir(), reason="the documentation is not here")


CORE = [
    name
    for path in sorted(REFERENCE.glob("*.md"))
    for name in re.findall(r"^::: (grassmeans\.\S+)$", path.read_text("utf-8"), re.MULTILINE)
]


def resolve(name: str) -> Any:
    """What a dotted name is, of the longest module in it."""
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute)


def find_classes() -> dict[str, list[type]]:
    """The public classes of the core by their names."""
    found: dict[str, list[type]] = {}
    for module in pkgutil.walk_packages(grassmeans.__path__, "grassmeans."):
        if re.search(r"\.(cli|gpu|kernels|pictures|terminal|__main__)\b", module.name):
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            if inspect.isclass(value) and value.__module__ == module.name and name[0] != "_":
                found.setdefault(value.__name__, []).append(value)
    return found


def annotations_of(thing: Any) -> Iterator[str]:
    """What a user gets from a function, or from the fields and methods of a class, as written."""
    if not inspect.isclass(thing):
        yield str(getattr(thing, "__annotations__", {}).get("return", ""))
        return
    for parent in thing.__mro__:
        if not parent.__module__.startswith("grassmeans"):
            continue
        own = vars(parent)
        yield from (str(a) for n, a in own.get("__annotations__", {}).items() if n[0] != "_")
        for name, value in own.items():
            if name[0] != "_" or name in ("__call__", "__getitem__", "__iter__"):
                parts = (getattr(value, part, None) for part in ("fget", "func", "__func__"))
                function = next((part for part in parts if part is not None), value)
                yield str(getattr(function, "__annotations__", {}).get("return", ""))


def find_met() -> list[Any]:
    """Every public name, and every class that something public gives."""
    todo = [getattr(grassmeans, name) for name in grassmeans.__all__ if name[0] != "_"]
    for package in PUBLIC:
        module = importlib.import_module(f"grassmeans.{package}")
        todo += [getattr(module, name) for name in module.__all__]
    classes = find_classes()
    met: list[Any] = []
    while todo:
        thing = todo.pop()
        if thing in met or thing.__name__ in NOT_MET:
            continue
        met.append(thing)
        for annotation in annotations_of(thing):
            for name in re.findall(r"\w+", annotation):
                todo += classes.get(name, [])
    return met


def test_the_reference_has_all_that_a_user_meets() -> None:
    assert len(CORE) == len(set(CORE)), "a name stands in the reference twice"
    met, listed = find_met(), [resolve(name) for name in CORE]
    assert {"find_senses", "TaggedWord", "Sense", "Neighbour"} <= {thing.__name__ for thing in met}
    missing = [f"{thing.__module__}.{thing.__name__}" for thing in met if thing not in listed]
    assert not missing, f"write them into a page of {REFERENCE}, or into NOT_MET"


def list_fields(listed: type) -> list[str]:
    if dataclasses.is_dataclass(listed):
        return [field.name for field in dataclasses.fields(listed) if field.name[0] != "_"]
    return list(getattr(listed, "_fields", ()))


def list_explained(listed: type) -> set[str]:
    """Fields with words of their own: in a section of the docstring, or below the field."""
    found: set[str] = set()
    for parent in listed.__mro__:
        if not parent.__module__.startswith("grassmeans"):
            continue
        doc = inspect.getdoc(parent) or ""
        for names in re.findall(r"^(\w+(?:, \w+)*)(?: :.*)?\n    ", doc, re.MULTILINE):
            found |= set(names.split(", "))
        found |= set(re.findall(r"^(\w+) : ", doc, re.MULTILINE))
        (tree,) = ast.parse(textwrap.dedent(inspect.getsource(parent))).body
        assert isinstance(tree, ast.ClassDef)
        for field, below in zip(tree.body, tree.body[1:], strict=False):
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                is_text = isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
                found |= {field.target.id} if is_text else set()
    return found


@pytest.mark.parametrize("name", CORE)
def test_what_is_listed_is_explained(name: str) -> None:
    listed = resolve(name)
    assert inspect.getdoc(listed)
    if inspect.isclass(listed):
        assert set(list_fields(listed)) <= list_explained(listed)
