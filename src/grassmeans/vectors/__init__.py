"""Skip-gram, word vectors, and the files of other tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grassmeans.lazy import give_names

if TYPE_CHECKING:
    from grassmeans.vectors.exchange import from_gensim as from_gensim
    from grassmeans.vectors.exchange import to_gensim as to_gensim
    from grassmeans.vectors.exchange import write_glove as write_glove
    from grassmeans.vectors.exchange import write_word2vec_binary as write_word2vec_binary
    from grassmeans.vectors.exchange import write_word2vec_text as write_word2vec_text

_PUBLIC = {
    "from_gensim": "grassmeans.vectors.exchange",
    "to_gensim": "grassmeans.vectors.exchange",
    "write_glove": "grassmeans.vectors.exchange",
    "write_word2vec_binary": "grassmeans.vectors.exchange",
    "write_word2vec_text": "grassmeans.vectors.exchange",
}

__all__ = [*_PUBLIC]  # noqa: PLE0604

__getattr__ = give_names(__name__, _PUBLIC)


def __dir__() -> list[str]:
    return sorted(__all__)
