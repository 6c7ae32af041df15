from __future__ import annotations

import json
import shutil
import warnings
from dataclasses import replace

import pytest

from grassmeans import Corpus, WordVectors, load
from grassmeans.artifacts.writing import building_place, read_manifest
from grassmeans.contexts.attention.training import EncoderSettings
from grassmeans.corpus.ingest import IngestOptions
from grassmeans.errors import InputError
from grassmeans.models.building import build_model
from grassmeans.models.compacting import CompactSettings
from grassmeans.recipes import Reading, Recipe, making
from grassmeans.text.tokenizer import Tokenizer
from synthetic import make_topic_text

pytest.importorskip("torch", reason="needs the extra encoder")
FEW = Recipe(
    EncoderSettings(dim=64, layers=1, passage=32, epochs=0.2, batch_tokens=512),
    min_count=60,
    lexemes=False,
)
STEPS = ["encoder", "senses", "labelled", "vectors", "lexemes", "compact", "scores"]


def make_model(*given, **options):
    """A small model, whose encoder is poor: that is remarked on, here to nobody."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        how = {"workers": 1, "show_progress": False}
        return making.make_model(*given, **how | options)


def list_tree(folder):
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def test_the_steps_are_taken_in_order_and_told(made, told):
    assert told[0].startswith("steps on disk: about ")
    assert [line.partition(":")[0] for line in told[1:]] == STEPS
    beside = made.with_name("model.steps")
    assert {path.name for path in beside.iterdir()} == {*STEPS, "steps.json"}
    assert not building_place(made).exists()


def test_the_model_is_what_the_commands_make_one_after_the_other(made, texts, tmp_path):
    steps = made.with_name("model.steps")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        induced = build_model(
            texts, steps / "encoder", tmp_path / "m", min_count=60, workers=1, show_progress=False
        )
    model = load(made)
    assert model.inventory.sense_counts == induced.inventory.sense_counts
    assert model.calibration == induced.calibration
    assert model.calibration is not None
    assert model.inventory.sense_counts["crane"] == 2
    assert model.manifest["compact"]["bits"] == 4
    frozen = WordVectors.load(steps / "lexemes").manifest["lexemes"]["frozen_words"]
    assert frozen > 0
    labelled = read_manifest(steps / "labelled")["labelled"]
    assert labelled["decoding"] == "soft"
    assert model.lexemes is not None
    assert "crane.1" in model.lexemes


def test_the_manifest_tells_how_it_was_made_and_how_good_it_is(made):
    manifest = load(made).manifest
    assert manifest["name"] == "topics"
    assert manifest["licence"] == "CC BY 4.0"
    assert manifest["sources"] == [{"name": "made up", "licence": "CC0", "words": 28_000}]
    assert manifest["recipe"]["min_count"] == 60
    assert manifest["recipe"]["encoder"]["training"]["dim"] == 64
    scores = manifest["scores"]
    encoder = read_manifest(made.with_name("model.steps") / "encoder")
    assert scores["held_out_loss"] == encoder["held_out_loss"]
    assert scores["pseudowords"]["n_instances"] > 100
    assert scores["pseudowords"]["held_apart"] is False  # there are words for a calibration only
    assert 0 <= scores["pseudowords"]["answered"] <= 100
    assert scores["held_out_text"]["n_words"] > 0
    assert json.loads(json.dumps(scores)) == scores


def test_finished_steps_are_taken_over_by_another_model(made, texts, tmp_path):
    place = tmp_path / "model"
    shutil.copytree(made.with_name("model.steps"), tmp_path / "model.steps")
    before = list_tree(tmp_path / "model.steps" / "lexemes")
    recipe = Recipe(
        EncoderSettings(dim=64, layers=1, passage=32, epochs=2, batch_tokens=512),
        min_count=60,
        epochs=1,
        compact=CompactSettings(bits=8),
    )
    with pytest.raises(InputError, match="step 'compact'"):
        make_model(texts, place, recipe, keep=True)
    told = []
    model = make_model(texts, place, recipe, keep=True, overwrite=True, tell=told.append)
    assert model.manifest["compact"]["bits"] == 8
    assert [line.endswith("is there") for line in told[1:]] == [True] * 5 + [False] * 2
    assert list_tree(tmp_path / "model.steps" / "lexemes") == before


def test_a_run_that_was_stopped_at_each_step_goes_on(texts, tmp_path, monkeypatch, made):
    """Killed before and after every step; what was done is not done again."""
    functions = ["train_encoder", "fit_model", "compact_model", "score_model", "write_manifest"]
    calls = []
    for name in functions:
        whole = getattr(making, name)

        def stop(*given, whole=whole, name=name, **options):
            calls.append(name)
            if calls.count(name) == 1:
                raise KeyboardInterrupt
            done = whole(*given, **options)
            if calls.count(name) == 2:
                raise KeyboardInterrupt
            return done

        monkeypatch.setattr(making, name, stop)
    place = tmp_path / "model"
    for _ in range(2 * len(functions)):
        with pytest.raises(KeyboardInterrupt):
            make_model(texts, place, FEW)
        assert not place.exists()
    model = make_model(texts, place, FEW)
    # A step that was stopped behind its end is whole, but for scores, which have no manifest.
    assert {name: calls.count(name) for name in functions[:3]} == dict.fromkeys(functions[:3], 2)
    assert calls.count("score_model") == 3
    assert model.stored_lexemes is None
    assert [path.name for path in tmp_path.iterdir()] == ["model"]
    assert (place / "MODEL_CARD.md").is_file()


def test_senses_are_sought_in_the_last_corpus_or_in_those_named(tmp_path, texts, made):
    other = Corpus.from_texts(make_topic_text(80, 1).documents, tmp_path / "other")
    reading = Reading(encoder=made.with_name("model.steps") / "encoder")
    last = make_model([texts, other.path], tmp_path / "a", FEW, reading=reading)
    assert last.manifest["corpus"]["n_tokens"] == other.n_tokens == 5_600
    both = make_model(
        [texts, other.path],
        tmp_path / "b",
        FEW,
        reading=reading,
        senses_from=[texts, other.path],
        keep=True,
    )
    assert both.manifest["corpus"]["n_tokens"] == 28_000 + 5_600
    assert "crane" in both
    assert (tmp_path / "b.steps" / "joined").is_dir()
    assert not (tmp_path / "b.steps" / "encoder").exists()


def test_vectors_of_senses_may_come_from_less_text(tmp_path, texts, made):
    less = Corpus.from_texts(make_topic_text(80, 1).documents, tmp_path / "less")
    reading = Reading(encoder=made.with_name("model.steps") / "encoder")
    recipe = replace(FEW, lexemes=True, epochs=1)
    given = {"reading": reading, "lexemes_from": less.path, "keep": True}
    model = make_model(texts, tmp_path / "m", recipe, **given)
    steps = tmp_path / "m.steps"
    assert Corpus.open(steps / "labelled").n_tokens == less.n_tokens == 5_600
    assert "crane.1" in model.lexemes
    cased = IngestOptions(tokenizer=Tokenizer(lowercase=False))
    other = Corpus.from_texts(["A Bank by a River"], tmp_path / "other", options=cased)
    with pytest.raises(InputError, match="cut into words"):
        make_model(texts, tmp_path / "n", recipe, **given | {"lexemes_from": other.path})


def test_an_encoder_reads_all_corpora_by_their_shares(tmp_path, texts):
    other = Corpus.from_texts(make_topic_text(80, 1).documents, tmp_path / "other")
    given = {"reading": Reading(shares=[3, 1]), "keep": True}
    make_model([texts, other.path], tmp_path / "m", FEW, **given)
    trained = read_manifest(tmp_path / "m.steps" / "encoder")
    assert trained["training"]["shares"] == [0.75, 0.25]
    shutil.rmtree(tmp_path / "m")  # the steps are still there
    with pytest.raises(InputError, match="step 'encoder'"):
        make_model(
            [texts, other.path], tmp_path / "m", FEW, reading=Reading(shares=[1, 1]), keep=True
        )


def test_a_teacher_is_heard(tmp_path, topic_corpus, transformer_folder):
    from grassmeans.contexts.teaching.teacher import Teacher

    teacher = Teacher(str(transformer_folder), "1-2", cache=tmp_path / "said")
    model = make_model(topic_corpus.path, tmp_path / "m", FEW, reading=Reading(teacher=teacher))
    assert model.encoder.kind == "taught"
    assert model.manifest["recipe"]["encoder"]["teacher"]["layers"] == "1,2"
    assert model.manifest["scores"]["voices"].keys() >= {"line", "deviation"}
    assert "with the teacher" in (tmp_path / "m" / "MODEL_CARD.md").read_text()


def test_texts_become_a_corpus_of_their_language(tmp_path):
    for part in (0, 1):
        text = "\n\n".join(make_topic_text(80, part).documents)
        (tmp_path / f"{part}.txt").write_text(text)
    paths = [tmp_path / "0.txt", tmp_path / "1.txt"]
    model = make_model(paths, tmp_path / "m", FEW, language="es", keep=True)
    assert model.language == "es"
    assert Corpus.open(tmp_path / "m.steps" / "corpus").n_documents == 160
    assert "para" in model.encoder.function_words


def test_tests_are_scored(tmp_path, texts, made, synthetic):
    lines = [
        {"word": "crane", "sense": str(topic), "text": f"crane {' '.join(words[i : i + 8])}"}
        for topic, words in enumerate(synthetic.topic_words[:2])
        for i in (0, 8)
    ]
    path = tmp_path / "s.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    reading = Reading(encoder=made.with_name("model.steps") / "encoder")
    given = {"reading": reading, "tests": {"sentences": path}}
    model = make_model(texts, tmp_path / "m", FEW, **given)
    assert model.manifest["scores"]["tests"]["sentences"]["counts"]["n_sentences"] == 4
    assert model.manifest["name"] == "m"  # that of its folder, where none is given
    assert "\nsentences:\n\n| " in (tmp_path / "m" / "MODEL_CARD.md").read_text()


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"language": "es"}, r"language 'en', not 'es'"),
        ({"tests": {"sentences": "nowhere"}}, "nothing at nowhere"),
        ({"recipe": Recipe(min_count=10**6)}, "no content word"),
        ({"device": "abacus"}, "abacus"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_done(texts, tmp_path, options, problem):
    with pytest.raises(InputError, match=problem):
        make_model(texts, tmp_path / "m", **{"recipe": FEW} | options)
    assert list(tmp_path.iterdir()) == []


def test_corpora_and_texts_are_not_mixed(texts, tmp_path):
    (tmp_path / "a.txt").write_text("crane")
    with pytest.raises(InputError, match="corpora alone"):
        make_model([texts, tmp_path / "a.txt"], tmp_path / "m", FEW)
    with pytest.raises(InputError, match="corpora alone"):
        make_model([], tmp_path / "m", FEW)
    with pytest.raises(InputError, match="no file or folder"):
        make_model(tmp_path / "none", tmp_path / "m", FEW)


def test_a_labelled_corpus_is_refused(made, tmp_path):
    with pytest.raises(InputError, match="labelled: give the corpus it was made from"):
        make_model(made.with_name("model.steps") / "labelled", tmp_path / "m", FEW)


def test_what_contradicts_itself_is_refused():
    with pytest.raises(InputError, match="dimensions are those of lexemes"):
        Recipe(lexemes=False, compact=CompactSettings(dimensions=8))
    with pytest.raises(InputError, match="leave shares, teacher, base, start out"):
        Reading(encoder="encoder", teacher="mpnet")


def test_what_is_there_is_not_replaced(made, texts, tmp_path):
    before = list_tree(made)
    with pytest.raises(InputError, match="exists already"):
        make_model(texts, made, FEW)
    assert list_tree(made) == before
    (tmp_path / "m.steps").mkdir()
    (tmp_path / "m.steps" / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="other things than steps"):
        make_model(texts, tmp_path / "m", FEW, keep=True)
    assert [path.name for path in tmp_path.iterdir()] == ["m.steps"]
