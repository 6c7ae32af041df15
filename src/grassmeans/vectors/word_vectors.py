"""Words and their vectors: look-up, neighbours, storage."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from grassmeans.arrays import Floats, Indices, Integers
from grassmeans.artifacts.schema import (
    check_arguments,
    either,
    instance_of,
    optional,
    path,
    shorten,
    whole,
)
from grassmeans.errors import ArtifactError, InputError, UnknownWordError
from grassmeans.vectors import similarity
from grassmeans.vectors.quantising import QuantisedRows
from grassmeans.vectors.similarity import NearestRows, Neighbour

WordOrVector: TypeAlias = str | NDArray[Any]
WordsOrVectors: TypeAlias = WordOrVector | Sequence[WordOrVector]

_SUGGESTIONS_FROM = 20_000  # the first words of the list: usually the most frequent


class WordVectors:
    """One vector a word; immutable.

    Parameters
    ----------
    words : sequence of str
        Each word once.
    vectors : (n, dim)
        Finite numbers; kept as float32 in C order, without a copy where they are that already.
        Rounded ones are restored when they are first asked for.
    counts : (n,), optional
        How often each word was seen in the corpus, whole numbers.
    output : (n, dim), optional
        The output (context) side of the skip-gram model.
    check : bool
        False leaves out the pass over all words and numbers (for data known to be sound).

    Attributes
    ----------
    words : list of str
    counts : (n,) int64 or None
    output : (n, dim) float32 or None
    manifest : mapping
        The manifest of the folder these vectors were read from; empty otherwise.
    folder : Path or None
        That folder.
    """

    def __init__(
        self,
        words: Sequence[str],
        vectors: ArrayLike | QuantisedRows,
        counts: ArrayLike | None = None,
        *,
        output: Floats | None = None,
        check: bool = True,
    ) -> None:
        if not isinstance(words, Iterable):
            raise InputError(f"words must be a list of texts, got {shorten(words)}")
        self.words: list[str] = list(words)
        self._rounded = vectors if isinstance(vectors, QuantisedRows) else None
        if self._rounded is None:
            self.vectors = _as_matrix(vectors, len(self.words))
        self.counts = None if counts is None else _as_counts(counts, len(self.words))
        self.output = output
        self.manifest: Mapping[str, Any] = {}
        self.folder: Path | None = None
        if check:
            _check_words(self.words)
            _check_finite(self.words, self.vectors)

    @cached_property
    def vectors(self) -> Floats:
        """(n, dim) float32, read-only; may be mapped from a file."""
        return _as_matrix(np.asarray(self._rounded), len(self.words))

    @property
    def dim(self) -> int:
        """The number of dimensions."""
        return int((self.vectors if self._rounded is None else self._rounded).shape[1])

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self._ids

    def __getitem__(self, word: str) -> Floats:
        """Give the vector of ``word``, (dim,); UnknownWordError where it has none."""
        row = self._ids.get(word)
        if row is None:
            raise UnknownWordError(self._explain_unknown(word))
        return np.asarray(self.vectors[row])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """Give the matrix, so that the vectors can stand where an array is expected."""
        return np.array(self.vectors, dtype=dtype, copy=copy)

    def __reduce__(self) -> tuple[Any, ...]:
        # Workers map the folder again; only vectors that lie nowhere travel themselves.
        if self.folder is not None:
            return (WordVectors.load, (self.folder,))
        return (partial(WordVectors, check=False), (self.words, self.vectors, self.counts))

    def __repr__(self) -> str:
        return f"WordVectors({len(self):,} words, {self.dim} dimensions)"

    def id_of(self, word: str) -> int | None:
        """Give the row of ``word``, or None where it has no vector."""
        return self._ids.get(word)

    def ids_of(self, words: Iterable[str]) -> Integers:
        """Give the row of every word, -1 for unknown ones; as many as ``words``."""
        get = self._ids.get
        return np.fromiter((get(word, -1) for word in words), dtype=np.int32)

    def similarity(self, first: WordOrVector, second: WordOrVector) -> float:
        """Compute the cosine of two words or vectors; 0 where one of the vectors is zero."""
        return similarity.cosine(self._vector_of(first), self._vector_of(second))

    @check_arguments(exclude=instance_of(Collection), topn=optional(whole()))
    def most_similar(
        self,
        word_or_vector: WordsOrVectors | None = None,
        n: int = 10,
        exclude: Collection[str] = (),
        *,
        positive: WordsOrVectors | None = None,
        negative: WordsOrVectors = (),
        topn: int | None = None,
    ) -> list[Neighbour]:
        """Find the words nearest to a word or a vector by cosine, best first.

        Parameters
        ----------
        word_or_vector, positive : str, (dim,) array or list of them
            Of several, the mean of their directions. A word is never its own neighbour. None are
            needed where ``negative`` is given.
        n, topn : int
            How many; gensim's users know it under the second name.
        exclude : collection of str
            Words to leave out; unknown ones are ignored.
        negative : str, (dim,) array or list of them
            What the neighbours should be unlike: "king" and "woman" less "man".
        """
        if word_or_vector is not None and positive is not None:
            raise InputError("most_similar needs a word or a vector, or several as positive=...")
        n = n if topn is None else topn
        if n < 0:
            raise InputError(f"n must be 0 or more, got {n}")
        given = word_or_vector if positive is None else positive
        wanted = [] if given is None else _list_items(given)
        unwanted = _list_items(negative)
        if not wanted and not unwanted:
            raise InputError(
                "most_similar needs a word or a vector, or several as positive=... or negative=..."
            )
        left_out = {exclude} if isinstance(exclude, str) else set(exclude)
        left_out |= {item for item in wanted + unwanted if isinstance(item, str)}
        rows = np.array([self._vector_of(item) for item in wanted + unwanted], np.float64)
        signs = np.repeat([1.0, -1.0], [len(wanted), len(unwanted)])
        query = signs @ similarity.unit_rows(rows)
        found = self.nearest(query[None, :], n + len(left_out))
        neighbours = (
            Neighbour(self.words[row], float(value))
            for row, value in zip(found.ids[0], found.similarities[0], strict=True)
        )
        return [neighbour for neighbour in neighbours if neighbour.word not in left_out][:n]

    @check_arguments()
    def nearest(self, queries: ArrayLike, n: int = 10, *, first: int | None = None) -> NearestRows:
        """Find the rows nearest to each query by cosine, best first, equal ones in row order.

        Parameters
        ----------
        queries : (n_queries, dim)
        n : int
            Rows a query; fewer come back where there are fewer words.
        first : int, optional
            Look only at the first so many words, usually the most frequent ones: rare words lie
            close to many directions by accident and mean little to people.
        """
        matrix = np.asarray(queries)
        if matrix.ndim != 2 or matrix.shape[1] != self.dim:
            raise InputError(f"queries must have shape (n_queries, {self.dim}), got {matrix.shape}")
        if not np.isfinite(matrix).all():
            raise InputError("a query vector holds NaN or infinity: only finite numbers compare")
        if n < 0:
            raise InputError(f"n must be 0 or more, got {n}")
        return similarity.nearest_rows(self.vectors[:first], self._inverse_norms[:first], matrix, n)

    def normalized(self) -> WordVectors:
        """Give the same words with every vector scaled to length 1; zero vectors stay zero."""
        unit = self.vectors * self._inverse_norms[:, None]
        return WordVectors(self.words, unit, self.counts, check=False)

    def save(
        self,
        path: str | Path,
        *,
        bits: int | None = None,
        overwrite: bool = False,
        extra: Mapping[str, Any] | None = None,
        output: NDArray[Any] | None = None,
    ) -> None:
        """Store the vectors as a folder that `load` opens memory-mapped.

        Parameters
        ----------
        path : path
            A folder that does not exist yet, or an artifact when ``overwrite`` is set.
        bits : {4, 6, 8}, optional
            Round the numbers to so many bits, for a small folder (the output side stays as it is).
        extra : mapping, optional
            More manifest fields (training parameters, digests), JSON-serialisable.
        output : (n, dim), optional
            The context side of the skip-gram model; by default the ``output`` attribute.
        """
        from grassmeans.vectors.storage import write_vectors_folder

        write_vectors_folder(
            self, Path(path), overwrite=overwrite, bits=bits, extra=extra, output=output
        )

    @classmethod
    @check_arguments(limit=optional(whole(1)))
    def load(cls, path: str | Path, *, limit: int | None = None) -> WordVectors:
        """Open vectors: a folder that `save` wrote, or a word2vec, GloVe or fastText file.

        The format of a file is found from its content; compressed files are opened as they are.

        Parameters
        ----------
        limit : int, optional
            For files only: read just the first so many words.
        """
        from grassmeans.vectors.formats import read_vectors_file
        from grassmeans.vectors.storage import read_vectors_folder

        if Path(path).is_dir():
            return read_vectors_folder(Path(path))
        return read_vectors_file(path, limit=limit)

    @cached_property
    def _ids(self) -> dict[str, int]:
        ids = {word: row for row, word in enumerate(self.words)}
        if len(ids) != len(self.words):
            try:
                _check_words(self.words)
            except InputError as error:
                if self.folder is None:
                    raise
                raise ArtifactError(f"{self.folder / 'words.txt'} is damaged: {error}") from error
        return ids

    @cached_property
    def _inverse_norms(self) -> Floats:
        return similarity.inverse_norms(self.vectors)

    def _vector_of(self, word_or_vector: WordOrVector) -> NDArray[Any]:
        if isinstance(word_or_vector, str):
            return self[word_or_vector]
        vector = np.asarray(word_or_vector)
        if vector.shape != (self.dim,):
            raise InputError(f"a vector must have shape ({self.dim},), got {vector.shape}")
        if vector.dtype.kind not in "fiub":
            raise InputError(f"a vector must be of numbers, got {shorten(word_or_vector)}")
        return vector

    def _explain_unknown(self, word: str) -> str:
        message = f"{word!r} is not among the {len(self):,} words with a vector"
        if not isinstance(word, str):
            return f"{message}: words are strings, got {type(word).__name__}"
        variants = (word.lower(), word.capitalize(), word.replace(" ", "_"))
        close = [form for form in dict.fromkeys(variants) if form != word and form in self._ids]
        start = word[:1].casefold()
        # Comparing with every word takes seconds: only frequent ones that begin alike.
        alike = [
            other
            for other in self.words[:_SUGGESTIONS_FROM]
            if other[:1].casefold() == start and abs(len(other) - len(word)) <= 2
        ]
        close += difflib.get_close_matches(word, alike, n=3, cutoff=0.75)
        if not close:
            return message
        suggestions = ", ".join(repr(form) for form in dict.fromkeys(close))
        return f"{message}; did you mean {suggestions}?"


def _list_items(given: Any) -> list[Any]:
    """Words and vectors of one or several; numbers alone are one vector."""
    several = isinstance(given, list | tuple)
    if several and all(isinstance(item, str | np.ndarray) for item in given):
        return list(given)
    return [given]


def _as_matrix(vectors: ArrayLike, n_words: int) -> Floats:
    array = np.asarray(vectors)
    if array.dtype.kind not in "fiu":
        raise InputError(f"vectors must be numbers, got an array of type {array.dtype}")
    if array.ndim != 2 or array.shape[1] < 1:
        raise InputError(
            f"vectors must have shape (number of words, dim) with dim >= 1, got {array.shape}"
        )
    if len(array) != n_words:
        raise InputError(f"{n_words:,} words need as many vectors, got {len(array):,}")
    with np.errstate(over="ignore"):  # numbers beyond float32 become infinite and are reported
        matrix = np.ascontiguousarray(array, dtype=np.float32).view()
    # Read-only, as mapped files are, so that the cached norms can never be out of date.
    matrix.flags.writeable = False
    return matrix


def _as_counts(counts: ArrayLike, n_words: int) -> Indices:
    array = np.asarray(counts)
    if array.shape != (n_words,):
        raise InputError(f"counts must have shape ({n_words},), got {array.shape}")
    if array.dtype.kind not in "iu" and n_words:
        raise InputError(f"counts must be whole numbers, got an array of type {array.dtype}")
    return array.astype(np.int64, copy=False)


def _check_words(words: list[str]) -> None:
    if len(set(words)) != len(words):
        first_rows: dict[str, int] = {}
        for row, word in enumerate(words):
            if word in first_rows:
                raise InputError(
                    f"the word {word!r} occurs twice, in rows {first_rows[word]} and {row}: "
                    "each word can have one vector only"
                )
            first_rows[word] = row
    for row, word in enumerate(words):
        if not isinstance(word, str):
            raise InputError(f"words must be strings, got {word!r} in row {row}")


def _check_finite(words: list[str], vectors: Floats) -> None:
    for rows in similarity.iterate_row_blocks(len(vectors)):
        finite = np.isfinite(vectors[rows]).all(axis=1)
        if not finite.all():
            row = rows.start + int(np.argmin(finite))
            raise InputError(
                f"the vector of {words[row]!r} (row {row}) holds NaN or a number too large for "
                "float32: remove the word or train again"
            )


@check_arguments(vectors=either(instance_of(WordVectors), path))
def open_vectors(vectors: WordVectors | str | Path) -> WordVectors:
    """Word vectors as they are, or those of a folder or file: what every door takes."""
    return vectors if isinstance(vectors, WordVectors) else WordVectors.load(vectors)
