"""The senses of one word: its contexts are sampled, grouped and described.

A word's occurrences are sampled and turned into bases (`encode_words`), the bases are grouped by
K-Grassmeans (`group_contexts`), and the groups are described (`describe_sample`). Everything that
induces senses, of whatever kind of context, is made of these three.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from grassmeans.arrays import Floats
from grassmeans.clustering.settings import AUTO, InductionSettings
from grassmeans.contexts.interface import ContextEncoder
from grassmeans.errors import UnknownWordError
from grassmeans.senses.describing import describe_sample
from grassmeans.senses.entries import SkippedWord, WordSenses
from grassmeans.senses.function_words import judge_function_word
from grassmeans.senses.inflection import Groups, level_word
from grassmeans.senses.known_senses import KnownSenses
from grassmeans.senses.samples import (
    EncodedWord,
    WordSample,
    WordSource,
    complete_sample,
    encode_words,
    word_seeds,
)

if TYPE_CHECKING:
    from grassmeans.clustering.kgrassmeans import KGrassmeans

Result = WordSenses | SkippedWord


def group_contexts(
    word: str,
    bases: Floats,
    settings: InductionSettings,
    encoder: ContextEncoder,
    count: int | None = None,
) -> KGrassmeans:
    """K-Grassmeans, fitted to contexts of a word that occurs so often, or as often as given."""
    n_occurrences = len(bases) if count is None else count
    return make_grouper(word, n_occurrences, settings, encoder).fit(bases)


def group_sample(
    sample: WordSample,
    settings: InductionSettings,
    encoder: ContextEncoder,
    known: KnownSenses | None = None,
) -> Floats:
    """(n_senses, dim) the directions of a word's senses, in whatever forms it stands.

    Few contexts are grouped by what is ``known`` of the word, too.
    """
    encoded = EncodedWord(sample.contexts.positions, sample.bases)
    levelled = _level(sample.word, encoded, sample.source, encoder, known)
    found = group_contexts(sample.word, levelled, settings, encoder, sample.count)
    return Groups.of(found, levelled is not sample.bases).meet(sample.bases)


def _level(
    word: str,
    encoded: EncodedWord,
    source: WordSource,
    encoder: ContextEncoder,
    known: KnownSenses | None,
) -> Floats:
    """The bases of a word that are to be grouped; those of its contexts, where nothing is known."""
    levelled = level_word(word, encoded, source, encoder.lines_have_ends)
    if known is None or not encoder.lines_have_ends:
        return levelled
    return known.add_to(word, levelled, encoder.grouping.few_contexts)


def make_grouper(
    word: str, count: int, settings: InductionSettings, encoder: ContextEncoder, device: str = "cpu"
) -> KGrassmeans:
    """K-Grassmeans with the settings and the word's own random stream, not fitted."""
    from grassmeans.clustering.kgrassmeans import KGrassmeans  # scikit-learn: half a second, 90 MB

    starting = word_seeds(word, settings.random_state).spawn(2)[1]
    return KGrassmeans(
        n_senses=settings.n_senses,
        n_init=settings.n_init,
        random_state=np.random.default_rng(starting),
        device=device,
        granularity=settings.granularity,
        signed=encoder.lines_have_ends,
        rules=replace(encoder.rules_for(count), max_senses=settings.max_senses),
    )


@dataclass(frozen=True, slots=True)
class WordInducer:
    """Induces and describes the senses of one word after another.

    The result depends on the word, the source, the encoder and the settings only, not on which
    other words are induced or on the number of workers. Samples of words that are ``encoded``
    already, and their groups where contexts are ``grouped``, are taken as they are. Of
    ``function_words`` only those with content uses have senses. Where senses are ``known``, few
    contexts are grouped by them, too.
    """

    source: WordSource
    encoder: ContextEncoder
    settings: InductionSettings
    encoded: Mapping[str, EncodedWord] = field(default_factory=dict)
    grouped: Mapping[str, Groups] = field(default_factory=dict)
    function_words: frozenset[str] = frozenset()
    known: KnownSenses | None = None

    def __call__(self, word: str) -> Result:
        """The senses of a word, or why it has none."""
        try:
            encoded = self.encoded.get(word) or self._encode([word])[0]
        except UnknownWordError:
            return SkippedWord(word, "does not occur in the corpus")
        sample = complete_sample(word, encoded, self.source, self.encoder)
        settings = self.settings_of(word)
        if len(sample.contexts) < settings.fewest_contexts:
            return skip_poor_word(sample, self.encoder, settings)
        if (known := self.grouped.get(word)) is None:
            directions = group_sample(sample, settings, self.encoder, self.known)
        else:
            directions = known.meet(sample.bases)
        vectors = self.encoder.vectors
        entry = describe_sample(sample, self.order(sample, directions), vectors)
        if word in self.function_words:
            return judge_function_word(entry, sample, vectors)
        return entry

    def settings_of(self, word: str) -> InductionSettings:
        """The settings of one word."""
        return self.settings

    def order(self, sample: WordSample, directions: Floats) -> Floats:
        """The senses in the order that they are numbered in: as they were found."""
        return directions

    def _encode(self, words: Sequence[str]) -> list[EncodedWord]:
        return encode_words(words, self.source, self.encoder, self.settings)

    def encode_ahead(self, words: Sequence[str]) -> WordInducer:
        """The same, with words encoded together."""
        known = [word for word in words if self.occurs(word)]
        samples = [word.leave_out_poor() for word in self._encode(known)]
        return replace(self, encoded=dict(zip(known, samples, strict=True)))

    def group_ahead(self, words: Sequence[str]) -> WordInducer:
        """The same for some of the words that are encoded, their contexts grouped together.

        A tree has nothing for a device to do: it is left to those who describe the groups.
        """
        encoded = self.only(words).encoded
        rich, groupers = [], []
        for word, sample in encoded.items():
            settings = self.settings_of(word)
            by_tree = settings.n_senses == AUTO and self.encoder.grouping.by_tree
            if len(sample.bases) >= settings.fewest_contexts and not by_tree:
                count, device = self.source.count_of(word), self.encoder.device
                rich.append(word)
                groupers.append(make_grouper(word, count, settings, self.encoder, device))
        levelled = [
            _level(word, encoded[word], self.source, self.encoder, self.known) for word in rich
        ]
        if rich:
            from grassmeans.clustering.kgrassmeans import fit_together

            fit_together(groupers, levelled)
        grouped = {
            word: Groups.of(own, lines is not encoded[word].bases)
            for word, own, lines in zip(rich, groupers, levelled, strict=True)
        }
        return replace(self, encoded=encoded, grouped=grouped)

    def only(self, words: Sequence[str]) -> WordInducer:
        """The same, with what is known of some words alone: no more is sent to a worker."""
        encoded = {word: self.encoded[word] for word in words if word in self.encoded}
        grouped = {word: self.grouped[word] for word in words if word in self.grouped}
        known = None if self.known is None else self.known.only(words)
        return replace(self, encoded=encoded, grouped=grouped, known=known)

    def occurs(self, word: str) -> bool:
        """Whether the source has the word."""
        try:
            return self.source.count_of(word) > 0
        except UnknownWordError:
            return False


def skip_poor_word(
    sample: WordSample, encoder: ContextEncoder, settings: InductionSettings
) -> SkippedWord:
    """Say that a word has too few contexts."""
    wanted = "any sense" if settings.n_senses == AUTO else f"{settings.n_senses} senses"
    return SkippedWord(
        sample.word,
        f"has {len(sample.contexts)} contexts of {encoder.shape.fewest_words} known words or more, "
        f"too few for {wanted}",
    )
