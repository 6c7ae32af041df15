"""`grassmeans evaluate`: a test set, answered with a model and scored."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grassmeans.cli import options
from grassmeans.cli.evaluate_method import MethodOptions, evaluate_method
from grassmeans.cli.output import name_some, note, print_result
from grassmeans.errors import InputError

if TYPE_CHECKING:
    from grassmeans.evaluation.running import EvaluationResult
    from grassmeans.evaluation.similarity_running import SimilarityResult
    from grassmeans.laboratory.lineup.running import LineupResult
    from grassmeans.lexemes.lexeme_vectors import LexemeVectors
    from grassmeans.senses.model import SenseModel
    from grassmeans.vectors.word_vectors import WordVectors

_VECTOR_TASKS = ("scws", "wordsim", "lineup")


def evaluate(
    task: Annotated[
        str,
        typer.Argument(
            help="semeval2010, semeval2013, makes-sense, coarsewsd20, jsonl, scws, wordsim or "
            "lineup."
        ),
    ],
    data: Annotated[Path, typer.Option("--data", help="The task's folder or file.")],
    model: Annotated[Path | None, typer.Option("--model", help="A model folder.")] = None,
    method: Annotated[
        str | None,
        typer.Option("--method", help="In place of a model: a method, as `compare` names them."),
    ] = None,
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
        Path | None,
        typer.Option("--key-out", help="Write the answers as a key file, anew each time."),
    ] = None,
    vectors: Annotated[
        Path | None,
        typer.Option("--vectors", help="scws, wordsim, lineup, --method: plain word vectors."),
    ] = None,
    lexemes: Annotated[
        Path | None, typer.Option("--lexemes", help="scws, lineup: lexeme vectors of the model.")
    ] = None,
    idk: Annotated[
        float, typer.Option(min=0.0, help="scws: 'don't know' from here on; above 1: never.")
    ] = 0.6,
    max_contexts: options.MaxContexts = 10_000,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Of a new induction; as in the model.")
    ] = None,
    workers: options.Workers = None,
    as_json: options.Json = False,
    as_markdown: options.Markdown = False,
) -> None:
    """Answer a test set with a model, or with the senses of a method, and score the answers.

    Instances go to their nearest sense, with no "I don't know". Where the target was not found or
    has too few known words around it, the largest sense is taken; the instances of a word without
    senses form one cluster. How often is printed. The JSON has the scores of `grassmeans score`,
    the parameters, and digests of model and data.

    [dim]grassmeans evaluate semeval2010 --data semeval-2010-task14 --model model[/]

    [dim]grassmeans evaluate scws --data ratings.txt --model model --lexemes lexemes[/]

    [dim]grassmeans evaluate jsonl --data mine.jsonl --method kmeans --corpus corpus --vectors
    vectors --senses 3[/]
    """
    if method is not None:
        _refuse_with_method(model, lexemes, key_out, gold, decode)
        chosen = MethodOptions(
            method, corpus, vectors, senses, induce, max_contexts, seed or 0, workers
        )
        print_result(*evaluate_method(task, data, chosen), as_json, as_markdown)
        return
    if task in _VECTOR_TASKS:
        found = _evaluate_vectors(task, data, model, vectors, lexemes, idk)
        print_result(found.to_dict(), found.to_table(), as_json, as_markdown)
        return
    from grassmeans.corpus.corpus import Corpus
    from grassmeans.evaluation.key_files import write_key
    from grassmeans.evaluation.running import evaluate_clustering
    from grassmeans.evaluation.tasks.loading import check_task_name, load_task
    from grassmeans.outputs import check_output_file
    from grassmeans.senses.model import load

    check_task_name(task, also=_VECTOR_TASKS)
    if model is None:
        raise InputError(f"{task} needs --model, a folder that `grassmeans induce` wrote")
    if key_out is not None:
        read = [model, corpus, gold, data if data.is_file() else None]
        check_output_file(key_out, inputs=read, overwrite=True)
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
    paths = {"model": str(model), "data": str(data)}
    print_result(result.to_dict() | {"paths": paths}, result.to_table(), as_json, as_markdown)


def _refuse_with_method(
    model: Path | None,
    lexemes: Path | None,
    key_out: Path | None,
    gold: Path | None,
    decode: str,
) -> None:
    """Options that a method cannot follow are refused, not left unsaid."""
    given = {
        "--model": model,
        "--lexemes": lexemes,
        "--key-out": key_out,
        "--gold": gold,
        "--decode soft": None if decode == "hard" else decode,
    }
    if wrong := [name for name, value in given.items() if value is not None]:
        raise InputError(f"{wrong[0]} does not go together with --method: leave one of them out")


def _evaluate_vectors(
    task: str,
    data: Path,
    model: Path | None,
    vectors: Path | None,
    lexemes: Path | None,
    idk: float,
) -> SimilarityResult | LineupResult:
    from grassmeans.evaluation.similarity_running import evaluate_scws, evaluate_word_pairs
    from grassmeans.lexemes.context_similarity import ContextSimilarity
    from grassmeans.senses.model import load

    if not data.exists():
        raise InputError(f"there is nothing at {data}: give the data of {task}")
    if model is None and vectors is None:
        raise InputError(f"{task} needs --model or --vectors")
    plain = _open_vectors(model, vectors)
    if task == "wordsim":
        return evaluate_word_pairs(plain, data)
    if lexemes is not None and model is None:
        raise InputError("--lexemes needs --model, which finds the senses of the words")
    if task == "lineup":
        return _evaluate_lineup(data, plain, model, lexemes)
    if model is None:
        return evaluate_scws(data, plain)
    opened = load(model)
    found = _open_lexemes(opened, lexemes)
    if found is None:
        return evaluate_scws(data, plain)
    threshold = idk if idk <= 1 else None
    return evaluate_scws(data, plain, ContextSimilarity(opened, found, idk_threshold=threshold))


def _evaluate_lineup(
    data: Path, plain: WordVectors, model: Path | None, lexemes: Path | None
) -> LineupResult:
    """By the senses of a model, or by word vectors where there is none."""
    from grassmeans.laboratory.lineup.running import evaluate_lineup
    from grassmeans.laboratory.rivals.grassmeans import ModelSenses
    from grassmeans.senses.model import load

    if model is None:
        return evaluate_lineup(data, None, plain)
    opened = load(model)
    return evaluate_lineup(data, ModelSenses(opened, _open_lexemes(opened, lexemes)), plain)


def _open_lexemes(model: SenseModel, lexemes: Path | None) -> LexemeVectors | None:
    """Those that are given, or those inside the model, where it has some."""
    from grassmeans.lexemes.lexeme_vectors import LexemeVectors, open_lexemes

    return open_lexemes(model) if lexemes is None else LexemeVectors.load(lexemes)


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
