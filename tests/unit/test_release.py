"""All distributions have one version, one address, their licence and a README for an index."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
from packaging.requirements import Requirement

from grassmeans.version import __version__

ROOT = Path(__file__).parents[2]
MODELS = ("en", "es", "de")
PACKAGES = [ROOT, *(ROOT / "packages" / name for name in (*MODELS, "explorer", "lab"))]

pytestmark = pytest.mark.skipif(
    not (ROOT / "packages").is_dir(), reason="only the sources of the core are here"
)
each_package = pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)


def read_project(package: Path) -> dict:
    return tomllib.loads((package / "pyproject.toml").read_text("utf-8"))


@each_package
def test_versions_follow_one_source(package: Path) -> None:
    about = read_project(package)
    source = package / about["tool"]["hatch"]["version"]["path"]
    assert source.resolve() == ROOT / "src" / "grassmeans" / "version.py"
    assert "version" in about["project"]["dynamic"]
    core = [r for r in map(Requirement, about["project"]["dependencies"]) if r.name == "grassmeans"]
    for requirement in core:  # what is released together works together
        assert requirement.specifier.contains(__version__)
        assert f">={__version__}" in str(requirement.specifier)


@each_package
def test_the_licence_and_where_all_comes_from_are_in_the_package(package: Path) -> None:
    about = read_project(package)["project"]
    first = "Creative Commons" if package.name in MODELS else "Apache License"
    assert about["license"] == ("CC-BY-SA-4.0" if package.name in MODELS else "Apache-2.0")
    assert {"LICENSE", "NOTICE"} <= set(about["license-files"])
    assert first in (package / "LICENSE").read_text("utf-8")
    assert all((package / name).is_file() for name in about["license-files"])
    typed = [module for module in package.glob("src/*/*.py") if package.name not in MODELS]
    assert all((module.parent / "py.typed").is_file() for module in typed)


@pytest.mark.parametrize("model", MODELS)
def test_the_notice_of_a_model_has_the_counts_of_its_sources(model: str) -> None:
    folder = ROOT / "packages" / model
    notice = (folder / "NOTICE").read_text("utf-8")
    told = re.findall(r'"words": (\d+)', (folder / "about.json").read_text("utf-8"))
    assert {f"{int(words):,}" for words in told} == set(re.findall(r"^ +([\d,]+)  ", notice, re.M))


def load(name: str) -> ModuleType:
    pytest.importorskip("hatchling", reason="needs hatchling")
    spec = importlib.util.spec_from_file_location(name, ROOT / "release" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_links_of_the_readme_are_absolute_on_an_index() -> None:
    text = "[a\nb](docs/a.md#x) [c](https://c.org) ![p](docs/p.png) [d](#d) `[e](f)`"
    shown = load("readme").make_absolute(text, "https://s.org/g", "v1")
    assert shown == (
        "[a\nb](https://s.org/g/blob/v1/docs/a.md#x) [c](https://c.org) "
        "![p](https://s.org/g/raw/v1/docs/p.png) [d](#d) `[e](https://s.org/g/blob/v1/f)`"
    )


def test_there_is_one_address() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    (patterns,) = re.findall(r"^ADDRESSED = (.+)$", makefile, re.MULTILINE)
    patterns = re.sub(r"\$\(wildcard (.+?)\)", r"\1", patterns)
    told = {path for pattern in patterns.split() for path in ROOT.glob(pattern)}
    address = read_project(ROOT)["project"]["urls"]["Source"]
    assert all(address in path.read_text("utf-8") for path in told)
    for package in PACKAGES:
        urls = read_project(package)["project"]["urls"]
        assert all(url.startswith(address) for url in urls.values())
    elsewhere = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob(".github/**/*.*")]
    assert [path for path in elsewhere if address in path.read_text("utf-8")] == [
        path for path in elsewhere if path in told
    ]


def test_the_citation_has_the_version() -> None:
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"\nversion: {__version__}\n" in citation
