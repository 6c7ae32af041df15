from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from grassmeans.cli.main import app


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
