"""Fields of results in the reference, as one table for each class.

An extension of Griffe, by which mkdocstrings reads docstrings: what stands below the fields of a
class, or of those that it inherits from, becomes a section of the class's own docstring.
"""

from __future__ import annotations

from typing import Any

import griffe


class FieldTables(griffe.Extension):
    """Gather the docstrings of fields in the docstrings of their classes."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Look at a package that was read as a whole."""
        fields: dict[str, dict[str, str]] = {}
        classes = [cls for module in _walk(pkg) for cls in module.classes.values()]
        classes = [cls for cls in classes if not cls.is_alias and cls.docstring is not None]
        for cls in classes:
            fields[cls.path] = {}
            for parent in (*reversed(cls.mro()), cls):
                fields[cls.path] |= _read_fields(parent)
        for cls in classes:
            for attribute in cls.attributes.values():
                if _is_field(attribute):
                    attribute.docstring = None
            if cls.docstring is not None and fields[cls.path]:
                rows = (f"{name}\n    {text}" for name, text in fields[cls.path].items())
                cls.docstring.value += "\n\nAttributes\n----------\n" + "\n".join(rows)


def _walk(module: griffe.Module) -> list[griffe.Module]:
    inside = [found for found in module.modules.values() if not found.is_alias]
    return [module, *(deeper for found in inside for deeper in _walk(found))]


def _is_field(attribute: Any) -> bool:
    return not attribute.is_alias and "property" not in attribute.labels


def _read_fields(cls: griffe.Class) -> dict[str, str]:
    """What is said of each field of its own: one with a type, as those of data classes are."""
    return {
        name: " ".join(field.docstring.value.split())
        for name, field in cls.attributes.items()
        if _is_field(field) and field.annotation is not None and field.docstring is not None
    }
