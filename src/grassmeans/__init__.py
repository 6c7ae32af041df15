"""Grassmeans: the senses of words in raw text, with no dictionary and no labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grassmeans.lazy import give_names
from grassmeans.version import __version__

if TYPE_CHECKING:
    from grassmeans.change.tables import rank_changes as rank_changes
    from grassmeans.change.tables import sense_shares as sense_shares
    from grassmeans.clustering.kgrassmeans import KGrassmeans as KGrassmeans
    from grassmeans.clustering.settings import InductionSettings as InductionSettings
    from grassmeans.collocations.collocates import find_collocates as find_collocates
    from grassmeans.corpus.corpus import Corpus as Corpus
    from grassmeans.engines import use_engine as use_engine
    from grassmeans.geometry.rules import GroupingRules as GroupingRules
    from grassmeans.geometry.subspaces import principal_subspaces as principal_subspaces
    from grassmeans.geometry.windows import ContextShape as ContextShape
    from grassmeans.geometry.windows import extract_contexts as extract_contexts
    from grassmeans.integrations.iterables import tag_iter as tag_iter
    from grassmeans.models.building import build_model as build_model
    from grassmeans.models.fitting import FoundSenses as FoundSenses
    from grassmeans.models.fitting import find_senses as find_senses
    from grassmeans.models.model import SenseModel as SenseModel
    from grassmeans.models.model import load as load
    from grassmeans.senses.decoding import decode_hard as decode_hard
    from grassmeans.senses.decoding import decode_soft as decode_soft
    from grassmeans.senses.induction import induce as induce
    from grassmeans.senses.inventory import SenseInventory as SenseInventory
    from grassmeans.vectors.skipgram import SkipGram as SkipGram
    from grassmeans.vectors.word_vectors import WordVectors as WordVectors

_names, __getattr__, __dir__ = give_names(
    __name__,
    {
        "corpus.corpus": ("Corpus",),
        "engines": ("use_engine",),
        "vectors.skipgram": ("SkipGram",),
        "vectors.word_vectors": ("WordVectors",),
        "geometry.windows": ("ContextShape", "extract_contexts"),
        "geometry.subspaces": ("principal_subspaces",),
        "geometry.rules": ("GroupingRules",),
        "clustering.kgrassmeans": ("KGrassmeans",),
        "senses.decoding": ("decode_hard", "decode_soft"),
        "clustering.settings": ("InductionSettings",),
        "senses.induction": ("induce",),
        "senses.inventory": ("SenseInventory",),
        "models.model": ("SenseModel", "load"),
        "models.fitting": ("find_senses", "FoundSenses"),
        "models.building": ("build_model",),
        "collocations.collocates": ("find_collocates",),
        "change.tables": ("sense_shares", "rank_changes"),
        "integrations.iterables": ("tag_iter",),
    },
)

__all__ = ["__version__", *_names]  # noqa: PLE0604
