"""The Spanish and the German model, each a distribution of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import grassmeans
from grassmeans.cli.main import app
from grassmeans.corpus.vocabulary import load_function_words
from grassmeans.errors import ArtifactError
from grassmeans.models.places import installed_folder, list_models

LIMIT = 25_000_000
ANSWERED = {
    "de": 55,
    "es": 55,
}  # percent of hard sentences; a tenth of them has words without senses
DATA = Path(__file__).parents[1] / "data"

pytestmark = pytest.mark.skipif(
    not {"de", "es"} <= set(list_models()), reason="needs grassmeans-de and grassmeans-es"
)
each_language = pytest.mark.parametrize("language", ["de", "es"])


@each_language
def test_it_is_small_and_has_a_card(language: str) -> None:
    folder = installed_folder(language)
    assert sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) <= LIMIT
    card = (folder / "MODEL_CARD.md").read_text(encoding="utf-8")
    assert "CC BY-SA" in card
    assert f"Language: {language}." in card
    for heading in ("## Text and licence", "## Encoder", "## Scores", "## What it does not know"):
        assert heading in card


@each_language
def test_sentences_of_known_senses_are_answered_and_right(language: str) -> None:
    arguments = ["evaluate", "sentences", "--model", language, "--json"]
    data = DATA / f"{language}-sentences.jsonl"
    done = CliRunner().invoke(app, [*arguments, "--data", str(data)])
    assert done.exit_code == 0, done.output
    found = json.loads(done.output.strip().splitlines()[-1])["all"]
    assert found["answered"] > ANSWERED[language]
    assert found["accuracy"] > 74


@pytest.mark.parametrize(
    ("language", "word", "one", "other"),
    [
        (
            "es",
            "banco",
            "El banco le concedió un préstamo para comprar la casa.",
            "Se sentaron en un banco del parque a la sombra de los árboles.",
        ),
        (
            "de",
            "bank",
            "Die Bank gewährte ihm einen Kredit und senkte die Zinsen.",
            "Sie setzten sich auf eine Bank im Garten unter den Baum.",
        ),
    ],
)
def test_two_senses_of_a_word_are_told_apart(
    language: str, word: str, one: str, other: str
) -> None:
    model = grassmeans.load(language)
    found = [model.tag(text, words=[word], idk_threshold=None)[0].sense for text in (one, other)]
    assert min(found) > 0
    assert found[0] != found[1]


@pytest.mark.parametrize(
    ("language", "form", "lemma"), [("es", "bancos", "banco"), ("de", "bänke", "bank")]
)
def test_forms_lead_to_the_entry_of_their_word(language: str, form: str, lemma: str) -> None:
    model = grassmeans.load(language)
    assert model.senses(form).word == lemma


@each_language
def test_names_of_senses_have_no_function_words(language: str) -> None:
    model = grassmeans.load(language)
    words = model.words[:: len(model.words) // 40]
    names = [sense.name for word in words for sense in model.senses(word).senses]
    told = {part for name in names if ", " in name for part in name.split(", ")}
    assert told
    assert not told & load_function_words(language)


def test_few_texts_in_spanish_have_senses_by_the_spanish_model() -> None:
    texts = [
        "Guarda sus ahorros en el banco y pidió allí un préstamo.",
        "El banco subió los intereses de todas las cuentas.",
        "El banco central compró deuda del estado.",
        "Descansamos en un banco del parque, bajo los árboles.",
        "El anciano se sentó en el banco de la plaza a leer.",
        "Dormía en un banco de madera junto a la puerta de la iglesia.",
    ]
    found = grassmeans.find_senses(texts, "banco", language="es")
    assert len(set(found.labels[:3])) == len(set(found.labels[3:])) == 1
    assert found.labels[0] != found.labels[3]


def test_a_language_without_a_model_is_told_how_to_make_one() -> None:
    with pytest.raises(ArtifactError, match=r"those there are: en, es, de.*grassmeans model TEXT"):
        grassmeans.load("fr")
