"""Senses from a transformer encoder, as one would build them: embed a word's contexts, group them.

The vector of an occurrence is the mean of the encoder's layers (the embeddings apart) over the
pieces of the word, at unit length. The contexts of a word are grouped by Ward's method, and a
sentence gets the number of the nearest group.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.cluster import AgglomerativeClustering
from sklearn.metrics import silhouette_score
from transformers import AutoModel, AutoTokenizer

from grassmeans import Corpus
from grassmeans.artifacts.writing import write_array
from grassmeans.evaluation.sentences import PassageAnswers
from grassmeans.geometry.windows import sample_positions
from grassmeans.senses.samples import word_seeds

WIDTH = 110
"""Characters on either side of an occurrence that are embedded: some 40 words in all."""

MOST_GROUPS = 8
_AT_ONCE = 32
_MOST_PIECES = 256

Floats = NDArray[np.float32]
MarkedText = tuple[str, str, str]
"""What stands before a word, the word, and what stands after it."""


class WordInContextEncoder:
    """A transformer of a folder (weights and tokenizer) that embeds single words of texts.

    Parameters
    ----------
    half : bool
        Compute with bfloat16, which takes half the time on processors that have it.
    """

    def __init__(self, folder: Path, *, half: bool = False) -> None:
        self.folder = folder
        self._tokenizer = AutoTokenizer.from_pretrained(folder)
        dtype = torch.bfloat16 if half else torch.float32
        self._network = AutoModel.from_pretrained(folder, dtype=dtype).eval()

    def embed(self, texts: Sequence[MarkedText]) -> Floats:
        """(n, dim) unit vectors of the marked words."""
        order = np.argsort([len("".join(text)) for text in texts], kind="stable")
        found = np.empty((len(texts), self._network.config.hidden_size), np.float32)
        for start in range(0, len(texts), _AT_ONCE):
            rows = order[start : start + _AT_ONCE]
            found[rows] = self._embed_batch([texts[row] for row in rows])
        return found / np.linalg.norm(found, axis=1, keepdims=True)

    def _embed_batch(self, texts: Sequence[MarkedText]) -> Floats:
        given = self._tokenizer(
            ["".join(text) for text in texts],
            padding=True,
            truncation=True,
            max_length=_MOST_PIECES,
            return_offsets_mapping=True,
            return_tensors="pt",
        )
        offsets = given.pop("offset_mapping").numpy()
        with torch.inference_mode():
            layers = self._network(**given, output_hidden_states=True).hidden_states[1:]
        states = torch.stack(layers).float().mean(dim=0).numpy()
        firsts = np.array([[len(left)] for left, _, _ in texts])
        lasts = firsts + np.array([[len(word)] for _, word, _ in texts])
        inside = (offsets[:, :, 0] < lasts) & (offsets[:, :, 1] > firsts)
        shares = inside / inside.sum(axis=1, keepdims=True)
        return np.einsum("np,npd->nd", shares, states).astype(np.float32)


class TransformerSenses:
    """Groups of a corpus's contexts, which answer passages with the nearest."""

    def __init__(self, encoder: WordInContextEncoder, centres: dict[str, Floats]) -> None:
        self._encoder = encoder
        self._centres = centres

    @property
    def n_bytes(self) -> int:
        """Of the encoder's weights and the centres."""
        stored = (path.stat().st_size for path in self._encoder.folder.glob("*.safetensors"))
        return sum(stored) + sum(centres.nbytes for centres in self._centres.values())

    def __call__(self, word: str, passages: Sequence[tuple[str, str]]) -> PassageAnswers:
        """The nearest group of each passage; always an answer where the word has groups."""
        if word not in self._centres:
            nothing: list[int | None] = [None] * len(passages)
            return PassageAnswers(nothing, nothing)
        vectors = self._encoder.embed([(left, word, right) for left, right in passages])
        apart = vectors[:, None] - self._centres[word]
        nearest = np.square(apart).sum(axis=2).argmin(axis=1).tolist()
        return PassageAnswers(nearest, nearest)


def embed_contexts(
    corpus: Corpus,
    encoder: WordInContextEncoder,
    words: Iterable[str],
    n_contexts: int,
    cache: Path,
) -> dict[str, Floats]:
    """(n, dim) vectors of random contexts of each word, kept in the cache folder."""
    folder = cache / encoder.folder.name / str(n_contexts)
    folder.mkdir(parents=True, exist_ok=True)
    found = {}
    for word in words:
        path = folder / f"{word}.npy"
        if not path.exists():
            seed = word_seeds(word, 0).spawn(2)[0]
            places = sample_positions(corpus.positions(word), n_contexts, seed)
            lines = [corpus.line_at(int(place), WIDTH) for place in places]
            write_array(path, encoder.embed([(line.left, line.word, line.right) for line in lines]))
        found[word] = np.load(path)
    return found


def group_vectors(vectors: Floats, n_groups: int | None = None) -> Floats:
    """(n_groups, dim) means of the groups by Ward's method.

    Without a number as many as the best silhouette has, which is two at least.
    """
    numbers = [n_groups] if n_groups else range(2, MOST_GROUPS + 1)
    groupings = [
        AgglomerativeClustering(number, linkage="ward").fit_predict(vectors)
        for number in numbers
        if number < len(vectors)
    ]
    best = groupings[0]
    if len(groupings) > 1:
        best = max(groupings, key=lambda labels: silhouette_score(vectors, labels, metric="cosine"))
    return np.stack([vectors[best == group].mean(axis=0) for group in np.unique(best)])
