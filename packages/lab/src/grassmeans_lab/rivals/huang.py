"""Huang et al. 2012: cluster the contexts of each word, relabel the corpus, train prototypes."""

from __future__ import annotations

import tempfile
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts.writing import digest_of, digest_of_array
from grassmeans.corpus.corpus import Corpus
from grassmeans.evaluation.systems import digest_of_vectors
from grassmeans.geometry.windows import rows_of_tokens
from grassmeans.labelling.decoding import Decoding
from grassmeans.labelling.labeller import label_by_measure
from grassmeans.labelling.measuring import Targets
from grassmeans.lexemes.lexeme_vectors import LexemeVectors
from grassmeans.vectors.word_vectors import WordVectors
from grassmeans_lab.evaluation.sense_vectors import merge_lexemes
from grassmeans_lab.kernels import get_kernels
from grassmeans_lab.rivals.cosine_senses import (
    CosineMeasure,
    CosineSenses,
    SenseDirections,
    find_centres,
)
from grassmeans_lab.rivals.interface import (
    Material,
    RivalInducer,
    Windows,
    check_at_least_one,
    is_kept,
    keep_work,
    map_words,
)
from grassmeans_lab.rivals.labelled_training import LEXEMES, train_on_labels

_KIND = "huang"


@dataclass(eq=False)
class HuangSenses(RivalInducer):
    """Centres of idf-weighted context means, and prototypes trained on the relabelled corpus.

    Parameters
    ----------
    n_senses : int
        Clusters a word; words with fewer contexts have no senses.
    window : int
        Words a side in a context. Function words are kept: idf makes them weigh next to nothing.
    epochs : int
        Of the skip-gram training on the relabelled corpus.
    n_init : int
        Restarts of spherical k-means.
    train : bool
        False leaves out relabelling and training: the centres are the sense vectors.
    min_count : int
        Rarer words and prototypes get no vector in that training.

    Notes
    -----
    The paper trains prototypes with a neural language model of its own; here it is the skip-gram
    that made the word vectors. A sense whose prototype is too rare has that of another as its
    vector, see `grassmeans.lexemes.lexeme_vectors`; a word without any has no senses. With more
    than one worker the training, and only it, is not exactly repeatable.
    """

    name: ClassVar[str] = "huang"

    n_senses: int = 10
    window: int = 5
    epochs: int = 3
    _: KW_ONLY
    n_init: int = 5
    train: bool = True
    min_count: int = 5

    def induce(self, material: Material) -> CosineSenses:
        """Cluster, relabel, train; what the folder has already is taken over."""
        check_at_least_one(
            n_senses=self.n_senses,
            window=self.window,
            epochs=self.epochs,
            n_init=self.n_init,
            min_count=self.min_count,
        )
        if material.folder is not None:
            return self._induce_in(material.folder, material)
        temporary = tempfile.TemporaryDirectory(prefix="grassmeans-")
        senses = self._induce_in(Path(temporary.name) / "senses", material)
        senses.keep_alive(temporary)  # arrays of the folder are mapped, not read
        return senses

    def _windows(self, material: Material) -> Windows:
        return Windows.of(material, self.window, drop_function_words=False)

    def _induce_in(self, folder: Path, material: Material) -> CosineSenses:
        weights = inverse_document_frequencies(material.corpus, material.vectors)
        identity = self._identify(material)
        if not is_kept(folder, _KIND, identity):
            with keep_work(folder, _KIND, identity) as building:
                if not SenseDirections.are_saved(building.folder):
                    self._find_centres(material, weights).save(building.folder)
                found = SenseDirections.load(building.folder)
                if self.train and len(found.words):
                    self._train_prototypes(building.folder, material, found, weights)
        found = SenseDirections.load(folder)
        if not (self.train and len(found.words)):
            return CosineSenses(found, self._windows(material), weights)
        lexemes = LexemeVectors.load(folder / LEXEMES)
        trained = found.select(word for word in found.words if word in lexemes)
        return CosineSenses(
            trained,
            self._windows(material),
            weights,
            sense_vectors=_prototypes_of(trained, lexemes),
            space=merge_lexemes(lexemes),
        )

    def _identify(self, material: Material) -> dict[str, Any]:
        return self.parameters() | {
            "words": digest_of(sorted(set(material.words))),
            "max_contexts": material.max_contexts,
            "random_state": material.random_state,
            "corpus": material.corpus.manifest["digest"],
            "vectors": digest_of_vectors(material.vectors),
        }

    def _find_centres(self, material: Material, weights: NDArray[np.float32]) -> SenseDirections:
        find = _CentreFinder(self, material.vectors, weights)
        centres = map_words(find, material, self._windows(material), description="clustering")
        return SenseDirections.collect(centres, material.vectors.dim)

    def _train_prototypes(
        self, folder: Path, material: Material, found: SenseDirections, weights: NDArray[np.float32]
    ) -> None:
        """Relabel the corpus and train on it."""
        train_on_labels(
            folder,
            material,
            lambda output: self._relabel(output, material, found, weights),
            epochs=self.epochs,
            min_count=self.min_count,
        )

    def _relabel(
        self, output: Path, material: Material, found: SenseDirections, weights: NDArray[np.float32]
    ) -> Corpus:
        corpus = material.corpus
        word_of_token = np.full(len(corpus.vocabulary) + 1, -1, np.int32)
        word_of_token[corpus.vocabulary.ids_of(found.words)] = np.arange(len(found.words))
        measure = CosineMeasure(
            vectors=material.vectors.vectors,
            weights=weights,
            directions=np.asarray(found.directions),
            sense_offsets=found.offsets,
            row_of_token=rows_of_tokens(corpus, material.vectors, drop_function_words=False),
            word_of_token=word_of_token,
            window=self.window,
        )
        return label_by_measure(
            corpus,
            output,
            Targets(list(found.words), found.n_senses, word_of_token),
            measure,
            Decoding(idk_threshold=None),
            {"model": self.name, "model_digest": digest_of_array(found.directions)},
            workers=material.workers,
        )


@dataclass(frozen=True)
class _CentreFinder:
    """Finds the centres of one word after another; can be sent to a worker."""

    method: HuangSenses
    vectors: WordVectors
    weights: NDArray[np.float32]

    def __call__(
        self, word: str, context_ids: NDArray[np.int32], rng: np.random.Generator
    ) -> NDArray[np.float32] | None:
        """(n_senses, dim) centres, that of the largest cluster first; None: too few contexts."""
        means = get_kernels().average_contexts(context_ids, self.vectors.vectors, self.weights)
        means = means[np.any(means != 0.0, axis=1)]
        if len(means) < self.method.n_senses:
            return None
        return find_centres(means, self.method.n_senses, n_init=self.method.n_init, rng=rng)


def _prototypes_of(senses: SenseDirections, lexemes: LexemeVectors) -> NDArray[np.float32]:
    """(n_directions, dim) the vector that stands for each sense."""
    rows = [
        row
        for word, n_senses in zip(senses.words, senses.n_senses.tolist(), strict=True)
        for sense in range(n_senses)
        if (row := lexemes.standing_row(word, sense + 1)) is not None  # always: it has lexemes
    ]
    prototypes: NDArray[np.float32] = lexemes.vectors.vectors[rows]
    return prototypes


def count_document_frequencies(corpus: Corpus) -> NDArray[np.int64]:
    """(n_types,) the number of documents that each word of the corpus occurs in; one pass."""
    frequencies = np.zeros(len(corpus.vocabulary), np.int64)
    for shard in corpus.shards:
        frequencies += get_kernels().count_documents(
            np.asarray(shard.tokens), np.asarray(shard.document_offsets), len(frequencies)
        )
    return frequencies


def inverse_document_frequencies(corpus: Corpus, vectors: WordVectors) -> NDArray[np.float32]:
    """Weights log(documents / documents with the word), one for each row of the vectors.

    A word of every document weighs nothing; one that the corpus does not have weighs as much as a
    word of one document.
    """
    frequencies = np.ones(len(vectors), np.int64)
    rows = vectors.ids_of(corpus.vocabulary.words)
    known = rows >= 0
    frequencies[rows[known]] = np.maximum(count_document_frequencies(corpus)[known], 1)
    weights: NDArray[np.float32] = np.log(max(corpus.n_documents, 1) / frequencies)
    return weights.astype(np.float32)
