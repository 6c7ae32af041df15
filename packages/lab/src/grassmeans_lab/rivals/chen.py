"""Chen, Liu and Sun 2014: senses of WordNet from glosses, a corpus labelled with them, training.

First a sense has the mean of the vectors of its gloss's words. Then the corpus is labelled: a word
gets the sense nearest to the words around it, words with few senses first (or from left to right),
and senses that are clear take part in the contexts of the others. Last, vectors of senses are
trained on the labelled corpus, from those of the glosses on.

What differs from the publication, or is left open there:

- the corpus keeps no ends of sentences: the context of a word is a window in place of its sentence;
- the publication trains words to predict words and senses around them; here labelled words are
  replaced by their senses, and skip-gram is trained on those (as for Huang's method);
- a word has ``max_senses`` at most, those seen most often in tagged text;
- at the end, words around an occurrence stand for themselves, not for their senses;
- senses that got too few labels for a vector keep that of their gloss.
"""

from __future__ import annotations

import tempfile
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from grassmeans.arrays import Floats
from grassmeans.artifacts.writing import digest_of_array
from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.shard import Shard
from grassmeans.errors import InputError
from grassmeans.evaluation.systems import digest_of_vectors
from grassmeans.geometry.windows import rows_of_tokens
from grassmeans.labelling.decoding import Decoding
from grassmeans.labelling.labeller import label_by_measure
from grassmeans.labelling.measuring import Targets
from grassmeans.lexemes.lexeme_vectors import LexemeVectors
from grassmeans.progress import progress_bar
from grassmeans.senses.keys import encode_key
from grassmeans.vectors.similarity import inverse_norms
from grassmeans.vectors.word_vectors import WordVectors
from grassmeans_lab.evaluation.sense_vectors import merge_lexemes
from grassmeans_lab.kernels import get_kernels
from grassmeans_lab.rivals.atoms import smooth_inverse_frequencies
from grassmeans_lab.rivals.cosine_senses import CosineSenses, SenseDirections
from grassmeans_lab.rivals.interface import (
    Material,
    RivalInducer,
    Windows,
    check_at_least_one,
    is_kept,
    keep_work,
)
from grassmeans_lab.rivals.labelled_training import LEXEMES, train_on_labels
from grassmeans_lab.rivals.wordnet_senses import known_bases, list_synsets, require_known
from grassmeans_lab.wordnet.database import WordNet
from grassmeans_lab.wordnet.synset_vectors import GlossVectors

_KIND = "chen"
_ORDERS = ("simple-first", "left-to-right")


@dataclass(frozen=True, slots=True)
class OrderedMeasure:
    """Distances of a shard's words to their senses, one word decided after the other.

    A `ShardMeasure`; the fields are as for the kernel `disambiguate_words`.
    """

    vectors: Floats
    directions: Floats
    sense_offsets: NDArray[np.int64]
    row_of_token: NDArray[np.int32]
    word_of_token: NDArray[np.int32]
    window: int
    margin: float
    simple_first: bool
    shards_here: int = 0

    def find_distances(self, shard: Shard) -> tuple[NDArray[np.int32], NDArray[np.float16]]:
        """Positions (n,) of the targets in a shard, and their distances (n, most senses)."""
        positions, distances = get_kernels().disambiguate_words(
            np.asarray(shard.tokens),
            np.asarray(shard.document_offsets),
            self.row_of_token,
            self.word_of_token,
            self.vectors,
            self.directions,
            self.sense_offsets,
            self.window,
            self.margin,
            self.simple_first,
        )
        return positions, distances.astype(np.float16)


@dataclass(eq=False)
class ChenSenses(RivalInducer):
    """WordNet's senses with vectors of glosses, trained on a corpus that they labelled.

    Parameters
    ----------
    wordnet : str, optional
        WordNet's folder or zip file; where NLTK keeps it by default.
    window : int
        Kept words a side in a context.
    epochs : int
        Of the training on the labelled corpus.
    train : bool
        False leaves out labelling and training: the glosses are all.
    order : {"simple-first", "left-to-right"}
        In which words of the corpus are decided.
    margin : float
        By how much the best cosine must be larger than the second for a sense to be clear.
    least_cosine : float
        Words of a gloss count whose cosine with the word is larger.
    max_senses : int
        Of a word.
    min_count : int
        Rarer words and senses get no vector in the training.
    """

    name: ClassVar[str] = "chen"

    wordnet: str | None = None
    window: int = 5
    epochs: int = 1
    _: KW_ONLY
    train: bool = True
    order: str = "simple-first"
    margin: float = 0.1
    least_cosine: float = 0.0
    max_senses: int = 10
    min_count: int = 5

    def induce(self, material: Material) -> CosineSenses:
        """Read glosses, label, train; what the folder has already is taken over.

        `InputError` where there is no WordNet, or it has none of the words.
        """
        self._check_parameters()
        wordnet = WordNet.open(self.wordnet)
        require_known(known_bases(wordnet, material.words, material), material, wordnet)
        if material.folder is not None:
            return self._induce_in(material.folder, material, wordnet)
        temporary = tempfile.TemporaryDirectory(prefix="grassmeans-")
        senses = self._induce_in(Path(temporary.name) / "senses", material, wordnet)
        senses.keep_alive(temporary)  # arrays of the folder are mapped, not read
        return senses

    def _check_parameters(self) -> None:
        check_at_least_one(
            window=self.window,
            epochs=self.epochs,
            max_senses=self.max_senses,
            min_count=self.min_count,
        )
        if self.order not in _ORDERS:
            raise InputError(f"order must be {' or '.join(_ORDERS)}, got {self.order!r}")
        for name in ("margin", "least_cosine"):
            if not -2.0 <= getattr(self, name) <= 2.0:
                raise InputError(f"{name} must be from -2 to 2, got {getattr(self, name)}")

    def _induce_in(self, folder: Path, material: Material, wordnet: WordNet) -> CosineSenses:
        identity = self._identify(material, wordnet)
        if not is_kept(folder, _KIND, identity):
            with keep_work(folder, _KIND, identity) as building:
                if not SenseDirections.are_saved(building.folder):
                    self._read_glosses(material, wordnet).save(building.folder)
                if self.train:
                    glosses = SenseDirections.load(building.folder)
                    self._train_senses(building.folder, material, glosses)
        glosses = SenseDirections.load(folder)
        asked = [word for word in dict.fromkeys(material.words) if word in glosses]
        if not self.train:
            return self._collect(glosses.select(asked), material.vectors, material)
        return self._collect_trained(glosses, asked, folder, material)

    def _identify(self, material: Material, wordnet: WordNet) -> dict[str, Any]:
        parameters = {name: value for name, value in self.parameters().items() if name != "wordnet"}
        return parameters | {
            "wordnet": wordnet.digest,
            "random_state": material.random_state,
            "corpus": material.corpus.manifest["digest"],
            "vectors": digest_of_vectors(material.vectors),
        }

    def _read_glosses(self, material: Material, wordnet: WordNet) -> SenseDirections:
        """Of all words of the corpus: what is labelled does not depend on the words asked for."""
        corpus = material.corpus
        words = [word for word in corpus.vocabulary.words if word not in corpus.function_words]
        bases = known_bases(wordnet, words, material)
        glosses = GlossVectors(wordnet, material.vectors, self.least_cosine)
        found = {}
        with progress_bar("reading glosses", len(bases), unit="words") as advance:
            for word, base in bases.items():
                rows = glosses.find(word, list_synsets(wordnet, base, self.max_senses))
                found[word] = rows * inverse_norms(rows)[:, None]
                advance(1)
        return SenseDirections.collect(found, material.vectors.dim)

    def _train_senses(self, folder: Path, material: Material, glosses: SenseDirections) -> None:
        """Label the corpus and train on it, from the glosses on."""
        train_on_labels(
            folder,
            material,
            lambda output: self._label(output, material, glosses),
            epochs=self.epochs,
            min_count=self.min_count,
            start_from=_start_from_glosses(glosses, material.vectors),
        )

    def _label(self, output: Path, material: Material, glosses: SenseDirections) -> Corpus:
        """Words with one sense stay words: there is nothing to tell apart."""
        corpus = material.corpus
        several = glosses.select(
            word for word, n in zip(glosses.words, glosses.n_senses, strict=True) if n > 1
        )
        if not several.words:
            raise InputError(
                "no word of the corpus has two senses in WordNet: there is nothing to label"
            )
        word_of_token = np.full(len(corpus.vocabulary) + 1, -1, np.int32)
        word_of_token[corpus.vocabulary.ids_of(several.words)] = np.arange(len(several.words))
        vectors = material.vectors.vectors
        measure = OrderedMeasure(
            vectors=vectors * inverse_norms(vectors)[:, None],
            directions=np.asarray(several.directions),
            sense_offsets=several.offsets,
            row_of_token=rows_of_tokens(corpus, material.vectors),
            word_of_token=word_of_token,
            window=self.window,
            margin=self.margin,
            simple_first=self.order == _ORDERS[0],
        )
        return label_by_measure(
            corpus,
            output,
            Targets(list(several.words), several.n_senses, word_of_token),
            measure,
            Decoding(idk_threshold=None),
            {"model": self.name, "model_digest": digest_of_array(several.directions)},
            workers=material.workers,
        )

    def _collect_trained(
        self, glosses: SenseDirections, asked: list[str], folder: Path, material: Material
    ) -> CosineSenses:
        lexemes = LexemeVectors.load(folder / LEXEMES)
        space = merge_lexemes(lexemes)
        found = {}
        for word in asked:
            rows = np.array(glosses.directions[glosses.part_of(word)])
            if len(rows) == 1 and word in space:
                rows[0] = space[word]
            for sense, row in lexemes.sense_rows(word).items():
                rows[sense - 1] = lexemes.vectors.vectors[row]
            found[word] = rows
        return self._collect(SenseDirections.collect(found, material.vectors.dim), space, material)

    def _collect(
        self, senses: SenseDirections, space: WordVectors, material: Material
    ) -> CosineSenses:
        directions = senses.directions * inverse_norms(senses.directions)[:, None]
        shape = Windows.of(material, self.window)
        return CosineSenses(
            SenseDirections(senses.words, senses.n_senses, directions),
            Windows(space, shape.shape, shape.left_out),
            smooth_inverse_frequencies(space, 1e-3),
            sense_vectors=np.asarray(senses.directions),
        )


def _start_from_glosses(glosses: SenseDirections, vectors: WordVectors) -> WordVectors:
    """Every word and every sense under its key; senses are as long as their word."""
    keys = [
        encode_key(word, sense)
        for word, n_senses in zip(glosses.words, glosses.n_senses.tolist(), strict=True)
        for sense in range(1, n_senses + 1)
    ]
    owners = np.repeat(vectors.ids_of(glosses.words), glosses.n_senses)
    lengths = np.linalg.norm(vectors.vectors[owners], axis=1, keepdims=True)
    matrix = np.concatenate([vectors.vectors, glosses.directions * lengths])
    start = WordVectors([*map(encode_key, vectors.words), *keys], matrix, check=False)
    start.manifest = {"lexemes": {}}
    return start
