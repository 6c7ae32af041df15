from __future__ import annotations

import numpy as np
import pytest

from grassmeans.corpus.seen_digests import SeenDigests


def test_a_digest_is_new_once() -> None:
    seen = SeenDigests()
    assert [seen.add(d) for d in (5, 0, -7, 5, 0, -7, 6)] == [True] * 3 + [False] * 3 + [True]
    assert len(seen) == 4


def test_what_was_added_is_known_after_the_table_has_grown() -> None:
    seen = SeenDigests()
    digests = np.random.default_rng(0).integers(-(2**63), 2**63, size=20_000).tolist()
    assert all(seen.add(digest) for digest in digests)
    assert not any(seen.add(digest) for digest in digests)
    assert len(seen) == len(set(digests)) == 20_000
    assert seen.n_bytes / len(seen) < 25


@pytest.mark.parametrize("step", [1024, 2**40])
def test_digests_of_the_same_place_are_told_apart(step) -> None:
    seen = SeenDigests()
    digests = [step * i for i in range(1, 500)]
    assert all(seen.add(digest) for digest in digests)
    assert not any(seen.add(digest) for digest in digests)
    assert seen.add(step * 500)


def test_the_search_goes_on_at_the_beginning_behind_the_last_place() -> None:
    seen = SeenDigests()
    assert seen.add(1023)
    assert seen.add(2047)
    assert seen.add(1024)
    assert not seen.add(2047)
    assert not seen.add(1024)
