"""One round of iterative decoding: senses found again from contexts whose words have senses.

The paper's first open question. A round takes a labelled corpus and the lexeme vectors trained on
it; contexts are subspaces of lexeme vectors now, senses are induced from them again
(`induce_again`), and every occurrence is decoded again (`decode_again`), which gives the labelled
corpus of the next round. Sense numbers stay comparable: each round names its senses after those of
the round before that they cover best. `iterating` goes through the rounds.

Context words have the vector of the sense that they are labelled with, or, with ``soft_contexts``,
the expected vector over all their senses (`grassmeans_lab.iteration.encoders`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from grassmeans.arrays import Floats
from grassmeans.artifacts.writing import digest_of, digest_of_array
from grassmeans.clustering.settings import InductionSettings
from grassmeans.corpus.corpus import Corpus
from grassmeans.errors import InputError
from grassmeans.geometry.windows import ContextShape
from grassmeans.labelling.decoding import Decoding
from grassmeans.labelling.labeller import label_by_measure
from grassmeans.labelling.measuring import make_measure
from grassmeans.lexemes.lexeme_vectors import LexemeVectors
from grassmeans.senses.decoding import DEFAULT_SHARPNESS, IdkRule
from grassmeans.senses.entries import SkippedWord, WordSenses
from grassmeans.senses.induction import induce_words
from grassmeans.senses.inventory import SenseInventory
from grassmeans.senses.samples import WordSample
from grassmeans.senses.word_induction import WordInducer
from grassmeans_lab.iteration.encoders import make_encoder
from grassmeans_lab.iteration.labelled_words import LabelledWords
from grassmeans_lab.iteration.reports import match_senses


def induce_again(
    labelled: Corpus,
    lexemes: LexemeVectors,
    previous: SenseInventory,
    settings: InductionSettings,
    shape: ContextShape,
    *,
    soft_contexts: bool = False,
    sharpness: float = DEFAULT_SHARPNESS,
    device: str = "cpu",
    workers: int | None = 1,
    parts: Path | None = None,
    show_progress: bool | None = None,
) -> SenseInventory:
    """Induce the senses of all words of an inventory from contexts of lexemes.

    Parameters
    ----------
    labelled : Corpus
        Labelled with the senses of ``previous``.
    lexemes : LexemeVectors
        Trained on ``labelled``.
    settings : InductionSettings
        ``n_senses`` is not used: a word keeps as many senses as it has.
    shape : ContextShape
        What contexts are made of.
    soft_contexts : bool
        Whether context words are expected vectors over their senses instead of one sense's.
    sharpness : float
        Of the probabilities of these senses.
    device : {"cpu", "cuda"}
        Where contexts are encoded and grouped.
    workers, parts
        As for `grassmeans.senses.induction.induce`.

    Returns
    -------
    SenseInventory
        Sense k covers what sense k of ``previous`` covered, as far as any does. Words with too few
        contexts keep their entry, and are named in ``skipped``.
    """
    source = LabelledWords.of(labelled)
    encoder = make_encoder(source, lexemes, shape, sharpness if soft_contexts else None)
    encoder.use_device(device)
    inducer = WordReinducer(source, encoder, settings, n_senses=dict(previous.sense_counts))
    results = list(induce_words(previous.words, inducer, workers, parts, show_progress))
    return SenseInventory(
        [found if isinstance(found, WordSenses) else previous[found.word] for found in results],
        [found for found in results if isinstance(found, SkippedWord)],
    )


def decode_again(
    labelled: Corpus,
    lexemes: LexemeVectors,
    inventory: SenseInventory,
    shape: ContextShape,
    output: str | Path,
    *,
    soft_contexts: bool = False,
    decoding: str = "hard",
    idk_threshold: IdkRule,
    sharpness: float = DEFAULT_SHARPNESS,
    random_state: int = 0,
    device: str = "cpu",
    workers: int | None = 1,
    overwrite: bool = False,
    show_progress: bool | None = None,
) -> Corpus:
    """Decode every labelled occurrence again, from contexts of lexemes.

    Parameters
    ----------
    labelled : Corpus
        The corpus that ``inventory`` was induced on, or another one (test passages, say) that has
        been through the same rounds.
    inventory : SenseInventory
        From `induce_again` with the same ``lexemes``, ``shape`` and ``soft_contexts``.
    output : path
        Folder of the new labelled corpus.
    soft_contexts : bool
        As for `induce_again`.
    decoding, idk_threshold, random_state
        As for `grassmeans.labelling.labeller.relabel`.
    sharpness : float
        Of the probabilities, of soft labels as of soft contexts.
    device : {"cpu", "cuda"}
        Where distances are measured.
    """
    source = LabelledWords.of(labelled)
    targets = source.targets
    if [len(inventory.directions(word)) for word in targets.words] != targets.n_senses.tolist():
        raise InputError(
            f"{labelled.path} is not labelled with as many senses as the inventory has: both must "
            "have been through the same rounds"
        )
    encoder = make_encoder(source, lexemes, shape, sharpness if soft_contexts else None)
    encoder.use_device(device)
    measure = make_measure(source, encoder, inventory, targets)
    before = labelled.manifest["labelled"]
    depends_on = [
        before["model_digest"],
        [encoder.kind, shape.to_dict(), encoder.identity()],
        list(lexemes.vectors.words),
        digest_of_array(lexemes.vectors.vectors),
        digest_of_array(measure.lines.directions),
    ]
    return label_by_measure(
        labelled,
        output,
        targets,
        measure,
        Decoding(decoding, idk_threshold, sharpness, random_state),
        {"model": before["model"], "model_digest": digest_of(depends_on)},
        inputs=[lexemes.vectors.folder],
        workers=workers,
        overwrite=overwrite,
        show_progress=show_progress,
    )


@dataclass(frozen=True, slots=True)
class WordReinducer(WordInducer):
    """Induces the senses of one word after another, in the order of the senses that it has.

    The random streams are those of the first induction, so that rounds differ by their contexts
    only.

    Attributes
    ----------
    source : LabelledWords
        With the labels of the round before.
    n_senses : mapping
        How many senses each word has.
    """

    source: LabelledWords
    n_senses: Mapping[str, int] = field(default_factory=dict)

    def settings_of(self, word: str) -> InductionSettings:
        """Those of all words, with the number of senses that the word has."""
        return replace(self.settings, n_senses=self.n_senses[word])

    def order(self, sample: WordSample, directions: Floats) -> Floats:
        """The new senses in the order of the old ones that they cover."""
        labels = self.source.labels_at(sample.contexts.positions)
        found: Floats = directions[order_as_before(labels, sample.measure(directions))]
        return found


def order_as_before(
    labels: NDArray[np.int64], distances: NDArray[np.floating]
) -> NDArray[np.int64]:
    """The new senses in the order of the old ones that they cover.

    Parameters
    ----------
    labels : (n,) integers
        Of the round before, 0 for "I don't know".
    distances : (n, n_senses)
    """
    n_senses = distances.shape[1]
    matching = match_senses(labels, np.argmin(distances, axis=1) + 1, n_senses)
    return np.argsort(matching.renumbering[1:])
