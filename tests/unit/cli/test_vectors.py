"""`grassmeans lexemes` and what `grassmeans similar` makes of its result."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from grassmeans.cli.main import app
from grassmeans.clustering.settings import InductionSettings
from grassmeans.corpus.corpus import Corpus
from grassmeans.errors import GrassmeansError, InputError, UnknownWordError
from grassmeans.labelling.labeller import label_corpus
from grassmeans.lexemes.lexeme_vectors import LexemeVectors
from grassmeans.models.building import build_model
from grassmeans.vectors.skipgram import SkipGram
from grassmeans.vectors.word_vectors import WordVectors
from synthetic import POLYSEMOUS, SyntheticCorpus

TRAINING = ["--epochs", "3", "--min-count", "1", "-j", "1"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, synthetic: SyntheticCorpus) -> Path:
    """A folder with ``corpus``, ``vectors``, ``labelled`` and, made by the command, ``lexemes``."""
    root = tmp_path_factory.mktemp("cli-lexemes")
    corpus = Corpus.from_texts(synthetic.documents, root / "corpus")
    trainer = SkipGram(dim=16, min_count=1, epochs=8, workers=1).fit(corpus)
    trainer.vectors_.save(root / "vectors", output=trainer.output_)
    settings = InductionSettings(n_senses=2)
    model = build_model(
        root / "corpus",
        root / "vectors",
        root / "model",
        list(POLYSEMOUS),
        settings=settings,
        workers=1,
    )
    label_corpus(corpus, model, root / "labelled", workers=1)
    arguments = ["--start-from", str(root / "vectors"), *TRAINING]
    run_lexemes(root, "lexemes", *arguments)
    return root


def run_lexemes(root: Path, name: str, *arguments: str) -> dict[str, object]:
    return run_json("lexemes", str(root / "labelled"), "-o", str(root / name), *arguments)[0]


def run_json(*arguments: str) -> list[dict[str, object]]:
    result = CliRunner().invoke(app, [*arguments, "--json"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def fail(*arguments: str) -> GrassmeansError:
    result = CliRunner().invoke(app, list(arguments))
    assert isinstance(result.exception, GrassmeansError), result.output
    return result.exception


def test_the_summary_counts_the_lexemes(folder: Path) -> None:
    summary = run_lexemes(folder, "again", "--dim", "5", *TRAINING)
    made = LexemeVectors.load(folder / "again")
    assert summary["n_vectors"] == len(made.vectors)
    assert summary["dim"] == made.vectors.dim == 5
    assert summary["n_words_with_senses"] == 4
    assert summary["n_senses"] == 8
    assert summary["words_per_second"] == made.vectors.manifest["words_per_second"]
    assert made.senses("crane") == [1, 2]


def test_dim_is_that_of_the_starting_vectors(folder: Path) -> None:
    made = WordVectors.load(folder / "lexemes")
    assert made.dim == 16
    assert made.manifest["training"]["epochs"] == 3
    assert made.manifest["lexemes"]["started_from"] == "vectors"
    clash = ["--start-from", str(folder / "vectors"), "--dim", "8"]
    command = ["lexemes", str(folder / "labelled"), "-o", str(folder / "clash"), *clash]
    assert "start has dimension 16, but dim is 8" in str(fail(*command))


def test_soft_each_epoch_has_no_idk(folder: Path) -> None:
    summary = run_lexemes(folder, "soft", "--soft-each-epoch", "--dim", "4", *TRAINING)
    assert summary["n_idk"] == 0
    assert summary["n_senses"] == 8
    manifest = WordVectors.load(folder / "soft").manifest
    assert manifest["lexemes"]["decoding"] == "soft, drawn in each epoch"


def test_mistakes_are_explained(folder: Path) -> None:
    labelled, new = str(folder / "labelled"), str(folder / "new")
    sharp = fail("lexemes", labelled, "-o", new, "--sharpness", "5")
    assert isinstance(sharp, InputError)
    assert "--sharpness is for --soft-each-epoch" in str(sharp)
    plain = fail("lexemes", str(folder / "corpus"), "-o", new)
    assert "corpus without labels" in str(plain)
    assert not (folder / "new").exists()
    assert "exists already" in str(fail("lexemes", labelled, "-o", str(folder / "lexemes")))


def test_similar_shows_the_neighbours_of_one_lexeme(folder: Path) -> None:
    found = run_json("similar", str(folder / "lexemes"), "crane.2", "-n", "4")
    expected = LexemeVectors.load(folder / "lexemes").nearest_lexemes("crane", 2, 4)
    assert [line["word"] for line in found] == [neighbour.word for neighbour in expected]
    assert all("lexeme" not in line for line in found)


def test_similar_shows_every_sense_of_a_word(folder: Path) -> None:
    lexemes = LexemeVectors.load(folder / "lexemes")
    found = run_json("similar", str(folder / "lexemes"), "crane", "-n", "3")
    keys = lexemes.keys("crane")
    assert [line["lexeme"] for line in found] == [key for key in keys for _ in range(3)]
    second = [line["word"] for line in found if line["lexeme"] == "crane.2"]
    assert second == [neighbour.word for neighbour in lexemes.nearest_lexemes("crane", 2, 3)]


def test_similar_prints_one_table_a_sense(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grassmeans.cli.vectors.wants_json", lambda _asked: False)
    result = CliRunner().invoke(app, ["similar", str(folder / "lexemes"), "crane"])
    assert "nearest to crane.1" in result.stdout
    assert "nearest to crane.2" in result.stdout


def test_similar_names_the_senses_that_there_are(folder: Path) -> None:
    missing = fail("similar", str(folder / "lexemes"), "crane.9")
    assert isinstance(missing, UnknownWordError)
    assert "'crane' has no vector as 'crane.9'; there is: crane.1, crane.2" in str(missing)
    unknown = fail("similar", str(folder / "lexemes"), "heron")
    assert "'heron' is not among the" in str(unknown)


def test_similar_on_word_vectors_is_as_before(folder: Path) -> None:
    found = run_json("similar", str(folder / "vectors"), "crane", "-n", "2")
    expected = WordVectors.load(folder / "vectors").most_similar("crane", 2)
    assert [line["word"] for line in found] == [neighbour.word for neighbour in expected]
    no_sense = fail("similar", str(folder / "vectors"), "crane.1")
    assert "'crane' has no vector as 'crane.1'; there is: crane" in str(no_sense)
