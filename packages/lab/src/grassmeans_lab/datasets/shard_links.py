"""The links of a corpus that was made with ``keep_links``, read from the files of its shards."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grassmeans.arrays import Booleans, Integers
from grassmeans.artifacts.checking import check_range, damaged, has_file, open_array, read_json
from grassmeans.artifacts.schema import each, text
from grassmeans.corpus.shard import EXACT_LINKS, LINK_TARGETS, LINKS, REDIRECTS, Shard


@dataclass(frozen=True, slots=True)
class ShardLinks:
    """The links of a shard."""

    spans: Integers  # (n_links, 3) start and end of each link's tokens, and its number of targets
    exact: Booleans  # (n_links,) whether a link's text is its tokens alone
    targets: list[str]  # the pages that the links lead to


def has_links(shard: Shard) -> bool:
    """Whether link annotations were kept."""
    return has_file(shard.folder / LINKS)


def read_links(shard: Shard) -> ShardLinks:
    """The links of a shard, checked; none where they were not kept."""
    if not has_links(shard):
        return ShardLinks(np.empty((0, 3), np.int32), np.empty(0, np.bool_), [])
    targets = read_json(shard.folder / LINK_TARGETS)
    if each(text)(targets):
        raise damaged(shard.folder / LINK_TARGETS, "it is no list of pages")
    path, n_tokens = shard.folder / LINKS, shard.sizes.n_tokens
    spans = open_array(path, np.int32, (None, 3))
    check_range(path, spans[:, 0], 0, n_tokens)
    check_range(path, spans[:, 1] - spans[:, 0], 1, n_tokens + 1)
    check_range(path, spans[:, 1], 1, n_tokens + 1)
    check_range(path, spans[:, 2], 0, len(targets))
    exact = np.ones(len(spans), np.bool_)  # older corpora do not know it
    if has_file(shard.folder / EXACT_LINKS):
        exact = open_array(shard.folder / EXACT_LINKS, np.bool_, (len(spans),))
    return ShardLinks(spans, exact, targets)


def read_redirects(shard: Shard) -> dict[str, str]:
    """Redirect page -> the page it leads to, where links were kept."""
    path = shard.folder / REDIRECTS
    found = read_json(path) if has_file(path) else {}
    if not isinstance(found, dict) or each(text)(list(found.values())):
        raise damaged(path, "it does not say where pages lead to")
    return found
