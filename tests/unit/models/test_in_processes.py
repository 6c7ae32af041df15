"""Tagging by several processes: the same answers in the same order, from whatever model."""

from __future__ import annotations

import pytest

from grassmeans.errors import InputError
from grassmeans.integrations import tag_iter
from grassmeans.models import in_processes
from grassmeans.models.in_processes import cut_blocks, tag_blocks
from grassmeans.models.model import load
from grassmeans.reading.given import make_document
from grassmeans.senses.inventory import SenseInventory

BIRD, MACHINE = "A crane on the nest.", "Steel crane."
TEXTS = [BIRD, MACHINE, "nothing", MACHINE, BIRD, "Cranes nest.", MACHINE]


@pytest.fixture
def small_blocks(monkeypatch) -> None:
    given = (2, 1_000, *in_processes.cut_blocks.__defaults__[2:])
    monkeypatch.setattr(in_processes.cut_blocks, "__defaults__", given)


def test_blocks_end_at_documents_or_characters() -> None:
    documents = [make_document(text) for text in ("12345", "1", "2", "3", "1234567890", "4")]
    found = [[x.text for x in block] for block in cut_blocks(documents, 3, 6)]
    assert found == [["12345", "1"], ["2", "3", "1234567890"], ["4"]]
    assert list(cut_blocks([])) == []


@pytest.mark.usefixtures("small_blocks")
def test_answers_and_their_order_do_not_depend_on_workers(model) -> None:
    alone = model.tag_many(TEXTS)
    assert model.tag_many(TEXTS, workers=2) == alone
    assert model.tag_many(TEXTS, workers=2, words="bank") == model.tag_many(TEXTS, words="bank")
    always = model.tag_many(TEXTS, workers=2, idk_threshold=None)
    assert always == model.tag_many(TEXTS, idk_threshold=None) != alone


@pytest.mark.usefixtures("small_blocks")
def test_processes_have_the_senses_and_lemmas_of_a_changed_model(model) -> None:
    one_sense = model.with_inventory(
        SenseInventory([entry for word, entry in model.inventory.items() if word == "bank"])
    )
    assert not any(map(len, one_sense.tag_many(TEXTS, workers=2)))
    lemmas = model.with_lemmas({"cranes": "crane"}.get)
    found = [[word.key for word in tagged] for tagged in lemmas.tag_many(TEXTS, workers=2)]
    assert found[5] == ["crane"]
    assert [len(words) for words in found] == [1, 1, 0, 1, 1, 1, 1]


def test_the_first_block_is_tagged_here_and_the_others_when_they_are_wanted(
    model, monkeypatch
) -> None:
    started = []
    monkeypatch.setattr(in_processes, "map_tasks", lambda *given: started.append(given) or iter([]))
    blocks = tag_blocks(model, iter([[make_document(BIRD)], [make_document(MACHINE)]]), 2)
    assert next(blocks) == model.tag_many([BIRD])
    assert not started
    list(blocks)
    assert len(started) == 1
    list(tag_blocks(model, [[make_document(BIRD)]], 2))  # nothing is left for others
    assert len(started) == 1


def test_a_stream_is_tagged_by_several_processes_in_order(model) -> None:
    rows = [{"text": text, "id": i} for i, text in enumerate(TEXTS)]
    pairs = list(tag_iter(rows, model, batch_size=2, workers=2))
    assert [row["id"] for row, _ in pairs] == list(range(len(TEXTS)))
    assert [tagged for _, tagged in pairs] == model.tag_many(TEXTS)


def test_a_wrong_number_of_workers_is_refused(model) -> None:
    with pytest.raises(InputError, match="workers must be"):
        model.tag_many(TEXTS, workers=0)


@pytest.mark.usefixtures("small_blocks")
def test_processes_see_a_model_at_its_granularity(model, monkeypatch) -> None:
    lent = []

    def keep(function, tasks, workers):
        lent.extend(given for given, *_ in tasks)
        return iter([])

    monkeypatch.setattr(in_processes, "map_tasks", keep)
    model.granularity = "text"
    list(tag_blocks(model, iter([[make_document(BIRD)]] * 2), 2))
    model.granularity = None
    assert [given.granularity for given in lent] == ["text"]
    seen = []
    opened = load(model.folder)
    monkeypatch.setattr(in_processes, "_open", lambda folder: opened)
    monkeypatch.setattr(type(opened), "at_granularity", lambda self, g: seen.append(g) or self)
    in_processes._tag_block(lent[0], [make_document(BIRD)], {})
    assert seen == ["text"]
