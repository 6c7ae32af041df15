"""The English model that comes with the package."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import grassmeans
from grassmeans.cli.main import app
from grassmeans.lexemes.lexeme_vectors import open_lexemes
from grassmeans.models.places import installed_folder, list_models

LIMIT = 60_000_000


@pytest.fixture(scope="module")
def english():
    return grassmeans.load("en")


def test_it_is_small_and_has_a_card():
    assert "en" in list_models()
    folder = installed_folder("en")
    assert sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) <= LIMIT
    card = (folder / "MODEL_CARD.md").read_text(encoding="utf-8")
    assert "CC BY-SA" in card
    for heading in ("## Text and licence", "## Encoder", "## Scores", "## What it does not know"):
        assert heading in card


def test_every_word_has_described_senses_one_or_more(english):
    counts = english.inventory.sense_counts
    assert len(counts) > 16_000
    assert {"river", "piano", "hydrogen"} <= counts.keys()
    assert sum(n == 1 for n in counts.values()) > 3_000
    assert counts["bank"] >= 3
    for word in list(counts)[::1000]:
        entry = english.senses(word)
        assert sum(sense.share for sense in entry.senses) == pytest.approx(1, abs=0.01)
        assert entry.count >= 150
        names = [sense.name for sense in entry.senses]
        assert len(set(names)) == len(names)
        assert all(sense.examples and sense.nearest_words for sense in entry.senses)


def test_directions_are_unit_lines(english):
    directions = english.inventory.directions("crane")
    np.testing.assert_allclose(np.linalg.norm(directions, axis=1), 1, atol=1e-5)


def _sense_of(model, word, text):
    (found,) = model.tag(text, words=[word], idk_threshold=None)
    assert found.sense > 0, "too few known words around it"
    return model.senses(word).senses[found.sense - 1]


@pytest.mark.parametrize(
    ("word", "text", "marker"),
    [
        ("bank", "We had a picnic on the grassy bank of the river and watched the boats.", "shore"),
        ("bank", "She went to the bank to open a savings account and ask for a loan.", "banking"),
        (
            "charge",
            "An electron carries a negative charge, and a proton a positive one.",
            "electrons",
        ),
        ("java", "The web server was written in java, and so was its compiler.", "php"),
        ("java", "They sailed from Sumatra to java, the most crowded island.", "sumatra"),
        ("apple", "She peeled the apple and baked a pie with sugar and cinnamon.", "pear"),
        ("crane", "The crane lifted the concrete blocks to the top floor.", "truck"),
        ("python", "A python swallowed the goat, and the other snakes fled.", "snake"),
    ],
)
def test_sentences_get_the_sense_they_show(english, word, text, marker):
    assert marker in _sense_of(english, word, text).nearest_words


def test_a_neighbouring_sentence_does_not_overwrite_a_sense(english):
    text = (
        "She went to the bank to open a savings account and ask for a loan. We had a picnic on "
        "the grassy bank of the river and watched the boats."
    )
    money, river = english.tag(text, words=["bank"])
    assert money.sense != river.sense
    assert min(money.sense, river.sense) > 0


def test_an_only_sense_is_an_answer(english):
    (river,) = english.tag("We sat by the river.", words=["river"], idk_threshold=None)
    assert river.sense > 0
    counts = english.inventory.sense_counts
    word = next(w for w, n in counts.items() if n == 1 and w.isalpha())
    (alone,) = english.tag(f"{word}.", words=[word])
    assert alone.sense == 1


def test_lexemes_can_be_compared_with_words(english):
    lexemes = open_lexemes(english)
    assert lexemes is not None
    similar = [lexemes.vectors.similarity(f"java.{k}", "malaysia.1") for k in (1, 2)]
    senses = english.senses("java").senses
    island = next(s.number for s in senses if "malaysia" in s.nearest_words)
    assert similar[island - 1] == max(similar)


def test_the_command_line_takes_its_name(capsys):
    from typer.testing import CliRunner

    from grassmeans.cli.main import app

    result = CliRunner().invoke(app, ["show", "en", "crane", "--json"])
    assert json.loads(result.output)["word"] == "crane"


def test_its_examples_are_lines_and_pictures_without_a_corpus():
    pytest.importorskip("grassmeans_explorer", reason="needs grassmeans-explorer")
    from grassmeans_explorer.open_model import OpenModel
    from grassmeans_explorer.queries.lines import stored_lines_of
    from grassmeans_explorer.queries.pictures.context_map import draw_map
    from grassmeans_explorer.queries.pictures.planes import show_planes

    opened = OpenModel.open("en")
    senses = [line.sense for line in stored_lines_of(opened, "crane")]
    assert min(senses.count(number) for number in (1, 2, 3)) >= 6
    assert len(draw_map(opened, "crane", 400).points) > 30
    assert len(show_planes(opened, "crane")["planes"]) > 10
    drawn = draw_map(opened, "charge", 400)
    places = np.array([(point.x, point.y) for point in drawn.points])
    senses = np.array([point.sense for point in drawn.points])
    middles = np.array([np.median(places[senses == k], axis=0) for k in range(1, 8)])
    apart = np.linalg.norm(middles[:, None] - middles, axis=2) + 9.0 * np.eye(7)
    assert apart.min() > 0.2 * np.ptp(places, axis=0).max()  # a projection has 0.05


MUSIC = "the band recorded a song with guitar, drums and {} for the new album in the studio"
KITCHEN = (
    "the cook served soup with onions, butter and {} from the oven for dinner in the restaurant"
)
YOGA = "the yoga teacher showed the crane pose, breathing slowly and stretching {} in the class"
ENDS = (
    "again",
    "together",
    "today",
    "twice",
    "later",
    "early",
    "often",
    "at last",
    "by day",
    "more",
)


def test_it_is_corrected_under_another_corpus_and_tags_so(english, tmp_path):
    pytest.importorskip("grassmeans_explorer", reason="needs grassmeans-explorer")
    from grassmeans_explorer.open_model import OpenModel
    from grassmeans_explorer.queries import corrections
    from grassmeans_explorer.queries.corrections import Correction

    texts = [f"{line.format('blorf')} {end}" for line in (MUSIC, KITCHEN) for end in ENDS]
    texts += [YOGA.format(end) for end in ENDS]
    corpus = grassmeans.Corpus.from_texts(texts, tmp_path / "notes")
    opened = OpenModel(english, corpus, save_to=tmp_path)
    assert opened.relation == "other"
    added = corrections.correct_word(opened, "blorf", Correction("adopt", n_senses=2))
    assert [sense.share for sense in added.senses] == [0.5, 0.5]
    lines = corpus.positions("crane").tolist()
    number = len(english.senses("crane").senses) + 1
    wider = corrections.correct_word(opened, "crane", Correction("assign", lines=lines))
    assert (wider.n_senses, wider.corrections[0].n_taken) == (number, len(lines))
    # Lines that have it already draw it on; none is lost.
    drawn = corrections.correct_word(opened, "crane", Correction("assign", [number], lines=lines))
    assert drawn.corrections[1].n_taken == len(lines)
    assert (drawn.count, drawn.counted_in.name) == (len(lines), "notes")
    saved = corrections.save_corrections(opened, "corrected")
    passage = tmp_path / "passage.txt"
    parts = [MUSIC.format("<b>blorf</b>"), KITCHEN.format("<b>blorf</b>")]
    parts.append(YOGA.format("now").replace("crane", "<b>crane</b>"))
    parts.append("a flock of <b>crane</b> birds nested in the wetland and flew over the marsh")
    passage.write_text("\n".join(parts))
    result = CliRunner().invoke(
        app, ["tag", str(tmp_path / saved.saved_to), str(passage), "--json"]
    )
    assert result.exit_code == 0, result.output
    tagged = [json.loads(line)["words"][0]["label"] for line in result.stdout.splitlines()]
    assert {tagged[0], tagged[1]} == {"blorf.1", "blorf.2"}
    assert tagged[2] == f"crane.{number}"
    assert tagged[3] not in (f"crane.{number}", "crane.0")
    lexemes = open_lexemes(grassmeans.load(tmp_path / "corrected"))
    assert lexemes.senses("crane") == list(range(1, number + 1))
    assert lexemes.hard_vector("crane", number) is not None
