"""A corpus -> the same corpus with a sense for every known word; export."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grassmeans.lazy import give_names

if TYPE_CHECKING:
    from grassmeans.labelling.labeller import label_corpus as label_corpus
    from grassmeans.labelling.labeller import relabel as relabel
    from grassmeans.labelling.soft import SoftCorpus as SoftCorpus

_PUBLIC = {
    "label_corpus": "grassmeans.labelling.labeller",
    "relabel": "grassmeans.labelling.labeller",
    "SoftCorpus": "grassmeans.labelling.soft",
}

__all__ = [*_PUBLIC]  # noqa: PLE0604

__getattr__ = give_names(__name__, _PUBLIC)


def __dir__() -> list[str]:
    return sorted(__all__)
