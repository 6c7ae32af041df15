"""Grassmeans: the senses of words in raw text, with no dictionary and no labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grassmeans.lazy import give_names
from grassmeans.version import __version__

if TYPE_CHECKING:
    from grassmeans.change.comparing import compare_groups as compare_groups
    from grassmeans.clustering.kgrassmeans import KGrassmeans as KGrassmeans
    from grassmeans.collocations.collocates import find_collocates as find_collocates
    from grassmeans.corpus.corpus import Corpus as Corpus
    from grassmeans.geometry.subspaces import principal_subspaces as principal_subspaces
    from grassmeans.geometry.windows import extract_contexts as extract_contexts
    from grassmeans.labelling.labeller import label_corpus as label_corpus
    from grassmeans.lexemes.training import train_lexemes as train_lexemes
    from grassmeans.models.fitting import find_senses as find_senses
    from grassmeans.models.model import SenseModel as SenseModel
    from grassmeans.models.model import load as load
    from grassmeans.senses.decoding import decode as decode
    from grassmeans.vectors.skipgram import SkipGram as SkipGram
    from grassmeans.vectors.word_vectors import WordVectors as WordVectors

_names, __getattr__, __dir__ = give_names(
    __name__,
    {
        "models.fitting": ("find_senses",),
        "models.model": ("SenseModel", "load"),
        "corpus.corpus": ("Corpus",),
        "vectors.word_vectors": ("WordVectors",),
        "vectors.skipgram": ("SkipGram",),
        "geometry.windows": ("extract_contexts",),
        "geometry.subspaces": ("principal_subspaces",),
        "clustering.kgrassmeans": ("KGrassmeans",),
        "senses.decoding": ("decode",),
        "labelling.labeller": ("label_corpus",),
        "lexemes.training": ("train_lexemes",),
        "collocations.collocates": ("find_collocates",),
        "change.comparing": ("compare_groups",),
    },
    deprecated={
        "ContextShape": (
            "grassmeans.geometry.windows:ContextShape",
            "SenseModel.fit(..., window=10, rank=3), or grassmeans.geometry.windows.ContextShape",
        ),
        "FoundSenses": (
            "grassmeans.models.fitting:FoundSenses",
            "grassmeans.models.fitting.FoundSenses",
        ),
        "InductionSettings": (
            "grassmeans.clustering.settings:InductionSettings",
            "SenseModel.fit(..., n_senses=5), or grassmeans.clustering.settings.InductionSettings",
        ),
        "SenseInventory": (
            "grassmeans.models.induced:InducedInventory",
            "the inventory of a SenseModel, or grassmeans.senses.inventory.SenseInventory",
        ),
        "build_model": (
            "grassmeans.models.building:build_model",
            "SenseModel.fit(..., output=...)",
        ),
        "decode_hard": ("grassmeans.senses.decoding:decode_hard", "decode(distances)"),
        "decode_soft": ("grassmeans.senses.decoding:decode_soft", 'decode(distances, "soft")'),
        "induce": (
            "grassmeans.models.induced:induce",
            "SenseModel.fit(corpus, words, contexts=...)",
        ),
        "rank_changes": (
            "grassmeans.change.tables:rank_changes",
            "compare_groups(...).to_pandas()",
        ),
        "sense_shares": ("grassmeans.change.tables:sense_shares", "compare_groups(...).shares"),
        "tag_iter": (
            "grassmeans.integrations.iterables:tag_iter",
            "grassmeans.integrations.tag_iter",
        ),
        "use_engine": (
            "grassmeans.engines:use_engine",
            "grassmeans.engines.use_engine, or engine=...",
        ),
    },
)

__all__ = ["__version__", *_names]  # noqa: PLE0604
