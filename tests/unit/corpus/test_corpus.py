from __future__ import annotations

import gc
import pickle
import shutil
import tempfile
import warnings
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from damage import make_old
from grassmeans import Corpus
from grassmeans.artifacts.checking import read_json
from grassmeans.artifacts.writing import building_place
from grassmeans.corpus import batches
from grassmeans.corpus.corpus import as_corpus
from grassmeans.corpus.ingest import Ingest, IngestOptions
from grassmeans.errors import ArtifactError, InputError, UnknownWordError
from grassmeans.reading.documents import RawDocument, ReadReport
from grassmeans.text.tokenizer import Tokenizer

TEXTS = [
    "The crane stood in the reeds.\nA second crane flew.",
    "Über 40 Kräne; the Crane lifts.",
    "Nothing of note.",
]


@pytest.fixture
def corpus(tmp_path) -> Corpus:
    return Corpus.from_texts(TEXTS, tmp_path / "corpus")


def words_of(corpus: Corpus) -> list[str]:
    return [corpus.vocabulary.words[i] for shard in corpus.shards for i in shard.tokens]


def test_tokens_come_back_in_order(corpus: Corpus) -> None:
    expected = (
        "the crane stood in the reeds a second crane flew "
        "über kräne the crane lifts nothing of note"
    )
    assert words_of(corpus) == expected.split()
    assert corpus.n_tokens == 18
    assert corpus.n_documents == 3
    assert corpus.shards[0].document_offsets.tolist() == [0, 10, 15, 18]


def test_every_option_is_there_when_a_corpus_is_opened(tmp_path) -> None:
    options = IngestOptions(
        tokenizer=Tokenizer(lowercase=False),
        language="es",
        function_words=frozenset({"el", "la"}),
        keep_links=True,
        keep_duplicates=True,
        max_vocabulary=7,
        shard_chars=11,
        fields=("date",),
    )
    usual = IngestOptions()
    for field in fields(IngestOptions):
        assert getattr(options, field.name) != getattr(usual, field.name), field.name
    made = Corpus.from_texts([{"text": "El rey.", "date": "1857"}], tmp_path / "c", meta="date",
                             options=options)  # fmt: skip
    assert made.options == options


def test_most_frequent_words_come_first(corpus: Corpus) -> None:
    assert corpus.vocabulary.words[:2] == ["crane", "the"]
    assert corpus.vocabulary.counts[:2].tolist() == [3, 3]


def test_positions_come_from_the_index(corpus: Corpus) -> None:
    assert corpus.positions("crane").tolist() == [1, 8, 13]
    assert corpus.positions("note").tolist() == [17]


def test_lines_show_the_original_text(corpus: Corpus) -> None:
    first, second, third = corpus.concordance("crane", width=12)
    assert (first.left, first.word, first.right) == ("The ", "crane", " stood in")
    assert second.left == "A second "
    assert second.right == " flew."
    assert (third.left, third.word, third.right) == ("Kräne; the ", "Crane", " lifts.")
    assert third.document_id == "1"


def test_document_text(corpus: Corpus) -> None:
    assert corpus.document_text(1) == TEXTS[1]
    with pytest.raises(InputError, match="document 3"):
        corpus.document_text(3)


def test_words_are_found_in_any_case_where_the_corpus_is_lower_cased(corpus: Corpus) -> None:
    assert corpus.positions("Crane").tolist() == corpus.positions("crane").tolist()
    assert corpus.count_of("CRANE") == 3
    with pytest.raises(UnknownWordError, match="'heron' does not occur in the corpus"):
        corpus.positions("heron")
    with pytest.raises(UnknownWordError, match=r"'heron' does not occur in the corpus$"):
        Corpus.from_texts(["A crane."]).positions("heron")


def test_position_outside_is_refused(corpus: Corpus) -> None:
    with pytest.raises(InputError, match="position 18"):
        corpus.line_at(18)


def test_titles_may_hold_any_separator(tmp_path) -> None:
    title = "one\u2028two\x85three"
    Ingest(tmp_path / "c", IngestOptions(), workers=1).take_documents(
        [RawDocument("1", title, "some words")]
    )
    assert Corpus.open(tmp_path / "c").line_at(1).document_title == title


def test_a_pickled_corpus_opens_the_folder_again(corpus: Corpus) -> None:
    copy = pickle.loads(pickle.dumps(corpus))
    assert copy.positions("crane").tolist() == [1, 8, 13]
    assert pickle.loads(pickle.dumps(corpus)) is copy  # a worker keeps it from task to task
    shutil.rmtree(corpus.path)
    other = Corpus.from_texts(["A crane."], corpus.path)
    assert pickle.loads(pickle.dumps(other)).positions("crane").tolist() == [1]


def test_temporary_corpus_goes_with_its_object() -> None:
    corpus = Corpus.from_texts(TEXTS)
    path = corpus.path
    assert path.exists()
    del corpus
    assert not path.exists()


def many_documents(n: int) -> list[RawDocument]:
    rng = np.random.default_rng(1)
    names = ["crane", "bank", "größe", "river", "steel", "nest", "ящик"]
    return [
        RawDocument(str(i), f"title {i}", " ".join(rng.choice(names, size=40)) + f" only{i}")
        for i in range(n)
    ]


def contents(folder) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "manifest.json"
    }


SMALL_SHARDS = IngestOptions(shard_chars=1_000)


def test_result_does_not_depend_on_workers(tmp_path) -> None:
    for workers in (1, 2):
        Ingest(tmp_path / str(workers), SMALL_SHARDS, workers=workers).take_documents(
            many_documents(60)
        )
    one, two = contents(tmp_path / "1"), contents(tmp_path / "2")
    assert len(Corpus.open(tmp_path / "1").shards) > 5
    assert one == two


def test_positions_and_lines_across_shards(tmp_path) -> None:
    documents = many_documents(60)
    Ingest(tmp_path / "c", SMALL_SHARDS, workers=1).take_documents(documents)
    corpus = Corpus.open(tmp_path / "c")
    expected = [i for i, word in enumerate(words_of(corpus)) if word == "größe"]
    assert corpus.positions("größe").tolist() == expected
    some = corpus.vocabulary.words[::-1]
    together = corpus.gather_positions(some)
    assert [one.tolist() for one in together] == [corpus.positions(w).tolist() for w in some]
    for position in expected[::7]:
        assert corpus.line_at(position, width=20).word == "größe"
    assert corpus.document_text(59) == documents[59].text


@pytest.fixture
def two_shards(tmp_path) -> Corpus:
    texts = ["one two three", "four five", "six seven eight nine"]
    return Corpus.from_texts(texts, tmp_path / "c", options=IngestOptions(shard_chars=20))


def test_positions_are_split_by_shard(two_shards: Corpus) -> None:
    assert two_shards.shard_starts.tolist() == [0, 5, 9]
    parts = [
        (part, two_shards.shards.index(shard), local.tolist())
        for part, shard, local in two_shards.split_positions(np.array([0, 1, 4, 6, 8]))
    ]
    assert parts == [(slice(0, 3), 0, [0, 1, 4]), (slice(3, 5), 1, [1, 3])]
    blocks = two_shards.split_positions(np.array([0, 1, 4, 6, 8]), at_once=2)
    assert [local.tolist() for _, _, local in blocks] == [[0, 1], [4], [1, 3]]
    assert [part for part, _, _ in two_shards.split_positions(np.array([7]))] == [slice(0, 1)]
    assert not list(two_shards.split_positions(np.empty(0, np.int64)))


def test_documents_around_positions(two_shards: Corpus) -> None:
    first, end = two_shards.shards[0].document_bounds(np.array([0, 2, 3]))
    assert first.tolist() == [0, 0, 3]
    assert end.tolist() == [3, 3, 5]


def test_long_documents_are_found_through_anchors(tmp_path) -> None:
    text = " ".join(f"wörd{i}x" for i in range(5_000))
    corpus = Corpus.from_texts([text], tmp_path / "c")
    assert len(corpus.shards[0].anchors) > 10
    for number in (0, 1, 777, 2_500, 4_999):
        line = corpus.line_at(int(corpus.positions(f"wörd{number}x")[0]), width=25)
        assert line.word == f"wörd{number}x"
        assert line.left.strip() in text


def test_interrupted_ingest_takes_over_finished_shards(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(batches, "_SAMPLE_CHARS", 100)  # they are looked at before any is taken
    documents = many_documents(60)

    def stopping():
        yield from documents[:40]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Ingest(tmp_path / "c", SMALL_SHARDS, workers=1).take_documents(stopping())
    with pytest.raises(ArtifactError, match="if it was stopped, start it again"):
        Corpus.open(tmp_path / "c")
    shard = Path("shards", "00000", "shard.json")
    before = (building_place(tmp_path / "c") / "new" / shard).stat().st_mtime_ns
    Ingest(tmp_path / "c", SMALL_SHARDS, workers=1).take_documents(documents)
    assert (tmp_path / "c" / shard).stat().st_mtime_ns == before
    Ingest(tmp_path / "whole", SMALL_SHARDS, workers=1).take_documents(documents)
    assert contents(tmp_path / "c") == contents(tmp_path / "whole")


def test_unfinished_corpus_of_other_options_is_refused(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(batches, "_SAMPLE_CHARS", 100)

    def stopping():
        yield from many_documents(20)  # some shards
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Ingest(tmp_path / "c", SMALL_SHARDS, workers=1).take_documents(stopping())
    other = IngestOptions(shard_chars=1_000, tokenizer=Tokenizer(lowercase=False))
    with pytest.raises(InputError, match="other inputs or options"):
        Ingest(tmp_path / "c", other, workers=1).take_documents(many_documents(3))
    Ingest(tmp_path / "c", other, workers=1, overwrite=True).take_documents(many_documents(3))
    assert Corpus.open(tmp_path / "c").n_documents == 3


def test_finished_corpus_is_replaced_only_when_told(tmp_path) -> None:
    Corpus.from_texts(["one"], tmp_path / "c")
    with pytest.raises(InputError, match="overwrite=True"):
        Corpus.from_texts(["two"], tmp_path / "c")
    Ingest(tmp_path / "c", IngestOptions(), workers=1, overwrite=True).take_documents(
        [RawDocument("", "", "two")]
    )
    assert words_of(Corpus.open(tmp_path / "c")) == ["two"]


def test_a_foreign_folder_is_never_written_to(tmp_path) -> None:
    (tmp_path / "precious.txt").write_text("mine")
    with pytest.raises(InputError, match="not empty"):
        Corpus.from_texts(["one"], tmp_path)
    assert (tmp_path / "precious.txt").read_text() == "mine"


def test_duplicates_are_counted_and_left_out(tmp_path) -> None:
    documents = [RawDocument("1", "A", "same text"), RawDocument("2", "B", "same text")]
    report = ReadReport()
    Ingest(tmp_path / "c", IngestOptions(), report=report, workers=1).take_documents(documents)
    manifest = Corpus.open(tmp_path / "c").manifest
    assert manifest["n_documents"] == 1
    assert manifest["skipped"] == {"duplicate document": 1}
    assert manifest["examples"] == {"duplicate document": "B"}


def test_text_without_words_is_an_error_and_leaves_nothing(tmp_path) -> None:
    with pytest.raises(InputError, match="no words were found"):
        Corpus.from_texts(["... 42 !!", ""], tmp_path / "c")
    assert not (tmp_path / "c").exists()


def test_words_beyond_the_vocabulary_limit_stay_in_the_text(tmp_path) -> None:
    options = IngestOptions(max_vocabulary=1)
    corpus = Corpus.from_texts(["often often seldom often"], tmp_path / "c", options=options)
    assert corpus.shards[0].tokens.tolist() == [0, 0, -1, 0]
    assert corpus.positions("often").tolist() == [0, 1, 3]
    assert corpus.line_at(2).word == "seldom"


def test_keys_of_tokenised_documents_differ_from_their_forms(tmp_path) -> None:
    document = RawDocument("d", "", "Cranes flew", markup="tokens", keys=("crane", "fly"))
    Ingest(tmp_path / "c", IngestOptions(), workers=1).take_documents([document])
    corpus = Corpus.open(tmp_path / "c")
    assert words_of(corpus) == ["crane", "fly"]
    assert corpus.line_at(0).word == "Cranes"


def test_links_become_token_spans(tmp_path) -> None:
    text = "The [[Crane (bird)|crane]] and 3 [[tower crane]]s met."
    document = RawDocument("1", "T", text, markup="wikitext")
    Ingest(tmp_path / "c", IngestOptions(keep_links=True), workers=1).take_documents([document])
    corpus = Corpus.open(tmp_path / "c")
    assert words_of(corpus) == ["the", "crane", "and", "tower", "cranes", "met"]
    folder = corpus.shards[0].folder
    assert read_json(folder / "link_targets.json") == ["Crane (bird)", "Tower crane"]
    assert np.load(folder / "links.npy").tolist() == [[1, 2, 0], [3, 5, 1]]


def test_truncated_tokens_are_noticed(corpus: Corpus) -> None:
    path = corpus.path / "shards" / "00000" / "tokens.npy"
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(ArtifactError, match="truncated"):
        _ = Corpus.open(corpus.path).shards[0].tokens


@pytest.mark.parametrize("wrong", [[8, 1], [1, 99], [1, 1]])
def test_positions_that_cannot_be_are_noticed(corpus: Corpus, wrong) -> None:
    path = corpus.path / "shards" / "00000" / "index_positions.npy"
    positions = np.load(path)
    start = int(np.flatnonzero(positions == 8)[0]) - 1  # of "crane": 1, 8, 13
    positions[start : start + 2] = wrong
    np.save(path, positions)
    make_old(corpus.path)  # no digest tells of it
    for look_up in (lambda c: c.positions("crane"), lambda c: c.gather_positions(["the", "crane"])):
        with pytest.raises(ArtifactError, match=r"not in rising order|a number is not from 0 to"):
            look_up(Corpus.open(corpus.path))


def test_another_kind_and_another_version_are_refused(corpus: Corpus, tmp_path) -> None:
    manifest = corpus.path / "manifest.json"
    text = manifest.read_text()
    manifest.write_text(text.replace('"kind": "corpus"', '"kind": "vectors"'))
    with pytest.raises(ArtifactError, match="holds a vectors"):
        Corpus.open(corpus.path)
    manifest.write_text(text.replace('"format_version": 1', '"format_version": 99'))
    with pytest.raises(ArtifactError, match="format version 99"):
        Corpus.open(corpus.path)
    with pytest.raises(ArtifactError, match="there is no corpus"):
        Corpus.open(tmp_path / "missing")


def test_texts_given_twice_count_twice_and_missing_ones_not_at_all() -> None:
    corpus = Corpus.from_texts(["the crane", None, "the crane"])
    assert (corpus.n_documents, corpus.count_of("crane")) == (2, 2)
    assert corpus.manifest["skipped"] == {"missing text": 1}
    with pytest.raises(InputError, match="got the string 'one string'"):
        Corpus.from_texts("one string")


def test_only_what_occurs_is_counted_as_a_type(tmp_path) -> None:
    rows = [("1", "Cranes", "crane"), ("2", "fly", "fly"), ("3", "cranes", "crane")]
    lines = ["\t".join([*row, *["_"] * 7]) for row in rows]
    (tmp_path / "a.conllu").write_text("\n".join(lines) + "\n", encoding="utf-8")
    corpus = Corpus.from_files(tmp_path / "a.conllu", tmp_path / "corpus", column="lemma")
    assert corpus.manifest["n_types"] == 2
    assert list(corpus.vocabulary.words) == ["crane", "fly"]
    assert [corpus.line_at(i).word for i in range(3)] == ["Cranes", "fly", "cranes"]


def test_a_corpus_is_what_its_folder_holds(corpus: Corpus) -> None:
    assert as_corpus(corpus) is corpus
    assert as_corpus(str(corpus.path)).n_tokens == corpus.n_tokens
    assert as_corpus(["a crane"]).n_documents == 1


def test_a_corpus_in_memory_leaves_nothing_behind(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        corpus = Corpus.from_texts(["a crane"])
        assert corpus.path.is_relative_to(tmp_path)
        del corpus
        gc.collect()
        with pytest.raises(InputError, match="no words were found"):
            Corpus.from_texts([""])
    assert list(tmp_path.iterdir()) == []


def test_reading_on_in_a_section_does_not_tokenise_it_again(tmp_path, monkeypatch) -> None:
    corpus = Corpus.from_texts(["one two three four five six", "seven"], tmp_path / "c")
    (shard,) = corpus.shards
    counted = []
    spans = type(corpus.text_tokenizer).spans
    monkeypatch.setattr(
        type(corpus.text_tokenizer),
        "spans",
        lambda self, text: counted.append(text) or spans(self, text),
    )
    tokenizer = corpus.text_tokenizer
    assert shard.read_stretch(0, 2, tokenizer)[0].split() == ["one", "two"]
    assert shard.read_stretch(3, 5, tokenizer)[0].split() == ["four", "five"]
    assert len(counted) == 1
    assert shard.read_stretch(6, 7, tokenizer)[0].split() == ["seven"]
    assert len(counted) == 2


def test_files_are_of_a_language_as_texts_are(tmp_path) -> None:
    (tmp_path / "a.txt").write_text("Der Kran hob die Träger auf das Dach.")
    german = Corpus.from_files(tmp_path / "a.txt", tmp_path / "german", language="de")
    assert german.manifest["options"]["language"] == "de"
    assert "der" in german.function_words
    assert german.function_words == Corpus.from_texts(["Der Kran."], language="de").function_words


def test_an_index_of_more_words_than_half_a_number_holds() -> None:
    words = [f"w{chr(97 + i % 26)}{i}" for i in range(66_000)]
    corpus = Corpus.from_texts([" ".join(words), " ".join(reversed(words))])
    n = len(words)
    for i in (0, 1, 463, 464, 65_534, 65_535, 65_536, n - 1):
        assert corpus.positions(words[i]).tolist() == [i, 2 * n - 1 - i]
    for shard in corpus.shards:
        ids = np.arange(len(corpus.vocabulary))
        positions, sizes = shard.gather_positions(ids)
        tokens = np.asarray(shard.tokens)
        np.testing.assert_array_equal(tokens[positions], np.repeat(ids, sizes))
