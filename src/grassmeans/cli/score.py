"""`grassmeans score`: the scores of a key against a gold key."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grassmeans.errors import InputError
from grassmeans.terminal import options
from grassmeans.terminal.options import READ
from grassmeans.terminal.output import name_some, note, print_result

if TYPE_CHECKING:
    from grassmeans.evaluation.instances import Key


def score(
    key: Annotated[Path, READ, typer.Argument(help="The answers: a key file, or JSON lines.")],
    gold: Annotated[
        Path,
        READ,
        typer.Argument(help="The gold key, JSON lines with labels, or the task's folder."),
    ],
    task: Annotated[
        str,
        typer.Option(
            help="The test set that the gold is of: its folder and its scores. Key files alone "
            "are scored as those of SemEval-2010."
        ),
    ] = "semeval2010",
    as_json: options.Json = False,
    as_markdown: options.Markdown = False,
) -> None:
    """Score answers against gold senses, as the official scorers do.

    V-measure, paired F-score, number of clusters, B-cubed, adjusted Rand index and accuracy under
    the best mapping, in percent; a test set with graded senses has scores of its own. Gold
    instances without an answer form one more cluster of their word; answers to instances that the
    gold key does not have do not count. Both are counted.

    [dim]grassmeans score answers.key gold.key[/]

    [dim]grassmeans score answers.key mine.jsonl --task jsonl[/]
    """
    from grassmeans.evaluation.loading import load_gold, read_labels

    gold_key, scoring = load_gold(task, gold)
    answers = read_labels(key)
    scores = scoring.compare(answers, gold_key)
    if gold_key.n_instances == scores.n_unanswered:
        raise InputError(
            f"none of the {answers.n_instances:,} answers of {key} is to an instance of {gold} "
            f"({_example(answers)} against {_example(gold_key)}): do they belong together?"
        )
    _note_differences(answers, gold_key, scores.n_unanswered, scores.n_unknown)
    counts = {"n_unanswered": scores.n_unanswered, "n_unknown": scores.n_unknown}
    record = scores.to_dict() | {"task": task, "counts": counts}
    print_result(record, scores.to_table(), as_json, as_markdown)


def _note_differences(answers: Key, gold: Key, n_unanswered: int, n_unknown: int) -> None:
    if n_unanswered:
        note(f"gold instances without an answer: {n_unanswered:,} of {gold.n_instances:,}")
    if missing := [word for word in gold.labels if word not in answers.labels]:
        note(f"words without any answer: {name_some(missing)}")
    if n_unknown:
        note(f"answers to instances without a gold label (not scored): {n_unknown:,}")


def _example(key: Key) -> str:
    word, instances = next(iter(key.labels.items()))
    return f"'{word} {next(iter(instances))}'"
