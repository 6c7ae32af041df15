from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from grassmeans.cli.main import app
from grassmeans.errors import InputError


def collocates(*arguments: object):
    return CliRunner().invoke(app, ["collocates", *map(str, arguments)])


def test_senses_have_the_words_of_their_topic(topic_model_folder, topic_corpus, synthetic):
    answer = collocates(topic_model_folder, topic_corpus.path, "crane", "--limit", 5)
    found = [json.loads(line) for line in answer.stdout.splitlines()]
    assert [entry["sense"] for entry in found] == [1, 2]
    for entry in found:
        topics = {near["word"][:4] for near in entry["collocates"]}
        assert topics == {entry["name"][:4]}
        assert entry["lines"] > 0
    sample = collocates(topic_model_folder, topic_corpus.path, "crane", "--max-contexts", 50)
    assert "50 of 200 occurrences" in sample.stderr


def test_two_senses_are_told_apart(topic_model_folder, topic_corpus):
    arguments = (topic_model_folder, topic_corpus.path, "crane", "--against", 2)
    rows = json.loads(collocates(*arguments, "--sense", 1).stdout)["differences"]
    first = {row["word"][:4] for row in rows if row["log_likelihood"] > 10}
    second = {row["word"][:4] for row in rows if row["log_likelihood"] < -10}
    assert len(first) == len(second) == 1 != len(first | second)
    with pytest.raises(InputError, match="--sense"):
        raise collocates(*arguments).exception


def test_people_get_tables(topic_model_folder, topic_corpus, monkeypatch):
    monkeypatch.setattr("grassmeans.cli.collocates.wants_json", lambda asked: asked)
    given = (topic_model_folder, topic_corpus.path, "crane", "--sense", 1, "--limit", 3)
    assert "logDice" in collocates(*given).stdout
    told = collocates(*given, "--against", 2).stdout
    assert "rather near crane.1" in told
    assert "rather near crane.2" in told
