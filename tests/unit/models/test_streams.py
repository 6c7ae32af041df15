"""Streams of texts and rows of tables; `tests/unit/integrations/test_iterables.py` has records."""

from __future__ import annotations

import itertools

import pytest

from crane_model import save_crane_model
from grassmeans.errors import InputError
from grassmeans.integrations.iterables import tag_iter
from grassmeans.models.model import SenseModel, load

BIRD, MACHINE = "A crane on the nest.", "Steel crane."
ROWS = {"id": [7, 8], "body": [BIRD, MACHINE]}


@pytest.fixture(scope="module")
def cranes(tmp_path_factory) -> SenseModel:
    return load(save_crane_model(tmp_path_factory.mktemp("streams") / "cranes"))


def test_a_pipe_gives_what_tagging_one_by_one_does(cranes) -> None:
    found = list(cranes.pipe(iter([BIRD, MACHINE, ""]), batch_size=2))
    assert found == [cranes.tag(BIRD), cranes.tag(MACHINE), cranes.tag("")]
    assert [len(tagged) for tagged in cranes.pipe([BIRD], words="façade")] == [0]


def test_a_pipe_reads_a_batch_when_it_is_asked_for(cranes) -> None:
    read = itertools.count()
    tagged = cranes.pipe((f"{BIRD} {next(read)}" for _ in itertools.count()), batch_size=10)
    assert next(read) == 0
    next(tagged)
    assert next(read) == 11


def test_a_pipe_of_pairs_keeps_what_comes_with_the_texts(cranes) -> None:
    pairs = cranes.pipe([(BIRD, {"id": 1}), (MACHINE, None)], as_tuples=True)
    assert [(tagged[0].label, other) for tagged, other in pairs] == [
        ("crane.1", {"id": 1}),
        ("crane.2", None),
    ]
    with pytest.raises(InputError, match=r"texts are pairs \(text, anything\), got 'A crane"):
        list(cranes.pipe([BIRD], as_tuples=True))


@pytest.mark.parametrize(
    "make",
    [
        lambda: pytest.importorskip("pandas", reason="for development").DataFrame(ROWS, ["x", "y"]),
        lambda: pytest.importorskip("polars", reason="for development").DataFrame(ROWS),
        lambda: pytest.importorskip("pyarrow", reason="needs the extra parquet").table(ROWS),
        lambda: pytest.importorskip("datasets", reason="for development").Dataset.from_dict(ROWS),
        lambda: (
            pytest.importorskip("datasets", reason="for development")
            .Dataset.from_dict(ROWS)
            .to_iterable_dataset()
        ),
    ],
    ids=["pandas", "polars", "arrow", "data set", "stream"],
)
def test_rows_of_tables_come_back_whole(cranes, make) -> None:
    pairs = list(tag_iter(make(), cranes, column="body"))
    assert [row for row, _ in pairs] == [{"id": 7, "body": BIRD}, {"id": 8, "body": MACHINE}]
    assert [tagged[0].label for _, tagged in pairs] == ["crane.1", "crane.2"]
    assert list(tag_iter(make(), cranes, text_of="body")) == pairs
    assert list(tag_iter(make(), cranes, text_of=lambda row: row["body"])) == pairs
    assert list(cranes.pipe(make(), column="body")) == [tagged for _, tagged in pairs]
    assert cranes.tag_many(make(), column="body") == [tagged for _, tagged in pairs]
