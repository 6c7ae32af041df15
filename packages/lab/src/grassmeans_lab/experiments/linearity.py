"""Linearity: the vector of a merged word as a combination of its members' vectors.

Artificial words are merged from words that are drawn by their frequencies. Their two vectors start
at random and are trained by skip-gram; both vectors of all other words stay as they are. Only
windows around artificial words can change anything, so the text is cut down to these stretches.
Many artificial words leave almost all of it; with few, what is lost are draws of their output
vectors as negatives far away from them, which only matter where artificial words meet.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from joblib import parallel_config
from numpy.typing import NDArray

from grassmeans.corpus.corpus import Corpus
from grassmeans.engines import use_engine
from grassmeans.engines.parallel import map_tasks
from grassmeans.geometry.windows import rows_of_tokens
from grassmeans.kernels.arguments import Matrices
from grassmeans.vectors.training import (
    Material,
    MemoryShard,
    Trainer,
    TrainingSettings,
    draw_matrix,
)
from grassmeans.vectors.word_vectors import WordVectors
from grassmeans_lab.datasets.pseudowords import find_candidates
from grassmeans_lab.experiments.drawing import draw_curves
from grassmeans_lab.experiments.experiment import (
    Cell,
    ComparedValue,
    DataTable,
    Experiment,
    ExperimentSetup,
    Figure,
    Findings,
    Parameters,
    SkipExperimentError,
    summarise,
)

Rows = NDArray[np.int64]
Point = tuple[int, int]
"""Artificial words at a time, and members of each."""

_REACH_IN_WINDOWS = 3  # subsampling lets a window reach over dropped words; seldom farther


@dataclass(frozen=True, slots=True)
class Merger:
    """Words that are merged at the same time.

    Attributes
    ----------
    members : (n_words, size) int64
        Rows of the words that each artificial word is made of.
    first_row : int
        The row of the first artificial word, behind those of all words; the others follow.
    """

    members: Rows
    first_row: int

    @property
    def rows(self) -> slice:
        """The rows of the artificial words."""
        return slice(self.first_row, self.first_row + len(self.members))


@dataclass(frozen=True, slots=True)
class MergeableText:
    """A text in rows of the vectors, and the words in it that may be merged.

    Attributes
    ----------
    candidates, weights : (n_candidates,)
        Rows of content words, and their shares of all occurrences of such words.
    counts : (n_vectors,) int64
        Occurrences of every word in the whole corpus.
    """

    candidates: Rows
    weights: NDArray[np.float64]
    counts: NDArray[np.int64]
    text: MemoryShard

    @classmethod
    def read(
        cls, corpus: Corpus, vectors: WordVectors, *, min_count: int, max_tokens: int
    ) -> MergeableText:
        """Read about ``max_tokens`` tokens; candidates occur ``min_count`` times in the corpus."""
        row_of_token = rows_of_tokens(corpus, vectors, drop_function_words=False)
        known = row_of_token >= 0
        counts = np.zeros(len(vectors), np.int64)
        counts[row_of_token[known]] = np.asarray(corpus.vocabulary.counts)[known]
        found = vectors.ids_of(find_candidates(corpus, min_count, None)).astype(np.int64)
        candidates = found[found >= 0]
        weights = counts[candidates] / max(int(counts[candidates].sum()), 1)
        return cls(candidates, weights, counts, _read_documents(corpus, row_of_token, max_tokens))

    def draw(self, shape: tuple[int, ...], rng: np.random.Generator) -> Rows:
        """Different words, in proportion to their frequencies."""
        return rng.choice(self.candidates, shape, replace=False, p=self.weights)

    def merge_counts(self, merger: Merger, n_rows: int) -> NDArray[np.int64]:
        """(n_rows,) occurrences after merging; a row that stands for nothing here has none."""
        counts = np.zeros(n_rows, np.int64)
        counts[: len(self.counts)] = self.counts
        counts[merger.rows] = self.counts[merger.members].sum(axis=1)
        counts[merger.members] = 0
        return counts

    def merge(self, merger: Merger, reach: int) -> MemoryShard:
        """The text after merging, cut down to ``reach`` words on both sides of artificial ones."""
        new_row = np.arange(len(self.counts), dtype=np.int32)
        numbers = np.arange(len(merger.members), dtype=np.int32)
        new_row[merger.members] = merger.first_row + numbers[:, None]
        tokens, offsets = new_row[self.text.tokens], self.text.document_offsets
        places = np.flatnonzero(tokens >= len(self.counts))
        documents = np.searchsorted(offsets, places, side="right") - 1
        changes = np.zeros(len(tokens) + 1, np.int32)
        np.add.at(changes, np.maximum(places - reach, offsets[documents]), 1)
        np.add.at(changes, np.minimum(places + reach + 1, offsets[documents + 1]), -1)
        kept = np.flatnonzero(np.cumsum(changes[:-1]) > 0)
        # A stretch begins after a gap, and where a document does.
        owners = np.searchsorted(offsets, kept, side="right")
        begins = (np.diff(kept, prepend=-2) > 1) | (np.diff(owners, prepend=0) > 0)
        ends = np.append(np.flatnonzero(begins), len(kept)).astype(np.int64)
        return MemoryShard(tokens[kept], ends)


@dataclass(frozen=True, slots=True)
class MeasuredFits:
    """Fits of the artificial words of a point, to their members and to as many other words."""

    members: NDArray[np.float64]
    others: NDArray[np.float64]


@dataclass(frozen=True)
class Linearity(Experiment):
    """The fit of a linear combination, by members of a word and by artificial words at a time."""

    name: ClassVar[str] = "linearity"
    title: ClassVar[str] = "The vector of a merged word as a combination of its members' vectors"
    paper: ClassVar[str] = "figure 7, section 6"
    small: ClassVar[Parameters] = {
        "sizes": (1, 2, 3),
        "n_words": (1, 5),
        "words_beside_sizes": 5,
        "measured": 5,
        "max_tokens": 20_000,
        "min_count": 8,
    }

    sizes: tuple[int, ...] = (1, 2, 3, 4, 5, 6)
    n_words: tuple[int, ...] = (1, 10, 100, 1000)
    words_beside_sizes: int = 10
    size_beside_words: int = 2
    measured: int = 10
    max_tokens: int = 10_000_000
    min_count: int = 1_000
    epochs: int = 5
    window: int = 5

    def run(self, setup: ExperimentSetup) -> Findings:
        """Train every merger on the same text, and measure the fit of its words."""
        if setup.vectors.output is None:
            raise SkipExperimentError(
                "these vectors have no output vectors, without which nothing can be trained "
                "beside them: train vectors with `grassmeans vectors`"
            )
        text = MergeableText.read(
            setup.corpus, setup.vectors, min_count=self.min_count, max_tokens=self.max_tokens
        )
        mergers = list(self._draw_mergers(text, len(setup.vectors), setup.random_state))
        settings = TrainingSettings(
            window=self.window, epochs=self.epochs, random_state=setup.random_state
        )
        matrices = train_mergers(mergers, text, setup.vectors, settings, setup.workers)
        rng = np.random.default_rng([setup.random_state, 1])
        table = setup.vectors.vectors
        found: dict[Point, list[MeasuredFits]] = {}
        for merger in mergers:
            trained = matrices.inputs[merger.rows]
            others = text.draw(merger.members.shape, rng)
            fits = MeasuredFits(
                measure_fit(trained, table[merger.members]), measure_fit(trained, table[others])
            )
            found.setdefault(merger.members.shape, []).append(fits)
        return self._report({point: _join(parts) for point, parts in found.items()}, text)

    def _draw_mergers(
        self, text: MergeableText, first_row: int, random_state: int
    ) -> Iterator[Merger]:
        """Draw words for every point; several times where a point has few artificial words."""
        for n_words, size in dict.fromkeys([*self._by_size, *self._by_words(1), *self._by_words()]):
            if n_words * size > len(text.candidates):
                raise SkipExperimentError(
                    f"{n_words} artificial words of {size} need {n_words * size} words, but only "
                    f"{len(text.candidates)} content words occur {self.min_count:,} times"
                )
            for number in range(max(1, self.measured // n_words)):
                rng = np.random.default_rng([random_state, n_words, size, number])
                yield Merger(text.draw((n_words, size), rng), first_row)
                first_row += n_words

    @property
    def _by_size(self) -> list[Point]:
        return [(self.words_beside_sizes, size) for size in self.sizes]

    def _by_words(self, size: int | None = None) -> list[Point]:
        return [(n_words, size or self.size_beside_words) for n_words in self.n_words]

    def _report(self, fits: dict[Point, MeasuredFits], text: MergeableText) -> Findings:
        values = tuple(
            ComparedValue(
                f"fit, {n_words} artificial words of {size}", "", summarise(found.members)
            )
            for (n_words, size), found in sorted(fits.items())
        )
        size = self.size_beside_words
        figures = (
            _draw_fits(
                "members",
                f"{self.words_beside_sizes} artificial words at a time",
                {"its members": self._by_size},
                list(self.sizes),
                fits,
            ),
            _draw_fits(
                "words",
                f"{size} members each",
                {"its members": self._by_words(), "nothing merged": self._by_words(1)},
                list(self.n_words),
                fits,
            ),
        )
        return Findings(values, figures, _make_tables(fits), self._explain(fits, text))

    def _explain(self, fits: dict[Point, MeasuredFits], text: MergeableText) -> tuple[str, ...]:
        few, many = self.n_words[0], self.n_words[-1]
        merged, alone = (
            [float(fits[n_words, size].members.mean()) for n_words in (few, many)]
            for size in (self.size_beside_words, 1)
        )
        return (
            "The fit is the cosine between the trained vector and its least-squares fit by the "
            "vectors that its members had before. Vectors are trained for "
            f"{self.epochs} epochs on {len(text.text.tokens):,} words of the text, the same for "
            "all points. Where nothing is merged (one member) the fit is what training anew "
            "alone leaves, a yardstick for the others.",
            "The paper, which gives no numbers, reports that the fit worsens quickly with more "
            f"artificial words. Here it goes from {merged[0]:.2f} with {few} at a time to "
            f"{merged[1]:.2f} with {many:,}, and where nothing is merged from {alone[0]:.2f} to "
            f"{alone[1]:.2f}: this second change cannot come from merging, but from training many "
            "words at once, and from rarer words among many.",
        )


def train_mergers(
    mergers: Sequence[Merger],
    text: MergeableText,
    vectors: WordVectors,
    settings: TrainingSettings,
    workers: int | None,
) -> Matrices:
    """Train the artificial words of all mergers, and nothing else.

    Mergers are trained side by side: each has rows of its own, and changes no others.

    Returns
    -------
    Matrices
        The rows of ``vectors`` as they were, then those of the artificial words.
    """
    shape = (sum(len(merger.members) for merger in mergers), vectors.dim)
    starts = draw_matrix(*shape, np.random.default_rng([settings.random_state, 2]))
    frozen = np.arange(len(vectors) + len(starts)) < len(vectors)
    matrices = Matrices(
        np.concatenate([vectors.vectors, starts]),
        np.concatenate([np.asarray(vectors.output), np.zeros(shape, np.float32)]),
        frozen,
        frozen,
    )

    def train_one(merger: Merger) -> None:
        stretches = text.merge(merger, _REACH_IN_WINDOWS * settings.window)
        counts = text.merge_counts(merger, len(frozen))
        # One thread for each training: only then is it exactly repeatable.
        Trainer(Material([stretches], counts, matrices, settings), 1).run(show_progress=False)

    with use_engine("local"), parallel_config(backend="threading"):
        for _ in map_tasks(train_one, ((merger,) for merger in mergers), workers):
            pass
    return matrices


def measure_fit(trained: NDArray[np.float32], members: NDArray[np.float32]) -> NDArray[np.float64]:
    """(n_words,) cosine of each vector and its least-squares fit by its members' vectors.

    Parameters
    ----------
    trained : (n_words, dim)
    members : (n_words, size, dim)
    """
    axes, _ = np.linalg.qr(members.astype(np.float64).swapaxes(1, 2))
    vectors = trained.astype(np.float64)
    projected = np.linalg.norm(np.einsum("ndk,nd->nk", axes, vectors), axis=1)
    fit: NDArray[np.float64] = projected / np.linalg.norm(vectors, axis=1)
    return fit


def _join(parts: Sequence[MeasuredFits]) -> MeasuredFits:
    return MeasuredFits(
        np.concatenate([part.members for part in parts]),
        np.concatenate([part.others for part in parts]),
    )


def _make_tables(fits: dict[Point, MeasuredFits]) -> tuple[DataTable, ...]:
    head = ("artificial words", "members")
    points = sorted(fits.items())
    summary: tuple[tuple[Cell, ...], ...] = tuple(
        (*point, len(found.members), summarise(found.members), summarise(found.others))
        for point, found in points
    )
    every: tuple[tuple[Cell, ...], ...] = tuple(
        (*point, round(fit, 4), round(other, 4))
        for point, found in points
        for fit, other in zip(found.members.tolist(), found.others.tolist(), strict=True)
    )
    columns = ("fit", "fit to other words")
    caption = "Fit, mean and standard deviation"
    return (
        DataTable("linearity", (*head, "measured", *columns), summary, caption, shown=True),
        DataTable("linearity-fits", (*head, *columns), every),
    )


def _draw_fits(
    name: str,
    caption: str,
    lines: dict[str, list[Point]],
    x: Sequence[float],
    fits: dict[Point, MeasuredFits],
) -> Figure:
    samples = {label: [fits[p].members for p in points] for label, points in lines.items()}
    samples["as many other words"] = [fits[p].others for p in next(iter(lines.values()))]
    xlabels = {"members": "members of an artificial word", "words": "artificial words at a time"}
    return draw_curves(
        f"linearity-{name}",
        f"Fit of a linear combination, {caption}; bars are one standard deviation",
        {label: (x, [float(found.mean()) for found in line]) for label, line in samples.items()},
        xlabels[name],
        "cosine of vector and fit",
        errors={label: [float(found.std()) for found in line] for label, line in samples.items()},
        log_x=max(x) >= 100,
    )


def _read_documents(
    corpus: Corpus, row_of_token: NDArray[np.int32], max_tokens: int
) -> MemoryShard:
    """Documents evenly over the corpus, without the words that have no vector."""
    step = -(-corpus.n_tokens // max_tokens)
    rows = np.append(row_of_token, np.int32(-1))  # unknown tokens are -1: the last
    documents = []
    for shard in corpus.shards:
        offsets = np.asarray(shard.document_offsets)
        for start, end in zip(offsets[:-1:step], offsets[1::step], strict=True):
            tokens = rows[np.asarray(shard.tokens[start:end])]
            documents.append(tokens[tokens >= 0])
    sizes = [len(document) for document in documents]
    return MemoryShard(
        np.concatenate(documents), np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    )
