"""Methods of the registry as systems: they learn from the material that all of them share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.occurrences import Occurrences
from grassmeans.errors import InputError
from grassmeans.evaluation.systems import ModelSystem, Senses, System, digest_of_vectors
from grassmeans.lexemes.lexeme_vectors import LexemeVectors
from grassmeans.models.building import is_contexts, open_model_or_contexts
from grassmeans.models.model import load
from grassmeans_lab.rivals.interface import ContextInducer, Material
from grassmeans_lab.rivals.registry import (
    find_method,
    make_inducer,
    parse_method,
    varies_senses,
)

DEFAULT_METHODS = ("one", "per-instance", "random", "kmeans", "grassmeans", "grassmeans-singular")
DEFAULT_SENSES = (2, 5)


class MethodSystem(System):
    """A method of the registry, which learns from shared material.

    Parameters
    ----------
    text : str
        As `make_inducer` reads it: ``kmeans``, ``mssg:n_multi=6000``.

    Attributes
    ----------
    depends_on_words : bool
        Whether a word's senses depend on the other words that are asked for.
    """

    def __init__(self, text: str, n_senses: int | None = None) -> None:
        self.name = text
        self.inducer = make_inducer(text, n_senses)
        self.n_senses = n_senses if varies_senses(text) else None
        self.depends_on_words = find_method(parse_method(text)[0]).depends_on_words
        self.can_induce_on_test = isinstance(self.inducer, ContextInducer)
        self._material: Material | None = None

    def learn_from(self, material: Material) -> None:
        """Give the material; nothing is learnt before senses are asked for."""
        self._material = material
        self.tokenizer = material.corpus.tokenizer
        self.vectors = material.vectors
        self.__dict__.pop("_senses", None)

    @property
    def material(self) -> Material:
        """What it learns from."""
        if self._material is None:
            raise InputError(f"{self.name} has nothing to learn from: give it material first")
        return self._material

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The method's own, and those that all methods share."""
        own = {name: _plain(value) for name, value in self.inducer.parameters().items()}
        shared = {name: getattr(self.material, name) for name in ("max_contexts", "random_state")}
        return {"method": self.name, **own, **shared}

    @cached_property
    def digests(self) -> Mapping[str, str]:
        """Of corpus and vectors."""
        return {
            "corpus": self.material.corpus.manifest["digest"],
            "vectors": digest_of_vectors(self.material.vectors),
        }

    @cached_property
    def _senses(self) -> Senses:
        return self.inducer.induce(self.material)

    def find_senses(self, targets: Iterable[str]) -> Senses:
        """Learn, once, for all words of the material."""
        return self._senses

    def induce_on_test(self, word: str, occurrences: Occurrences) -> Senses | None:
        """Senses among these occurrences, for methods that work word by word."""
        if isinstance(self.inducer, ContextInducer):
            return self.inducer.induce_from(word, occurrences, self.material)
        return super().induce_on_test(word, occurrences)


def make_systems(methods: Sequence[str], senses: Sequence[int]) -> list[System]:
    """A system for each method, for those that take any number of senses one for each number."""
    return [
        MethodSystem(text, n_senses)
        for text in methods
        for n_senses in (senses if varies_senses(text) else [None])
    ]


def open_model_system(
    text: str,
    device: str = "cpu",
    *,
    corpus: Corpus | None = None,
    random_state: int | None = None,
    workers: int | None = 1,
) -> ModelSystem:
    """A finished model from ``MODEL`` or ``MODEL:LEXEMES``, or contexts without senses.

    Parameters
    ----------
    corpus, random_state, workers : optional
        Where the senses of contexts are induced, and how: as for `ModelSystem`.
    """
    if is_contexts(text):
        bare = open_model_or_contexts(text, corpus, device=device)
        name = Path(text).name
        return ModelSystem(
            bare, name=name, corpus=corpus, random_state=random_state, workers=workers
        )
    model, _, lexemes = text.rpartition(":")
    # A path may hold a colon itself.
    if Path(text).exists() or not model:
        return ModelSystem(load(text, device=device), name=Path(text).name)
    name = f"{Path(model).name}:{Path(lexemes).name}"
    return ModelSystem(load(model, device=device), LexemeVectors.load(lexemes), name=name)


def _plain(value: object) -> object:
    return value if isinstance(value, str | int | float | bool | None) else str(value)
