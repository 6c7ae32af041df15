"""`grassmeans evaluate`: a test set, answered by a model or a method, and scored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from grassmeans.errors import InputError
from grassmeans.terminal import options
from grassmeans.terminal.options import READ, WRITTEN
from grassmeans.terminal.output import name_some, note, print_result

if TYPE_CHECKING:
    from grassmeans.evaluation.grouping import GroupingResult
    from grassmeans.evaluation.running import Task
    from grassmeans.evaluation.systems import System
    from grassmeans.senses.decoding import IdkRule
    from grassmeans.vectors.word_vectors import WordVectors


def evaluate(
    task: Annotated[
        str,
        typer.Argument(
            help="jsonl, sentences or pairs, files of your own; or a test set that an installed "
            "package adds."
        ),
    ],
    data: Annotated[Path, READ, typer.Option("--data", help="The task's folder or file.")],
    model: Annotated[
        Path | None,
        READ,
        typer.Option(
            "--model",
            help="A model; or, with --corpus, an encoder or transformer:NAME, whose contexts are "
            "grouped (for pairs, an encoder needs no corpus).",
        ),
    ] = None,
    of: Annotated[
        str | None,
        typer.Option(
            "--of",
            help="Pairs: those of the instances of this test set (makes-sense, jsonl, ...), which "
            "--data then is.",
        ),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option("--method", help="In place of a model: a method of another package."),
    ] = None,
    senses: Annotated[
        int | None, typer.Option("--senses", "-k", min=1, help="Senses a word; as in the model.")
    ] = None,
    corpus: Annotated[
        Path | None,
        READ,
        typer.Option("--corpus", help="Induce from it the senses that the model does not have."),
    ] = None,
    induce: Annotated[
        str, typer.Option(help="on-corpus: senses of a corpus; on-test: of the test instances.")
    ] = "on-corpus",
    decoding: Annotated[
        str | None,
        typer.Option(
            help="hard or soft (weighted senses); soft where gold senses are graded, else hard."
        ),
    ] = None,
    gold: Annotated[
        Path | None, READ, typer.Option("--gold", help="A gold key, where the data has none.")
    ] = None,
    key_out: Annotated[
        Path | None, WRITTEN, typer.Option("--key-out", help="Write the answers as a key file.")
    ] = None,
    vectors: Annotated[
        Path | None,
        READ,
        typer.Option("--vectors", help="Plain word vectors, for --method and for similarity."),
    ] = None,
    lexemes: Annotated[
        Path | None,
        READ,
        typer.Option("--lexemes", help="Lexeme vectors of the model, for similarity."),
    ] = None,
    idk: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            help="Sentences, similarity: 'don't know' from this distance on, above 1 never; the "
            "model's own.",
        ),
    ] = None,
    confidence: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=1.0,
            help="Sentences, similarity: 'don't know' where an answer is less likely to be right.",
        ),
    ] = None,
    sharpness: options.Sharpness = None,
    max_contexts: options.MaxContexts = 10_000,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Of a new induction; as in the model.")
    ] = None,
    device: options.Device = "cpu",
    workers: options.Workers = None,
    engine: options.Engine = None,
    overwrite: options.OverwriteFile = False,
    as_json: options.Json = False,
    as_markdown: options.Markdown = False,
) -> None:
    """Answer a test set with a model, or with the senses of a method, and score the answers.

    Instances go to their nearest sense, with no "I don't know". Where the target was not found or
    has too few known words around it, the largest sense is taken; the instances of a word without
    senses form one cluster. How often is printed. The JSON has the scores of `grassmeans score`,
    the parameters, and digests of model and data.

    Pairs need no senses, and nothing is grouped: is a word meant in the same sense in two texts, by
    how alike their contexts are? The area under the ROC curve, 50 for chance, says how good an
    encoder is. Pairs are all those of the instances of a test set (--of), or those of a file:
    JSON lines, CSV or TSV with word, text1, text2, label (and start1, end1, start2, end2 where you
    have them), or the JSON of MCL-WiC.

    [dim]grassmeans evaluate jsonl --data mine.jsonl --model model --key-out answers.key[/]

    [dim]grassmeans evaluate sentences --data my-sentences.jsonl --model model[/]

    [dim]grassmeans evaluate pairs --of jsonl --data mine.jsonl --model encoder[/]

    [dim]grassmeans evaluate jsonl --data mine.jsonl --method kmeans --corpus corpus --vectors
    vectors --senses 3[/]
    """
    from grassmeans.engines import use_engine
    from grassmeans.evaluation.grouping import ClusteringTask, GroupingResult
    from grassmeans.evaluation.instances import write_key
    from grassmeans.evaluation.loading import open_task
    from grassmeans.evaluation.pairs import PairsResult
    from grassmeans.evaluation.running import RunSettings
    from grassmeans.evaluation.running import evaluate as run
    from grassmeans.outputs.places import check_output_file
    from grassmeans.senses.decoding import MODEL_THRESHOLD

    if idk is not None and confidence is not None:
        raise InputError("give either --idk or --confidence: both say when not to answer")
    settings = RunSettings(
        induce,
        decoding,
        sharpness=sharpness,
        idk_threshold=MODEL_THRESHOLD if idk is None else _at_most_one(idk),
    )
    check_output_file(key_out, overwrite=overwrite)
    opened = open_task(task, data, gold, of)
    unlabelled = isinstance(opened, ClusteringTask) and opened.gold.n_instances == 0
    if unlabelled and key_out is None:
        raise InputError(f"{data} has no gold labels to score against: give --gold or --key-out")
    if method is not None:
        if model is not None or lexemes is not None:
            raise InputError(
                "--model and --lexemes do not go together with --method: leave them out"
            )
        if corpus is None or vectors is None:
            raise InputError("--method needs --corpus and --vectors, from which it learns")
        learn = _find_methods(opened)
        system = learn(
            opened, method, senses, corpus, vectors, max_contexts, seed or 0, device, workers
        )
    else:
        system = _open_system(
            opened, model, lexemes, vectors, corpus, senses, seed, workers, device
        )
    if confidence is not None:
        settings = replace(settings, idk_threshold=_rule_of(system, confidence))
    with use_engine(engine, workers):
        result = run(opened, system, settings)
    if isinstance(result, GroupingResult):
        if key_out is not None:
            write_key(result.key, key_out, overwrite=overwrite)
        _note_counts(result)
    if isinstance(result, PairsResult):
        _note_pairs(result.counts)
    if result.words_without_senses:
        note(f"words without senses: {name_some(list(result.words_without_senses))}")
    if unlabelled:
        note(f"no gold labels, nothing is scored; the answers are in {key_out}")
        return
    paths = {"data": str(data)} | ({} if model is None else {"model": str(model)})
    print_result(result.to_dict() | {"paths": paths}, result.to_table(), as_json, as_markdown)


def _find_methods(task: Task[Any]) -> Callable[..., System]:
    """What makes a system of the name of a method; it comes with another distribution."""
    from grassmeans.plugins import METHODS, find_plugins, load_plugin

    if task.needs_contexts:
        raise InputError(f"{task.name} needs --model: methods have no contexts to compare")
    names = list(find_plugins(METHODS))
    if not names:
        raise InputError("--method: no package with other methods is installed; give --model")
    found: Callable[..., System] = load_plugin(METHODS, names[0])
    return found


def _at_most_one(idk: float) -> float | None:
    return idk if idk <= 1 else None


def _open_system(
    task: Task[Any],
    model: Path | None,
    lexemes: Path | None,
    vectors: Path | None,
    corpus: Path | None,
    senses: int | None,
    seed: int | None,
    workers: int | None,
    device: str,
) -> System:
    """A model, or word vectors alone for tasks that need no senses."""
    from grassmeans.corpus.corpus import Corpus
    from grassmeans.evaluation.systems import ModelSystem, VectorSystem
    from grassmeans.lexemes.lexeme_vectors import LexemeVectors
    from grassmeans.models.building import open_contexts_alone, open_model_or_contexts
    from grassmeans.vectors.word_vectors import WordVectors

    plain: WordVectors | None = None if vectors is None else WordVectors.load(vectors)
    if model is None:
        if task.needs_contexts:
            raise InputError(f"{task.name} needs --model: a model, an encoder or transformer:NAME")
        if task.needs_senses:
            raise InputError(
                f"{task.name} needs --model, a folder that `grassmeans induce` wrote, or --method"
            )
        if lexemes is not None:
            raise InputError("--lexemes needs --model, which finds the senses of the words")
        if plain is None:
            raise InputError(f"{task.name} needs --model or --vectors")
        return VectorSystem(plain)
    # Sense vectors belong to the senses that the model has.
    uses_corpus = task.needs_senses or task.needs_contexts
    learnt = Corpus.open(corpus) if corpus is not None and uses_corpus else None
    open_place = open_contexts_alone if task.needs_contexts else open_model_or_contexts
    return ModelSystem(
        open_place(model, learnt, device=device),
        None if lexemes is None else LexemeVectors.load(lexemes),
        vectors=plain,
        corpus=learnt,
        n_senses=senses if task.needs_senses else None,
        random_state=seed,
        workers=workers,
    )


def _rule_of(system: System, confidence: float) -> IdkRule:
    """The rule of a model that answers where it is so sure."""
    from grassmeans.evaluation.systems import ModelSystem
    from grassmeans.senses.decoding import MODEL_THRESHOLD

    if not isinstance(system, ModelSystem):
        raise InputError("--confidence needs --model: nothing else is calibrated")
    return system.model.choose_threshold(MODEL_THRESHOLD, confidence)


def _note_pairs(counts: Mapping[str, int]) -> None:
    remarks = {
        "n_words_without_area": "words with one gold sense, or each instance its own (no area)",
        "n_words_sampled": "words of whose many instances a sample is compared",
        "n_not_located": "instances whose target was not found (alike to none)",
        "n_poor_context": "instances with too few known words around (alike to none)",
    }
    _note_remarks(counts, remarks)


def _note_counts(result: GroupingResult) -> None:
    remarks = {
        "n_words_induced": "words whose senses were induced from the corpus",
        "n_not_located": "instances whose target was not found (largest sense)",
        "n_poor_context": "instances with too few known words around (largest sense)",
        "n_without_senses": "instances of words without senses (one cluster a word)",
        "n_unanswered": "gold instances without an answer",
        "n_unlabelled": "instances without a gold label (not scored)",
    }
    _note_remarks(result.counts, remarks)


def _note_remarks(counts: Mapping[str, int], remarks: Mapping[str, str]) -> None:
    for name, remark in remarks.items():
        if counts.get(name):
            note(f"{remark}: {counts[name]:,}")
