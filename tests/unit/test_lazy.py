from __future__ import annotations

import importlib
import sys

import pytest

PACKAGE = """\
from grassmeans.lazy import give_names

names = {"shapes": ("Square",), "sizes": ("SMALL", "LARGE")}
__all__, __getattr__, __dir__ = give_names(__name__, names)
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    folder = tmp_path / "lazy_package_of_a_test"
    folder.mkdir()
    (folder / "__init__.py").write_text(PACKAGE)
    (folder / "shapes.py").write_text("class Square: ...\n")
    (folder / "sizes.py").write_text("SMALL, LARGE = 1, 9\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield importlib.import_module(folder.name)
    for name in [name for name in sys.modules if name.startswith(folder.name)]:
        del sys.modules[name]


def test_a_module_is_imported_when_a_name_of_it_is_used(package):
    assert f"{package.__name__}.sizes" not in sys.modules
    assert package.LARGE == 9
    assert f"{package.__name__}.sizes" in sys.modules
    assert f"{package.__name__}.shapes" not in sys.modules
    assert package.Square.__name__ == "Square"


def test_a_name_is_looked_up_once(package):
    assert "SMALL" not in vars(package)
    assert package.SMALL == 1
    assert vars(package)["SMALL"] == 1


def test_names_are_listed_and_others_refused_as_by_any_module(package):
    assert package.__all__ == ["Square", "SMALL", "LARGE"]
    assert dir(package) == ["LARGE", "SMALL", "Square"]
    with pytest.raises(AttributeError, match="'lazy_package_of_a_test' has no attribute 'MIDDLE'"):
        _ = package.MIDDLE
