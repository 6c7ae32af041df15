"""Commands, names, paths and links of the documentation lead somewhere; `test_pages` runs it."""

from __future__ import annotations

import functools
import importlib.util
import pkgutil
import re
import shlex
import unicodedata
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import grassmeans
from grassmeans import plugins
from grassmeans.cli.main import app
from grassmeans.contexts.interface import ContextEncoder
from grassmeans.corpus.occurrences import Occurrences
from grassmeans.geometry.windows import ContextShape
from grassmeans.senses.induction import induce
from grassmeans.vectors.word_vectors import WordVectors

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)
PAGES = sorted(
    path
    for path in [ROOT / "README.md", *ROOT.glob("docs/**/*.md")]
    if path.exists() and "adr" not in path.parts
)

pytestmark = pytest.mark.skipif(
    not (ROOT / "packages").is_dir(), reason="only the core is here, and pages lead beyond it"
)


def blocks(page: Path, *languages: str) -> list[str]:
    found = FENCE.findall(page.read_text(encoding="utf-8"))
    return [code for language, code in found if language in languages]


@functools.cache
def read_help(*command: str) -> tuple[int, str]:
    """The exit code and the help of a command."""
    result = CliRunner().invoke(app, [*command, "--help"], env={"COLUMNS": "200"})
    return result.exit_code, result.output


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_in_the_docs_have_the_options_they_show(page: Path) -> None:
    for block in blocks(page, "sh", "bash", "console"):
        for line in block.replace("\\\n", " ").splitlines():
            for command in re.findall(r"(?:^|\| *)grassmeans ([^|#]*)", line.lstrip("$ ")):
                name, *rest = shlex.split(command)
                if name.startswith("-"):
                    continue
                group = [rest[0]] if name in ("annotation", "build-dataset") else []
                code, told = read_help(name, *group)
                assert code == 0, f"{page.name}: no command {name!r}"
                for option in (word for word in rest if re.match(r"--?[a-z]", word)):
                    shown = option.split("=")[0]
                    assert shown in told, f"{page.name}: {name} has no {shown}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_scripts_in_the_docs_have_the_options_they_show(page: Path) -> None:
    for block in blocks(page, "sh", "bash", "console"):
        for line in block.replace("\\\n", " ").splitlines():
            for command in re.findall(r"^python ([\w/]+\.py[^|#]*)", line.lstrip("$ ")):
                name, *rest = shlex.split(command)
                script = (ROOT / name).read_text(encoding="utf-8")
                for option in (word for word in rest if re.match(r"--?[a-z]", word)):
                    assert re.search(f'"(--)?{option.lstrip("-")}"|"{option}"', script), (
                        f"{page.name}: {name} has no {option}"
                    )


def test_public_names_are_there_and_documented() -> None:
    reference = (ROOT / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
    for name in grassmeans.__all__:
        assert getattr(grassmeans, name) is not None
        if not name.startswith("_"):
            assert f"`grassmeans.{name}`" in reference
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = grassmeans.nothing


LINKED_PAGES = sorted(
    path
    for pattern in ("*.md", "docs/**/*.md", "packages/*/README.md", "benchmarks/README.md")
    for path in ROOT.glob(pattern)
)
_LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)")


def prose(page: Path) -> str:
    """The text of a page without its blocks of code."""
    return re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """What MkDocs makes of the headings of a page."""
    headings = re.findall(r"^#+ +(.+?) *$", prose(page), re.MULTILINE)
    ascii_only = (
        unicodedata.normalize("NFKD", heading).encode("ascii", "ignore") for heading in headings
    )
    plain = (re.sub(r"[^\w\s-]", "", heading.decode()).strip().lower() for heading in ascii_only)
    return {re.sub(r"[\s-]+", "-", heading) for heading in plain}


@pytest.mark.parametrize("page", LINKED_PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target, anchor in _LINK.findall(prose(page)):
        place = page.parent / target if target else page
        assert place.exists(), f"links to {target}"
        if anchor and place.suffix == ".md":
            assert anchor in anchors(place), f"links to {target}#{anchor}"


CODE = re.compile(r"`([^`\n]+)`")
ENTRY_POINTS = (plugins.COMMANDS, plugins.METHODS, plugins.MODELS, plugins.TASKS)
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
        elif re.fullmatch(r"grassmeans(\.\w+)+", code) and code not in ENTRY_POINTS:
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
    listed = re.findall(r"\S+\.(?:md|ipynb)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
    found = [*ROOT.glob("docs/**/*.md"), *ROOT.glob("docs/**/*.ipynb")]
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in found}
    assert pages == set(listed)
    assert len(listed) == len(set(listed))


@pytest.fixture(scope="module")
def centroids() -> type[ContextEncoder]:
    """The kind of context that the page on architecture shows."""
    (example,) = blocks(ROOT / "docs" / "architecture.md", "python")
    names: dict[str, object] = {"__name__": "centroid"}
    exec(compile(example, "architecture.md", "exec"), names)
    found = names["Encoder"]
    assert isinstance(found, type)
    assert issubclass(found, ContextEncoder)
    return found


def test_the_kind_of_context_in_the_docs_is_a_mean(centroids: type[ContextEncoder]) -> None:
    vectors = WordVectors(["crane", "bird", "lake"], np.array([[1, 1], [3, 0], [0, 4]], np.float32))
    encoder = centroids(vectors, ContextShape(window=2), frozenset({"the"}))
    words = ["the", "bird", "crane", "lake", "unseen"]  # "the bird crane lake unseen; crane"
    tokens = np.array([0, 1, 2, 3, -1, 2], np.int32)
    text = Occurrences(tokens, np.array([0, 5, 6]), np.array([2, 5]), words)
    bases = encoder.encode(text)
    np.testing.assert_allclose(bases, [[[0.6, 0.8]], [[0, 0]]], rtol=1e-6)
    weights = encoder.weigh_words(text, np.array([[-1, 0], [1, 0]], np.float32))
    assert weights == [[(1, 1.0), (3, 0.0)], []]
    (halves, _) = encoder.weigh_words(text, np.array([[4, 3], [1, 0]], np.float32))
    assert halves == [(1, pytest.approx(0.5)), (3, pytest.approx(0.5))]


def test_the_kind_of_context_in_the_docs_finds_senses(
    centroids: type[ContextEncoder], topic_corpus, topic_vectors
) -> None:
    encoder = centroids(topic_vectors, ContextShape(), frozenset())
    found = induce(topic_corpus, encoder, ["crane", "bank"], n_senses=2)
    for word, topics in {"crane": ("bird", "machine"), "bank": ("river", "money")}.items():
        named = [sense.characteristic_words[0] for sense in found[word].senses]
        assert {topic for topic in topics for name in named if name.startswith(topic)} == {*topics}
