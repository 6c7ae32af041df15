from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from english_texts.documents import read_documents

SCRIPT = Path(__file__).parents[2] / "packages" / "en" / "scripts" / "texts.py"
PROSE = "The apple is a fruit that people in many countries like to eat in the autumn of the year."


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_parts_are_written_without_what_earlier_parts_hold(make_repository, tmp_path):
    name = "taminemelissa+quiz-generator"
    text = "\n".join(
        PROSE.replace("apple", fruit) for fruit in ("apple", "pear", "plum", "fig", "nut")
    )
    article = {"id": "1", "title": "Apple", "text": text}
    make_repository({"data/wikipedia/AA/wiki_00": json.dumps(article)}, name)
    articles = tmp_path / "articles.jsonl"
    own = f"{PROSE}\n{PROSE.replace('apple', 'quince')}"
    articles.write_text(json.dumps({"id": "2", "title": "Fruit", "text": own}), encoding="utf-8")
    output = tmp_path / "texts"
    done = run(tmp_path, "--output", output, "--only", "simple")
    assert f"1 documents, {5 * 19} words" in done.stdout
    done = run(tmp_path, "--articles", articles, "--output", output, "--only", "wikipedia")
    assert done.returncode == 0, done.stderr
    [document] = read_documents(output / "wikipedia.jsonl.xz")
    assert document.text == PROSE.replace("apple", "quince")


def test_a_repository_that_is_not_there_is_named(tmp_path):
    done = run(tmp_path, "--output", tmp_path / "texts", "--only", "sentences")
    assert done.returncode == 1
    assert "common-voice+common-voice is not a git repository" in done.stderr
    assert "Traceback" not in done.stderr


def test_articles_are_asked_for(tmp_path):
    done = run(tmp_path, "--output", tmp_path / "texts")
    assert done.returncode == 2
    assert "--articles is missing" in done.stderr
