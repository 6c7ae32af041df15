"""What a process runs: a run whose processes differ in it gives results that nobody else gets."""

from __future__ import annotations

import functools
import hashlib
import importlib
import platform
from collections.abc import Mapping
from pathlib import Path

from grassmeans.version import __version__

_PACKAGE = Path(__file__).parents[1]
_COMPUTES = ("numpy", "scipy", "numba")


@functools.cache
def describe_software() -> dict[str, str]:
    """Names and versions of everything that results depend on; of our own code also a digest."""
    python = ".".join(platform.python_version_tuple()[:2])
    versions = {name: importlib.import_module(name).__version__ for name in _COMPUTES}
    return {
        "grassmeans": f"{__version__} (code {digest_of_code(_PACKAGE)})",
        "Python": python,
        **versions,
    }


def digest_of_code(package: Path) -> str:
    """A short digest of all files of a package that are run, and of their places in it."""
    found = hashlib.sha256()
    sources = (path for kind in ("*.py", "*.cu") for path in package.rglob(kind))
    for path in sorted(sources, key=lambda path: path.relative_to(package).as_posix()):
        content = path.read_bytes()
        found.update(f"{path.relative_to(package).as_posix()}\n{len(content)}\n".encode())
        found.update(content)
    return found.hexdigest()[:12]


def tell_differences(there: Mapping[str, str], here: Mapping[str, str]) -> str:
    """What is another one there, in words; nothing where all is the same."""
    return ", ".join(
        f"{name} {there[name]} in place of {version}"
        for name, version in here.items()
        if there.get(name, version) != version
    )
