"""Commands, names, paths and links of the documentation lead somewhere; `test_pages` runs it."""

from __future__ import annotations

import importlib.util
import pkgutil
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

import grassmeans
from grassmeans.cli.main import app

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)
PAGES = sorted(
    path
    for path in [ROOT / "README.md", *ROOT.glob("docs/**/*.md")]
    if path.exists() and "adr" not in path.parts
)

pytestmark = pytest.mark.skipif(
    not (ROOT / "docs").is_dir(), reason="the documentation is not here: only the package is tested"
)


def blocks(page: Path, *languages: str) -> list[str]:
    found = FENCE.findall(page.read_text(encoding="utf-8"))
    return [code for language, code in found if language in languages]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_in_the_docs_have_the_options_they_show(page: Path) -> None:
    runner = CliRunner()
    for block in blocks(page, "sh", "bash", "console"):
        for line in block.replace("\\\n", " ").splitlines():
            for command in re.findall(r"(?:^|\| *)grassmeans ([^|#]*)", line.lstrip("$ ")):
                name, *rest = shlex.split(command)
                if name.startswith("-"):
                    continue
                group = [rest[0]] if name == "build-dataset" else []
                result = runner.invoke(app, [name, *group, "--help"], env={"COLUMNS": "200"})
                assert result.exit_code == 0, f"{page.name}: no command {name!r}"
                for option in (word for word in rest if re.match(r"--?[a-z]", word)):
                    shown = option.split("=")[0]
                    assert shown in result.output, f"{page.name}: {name} has no {shown}"


def test_public_names_are_there_and_documented() -> None:
    reference = (ROOT / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
    for name in grassmeans.__all__:
        assert getattr(grassmeans, name) is not None
        if not name.startswith("_"):
            assert f"`grassmeans.{name}`" in reference
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = grassmeans.nothing


def test_links_between_pages_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+\.md)(?:#[^)]*)?\)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


CODE = re.compile(r"`([^`\n]+)`")
FOLDERS = tuple(
    f"{path.name}/"
    for parent in (ROOT, ROOT / "src" / "grassmeans")
    for path in (parent.iterdir() if parent.is_dir() else ())
    if path.is_dir() and not path.name.startswith((".", "_"))
)
TREE_PAGES = [
    path
    for path in [*PAGES, ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/adr/*.md"))]
    if path.exists()
]


@pytest.mark.parametrize("page", TREE_PAGES, ids=lambda page: page.name)
def test_paths_and_names_lead_somewhere(page: Path) -> None:
    for code in CODE.findall(page.read_text("utf-8")):
        if code.startswith(FOLDERS) and re.fullmatch(r"[\w./-]+", code):
            places = (ROOT / code, ROOT / "src" / "grassmeans" / code)
            assert any(place.exists() for place in places), f"{page.name}: no {code}"
        elif re.fullmatch(r"grassmeans(\.\w+)+", code):
            assert pkgutil.resolve_name(_split(code)) is not None


def _split(name: str) -> str:
    """``package.module:attribute`` for a dotted name, with the longest module that there is."""
    parts = name.split(".")
    for n in range(len(parts), 0, -1):
        module = ".".join(parts[:n])
        try:
            if importlib.util.find_spec(module) is not None:
                return f"{module}:{'.'.join(parts[n:])}"
        except ModuleNotFoundError:
            continue
    raise AssertionError(f"there is no {name}")


def test_every_row_of_the_paper_map_leads_into_the_tree() -> None:
    text = (ROOT / "docs" / "paper-map.md").read_text("utf-8")
    sections = text.split("\n## ")
    rows = [
        line.split(" | ")
        for section in sections[1:3]
        for line in section.splitlines()
        if line.startswith("| ") and not line.startswith(("| paper", "|---"))
    ]
    assert len(rows) > 25
    for row in rows:
        found = CODE.findall(" | ".join(row[1:]))
        assert any(re.search(r"grassmeans|KGrassmeans|\.py$|/$", code) for code in found), row[0]


def test_every_page_is_in_the_navigation() -> None:
    listed = set(re.findall(r"\S+\.md$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE))
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in ROOT.glob("docs/**/*.md")}
    assert pages == listed
