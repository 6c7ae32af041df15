"""What experiments work on, and what an experiment is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from grassmeans.contexts import ContextExtractor
from grassmeans.corpus.corpus import Corpus
from grassmeans.laboratory.experiments.findings import Findings, SkipExperimentError
from grassmeans.vectors.word_vectors import WordVectors


@dataclass(frozen=True, slots=True)
class TestSets:
    """Where test sets are; an experiment whose test set is None is skipped."""

    __test__: ClassVar[bool] = False  # not a test, though pytest would think so

    makes_sense: Path | None = None
    semeval2010: Path | None = None
    scws: Path | None = None
    lineup: Path | None = None
    wordnet: Path | None = None


@dataclass(frozen=True, slots=True)
class ExperimentSetup:
    """What an experiment may use.

    Parameters
    ----------
    folder : Path
        The experiment's own folder, for results on the way; what is there is found again.
    model : Path, optional
        A finished model, for experiments that need senses of many words.
    lexemes : Path, optional
        Lexeme vectors of that model.
    workers : int or None
        None takes all cores.
    """

    corpus: Corpus
    vectors: WordVectors
    folder: Path
    test_sets: TestSets = field(default_factory=TestSets)
    model: Path | None = None
    lexemes: Path | None = None
    random_state: int = 0
    workers: int | None = None

    def require_words(self, *words: str) -> None:
        """Skip the experiment unless these words are in the corpus and have vectors."""
        missing = [
            word
            for word in words
            if self.corpus.vocabulary.id_of(word) < 0 or word not in self.vectors
        ]
        if missing:
            raise SkipExperimentError(f"not in this corpus: {', '.join(missing)}")

    def extractor(self, window: int = 10) -> ContextExtractor:
        """Contexts of the corpus in rows of the vectors."""
        return ContextExtractor(self.corpus, self.vectors, window=window)


class Experiment(ABC):
    """One item of the paper. Subclasses are frozen dataclasses whose fields are the parameters."""

    name: ClassVar[str]
    title: ClassVar[str]
    paper: ClassVar[str]
    """Which figure, table or section of the paper."""

    @abstractmethod
    def run(self, setup: ExperimentSetup) -> Findings:
        """Do it.

        Raises
        ------
        SkipExperimentError
            Where words, contexts or test sets are missing.
        """

    @classmethod
    @abstractmethod
    def quick(cls) -> Experiment:
        """The experiment at a size that takes seconds."""

    def parameters(self) -> dict[str, Any]:
        """The fields as plain values."""
        return asdict(self)  # type: ignore[call-overload,no-any-return]
