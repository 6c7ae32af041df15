"""Test sets answered with the senses of any method: the same rules for all of them."""

from __future__ import annotations

import time
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grassmeans.evaluation.answering import answer_by_induction, answer_with_senses
from grassmeans.evaluation.instance_contexts import ContextReader
from grassmeans.evaluation.running import (
    DECODE,
    EvaluationResult,
    check_choice,
    describe_decoding,
    make_result,
)
from grassmeans.evaluation.similarity_running import SimilarityResult, evaluate_scws, read_pairs
from grassmeans.evaluation.tasks.loading import ClusteringTask
from grassmeans.labelling.keys import encode_key
from grassmeans.laboratory.rivals.grassmeans import DirectionSenses
from grassmeans.laboratory.rivals.interface import ContextInducer, InducedSenses
from grassmeans.lexemes.context_similarity import ContextSimilarity
from grassmeans.lexemes.lexeme_vectors import LexemeVectors
from grassmeans.senses.decoding import DEFAULT_SHARPNESS
from grassmeans.vectors.word_vectors import WordVectors


@dataclass(frozen=True, slots=True)
class RunRecord:
    """What the record of a run says of the method: its parameters, and digests of what it used."""

    parameters: Mapping[str, Any]
    digests: Mapping[str, str]


_NOTHING = RunRecord({}, {})


def evaluate_senses(
    task: ClusteringTask,
    senses: InducedSenses,
    reader: ContextReader,
    *,
    decode: str = "hard",
    sharpness: float = DEFAULT_SHARPNESS,
    record: RunRecord = _NOTHING,
) -> EvaluationResult:
    """Group the instances of a test set by the senses of a method, and score the groups.

    Parameters
    ----------
    reader : ContextReader
        Cuts the texts as the corpus was cut that the method learnt from.
    decode : {"hard", "soft"}
        One sense an instance, or weighted ones.
    """
    check_choice("decode", decode, DECODE)
    started = time.perf_counter()
    soft = sharpness if decode == "soft" else None
    answers = answer_with_senses(senses, task.instances, reader, sharpness=soft)
    return make_result(
        task,
        answers,
        parameters=describe_decoding("on-corpus", decode, sharpness) | dict(record.parameters),
        digests={"data": task.digest} | dict(record.digests),
        started=started,
    )


def evaluate_on_test(
    task: ClusteringTask,
    inducer: ContextInducer,
    reader: ContextReader,
    *,
    random_state: int = 0,
    decode: str = "hard",
    sharpness: float = DEFAULT_SHARPNESS,
    record: RunRecord = _NOTHING,
) -> EvaluationResult:
    """Group the instances of each word among themselves by a method, and score the groups."""
    check_choice("decode", decode, DECODE)
    started = time.perf_counter()
    soft = sharpness if decode == "soft" else None
    answers = answer_by_induction(
        inducer, task.instances, reader, random_state=random_state, sharpness=soft
    )
    return make_result(
        task,
        answers,
        parameters=describe_decoding("on-test", decode, sharpness) | dict(record.parameters),
        digests={"data": task.digest} | dict(record.digests),
        started=started,
    )


def evaluate_scws_senses(
    data: str | Path,
    senses: InducedSenses,
    reader: ContextReader,
    *,
    sharpness: float = DEFAULT_SHARPNESS,
    record: RunRecord = _NOTHING,
) -> SimilarityResult:
    """Correlate HardSim and SoftSim by the sense vectors of a method with the ratings of SCWS.

    An occurrence stands for the vector of its nearest sense, or the mean of all by their
    probabilities; one with too few known words for the vector of the whole word. So do words
    without senses; a word that has no vector either is missing. A method without sense vectors has
    the system ``"plain"`` only. Models with lexeme vectors are scored as by `ContextSimilarity`.
    """
    plain = reader.vectors if senses.space is None else senses.space
    targets = [side.target for pair in read_pairs(data) for side in (pair.first, pair.second)]
    lexemes = collect_lexemes(senses, targets)
    similarity = None
    if lexemes is not None:
        similarity = ContextSimilarity(_ReadSenses(senses, reader), lexemes, sharpness=sharpness)
    found = evaluate_scws(data, plain, similarity)
    return replace(
        found,
        parameters={**found.parameters, **record.parameters},
        digests={**record.digests, **found.digests},
    )


def collect_lexemes(senses: InducedSenses, targets: Iterable[str]) -> LexemeVectors | None:
    """Sense vectors of words under lexeme keys, and whole words under their own.

    Parameters
    ----------
    targets : iterable of str
        Words, which may be known in lower case only.

    Returns
    -------
    LexemeVectors or None
        None where no word has a sense vector. A model's own lexemes, where it has them.
    """
    if isinstance(senses, DirectionSenses) and senses.lexemes is not None:
        return senses.lexemes
    forms = dict.fromkeys(form for target in targets for form in (target, target.lower()))
    found: dict[str, NDArray[np.float32]] = {}
    for word in (form for form in forms if form in senses):
        vectors = senses.sense_vectors(word)
        # A sense that got no vector in training is NaN.
        for number, vector in enumerate(vectors if vectors is not None else (), start=1):
            if np.isfinite(vector).all():
                found[encode_key(word, number)] = vector
    if not found or senses.space is None:
        return None
    found |= {encode_key(form): senses.space[form] for form in forms if form in senses.space}
    return LexemeVectors(WordVectors(list(found), np.stack(list(found.values()))))


@dataclass(frozen=True, slots=True)
class _ReadSenses:
    """Senses that are asked with texts instead of context ids."""

    senses: InducedSenses
    reader: ContextReader

    @property
    def inventory(self) -> Container[str]:
        return self.senses

    def distances(self, word: str, passages: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        contexts = self.reader.read_passages(word, passages, self.senses.rule)
        return self.senses.distances(word, contexts)
