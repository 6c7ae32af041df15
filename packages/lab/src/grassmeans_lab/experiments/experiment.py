"""What an experiment is: what it works on, and what it finds, all as plain values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from grassmeans.contexts.subspaces import SubspaceEncoder
from grassmeans.corpus.corpus import Corpus
from grassmeans.geometry.windows import ContextShape
from grassmeans.vectors.word_vectors import WordVectors
from grassmeans_lab.extracting import ContextExtractor

Cell = str | float | int | None
Parameters = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ComparedValue:
    """One number of the paper, and ours; ``paper`` is empty where the paper has none."""

    what: str
    paper: str
    ours: str


@dataclass(frozen=True, slots=True)
class DataTable:
    """Columns and rows; stored as CSV, and shown in the report where it is short."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    shown: bool = False


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture.

    Attributes
    ----------
    name : str
        Of its files: letters, digits, ``-``.
    svg, png : str
        The picture, and its pixels in base 64; empty where there is only an interactive one.
    html : str
        An interactive picture for the report; see `grassmeans.pictures.page`.
    """

    name: str
    caption: str
    svg: str = ""
    png: str = ""
    html: str = ""


@dataclass(frozen=True, slots=True)
class Findings:
    """Everything that an experiment found."""

    values: tuple[ComparedValue, ...] = ()
    figures: tuple[Figure, ...] = ()
    tables: tuple[DataTable, ...] = ()
    # Paragraphs for the reader: what is seen, and why it differs from the paper.
    text: tuple[str, ...] = ()
    parameters: dict[str, Any] = field(default_factory=dict)  # with which it ran

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


class SkipExperimentError(Exception):
    """An experiment cannot run here; the message says why, and ends up in the report."""


def findings_from_dict(values: dict[str, Any]) -> Findings:
    """The opposite of `Findings.to_dict`."""
    return Findings(
        values=tuple(ComparedValue(**value) for value in values["values"]),
        figures=tuple(Figure(**figure) for figure in values["figures"]),
        tables=tuple(_read_table(table) for table in values["tables"]),
        text=tuple(values["text"]),
        parameters=values["parameters"],
    )


def summarise(numbers: ArrayLike, digits: int = 3) -> str:
    """Mean and standard deviation of numbers, as the paper gives them."""
    values = np.asarray(numbers, np.float64)
    return f"{values.mean():.{digits}f} ± {values.std():.{digits}f}"


def _read_table(values: dict[str, Any]) -> DataTable:
    rows = tuple(tuple(row) for row in values["rows"])
    return DataTable(**values | {"columns": tuple(values["columns"]), "rows": rows})


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
    """What an experiment may use."""

    corpus: Corpus
    vectors: WordVectors
    # The experiment's own folder, for results on the way; what is there is found again.
    folder: Path
    test_sets: TestSets = field(default_factory=TestSets)
    model: Path | None = None  # a finished model, for experiments that need senses of many words
    lexemes: Path | None = None  # lexeme vectors of that model
    random_state: int = 0
    device: str = "cpu"  # where contexts are encoded and grouped
    workers: int | None = None  # none takes all cores

    def require_words(self, *words: str) -> None:
        """Skip the experiment unless these words are in the corpus and have vectors."""
        missing = [
            word
            for word in words
            if self.corpus.vocabulary.id_of(word) < 0 or word not in self.vectors
        ]
        if missing:
            raise SkipExperimentError(f"not in this corpus: {', '.join(missing)}")

    def extractor(self, window: int = 10, *, drop_repeats: bool = False) -> ContextExtractor:
        """Contexts of the corpus in rows of the vectors."""
        return ContextExtractor(self.corpus, self.vectors, window=window, drop_repeats=drop_repeats)

    def encoder(self, shape: ContextShape, vectors: WordVectors | None = None) -> SubspaceEncoder:
        """Contexts of the corpus as subspaces, of its vectors or of others."""
        used = self.vectors if vectors is None else vectors
        encoder = SubspaceEncoder(used, shape, self.corpus.function_words)
        encoder.use_device(self.device)
        return encoder


class Experiment(ABC):
    """One item of the paper. Subclasses are frozen dataclasses whose fields are the parameters."""

    name: ClassVar[str]
    title: ClassVar[str]
    paper: ClassVar[str]
    """Which figure, table or section of the paper."""
    small: ClassVar[Parameters] = MappingProxyType({})
    """Parameters that make it quick."""

    @abstractmethod
    def run(self, setup: ExperimentSetup) -> Findings:
        """Do it.

        `SkipExperimentError` where words, contexts or test sets are missing.
        """

    @classmethod
    def quick(cls) -> Self:
        """The experiment at a size that takes seconds."""
        return cls(**cls.small)

    def parameters(self) -> dict[str, Any]:
        """The fields as plain values."""
        return asdict(self)  # type: ignore[call-overload,no-any-return]
