"""`grassmeans build-dataset`, from a dump to scores, as a user runs it."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from grassmeans import Corpus, WordVectors
from grassmeans.cli.main import app
from grassmeans.corpus.corpus import default_options
from grassmeans.corpus.ingest import Ingest, IngestOptions
from grassmeans.evaluation.loading import open_task
from grassmeans.reading.documents import ReadOptions, ReadReport
from grassmeans.reading.inputs import read_documents
from grassmeans_lab.datasets.links import LinkSettings, build_links

ROOT = Path(__file__).parents[3]
SAMPLE = ROOT.parent / "shared" / "data" / "enwiki-sample-pages-articles.xml.bz2"
COMMAND = [sys.executable, "-c", "from grassmeans.cli.main import run; run()"]
PAGES = {"crane": ("Crane (bird)", "Crane (machine)"), "bank": ("Bank (geography)", "Bank")}
WORDNET_NOUNS = """\
  1 A line of the licence.
birdba n 1 0 1 0 00000001
fishba n 1 0 1 0 00000002
musicba n 1 0 1 0 00000003
gardenba n 2 0 2 0 00000004 00000005
letterba n 1 0 1 0 00000006
"""


def grassmeans(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *map(str, arguments)], capture_output=True, timeout=120, check=False, text=True
    )


def result_of(*arguments: object) -> dict[str, object]:
    done = grassmeans(*arguments)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def fails(done: subprocess.CompletedProcess[str], *parts: str) -> None:
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    message = " ".join(done.stderr.split())
    for part in parts:
        assert part in message


def page(number: int, title: str, text: str) -> str:
    return (
        f"<page><title>{title}</title><ns>0</ns><id>{number}</id>"
        f"<revision><text>{text}</text></revision></page>\n"
    )


@pytest.fixture(scope="module")
def work(tmp_path_factory, synthetic) -> Path:
    """A dump in which crane and bank are linked, and the corpus of it."""
    folder = tmp_path_factory.mktemp("datasets")
    pages = [page(1000, "Grus", "#REDIRECT [[Crane (bird)#Species]]")]
    for number, (topic, text) in enumerate(zip(synthetic.topics, synthetic.documents, strict=True)):
        linked = text
        for word, targets in PAGES.items():
            target = targets[topic % 2]
            if target == "Crane (bird)" and number % 16 == 0:
                target = "grus"  # half of the birds by way of the redirect
            linked = re.sub(rf"\b({word})\b", rf"[[{target}|\1]]", linked, flags=re.IGNORECASE)
        pages.append(page(number, f"Page {number}", linked))
    dump = folder / "dump.xml"
    dump.write_text(f"<mediawiki>\n{''.join(pages)}</mediawiki>\n", encoding="utf-8")
    report = result_of("ingest", dump, "-o", folder / "corpus", "--keep-links", "-j", 1)
    assert report["n_documents"] == 160
    assert report["skipped"] == {"redirect": 1}
    return folder


def test_links_from_dump_to_scores(work, synthetic) -> None:
    report = result_of("build-dataset", "links", work / "corpus", "-o", work / "links")
    # 20 documents of each topic have the word five times.
    assert report["words"] == {
        "bank": {"Bank": 100, "Bank_(geography)": 100},
        "crane": {"Crane_(bird)": 100, "Crane_(machine)": 100},
    }
    assert report["parts"] == {"instances.jsonl": 400}
    words = [word for topic in synthetic.topic_words for word in topic]
    axes = np.repeat(np.eye(8, dtype=np.float32), len(words) // 8, axis=0)
    noise = np.random.default_rng(0).normal(scale=0.1, size=axes.shape).astype(np.float32)
    WordVectors(words, axes + noise).save(work / "vectors")
    result_of(
        "induce", work / "corpus", work / "vectors", "-o", work / "model",
        "-w", "crane", "-w", "bank", "--senses", 2, "--rank", 1, "-j", 1,
    )  # fmt: skip
    scores = result_of(
        "evaluate", "jsonl", "--data", work / "links" / "instances.jsonl", "--model", work / "model"
    )
    assert scores["all"]["n_instances"] == 400
    assert scores["all"]["v_measure"] > 80


def test_links_can_be_chosen_merged_balanced_and_split(work, tmp_path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("crane\nriverba\n", encoding="utf-8")
    merges = tmp_path / "merges.tsv"
    merges.write_text("Bank\tBank (geography)\n", encoding="utf-8")
    done = grassmeans(
        "build-dataset", "links", work / "corpus", "-o", tmp_path / "set", "--words", words,
        "--word", "bank", "--merge-pages", merges, "--max-per-sense", 40, "--balance",
        "--test-share", 0.25,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["words"] == {"crane": {"Crane_(bird)": 40, "Crane_(machine)": 40}}
    assert report["parts"] == {"train.jsonl": 60, "test.jsonl": 20}
    assert set(report["skipped"]) == {"bank", "riverba"}
    assert "left out: 'bank': fewer than 2 senses with 10 links" in done.stderr
    assert len(open_task("jsonl", tmp_path / "set" / "test.jsonl").instances) == 20


def test_pseudowords_with_their_corpus(work, tmp_path) -> None:
    report = result_of(
        "build-dataset", "pseudowords", work / "corpus", "-o", tmp_path / "pseudo",
        "--group", "birdba,fishba", "--group", "musicba letterba gardenba",
        "--corpus-out", tmp_path / "merged", "-j", 1,
    )  # fmt: skip
    corpus, merged = Corpus.open(work / "corpus"), Corpus.open(tmp_path / "merged")
    words = {
        "pseudoword1": ["birdba", "fishba"],
        "pseudoword2": ["musicba", "letterba", "gardenba"],
    }
    for name, group in words.items():
        counts = {word: corpus.vocabulary.count_of(word) for word in group}
        assert report["words"][name] == {w: min(n, 200) for w, n in counts.items()}
        assert merged.vocabulary.count_of(name) == sum(counts.values())
    task = open_task("jsonl", tmp_path / "pseudo" / "instances.jsonl")
    assert not any(re.search(r"(?i)birdba|fishba", instance.text) for instance in task.instances)


def test_pseudowords_of_words_with_one_sense(work, tmp_path) -> None:
    database = tmp_path / "wordnet"
    database.mkdir()
    for name in ("noun", "verb", "adj", "adv"):
        content = WORDNET_NOUNS if name == "noun" else ""
        (database / f"index.{name}").write_text(content, encoding="utf-8")
        (database / f"data.{name}").write_text("", encoding="utf-8")
    report = result_of(
        "build-dataset", "pseudowords", work / "corpus", "-o", tmp_path / "pseudo", "--merge", 4,
        "-n", 1, "--min-count", 1, "--wordnet", database, "--max-per-sense", 3,
    )  # fmt: skip
    assert report["words"] == {
        "pseudoword1": dict.fromkeys(["birdba", "fishba", "letterba", "musicba"], 3)
    }


def test_tables_for_people(work, tmp_path, monkeypatch) -> None:
    for module in ("grassmeans_lab.commands.build_dataset", "grassmeans.terminal.output"):
        monkeypatch.setattr(f"{module}.wants_json", lambda asked: asked)
    arguments = ["build-dataset", "links", str(work / "corpus"), "-o", str(tmp_path / "set")]
    result = CliRunner().invoke(app, arguments, env={"COLUMNS": "120"})
    assert result.exit_code == 0
    printed = " ".join(result.output.split())
    assert "Crane_(bird) 100, Crane_(machine) 100" in printed
    assert "400 instances of 2 words with 4 senses" in printed
    assert f"grassmeans evaluate jsonl --data {tmp_path / 'set' / 'instances.jsonl'}" in "".join(
        result.output.replace("\n", "")
    )


def test_mistakes_end_with_one_line(work, tmp_path) -> None:
    output = tmp_path / "set"
    plain = Corpus.from_texts(["a crane", "a bank"], tmp_path / "plain")
    fails(grassmeans("build-dataset", "links", plain.path, "-o", output), "--keep-links")
    many = ["build-dataset", "pseudowords", plain.path, "-o", output, "--merge", 5]
    fails(grassmeans(*many), "10 artificial words of 5 words need 50 words", "widen the band")
    links = ["build-dataset", "links", work / "corpus", "-o", output]
    fails(grassmeans(*links, "-w", "heron"), "does not have 'heron'")
    assert not output.exists()
    lineup = tmp_path / "lineup.jsonl"
    lineup.write_text("mine", encoding="utf-8")
    fails(grassmeans("build-dataset", "lineup", "-o", lineup), "exists already")
    assert lineup.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("command", ["links", "pseudowords", "lineup"])
@pytest.mark.skipif(not (ROOT / "docs").is_dir(), reason="the documentation is not here")
def test_the_page_shows_options_that_exist(command) -> None:
    text = (ROOT / "docs" / "how-to" / "make-a-test-set.md").read_text(encoding="utf-8")
    lines = re.findall(rf"^grassmeans build-dataset ({command} .*)$", text, re.MULTILINE)
    assert lines
    shown = CliRunner().invoke(app, ["build-dataset", command, "--help"], env={"COLUMNS": "200"})
    options = {option for line in lines for option in shlex.split(line) if option.startswith("-")}
    for option in options:
        assert option in shown.output


@pytest.mark.shared
def test_links_of_a_real_dump(tmp_path) -> None:
    if not SAMPLE.exists():
        pytest.skip("the sample dump is not beside the checkout")
    options = IngestOptions(
        keep_links=True, function_words=default_options().function_words, shard_chars=2_000_000
    )
    report = ReadReport()
    # A fifth of the dump is enough.
    documents = read_documents([SAMPLE], ReadOptions(keep_redirects=True), report=report)
    some = islice(documents, 300)
    Ingest(tmp_path / "corpus", options, report=report, show_progress=False).take_documents(some)
    corpus = Corpus.open(tmp_path / "corpus")
    summary = build_links(corpus, tmp_path / "set", LinkSettings(min_instances=4))
    assert summary.senses["ajax"] == {"AFC_Ajax": 4, "Ajax_(mythology)": 4}
    task = open_task("jsonl", tmp_path / "set" / "instances.jsonl")
    assert len(task.instances) == summary.n_instances
    for instance in task.instances:
        assert instance.word.lower() == instance.target
        assert len(instance.text.split()) > 5
