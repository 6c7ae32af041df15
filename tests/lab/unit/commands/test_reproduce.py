from __future__ import annotations

import pytest
from typer.testing import CliRunner

from grassmeans.cli.main import app
from grassmeans.errors import InputError
from grassmeans_lab.experiments.running import EXPERIMENTS, choose_experiments


def reproduce(*arguments: object):
    return CliRunner().invoke(app, ["reproduce", *map(str, arguments)])


def test_list_names_every_experiment_once():
    result = reproduce("--list")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert [line.split()[0] for line in lines] == [experiment.name for experiment in EXPERIMENTS]
    assert lines[0].startswith("low-rank       Contexts are of low rank (figure 1")


def test_names_are_unique_and_quick_ones_are_of_their_kind():
    names = [experiment.name for experiment in EXPERIMENTS]
    assert len(set(names)) == len(names)
    quick = choose_experiments([], quick=True)
    assert [type(experiment) for experiment in quick] == list(EXPERIMENTS)
    assert [type(experiment) for experiment in choose_experiments(["all"])] == list(EXPERIMENTS)


def test_a_name_twice_runs_once():
    assert len(choose_experiments(["low-rank", "low-rank"])) == 1


def test_unknown_name_says_which_there_are():
    result = reproduce("low-rank", "nothing")
    assert isinstance(result.exception, InputError)
    assert "there is no experiment 'nothing': choose from low-rank" in str(result.exception)


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ((), ("--corpus", "--vectors", "--output")),
        (("--corpus", "c", "-o", "r"), ("--vectors",)),
    ],
)
def test_missing_options_are_named(given, missing):
    result = reproduce("low-rank", *given)
    assert result.exit_code == 2
    assert f"reproduce needs {', '.join(missing)}" in " ".join(result.output.split())


def test_report_of_a_small_corpus(topic_corpus, topic_vectors, tmp_path):
    options = ("--corpus", topic_corpus.path, "--vectors", topic_vectors.folder, "-o", tmp_path)
    result = reproduce("low-rank", *options, "--quick")
    assert result.exit_code == 0, result.output
    assert "1 experiments, 0 skipped" in result.stderr
    assert "Contexts are of low rank" in (tmp_path / "report.html").read_text()
    assert (tmp_path / "data" / "low-rank.csv").exists()
    again = reproduce("low-rank", *options, "--quick")
    assert "found from before" in again.stderr
