"""`grassmeans evaluate`, `score`, `reliability`: how right answers are, and how surely."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from grassmeans.errors import InputError
from grassmeans.terminal import options
from grassmeans.terminal.options import READ
from grassmeans.terminal.output import name_some, note, print_result

if TYPE_CHECKING:
    from grassmeans.evaluation.instances import Key
    from grassmeans.evaluation.running import Task
    from grassmeans.evaluation.systems import System
    from grassmeans.vectors.word_vectors import WordVectors

_REMARKS = {
    "n_words_induced": "words whose senses were induced from the corpus",
    "n_not_located": "instances whose target was not found (largest sense)",
    "n_poor_context": "instances with too few known words around (largest sense)",
    "n_without_senses": "instances of words without senses (one cluster a word)",
    "n_unanswered": "gold instances without an answer",
    "n_unlabelled": "instances without a gold label (not scored)",
}
_REMARKS_ON_PAIRS = {
    "n_words_without_area": "words with one gold sense, or each instance its own (no area)",
    "n_words_sampled": "words of whose many instances a sample is compared",
    "n_not_located": "instances whose target was not found (alike to none)",
    "n_poor_context": "instances with too few known words around (alike to none)",
}


def evaluate(
    task: str,
    data: Annotated[Path, READ, typer.Option()],
    model: options.ReadPath | None = None,
    of: str | None = None,
    method: str | None = None,
    senses: Annotated[int | None, typer.Option("--senses", "-k", min=1)] = None,
    corpus: options.ReadPath | None = None,
    induce: str = "on-corpus",
    decoding: str | None = None,
    gold: options.ReadPath | None = None,
    key_out: options.NewPath | None = None,
    vectors: options.ReadPath | None = None,
    lexemes: options.ReadPath | None = None,
    idk: Annotated[float | None, typer.Option(min=0.0)] = None,
    confidence: options.Share | None = None,
    sharpness: options.Sharpness = None,
    granularity: options.Granularity = None,
    max_contexts: options.MaxContexts = 10_000,
    seed: options.Whole | None = None,
    device: options.Device = "cpu",
    *,
    work: options.Scoring,
) -> None:
    """Answer a test set with a model, or with the senses of a method, and score the answers.

    Instances go to their nearest sense, with no "I don't know". Where the target was not found or
    has too few known words around it, the largest sense is taken; the instances of a word without
    senses form one cluster. How often is printed. The JSON has the scores of `grassmeans score`,
    the parameters, and digests of model and data. Beside them stand the scores of two answers that
    look at no context: one cluster a word, and one an occurrence.

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

    Options
    -------
    task: jsonl, sentences or pairs, files of your own; or a test set that an installed package
        adds.
    data: The task's folder or file.
    model: A model; or, with --corpus, an encoder or transformer:NAME, whose contexts are
        grouped (for pairs, an encoder needs no corpus).
    of: Pairs: those of the instances of this test set (makes-sense, jsonl, ...), which --data
        then is.
    method: In place of a model: a method of another package.
    senses: Senses a word; as in the model.
    corpus: Induce from it the senses that the model does not have.
    induce: on-corpus: senses of a corpus; on-test: of the test instances.
    decoding: hard or soft (weighted senses); soft where gold senses are graded, else hard.
    gold: A gold key, where the data has none.
    key_out: Write the answers as a key file.
    vectors: Plain word vectors, for --method and for similarity.
    lexemes: Lexeme vectors of the model, for similarity.
    idk: Sentences, similarity: 'don't know' from this distance on, above 1 never; the model's own.
    confidence: Sentences, similarity: 'don't know' where an answer is less likely to be right.
    seed: Of a new induction; as in the model.
    """
    from grassmeans.engines import use_engine
    from grassmeans.evaluation.grouping import ClusteringTask, GroupingResult
    from grassmeans.evaluation.instances import write_key
    from grassmeans.evaluation.loading import open_task
    from grassmeans.evaluation.running import RunSettings
    from grassmeans.evaluation.running import evaluate as run
    from grassmeans.evaluation.systems import ModelSystem
    from grassmeans.outputs.places import check_output_file
    from grassmeans.senses.decoding import MODEL_THRESHOLD

    if idk is not None and confidence is not None:
        raise InputError("give either --idk or --confidence: both say when not to answer")
    threshold = MODEL_THRESHOLD if idk is None else idk if idk <= 1 else None
    settings = RunSettings(induce, decoding, sharpness=sharpness, idk_threshold=threshold)
    check_output_file(key_out, overwrite=work.overwrite)
    opened = open_task(task, data, gold, of)
    unlabelled = isinstance(opened, ClusteringTask) and opened.gold.n_instances == 0
    if unlabelled and key_out is None:
        raise InputError(f"{data} has no gold labels to score against: give --gold or --key-out")
    if method is not None:
        if model is not None or lexemes is not None:
            raise InputError(
                "--model and --lexemes do not go together with --method: leave them out"
            )
        if granularity is not None:
            raise InputError("--granularity needs --model: it is a view of a model's senses")
        if corpus is None or vectors is None:
            raise InputError("--method needs --corpus and --vectors, from which it learns")
        learn = _find_methods(opened)
        system = learn(
            opened, method, senses, corpus, vectors, max_contexts, seed or 0, device, work.workers
        )
    else:
        system = _open_system(
            opened,
            model,
            lexemes,
            vectors,
            corpus,
            senses,
            seed,
            work.workers,
            device,
            granularity,
        )
    if confidence is not None:
        if not isinstance(system, ModelSystem):
            raise InputError("--confidence needs --model: nothing else is calibrated")
        rule = system.model.choose_threshold(MODEL_THRESHOLD, confidence)
        settings = replace(settings, idk_threshold=rule)
    with use_engine(work.engine, work.workers):
        result = run(opened, system, settings)
    if isinstance(result, GroupingResult) and key_out is not None:
        write_key(result.key, key_out, overwrite=work.overwrite)
    _note_counts(result)
    if unlabelled:
        note(f"no gold labels, nothing is scored; the answers are in {key_out}")
        return
    paths = {"data": str(data)} | ({} if model is None else {"model": str(model)})
    told = result.to_dict() | {"paths": paths}
    print_result(told, result.to_table(), work.as_json, work.as_markdown)


def _note_counts(result: Any) -> None:
    """What was not answered as it should be, by the counts of a result that has some."""
    from grassmeans.evaluation.pairs import PairsResult

    remarks = _REMARKS_ON_PAIRS if isinstance(result, PairsResult) else _REMARKS
    counts = getattr(result, "counts", {})
    for name, remark in remarks.items():
        if counts.get(name):
            note(f"{remark}: {counts[name]:,}")
    if result.words_without_senses:
        note(f"words without senses: {name_some(list(result.words_without_senses))}")


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
    granularity: str | None,
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
    opened = open_place(model, learnt, device=device)
    if granularity is not None:
        if learnt is not None:
            raise InputError("--granularity is a view of a finished model: leave --corpus out")
        opened = opened.at_granularity(granularity)
    return ModelSystem(
        opened,
        None if lexemes is None else LexemeVectors.load(lexemes),
        vectors=plain,
        corpus=learnt,
        n_senses=senses if task.needs_senses else None,
        random_state=seed,
        workers=workers,
    )


def score(
    key: options.ReadPath,
    gold: options.ReadPath,
    task: str = "semeval2010",
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

    Options
    -------
    key: The answers: a key file, or JSON lines.
    gold: The gold key, JSON lines with labels, or the task's folder.
    task: The test set that the gold is of: its folder and its scores. Key files alone are
        scored as those of SemEval-2010.
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
    if scores.n_unanswered:
        n_gold = gold_key.n_instances
        note(f"gold instances without an answer: {scores.n_unanswered:,} of {n_gold:,}")
    if missing := [word for word in gold_key.labels if word not in answers.labels]:
        note(f"words without any answer: {name_some(missing)}")
    if scores.n_unknown:
        note(f"answers to instances without a gold label (not scored): {scores.n_unknown:,}")
    counts = {"n_unanswered": scores.n_unanswered, "n_unknown": scores.n_unknown}
    record = scores.to_dict() | {"task": task, "counts": counts}
    print_result(record, scores.to_table(), as_json, as_markdown)


def _example(key: Key) -> str:
    word, instances = next(iter(key.labels.items()))
    return f"'{word} {next(iter(instances))}'"


def reliability(
    model: options.Model,
    corpus: Annotated[Path | None, READ, typer.Argument()] = None,
    task: Annotated[list[str] | None, READ] = None,
    confidence: options.Share = 0.7,
    picture: options.NewPath | None = None,
    device: options.Device = "cpu",
    *,
    work: options.Scoring,
) -> None:
    """Compare the confidence of answers with how many of them are right.

    On pseudo-words that the model was not calibrated with, and on labelled test sets: the share
    that is answered, how much of it is right, and the calibration error, the mean gap between
    confidence and right answers. The JSON has the bins of confidence.

    [dim]grassmeans reliability model corpus --task jsonl=mine.jsonl[/]

    Options
    -------
    corpus: Its corpus: pseudo-words of words held apart.
    task: NAME=PATH, a labelled test set of `evaluate`; may be repeated.
    confidence: From which confidence on to answer.
    picture: Draw it into this SVG file.
    """
    from grassmeans.corpus.corpus import Corpus
    from grassmeans.engines import use_engine
    from grassmeans.evaluation.loading import open_named_task
    from grassmeans.evaluation.reliability import report_reliability
    from grassmeans.models.model import load
    from grassmeans.outputs.places import check_output_file, output_file
    from grassmeans.pictures.reliability import draw_reliability

    if corpus is None and not task:
        raise InputError("there is nothing to answer: give a corpus, or a test set by --task")
    check_output_file(picture, overwrite=work.overwrite)
    tasks = [open_named_task(text) for text in task or ()]
    with use_engine(work.engine, work.workers):
        report = report_reliability(
            load(model, device=device),
            None if corpus is None else Corpus.open(corpus),
            tasks,
            at_least=confidence,
            workers=work.workers,
        )
    if picture is not None:
        with output_file(picture, overwrite=work.overwrite) as place:
            place.write_text(draw_reliability(report), encoding="utf-8")
    print_result(report.to_dict(), report.to_table(), work.as_json, work.as_markdown)
