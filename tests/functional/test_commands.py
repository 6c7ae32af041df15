"""Every command once, for real and in short: ``test_COMMAND`` runs COMMAND.

What a command does with its options, with bad input, kills and clusters is in ``tests/system``.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from command_line import CommandLine, find_commands, without_test
from grassmeans import Corpus, SkipGram, WordVectors, load
from grassmeans.artifacts.writing import read_manifest
from grassmeans.labelling import label_corpus

ADDED = ("The paper and its rivals", "The explorer", "Ask a corpus")
"""Panels of other distributions, which have tests of their own."""
SMALL = ("--dim", 8, "--epochs", 1, "--min-count", 1, "-j", 1)


@pytest.fixture
def grassmeans(capsys) -> CommandLine:
    return CommandLine(capsys)


@pytest.fixture(scope="module")
def labelled(topic_corpus, topic_model_folder, tmp_path_factory) -> Corpus:
    folder = tmp_path_factory.mktemp("commands") / "labelled"
    return label_corpus(topic_corpus, topic_model_folder, folder, workers=1)


@pytest.fixture
def sentences(synthetic, tmp_path) -> Path:
    """Two sentences of either sense of crane, with the sense that is right."""
    path = tmp_path / "crane-sentences.jsonl"
    lines = [
        {"word": "crane", "sense": str(topic), "text": f"crane {' '.join(words[i : i + 8])}"}
        for topic, words in enumerate(synthetic.topic_words[:2])
        for i in (0, 8)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_every_command_has_a_test() -> None:
    ours = [name for name, panel in find_commands().items() if panel not in ADDED]
    assert len(ours) >= 21
    assert without_test(ours, globals()) == []


def test_ingest(grassmeans, tmp_path) -> None:
    (tmp_path / "a.txt").write_text("A crane flew.\n\nThe crane lifts steel.\n")
    said = grassmeans.line("ingest", tmp_path / "a.txt", "-o", tmp_path / "corpus")
    assert (said["n_documents"], said["n_tokens"]) == (2, 7)
    assert list(Corpus.open(tmp_path / "corpus").positions("crane")) == [1, 4]


def test_phrases(grassmeans, topic_corpus, tmp_path) -> None:
    (tmp_path / "list.txt").write_text("the crane\n")
    out = tmp_path / "phrases"
    grassmeans.line("phrases", topic_corpus.path, "-o", out, "--list", tmp_path / "list.txt")
    joined, counts = Corpus.open(out).vocabulary, topic_corpus.vocabulary
    pairs, single = joined.count_of("the_crane"), joined.count_of("crane")
    assert pairs > 0
    assert pairs + single == counts.count_of("crane")


def test_vectors(grassmeans, topic_corpus, tmp_path) -> None:
    said = grassmeans.line("vectors", topic_corpus.path, "-o", tmp_path / "v", *SMALL)
    assert said["dim"] == 8
    trained = SkipGram(dim=8, min_count=1, epochs=1, workers=1).fit(topic_corpus).vectors_
    assert (WordVectors.load(tmp_path / "v")["crane"] == trained["crane"]).all()


def test_encoder(grassmeans, topic_corpus, tmp_path) -> None:
    pytest.importorskip("torch", reason="needs the extra encoder")
    sizes = ("--dim", 64, "--layers", 1, "--epochs", 0.2, "--vocabulary", 99)
    grassmeans.line("encoder", topic_corpus.path, "-o", tmp_path / "e", *sizes, "-j", 1)
    assert grassmeans.line("info", tmp_path / "e")["kind"] == "encoder"


def test_encoder_with_a_teacher(
    grassmeans, topic_corpus, doubtful_corpus, transformer_folder, tmp_path
) -> None:
    sizes = ("--dim", 64, "--layers", 1, "--epochs", 0.2, "--vocabulary", 99, "--passage", 32)
    base, out = tmp_path / "base", tmp_path / "taught"
    grassmeans.line("encoder", topic_corpus.path, "-o", base, *sizes, "-j", 1)
    said = grassmeans.line(
        *("encoder", topic_corpus.path, doubtful_corpus.path, "-o", out, *sizes, "-j", 1),
        *("--base", base, "--teacher", f"transformer:{transformer_folder}"),
        *("--teacher-layers", "1-2", "--teacher-cache", tmp_path / "said", "--teacher-disk", 0.01),
        *("--share", 0.7, 0.3),
    )
    assert said["voices"].keys() == {"line", "deviation", "variance"}
    assert list((tmp_path / "said").rglob("*.codes.npy"))
    about = read_manifest(out, "encoder")
    assert about["teacher"]["layers"] == "1,2"
    assert about["training"]["shares"] == [0.7, 0.3]


def test_induce(grassmeans, topic_corpus, topic_vectors, tmp_path) -> None:
    where = (topic_corpus.path, topic_vectors.folder, "-o", tmp_path / "model")
    said = grassmeans.line("induce", *where, "-w", "seal", "-k", 2, "-j", 1, "--no-calibrate")
    assert said["n_words"] == 1
    senses = load(tmp_path / "model").senses("seal").senses
    topics = [{word[:4] for word in sense.characteristic_words} for sense in senses]
    assert sorted(map(sorted, topics)) == [["gard"], ["lett"]]


def test_model(grassmeans, topic_corpus, tmp_path) -> None:
    pytest.importorskip("torch", reason="needs the extra encoder")
    sizes = ("--dim", 64, "--layers", 1, "--epochs", 0.2, "--passage", 32, "--lexeme-epochs", 1)
    where = (topic_corpus.path, "-o", tmp_path / "m", "--min-count", 150, "-j", 1)
    (tmp_path / "about.json").write_text('{"licence": "CC0"}')
    card = ("--about", tmp_path / "about.json", "--source", "made up;CC0;11200")
    said = grassmeans.line("model", *where, *sizes, *card, "--bits", 8)
    assert said["n_words"] == 4
    assert said["bytes"] == sum(
        p.stat().st_size for p in (tmp_path / "m").rglob("*") if p.is_file()
    )
    assert said["scores"]["held_out_loss"] > 0
    made = load(tmp_path / "m")
    assert said["scores"] == made.manifest["scores"]
    assert made.manifest["compact"]["bits"] == 8
    assert "Licence of the model: CC0." in (tmp_path / "m" / "MODEL_CARD.md").read_text()
    assert [sense["number"] for sense in grassmeans.line("show", tmp_path / "m", "crane")["senses"]]


def test_update(grassmeans, topic_model_folder, synthetic, tmp_path) -> None:
    (tmp_path / "new.txt").write_text("\n\n".join(synthetic.documents[:16]))
    where = (topic_model_folder, tmp_path / "new.txt", "-o", tmp_path / "grown")
    grassmeans.line("update", *where, "-w", "crane", "-j", 1)
    new = sum(document < 16 for document, _ in synthetic.gold["crane"])
    assert load(tmp_path / "grown").senses("crane").count == 200 + new


def test_show(grassmeans, topic_model_folder) -> None:
    entry = grassmeans.line("show", topic_model_folder, "Crane", "--examples", 1)
    assert (entry["word"], entry["count"]) == ("crane", 200)
    assert [len(sense["examples"]) for sense in entry["senses"]] == [1, 1]


def test_collocates(grassmeans, topic_model_folder, topic_corpus) -> None:
    found = grassmeans.lines("collocates", topic_model_folder, topic_corpus.path, "crane")
    for sense in found:
        assert {near["word"][:4] for near in sense["collocates"]} == {sense["name"][:4]}
    assert {sense["name"][:4] for sense in found} == {"bird", "mach"}


def test_tag(grassmeans, topic_model_folder, synthetic, tmp_path) -> None:
    lines = [f"{' '.join(words[:6])} crane" for words in synthetic.topic_words[:2]]
    (tmp_path / "lines.txt").write_text("\n".join([*lines, "crane"]))
    tagged = grassmeans.lines("tag", topic_model_folder, tmp_path / "lines.txt")
    first, second, alone = (line["words"][0]["sense"] for line in tagged)
    assert {first, second} == {1, 2}
    assert alone == 0
    # Broken to a width: what stands between empty lines is one passage.
    bird = synthetic.topic_words[0]
    wrapped = f"{' '.join(bird[:6])}\n{' '.join(bird[6:12])}\n{' '.join(bird[:6])}\ncrane\n\ncrane"
    (tmp_path / "wrapped.txt").write_text(wrapped)
    for options, passages in (((), 2), (("--text",), 2), (("--lines",), 5)):
        told = grassmeans.lines("tag", topic_model_folder, tmp_path / "wrapped.txt", *options)
        assert len(told) == passages
        assert (told[passages - 2]["words"][0]["sense"] > 0) == (passages == 2)


def test_label(grassmeans, topic_model_folder, topic_corpus, labelled, tmp_path) -> None:
    out = tmp_path / "labelled"
    grassmeans.line("label", topic_corpus.path, topic_model_folder, "-o", out, "-j", 1)
    found = Corpus.open(out)
    assert found.n_tokens == topic_corpus.n_tokens
    for mine, same in zip(found.shards, labelled.shards, strict=True):
        assert (mine.tokens == same.tokens).all()
    assert {"crane.1", "crane.2"} <= set(found.vocabulary.words)


def test_change(grassmeans, topic_model_folder, synthetic, tmp_path) -> None:
    texts = {"old": synthetic.documents[:80:8], "new": synthetic.documents[1:80:8]}
    for name, documents in texts.items():
        Corpus.from_texts(documents, tmp_path / name)
    where = (topic_model_folder, tmp_path / "old", tmp_path / "new")
    (row,) = grassmeans.line("change", *where, "-w", "crane")["words"]
    assert row["word"] == "crane"
    assert row["changes"][0]["jsd"] > 0.8


def test_lexemes(grassmeans, labelled, tmp_path) -> None:
    grassmeans.line("lexemes", labelled.path, "-o", tmp_path / "lexemes", *SMALL)
    words = WordVectors.load(tmp_path / "lexemes").words
    assert {"crane.1", "crane.2", "bank.1", "bank.2"} <= set(words)
    assert "crane" not in words


def test_similar(grassmeans, topic_vectors) -> None:
    found = [line["word"] for line in grassmeans.lines("similar", topic_vectors.folder, "crane")]
    assert found[:3] == [near.word for near in topic_vectors.most_similar("crane", 3)]


def test_info(grassmeans, topic_model_folder) -> None:
    said = grassmeans.line("info", topic_model_folder)
    assert (said["kind"], said["n_senses"]) == ("model", 4)


def test_convert(grassmeans, topic_vectors, tmp_path) -> None:
    target = tmp_path / "vectors.txt"
    grassmeans.say("convert", topic_vectors.folder, target, "--to", "word2vec-text")
    head, first = target.read_text().splitlines()[:2]
    assert head == f"{len(topic_vectors.words)} 40"
    assert first.split()[0] == topic_vectors.words[0]


def test_compact(grassmeans, topic_model_folder, tmp_path) -> None:
    grassmeans.line("compact", topic_model_folder, "-o", tmp_path / "small", "--bits", 8)
    assert load(tmp_path / "small").words == load(topic_model_folder).words


def test_copy(grassmeans, topic_vectors, tmp_path) -> None:
    pytest.importorskip("fsspec", reason="needs the extra storage")
    store = f"file://{tmp_path}/store/vectors"
    grassmeans.say("copy", topic_vectors.folder, store)
    grassmeans.say("copy", store, tmp_path / "back")
    assert WordVectors.load(tmp_path / "back").words == topic_vectors.words


def test_export(grassmeans, labelled, synthetic) -> None:
    lines = grassmeans.say("export", labelled.path).splitlines()
    assert len(lines) == 160
    keys = [key for key in lines[0].split() if key.startswith("crane.")]
    assert len(keys) == sum(document == 0 for document, _ in synthetic.gold["crane"])


def test_evaluate(grassmeans, topic_model_folder, sentences) -> None:
    options = ("--data", sentences.parent, "--model", topic_model_folder)
    assert grassmeans.line("evaluate", "sentences", *options)["all"]["accuracy"] == 100
    pairs = grassmeans.line("evaluate", "pairs", "--of", "sentences", *options)["all"]
    assert (pairs["n_pairs"], pairs["area"]) == (6, 100)


def test_reliability(grassmeans, topic_model_folder, sentences) -> None:
    said = grassmeans.line("reliability", topic_model_folder, "--task", f"sentences={sentences}")
    assert said["sentences"]["accuracy"] == 100


def test_score(grassmeans, tmp_path) -> None:
    (tmp_path / "gold.key").write_text("a.n a.n.1 p\na.n a.n.2 p\na.n a.n.3 q\n")
    (tmp_path / "mine.key").write_text("a.n a.n.1 x\na.n a.n.2 x\na.n a.n.3 y\n")
    said = grassmeans.line("score", tmp_path / "mine.key", tmp_path / "gold.key")
    assert said["all"]["v_measure"] == 100


def test_demo(grassmeans, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0}, raising=False)
    assert "crane.1" in grassmeans.say("demo")
    (page,) = tmp_path.iterdir()
    assert page.read_text(encoding="utf-8").count("drawPlanes(document") == 5
