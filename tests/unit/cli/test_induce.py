from __future__ import annotations

import json
import re

import pytest
from typer.testing import CliRunner

from grassmeans import Corpus, SkipGram, WordVectors, load
from grassmeans.cli.main import app
from grassmeans.errors import InputError


@pytest.fixture(scope="module")
def folder(tmp_path_factory, synthetic):
    folder = tmp_path_factory.mktemp("induce")
    corpus = Corpus.from_texts(synthetic.documents, folder / "corpus")
    SkipGram(dim=40, min_count=3, epochs=20, workers=1).fit(corpus).vectors_.save(
        folder / "vectors"
    )
    return folder


def induce(folder, name, *options):
    arguments = ["induce", str(folder / "corpus"), str(folder / "vectors"), "-o"]
    return CliRunner().invoke(app, [*arguments, str(folder / name), "--workers", "1", *options])


def show(folder, name, word):
    done = CliRunner().invoke(app, ["show", str(folder / name), word, "--json"])
    return json.loads(done.stdout)


def test_auto_gives_each_word_its_own_number(folder, synthetic):
    word = synthetic.topic_words[0][0]
    done = induce(
        folder, "auto", "-w", "crane", "-w", word, "--senses", "auto", "--granularity", "0.8"
    )
    assert done.exit_code == 0, done.output
    assert len(show(folder, "auto", "crane")["senses"]) == 2
    assert len(show(folder, "auto", word)["senses"]) == 1


def test_tags_have_the_names_of_their_senses(folder, synthetic):
    assert induce(folder, "two", "-w", "crane", "--senses", "2").exit_code == 0
    birds = " ".join(synthetic.topic_words[0][:8])
    (folder / "text.txt").write_text(f"{birds} <b>crane</b>\nthe <b>crane</b>\n")
    tag = ["tag", str(folder / "two"), str(folder / "text.txt"), "--json"]
    lines = CliRunner().invoke(app, tag).stdout.splitlines()
    known, unknown = (json.loads(line)["words"][0] for line in lines)
    names = [sense["name"] for sense in show(folder, "two", "crane")["senses"]]
    assert known["name"] == names[known["sense"] - 1]
    assert known["name"].startswith("bird")
    assert (unknown["sense"], unknown["name"]) == (0, None)


def test_vectors_of_another_language_are_remarked(folder, synthetic):
    assert "content words" not in induce(folder, "same", "-w", "crane", "--senses", "2").stderr
    foreign = folder / "foreign.txt"
    kept = [*synthetic.topic_words[0][:20], *synthetic.topic_words[1][:20], "crane"]
    vectors = WordVectors.load(folder / "vectors")
    rows = [" ".join([word, *map(str, vectors[word])]) for word in kept if word in vectors]
    foreign.write_text("\n".join(rows) + "\n")
    arguments = ["induce", str(folder / "corpus"), str(foreign), "-o", str(folder / "other")]
    done = CliRunner().invoke(app, [*arguments, "-w", "crane", "--senses", "2", "-j", "1"])
    assert done.exit_code == 0, done.output
    assert re.search(r"only \d+% of the text's content words", done.stderr)


def test_the_dial_gives_fewer_senses(folder):
    options = ("--senses", "auto", "--granularity", "0.01")
    assert induce(folder, "coarse", "-w", "crane", *options).exit_code == 0
    entry = show(folder, "coarse", "crane")
    assert len(entry["senses"]) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--senses", "some"), "--senses must be a whole number or \"auto\", got 'some'"),
        (("--senses", "0"), "n_senses must be a whole number from 1 to 10,000"),
        (("--senses", "auto", "--granularity", "-1"), "granularity must be a number above 0"),
    ],
)
def test_wrong_numbers_are_refused(folder, options, message):
    done = induce(folder, "none", "-w", "crane", *options)
    assert isinstance(done.exception, InputError)
    assert message in str(done.exception)


def test_texts_stand_in_place_of_a_corpus_and_models_give_contexts(folder, synthetic, tmp_path):
    assert induce(folder, "source", "-w", "crane", "--senses", "2").exit_code == 0
    rows = [json.dumps({"body": text}) for text in synthetic.documents]
    (tmp_path / "texts.jsonl").write_text("\n".join(rows), encoding="utf-8")
    arguments = ["induce", str(tmp_path / "texts.jsonl"), str(folder / "source"), "-w", "Bank"]
    options = ["-o", str(folder / "mine"), "--text-field", "body", "--granularity", "0.8"]
    done = CliRunner().invoke(app, [*arguments, *options, "--workers", "1"])
    assert done.exit_code == 0, done.output
    # As many senses as there are: only word vectors have the paper's five.
    assert len(show(folder, "mine", "bank")["senses"]) == 2


def test_forms_of_a_word_are_shown_together(forms_model, monkeypatch):
    monkeypatch.setattr("grassmeans.cli.show.wants_json", lambda asked: asked)
    done = CliRunner().invoke(app, ["show", str(forms_model.folder), "Cranes", "--examples", "0"])
    assert "cranes is a form of crane" in done.stderr
    counts = dict(forms_model["crane"].forms)
    assert f"crane {counts['crane']}" in done.stdout
    assert f"cranes {counts['cranes']}" in done.stdout
    assert ["crane", counts["crane"]] in show(forms_model.folder.parent, "model", "cranes")["forms"]
    done = CliRunner().invoke(app, ["show", str(forms_model.folder), "bank"])
    assert "form" not in done.stderr + done.stdout.partition("\n")[0]


def test_lemmas_come_from_a_dictionary(tmp_path, forms_corpus, topic_vectors):
    pytest.importorskip("simplemma", reason="needs the extra lemmas")
    how = [str(forms_corpus.path), str(topic_vectors.folder), "-w", "cranes", "--workers", "1"]
    for name, option in (("pooled", "--lemmas"), ("apart", "--no-lemmas")):
        done = CliRunner().invoke(app, ["induce", *how, "-o", str(tmp_path / name), option])
        assert done.exit_code == 0, done.output
    pooled, apart = (show(tmp_path, name, "cranes") for name in ("pooled", "apart"))
    assert (pooled["word"], apart["word"]) == ("crane", "cranes")
    assert pooled["count"] == apart["count"] + forms_corpus.count_of("crane")
    assert load(tmp_path / "pooled").manifest["lemmas"]["source"] == "simplemma (en)"
