"""Iterative decoding against gold labels: what `grassmeans iterate` gives, and what it does not.

The rounds are those of `grassmeans iterate`. This script adds two things. Test passages are
labelled along with the corpus, round by round, so that their context words have senses too; they
are scored by the nearest sense, with no "I don't know". And --control does every round a second
time with word vectors that were trained further in just the same way, on the corpus without labels:
training lexemes trains all vectors further, which changes labels by itself, and what a round gives
is its difference from its control.

    python packages/lab/scripts/iterative_decoding.py --corpus CORPUS --model MODEL \
        --output FOLDER --rounds 4 --control --makes-sense FOLDER --semeval FOLDER

FOLDER gets the rounds in ``rounds``, the controls in ``control-1`` and so on, and ``scores.json``.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grassmeans import Corpus, SkipGram, WordVectors, load
from grassmeans.corpus.ingest import Ingest, IngestOptions
from grassmeans.evaluation.clustering_scores import ClusteringScores
from grassmeans.evaluation.grouping import ClusteringTask
from grassmeans.evaluation.instances import Key, Label
from grassmeans.evaluation.loading import open_task
from grassmeans.labelling.labeller import label_corpus
from grassmeans.models.building import build_model
from grassmeans.models.model import SenseModel
from grassmeans.reading.documents import RawDocument
from grassmeans.text.tokenizer import normalize_text
from grassmeans.vectors.skipgram import train_vectors
from grassmeans_lab.iteration.iterating import IterationSettings, Round, iterate
from grassmeans_lab.iteration.labelled_words import LabelledWords
from grassmeans_lab.iteration.reports import RoundReport, report_round
from grassmeans_lab.iteration.rounds import decode_again


@dataclass(frozen=True)
class TestSet:
    """Test passages as a labelled corpus of their own, one document each.

    ``positions`` tells where the target of each instance stands; -1 for words without senses.
    """

    task: ClusteringTask
    positions: NDArray[np.int64]
    labelled: Corpus

    def score(self) -> dict[str, float]:
        """V-measure and paired F-score of the nearest senses."""
        senses = np.ones(len(self.task.instances), np.int64)  # words without senses: one cluster
        known = self.positions >= 0
        words = LabelledWords.of(self.labelled)
        senses[known] = np.maximum(words.nearest_at(self.positions[known]), 1)
        labels: dict[str, dict[str, tuple[Label, ...]]] = defaultdict(dict)
        for instance, sense in zip(self.task.instances, senses.tolist(), strict=True):
            label = Label(f"{instance.key_word}.{sense}", 1.0)
            labels[instance.key_word][instance.id] = (label,)
        scores = ClusteringScores.compare(Key(dict(labels)), self.task.gold).all
        return {"v_measure": round(scores.v_measure, 2), "f_score": round(scores.f_score, 2)}


def make_test_set(
    task: ClusteringTask, model: SenseModel, folder: Path, settings: IterationSettings
) -> TestSet:
    """Store the passages, the target's lemma in the place of its form, and label them (round 0)."""
    tokenize = model.tokenizer.tokenize
    documents, lefts = [], []
    for instance in task.instances:
        left = tokenize(normalize_text(instance.left))
        right = tokenize(normalize_text(instance.right))
        lefts.append(len(left))
        text = " ".join([*left, instance.target, *right])
        documents.append(RawDocument(instance.id, "", text, "tokens"))
    options = IngestOptions(
        tokenizer=model.tokenizer,
        function_words=model.encoder.function_words,
        keep_duplicates=True,
    )
    Ingest(folder / "passages", options, workers=1, overwrite=True).take_documents(documents)
    corpus = Corpus.open(folder / "passages")
    starts = [
        shard.first_position + np.asarray(shard.document_offsets[:-1]) for shard in corpus.shards
    ]
    positions = np.concatenate(starts) + np.array(lefts)
    without = [instance.target not in model.inventory for instance in task.instances]
    positions[without] = -1
    labelled = label_corpus(
        corpus,
        model,
        folder / "labelled-0",
        idk_threshold=settings.idk_threshold,
        overwrite=True,
        workers=1,
    )
    return TestSet(task, positions, labelled)


def read_test_sets(
    arguments: argparse.Namespace, model: SenseModel, settings: IterationSettings, output: Path
) -> list[TestSet]:
    """Read the test sets that were asked for, and label them with the model."""
    places = {"makes-sense": arguments.makes_sense, "semeval2010": arguments.semeval}
    return [
        make_test_set(open_task(name, place), model, output / name, settings)
        for name, place in places.items()
        if place
    ]


def decode_tests(
    tests: Sequence[TestSet], done: Round, model: SenseModel, settings: IterationSettings
) -> list[TestSet]:
    """Take the test passages through the round that the corpus has been through."""
    if done.lexemes is None:  # round 0: labelled by the model already
        return list(tests)
    return [
        replace(
            test,
            labelled=decode_again(
                test.labelled,
                done.lexemes,
                done.inventory,
                model.encoder.shape,
                test.labelled.path.with_name(f"labelled-{done.report.number}"),
                soft_contexts=settings.is_soft,
                idk_threshold=settings.idk_threshold,
                sharpness=settings.sharpness,
                overwrite=True,
            ),
        )
        for test in tests
    ]


def run_control(
    number: int,
    vectors: WordVectors,
    model: SenseModel,
    previous: Corpus,
    settings: IterationSettings,
    arguments: argparse.Namespace,
) -> tuple[WordVectors, Corpus, dict[str, Any]]:
    """The same training on words without labels, then senses and labels as in round 0."""
    folder = arguments.output / f"control-{number}"
    corpus = Corpus.open(arguments.corpus)
    trained = train_vectors(
        corpus,
        folder / "vectors",
        SkipGram(
            dim=vectors.dim,
            epochs=settings.epochs,
            min_count=settings.min_count,
            workers=arguments.workers,
        ),
        start=vectors if settings.start_from_vectors else None,
        keep_output=True,
        overwrite=True,
    )
    built = build_model(
        arguments.corpus,
        folder / "vectors",
        folder / "model",
        list(model.words),
        settings=model.settings,
        shape=model.encoder.shape,
        workers=arguments.workers,
        overwrite=True,
    )
    labelled = label_corpus(
        corpus,
        built,
        folder / "labelled",
        idk_threshold=settings.idk_threshold,
        workers=arguments.workers,
        overwrite=True,
    )
    tests = read_test_sets(arguments, built, settings, folder)
    report = report_round(number, labelled, previous, sharpness=settings.sharpness)
    return trained, labelled, show_round(report, tests, "control")


def show_round(
    report: RoundReport, tests: Sequence[TestSet], kind: str = "round"
) -> dict[str, Any]:
    row: dict[str, Any] = {"kind": kind} | asdict(report)
    row |= {test.task.name: test.score() for test in tests}
    print(json.dumps(row), flush=True)
    return row


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True, help="from grassmeans induce")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--all-rounds", action="store_true", help="do not stop early")
    parser.add_argument("--control", action="store_true", help="each round without labels too")
    parser.add_argument("--makes-sense", type=Path)
    parser.add_argument("--semeval", type=Path)
    parser.add_argument("--decoding", choices=("hard", "soft"), default="hard")
    parser.add_argument("--idk", type=float, help="by default the model's own")
    parser.add_argument("--sharpness", type=float, default=10.0)
    parser.add_argument("--epochs", type=int, default=5, help="of every training of lexemes")
    parser.add_argument("--min-count", type=int, default=5)
    parser.add_argument("--from-scratch", action="store_true", help="lexemes start at random")
    parser.add_argument("--workers", type=int)
    return parser.parse_args()


def main() -> None:
    arguments = parse_arguments()
    model = load(arguments.model)
    settings = IterationSettings(
        rounds=arguments.rounds,
        decoding=arguments.decoding,
        idk_threshold=model.idk_threshold if arguments.idk is None else arguments.idk,
        sharpness=arguments.sharpness,
        epochs=arguments.epochs,
        min_count=arguments.min_count,
        start_from_vectors=not arguments.from_scratch,
        stop_early=not arguments.all_rounds,
    )
    arguments.output.mkdir(parents=True, exist_ok=True)
    tests = read_test_sets(arguments, model, settings, arguments.output)
    rows: list[dict[str, Any]] = []
    control_vectors, control_labels = model.vectors, None
    corpus, folder = Corpus.open(arguments.corpus), arguments.output / "rounds"
    for done in iterate(corpus, arguments.model, folder, settings, workers=arguments.workers):
        tests = decode_tests(tests, done, model, settings)
        rows.append(show_round(done.report, tests))
        control_labels = control_labels or done.labelled
        if arguments.control and done.report.number > 0:
            control_vectors, control_labels, row = run_control(
                done.report.number, control_vectors, model, control_labels, settings, arguments
            )
            rows.append(row)
        scores = json.dumps(rows, indent=2) + "\n"
        (arguments.output / "scores.json").write_text(scores, encoding="utf-8")
        if done.reason is not None:
            print(f"stopped: {done.reason}")


if __name__ == "__main__":
    main()
