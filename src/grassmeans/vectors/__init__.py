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

__all__, __getattr__, __dir__ = give_names(
    __name__,
    {
        "exchange": (
            "from_gensim",
            "to_gensim",
            "write_glove",
            "write_word2vec_binary",
            "write_word2vec_text",
        )
    },
)
