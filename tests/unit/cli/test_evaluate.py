from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from grassmeans import WordVectors, load
from grassmeans.artifacts.writing import write_manifest
from grassmeans.cli.main import app
from grassmeans.contexts import describe_encoder
from grassmeans.contexts.subspaces import SubspaceEncoder
from grassmeans.corpus.vocabulary import write_function_words
from grassmeans.errors import InputError
from grassmeans.evaluation.instances import read_key
from grassmeans.geometry.windows import ContextShape
from grassmeans.models.model import SenseModel
from grassmeans.senses.calibration import CALIBRATION, Calibration
from grassmeans.senses.entries import WordSenses
from grassmeans.senses.inventory import SenseInventory
from grassmeans.text.tokenizer import Tokenizer

LINES = [
    {"id": "1", "target": "crane", "left": "nest ", "right": "", "label": "bird"},
    {"id": "2", "target": "crane", "left": "beam ", "right": "", "label": "machine"},
    {"id": "3", "target": "crane", "left": "unseen ", "right": "", "label": "bird"},
    {"id": "4", "target": "seal", "left": "nest ", "right": "", "label": "animal"},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model with two senses of crane, along nest and beam, and four instances."""
    vectors = WordVectors(["nest", "beam"], np.eye(2, dtype=np.float32))
    crane = WordSenses("crane", 2, 2, np.eye(2, dtype=np.float32), ())
    encoder = SubspaceEncoder(vectors, ContextShape(window=2, rank=1), frozenset())
    about = {"idk_threshold": 0.4}
    model = SenseModel(encoder, SenseInventory([crane]), Tokenizer(), about)
    model.save(tmp_path / "model")
    (tmp_path / "a.jsonl").write_text("\n".join(json.dumps(line) for line in LINES))
    return tmp_path


def evaluate(folder: Path, task: str, data: str, *options: object):
    arguments = ["evaluate", task, "--data", str(folder / data), *map(str, options)]
    return CliRunner().invoke(app, arguments)


def test_answers_scores_and_record(folder: Path) -> None:
    key = folder / "out.key"
    result = evaluate(folder, "jsonl", "a.jsonl", "--model", folder / "model", "--key-out", key)
    found = json.loads(result.stdout)
    assert found["all"]["v_measure"] == pytest.approx(100)
    assert found["counts"]["n_poor_context"] == 1
    assert found["words_without_senses"] == ["seal"]
    assert found["digests"].keys() == {"model", "data"}
    assert found["paths"]["data"].endswith("a.jsonl")
    assert "too few known words around (largest sense): 1" in result.stderr
    assert "words without senses: seal" in result.stderr
    assert read_key(key).best_labels("crane") == {"1": "crane.1", "2": "crane.2", "3": "crane.1"}
    again = CliRunner().invoke(app, ["score", str(key), str(folder / "a.jsonl"), "--task", "jsonl"])
    assert json.loads(again.stdout)["all"] == found["all"]


def save_encoder(folder: Path) -> Path:
    """The encoder of the model alone."""
    encoder = load(folder / "model").encoder
    place = folder / "encoder"
    encoder.vectors.save(place / "vectors")
    write_function_words(place, encoder.function_words)
    about = describe_encoder(encoder) | {"tokenizer": Tokenizer().to_dict()}
    write_manifest(place, "encoder", 1, about)
    return place


def test_pairs_need_an_encoder_alone(folder: Path) -> None:
    lines = [*LINES, LINES[0] | {"id": "5"}]
    (folder / "b.jsonl").write_text("\n".join(json.dumps(line) for line in lines))
    options = ("--of", "jsonl", "--model")
    by_encoder = evaluate(folder, "pairs", "b.jsonl", *options, save_encoder(folder))
    found = json.loads(by_encoder.stdout)
    # In one sense: nest-nest 1, and twice nest-nothing 0; in two: twice nest-beam 0, beam-nothing.
    assert found["all"]["area"] == pytest.approx(100 * (3 + 1.5 + 1.5) / 9, abs=1e-4)
    assert found["counts"]["n_words_without_area"] == 1
    assert "one gold sense, or each instance its own (no area): 1" in by_encoder.stderr
    assert "too few known words around (alike to none): 1" in by_encoder.stderr
    by_model = json.loads(evaluate(folder, "pairs", "b.jsonl", *options, folder / "model").stdout)
    assert by_model["all"] == found["all"]
    table = evaluate(folder, "pairs", "b.jsonl", *options, folder / "model", "--markdown").stdout
    assert table.splitlines()[2].startswith("| all | 1 | 4 | 6 | 66.67 |")


def test_pairs_of_a_file(folder: Path) -> None:
    text = "word\ttext1\ttext2\tlabel\ncrane\tnest crane\tcrane nest\t1\n"
    (folder / "a.tsv").write_text(text + "seal\tnest seal\tseal beam\t0\n")
    result = evaluate(folder, "pairs", "a.tsv", "--model", folder / "model")
    found = json.loads(result.stdout)["all"]
    assert (found["area"], found["n_pairs"], found["same"]) == (100.0, 2, 50.0)


def test_markdown_and_induction_on_the_instances(folder: Path) -> None:
    lines = [*LINES, LINES[0] | {"id": "5"}]  # two birds: theirs is the largest sense
    (folder / "b.jsonl").write_text("\n".join(json.dumps(line) for line in lines))
    options = ("--model", folder / "model", "--induce", "on-test", "-k", 2, "--markdown")
    result = evaluate(folder, "jsonl", "b.jsonl", *options)
    assert result.stdout.splitlines()[2].startswith("| all | 2 | 5 | 100.00 |")


def test_sentences_are_answered_up_to_a_threshold(folder: Path) -> None:
    texts = {"nest crane": "bird", "beam crane": "machine", "seal nest": "animal"}
    lines = [
        {"word": "seal" if "seal" in text else "crane", "sense": sense, "text": text}
        for text, sense in texts.items()
    ]
    (folder / "my-sentences.jsonl").write_text("\n".join(json.dumps(line) for line in lines))
    result = evaluate(folder, "sentences", "", "--model", folder / "model")
    found = json.loads(result.stdout)
    assert found["all"]["answered"] == pytest.approx(200 / 3, abs=1e-4)
    assert (found["all"]["accuracy"], found["all"]["other"]) == (100, 100)
    assert found["parameters"]["idk"] == 0.4
    assert "words without senses: seal" in result.stderr
    none = evaluate(folder, "sentences", "", "--model", folder / "model", "--idk", 0)
    assert json.loads(none.stdout)["all"]["answered"] == 0


def test_a_calibrated_model_answers_from_the_confidence_on_that_is_asked(folder: Path) -> None:
    model = SenseModel.load(folder / "model")
    about = {CALIBRATION: Calibration(0.0, 1.0).to_dict()}  # for a margin of 1 the odds are 1.01
    SenseModel(model.encoder, model.inventory, model.tokenizer, about).save(folder / "sure")
    line = {"word": "crane", "sense": "bird", "text": "nest crane"}
    (folder / "my-sentences.jsonl").write_text(json.dumps(line))
    answered = {}
    for confidence in (0.5, 0.51):
        options = ("--model", folder / "sure", "--confidence", confidence)
        result = evaluate(folder, "sentences", "", *options)
        answered[confidence] = json.loads(result.stdout)["all"]["answered"]
    assert answered == {0.5: 100.0, 0.51: 0.0}


def test_instances_without_labels_need_a_key_to_write(folder: Path) -> None:
    bare = [{name: line[name] for name in line if name != "label"} for line in LINES]
    (folder / "bare.jsonl").write_text("\n".join(json.dumps(line) for line in bare))
    result = evaluate(folder, "jsonl", "bare.jsonl", "--model", folder / "model")
    assert "give --gold or --key-out" in str(result.exception)
    key = folder / "out.key"
    options = ("--model", folder / "model", "--key-out", key)
    result = evaluate(folder, "jsonl", "bare.jsonl", *options)
    assert "nothing is scored" in result.stderr
    assert read_key(key).n_instances == 4


@pytest.mark.parametrize(
    ("task", "data", "options", "message"),
    [
        ("other", "a.jsonl", (), "unknown task 'other': expected one of jsonl, sentences"),
        ("jsonl", "a.jsonl", (), "jsonl needs --model"),
        ("jsonl", "a.jsonl", ("--model", "MODEL", "--confidence", 0.5), "is not calibrated"),
        (
            "jsonl",
            "a.jsonl",
            ("--model", "MODEL", "--confidence", 0.5, "--idk", 0.5),
            "either --idk or --confidence",
        ),
        ("jsonl", "absent", ("--model", "MODEL"), "there is nothing at"),
        ("jsonl", "a.jsonl", ("--model", "absent"), "there is no model at"),
        ("jsonl", "a.jsonl", ("--model", "MODEL", "--decoding", "x"), "decoding must be one of"),
        ("jsonl", "a.jsonl", ("--model", "MODEL", "-k", "7"), "no word of jsonl has senses"),
        ("sentences", "a.jsonl", (), "line 1: expected a text as word"),
        ("pairs", "a.jsonl", ("--model", "MODEL"), "no pair of texts: give of='jsonl'"),
        ("pairs", "a.jsonl", ("--of", "jsonl"), "pairs of jsonl needs --model: a model, an"),
        ("jsonl", "a.jsonl", ("--of", "jsonl"), "names the test set of pairs"),
        ("pairs", "a.jsonl", ("--of", "other"), "unknown task 'other'"),
        ("pairs", "a.jsonl", ("--of", "jsonl", "--model", "VECTORS"), "needs --corpus"),
    ],
)
def test_mistakes(folder: Path, task: str, data: str, options, message: str) -> None:
    places = {"MODEL": folder / "model", "VECTORS": folder / "model" / "vectors"}
    result = evaluate(folder, task, data, *(places.get(option, option) for option in options))
    assert result.exception is not None
    with pytest.raises(Exception, match=message):
        raise result.exception
    assert isinstance(result.exception, InputError) or "no model" in str(result.exception)


GOLD = "a.n a.n.1 p\na.n a.n.2 p\na.n a.n.3 q\nb.v b.v.1 p\nb.v b.v.2 q\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "gold.key").write_text(GOLD)
    return tmp_path


def score(files: Path, key: str, *options: object):
    (files / "answers.key").write_text(key)
    arguments = ["score", str(files / "answers.key"), str(files / "gold.key"), *map(str, options)]
    return CliRunner().invoke(app, arguments)


def test_json_has_every_group_and_score(files: Path) -> None:
    result = score(files, GOLD.replace(" p", " x/0.9 y/0.1"))
    found = json.loads(result.stdout)
    assert [found[group]["v_measure"] for group in ("all", "n", "v")] == [100, 100, 100]
    fields = {"f_score", "n_clusters", "b_cubed", "ari", "accuracy", "v_measure_interval"}
    assert fields <= found["all"].keys()
    assert found["counts"] == {"n_unanswered": 0, "n_unknown": 0}
    assert result.stderr == ""


def test_unanswered_and_unknown_are_counted(files: Path) -> None:
    result = score(files, "a.n a.n.1 x\na.n a.n.9 x\nc.n c.n.1 x\n")
    assert json.loads(result.stdout)["counts"] == {"n_unanswered": 4, "n_unknown": 2}
    assert "gold instances without an answer: 4 of 5" in result.stderr
    assert "words without any answer: b.v" in result.stderr
    assert "without a gold label (not scored): 2" in result.stderr


def test_scores_in_markdown(files: Path) -> None:
    lines = score(files, GOLD, "--markdown").stdout.splitlines()
    assert lines[0].startswith("|  | words | instances | V |")
    assert lines[2].startswith("| all | 2 | 5 | 100.00 |")


def test_gold_of_json_lines(tmp_path: Path) -> None:
    lines = [
        {"id": str(i), "target": "crane", "left": "a", "right": "b", "label": label}
        for i, label in enumerate(["sense one", "sense two"])
    ]
    gold = tmp_path / "gold.jsonl"
    gold.write_text("\n".join(json.dumps(line) for line in lines))
    (tmp_path / "a.key").write_text("crane 0 x\ncrane 1 y\n")
    arguments = ["score", str(tmp_path / "a.key"), str(gold), "--task", "jsonl"]
    assert json.loads(CliRunner().invoke(app, arguments).stdout)["all"]["v_measure"] == 100


@pytest.mark.parametrize(
    ("key", "options", "message"),
    [
        ("z z.1 x\n", (), "none of the 1 answers .*'z z.1' against 'a.n a.n.1'"),
        ("a.n a.n.1\n", (), "line 1: expected 'word instance"),
        ("a.n a.n.1 x\na.n a.n.1 y\n", (), "line 2: .* is in line 1 already"),
        ("\n", (), "is empty"),
        (GOLD, ("--task", "senseval"), "unknown task 'senseval'"),
    ],
)
def test_mistakes_in_scoring(files: Path, key: str, options: tuple[str, ...], message: str) -> None:
    result = score(files, key, *options)
    assert isinstance(result.exception, InputError)
    with pytest.raises(InputError, match=message):
        raise result.exception


def test_empty_gold(files: Path) -> None:
    (files / "gold.key").write_text("")
    result = score(files, GOLD)
    assert isinstance(result.exception, InputError)
    assert "gold.key is empty" in str(result.exception)


def test_a_labelled_task_and_its_picture(tmp_path: Path, topic_model_folder, synthetic) -> None:
    birds = " ".join(synthetic.topic_words[0][:8])
    lines = [{"word": "crane", "sense": "bird", "text": f"crane {birds}"}]
    lines.append({"word": "crane", "sense": "bird", "text": "crane"})
    place = tmp_path / "a-sentences.jsonl"
    place.write_text("".join(json.dumps(line) + "\n" for line in lines))
    picture = tmp_path / "a.svg"
    options = ["--task", f"sentences={place}", "--picture", str(picture)]
    result = CliRunner().invoke(app, ["reliability", str(topic_model_folder), *options])
    found = json.loads(result.stdout)
    # One sentence is clear and right; the other says nothing.
    assert (found["sentences"]["answered"], found["sentences"]["accuracy"]) == (50, 100)
    assert found["at_least"] == 0.7
    assert picture.read_text().startswith("<svg")


def test_something_has_to_be_answered(topic_model_folder) -> None:
    result = CliRunner().invoke(app, ["reliability", str(topic_model_folder)])
    assert result.exit_code != 0
    assert "give a corpus, or a test set" in str(result.exception)


def test_a_granularity_is_for_a_finished_model_that_knows_it(folder: Path) -> None:
    model = ("--model", folder / "model", "--granularity")
    for options, expected in (
        ((*model, "text"), "take a model of learned contexts"),
        ((*model, "0.5"), 'granularity must be "text"'),
        (("--method", "kmeans", "--granularity", "text"), "--granularity needs --model"),
    ):
        result = evaluate(folder, "jsonl", "a.jsonl", *options)
        assert isinstance(result.exception, InputError)
        assert expected in str(result.exception)


def test_baselines_are_printed_beside(folder: Path) -> None:
    options = ("--model", folder / "model", "--markdown")
    table = evaluate(folder, "jsonl", "a.jsonl", *options).stdout
    assert "| one cluster a word | 2 | 4 |" in table
    assert "| one cluster an occurrence | 2 | 4 |" in table
