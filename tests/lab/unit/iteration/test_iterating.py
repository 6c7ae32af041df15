from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from damage import make_old
from grassmeans.artifacts.digests import find_damage
from grassmeans.artifacts.writing import building_place
from grassmeans.clustering.settings import InductionSettings
from grassmeans.contexts.subspaces import SubspaceEncoder
from grassmeans.corpus.corpus import Corpus
from grassmeans.errors import ArtifactError, InputError
from grassmeans.geometry.windows import ContextShape
from grassmeans.lexemes.lexeme_vectors import LexemeVectors
from grassmeans.models.model import SenseModel
from grassmeans_lab.iteration import iterating
from grassmeans_lab.iteration.iterating import IterationSettings, Round, iterate
from grassmeans_lab.iteration.labelled_words import LabelledWords
from grassmeans_lab.iteration.reports import measure_agreement, report_round
from synthetic import POLYSEMOUS, SyntheticCorpus

# So strict a threshold that some labels are IDK, and so many change.
QUICK = {"idk_threshold": 0.0133, "epochs": 2, "stop_early": False}


def run(
    corpus: Corpus, model: SenseModel, folder: Path, overwrite: bool = False, **options
) -> list[Round]:
    settings = IterationSettings(**QUICK | options)
    return iterate(corpus, model, folder, settings, workers=1, overwrite=overwrite)


@pytest.fixture(scope="module", params=["hard", "soft"])
def two_rounds(request, corpus: Corpus, model: SenseModel) -> tuple[Path, list[Round]]:
    folder = corpus.path.parent / f"rounds-{request.param}"
    return folder, run(corpus, model, folder, rounds=2, decoding=request.param)


def test_every_round_has_its_folder_and_report(two_rounds: tuple[Path, list[Round]]) -> None:
    folder, rounds = two_rounds
    assert [done.report.number for done in rounds] == [0, 1, 2]
    assert [done.reason for done in rounds] == [None, None, "2 rounds are done"]
    for number, done in enumerate(rounds):
        here = folder / f"round-{number}"
        assert done.labelled.path == here / "labelled"
        assert json.loads((here / "round.json").read_text()) == asdict(done.report)
        before = rounds[number - 1].labelled if number else None
        assert done.report == report_round(number, done.labelled, before)
    written = json.loads((folder / "rounds.json").read_text())
    assert written["rounds"] == [asdict(done.report) for done in rounds]
    assert written["stopped"] == "2 rounds are done"
    assert (folder / "exit-chart.svg").read_text().count("<circle") == 2
    assert not building_place(folder).exists()
    assert json.loads((folder / "manifest.json").read_text())["n_rounds"] == 2


def test_lexemes_start_where_the_round_before_ended(two_rounds: tuple[Path, list[Round]]) -> None:
    folder, rounds = two_rounds
    first, second = (LexemeVectors.load(folder / f"round-{n}" / "lexemes") for n in (1, 2))
    assert rounds[1].lexemes is not None
    assert np.array_equal(rounds[1].lexemes.vectors.vectors, first.vectors.vectors)
    is_soft = "soft" in folder.name
    assert first.has_idk("crane") is not is_soft  # drawn labels have no crane.0
    decoding = second.vectors.manifest["lexemes"]["decoding"]
    assert decoding == ("soft, drawn in each epoch" if is_soft else "hard")
    assert second.vectors.manifest["lexemes"]["started_from"] == "lexemes"


def test_the_last_round_still_has_the_senses(
    two_rounds: tuple[Path, list[Round]], synthetic: SyntheticCorpus
) -> None:
    last = LabelledWords.of(two_rounds[1][-1].labelled)
    for word in POLYSEMOUS:
        labels = last.labels_at(last.positions(word))
        gold = np.array([topic for _, topic in synthetic.gold[word]])
        known = labels > 0
        assert known.mean() > 0.3, word
        right = np.mean((labels == 1)[known] == (gold == gold.max())[known])
        assert max(right, 1 - right) > 0.97, word


def test_finished_rounds_are_not_done_again(
    two_rounds: tuple[Path, list[Round]],
    corpus: Corpus,
    model: SenseModel,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder, rounds = two_rounds

    def fail(*_: object, **__: object) -> None:
        raise AssertionError("done again")

    with monkeypatch.context() as patch:
        for name in ("label_corpus", "train_lexemes", "induce_again", "decode_again"):
            patch.setattr(iterating, name, fail)
        again = run(corpus, model, folder, rounds=2, decoding=folder.name.split("-")[1])
    assert [done.report for done in again] == [done.report for done in rounds]
    assert again[-1].reason == "2 rounds are done"


def test_an_interrupted_round_goes_on_where_it_was(
    two_rounds: tuple[Path, list[Round]],
    corpus: Corpus,
    model: SenseModel,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole, rounds = two_rounds
    folder, decoding = tmp_path / "rounds", whole.name.split("-")[1]

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    for name in ("induce_again", "decode_again", "reason_to_stop"):  # later and later in round 1
        with monkeypatch.context() as patch:
            patch.setattr(iterating, name, stop)
            with pytest.raises(KeyboardInterrupt):
                run(corpus, model, folder, rounds=2, decoding=decoding, stop_early=True)
    assert not folder.exists()
    vectors = Path("round-1", "lexemes", "vectors.npy")
    trained = (building_place(folder) / "new" / vectors).stat().st_mtime_ns
    resumed = run(corpus, model, folder, rounds=2, decoding=decoding)
    assert (folder / vectors).stat().st_mtime_ns == trained
    assert [done.report for done in resumed] == [done.report for done in rounds]
    assert measure_agreement(resumed[-1].labelled, rounds[-1].labelled) == 1.0
    assert not [*folder.rglob("*.partial*"), *folder.rglob("parts")]


def test_more_rounds_follow_and_other_options_do_not(
    corpus: Corpus, model: SenseModel, tmp_path: Path
) -> None:
    folder = tmp_path / "rounds"
    first = run(corpus, model, folder, rounds=1)
    assert first[-1].reason == "1 round is done"
    (folder / "note.txt").write_text("mine")
    with pytest.raises(InputError, match=r"holds note.txt, which is not a part of it"):
        run(corpus, model, folder, rounds=2)
    assert [done.report for done in run(corpus, model, folder, rounds=1)] == [
        done.report for done in first
    ]  # what is there is read all the same
    assert (folder / "note.txt").read_text() == "mine"
    (folder / "note.txt").unlink()
    more = run(corpus, model, folder, rounds=2)
    assert [done.report for done in more[:2]] == [done.report for done in first]
    assert len(json.loads((folder / "rounds.json").read_text())["rounds"]) == 3
    problems, _, n_unknown = find_damage(folder)
    assert (problems, n_unknown) == ([], 0)
    fewer = run(corpus, model, folder, rounds=1)  # what is there is told, and stays
    assert [done.reason for done in fewer] == [None, None, "2 rounds are done"]
    with pytest.raises(InputError, match="exists already"):
        run(corpus, model, folder, rounds=1, epochs=3)
    anew = run(corpus, model, folder, overwrite=True, rounds=1, epochs=3)
    assert len(anew) == 2
    assert not (folder / "round-2").exists()


def test_of_two_runs_on_one_folder_the_second_says_so(
    corpus: Corpus, model: SenseModel, tmp_path: Path
) -> None:
    folder = tmp_path / "rounds"
    run(corpus, model, folder, rounds=1)
    told: list[str] = []

    def start_another(*_: object) -> None:
        before = {path: path.read_bytes() for path in folder.rglob("*.*")}
        with pytest.raises(InputError, match=r"another run .* is writing") as error:
            run(corpus, model, folder, rounds=3)
        told.append(str(error.value))
        assert {path: path.read_bytes() for path in folder.rglob("*.*")} == before

    settings = IterationSettings(**QUICK | {"rounds": 2})
    iterate(corpus, model, folder, settings, workers=1, announce=start_another)
    assert len(told) == 3
    assert json.loads((folder / "manifest.json").read_text())["n_rounds"] == 2


def test_rounds_stop_when_labels_stay(corpus: Corpus, model: SenseModel, tmp_path: Path) -> None:
    # Without "I don't know" the four words are labelled perfectly from the start.
    options = {"idk_threshold": None, "stop_early": True, "start_from_vectors": False}
    rounds = run(corpus, model, tmp_path / "rounds", **options | {"epochs": 12, "min_count": 1})
    assert len(rounds) == 2
    assert rounds[1].reason is not None
    assert "of the labels are those of the round before" in rounds[1].reason
    assert rounds[1].lexemes is not None
    assert "started_from" not in rounds[1].lexemes.vectors.manifest["lexemes"]


def test_inputs_are_never_replaced(corpus: Corpus, model: SenseModel, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is an input"):
        run(corpus, model, corpus.path, overwrite=True)
    with pytest.raises(InputError, match="is an input"):
        run(corpus, model, corpus.path.parent / "model", overwrite=True)
    other = Corpus.from_texts(["a b c"], tmp_path / "other")
    with pytest.raises(InputError, match=r"another kind \(corpus\)"):
        run(corpus, model, other.path, overwrite=True)
    assert Corpus.open(other.path).n_tokens == 3


def test_a_damaged_report_is_explained(corpus: Corpus, model: SenseModel, tmp_path: Path) -> None:
    run(corpus, model, tmp_path / "rounds", rounds=1)
    (tmp_path / "rounds" / "round-1" / "round.json").write_text('{"number": 1}')
    make_old(tmp_path / "rounds")
    with pytest.raises(ArtifactError, match=r"round\.json is .*'n_occurrences' is there"):
        run(corpus, model, tmp_path / "rounds", rounds=1)


def test_settings_are_checked() -> None:
    with pytest.raises(InputError, match="rounds must be 1 or more, got 0"):
        IterationSettings(rounds=0)
    with pytest.raises(InputError, match="hard, soft"):
        IterationSettings(decoding="firm")
    with pytest.raises(InputError, match="from 0 to 1"):
        IterationSettings(idk_threshold=2.0)


def altered(model: SenseModel, **fields) -> SenseModel:
    """The same model with another manifest."""
    return SenseModel(
        model.encoder, model.inventory, model.tokenizer, model.manifest | fields, model.folder
    )


def test_settings_and_shape_are_the_models(
    corpus: Corpus, model: SenseModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the manifest tells part of the settings only, and some that nobody knows."""
    shape = ContextShape(window=4, rank=2)
    encoder = SubspaceEncoder(model.vectors, shape, model.encoder.function_words)
    odd = altered(model, settings={"n_init": 2, "of_tomorrow": 1})
    odd.encoder = encoder
    given = []

    def note(function):
        def noted(*arguments, **options):
            about = [a for a in arguments if isinstance(a, (InductionSettings, ContextShape))]
            given.append([*about, options["workers"]])
            return function(*arguments, **options)

        return noted

    for name in ("induce_again", "decode_again"):
        monkeypatch.setattr(iterating, name, note(getattr(iterating, name)))
    settings = IterationSettings(**QUICK | {"rounds": 1})
    assert len(iterate(corpus, odd, tmp_path / "rounds", settings, workers=2)) == 2
    assert given == [[InductionSettings(n_init=2), shape, 2], [shape, 2]]


def test_the_threshold_is_the_models_own(corpus: Corpus, model: SenseModel, tmp_path: Path) -> None:
    own = altered(model, idk_threshold=0.0133)
    rounds = run(corpus, own, tmp_path / "rounds", rounds=1, idk_threshold="model")
    for done in rounds:
        assert done.labelled.manifest["labelled"]["idk_threshold"] == 0.0133
    assert IterationSettings().idk_threshold == "model"
    # The same number makes the same rounds, another name none.
    again = run(corpus, own, tmp_path / "rounds", rounds=1, idk_threshold=0.0133)
    assert [done.report for done in again] == [done.report for done in rounds]
    with pytest.raises(InputError, match="must be a number, None or 'model'"):
        run(corpus, own, tmp_path / "other", idk_threshold="mine")
