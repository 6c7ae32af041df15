"""What is compared: methods that learn from the shared corpus, and models that are finished."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path

from grassmeans.errors import InputError
from grassmeans.evaluation.inducer_answers import RunRecord
from grassmeans.evaluation.instance_contexts import ContextReader
from grassmeans.evaluation.similarity_running import digest_of_vectors
from grassmeans.evaluation.task_senses import digest_of_model, settings_of
from grassmeans.laboratory.rivals.grassmeans import ModelSenses
from grassmeans.laboratory.rivals.interface import ContextInducer, InducedSenses, Material
from grassmeans.laboratory.rivals.registry import (
    find_method,
    make_inducer,
    parse_method,
    varies_senses,
)
from grassmeans.lexemes.lexeme_vectors import LexemeVectors
from grassmeans.senses.model import load

DEFAULT_METHODS = ("one", "per-instance", "random", "kmeans", "grassmeans", "grassmeans-singular")
DEFAULT_SENSES = (2, 5)


class System(ABC):
    """Something that gives senses to words.

    Attributes
    ----------
    name : str
    n_senses : int, "auto" or None
        The number of senses asked for, where one was.
    depends_on_words : bool
        Whether a word's senses depend on the other words that are asked for.
    induces : bool
        Whether `find_senses` learns them, and its time is to be told.
    """

    name: str
    n_senses: int | str | None
    depends_on_words: bool = False
    induces: bool = True

    @property
    def slug(self) -> str:
        """A name for files."""
        number = "" if self.n_senses is None else f"-{self.n_senses}"
        return re.sub(r"[^\w.-]+", "-", self.name) + number

    @abstractmethod
    def describe(self, shared: RunRecord) -> RunRecord:
        """Add what tells this system from others to what all of a comparison share."""

    @abstractmethod
    def find_senses(self, material: Material) -> InducedSenses:
        """The senses of the words."""

    def choose_reader(self, shared: ContextReader) -> ContextReader:
        """How texts are cut: as the shared corpus was."""
        return shared

    def require_context_inducer(self) -> ContextInducer:
        """The method itself, to be used on test instances; `InputError` where it cannot be."""
        raise InputError(
            f"{self.name} does not work on given contexts, so it cannot induce senses on a test "
            "set: leave it out, or compare with --induce on-corpus"
        )


class MethodSystem(System):
    """A method of the registry, which learns from the shared corpus and vectors.

    Parameters
    ----------
    text : str
        As `make_inducer` reads it: ``kmeans``, ``mssg:n_multi=6000``.
    n_senses : int, optional
    """

    def __init__(self, text: str, n_senses: int | None = None) -> None:
        self.name = text
        self.inducer = make_inducer(text, n_senses)
        self.n_senses = n_senses if varies_senses(text) else None
        self.depends_on_words = find_method(parse_method(text)[0]).depends_on_words

    def describe(self, shared: RunRecord) -> RunRecord:
        """The method's parameters."""
        own = {name: _plain(value) for name, value in self.inducer.parameters().items()}
        return RunRecord({"method": self.name, **own, **shared.parameters}, shared.digests)

    def find_senses(self, material: Material) -> InducedSenses:
        """Learn."""
        return self.inducer.induce(material)

    def require_context_inducer(self) -> ContextInducer:
        """The method, if it works word by word on given contexts."""
        if isinstance(self.inducer, ContextInducer):
            return self.inducer
        return super().require_context_inducer()


class FinishedModel(System):
    """A model folder, with its own vectors and rules, and maybe the vectors of its lexemes."""

    induces = False

    def __init__(self, model: str | Path, lexemes: str | Path | None = None) -> None:
        self._model = load(model)
        self._lexemes = None if lexemes is None else LexemeVectors.load(lexemes)
        self.n_senses = settings_of(self._model).n_senses
        places = [Path(place).name for place in (model, lexemes) if place is not None]
        self.name = ":".join(places)

    def describe(self, shared: RunRecord) -> RunRecord:
        """Settings and digests of the model; it does not use what methods share."""
        digests = {"model": digest_of_model(self._model)}
        if self._lexemes is not None:
            digests["lexemes"] = digest_of_vectors(self._lexemes.vectors)
        return RunRecord({"method": self.name, **settings_of(self._model).to_dict()}, digests)

    def find_senses(self, material: Material) -> InducedSenses:
        """Those that it has."""
        return ModelSenses(self._model, self._lexemes)

    def choose_reader(self, shared: ContextReader) -> ContextReader:
        """As the model tags text."""
        return ContextReader.for_model(self._model)


def make_systems(methods: Sequence[str], senses: Sequence[int]) -> list[System]:
    """A system for each method, for those that take any number of senses one for each number."""
    return [
        MethodSystem(text, n_senses)
        for text in methods
        for n_senses in (senses if varies_senses(text) else [None])
    ]


def open_model_system(text: str) -> FinishedModel:
    """A finished model from ``MODEL`` or ``MODEL:LEXEMES``."""
    # A path may hold a colon itself.
    if Path(text).exists():
        return FinishedModel(text)
    model, _, lexemes = text.rpartition(":")
    return FinishedModel(model, lexemes) if model else FinishedModel(text)


def _plain(value: object) -> object:
    return value if isinstance(value, str | int | float | bool | None) else str(value)
