"""What tagging does with input that it was not made for: a clear message or a documented result."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from crane_model import save_crane_model
from damage import edit_manifest, make_old
from grassmeans.cli.main import app
from grassmeans.errors import ArtifactError, GrassmeansError, InputError, UnknownWordError
from grassmeans.models.model import SenseModel, load


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return save_crane_model(tmp_path_factory.mktemp("models") / "cranes")


@pytest.fixture(scope="module")
def model(folder) -> SenseModel:
    return load(folder)


@pytest.fixture
def tag(tmp_path):
    def run_command(
        model_folder: Path, *options: str, text: str | bytes
    ) -> list[dict[str, object]]:
        file = tmp_path / "input.txt"
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        done = CliRunner().invoke(app, ["tag", str(model_folder), str(file), *options])
        if done.exception is not None:
            raise done.exception
        return [json.loads(line) for line in done.stdout.splitlines()]

    return run_command


def labels(tagged) -> list[str]:
    return [word.label for word in tagged]


def test_unknown_words_are_left_alone_and_marked_ones_reported(model, folder, tag) -> None:
    assert labels(model.tag("A heron on the nest, and a crane.")) == ["crane.1"]
    tagged = model.tag("A <b>heron</b> on the nest.")
    assert (labels(tagged), tagged.unknown) == ([], ("heron",))
    assert labels(model.tag("Steel crane.", words=["heron"])) == []
    with pytest.raises(UnknownWordError, match="'heron' is not among the 2 words"):
        model.senses("heron")
    (line,) = tag(folder, text="A <b>heron</b>.\n")
    assert line == {"text": "A heron.", "words": [], "unknown": ["heron"]}
    with pytest.raises(UnknownWordError):
        tag(folder, "--word", "heron", text="heron\n")


@pytest.mark.parametrize(
    "text", ["crane", "The crane on a", "crane heron", "crane!", "<b>crane</b>"]
)
def test_no_context_is_don_t_know_where_that_is_asked_for(model, text) -> None:
    for threshold, label in ((0.6, "crane.0"), (1.0, "crane.0"), (None, "crane.1")):
        (word,) = model.tag(text, idk_threshold=threshold)
        assert (word.label, word.distances, word.probabilities) == (label, (), (0.5, 0.5))


@pytest.mark.parametrize(
    "text", ["", " \n\t", "¿?", "123 456", "\ud800", "\x00", "🦤", "a" * 10_000]
)
def test_texts_without_words_give_nothing(model, text) -> None:
    assert labels(model.tag(text)) == []


def test_another_language_gives_nothing_or_don_t_know(model) -> None:
    assert labels(model.tag("La grulla descansa junto al nido, y la grúa levanta la viga.")) == []
    assert labels(model.tag("起重机吊起了沉重的钢梁。")) == []
    assert labels(model.tag("Die crane steht auf der façade.")) == ["crane.0", "façade.0"]


def test_words_of_other_scripts_are_no_context(model) -> None:
    assert labels(model.tag("журавль crane гнездо")) == ["crane.0"]


@pytest.mark.parametrize(
    "text",
    [
        '<p class="nest wing">Steel crane</p>',
        "<nest><wing>Steel</wing> crane</nest>",
        "Steel&nest;crane &#x1F9A4;",
        "<!DOCTYPE nest>\n<nest wing='1'/> Steel <i>crane</i>",
        "</b> Steel crane </b>",
        "Steel crane <b",
    ],
)
def test_markup_is_not_read_as_words(model, text) -> None:
    tagged = model.tag(text)
    assert tagged.text == text
    (word,) = tagged
    assert tagged.text[word.start : word.end] == "crane"
    assert word.distances == pytest.approx((1.0, 0.0), abs=1e-3)  # steel alone


def test_a_sign_is_no_tag(model) -> None:
    assert labels(model.tag("crane < nest & wing > 3")) == ["crane.1"]


def test_a_mark_starts_at_the_last_opening_tag(model) -> None:
    tagged = model.tag("crane <b> steel <b>crane</b>")
    assert labels(tagged) == ["crane.2"]
    assert tagged.text == "crane <b> steel crane"


def test_an_empty_mark_marks_nothing(model) -> None:
    tagged = model.tag("<b> </b> steel crane")
    assert (labels(tagged), tagged.unknown) == ([], ())


@pytest.mark.parametrize(
    "text", ["<b>" * 300_000, "<b>" + " " * 1_000_000, "<a" * 500_000, "&a" * 500_000]
)
def test_damaged_markup_takes_linear_time(model, text) -> None:
    # A quadratic search would take hours on these.
    assert labels(model.tag(f"{text} steel crane")) == ["crane.2"]


def test_a_very_long_document(model) -> None:
    bird, machine = "The crane on a nest. ", "A crane, steel. "
    n = 20_000
    tagged = model.tag(bird * n + "no word known " * 100_000 + machine * n)
    found = labels(tagged)
    assert len(found) == 2 * n
    assert set(found[1 : n - 1]) == {"crane.1"}
    assert set(found[n + 1 : -1]) == {"crane.2"}


@pytest.mark.parametrize("drop_repeats", [False, True])
def test_very_many_targets_in_one_sentence(model, drop_repeats) -> None:
    if drop_repeats:
        model.encoder.shape = replace(model.encoder.shape, drop_repeats=True)
    tagged = model.tag("steel " + "crane " * 50_000 + "nest")
    assert len(tagged) == 50_000
    if drop_repeats:
        # Steel and nest are the context of every one of them, and equally far.
        assert tagged[0].distances == pytest.approx(tagged[25_000].distances)
    else:
        # Inside, the context is crane itself, half way between both senses.
        assert tagged[25_000].distances == pytest.approx((0.5**0.5, 0.5**0.5), abs=1e-6)


def test_input_that_is_no_text(model) -> None:
    with pytest.raises(InputError, match="needs a string, got bytes"):
        model.tag(b"crane")
    with pytest.raises(InputError, match="got the string 'crane', which names no file"):
        model.tag_many("crane")
    with pytest.raises(InputError, match=r"texts\[1\] is missing"):
        model.tag_many(["crane", None])
    with pytest.raises(InputError, match="words must be a word or a list of words, got int"):
        model.tag("crane", words=7)
    with pytest.raises(InputError, match="idk_threshold must be a number from 0 to 1"):
        model.tag("steel crane", idk_threshold=60)
    with pytest.raises(InputError, match="sharpness must be a number from 0"):
        model.tag("steel crane", sharpness=-1)


def test_bytes_that_are_no_utf_8(folder, tag) -> None:
    (line,) = tag(folder, text="A steel crane at the café.\n".encode("latin-1"))
    assert line["text"] == "A steel crane at the café."
    (line,) = tag(folder, text="A steel crane.\n".encode("utf-16"))
    assert [word["label"] for word in line["words"]] == ["crane.2"]
    with pytest.raises(InputError, match=r"binary file: 1 \(first: .*input\.txt"):
        tag(folder, text=b"steel crane \xff\xfe\n\x00\n")


def test_compressed_files_are_opened(folder, tag) -> None:
    (line,) = tag(folder, text=gzip.compress(b"A steel crane.\n"))
    assert [word["label"] for word in line["words"]] == ["crane.2"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format_version": 99, "grassmeans": "9.1"}, r"format version 99.*\(9\.1\)"),
        ({"kind": "corpus"}, "holds a corpus, but a model is needed"),
        ({"tokenizer": {"kind": "syllables"}}, "unknown tokenizer 'syllables'"),
        ({"context": {"kind": "syllables"}}, r"manifest\.json .*no kind of context 'syllables'"),
    ],
)
def test_a_model_of_another_format(tmp_path, tag, change, message) -> None:
    other = save_crane_model(tmp_path / "other")
    edit_manifest(other, **change)
    with pytest.raises(GrassmeansError, match=message):
        load(other)
    with pytest.raises(GrassmeansError, match=message):
        tag(other, text="crane\n")


def test_vectors_of_another_format_inside_a_model(tmp_path) -> None:
    other = make_old(save_crane_model(tmp_path / "other"))
    path = other / "vectors" / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"format_version": 99}))
    with pytest.raises(ArtifactError, match="format version 99"):
        load(other)


def test_a_sentence_is_tagged_without_loading_the_compiler(folder) -> None:
    code = (
        "import sys, grassmeans\n"
        "tagged = grassmeans.load(sys.argv[1]).tag('Steel crane')\n"
        "heavy = ('numba', 'sklearn', 'scipy', 'joblib')\n"
        "print(tagged[0].label, [name for name in heavy if name in sys.modules])"
    )
    command = [sys.executable, "-c", code, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "crane.2 []\n"
