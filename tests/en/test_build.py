from __future__ import annotations

import json
import lzma
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import language_texts
import pytest

from grassmeans import Corpus, load
from grassmeans.recipes import About
from synthetic import make_topic_text

PACKAGE = Path(__file__).parents[2] / "packages" / "en"
PARTS = ("sentences", "simple", "everyday", "fiction", "wikipedia")
SIZES = ("--dim", "64", "--layers", "1", "--epochs", "0.2", "--passage", "32")


def build(
    *arguments: object, script: Path = PACKAGE / "scripts" / "build.sh"
) -> subprocess.CompletedProcess[str]:
    command = ["sh", str(script), *map(str, arguments)]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    given = os.environ | {"SHARES": "1 1 1 1 1 2", "TRAINING": "", "SENTENCES": "", "PATH": path}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=given)


def write_texts(folder: Path, parts: Iterable[str]) -> None:
    folder.mkdir()
    for number, part in enumerate(parts):
        documents = make_topic_text(64, number).documents
        lines = [{"id": str(i), "title": "", "text": text} for i, text in enumerate(documents)]
        if part == "everyday":
            lines = [
                line | {"source": ("ewt", "topical-chat")[i % 2]} for i, line in enumerate(lines)
            ]
        packed = "".join(json.dumps(line) + "\n" for line in lines).encode()
        (folder / f"{part}.jsonl.xz").write_bytes(lzma.compress(packed))


@pytest.mark.system
@pytest.mark.parametrize("language", ["de", "es"])
def test_another_language_is_built_from_the_texts_that_are_made_for_it(tmp_path, language):
    script = PACKAGE.parent / language / "build.sh"
    write_texts(tmp_path / "texts", language_texts.PARTS[language])
    done = build("pack", tmp_path / "texts", tmp_path / "corpora", script=script)
    assert done.returncode == 0, done.stderr
    given = ("model", tmp_path / "corpora", "none", tmp_path / "model")
    done = build(*given, *SIZES, "--min-count", 100, "-j", 1, script=script)
    assert done.returncode == 0, done.stderr
    model = load(tmp_path / "model")
    assert (model.language, model.encoder.kind) == (language, "learned")
    assert model.manifest["recipe"]["max_contexts"] == 500
    about = About.read(PACKAGE.parent / language / "about.json")
    card = (tmp_path / "model" / "MODEL_CARD.md").read_text()
    assert all(source.name in card for source in about.sources)


@pytest.mark.parametrize("language", ["de", "es"])
def test_cards_of_other_languages_tell_the_words_of_their_sources(language):
    package = PACKAGE.parent / language
    told = (package / "SOURCES.md").read_text(encoding="utf-8")
    about = About.read(package / "about.json")
    assert len(about.sources) == len(language_texts.PARTS[language])
    assert all(f"| {source.words:,} |" in told for source in about.sources)


@pytest.mark.system
def test_the_model_is_built_from_its_texts(tmp_path, transformer_folder):
    texts = tmp_path / "texts"
    write_texts(texts, PARTS)
    for _ in range(2):  # what is there is let be
        done = build("pack", texts, tmp_path / "corpora")
        assert done.returncode == 0, done.stderr
    chat, fiction = (Corpus.open(tmp_path / "corpora" / part) for part in ("chat", "fiction"))
    assert (chat.n_documents, chat.document_text(0)) == (32, make_topic_text(64, 2).documents[1])
    assert (fiction.n_documents, fiction.document_text(1)) == (
        32,
        make_topic_text(64, 3).documents[2],
    )
    given = (tmp_path / "corpora", transformer_folder, tmp_path / "encoder")
    training = ("--teacher-layers", "1-2", "-j", 1)
    done = build("encoder", *given, *SIZES, *training)
    assert done.returncode == 0, done.stderr
    given = ("model", tmp_path / "corpora", tmp_path / "encoder", tmp_path / "en")
    done = build(*given, "--min-count", 100, "-j", 1, "--keep")
    assert done.returncode == 0, done.stderr
    model = load(tmp_path / "en")
    assert model.encoder.kind == "taught"
    # No senses are sought in chat.
    assert model.manifest["corpus"]["n_documents"] == 64 + 64 + 32 + 16 + 22
    shares = model.manifest["recipe"]["encoder"]["training"]["shares"]
    assert shares == pytest.approx([1 / 7] * 5 + [2 / 7])
    assert "Topical-Chat" in (tmp_path / "en" / "MODEL_CARD.md").read_text()


def test_what_is_told_about_the_model_fits_the_list_of_its_texts():
    about = About.read(PACKAGE / "about.json")
    told = (PACKAGE / "SOURCES.md").read_text(encoding="utf-8")
    for source in about.sources:
        if "everyday" not in source.name:
            assert f"{source.words:,}" in told, source.name
    everyday = told.partition("## everyday")[2].partition("## Before")[0]
    rows = [row.split(" | ") for row in everyday.splitlines() if row.startswith("| [")]
    words = {row[0]: int(row[3].replace(",", "")) for row in rows}
    quoted = sum(n for name, n in words.items() if "Topical-Chat" not in name)
    assert f"{len(words) - 1} sources of everyday" in about.sources[3].name
    assert about.sources[3].words == quoted


def test_without_a_command_it_says_how_it_is_used():
    done = build()
    assert done.returncode == 2
    assert "build.sh pack texts corpora" in done.stderr
