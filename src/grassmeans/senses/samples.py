"""Contexts of a word: a random sample of its occurrences, encoded, and described to people.

Whatever groups or shows the contexts of a word starts from a `WordSample`. What makes a sense
visible to people are its name, characteristic and nearest words, and example lines.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from grassmeans.arrays import Doubles, Floats, Indices, Integers
from grassmeans.clustering.settings import InductionSettings
from grassmeans.contexts.interface import ContextEncoder, OccurrenceSource
from grassmeans.corpus.shard import ConcordanceLine
from grassmeans.geometry.distances import measure_distances, usable_contexts
from grassmeans.geometry.windows import Contexts, sample_positions
from grassmeans.senses.entries import ExampleLine, Sense, WordSenses
from grassmeans.vectors.similarity import unit_rows
from grassmeans.vectors.word_vectors import WordVectors

N_CHARACTERISTIC = 12
N_NEAREST = 10
N_EXAMPLES = 7
NEAREST_AMONG = 20_000  # nearest words are looked for among this many of the most frequent ones
EXAMPLE_WIDTH = 100
WORDS_IN_NAME = 3
_PRIOR_SHARE = 0.1
_FEWEST_OCCURRENCES = 3
_SHORTEST_WORD = 3
_SHORTEST_STEM = 3


class WordSource(OccurrenceSource, Protocol):
    """A corpus, or a view of one, whose words have occurrences and lines of text."""

    def positions(self, word: str) -> Indices:
        """(n,) positions of a word, in text order; `UnknownWordError` where it does not occur."""
        ...

    def count_of(self, word: str) -> int:
        """How often a word occurs."""
        ...

    def forms_of(self, word: str) -> tuple[tuple[str, int], ...]:
        """The forms that count as a word, with their counts; none where it stands for itself."""
        ...

    def tokens_at(self, positions: Indices) -> Integers:
        """(n,) ids of the forms at positions in text order."""
        ...

    def line_at(self, position: int, width: int = 60) -> ConcordanceLine:
        """The text around an occurrence."""
        ...


@dataclass(frozen=True, slots=True)
class WordSample:
    """Contexts of a word that say something, with their bases (n_contexts, rank, dim)."""

    word: str
    contexts: Contexts
    bases: Floats
    source: WordSource
    lines_have_ends: bool = False  # as of a `ContextEncoder`
    function_words: frozenset[str] = frozenset()  # which tell nothing of a sense

    @property
    def count(self) -> int:
        """How often the word occurs, in the sample or not."""
        return self.source.count_of(self.word)

    def orient(self, directions: Floats, vectors: WordVectors) -> Floats:
        """Choose the signs of directions: to the side of the contexts, or of the words in them."""
        if not self.lines_have_ends:
            return orient_directions(directions, self.contexts, vectors)
        nearest = measure_distances(self.bases, directions).argmin(axis=1)
        projections = (self.bases[:, 0] * directions[nearest]).sum(axis=1)
        sides = np.bincount(nearest, projections, minlength=len(directions))
        return directions * np.where(sides < 0, -1.0, 1.0).astype(np.float32)[:, None]

    def describe(self, directions: Floats, vectors: WordVectors) -> tuple[Sense, ...]:
        """What makes the senses of these directions (n_senses, dim) visible to people."""
        n_senses, distances = len(directions), self.measure(directions)
        labels = np.argmin(distances, axis=1)
        words = characteristic_words(self.contexts.context_ids, labels, n_senses)
        nearest = find_nearest_words(self.word, directions, vectors, self.function_words)
        characteristic = [tuple(vectors.words[i] for i in rows) for rows in words]
        # Without other senses nothing is characteristic but the topic: near words say it. Where
        # lines point to what they mean, these tell a sense best.
        candidates: Sequence[Sequence[str]] = characteristic
        if self.lines_have_ends or n_senses == 1:
            candidates = [(*nearest[k], *characteristic[k]) for k in range(n_senses)]
        names = name_senses(self.word, candidates, directions, vectors)
        senses = []
        for k in range(n_senses):
            mine = labels == k
            senses.append(
                Sense(
                    number=k + 1,
                    share=float(mine.mean()),
                    mean_distance=float(distances[mine, k].mean()) if mine.any() else 1.0,
                    characteristic_words=characteristic[k],
                    nearest_words=nearest[k],
                    examples=self._find_examples(distances, np.flatnonzero(mine), k),
                    name=names[k],
                )
            )
        return tuple(senses)

    def _find_examples(self, distances: Doubles, mine: Indices, k: int) -> tuple[ExampleLine, ...]:
        """The lines nearest to this sense and far from the others, one a document, none twice."""
        nearness = distances[mine, k]
        if distances.shape[1] > 1:
            nearness = nearness - np.delete(distances[mine], k, axis=1).min(axis=1)
        examples: list[ExampleLine] = []
        seen: set[str] = set()
        for i in mine[np.argsort(nearness, kind="stable")][: 10 * N_EXAMPLES]:
            line = self.source.line_at(int(self.contexts.positions[i]), EXAMPLE_WIDTH)
            document = line.document_title or line.document_id
            if document in seen or str(line) in seen:
                continue
            seen |= {document, str(line)}
            distance = round(float(distances[i, k]), 4)
            examples.append(ExampleLine(line.left, line.word, line.right, document, distance))
            if len(examples) == N_EXAMPLES:
                break
        return tuple(examples)

    def measure(self, directions: Floats) -> Doubles:
        """(n_contexts, n_senses) distances to directions; 1 to a direction of zeros."""
        return measure_distances(self.bases, directions, signed=self.lines_have_ends)

    def __getitem__(self, part: slice | NDArray[Any]) -> WordSample:
        """Some of the contexts."""
        bases = np.ascontiguousarray(self.bases[part])
        return replace(self, contexts=self.contexts[part], bases=bases)


def describe_sample(sample: WordSample, directions: Floats, vectors: WordVectors) -> WordSenses:
    """The senses of a word, as its contexts show them."""
    turned = sample.orient(directions, vectors)
    described = sample.describe(turned, vectors)
    forms = sample.source.forms_of(sample.word)
    found = WordSenses(sample.word, sample.count, len(sample.contexts), turned, described)
    return replace(found, forms=forms)


@dataclass(frozen=True, slots=True)
class EncodedWord:
    """A random sample of a word's occurrences with their bases, of which some may say nothing."""

    positions: Indices  # (n,)
    bases: Floats  # (n, rank, dim)

    def leave_out_poor(self) -> EncodedWord:
        """Without the occurrences that say nothing."""
        usable = usable_contexts(self.bases)
        return self if usable.all() else EncodedWord(self.positions[usable], self.bases[usable])


def encode_words(
    words: Sequence[str], source: WordSource, encoder: ContextEncoder, settings: InductionSettings
) -> list[EncodedWord]:
    """Sample the occurrences of words (`UnknownWordError` for none), and encode all at once."""
    drawn = [draw_positions(word, source, settings) for word in words]
    if len(drawn) == 1:
        return [EncodedWord(drawn[0], encoder.encode_at(source, drawn[0]))]
    if not drawn:
        return []
    bases = encoder.encode_unordered(source, np.concatenate(drawn))
    ends = np.cumsum([len(positions) for positions in drawn])
    parts = np.split(bases, ends[:-1])
    return [EncodedWord(positions, own) for positions, own in zip(drawn, parts, strict=True)]


def draw_positions(word: str, source: WordSource, settings: InductionSettings) -> Indices:
    """(n,) positions of a random sample of a word's occurrences, in text order."""
    seeds = word_seeds(word, settings.random_state).spawn(2)[0]
    return sample_positions(source.positions(word), settings.max_contexts, seeds)


def complete_sample(
    word: str, encoded: EncodedWord, source: WordSource, encoder: ContextEncoder
) -> WordSample:
    """What is needed to group and to describe a word's contexts, without those that say nothing."""
    kept = encoded.leave_out_poor()
    contexts = Contexts(encoder.describe_at(source, kept.positions), kept.positions)
    # The word's own forms tell no more of its senses than function words do.
    telling_nothing = encoder.function_words | {form for form, _ in source.forms_of(word)}
    return WordSample(word, contexts, kept.bases, source, encoder.lines_have_ends, telling_nothing)


def sample_word(
    word: str, source: WordSource, encoder: ContextEncoder, settings: InductionSettings
) -> WordSample:
    """A sample of a word's occurrences that say something; `UnknownWordError` where it has none."""
    (encoded,) = encode_words([word], source, encoder, settings)
    return complete_sample(word, encoded, source, encoder)


def word_seeds(word: str, random_state: int) -> np.random.SeedSequence:
    """One random stream per word: its senses do not change with the company it is induced in.

    The first that is spawned from it samples contexts, the second starts their grouping.
    """
    return np.random.SeedSequence([random_state, zlib.crc32(word.encode())])


def orient_directions(directions: Floats, contexts: Contexts, vectors: WordVectors) -> Floats:
    """Choose the signs so that context words lie on the positive side.

    An intersection direction is a line and its sign means nothing to distances; neighbours in the
    vector space need the end that the words are at.
    """
    rows, counts = np.unique(contexts.context_ids, return_counts=True)
    counts = counts[rows >= 0].astype(np.float32)
    centre = counts @ vectors.vectors[rows[rows >= 0]]
    signs = np.where(directions @ centre < 0, -1.0, 1.0).astype(np.float32)
    return directions * signs[:, None]


def characteristic_words(
    context_ids: Integers, labels: NDArray[np.integer], n_senses: int
) -> list[Integers]:
    """Rows of the words that mark each sense, best first.

    Score: the log odds of a word in this sense against the other senses, smoothed with the word's
    overall frequency as a prior, divided by their standard error (Monroe et al. 2008).
    """
    present = context_ids >= 0
    rows, column = np.unique(context_ids[present], return_inverse=True)
    group = np.broadcast_to(labels[:, None], context_ids.shape)[present]
    counts = np.bincount(group * len(rows) + column, minlength=n_senses * len(rows))
    counts = counts.reshape(n_senses, len(rows)).astype(np.float64)
    total = counts.sum(axis=0)
    if n_senses == 1:
        return [rows[np.argsort(-total, kind="stable")[:N_CHARACTERISTIC]].astype(np.int32)]
    prior = _PRIOR_SHARE * total
    result = []
    for k in range(n_senses):
        inside = counts[k] + prior
        outside = total - counts[k] + prior
        odds = np.log(inside / np.maximum(inside.sum() - inside, 1e-9))
        other_odds = np.log(outside / np.maximum(outside.sum() - outside, 1e-9))
        score = (odds - other_odds) / np.sqrt(1 / inside + 1 / outside)
        usable = counts[k] >= min(_FEWEST_OCCURRENCES, counts[k].max(initial=0))
        order = np.argsort(np.where(usable, -score, np.inf), kind="stable")[:N_CHARACTERISTIC]
        result.append(rows[order[score[order] > 0]].astype(np.int32))
    return result


def find_nearest_words(
    word: str, directions: Floats, vectors: WordVectors, function_words: Collection[str] = ()
) -> list[tuple[str, ...]]:
    """The words nearest to each direction, without the word itself and, mostly, function words."""
    found = vectors.nearest(directions, 5 * N_NEAREST, first=NEAREST_AMONG)
    names = [[vectors.words[row] for row in rows] for rows in found.ids]
    kept = [[name for name in line if name != word] for line in names]
    telling = [[name for name in line if name not in function_words] for line in kept]
    return [tuple((best or line)[:N_NEAREST]) for best, line in zip(telling, kept, strict=True)]


def name_senses(
    word: str, candidates: Sequence[Sequence[str]], directions: Floats, vectors: WordVectors
) -> tuple[str, ...]:
    """A name of up to three words for every sense, such as "river, basin, dam".

    No word stands in two names or twice in one, not even inflected, and none is the word itself.
    Candidates of each sense are the words to choose from, most characteristic first; all have
    vectors. Directions (n_senses, dim) are turned to their side (see `orient_directions`).
    """
    ranked = [_rank_candidates(words, k, directions, vectors) for k, words in enumerate(candidates)]
    chosen: list[list[str]] = [[] for _ in candidates]
    taken = [word]
    # In turns: every sense gets its best word before any gets its second.
    for _ in range(WORDS_IN_NAME):
        for words, name in zip(ranked, chosen, strict=True):
            new = (w for w in words if not any(_share_stem(w, other) for other in taken))
            found = next((w for w in new if len(w) >= _SHORTEST_WORD and w.isalpha()), None)
            if found is not None:
                name.append(found)
                taken.append(found)
    return tuple(
        ", ".join(name) or next(iter(words), "") for name, words in zip(chosen, ranked, strict=True)
    )


def _rank_candidates(
    words: Sequence[str], sense: int, directions: Floats, vectors: WordVectors
) -> list[str]:
    """Words by the sum of two ranks: how characteristic, and how much nearer than to the others."""
    if not words:
        return []
    rows = vectors.vectors[vectors.ids_of(words)]
    cosines = unit_rows(rows) @ directions.T
    others = np.delete(cosines, sense, axis=1)
    nearer = cosines[:, sense] - (others.max(axis=1) if others.size else 0.0)
    ranks = np.arange(len(words)) + np.argsort(np.argsort(-nearer, kind="stable"))
    return [words[i] for i in np.argsort(ranks, kind="stable")]


def _share_stem(one: str, other: str) -> bool:
    """Whether two words begin alike: with half of the longer one, three letters at least.

    A rule for any language that inflects at the end; that it parts a few unrelated words too costs
    a name its second choice and no more.
    """
    common = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        common += 1
    return common >= max(_SHORTEST_STEM, max(len(one), len(other)) / 2) or one == other
