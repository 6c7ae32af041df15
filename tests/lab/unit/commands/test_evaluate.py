from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from grassmeans import WordVectors
from grassmeans.cli.main import app
from grassmeans.contexts.subspaces import SubspaceEncoder
from grassmeans.errors import InputError
from grassmeans.geometry.windows import ContextShape
from grassmeans.models.model import SenseModel
from grassmeans.senses.entries import WordSenses
from grassmeans.senses.inventory import SenseInventory
from grassmeans.text.tokenizer import Tokenizer


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model with two senses of crane, along nest and beam, and pairs of words."""
    vectors = WordVectors(["nest", "beam"], np.eye(2, dtype=np.float32))
    crane = WordSenses("crane", 2, 2, np.eye(2, dtype=np.float32), ())
    encoder = SubspaceEncoder(vectors, ContextShape(window=2, rank=1), frozenset())
    about = {"idk_threshold": 0.4}
    model = SenseModel(encoder, SenseInventory([crane]), Tokenizer(), about)
    model.save(tmp_path / "model")
    (tmp_path / "pairs.txt").write_text("nest nest 9\nnest beam 1\nnest absent 5\n")
    return tmp_path


def evaluate(folder: Path, task: str, data: str, *options: object):
    arguments = ["evaluate", task, "--data", str(folder / data), *map(str, options)]
    return CliRunner().invoke(app, arguments)


def test_word_pairs_with_the_vectors_of_a_model_or_a_folder(folder: Path) -> None:
    by_model = evaluate(folder, "wordsim", "pairs.txt", "--model", folder / "model")
    found = json.loads(by_model.stdout)
    score = found["pairs"]["plain"]
    assert (score["spearman"], score["n_used"], score["n_missing"]) == (100.0, 2, 1)
    vectors = folder / "model" / "vectors"
    again = evaluate(folder, "wordsim", "pairs.txt", "--vectors", vectors)
    for digest in ("vectors", "data"):
        assert json.loads(again.stdout)["digests"][digest] == found["digests"][digest]


def test_scws(folder: Path) -> None:
    row = "{0}\t{1}\tn\t{2}\tn\tx <b> {1} </b>\tx <b> {2} </b>\t{3}\t{3}\n"
    rows = row.format(1, "nest", "beam", 1.0) + row.format(2, "nest", "nest", 9.0)
    (folder / "ratings.txt").write_text(rows)
    options = ("--model", folder / "model", "--lexemes", folder / "model" / "vectors")
    found = json.loads(evaluate(folder, "scws", "ratings.txt", *options).stdout)
    assert {name: score["spearman"] for name, score in found["all"].items()} == {
        "plain": 100.0,
        "hard": 100.0,
        "soft": 100.0,
        "average": 100.0,
        "maximum": 100.0,
    }
    own = [found["parameters"][name] for name in ("idk", "sharpness")]
    assert own == [0.4, 10.0]  # the model's, and that of its kind
    sharp = evaluate(folder, "scws", "ratings.txt", *options, "--sharpness", 3)
    assert json.loads(sharp.stdout)["parameters"]["sharpness"] == 3.0
    asked = {}
    for idk in (0.7, 2):
        result = evaluate(folder, "scws", "ratings.txt", *options, "--idk", idk)
        asked[idk] = json.loads(result.stdout)["parameters"]["idk"]
    assert asked == {0.7: 0.7, 2: None}  # above 1: never


@pytest.mark.parametrize(
    ("task", "data", "options", "message"),
    [
        ("semeval2013", ".", ("--model", "MODEL"), "no gold key"),
        ("wordsim", "pairs.txt", (), "wordsim needs --model or --vectors"),
        ("scws", "absent", ("--model", "MODEL"), "there is nothing at"),
        ("wordsim", "pairs.txt", ("--vectors", "VECTORS", "--lexemes", "x"), "needs --model"),
    ],
)
def test_mistakes(folder: Path, task: str, data: str, options, message: str) -> None:
    places = {"MODEL": folder / "model", "VECTORS": folder / "model" / "vectors"}
    result = evaluate(folder, task, data, *(places.get(option, option) for option in options))
    with pytest.raises(InputError, match=message):
        raise result.exception
    assert isinstance(result.exception, InputError)


BIRD, MACHINE = "nest", "beam"


def write_makes_sense(folder: Path) -> None:
    (folder / "contexts").mkdir(parents=True)
    contexts = [BIRD, BIRD, MACHINE]
    lines = [f"crane.{i}\t{near} <b>crane</b>\n" for i, near in enumerate(contexts, 1)]
    (folder / "contexts" / "crane").write_text("".join(lines))
    labels = [f"crane crane.{i} crane.{near}\n" for i, near in enumerate(contexts, 1)]
    (folder / "all.key").write_text("".join(labels))


def write_semeval2010(folder: Path) -> None:
    folder.mkdir()
    texts = [BIRD, BIRD, MACHINE]
    body = "".join(
        f"<crane.n.{i}><TargetSentence>{near} cranes</TargetSentence></crane.n.{i}>"
        for i, near in enumerate(texts, 1)
    )
    (folder / "crane.n.xml").write_text(f"<crane.n.test>{body}</crane.n.test>")
    labels = [f"crane.n crane.n.{i} {near}\n" for i, near in enumerate(texts, 1)]
    (folder / "gold.key").write_text("".join(labels))


def write_dwug(folder: Path) -> None:
    folder.mkdir()
    use = {"target": "crane", "pos": "n", "word": "crane", "right": ""}
    uses = [
        use | {"id": f"crane_nn.{i}", "left": f"{near} ", "period": 1 + i % 2, "label": near}
        for i, near in enumerate([BIRD, BIRD, MACHINE])
    ]
    uses.append(use | {"id": "crane_nn.9", "left": f"{BIRD} ", "period": 1})
    (folder / "uses.jsonl").write_text("".join(json.dumps(one) + "\n" for one in uses))
    (folder / "change.tsv").write_text("lemma\tgraded\ncrane_nn\t0.9\n")


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("makes-sense", write_makes_sense),
        ("semeval2010", write_semeval2010),
        ("dwug", write_dwug),
    ],
)
def test_pairs_of_published_sets(folder: Path, name: str, write) -> None:
    write(folder / "data")
    options = ("--of", name, "--model", folder / "model")
    found = json.loads(evaluate(folder, "pairs", "data", *options).stdout)
    # Nest and nest are one sense, and more alike than nest and beam, twice.
    assert (found["all"]["n_instances"], found["all"]["n_pairs"]) == (3, 3)
    assert found["all"]["area"] == 100.0
    assert found["counts"]["n_not_located"] == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--of", "scws", "--model", "MODEL"), "scws has no instances with gold senses"),
        (("--of", "makes-sense", "--method", "kmeans"), "methods have no contexts to compare"),
    ],
)
def test_mistakes_with_pairs(folder: Path, options, message: str) -> None:
    row = "1\tnest\tn\tbeam\tn\tx <b> nest </b>\tx <b> beam </b>\t1.0\t1.0\n"
    (folder / "ratings.txt").write_text(row)
    write_makes_sense(folder / "data")
    data = "ratings.txt" if "scws" in options else "data"
    corpus = ("--corpus", folder, "--vectors", folder) if "--method" in options else ()
    places = [folder / "model" if option == "MODEL" else option for option in options]
    result = evaluate(folder, "pairs", data, *places, *corpus)
    assert isinstance(result.exception, InputError)
    assert message in str(result.exception)
