from __future__ import annotations

import io
import json
from dataclasses import replace

import numpy as np
import pytest

from grassmeans import Corpus
from grassmeans.corpus.ingest import Ingest, IngestOptions
from grassmeans.errors import InputError
from grassmeans.labelling.export import KeyedDocument, KeyedWord, _terms_lines, export_corpus
from grassmeans.labelling.labeller import label_corpus, relabel
from grassmeans.models.model import SenseModel
from grassmeans.reading.documents import RawDocument
from grassmeans.senses.calibration import CALIBRATION
from grassmeans.senses.entries import Sense
from grassmeans.senses.inventory import SenseInventory


@pytest.fixture
def labelled(model, tmp_path) -> Corpus:
    documents = [
        RawDocument("a&b", 'On "cranes"', "The Crane: wing!\n\nSteel; a CRANE, beam."),
        RawDocument("2", "", "1 2 3"),
        RawDocument("3", "", "Bank <b> a|b", markup="tokens"),
    ]
    Ingest(tmp_path / "c", IngestOptions(shard_chars=10), workers=1).take_documents(documents)
    return label_corpus(Corpus.open(tmp_path / "c"), model, tmp_path / "l", workers=1)


def exported(corpus: Corpus, format: str) -> str:
    stream = io.BytesIO()
    export_corpus(corpus, stream, format)
    return stream.getvalue().decode()


def test_text(labelled) -> None:
    # wing outweighs steel around the first crane; steel and beam outweigh it around the second.
    assert exported(labelled, "text") == "the crane.1 wing steel a crane.2 beam\n\nbank <b> a|b\n"


def test_vertical(labelled) -> None:
    assert exported(labelled, "vertical").splitlines() == [
        '<doc id="a&amp;b" title="On &quot;cranes&quot;">',
        "The\tthe\tthe\t",
        "Crane\tcrane.1\tcrane\t1",
        "wing\twing\twing\t",
        "Steel\tsteel\tsteel\t",
        "a\ta\ta\t",
        "CRANE\tcrane.2\tcrane\t2",
        "beam\tbeam\tbeam\t",
        "</doc>",
        '<doc id="2" title="">',
        "</doc>",
        '<doc id="3" title="">',
        "Bank\tbank\tbank\t",
        "&lt;b&gt;\t&lt;b&gt;\t&lt;b&gt;\t",
        "a|b\ta|b\ta|b\t",
        "</doc>",
    ]


def test_json_lines(labelled, tmp_path) -> None:
    first, second, third = map(json.loads, exported(labelled, "jsonl").splitlines())
    assert first == {
        "id": "a&b",
        "title": 'On "cranes"',
        "text": "The Crane: wing!\n\nSteel; a CRANE, beam.",
        "words": [
            {"start": 4, "end": 9, "word": "crane", "key": "crane.1", "sense": 1},
            {"start": 27, "end": 32, "word": "crane", "key": "crane.2", "sense": 2},
        ],
    }
    assert second["words"] == third["words"] == []
    soft = relabel(labelled, tmp_path / "soft", decoding="soft", sharpness=0.0, workers=1)
    words = json.loads(exported(soft, "jsonl").splitlines()[0])["words"]
    assert [word["probabilities"] for word in words] == [[0.5, 0.5], [0.5, 0.5]]


def test_conllu(labelled) -> None:
    blank = "\t_" * 7
    assert exported(labelled, "conllu").splitlines() == [
        "# newdoc id = a&b",
        '# title = On "cranes"',
        "# sent_id = a&b-1",
        "# text = The Crane: wing!",
        f"1\tThe{blank}\t_",
        f"2\tCrane{blank}\tSense=crane.1",
        f"3\twing{blank}\t_",
        "",
        "# sent_id = a&b-2",
        "# text = Steel; a CRANE, beam.",
        f"1\tSteel{blank}\t_",
        f"2\ta{blank}\t_",
        f"3\tCRANE{blank}\tSense=crane.2",
        f"4\tbeam{blank}\t_",
        "",
        "# newdoc id = 3",
        "# sent_id = 3-1",
        "# text = Bank <b> a|b",
        f"1\tBank{blank}\t_",
        f"2\t<b>{blank}\t_",
        f"3\ta|b{blank}\t_",
        "",
    ]


def test_parquet(labelled, tmp_path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    assert export_corpus(labelled, tmp_path / "words.parquet", "parquet") == 3
    rows = parquet.read_table(tmp_path / "words.parquet").to_pylist()
    expected = {
        "document": 0,
        "document_id": "a&b",
        "title": 'On "cranes"',
        "position": 5,
        "start": 27,
        "end": 32,
        "form": "CRANE",
        "key": "crane.2",
        "word": "crane",
        "sense": 2,
        "probabilities": None,
        "name": None,
        "confidence": None,
    }
    assert len(rows) == 2
    assert rows[1] == expected


@pytest.fixture
def named(model) -> SenseModel:
    """The model that has labelled, with names of senses and a confidence of 0.88 throughout."""
    inventory = SenseInventory(
        replace(entry, senses=tuple(sense(k, n) for k, n in enumerate(("bird|s", "machine"), 1)))
        for entry in model.inventory.values()
    )
    manifest = {**model.manifest, CALIBRATION: {"intercept": 2.0, "log_margin": 0.0}}
    return SenseModel(model.encoder, inventory, model.tokenizer, manifest)


def sense(number: int, name: str) -> Sense:
    return Sense(number, 0.5, 0.1, (), (), (), name=name)


def test_with_the_model_senses_have_names_and_confidence(labelled, named, tmp_path) -> None:
    stream = io.BytesIO()
    export_corpus(labelled, stream, "jsonl", model=named)
    words = json.loads(stream.getvalue().splitlines()[0])["words"]
    assert [(word["key"], word["name"], word["confidence"]) for word in words] == [
        ("crane.1", "bird|s", 0.8808),
        ("crane.2", "machine", 0.8808),
    ]
    export_corpus(labelled, tmp_path / "words.conllu", "conllu", model=named)
    lines = (tmp_path / "words.conllu").read_text().splitlines()
    assert lines[5].endswith("\tSense=crane.1|SenseName=bird\\ps|SenseConfidence=0.8808")
    parquet = pytest.importorskip("pyarrow.parquet")
    export_corpus(labelled, tmp_path / "words.parquet", "parquet", model=named)
    rows = parquet.read_table(tmp_path / "words.parquet").to_pylist()
    assert [row["name"] for row in rows] == ["bird|s", "machine"]
    assert rows[0]["confidence"] == pytest.approx(0.8808, abs=1e-4)


def test_a_model_names_only_what_it_has_labelled(labelled, named, corpus) -> None:
    with pytest.raises(InputError, match="was not labelled by this model"):
        export_corpus(corpus, io.BytesIO(), "jsonl", model=named)
    entry = named.inventory["crane"]
    turned = replace(entry, directions=entry.directions[::-1].copy())
    other = named.with_inventory(SenseInventory([turned]))
    with pytest.raises(InputError, match="was not labelled by this model"):
        export_corpus(labelled, io.BytesIO(), "jsonl", model=other)


def test_terms_are_words_and_their_senses(labelled) -> None:
    assert exported(labelled, "terms").splitlines() == [
        "a&b\tthe crane crane|1 wing steel a crane crane|2 beam",
        "2\t",
        "3\tbank <b> a|b",
    ]
    unsure = relabel(labelled, labelled.path.parent / "unsure", idk_threshold=0.0)
    assert exported(unsure, "terms").startswith("a&b\tthe crane wing steel a crane beam\n")


def test_a_corpus_without_labels_has_words_for_keys(corpus) -> None:
    lines = exported(corpus, "text").splitlines()
    assert lines == ["the crane in a nest wing", "steel crane the beam", "mix the crane", "crane"]
    words = json.loads(exported(corpus, "jsonl").splitlines()[3])["words"]
    assert words == [{"start": 0, "end": 5, "word": "crane", "key": "crane", "sense": None}]


def test_words_beyond_the_vocabulary_are_written_from_the_text(tmp_path) -> None:
    options = IngestOptions(max_vocabulary=1)
    corpus = Corpus.from_texts(["often Seldom often"], tmp_path / "c", options=options)
    assert exported(corpus, "text") == "often seldom often\n"


def test_files_are_not_replaced_unless_told(labelled, tmp_path) -> None:
    path = tmp_path / "out.txt"
    path.write_text("mine")
    with pytest.raises(InputError, match="overwrite=True"):
        export_corpus(labelled, path)
    assert export_corpus(labelled, path, overwrite=True) == 3
    assert path.read_text().startswith("the crane.1 wing")


def test_unknown_formats_and_parquet_without_a_file_are_refused(labelled) -> None:
    with pytest.raises(InputError, match="format must be one of text, vertical"):
        export_corpus(labelled, io.BytesIO(), "pdf")
    with pytest.raises(InputError, match="name a file"):
        export_corpus(labelled, io.BytesIO(), "parquet")


def test_text_that_does_not_fit_its_tokens_is_noticed(labelled) -> None:
    from grassmeans.errors import ArtifactError

    path = labelled.shards[0].folder / "tokens.npy"
    tokens = np.load(path)
    path.unlink()
    np.save(path, tokens[:-1])
    with pytest.raises(ArtifactError, match=r"tokens\.npy is truncated or damaged"):
        exported(Corpus.open(labelled.path), "text")


def test_terms_have_the_form_before_the_word_of_its_entry() -> None:
    words = [
        KeyedWord(0, 6, "Cranes", "crane.2", "crane", 2),
        KeyedWord(7, 12, "fared", "fare.0", "fare", 0),
        KeyedWord(13, 17, "NATO", "NATO", "NATO", None),
    ]
    document = KeyedDocument(True, 0, 0, "7", "", "Cranes fared NATO", words, {})
    (line,) = _terms_lines(document)
    assert line == "7\tcranes crane crane|2 fared fare NATO"
