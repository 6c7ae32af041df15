"""`grassmeans evaluate`: a test set, answered with a model and scored."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grassmeans.cli.output import JsonFlag, WorkersOption, note
from grassmeans.cli.score import MarkdownFlag, name_some, print_result
from grassmeans.errors import InputError

if TYPE_CHECKING:
    from grassmeans.evaluation.running import EvaluationResult
    from grassmeans.evaluation.similarity_running import SimilarityResult
    from grassmeans.vectors.word_vectors import WordVectors

_SIMILARITY_TASKS = ("scws", "wordsim")


def evaluate(
    task: Annotated[
        str,
        typer.Argument(
            help="semeval2010, semeval2013, makes-sense, coarsewsd20, jsonl, scws or wordsim."
        ),
    ],
    data: Annotated[Path, typer.Option("--data", help="The task's folder or file.")],
    model: Annotated[Path | None, typer.Option("--model", help="A model folder.")] = None,
    senses: Annotated[
        int | None, typer.Option("--senses", "-k", min=1, help="Senses a word; as in the model.")
    ] = None,
    corpus: Annotated[
        Path | None,
        typer.Option("--corpus", help="Induce from it the senses that the model does not have."),
    ] = None,
    induce: Annotated[
        str, typer.Option(help="on-corpus: senses of a corpus; on-test: of the test instances.")
    ] = "on-corpus",
    decode: Annotated[str, typer.Option(help="hard or soft (weighted senses).")] = "hard",
    gold: Annotated[
        Path | None, typer.Option("--gold", help="A gold key, where the data has none.")
    ] = None,
    key_out: Annotated[
        Path | None, typer.Option("--key-out", help="Write the answers as a key file.")
    ] = None,
    vectors: Annotated[
        Path | None, typer.Option("--vectors", help="scws, wordsim: plain word vectors.")
    ] = None,
    lexemes: Annotated[
        Path | None, typer.Option("--lexemes", help="scws: lexeme vectors of the model.")
    ] = None,
    idk: Annotated[
        float, typer.Option(min=0.0, help="scws: 'don't know' from here on; above 1: never.")
    ] = 0.6,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Of a new induction; as in the model.")
    ] = None,
    workers: WorkersOption = None,
    as_json: JsonFlag = False,
    as_markdown: MarkdownFlag = False,
) -> None:
    """Answer a test set with a model and score the answers.

    Instances go to their nearest sense, with no "I don't know". Where the target was not found or
    has too few known words around it, the largest sense is taken; the instances of a word without
    senses form one cluster. How often is printed. The JSON has the scores of `grassmeans score`,
    the parameters, and digests of model and data.

    [dim]grassmeans evaluate semeval2010 --data semeval-2010-task14 --model model[/]

    [dim]grassmeans evaluate scws --data ratings.txt --model model --lexemes lexemes[/]
    """
    if task in _SIMILARITY_TASKS:
        found = _evaluate_similarity(task, data, model, vectors, lexemes, idk)
        print_result(found.to_dict(), found.to_table(), as_json, as_markdown)
        return
    from grassmeans.corpus.corpus import Corpus
    from grassmeans.evaluation.key_files import write_key
    from grassmeans.evaluation.reports import scores_to_dict, tabulate_scores
    from grassmeans.evaluation.running import evaluate_clustering
    from grassmeans.evaluation.tasks.loading import check_task_name, load_task
    from grassmeans.senses.model import load

    check_task_name(task, also=_SIMILARITY_TASKS)
    if model is None:
        raise InputError(f"{task} needs --model, a folder that `grassmeans induce` wrote")
    loaded = load_task(task, data, gold)
    if loaded.gold.n_instances == 0 and key_out is None:
        raise InputError(f"{data} has no gold labels to score against: give --gold or --key-out")
    result = evaluate_clustering(
        loaded,
        load(model),
        n_senses=senses,
        corpus=None if corpus is None else Corpus.open(corpus),
        induce=induce,
        decode=decode,
        random_state=seed,
        workers=workers,
    )
    if key_out is not None:
        write_key(result.key, key_out)
    _note_counts(result)
    if result.scores is None:
        note(f"no gold labels, nothing is scored; the answers are in {key_out}")
        return
    table = tabulate_scores(scores_to_dict(result.scores))
    paths = {"model": str(model), "data": str(data)}
    print_result(result.to_dict() | {"paths": paths}, table, as_json, as_markdown)


def _evaluate_similarity(
    task: str,
    data: Path,
    model: Path | None,
    vectors: Path | None,
    lexemes: Path | None,
    idk: float,
) -> SimilarityResult:
    from grassmeans.evaluation.similarity_running import evaluate_scws, evaluate_word_pairs
    from grassmeans.lexemes.context_similarity import ContextSimilarity
    from grassmeans.lexemes.lexeme_vectors import LexemeVectors
    from grassmeans.senses.model import load

    if not data.exists():
        raise InputError(f"there is nothing at {data}: give the data of {task}")
    if model is None and vectors is None:
        raise InputError(f"{task} needs --model or --vectors")
    plain = _open_vectors(model, vectors)
    if task == "wordsim":
        return evaluate_word_pairs(plain, data)
    if lexemes is None:
        return evaluate_scws(data, plain)
    if model is None:
        raise InputError("--lexemes needs --model, which finds the senses of the words")
    similarity = ContextSimilarity(
        load(model), LexemeVectors.load(lexemes), idk_threshold=idk if idk <= 1 else None
    )
    return evaluate_scws(data, plain, similarity)


def _open_vectors(model: Path | None, vectors: Path | None) -> WordVectors:
    from grassmeans.senses.model import load
    from grassmeans.vectors.word_vectors import WordVectors

    if vectors is not None:
        return WordVectors.load(vectors)
    assert model is not None
    return load(model).vectors


def _note_counts(result: EvaluationResult) -> None:
    counts = result.counts
    remarks = {
        "n_words_induced": "words whose senses were induced from the corpus",
        "n_not_located": "instances whose target was not found (largest sense)",
        "n_poor_context": "instances with too few known words around (largest sense)",
        "n_without_senses": "instances of words without senses (one cluster a word)",
        "n_unanswered": "gold instances without an answer",
        "n_unlabelled": "instances without a gold label (not scored)",
    }
    for name, remark in remarks.items():
        if counts.get(name):
            note(f"{remark}: {counts[name]:,}")
    if result.words_without_senses:
        note(f"words without senses: {name_some(list(result.words_without_senses))}")
