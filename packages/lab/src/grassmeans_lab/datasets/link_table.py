"""All linked words of a corpus: which word, which page, where; and which pages are the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.shard import Shard
from grassmeans.errors import InputError
from grassmeans.evaluation.instances import read_numbered_lines
from grassmeans.progress import progress_bar
from grassmeans.text.wikitext import normalize_title
from grassmeans_lab.datasets.shard_links import has_links, read_links, read_redirects
from grassmeans_lab.datasets.writing import Positions

_MAX_STEPS = 5


@dataclass(frozen=True, slots=True)
class LinkTable:
    """Links whose text is one word, in the order of the corpus.

    Attributes
    ----------
    words : (n_links,) int32
        Token ids.
    pages : (n_links,) int32
        Numbers of ``titles``.
    positions : (n_links,) int64
        Of the words in the corpus.
    titles : list of str
        The pages; no redirects among them.
    """

    words: NDArray[np.int32]
    pages: NDArray[np.int32]
    positions: Positions
    titles: list[str]

    def find_senses(
        self, group_of: NDArray[np.int32], min_instances: int
    ) -> dict[int, dict[str, Positions]]:
        """Occurrences by group of words and by page, pages with the most occurrences first.

        Parameters
        ----------
        group_of : (n_types,) int32
            The group of every token id; -1 for words that are not wanted.
        min_instances : int
            Pages with fewer occurrences of a group are left out.
        """
        groups = group_of[self.words]
        wanted = np.flatnonzero(groups >= 0)
        pairs = groups[wanted].astype(np.int64) * len(self.titles) + self.pages[wanted]
        order = np.argsort(pairs, kind="stable")
        kinds, starts, counts = np.unique(pairs[order], return_index=True, return_counts=True)
        frequent = np.flatnonzero(counts >= min_instances)
        senses: dict[int, dict[str, Positions]] = {}
        for i in sorted(frequent.tolist(), key=lambda i: -int(counts[i])):
            group, page = divmod(int(kinds[i]), len(self.titles))
            rows = wanted[order[starts[i] : starts[i] + counts[i]]]
            senses.setdefault(group, {})[self.titles[page]] = self.positions[rows]
        return senses


def collect_links(
    corpus: Corpus, merges: Mapping[str, str] | None = None, *, show_progress: bool | None = None
) -> LinkTable:
    """Collect the links whose text is one word of the vocabulary and nothing else.

    Parameters
    ----------
    merges : mapping, optional
        Page -> page that it counts as, besides the redirects of the dump.

    `InputError` where the corpus has no links.
    """
    if not any(has_links(shard) for shard in corpus.shards):
        raise InputError(
            f"{corpus.path} has no links: make it of a Wikipedia dump (pages-articles.xml) with "
            "keep_links=True"
        )
    numbers: dict[str, int] = {}
    parts = []
    with progress_bar("links", len(corpus.shards), unit="shards", show=show_progress) as advance:
        for shard in corpus.shards:
            parts.append(_links_of_shard(shard, numbers))
            advance()
    words, pages, positions = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    final, titles = _resolve_pages(corpus, list(numbers), merges or {})
    return LinkTable(words, final[pages], positions, titles)


def _links_of_shard(
    shard: Shard, numbers: dict[str, int]
) -> tuple[NDArray[np.int32], NDArray[np.int32], Positions]:
    """Word, page and position of a shard's one-word links; new pages get the next numbers."""
    links = read_links(shard)
    spans = np.asarray(links.spans)
    spans = spans[(spans[:, 1] - spans[:, 0] == 1) & links.exact]
    words = np.asarray(shard.tokens)[spans[:, 0]]
    spans, words = spans[words >= 0], words[words >= 0]
    local, inverse = np.unique(spans[:, 2], return_inverse=True)
    found = [numbers.setdefault(links.targets[i], len(numbers)) for i in local.tolist()]
    pages = np.array(found, np.int32)[inverse.reshape(-1)]
    return words, pages, shard.first_position + spans[:, 0].astype(np.int64)


def _resolve_pages(
    corpus: Corpus, titles: list[str], merges: Mapping[str, str]
) -> tuple[NDArray[np.int32], list[str]]:
    """The final number of every page, and the titles of these numbers."""
    leads_to = find_redirects(corpus, [*titles, *merges.values()]) | dict(merges)
    numbers: dict[str, int] = {}
    final = [numbers.setdefault(resolve_page(t, leads_to), len(numbers)) for t in titles]
    return np.array(final, np.int32), list(numbers)


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
            for source, target in read_redirects(shard).items()
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

    `InputError` with the line that is not so.
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
