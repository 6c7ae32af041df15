from __future__ import annotations

import itertools

import pytest

from grassmeans.errors import ArtifactError, InputError
from grassmeans.integrations.iterables import tag_iter
from grassmeans.models import streams

BIRD, MACHINE = "A crane on the nest.", "Steel crane."


def labels(pairs) -> list[list[str]]:
    return [[word.label for word in tagged] for _, tagged in pairs]


@pytest.mark.parametrize("batch_size", [1, 2, 256])
def test_texts_come_back_in_order_with_their_senses(model, batch_size) -> None:
    texts = [BIRD, MACHINE, "nothing", MACHINE, BIRD]
    pairs = list(tag_iter(iter(texts), model, batch_size=batch_size))
    assert [text for text, _ in pairs] == texts
    assert labels(pairs) == [["crane.1"], ["crane.2"], [], ["crane.2"], ["crane.1"]]


def test_records_are_read_by_field_or_function(model_folder) -> None:
    rows = [{"text": MACHINE, "id": 7}, {"text": BIRD, "id": 8}]
    pairs = list(tag_iter(rows, model_folder, text_of="text"))
    assert [row["id"] for row, _ in pairs] == [7, 8]
    assert labels(pairs) == [["crane.2"], ["crane.1"]]
    by_function = tag_iter([(1, BIRD)], model_folder, text_of=lambda pair: pair[1])
    assert labels(by_function) == [["crane.1"]]


def test_an_endless_stream_is_read_one_batch_at_a_time(model) -> None:
    read = itertools.count()
    texts = (f"{BIRD} {next(read)}" for _ in itertools.count())
    pairs = tag_iter(texts, model, batch_size=10)
    assert next(read) == 0  # nothing was read before the first answer is wanted
    next(pairs)
    assert next(read) == 11


def test_long_documents_end_a_batch(model, monkeypatch) -> None:
    monkeypatch.setattr(streams, "_MAX_CHARACTERS", 2 * len(BIRD))
    read = itertools.count()
    texts = (BIRD for _ in iter(lambda: next(read), 10))
    next(tag_iter(texts, model, batch_size=256))
    assert next(read) == 2


def test_options_reach_the_model(model) -> None:
    assert labels(tag_iter(["mix crane"], model, idk_threshold=0.5)) == [["crane.0"]]
    assert labels(tag_iter(["mix crane"], model, idk_threshold=0.7)) == [["crane.2"]]
    assert labels(tag_iter([BIRD], model, words=["façade"])) == [[]]


@pytest.mark.parametrize(
    ("texts", "options", "message"),
    [
        ("one text", {}, "got the string 'one text', which names no file"),
        ([BIRD], {"batch_size": 0}, "batch_size must be a whole number, 1 or more; got 0"),
        ([{"body": BIRD}], {}, r"texts\[0\] is a record without the field 'text'.*column=\.\.\."),
        ([BIRD], {"text_of": "text"}, r"texts\[0\] is no record.*but a str: pass a function"),
        ([{"body": BIRD}], {"text_of": "text"}, "without the field 'text'.*of 'body'"),
        ([{"text": None}], {"text_of": "text"}, r"texts\[0\] is missing \(None\)"),
    ],
)
def test_mistakes_are_explained(model, texts, options, message) -> None:
    with pytest.raises(InputError, match=message):
        list(tag_iter(texts, model, **options))


def test_a_missing_model_is_reported_at_once(tmp_path) -> None:
    with pytest.raises(ArtifactError, match="there is no model"):
        tag_iter([BIRD], tmp_path / "none")


def test_tables_files_and_tokens_are_texts_too(model, tmp_path) -> None:
    class Table:
        columns = ("id", "body")

        def __getitem__(self, name):
            return {"id": [1, 2], "body": [BIRD, MACHINE]}[name]

    expected = labels(tag_iter([BIRD, MACHINE], model))
    assert labels(tag_iter(Table(), model, text_of="body")) == expected
    file = tmp_path / "a.txt"
    file.write_text(f"{BIRD}\n\n{MACHINE}\n", encoding="utf-8")
    assert labels(tag_iter(file, model)) == expected
    assert labels(tag_iter([{"text": BIRD}, {"text": ["steel", "crane"]}], model)) == expected
