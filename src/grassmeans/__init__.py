"""Grassmeans: the senses of words in raw text, with no dictionary and no labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grassmeans.lazy import give_names
from grassmeans.version import __version__

if TYPE_CHECKING:
    from grassmeans.corpus.corpus import Corpus as Corpus
    from grassmeans.geometry.contexts import ContextShape as ContextShape
    from grassmeans.geometry.contexts import extract_contexts as extract_contexts
    from grassmeans.geometry.subspaces import principal_subspaces as principal_subspaces
    from grassmeans.integrations.iterables import tag_iter as tag_iter
    from grassmeans.senses.building import build_model as build_model
    from grassmeans.senses.decoding import decode_hard as decode_hard
    from grassmeans.senses.decoding import decode_soft as decode_soft
    from grassmeans.senses.induction import induce as induce
    from grassmeans.senses.inventory import SenseInventory as SenseInventory
    from grassmeans.senses.kgrassmeans import KGrassmeans as KGrassmeans
    from grassmeans.senses.model import SenseModel as SenseModel
    from grassmeans.senses.model import load as load
    from grassmeans.senses.settings import InductionSettings as InductionSettings
    from grassmeans.vectors.skipgram import SkipGram as SkipGram
    from grassmeans.vectors.word_vectors import WordVectors as WordVectors

_PUBLIC = {
    "Corpus": "grassmeans.corpus.corpus",
    "SkipGram": "grassmeans.vectors.skipgram",
    "WordVectors": "grassmeans.vectors.word_vectors",
    "ContextShape": "grassmeans.geometry.contexts",
    "extract_contexts": "grassmeans.geometry.contexts",
    "principal_subspaces": "grassmeans.geometry.subspaces",
    "KGrassmeans": "grassmeans.senses.kgrassmeans",
    "decode_hard": "grassmeans.senses.decoding",
    "decode_soft": "grassmeans.senses.decoding",
    "InductionSettings": "grassmeans.senses.settings",
    "induce": "grassmeans.senses.induction",
    "SenseInventory": "grassmeans.senses.inventory",
    "SenseModel": "grassmeans.senses.model",
    "load": "grassmeans.senses.model",
    "build_model": "grassmeans.senses.building",
    "tag_iter": "grassmeans.integrations.iterables",
}

__all__ = ["__version__", *_PUBLIC]  # noqa: PLE0604

__getattr__ = give_names(__name__, _PUBLIC)


def __dir__() -> list[str]:
    return sorted(__all__)
