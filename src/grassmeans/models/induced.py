"""An inventory that tags by itself, and `induce` that gives one: both until 0.3.0.

`SenseModel.fit` is the way from a corpus to something that tags.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from grassmeans.artifacts.schema import check_arguments, instance_of, optional
from grassmeans.clustering.settings import InductionSettings
from grassmeans.contexts.interface import ContextEncoder, UnfittedContexts
from grassmeans.contexts.subspaces import SubspaceEncoder
from grassmeans.corpus.corpus import Corpus, open_corpus
from grassmeans.corpus.vocabulary import load_function_words
from grassmeans.errors import InputError
from grassmeans.geometry.windows import ContextShape
from grassmeans.models.model import SenseModel
from grassmeans.senses import induction
from grassmeans.senses.inventory import SenseInventory
from grassmeans.tagging.marked_text import AnyTokenizer
from grassmeans.tagging.tagging import TaggedText
from grassmeans.text.tokenizer import Tokenizer
from grassmeans.vectors.word_vectors import WordVectors


class InducedInventory(SenseInventory):
    """An inventory that knows what contexts are made of, or is told: it can tag."""

    _reading: tuple[ContextEncoder, AnyTokenizer] | None = None

    @classmethod
    def __subclasshook__(cls, other: type) -> bool:
        # Under its old name at the top of the package it was the class of all inventories.
        return SenseInventory in other.__mro__

    def to_model(
        self, contexts: WordVectors | ContextEncoder | None = None, language: str = "en"
    ) -> SenseModel:
        """A model with these senses, ready to tag and to be saved.

        Parameters
        ----------
        contexts : WordVectors or ContextEncoder, optional
            What the senses were induced from; an inventory that `induce` has just given knows it
            itself, one that was read from a folder does not.
        language : str
            With word vectors: whose function words describe no context.
        """
        encoder, tokenizer = self._reading or (None, Tokenizer())
        if isinstance(contexts, WordVectors):
            encoder = SubspaceEncoder(contexts, ContextShape(), load_function_words(language))
        elif contexts is not None:
            encoder = contexts
        if encoder is None:
            raise InputError(
                "an inventory that was read from a folder does not know its contexts: give them as "
                "contexts=..., or save and load a model"
            )
        return SenseModel(encoder, self, tokenizer)

    def tag(self, text: str | None = None, **options: Any) -> TaggedText:
        """Find the sense of every known word of a text, as `SenseModel.tag` does."""
        return self.to_model().tag(text, **options)


@check_arguments(settings=optional(instance_of(InductionSettings)))
def induce(
    corpus: Corpus | str | Path,
    contexts: WordVectors | ContextEncoder | UnfittedContexts | str | Path,
    words: str | Iterable[str] | None = None,
    *,
    min_count: int | None = None,
    settings: InductionSettings | None = None,
    workers: int | None = 1,
    parts: Path | None = None,
    show_progress: bool | None = None,
    **changes: Any,
) -> InducedInventory:
    """Induce senses as `grassmeans.senses.induction.induce` does; the inventory can tag."""
    source = open_corpus(corpus)
    encoder, settings = induction.choose_encoder(
        source, contexts, settings, changes, show_progress=show_progress
    )
    found = induction.induce(
        source,
        encoder,
        words,
        min_count=min_count,
        settings=settings,
        workers=workers,
        parts=parts,
        show_progress=show_progress,
    )
    inventory = InducedInventory.from_compact(found.to_compact())
    inventory._reading = (encoder, source.text_tokenizer)
    return inventory
