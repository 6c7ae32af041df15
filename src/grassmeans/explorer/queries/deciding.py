"""Which context words decided for a sense."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grassmeans.corpus.tokenizer import Tokenizer
from grassmeans.senses.markup import blank_markup
from grassmeans.senses.model import SenseModel
from grassmeans.senses.tagging import TaggedText
from grassmeans.senses.text_contexts import gather_text_contexts

N_DECIDING = 6
_AT_ONCE = 1024
_DEPENDENT = 1e-6  # of the largest eigenvalue: what is smaller is rounding


@dataclass(frozen=True, slots=True)
class DecidingWord:
    """A context word and its share in the projection on the sense, in [0, 1]."""

    word: str
    weight: float


def weigh_context_words(
    rows: NDArray[np.int32],
    directions: NDArray[np.float32],
    vectors: NDArray[np.float32],
    rank: int,
    weighting: str = "flat",
) -> NDArray[np.float64]:
    """The share of each context word in the projection of a direction on the context's subspace.

    Let X = U S V' be the context's word vectors (a row a word), cut to the rank, and u the
    direction. The squared length of u's projection on the subspace is |V'u|^2, and as U has
    orthonormal columns it equals |U V'u|^2: a sum of one square per word. These squares, divided
    by their sum, are the weights: not negative, and 1 in all. With singular weighting, V'u is
    replaced by (S / s_1) V'u, as in the distances.

    Parameters
    ----------
    rows : (n_contexts, width) int32
        Rows of ``vectors``, -1 where there is no word.
    directions : (n_contexts, dim) float32
        One a context.

    Returns
    -------
    weights : (n_contexts, width) float64
        Rows sum to 1; zeros where the projection is zero.
    """
    present = rows >= 0
    words = vectors[np.where(present, rows, 0)].astype(np.float64) * present[:, :, None]
    products = np.einsum("nwd,nd->nw", words, directions.astype(np.float64))
    # The eigenvectors of XX' are U, its eigenvalues S^2; V'u = U'(Xu) / S.
    squares, left = np.linalg.eigh(words @ words.swapaxes(1, 2))
    squares, left = squares[:, ::-1][:, :rank], left[:, :, ::-1][:, :, :rank]
    usable = squares > _DEPENDENT * np.maximum(squares[:, :1], np.finfo(float).tiny)
    sizes = np.sqrt(np.where(usable, squares, 1.0))
    inside = np.where(usable, np.einsum("nwr,nw->nr", left, products) / sizes, 0.0)
    if weighting == "singular":
        inside *= np.where(usable, sizes / sizes[:, :1], 0.0)
    shares = np.square(np.einsum("nwr,nr->nw", left, inside)) * present
    totals = shares.sum(axis=1, keepdims=True)
    weights: NDArray[np.float64] = np.divide(
        shares, totals, out=np.zeros_like(shares), where=totals > 0.0
    )
    return weights


def find_deciding_words(model: SenseModel, tagged: TaggedText) -> list[tuple[DecidingWord, ...]]:
    """For every tagged word the context words that decided for its nearest sense, heaviest first.

    The nearest sense counts also where the answer is "I don't know". A word that stands in the
    context twice has both weights. Words with too little context have no deciding words.
    """
    contexts = _contexts_of(model, tagged)
    found: list[tuple[DecidingWord, ...]] = [() for _ in tagged.words]
    measured = [i for i, word in enumerate(tagged.words) if word.distances]
    for start in range(0, len(measured), _AT_ONCE):
        block = measured[start : start + _AT_ONCE]
        directions = np.stack(
            [
                model.inventory.directions(tagged[i].key)[int(np.argmin(tagged[i].distances))]
                for i in block
            ]
        )
        rows = contexts[block]
        weights = weigh_context_words(
            rows, directions, model.vectors.vectors, model.rules.rank, model.rules.weighting
        )
        for i, context, shares in zip(block, rows, weights, strict=True):
            found[i] = _heaviest(context, shares, model.vectors.words)
    return found


def _contexts_of(model: SenseModel, tagged: TaggedText) -> NDArray[np.int32]:
    """(n_words, 2 * window) the contexts that the words were tagged by."""
    rules = model.rules
    plain = isinstance(rules.tokenizer, Tokenizer)
    readable = blank_markup(tagged.text) if plain else tagged.text
    keys = rules.tokenizer.tokenize(readable)
    place_of = {start: i for i, (start, _) in enumerate(rules.tokenizer.spans(readable))}
    types = {key: i for i, key in enumerate(dict.fromkeys(keys))}
    tokens = np.fromiter((types[key] for key in keys), np.int32, len(keys))
    rows = model.vectors.ids_of(types)
    rows[[key in rules.function_words for key in types]] = -1
    places = np.array([place_of[word.start] for word in tagged.words], np.int64)
    return gather_text_contexts(tokens, rows, places, rules.window, drop_repeats=rules.drop_repeats)


def _heaviest(
    context: NDArray[np.int32], shares: NDArray[np.float64], names: Sequence[str]
) -> tuple[DecidingWord, ...]:
    weights: dict[str, float] = {}
    for row, share in zip(context.tolist(), shares.tolist(), strict=True):
        if row >= 0:
            weights[names[row]] = weights.get(names[row], 0.0) + share
    heaviest = sorted(weights.items(), key=lambda item: -item[1])[:N_DECIDING]
    return tuple(DecidingWord(word, round(weight, 4)) for word, weight in heaviest)
