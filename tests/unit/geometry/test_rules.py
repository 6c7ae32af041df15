"""What a kind of context says of its groups, and what is no rule."""

from __future__ import annotations

import pytest

from grassmeans.errors import InputError
from grassmeans.geometry.rules import GroupingRules


def test_granularity_turns_both_limits() -> None:
    rules = GroupingRules(merge_cosine=0.496, part_cosine=0.64, rare_ease=0.3)
    turned = rules.turn(1.5)
    assert turned.merge_cosine == pytest.approx(0.6266, abs=1e-4)  # 0.496 ** (2 / 3)
    assert turned.part_cosine == pytest.approx(0.7427, abs=1e-4)  # 0.64 ** (2 / 3)
    assert turned.rare_ease == 0.3
    assert rules.turn(1.0) == rules
    assert rules.turn(1e-9).merge_cosine == 0.0


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ({"max_senses": 0}, "max_senses must be a whole number from 1 to 10,000; got 0"),
        ({"few_contexts": 2.5}, "few_contexts must be a whole number, 1 or more; got 2.5"),
        ({"merge_cosine": -0.1}, "merge_cosine must be a number from 0 to 1; got -0.1"),
        ({"merge_slope": "steep"}, "merge_slope must be a number from 0 to 1; got 'steep'"),
        ({"part_cosine": float("nan")}, "part_cosine must be a number from 0 to 1; got nan"),
        ({"rare_ease": 1.1}, "rare_ease must be a number from 0 to 1; got 1.1"),
        ({"by_tree": 1}, "by_tree must be true or false; got 1"),
        ({"by_silhouette": 0}, "by_silhouette must be true or false; got 0"),
        ({"by_pairs": "no"}, "by_pairs must be true or false; got 'no'"),
    ],
)
def test_what_is_no_rule_is_explained(rule, message) -> None:
    with pytest.raises(InputError, match=message):
        GroupingRules(**rule)
