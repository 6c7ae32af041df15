from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from grassmeans import Corpus, SkipGram, WordVectors
from grassmeans.clustering.settings import InductionSettings
from grassmeans.errors import ArtifactError, InputError
from grassmeans.evaluation.grouping import ClusteringTask
from grassmeans.evaluation.instances import Instance, Key, Label
from grassmeans.evaluation.loading import open_named_task, open_task
from grassmeans.evaluation.running import evaluate
from grassmeans.models.building import build_model
from grassmeans.models.model import SenseModel
from grassmeans_lab.comparing.comparing import (
    Comparison,
    ComparisonSettings,
)
from grassmeans_lab.comparing.systems import (
    MethodSystem,
    make_systems,
    open_model_system,
)
from grassmeans_lab.comparing.tables import tabulate_comparison, to_markdown
from grassmeans_lab.evaluation.graded_scores import GradedScores
from grassmeans_lab.rivals.context_means import KMeansSenses


@pytest.fixture(scope="module")
def corpus(tmp_path_factory, synthetic) -> Corpus:
    return Corpus.from_texts(synthetic.documents, tmp_path_factory.mktemp("compare") / "corpus")


@pytest.fixture(scope="module")
def vectors(corpus: Corpus) -> WordVectors:
    folder = corpus.path.parent / "vectors"
    trainer = SkipGram(dim=20, window=5, min_count=2, epochs=10, workers=1)
    trainer.fit(corpus).vectors_.save(folder)
    return WordVectors.load(folder)


@pytest.fixture(scope="module")
def task(synthetic) -> ClusteringTask:
    """Every occurrence of two words, in its document; the topic is its gold sense."""
    instances, labels = [], {}
    for word in ("crane", "seal"):
        for document, topic in synthetic.gold[word][::5]:
            left, _, right = synthetic.documents[document].lower().partition(f" {word} ")
            name = f"{word}.{document}"
            instances.append(Instance(name, word.title(), "", left, word, right))
            labels.setdefault(word.title(), {})[name] = (Label(f"topic{topic}"),)
    return ClusteringTask("jsonl", tuple(instances), Key(labels))


@pytest.fixture(scope="module")
def model(corpus: Corpus, vectors: WordVectors) -> SenseModel:
    return build_model(
        corpus.path,
        corpus.path.parent / "vectors",
        corpus.path.parent / "model",
        ["crane", "seal"],
        settings=InductionSettings(n_senses=2),
        workers=1,
    )


def test_rows_of_methods_and_numbers_of_senses(corpus, vectors, task) -> None:
    comparison = Comparison(corpus, vectors, [task], ComparisonSettings(max_contexts=500))
    assert comparison.words == ("crane", "seal")
    rows = list(comparison.compare(make_systems(["one", "kmeans"], [2, 3])))
    assert [(row.method, row.n_senses, row.task) for row in rows] == [
        ("one", None, "jsonl"),
        ("kmeans", 2, "jsonl"),
        ("kmeans", 3, "jsonl"),
    ]
    one, two, three = rows
    assert one.result["all"]["v_measure"] == 0
    assert one.result["all"]["n_clusters"] == 1
    assert two.result["all"]["v_measure"] == pytest.approx(100)
    assert two.result["all"]["v_measure_interval"] == [100, 100]
    assert three.result["parameters"]["n_senses"] == 3
    assert three.result["parameters"]["max_contexts"] == 500
    assert three.result["parameters"]["method"] == "kmeans"
    assert three.result["digests"].keys() == {"corpus", "vectors", "data"}
    assert json.loads(json.dumps(two.to_dict())) == two.to_dict()


def test_ours_is_scored_as_by_evaluate(corpus, vectors, task, model) -> None:
    expected = evaluate(task, model).to_dict()
    comparison = Comparison(corpus, vectors, [task])
    systems = [MethodSystem("grassmeans", 2), open_model_system(str(corpus.path.parent / "model"))]
    ours, finished = comparison.compare(systems)
    assert ours.result["all"] == finished.result["all"] == expected["all"]
    assert (finished.method, finished.n_senses, finished.induction_seconds) == ("model", 2, None)
    assert finished.result["digests"] == expected["digests"]


def test_rows_are_not_kept_in_what_is_compared_on(corpus, vectors, task) -> None:
    for keep in (corpus.path, corpus.path / "kept"):
        with pytest.raises(InputError, match="an input"):
            Comparison(corpus, vectors, [task], keep=keep)
    assert not (corpus.path / "kept").exists()


def test_finished_rows_are_not_computed_again(corpus, vectors, task, tmp_path, monkeypatch) -> None:
    def compare(*names: str, settings: ComparisonSettings | None = None):
        comparison = Comparison(corpus, vectors, [task], settings, keep=tmp_path)
        return list(comparison.compare(make_systems(names, [2])))

    first = compare("kmeans", "random")
    with monkeypatch.context() as changed:
        changed.setattr(KMeansSenses, "induce", lambda *_: pytest.fail("was kept"))
        assert compare("kmeans", "one")[0] == first[0]
        # It is asked, and fails, where another state or parameter is wanted.
        with pytest.raises(pytest.fail.Exception):
            compare("kmeans", settings=ComparisonSettings(random_state=1))
        with pytest.raises(pytest.fail.Exception):
            compare("kmeans:n_init=2")
    (path,) = (tmp_path / "rows").glob("*kmeans*")
    path.write_text('{"other": 1}')
    with pytest.raises(ArtifactError, match="is no row of a comparison: delete it"):
        compare("kmeans")


def test_time_of_the_first_induction_is_kept(corpus, vectors, task, tmp_path) -> None:
    comparison = Comparison(corpus, vectors, [task], keep=tmp_path)
    (row,) = comparison.compare(make_systems(["kmeans"], [2]))
    (path,) = (tmp_path / "times").iterdir()
    assert json.loads(path.read_text()) == {"induction_seconds": row.induction_seconds}
    path.write_text('{"induction_seconds": 123.0}')
    next((tmp_path / "rows").iterdir()).unlink()
    (again,) = comparison.compare(make_systems(["kmeans"], [2]))
    assert again.induction_seconds == 123


def test_senses_of_the_test_instances(corpus, vectors, task) -> None:
    settings = ComparisonSettings(induce="on-test")
    comparison = Comparison(corpus, vectors, [task], settings)
    (row,) = comparison.compare([MethodSystem("kmeans", 2)])
    assert row.result["all"]["v_measure"] == pytest.approx(100)
    assert row.induction_seconds is None
    with pytest.raises(InputError, match="skipgram does not work on given contexts"):
        comparison.compare([MethodSystem("kmeans", 2), MethodSystem("skipgram")])


def test_graded_tasks_get_weighted_senses(corpus, vectors, task) -> None:
    graded = replace(task, scoring=GradedScores)
    (row,) = Comparison(corpus, vectors, [graded]).compare([MethodSystem("kmeans", 2)])
    assert row.result["parameters"]["decoding"] == "soft"
    table = tabulate_comparison([row])["jsonl"]
    assert table.columns[:4] == ("method", "K", "FNMI", "FNMI 95%")
    assert "what it calls precision is recall here" in table.note


def test_similarity_and_lineup(corpus, vectors, task, tmp_path: Path, synthetic) -> None:
    row = "{0}\tcrane\tn\t{1}\tn\tx <b> crane </b>\tx <b> {1} </b>\t{2}\t{2}\n"
    (tmp_path / "ratings.txt").write_text(row.format(1, "seal", 1.0) + row.format(2, "crane", 9.0))
    topics = synthetic.topic_words
    lines = [f"crane\t{' '.join(topics[0][:4])}", f"crane\t{' '.join(topics[1][:4])}"]
    lines += [f"seal\t{' '.join(topics[k][:4])}" for k in (6, 7)]
    (tmp_path / "lineup.txt").write_text("\n".join(lines) + "\n")
    tasks = [open_task("scws", tmp_path)]
    rows = list(Comparison(corpus, vectors, tasks).compare(make_systems(["skipgram", "one"], [])))
    table = tabulate_comparison(rows)["scws"]
    assert table.rows[0][:3] == ("skipgram", "-", "100.00")
    assert table.rows[1][:3] == ("one", "-", "-")
    lineup = open_task("lineup", tmp_path / "lineup.txt")
    assert lineup.targets == ("crane", "seal")
    on_test = Comparison(corpus, vectors, [lineup], ComparisonSettings(induce="on-test"))
    (failed,) = on_test.compare([MethodSystem("one")])
    assert failed.error is not None
    assert "scored with induce='on-corpus' only" in failed.error


def test_word_pairs(corpus, vectors, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("crane crane 9\ncrane seal 1\n")
    rows = list(
        Comparison(corpus, vectors, [open_task("wordsim", tmp_path)]).compare(
            make_systems(["skipgram"], [])
        )
    )
    table = tabulate_comparison(rows)["wordsim"]
    assert table.columns[:3] == ("method", "K", "mine")
    assert table.rows[0][:3] == ("skipgram", "-", "100.00")


def test_sentences(corpus, vectors, tmp_path: Path) -> None:
    line = '{"word": "crane", "sense": "%s", "text": "%s crane"}\n'
    texts = "".join(line % pair for pair in [("bird", "one"), ("bird", "two"), ("tool", "three")])
    (tmp_path / "my-sentences.jsonl").write_text(texts)
    comparison = Comparison(corpus, vectors, [open_task("sentences", tmp_path)])
    table = tabulate_comparison(list(comparison.compare([MethodSystem("one")])))["sentences"]
    # One answer for all: two of three are right, and one of three pairs.
    shown = dict(zip(table.columns, table.rows[0], strict=True))
    assert (shown["answered"], shown["accuracy"], shown["pairwise"]) == ("100.00", "66.67", "33.33")
    assert shown["told apart"] == "-"


def test_row_that_fails_does_not_end_the_others(
    corpus, vectors, task, tmp_path, monkeypatch
) -> None:
    calls = []

    def fail(self, material):
        calls.append(self)
        raise ValueError("no luck")

    monkeypatch.setattr(KMeansSenses, "induce", fail)
    other = replace(task, name="other")
    comparison = Comparison(corpus, vectors, [task, other], keep=tmp_path)
    rows = list(comparison.compare(make_systems(["kmeans", "one"], [2])))
    assert [(row.method, row.error) for row in rows] == [
        ("kmeans", "ValueError('no luck')"),
        ("kmeans", "ValueError('no luck')"),
        ("one", None),
        ("one", None),
    ]
    assert len(calls) == 1  # what failed is not learnt again for the next test set
    table = tabulate_comparison(rows)["jsonl"]
    assert table.rows[0][:4] == ("kmeans", "2", "failed", "failed")
    assert table.rows[1][:3] == ("one", "-", "0.00")
    assert table.note == "kmeans, 2 senses failed: ValueError('no luck')"
    monkeypatch.undo()
    # A failure is not kept: the next run tries again.
    assert next(iter(comparison.compare(make_systems(["kmeans"], [2])))).error is None
    only = [row for row in rows if row.error]
    assert tabulate_comparison(only)["jsonl"].rows[0][:2] == ("kmeans", "2")


def test_tables(corpus, vectors, task) -> None:
    rows = list(Comparison(corpus, vectors, [task]).compare([MethodSystem("one")]))
    text = to_markdown(tabulate_comparison(rows))
    heading, _, columns, _, line = text.splitlines()
    assert heading == "## jsonl"
    assert columns == (
        "| method | K | V | V 95% | F | F 95% | clusters | induction s | decoding s |"
    )
    assert line.startswith("| one | - | 0.00 | 0.0–0.0 |")


def test_names_of_files(corpus, vectors, task, tmp_path) -> None:
    systems = [MethodSystem("random:n_senses=2", 3), MethodSystem("random", 3)]
    list(Comparison(corpus, vectors, [task], keep=tmp_path).compare(systems))
    names = sorted(path.name.rpartition("-")[0] for path in (tmp_path / "rows").iterdir())
    assert names == ["jsonl-random-3", "jsonl-random-n_senses-2"]


def test_method_needs_material() -> None:
    with pytest.raises(InputError, match="kmeans has nothing to learn from"):
        MethodSystem("kmeans", 2).find_senses(())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_contexts": 0}, "max_contexts must be 1 or more"),
        ({"induce": "here"}, "induce must be one of on-corpus, on-test, got 'here'"),
    ],
)
def test_settings_are_checked(options, message: str) -> None:
    with pytest.raises(InputError, match=message):
        ComparisonSettings(**options)


def test_tasks_are_checked(corpus, vectors, task, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing to compare on"):
        Comparison(corpus, vectors, [])
    with pytest.raises(InputError, match="jsonl is there twice"):
        Comparison(corpus, vectors, [task, task])
    with pytest.raises(InputError, match=r"dwug, lineup, makes-sense, scws.*add more$"):
        open_task("x", tmp_path)
    with pytest.raises(InputError, match="there is nothing at"):
        open_task("jsonl", tmp_path / "absent")
    bare = tmp_path / "bare.jsonl"
    bare.write_text('{"id": "1", "target": "crane", "left": "a ", "right": ""}\n')
    with pytest.raises(InputError, match="has no gold labels"):
        open_named_task(f"jsonl={bare}")


def test_model_that_is_not_there(tmp_path: Path) -> None:
    for text in (str(tmp_path / "absent"), f"{tmp_path / 'absent'}:lexemes"):
        with pytest.raises(ArtifactError, match=r"there is no model at .*absent: give"):
            open_model_system(text)


def test_words_are_taken_as_the_corpus_writes_them(corpus, vectors, task) -> None:
    absent = Instance("9", "nowhere", "", "", "nowhere", "")
    more = replace(task, instances=(*task.instances, absent))
    assert more.targets == ("Crane", "Seal", "nowhere")
    assert Comparison(corpus, vectors, [more]).words == ("crane", "seal")


def test_numbers_are_plain(corpus, vectors, task) -> None:
    (row,) = Comparison(corpus, vectors, [task]).compare([MethodSystem("random", 2)])
    assert not any(isinstance(value, np.generic) for value in row.result["all"].values())
