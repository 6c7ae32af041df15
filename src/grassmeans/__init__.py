"""Grassmeans: the senses of words in raw text, with no dictionary and no labels."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from grassmeans.version import __version__

_PUBLIC = {
    "Corpus": "grassmeans.corpus.corpus",
    "SkipGram": "grassmeans.vectors.skipgram",
    "WordVectors": "grassmeans.vectors.word_vectors",
    "extract_contexts": "grassmeans.contexts",
    "principal_subspaces": "grassmeans.subspaces",
    "KGrassmeans": "grassmeans.senses.kgrassmeans",
    "decode_hard": "grassmeans.senses.decoding",
    "decode_soft": "grassmeans.senses.decoding",
    "SenseInventory": "grassmeans.senses.inventory",
    "load": "grassmeans.senses.model",
    "tag_iter": "grassmeans.integrations.iterables",
}

__all__ = ["__version__", *_PUBLIC]  # noqa: PLE0604

if TYPE_CHECKING:
    from grassmeans.contexts import extract_contexts as extract_contexts
    from grassmeans.corpus.corpus import Corpus as Corpus
    from grassmeans.integrations.iterables import tag_iter as tag_iter
    from grassmeans.senses.decoding import decode_hard as decode_hard
    from grassmeans.senses.decoding import decode_soft as decode_soft
    from grassmeans.senses.inventory import SenseInventory as SenseInventory
    from grassmeans.senses.kgrassmeans import KGrassmeans as KGrassmeans
    from grassmeans.senses.model import load as load
    from grassmeans.subspaces import principal_subspaces as principal_subspaces
    from grassmeans.vectors.skipgram import SkipGram as SkipGram
    from grassmeans.vectors.word_vectors import WordVectors as WordVectors


def __getattr__(name: str) -> Any:
    """Import public names when they are first used: `grassmeans --help` stays fast."""
    if name in _PUBLIC:
        return getattr(importlib.import_module(_PUBLIC[name]), name)
    raise AttributeError(f"module 'grassmeans' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
