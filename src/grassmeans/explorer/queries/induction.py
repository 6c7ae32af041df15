"""The dial: the senses of a word induced anew, with any number of them."""

from __future__ import annotations

import time
from dataclasses import dataclass, fields

import numpy as np

from grassmeans.errors import InputError
from grassmeans.explorer.failures import ConflictError, TooMuchError
from grassmeans.explorer.open_model import OpenModel
from grassmeans.explorer.queries.sampling import sample_word, word_id_of
from grassmeans.explorer.queries.splitting import SplitNode, trace_splits
from grassmeans.explorer.queries.words import WordView, require_word, view_entry
from grassmeans.explorer.work import Checkpoint
from grassmeans.senses.description import describe_senses, orient_directions
from grassmeans.senses.edited_words import EditedInventory
from grassmeans.senses.entries import WordSenses
from grassmeans.senses.induction import word_seeds
from grassmeans.senses.kgrassmeans import KGrassmeans
from grassmeans.senses.model import SenseModel
from grassmeans.senses.settings import AUTO

DEFAULT_CONTEXTS = 10_000


@dataclass(frozen=True, slots=True)
class InducedWord:
    """Senses induced anew, how they split, and how long it took."""

    entry: WordSenses
    tree: tuple[SplitNode, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class InducedView(WordView):
    """A word with senses induced anew."""

    seconds: float
    tree: tuple[SplitNode, ...]


def induce_senses(
    opened: OpenModel,
    word: str,
    n_senses: int | str,
    max_contexts: int = DEFAULT_CONTEXTS,
    checkpoint: Checkpoint | None = None,
) -> InducedWord:
    """Induce the senses of a word of the corpus, by the model's vectors and settings.

    With as many senses and contexts as the model was made with, and its own corpus, the result is
    the model's.

    Parameters
    ----------
    n_senses : int or "auto"

    Raises
    ------
    NoCorpusError, WordNotFoundError, ConflictError, TooMuchError, InputError
    """
    opened.require_corpus("inducing senses anew")
    check_dial(opened, n_senses, max_contexts)
    check = checkpoint or Checkpoint()
    key = opened.key_of(word)
    return opened.inductions.get_or_make(
        (key, n_senses, max_contexts), lambda: _induce(opened, key, n_senses, max_contexts, check)
    )


def view_induced(induced: InducedWord) -> InducedView:
    """The result of the dial, as it is shown."""
    view = view_entry(induced.entry, model_senses=False)
    shared = {field.name: getattr(view, field.name) for field in fields(WordView)}
    return InducedView(**shared, seconds=round(induced.seconds, 4), tree=induced.tree)


def check_dial(opened: OpenModel, n_senses: int | str, max_contexts: int) -> None:
    """Refuse what the dial does not reach."""
    work = opened.limits.work
    if n_senses != AUTO and (isinstance(n_senses, str) or not 1 <= n_senses <= work.senses):
        raise InputError(f'n_senses must be 1 to {work.senses}, or "auto"; got {n_senses!r}')
    if not 1 <= max_contexts <= work.contexts:
        raise TooMuchError(f"max_contexts must be 1 to {work.contexts:,}, got {max_contexts:,}")


def model_with(
    opened: OpenModel, word: str, n_senses: int | None, checkpoint: Checkpoint
) -> tuple[SenseModel, str]:
    """The model in which a word has its senses, or so many induced ones; and the word's key."""
    if n_senses is None:
        return opened.current, require_word(opened, word)
    entry = induce_senses(opened, word, n_senses, checkpoint=checkpoint).entry
    model = opened.current
    inventory = EditedInventory(model.inventory, {entry.word: entry})
    with_entry = SenseModel(model.vectors, inventory, model.rules, model.manifest, model.folder)
    return with_entry, entry.word


def is_induced(opened: OpenModel, word: str, n_senses: int | None) -> bool:
    """Whether `model_with` can answer without work."""
    key = (opened.key_of(word), n_senses, DEFAULT_CONTEXTS)
    return n_senses is None or key in opened.inductions


def _induce(
    opened: OpenModel, key: str, n_senses: int | str, max_contexts: int, checkpoint: Checkpoint
) -> InducedWord:
    started = time.perf_counter()
    word_id = word_id_of(opened, key)
    sample = sample_word(opened, key, max_contexts, checkpoint)
    n_contexts = len(sample.contexts)
    fewest = 1 if isinstance(n_senses, str) else n_senses
    if n_contexts < fewest:
        raise ConflictError(
            f"{key!r} has {n_contexts} contexts with {opened.settings.rank} known words or more, "
            f"too few for {fewest} senses: ask for fewer"
        )
    settings, vectors = opened.settings, opened.base.vectors
    starting = word_seeds(key, settings.random_state).spawn(2)[1]
    estimator = KGrassmeans(
        n_senses=n_senses,
        n_init=settings.n_init,
        random_state=np.random.default_rng(starting),
        max_senses=settings.max_senses,
        granularity=settings.granularity,
    )
    distances = estimator.fit_transform(sample.bases)
    checkpoint(0.7)
    directions = orient_directions(estimator.directions_, sample.contexts, vectors)
    corpus = sample.corpus
    senses = describe_senses(key, sample.contexts, distances, directions, corpus, vectors)
    checkpoint(0.8)
    count = int(corpus.vocabulary.counts[word_id])
    entry = WordSenses(key, count, n_contexts, directions, senses)
    tree = trace_splits(entry, sample, vectors, checkpoint)
    checkpoint(1.0)
    return InducedWord(entry, tree, time.perf_counter() - started)
