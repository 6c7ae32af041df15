"""Run a test set with a model: answer its instances, score the answers, and keep the record."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grassmeans.corpus.corpus import Corpus
from grassmeans.errors import InputError
from grassmeans.evaluation.answering import Answers, answer_by_induction, answer_with_senses
from grassmeans.evaluation.clustering_scores import ClusteringScores, score_clustering
from grassmeans.evaluation.graded_scores import GradedScores, score_graded
from grassmeans.evaluation.instance_contexts import ContextReader
from grassmeans.evaluation.key_files import Key
from grassmeans.evaluation.reports import ResultTable, scores_to_dict, tabulate_scores
from grassmeans.evaluation.task_senses import digest_of_model, find_task_senses, settings_of
from grassmeans.evaluation.tasks.loading import ClusteringTask
from grassmeans.laboratory.rivals.grassmeans import DirectionSenses, GrassmeansSenses
from grassmeans.senses.decoding import DEFAULT_SHARPNESS
from grassmeans.senses.model import SenseModel
from grassmeans.senses.settings import InductionSettings

INDUCE = ("on-corpus", "on-test")
DECODE = ("hard", "soft")

Scores = ClusteringScores | GradedScores


@dataclass(frozen=True, slots=True)
class EvaluationResult:
    """A test set, answered and scored.

    Attributes
    ----------
    scores : ClusteringScores, GradedScores or None
        None where the test set has no gold labels.
    key : Key
        The answers.
    parameters : mapping
        With which the run was made, as plain values.
    digests : mapping
        Of the model, the test set, and the corpus where one was used.
    counts : mapping
        Instances, and how often a rule decided; see `grassmeans.evaluation.answering`.
    words_without_senses : tuple of str
    seconds : float
    """

    task: str
    scores: Scores | None
    key: Key
    parameters: Mapping[str, Any]
    digests: Mapping[str, str]
    counts: Mapping[str, int]
    words_without_senses: tuple[str, ...]
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """The scores of each group, and the record of the run, as plain values."""
        scores = {} if self.scores is None else scores_to_dict(self.scores)
        return scores | {
            "task": self.task,
            "parameters": dict(self.parameters),
            "digests": dict(self.digests),
            "counts": dict(self.counts),
            "words_without_senses": list(self.words_without_senses),
            "seconds": round(self.seconds, 2),
        }

    def to_table(self) -> ResultTable:
        """A table of the scores of each group; without rows where there are none."""
        if self.scores is None:
            return ResultTable(("",), ())
        return tabulate_scores(scores_to_dict(self.scores))


def evaluate_clustering(
    task: ClusteringTask,
    model: SenseModel,
    *,
    n_senses: int | None = None,
    corpus: Corpus | None = None,
    induce: str = "on-corpus",
    decode: str = "hard",
    sharpness: float = DEFAULT_SHARPNESS,
    random_state: int | None = None,
    workers: int | None = 1,
) -> EvaluationResult:
    """Group the instances of a test set by sense, and score the groups.

    Parameters
    ----------
    n_senses : int, optional
        K; the model's own by default.
    corpus : Corpus, optional
        Where to induce senses of words that the model does not have, or has not with ``n_senses``.
        Without it, the instances of such a word form one cluster.
    induce : {"on-corpus", "on-test"}
        Whether instances are decoded with senses of a corpus (as in the paper), or each word's
        senses are induced from its own test instances, with the model's vectors and rules.
    decode : {"hard", "soft"}
        One sense an instance, or weighted ones; the scores of tasks that are not graded take the
        heaviest.
    random_state : int, optional
        Of a new induction; that of the model by default.

    Raises
    ------
    InputError
        Where an option is unknown, or no word of the task has senses.
    """
    check_choice("induce", induce, INDUCE)
    check_choice("decode", decode, DECODE)
    started = time.perf_counter()
    settings = settings_of(model, n_senses, random_state)
    soft = sharpness if decode == "soft" else None
    reader = ContextReader.for_model(model)
    n_induced = 0
    if induce == "on-test":
        answers = answer_by_induction(
            _inducer_of(settings),
            task.instances,
            reader,
            random_state=settings.random_state,
            sharpness=soft,
        )
    else:
        found = find_task_senses(
            task, model, settings, n_senses=n_senses, corpus=corpus, workers=workers
        )
        n_induced = found.n_induced
        senses = DirectionSenses(found.inventory, model.vectors, settings)
        answers = answer_with_senses(senses, task.instances, reader, sharpness=soft)
    digests = {"model": digest_of_model(model), "data": task.digest}
    if corpus is not None:
        digests["corpus"] = corpus.manifest["digest"]
    return make_result(
        task,
        answers,
        parameters=describe_decoding(induce, decode, sharpness) | settings.to_dict(),
        digests=digests,
        started=started,
        n_induced=n_induced,
    )


def make_result(
    task: ClusteringTask,
    answers: Answers,
    *,
    parameters: Mapping[str, Any],
    digests: Mapping[str, str],
    started: float,
    n_induced: int = 0,
) -> EvaluationResult:
    """Score answers and put them with the record of the run.

    Parameters
    ----------
    parameters : mapping
        Among them ``induce``; see `describe_decoding`.
    started : float
        On the clock of `time.perf_counter`.
    n_induced : int
        Words that were induced for this task.

    Raises
    ------
    InputError
        Where no word of the task has senses, or the gold key belongs to another test set.
    """
    _check_any_senses(task, answers, parameters["induce"])
    scores = _score(task, answers.key)
    return EvaluationResult(
        task=task.name,
        scores=scores,
        key=answers.key,
        parameters=parameters,
        digests=digests,
        counts=_count(task, answers, scores, n_induced),
        words_without_senses=answers.words_without_senses,
        seconds=time.perf_counter() - started,
    )


def describe_decoding(induce: str, decode: str, sharpness: float) -> dict[str, Any]:
    """How a run found senses, and gave them to instances, as plain values."""
    parameters: dict[str, Any] = {"induce": induce, "decode": decode}
    if decode == "soft":
        parameters["sharpness"] = sharpness
    return parameters


def _inducer_of(settings: InductionSettings) -> GrassmeansSenses:
    return GrassmeansSenses(
        n_senses=settings.n_senses,
        rank=settings.rank,
        weighting=settings.weighting,
        n_init=settings.n_init,
        window=settings.window,
        drop_repeats=settings.drop_repeats,
        max_senses=settings.max_senses,
        granularity=settings.granularity,
    )


def _score(task: ClusteringTask, key: Key) -> Scores | None:
    if task.gold.n_instances == 0:
        return None
    scores: Scores = (score_graded if task.graded else score_clustering)(key, task.gold)
    if scores.n_unanswered == task.gold.n_instances:
        raise InputError(
            f"the gold key has none of the {len(task.instances):,} instances of {task.name}: "
            "do they belong together?"
        )
    return scores


def _count(
    task: ClusteringTask, answers: Answers, scores: Scores | None, n_induced: int
) -> dict[str, int]:
    counts = {
        "n_instances": len(task.instances),
        "n_words": len(answers.key.labels),
        "n_words_induced": n_induced,
        "n_words_without_senses": len(answers.words_without_senses),
        "n_without_senses": answers.n_without_senses,
        "n_not_located": answers.n_not_located,
        "n_poor_context": answers.n_poor_context,
    }
    if scores is not None:
        counts |= {"n_unanswered": scores.n_unanswered, "n_unlabelled": scores.n_unknown}
    return counts


def check_choice(name: str, value: str, choices: tuple[str, ...]) -> None:
    """Raise `InputError` for an option that is none of its choices."""
    if value not in choices:
        raise InputError(f"{name} must be one of {', '.join(choices)}, got {value!r}")


def _check_any_senses(task: ClusteringTask, answers: Answers, induce: str) -> None:
    if not task.instances:
        raise InputError(f"{task.name} has no instances")
    if answers.n_without_senses < len(task.instances):
        return
    what_to_do = (
        "ask for fewer senses, or decode with senses of a corpus"
        if induce == "on-test"
        else "give a corpus to induce them from, or another model or number of senses"
    )
    example = ", ".join(answers.words_without_senses[:3])
    raise InputError(f"no word of {task.name} has senses ({example}): {what_to_do}")
