"""Texts of another language: told the same at every door, once a call."""

from __future__ import annotations

import re
import warnings

import pytest
from typer.testing import CliRunner

from grassmeans import Corpus, SenseModel, find_senses
from grassmeans.cli.main import app
from grassmeans.corpus.corpus import default_options
from grassmeans.editing.growing import update_model
from grassmeans.errors import GrassmeansWarning, InputError
from grassmeans.integrations import tag_iter
from grassmeans.labelling import label_corpus
from grassmeans.senses.induction import induce
from grassmeans.senses.language import LanguageCheck

GERMAN = [
    "der kran und die vögel stehen auf dem ufer und das wasser ist ruhig",
    "ein kran hebt den stahl und die arbeiter sehen von der brücke zu",
    "ich habe den kran gesehen als er über das dach geflogen ist",
    "sie mieten einen kran für den bau und zahlen mit dem geld der stadt",
] * 3
FOREIGN = r"\d+% of the (first )?\d+ words are function words of the (model's|contexts') language"


def check_language(
    *texts: str, function_words: frozenset[str] = frozenset({"the", "of"})
) -> LanguageCheck:
    found = LanguageCheck(function_words, language="the model's language (en)")
    for text in texts:
        found.add(text.split())
    return found


def test_text_of_the_same_language() -> None:
    found = check_language("the end of the first and last long day here")  # 3 of 10

    assert found.n_tokens == 10
    assert found.share == 0.3
    assert not found.looks_foreign


def test_text_of_another_language() -> None:
    assert check_language("el final del primer y of último largo día aquí").looks_foreign  # 1 of 10


def test_too_little_text_tells_nothing() -> None:
    assert not check_language("el final del primer día").looks_foreign


def test_pieces_are_counted_together_until_enough_was_seen() -> None:
    found = check_language("uno dos tres cuatro cinco " * 8, "the of " * 100)

    assert found.n_tokens == 40
    assert found.is_done
    assert found.looks_foreign


def test_a_model_without_function_words_tells_nothing() -> None:
    assert not check_language("uno dos tres " * 20, function_words=frozenset()).looks_foreign


def test_what_is_said_of_a_text_of_another_language() -> None:
    assert check_language("the end of the first and last long day here").describe() == ""
    said = check_language("el final del primer y of último largo día aquí").describe()
    assert said == (
        "10% of the first 10 words are function words of the model's language (en): "
        "is the text in another one?"
    )


def test_words_that_are_mostly_unknown() -> None:
    check = LanguageCheck({"the"}, {"crane", "nest"})
    check.add(["the", "the", *["crane"] * 5, *["quux"] * 5])
    assert check.describe() == ""  # five of ten content words
    check.add(["the", "quux"])
    assert check.describe() == (
        "only 45% of the text's content words are known to the contexts: "
        "are they of another language or spelling?"
    )
    few = LanguageCheck({"the"}, {"crane"})
    few.add(["the", "the", *["quux"] * 9])
    assert few.describe() == ""


def test_a_corpus_is_looked_at_whole() -> None:
    # 4 of 52 words; a text in pieces would be done with its first 40.
    corpus = Corpus.from_texts(["uno dos tres " * 16 + "the the the the"])
    check = LanguageCheck({"the"}).add_corpus(corpus)
    assert (check.n_tokens, check.n_function_words) == (52, 4)
    assert check.describe().startswith("8% of the 52 words are function words")
    known = Corpus.from_texts(["crane " * 69 + "quux " * 31 + "the " * 30])
    assert LanguageCheck({"the"}, {"crane"}).add_corpus(known).describe() == ""
    check = LanguageCheck({"the"}, {"crane"}, least_known=0.7).add_corpus(known)
    assert check.describe().startswith("only 69% of the text's content words are known")


def caught(action):
    """The package's warnings of an action."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        action()
    return [w for w in found if issubclass(w.category, GrassmeansWarning)]


@pytest.fixture
def english(topic_model, topic_corpus):
    """The model of topics, whose function words are English."""
    assert topic_model.encoder.function_words == default_options("en").function_words
    return topic_model


def test_every_door_of_python_warns_once_and_says_what_to_do(english, tmp_path) -> None:
    texts = [f"{text} crane birdba birdbe birdbi" for text in GERMAN]
    doors = {
        "find_senses": lambda: find_senses(texts, "crane", contexts=english),
        "fit": lambda: SenseModel.fit(texts, "crane", contexts=english),
        "induce": lambda: induce(Corpus.from_texts(texts), english.encoder, "crane"),
        "tag": lambda: english.tag(" ".join(texts)),
        "tag_many": lambda: english.tag_many(texts),
        "tag_iter": lambda: list(tag_iter(texts, english, batch_size=2)),
        "label": lambda: label_corpus(
            Corpus.from_texts(texts, tmp_path / "corpus"), english, tmp_path / "labelled", workers=1
        ),
    }
    for name, door in doors.items():
        (warning,) = caught(door)
        said = str(warning.message)
        assert re.match(FOREIGN, said), name
        advice = "language=..." if name in ("find_senses", "fit", "induce") else "take a model"
        assert advice in said, name
        assert warning.filename == __file__, name  # where the user called, however deep it is


def test_text_of_the_language_gives_no_warning(english, synthetic) -> None:
    texts = synthetic.documents[:16]
    assert caught(lambda: find_senses(texts, "crane", contexts=english)) == []
    assert caught(lambda: english.tag_many(texts)) == []


def test_an_update_warns_of_little_text_and_refuses_much(english, tmp_path) -> None:
    place = tmp_path / "de.txt"
    place.write_text("\n\n".join(f"{text} crane" for text in GERMAN[:4]))
    (warning,) = caught(lambda: update_model(english.folder, place, tmp_path / "grown", workers=1))
    assert "of the 57 words are function words of the model's language (en)" in str(warning.message)
    place.write_text("\n\n".join(f"{GERMAN[i % 4]} zug{i} crane" for i in range(80)))
    with pytest.raises(InputError, match="is the text in another one"):
        update_model(english.folder, place, tmp_path / "more", workers=1)


def test_the_command_line_says_the_same(english, tmp_path) -> None:
    texts = [f"{text} crane birdba birdbe birdbi" for text in GERMAN]
    (tmp_path / "de.txt").write_text("\n".join(texts))
    (in_python,) = caught(lambda: english.tag_many(texts))
    done = CliRunner().invoke(app, ["tag", str(english.folder), str(tmp_path / "de.txt")])
    assert done.exit_code == 0, done.output
    assert done.stderr.splitlines() == [str(in_python.message)]
    given = ["induce", str(tmp_path / "de.txt"), str(english.folder), "-o", str(tmp_path / "m")]
    done = CliRunner().invoke(app, [*given, "-w", "crane", "-j", "1"])
    assert done.exit_code == 0, done.output
    (line,) = [line for line in done.stderr.splitlines() if "function words" in line]
    assert "the contexts' language: is the text in another one?" in line
    assert "say which it is (--language)" in line
