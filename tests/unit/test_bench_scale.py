"""What the benchmark of growing sizes rests on: its text, fits and plan, what it does not run."""

from __future__ import annotations

import importlib
import itertools
import json
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from grassmeans import Corpus

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
SOURCE = [
    " ".join(
        f"The {word} of house {i} is {colour}. It was built in year {i * 7}." for i in range(9)
    )
    for word, colour in (("roof", "red"), ("door", "green"), ("wall", "grey"), ("floor", "dark"))
]


def load(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    if not BENCHMARKS.is_dir():
        pytest.skip("the benchmarks are not here: only the package is tested")
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module(name)


@pytest.fixture
def text(monkeypatch) -> ModuleType:
    return load("growing_text", monkeypatch)


@pytest.fixture
def scale(monkeypatch) -> ModuleType:
    return load("bench_scale", monkeypatch)


def row(n_tokens: int, step: str, **values: float) -> dict[str, Any]:
    own = {"seconds": 10.0, "cpu_seconds": 10.0, "peak_own_bytes": 10**9, "disk_bytes": 10**9}
    return {"asked": n_tokens, "n_tokens": n_tokens, "text": {"disk_bytes": 10**9}} | {
        step: own | values
    }


@pytest.mark.parametrize(
    ("given", "number"), [("15M", 15_000_000), ("4B", 4 * 10**9), ("2e3", 2000)]
)
def test_numbers_of_words_as_people_write_them(text, given, number) -> None:
    assert text.read_number(given) == number


def test_the_source_comes_as_it_is_and_then_changed(text) -> None:
    documents = list(itertools.islice(text.grow_text(lambda: iter(SOURCE)), 8))
    assert documents[:4] == SOURCE
    for source, again in zip(SOURCE, documents[4:], strict=True):
        known, found = source.split(), again.split()
        assert len(found) == len(known)
        kept = sum((Counter(known) & Counter(found)).values())
        assert 0.7 < kept / len(known) < 1.0
        assert [word for word in found if word in known] != [w for w in known if w in found]


def test_of_a_large_text_no_document_comes_twice_and_new_words_come(text, tmp_path) -> None:
    path = tmp_path / "text.jsonl"
    written = text.write_text(text.grow_text(lambda: iter(SOURCE)), 30_000, path)
    corpus = Corpus.from_files(path, tmp_path / "corpus", workers=1, show_progress=False)
    assert corpus.manifest["skipped"] == {}
    assert corpus.n_documents == written.n_documents > 200
    assert 30_000 <= written.n_tokens < 31_000
    before = Corpus.from_texts(SOURCE, tmp_path / "source")
    assert len(corpus.vocabulary) > len(before.vocabulary) + 100


def test_documents_of_a_word_or_none_differ_too(text) -> None:
    documents = list(itertools.islice(text.grow_text(lambda: iter(["Yes.", ""])), 2, 40))
    assert len(set(documents)) == len(documents)


def test_a_short_text_is_the_beginning_of_a_long_one(text, tmp_path) -> None:
    found = []
    for n_tokens in (3_000, 9_000):
        path = tmp_path / f"{n_tokens}.jsonl"
        text.write_text(text.grow_text(lambda: iter(SOURCE)), n_tokens, path)
        found.append(path.read_bytes())
    assert found[1].startswith(found[0])


def test_words_that_nobody_has_written_differ(text) -> None:
    coined = [text.coin_word(number) for number in (0, 1, 69, 70, 70**3, 70**3 + 1)]
    assert coined == ["bababa", "bababe", "babazu", "babeba", "bebababa", "bebababe"]


def test_exponents_by_hand(scale) -> None:
    assert scale.fit_exponent([1, 10, 100], [2, 20, 200]) == 1.0
    assert scale.fit_exponent([1, 10, 100], [2, 200, 20_000]) == 2.0
    assert scale.fit_exponent([1, 10], [5, 5]) == 0.0
    assert scale.fit_exponent([10], [5]) is None
    assert scale.fit_slope([1e6, 2e6, 4e6], [5e6, 7e6, 11e6]) == 2.0


def test_the_plan_by_hand(scale) -> None:
    rows = [
        row(10**6, "ingest", seconds=10),
        row(10**7, "ingest", seconds=1_000, peak_own_bytes=10**9 + 18 * 10**6),
    ]
    fits = scale.fit_steps(rows)
    assert fits["ingest"]["seconds_exponent"] == 2.0
    assert fits["ingest"]["peak_own_bytes_a_token"] == 2.0
    plan = scale.make_plan(rows, fits, 10**8, 1, cores=2, price=0.10)
    planned = plan["steps"]["ingest"]
    assert planned["hours"] == round(1_000 * 10**2 / 3600, 2)
    assert planned["peak_gigabytes"] == round((1.018e9 + 2 * 9e7) / 1e9, 2)
    assert planned["disk_gigabytes"] == 10.0
    assert planned["cost"] == round(planned["hours"] * 2 * 0.10, 2)
    assert plan["together"]["disk_gigabytes"] == 20.0  # with the text


def test_a_step_that_seems_to_become_faster_is_planned_as_linear(scale) -> None:
    rows = [row(10**6, "label", seconds=20), row(10**7, "label", seconds=36)]
    planned = scale.plan_step("label", rows[-1], scale.fit_steps(rows)["label"], 10**8, 1)
    assert planned["hours"] == 0.1


def test_words_are_planned_by_their_contexts(scale) -> None:
    own = row(10**6, "induce", seconds=36, contexts=50_000)
    assert scale.plan_step("induce", own, {}, 10**9, 1_000)["hours"] == 2.0


def test_not_all_words_of_a_large_text_have_vectors(scale) -> None:
    own = row(10**6, "vectors", n_words=100_000)
    assert scale.plan_step("vectors", own, {}, 10**9, 1)["disk_gigabytes"] == 2.0


@pytest.fixture
def prepared(scale, tmp_path, monkeypatch) -> tuple[ModuleType, list[str], list[str]]:
    """The benchmark with results of its own, where a step is the writing of a file."""
    ran: list[str] = []

    def run(command: list[str]) -> Any:
        step, place = command[3], Path(command[command.index("-o") + 1])
        ran.append(step)
        place.mkdir(parents=True)
        (place / "file").write_text("12345")
        answer = {"n_tokens": 7_000, "n_types": 9, "n_documents": 1, "n_words": 3}
        return scale.CommandRun(2.0, 3.0, 10**6, 10**5, 5, "a remark\n" + json.dumps(answer))

    for name in ("bench_scale", "measurement"):
        monkeypatch.setattr(sys.modules[name], "RESULTS", tmp_path / "results")
    monkeypatch.setattr(scale, "run_measured", run)
    monkeypatch.setattr(scale, "warm_up", lambda *_: ran.append("warm up"))
    source = tmp_path / "source.txt"
    source.write_text("\n\n".join(SOURCE))
    arguments = ["--input", str(source), "--folder", str(tmp_path / "work"), "--name", "tried"]
    return scale, [*arguments, "--steps", "ingest", "vectors"], ran


def test_what_the_result_has_is_not_run_again(prepared, tmp_path, capsys) -> None:
    scale, arguments, ran = prepared
    scale.main([*arguments, "--tokens", "1000"])
    assert ran == ["warm up", "ingest", "vectors"]
    scale.main([*arguments, "--tokens", "1000"])
    assert len(ran) == 3
    scale.main([*arguments, "--tokens", "1000", "2000"])
    assert ran[3:] == ["warm up", "ingest", "vectors"]
    found = json.loads((tmp_path / "results" / "tried.json").read_text())
    assert [own["asked"] for own in found["rows"]] == [1000, 2000]
    assert found["rows"][0]["ingest"]["disk_bytes"] == 5
    assert found["rows"][0]["ingest"]["tokens_per_second"] == 3_500
    assert "| vectors | 0.0M | 2.0 | 3,500 |" in capsys.readouterr().out
    assert not (tmp_path / "work" / "1000").exists()


def test_a_step_whose_corpus_is_gone_makes_it_again(prepared) -> None:
    scale, arguments, ran = prepared
    scale.main([*arguments[:-1], "--tokens", "1000"])
    scale.main([*arguments, "--tokens", "1000"])
    assert ran == ["warm up", "ingest", "warm up", "ingest", "vectors"]


def test_results_of_other_settings_are_left_alone(prepared) -> None:
    scale, arguments, _ = prepared
    scale.main([*arguments, "--tokens", "1000"])
    with pytest.raises(SystemExit, match="other settings"):
        scale.main([*arguments, "--tokens", "1000", "--epochs", "1"])


def test_a_command_is_measured_with_its_children(monkeypatch) -> None:
    measurement = load("measurement", monkeypatch)
    child = "import time; x = bytearray(60_000_000); time.sleep(0.7)"
    program = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}]); print(7)"
    run = measurement.run_measured([sys.executable, "-c", program])
    assert run.output == "7\n"
    assert 60e6 < run.peak_own_bytes < run.peak_bytes < 200e6
    assert run.seconds > 0.7
    with pytest.raises(SystemExit, match="failed"):
        measurement.run_measured([sys.executable, "-c", "raise SystemExit(3)"])
