"""Pages that are the same page: redirects of the dump, and what a user says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.wikitext import normalize_title
from grassmeans.errors import InputError
from grassmeans.evaluation.text_files import read_numbered_lines

_MAX_STEPS = 5


def find_redirects(corpus: Corpus, pages: Iterable[str]) -> dict[str, str]:
    """The redirects that start at some pages, and those that go on from there.

    A dump has millions of redirects: only the wanted ones are kept, so the shards are read again
    for every step of a chain.
    """
    found: dict[str, str] = {}
    wanted = set(pages)
    for _ in range(_MAX_STEPS):
        step = {
            source: target
            for shard in corpus.shards
            for source, target in shard.redirects().items()
            if source in wanted
        }
        found |= step
        wanted = set(step.values()) - found.keys()
        if not wanted:
            break
    return found


def resolve_page(page: str, leads_to: Mapping[str, str]) -> str:
    """Follow a page to where it leads in the end; in a circle, to its first page by name."""
    seen = [page]
    while (following := leads_to.get(seen[-1])) is not None:
        if following in seen:
            return min(seen[seen.index(following) :])
        seen.append(following)
    return seen[-1]


def read_merges(path: str | Path) -> dict[str, str]:
    """Read which pages count as which others: two titles a line, with a tab between them.

    Raises
    ------
    InputError
        With the line that is not so.
    """
    path = Path(path)
    merges: dict[str, str] = {}
    for number, line in read_numbered_lines(path):
        titles = [normalize_title(title) for title in line.split("\t")]
        if len(titles) != 2 or not all(titles):
            raise InputError(
                f"{path}, line {number}: expected 'page<TAB>page that it counts as', "
                f"found {line[:80]!r}"
            )
        merges[titles[0]] = titles[1]
    return merges
