"""What methods that work word by word have in common: contexts, random streams, the loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from grassmeans.contexts import ContextExtractor
from grassmeans.errors import InputError
from grassmeans.laboratory.rivals.interface import ContextRule, Material
from grassmeans.parallel import effective_workers, map_tasks
from grassmeans.progress import progress_bar
from grassmeans.senses.induction import word_seeds

BATCH_WORDS = 16

Result = TypeVar("Result")
WordFunction = Callable[[str, NDArray[np.int32], np.random.Generator], Result | None]
"""Word, its contexts (n_contexts, 2 * window), its random stream -> what was found, or None."""


def map_words(
    function: WordFunction[Result],
    material: Material,
    rule: ContextRule,
    *,
    description: str = "inducing",
    show_progress: bool | None = None,
) -> dict[str, Result]:
    """Call a function with the contexts of every word; words that give None are left out.

    The contexts of a word are the same random sample for every method, `SenseInventory.induce`
    included, and each word has a random stream of its own: its senses do not change with the
    company it is in, nor with the number of workers.

    Parameters
    ----------
    function
        Of the top level of a module, or a method of an object that can be sent to a worker. Words
        that the corpus does not have are not asked.
    """
    extractor = extractor_for(material, rule)
    known = words_in_corpus(material)
    batches = [known[i : i + BATCH_WORDS] for i in range(0, len(known), BATCH_WORDS)]
    tasks = (
        (batch, function, extractor, material.max_contexts, material.random_state)
        for batch in batches
    )
    workers = min(effective_workers(material.workers), max(len(batches), 1))
    found: dict[str, Result] = {}
    with progress_bar(description, len(known), unit="words", show=show_progress) as advance:
        for batch, results in zip(batches, map_tasks(_map_batch, tasks, workers), strict=True):
            advance(len(batch))
            pairs = zip(batch, results, strict=True)
            found |= {word: result for word, result in pairs if result is not None}
    return found


def words_in_corpus(material: Material) -> list[str]:
    """The words asked for that the corpus has, each once."""
    vocabulary = material.corpus.vocabulary
    return [word for word in dict.fromkeys(material.words) if vocabulary.id_of(word) >= 0]


def extractor_for(material: Material, rule: ContextRule) -> ContextExtractor:
    """Extracts contexts from the corpus by a rule."""
    return ContextExtractor(
        material.corpus,
        material.vectors,
        window=rule.window,
        drop_repeats=rule.drop_repeats,
        drop_function_words=rule.drop_function_words,
    )


def check_at_least_one(**values: int) -> None:
    """Raise `InputError` for a parameter that is no whole number of 1 or more."""
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise InputError(f"{name} must be a whole number, 1 or more; got {value!r}")


def _map_batch(
    words: Sequence[str],
    function: WordFunction[Result],
    extractor: ContextExtractor,
    max_contexts: int,
    random_state: int,
) -> list[Result | None]:
    results = []
    for word in words:
        sampling, starting = word_seeds(word, random_state).spawn(2)
        contexts = extractor.extract(word, max_contexts=max_contexts, random_state=sampling)
        results.append(function(word, contexts.context_ids, np.random.default_rng(starting)))
    return results
