"""K-Grassmeans as a method among others: the paper's contexts, on the rivals' material."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from grassmeans.artifacts.writing import digest_of
from grassmeans.clustering.settings import (
    DEFAULT_GRANULARITY,
    DEFAULT_MAX_SENSES,
    InductionSettings,
)
from grassmeans.contexts.subspaces import SubspaceEncoder
from grassmeans.corpus.occurrences import Occurrences
from grassmeans.evaluation.systems import ModelSenses, induce_from_occurrences
from grassmeans.geometry.windows import DEFAULT_RANK, DEFAULT_WINDOW, ContextShape
from grassmeans.lexemes.lexeme_vectors import LexemeVectors
from grassmeans.senses.induction import induce
from grassmeans.senses.inventory import SenseInventory
from grassmeans_lab.rivals.interface import ContextInducer, Material


@dataclass(eq=False)
class GrassmeansSenses(ContextInducer):
    """K-Grassmeans: subspaces of contexts, grouped by the direction in which they meet.

    Parameters
    ----------
    n_senses, n_init, max_senses, granularity
        As for `InductionSettings`.
    rank, weighting, window, drop_repeats
        As for `ContextShape`.
    lexemes : path, optional
        Lexeme vectors of a corpus that was labelled with senses of the same settings, corpus and
        vectors; the same senses are found again. They become the sense vectors.
    """

    name: ClassVar[str] = "grassmeans"

    n_senses: int | str = 2
    rank: int = DEFAULT_RANK
    weighting: str = "flat"
    n_init: int = 5
    window: int = DEFAULT_WINDOW
    drop_repeats: bool = False
    lexemes: str | Path | None = None
    max_senses: int = DEFAULT_MAX_SENSES
    granularity: float = DEFAULT_GRANULARITY

    def induce(self, material: Material) -> ModelSenses:
        """Induce as `grassmeans induce` does; an interrupted run goes on from its folder."""
        encoder, settings = self.make_encoder(material), self.make_settings(material)
        inventory = SenseInventory([])
        if material.words:
            inventory = induce(
                material.corpus,
                encoder,
                material.words,
                settings=settings,
                workers=material.workers,
                parts=_parts_folder(material, encoder, settings),
            )
        lexemes = None if self.lexemes is None else LexemeVectors.load(self.lexemes)
        return ModelSenses(encoder, inventory, lexemes)

    def induce_from(
        self, word: str, occurrences: Occurrences, material: Material
    ) -> ModelSenses | None:
        """Group these contexts; None where too few say something."""
        return induce_from_occurrences(
            word, occurrences, self.make_encoder(material), self.make_settings(material)
        )

    def make_encoder(self, material: Material) -> SubspaceEncoder:
        """The paper's contexts in the material's vectors."""
        shape = ContextShape.from_dict(vars(self))
        encoder = SubspaceEncoder(material.vectors, shape, material.corpus.function_words)
        encoder.use_device(material.device)
        return encoder

    def make_settings(self, material: Material) -> InductionSettings:
        """The settings of an induction from the material."""
        shared = {name: getattr(material, name) for name in ("max_contexts", "random_state")}
        return InductionSettings.from_dict(vars(self) | shared)


def _parts_folder(
    material: Material, encoder: SubspaceEncoder, settings: InductionSettings
) -> Path | None:
    """Where finished parts lie: those of other settings are not taken for these."""
    if material.folder is None:
        return None
    about = [settings.to_dict(), encoder.shape.to_dict(), material.corpus.manifest["digest"]]
    return material.folder / f"parts-{digest_of(about)}"
