"""From a corpus to lexeme vectors on the command line, with a kill in between."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from grassmeans import Corpus, SkipGram, WordVectors
from grassmeans.clustering.settings import InductionSettings
from grassmeans.corpus.ingest import IngestOptions
from grassmeans.corpus.vocabulary import load_function_words
from grassmeans.models.building import build_model

COMMAND = [sys.executable, "-c", "from grassmeans.cli.main import run; run()"]


def grassmeans(*arguments: object) -> str:
    done = subprocess.run(
        [*COMMAND, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def work(tmp_path_factory, synthetic) -> Path:
    folder = tmp_path_factory.mktemp("labelling")
    options = IngestOptions(shard_chars=700, function_words=load_function_words("en"))
    corpus = Corpus.from_texts(synthetic.documents, folder / "corpus", options=options)
    assert len(corpus.shards) > 50
    SkipGram(dim=40, min_count=3, epochs=20, workers=1).fit(corpus).vectors_.save(
        folder / "vectors"
    )
    build_model(
        folder / "corpus",
        folder / "vectors",
        folder / "model",
        ["crane", "bank", "bass", "seal"],
        settings=InductionSettings(n_senses=2),
        workers=1,
    )
    return folder


def tokens_of(corpus: Corpus) -> list[str]:
    words = np.array(corpus.vocabulary.words, dtype=object)
    return [word for shard in corpus.shards for word in words[shard.tokens]]


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_killed_labelling_resumes_with_the_same_result(work, tmp_path, overwrite) -> None:
    out = tmp_path / "labelled"
    arguments = ["label", work / "corpus", work / "model", "-o", out, "--workers", "1"]
    if overwrite:
        grassmeans(*arguments, "--idk", 0.5)
        arguments.append("--overwrite")
    process = subprocess.Popen(
        [*COMMAND, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    # Shards come in order: once the fourth has begun to appear, the first is finished.
    files = [Path("shards", number, "sense_distances.npy") for number in ("00000", "00003")]
    first, fourth = (tmp_path / ".labelled.building" / "new" / file for file in files)
    deadline = time.monotonic() + 60
    while not fourth.exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.001)
    process.kill()
    process.communicate()
    assert fourth.exists()
    assert out.exists() is overwrite
    if overwrite:
        assert Corpus.open(out).manifest["labelled"]["idk_threshold"] == 0.5
    before = first.stat().st_mtime_ns
    grassmeans(*arguments)
    assert (out / files[0]).stat().st_mtime_ns == before
    grassmeans("label", work / "corpus", work / "model", "-o", tmp_path / "fresh")
    resumed, fresh = Corpus.open(out), Corpus.open(tmp_path / "fresh")
    assert tokens_of(resumed) == tokens_of(fresh)
    assert "crane.1" in resumed.vocabulary


def test_labels_lexemes_and_neighbours(work, tmp_path, synthetic) -> None:
    labelled, lexemes = tmp_path / "labelled", tmp_path / "lexemes"
    grassmeans("label", work / "corpus", work / "model", "-o", labelled, "--idk", 0.9)
    corpus = Corpus.open(labelled)
    original = Corpus.open(work / "corpus")
    assert [key.split(".")[0] for key in tokens_of(corpus)] == tokens_of(original)
    # every occurrence of crane in a document about birds has one sense, about machines the other
    senses: dict[int, list[str]] = {}
    keys = iter(key for key in tokens_of(corpus) if key.startswith("crane."))
    for _, topic in synthetic.gold["crane"]:
        senses.setdefault(topic, []).append(next(keys))
    most = {topic: max(set(found), key=found.count) for topic, found in senses.items()}
    assert len(set(most.values())) == 2
    grassmeans(
        "lexemes", labelled, "-o", lexemes, "--dim", 40, "--min-count", 3, "--epochs", 20,
        "--workers", 1,
    )  # fmt: skip
    for topic, key in most.items():
        lines = grassmeans("similar", lexemes, key, "-n", 5).splitlines()
        neighbours = [json.loads(line)["word"] for line in lines]
        assert set(neighbours) <= set(synthetic.topic_words[topic])
    exported = tmp_path / "lexemes.txt"
    grassmeans("convert", lexemes, exported, "--to", "word2vec-text")
    assert most[0] in WordVectors.load(exported)
