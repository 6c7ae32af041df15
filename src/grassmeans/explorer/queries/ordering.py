"""Orders of concordance lines: by what stands beside the word, by sense, by document."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from grassmeans.collocations.surroundings import OUTSIDE, tokens_around
from grassmeans.corpus.corpus import Corpus
from grassmeans.errors import InputError
from grassmeans.explorer.limits import ConflictError
from grassmeans.explorer.queries.measuring import MeasuredWord

POSITION, DOCUMENT = "position", "document"
BY_SENSE = ("confidence", "unsure", "sense")
"""Orders for which the senses of all lines must be known."""

FIELD = "field:"
SORT_PATTERN = (
    "^(position|confidence|unsure|sense|document|left[123]|right[123]|field:[^\\x00-\\x1f]{1,80})$"
)
_WORDS = 3


def order_by_sense(measured: MeasuredWord, sort: str) -> NDArray[np.int64]:
    """(n,) rows of lines by their senses: the surest first, "unsure" the least sure."""
    if sort == "sense":
        return np.lexsort((-measured.confidence, measured.senses))
    sign = 1 if sort == "unsure" else -1
    return np.argsort(sign * measured.confidence, kind="stable")


def order_positions(corpus: Corpus, positions: NDArray[np.int64], sort: str) -> NDArray[np.int64]:
    """(n,) rows of positions, which are in text order, by what is around them.

    Parameters
    ----------
    sort : str
        "left2": by the second word before it, then by the third and the first; "right1" and so on;
        "document": by title; "field:date": by what is known of the document, unknown ones last.
    """
    if sort.startswith(("left", "right")):
        return _order_by_words(corpus, positions, sort)
    if sort == DOCUMENT or sort.startswith(FIELD):
        return _order_by_document(corpus, positions, sort.removeprefix(FIELD), sort == DOCUMENT)
    return np.arange(len(positions))


def _order_by_words(corpus: Corpus, positions: NDArray[np.int64], sort: str) -> NDArray[np.int64]:
    is_left, first = sort.startswith("left"), int(sort[-1]) - 1
    around = tokens_around(corpus, positions, _WORDS if is_left else 0, 0 if is_left else _WORDS)
    nearest_first = around[:, ::-1] if is_left else around
    # The word that was asked for, then those beyond it, then those before it.
    columns = np.roll(np.arange(_WORDS), -first)
    keys = nearest_first[:, columns]
    ids, places = np.unique(keys, return_inverse=True)
    words = corpus.vocabulary.words
    # Nothing before letters, words that are not known behind them.
    names = [("" if i == OUTSIDE else "\U0010ffff" if i < 0 else words[i]) for i in ids.tolist()]
    ranks = np.empty(len(ids), np.int64)
    ranks[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
    ranked = ranks[places].reshape(keys.shape)
    return np.lexsort(ranked.T[::-1])


def _order_by_document(
    corpus: Corpus, positions: NDArray[np.int64], name: str, by_title: bool
) -> NDArray[np.int64]:
    documents, places = np.unique(corpus.documents_of(positions), return_inverse=True)
    numbers = documents.tolist()
    if by_title:
        values = [corpus.describe_document(number)[1].casefold() for number in numbers]
    else:
        try:
            corpus.check_field(name)
        except InputError as error:
            raise ConflictError(str(error)) from error
        values = [corpus.describe_document(number)[2].get(name, "") for number in numbers]
    ranks = np.empty(len(numbers), np.int64)
    order = sorted(range(len(values)), key=lambda i: (not values[i], values[i]))
    ranks[order] = np.arange(len(values))
    return np.argsort(ranks[places], kind="stable")
