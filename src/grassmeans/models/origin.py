"""Whether a corpus is the one that a model was induced on: their digests tell."""

from __future__ import annotations

from grassmeans.corpus.corpus import Corpus
from grassmeans.models.model import SenseModel
from grassmeans.models.versions import GROWN, read_versions
from grassmeans.senses.entries import CountedIn, WordSenses

OWN, PART, OTHER, UNKNOWN = "own", "part", "other", "unknown"
"""The model's corpus; a part of the text of a model that has grown; another one; nobody knows."""

_USUAL_NAME = "corpus"


def relate_corpus(model: SenseModel, corpus: Corpus) -> str:
    """What a corpus is to a model: `OWN`, `PART`, `OTHER` or `UNKNOWN`.

    `UNKNOWN` for a model whose manifest has no digest of its corpus. A model that has grown counts
    in all of its texts, so that each of them is a part.
    """
    first = model.manifest.get("inputs", {}).get("corpus")
    grown = [v.get("corpus") for v in read_versions(model) if v["kind"] == GROWN]
    digest = corpus.manifest["digest"]
    if not grown and first == digest:
        return OWN
    if digest in (first, *grown):
        return PART
    return UNKNOWN if first is None else OTHER


def name_corpus(corpus: Corpus) -> CountedIn:
    """A corpus as words that were counted in it name it.

    Its folder's name, with that of the folder around it where many corpora are called the same.
    """
    place = corpus.path.resolve()
    name = "/".join(place.parts[-2:]) if place.name == _USUAL_NAME else place.name
    return CountedIn(name, corpus.manifest["digest"])


def is_counted_in(entry: WordSenses, corpus: Corpus, relation: str) -> bool:
    """Whether the counts of a word come from this corpus."""
    if entry.counted_in is None:
        return relation == OWN
    return entry.counted_in.digest == name_corpus(corpus).digest
