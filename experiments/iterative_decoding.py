"""Iterative decoding, the paper's first open question.

Do labels get sharper over several rounds? Round 0 labels the corpus with a model of word vectors.
Every further round trains lexeme vectors on the labels so far, builds context subspaces from the
vectors of the senses that context words have, induces the senses again and decodes again. Rounds
end when the labels hardly change any more, or when the share of "I don't know" no longer falls
(--all-rounds goes on).

Training lexemes also trains all vectors further, which changes labels by itself. --control tells
the two apart: every round is done a second time with word vectors that were trained further in just
the same way, on the corpus without labels. What a round gives is its difference from its control.

    python experiments/iterative_decoding.py --corpus CORPUS --model MODEL --output FOLDER \
        --rounds 4 --control --makes-sense FOLDER --semeval FOLDER

FOLDER gets ``rounds.json``, ``exit-chart.svg`` and every round's labelled corpus, lexeme vectors
and inventory. Test passages are labelled along with the corpus, round by round, so that their
context words have senses too; they are scored by the nearest sense, with no "I don't know".
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grassmeans import Corpus, SenseInventory, SkipGram, WordVectors, load
from grassmeans.corpus.documents import RawDocument
from grassmeans.corpus.ingest import IngestOptions, ingest_documents
from grassmeans.corpus.tokenizer import normalize_text
from grassmeans.evaluation.clustering_scores import score_clustering
from grassmeans.evaluation.key_files import Key, Label, read_key
from grassmeans.evaluation.tasks.instances import Instance
from grassmeans.evaluation.tasks.makes_sense import read_makes_sense
from grassmeans.evaluation.tasks.semeval2010 import read_semeval2010
from grassmeans.labelling.labeller import label_corpus
from grassmeans.lexemes.iteration import decode_again, induce_again
from grassmeans.lexemes.lexeme_vectors import LexemeVectors
from grassmeans.lexemes.rounds import RoundReport, nearest_labels, reason_to_stop, report_round
from grassmeans.lexemes.training import train_lexemes
from grassmeans.senses.building import build_model
from grassmeans.senses.model import SenseModel
from grassmeans.senses.settings import InductionSettings
from grassmeans.vectors.building import train_vectors

CHART_SIZE = 420
MARGIN = 50


@dataclass(frozen=True)
class TestSet:
    """Test passages as a labelled corpus of their own, one document each.

    ``positions`` tells where the target of each instance stands; -1 for words without senses.
    """

    name: str
    instances: list[Instance]
    gold: Key
    positions: NDArray[np.int64]
    labelled: Corpus

    def score(self) -> dict[str, float]:
        """V-measure and paired F-score of the nearest senses."""
        senses = np.ones(len(self.instances), np.int64)  # words without senses: one cluster
        known = self.positions >= 0
        senses[known] = np.maximum(nearest_labels(self.labelled, self.positions[known]), 1)
        labels: dict[str, dict[str, tuple[Label, ...]]] = defaultdict(dict)
        for instance, sense in zip(self.instances, senses.tolist(), strict=True):
            label = Label(f"{instance.key_word}.{sense}", 1.0)
            labels[instance.key_word][instance.id] = (label,)
        scores = score_clustering(Key(dict(labels)), self.gold).all
        return {"v_measure": round(scores.v_measure, 2), "f_score": round(scores.f_score, 2)}


def make_test_set(
    name: str, instances: list[Instance], gold: Key, model: SenseModel, folder: Path, idk: float
) -> TestSet:
    """Store the passages, the target's lemma in the place of its form, and label them (round 0)."""
    tokenize = model.rules.tokenizer.tokenize
    documents, lefts = [], []
    for instance in instances:
        left = tokenize(normalize_text(instance.left))
        right = tokenize(normalize_text(instance.right))
        lefts.append(len(left))
        text = " ".join([*left, instance.target, *right])
        documents.append(RawDocument(instance.id, "", text, "tokens"))
    options = IngestOptions(
        tokenizer=model.rules.tokenizer,
        function_words=model.rules.function_words,
        keep_duplicates=True,
    )
    ingest_documents(documents, folder / "passages", options, workers=1, overwrite=True)
    corpus = Corpus.open(folder / "passages")
    starts = [
        start + np.asarray(shard.document_offsets[:-1])
        for start, shard in zip(corpus.shard_starts, corpus.shards, strict=False)
    ]
    positions = np.concatenate(starts) + np.array(lefts)
    without = [instance.target not in model.inventory for instance in instances]
    positions[without] = -1
    labelled = label_corpus(
        corpus, model, folder / "labelled-0", idk_threshold=idk, overwrite=True, workers=1
    )
    return TestSet(name, instances, gold, positions, labelled)


def read_test_sets(arguments: argparse.Namespace, model: SenseModel, output: Path) -> list[TestSet]:
    """Read the test sets that were asked for, and label them with the model."""
    found: list[TestSet] = []
    idk = arguments.idk
    if arguments.makes_sense:
        task = read_makes_sense(arguments.makes_sense)
        folder = output / "makes-sense"
        name = "Make-Sense-2016"
        found.append(make_test_set(name, list(task.instances), task.gold, model, folder, idk))
    if arguments.semeval:
        instances = read_semeval2010(arguments.semeval / "test_data")
        gold = read_key(arguments.semeval / "gold.key")
        folder = output / "semeval"
        found.append(make_test_set("SemEval-2010", list(instances), gold, model, folder, idk))
    return found


def make_trainer(dim: int, arguments: argparse.Namespace) -> SkipGram:
    return SkipGram(
        dim=dim,
        epochs=arguments.epochs,
        min_count=arguments.min_count,
        workers=arguments.workers,
    )


def run_round(
    number: int,
    labelled: Corpus,
    vectors: WordVectors,
    inventory: SenseInventory,
    settings: InductionSettings,
    arguments: argparse.Namespace,
) -> tuple[LexemeVectors, SenseInventory, Corpus]:
    """One round: lexeme vectors, senses, labels."""
    folder = arguments.output
    lexemes = train_lexemes(
        labelled,
        folder / f"lexemes-{number}",
        make_trainer(vectors.dim, arguments),
        start_from=None if arguments.from_scratch else vectors,
        keep_output=True,
        overwrite=True,
    )
    found = induce_again(labelled, lexemes, inventory, settings)
    found.save(folder / f"inventory-{number}")
    decoded = decode_round(labelled, lexemes, found, settings, folder, number, arguments.idk)
    return lexemes, found, decoded


def run_control(
    number: int,
    vectors: WordVectors,
    model: SenseModel,
    previous: Corpus,
    settings: InductionSettings,
    arguments: argparse.Namespace,
) -> tuple[WordVectors, Corpus, dict[str, Any]]:
    """The same training on words without labels, then senses and labels as in round 0."""
    folder = arguments.output / f"control-{number}"
    corpus = Corpus.open(arguments.corpus)
    start = None if arguments.from_scratch else vectors
    trained = train_vectors(
        corpus,
        folder / "vectors",
        make_trainer(vectors.dim, arguments),
        start=start,
        start_output=None if start is None else start.output,
        keep_output=True,
        overwrite=True,
    )
    built = build_model(
        arguments.corpus,
        folder / "vectors",
        folder / "model",
        list(model.words),
        settings=settings,
        workers=arguments.workers,
        overwrite=True,
    )
    labelled = label_corpus(
        corpus,
        built,
        folder / "labelled",
        idk_threshold=arguments.idk,
        workers=arguments.workers,
        overwrite=True,
    )
    tests = read_test_sets(arguments, built, folder)
    row = show_round(report_round(number, labelled, previous), tests, "control")
    return trained, labelled, row


def decode_round(
    labelled: Corpus,
    lexemes: LexemeVectors,
    inventory: SenseInventory,
    settings: InductionSettings,
    folder: Path,
    number: int,
    idk: float,
) -> Corpus:
    output = folder / f"labelled-{number}"
    return decode_again(
        labelled, lexemes, inventory, settings, output, idk_threshold=idk, overwrite=True
    )


def show_round(
    report: RoundReport, tests: Sequence[TestSet], kind: str = "round"
) -> dict[str, Any]:
    row: dict[str, Any] = {"kind": kind} | asdict(report)
    row |= {test.name: test.score() for test in tests}
    print(json.dumps(row), flush=True)
    return row


def draw_exit_chart(reports: Sequence[RoundReport]) -> str:
    """An EXIT-like chart as SVG: what labels tell before (x) and after (y) each round.

    Information is 1 less the mean entropy of the soft labels. The steps go up between the rounds'
    points and the diagonal; where they meet, further rounds tell nothing new.
    """
    known = [1.0 - report.mean_entropy for report in reports]
    low = max(0.0, min(known) - 0.05)
    high = min(1.0, max(known) + 0.05)

    def place(x: float, y: float) -> str:
        scale = (CHART_SIZE - 2 * MARGIN) / max(high - low, 1e-9)
        return f"{MARGIN + (x - low) * scale:.1f},{CHART_SIZE - MARGIN - (y - low) * scale:.1f}"

    steps = []
    for before, after in pairwise(known):
        steps += [place(before, before), place(before, after), place(after, after)]
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{CHART_SIZE}" height="{CHART_SIZE}" '
        'font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<polyline points="{place(low, low)} {place(high, high)}" stroke="#999" fill="none"/>',
        f'<polyline points="{place(low, high)} {place(low, low)} {place(high, low)}" '
        'stroke="black" fill="none"/>',
        f'<polyline points="{" ".join(steps)}" stroke="#0a6" stroke-width="2" fill="none"/>',
    ]
    for number, (before, after) in enumerate(pairwise(known), 1):
        x, y = place(before, after).split(",")
        lines.append(f'<circle cx="{x}" cy="{y}" r="4" fill="#0a6"/>')
        lines.append(f'<text x="{float(x) + 6}" y="{float(y) - 6}">{number}</text>')
    for value in (low, high):
        x, y = place(value, value).split(",")
        bottom, left = CHART_SIZE - MARGIN + 16, MARGIN - 6
        lines.append(f'<text x="{x}" y="{bottom}" text-anchor="middle">{value:.2f}</text>')
        lines.append(f'<text x="{left}" y="{y}" text-anchor="end">{value:.2f}</text>')
    middle = CHART_SIZE / 2
    lines += [
        f'<text x="{middle}" y="{CHART_SIZE - 12}" text-anchor="middle">'
        "information of the labels before the round</text>",
        f'<text x="14" y="{middle}" text-anchor="middle" transform="rotate(-90 14 {middle})">'
        "after the round</text>",
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
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
    parser.add_argument("--idk", type=float, default=0.6)
    parser.add_argument("--epochs", type=int, default=5, help="of every training of lexemes")
    parser.add_argument("--min-count", type=int, default=5)
    parser.add_argument("--from-scratch", action="store_true", help="lexemes start at random")
    parser.add_argument("--workers", type=int)
    arguments = parser.parse_args()

    model = load(arguments.model)
    settings = InductionSettings(**model.manifest["settings"])
    arguments.output.mkdir(parents=True, exist_ok=True)
    tests = read_test_sets(arguments, model, arguments.output)
    labelled = label_corpus(
        Corpus.open(arguments.corpus),
        model,
        arguments.output / "labelled-0",
        idk_threshold=arguments.idk,
        workers=arguments.workers,
        overwrite=True,
    )
    reports = [report_round(0, labelled)]
    rows = [show_round(reports[0], tests)]
    vectors, inventory = model.vectors, model.inventory
    control_vectors, control_labels = model.vectors, labelled
    for number in range(1, arguments.rounds + 1):
        lexemes, inventory, decoded = run_round(
            number, labelled, vectors, inventory, settings, arguments
        )
        tests = [
            replace(
                test,
                labelled=decode_round(
                    test.labelled,
                    lexemes,
                    inventory,
                    settings,
                    test.labelled.path.parent,
                    number,
                    arguments.idk,
                ),
            )
            for test in tests
        ]
        reports.append(report_round(number, decoded, labelled))
        rows.append(show_round(reports[-1], tests))
        if arguments.control:
            control_vectors, control_labels, row = run_control(
                number, control_vectors, model, control_labels, settings, arguments
            )
            rows.append(row)
        labelled, vectors = decoded, lexemes.vectors
        (arguments.output / "rounds.json").write_text(json.dumps(rows, indent=2) + "\n")
        (arguments.output / "exit-chart.svg").write_text(draw_exit_chart(reports))
        if (reason := reason_to_stop(reports)) is not None:
            print(f"after round {number}: {reason}")
            if not arguments.all_rounds:
                break


if __name__ == "__main__":
    main()
