"""A corpus -> the same corpus with a sense for every known word; export."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grassmeans.lazy import give_names

if TYPE_CHECKING:
    from grassmeans.labelling.decoding import SoftCorpus as SoftCorpus
    from grassmeans.labelling.labeller import label_corpus as label_corpus
    from grassmeans.labelling.labeller import relabel as relabel

__all__, __getattr__, __dir__ = give_names(
    __name__, {"labeller": ("label_corpus", "relabel"), "decoding": ("SoftCorpus",)}
)
