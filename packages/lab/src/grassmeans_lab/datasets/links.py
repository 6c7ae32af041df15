"""A test set from the links of a Wikipedia dump: the paper's way to Makes-Sense-2016.

Whoever links a word to a page says which sense of the word is meant. All occurrences of a word that
are linked alone are grouped by the page; redirects are followed, and further pages can be counted
as one, as the authors of the paper did by hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grassmeans.corpus.corpus import Corpus
from grassmeans.errors import InputError, UnknownWordError
from grassmeans.outputs.places import check_output
from grassmeans.progress import progress_bar
from grassmeans.reading.given import check_words
from grassmeans_lab.datasets.link_table import LinkTable, collect_links
from grassmeans_lab.datasets.writing import (
    KIND,
    DatasetSummary,
    LabelledInstance,
    Positions,
    Sampling,
    make_instance,
    make_label,
    order_occurrences,
    sample_senses,
    text_around,
    write_dataset,
)
from grassmeans_lab.evaluation.inflection import irregular_forms, regular_forms

Senses = dict[str, Positions]


@dataclass(frozen=True, slots=True)
class LinkSettings:
    """What goes into a test set of links.

    Parameters
    ----------
    min_instances : int
        Pages that a word is linked to less often are no senses of it.
    min_senses : int
        Words with fewer senses are left out.
    max_words : int, optional
        The words with the most instances, at most so many.
    inflected : bool
        English plurals count as their singular: ``cranes`` is an occurrence of ``crane``.
    context_chars : int
        Characters of text on either side.
    sampling : Sampling
        How many instances of a sense, and the split.
    """

    min_instances: int = 10
    min_senses: int = 2
    max_words: int | None = None
    inflected: bool = False
    context_chars: int = 500
    sampling: Sampling = field(default_factory=Sampling)

    def __post_init__(self) -> None:
        limits = {"min_instances": 1, "min_senses": 1, "context_chars": 1}
        for name, smallest in limits.items():
            if getattr(self, name) < smallest:
                raise InputError(f"{name} must be {smallest} or more, got {getattr(self, name)}")
        if self.max_words is not None and self.max_words < 1:
            raise InputError(f"max_words must be 1 or more, got {self.max_words}")


def build_links(
    corpus: Corpus,
    output: str | Path,
    settings: LinkSettings | None = None,
    *,
    words: str | Iterable[str] | None = None,
    merges: Mapping[str, str] | None = None,
    overwrite: bool = False,
    show_progress: bool | None = None,
) -> DatasetSummary:
    """Write a test set of the linked words of a corpus.

    `InputError` where the corpus has no links, or no word qualifies. `UnknownWordError` where a
    word does not occur in the corpus.

    Parameters
    ----------
    corpus : Corpus
        Of a MediaWiki dump, ingested with its links.
    output : path
        Folder of the test set: ``instances.jsonl`` and ``instances.key``, or ``train`` and
        ``test`` with a split. Labels are page titles with underscores.
    words : iterable of str, optional
        The words to take; those that do not qualify are reported. By default all that qualify.
    merges : mapping, optional
        Page -> page that it counts as, besides the redirects of the dump.
    """
    chosen = settings or LinkSettings()
    folder = Path(output)
    check_output(folder, KIND, inputs=[corpus.path], overwrite=overwrite)
    wanted = None if words is None else list(dict.fromkeys(map(_fold, check_words(words))))
    groups = _WordGroups(corpus, wanted, chosen.inflected)
    table = collect_links(corpus, merges, show_progress=show_progress)
    senses = _find_words(table, groups, chosen)
    if not senses:
        raise InputError(
            f"no word is linked to {chosen.min_senses} pages or more, "
            f"{chosen.min_instances} times each: lower min_instances=... or take a larger dump"
        )
    parts = _make_instances(corpus, groups, senses, chosen, show_progress)
    skipped = {
        word: f"fewer than {chosen.min_senses} senses with {chosen.min_instances} links"
        for word in wanted or ()
        if word not in senses
    }
    facts = _facts(corpus, chosen, wanted, merges)
    return write_dataset(
        folder, parts, facts, inputs=[corpus.path], overwrite=overwrite, skipped=skipped
    )


class _WordGroups:
    """Which tokens count as occurrences of which word: other cases of it, perhaps its plural."""

    def __init__(self, corpus: Corpus, wanted: Sequence[str] | None, inflected: bool) -> None:
        vocabulary = corpus.vocabulary
        self._vocabulary = vocabulary
        folded = [_fold(word) for word in vocabulary.words]
        known = {word: -i for i, word in reversed([*enumerate(folded)])}  # higher: more frequent
        functional = {_fold(word) for word in corpus.function_words}
        if wanted is None:
            names = [word for word in dict.fromkeys(folded) if word not in functional]
        else:
            _check_known(wanted, known, corpus)
            names = list(wanted)
        numbers = {name: number for number, name in enumerate(names)}
        if inflected:
            numbers = _add_plurals(numbers, known, explicit=wanted is not None)
        self.names = names
        self.group_of: NDArray[np.int32] = np.fromiter(
            (numbers.get(word, -1) for word in folded), np.int32, len(folded)
        )

    def target_of(self, name: str) -> str:
        """The word as the corpus has it, which may be in capitals only."""
        if name in self._vocabulary:
            return name
        group = self.names.index(name)
        first = int(np.flatnonzero(self.group_of == group)[0])  # the most frequent form
        return str(self._vocabulary.words[first])


def _check_known(wanted: Sequence[str], known: Mapping[str, int], corpus: Corpus) -> None:
    unknown = [word for word in wanted if word not in known]
    if unknown:
        names = ", ".join(repr(word) for word in unknown[:5])
        more = f" and {len(unknown) - 5} more" if len(unknown) > 5 else ""
        raise UnknownWordError(
            f"the corpus {corpus.path.name} does not have {names}{more}: a word is one token, "
            "such as 'crane'; remove what does not occur"
        )


def _add_plurals(
    numbers: dict[str, int], known: Mapping[str, int], *, explicit: bool
) -> dict[str, int]:
    """Give plurals the number of their singular; words that were asked for stay themselves.

    Where no words were asked for, the singular has to be the more frequent form: Mars is no plural.
    """
    merged = dict(numbers)
    for name, number in numbers.items():
        for form in (regular_forms(name, "n") | irregular_forms(name, "n")) & known.keys():
            is_own_word = form in numbers if explicit else known[form] > known[name]
            if not is_own_word and merged.get(form, -1) in (-1, numbers.get(form)):
                merged[form] = number
    return merged


def _find_words(table: LinkTable, groups: _WordGroups, settings: LinkSettings) -> dict[str, Senses]:
    """Senses of the words that have enough of them, words with the most instances first."""
    found = {
        groups.names[group]: senses
        for group, senses in table.find_senses(groups.group_of, settings.min_instances).items()
        if len(senses) >= settings.min_senses
    }
    sizes = {name: sum(map(len, senses.values())) for name, senses in found.items()}
    order = sorted(found, key=lambda name: (-sizes[name], name))[: settings.max_words]
    return {name: found[name] for name in order}


def _make_instances(
    corpus: Corpus,
    groups: _WordGroups,
    words: Mapping[str, Senses],
    settings: LinkSettings,
    show_progress: bool | None,
) -> dict[str, list[LabelledInstance]]:
    parts: dict[str, list[LabelledInstance]] = {part: [] for part in settings.sampling.parts}
    with progress_bar("writing", len(words), unit="words", show=show_progress) as advance:
        for word, pages in words.items():
            senses = {make_label(title): positions for title, positions in pages.items()}
            target = groups.target_of(word)
            number = 0
            for part, drawn in sample_senses(word, senses, settings.sampling).items():
                for position, label in order_occurrences(drawn):
                    number += 1
                    line = text_around(corpus, position, settings.context_chars)
                    parts[part].append(make_instance(line, target, number, label))
            advance()
    return parts


def _fold(word: str) -> str:
    return word.strip().lower()


def _facts(
    corpus: Corpus,
    settings: LinkSettings,
    wanted: Sequence[str] | None,
    merges: Mapping[str, str] | None,
) -> dict[str, Any]:
    return {
        "made_by": "links",
        "corpus": corpus.path.name,
        "corpus_digest": corpus.manifest.get("digest"),
        "parameters": asdict(settings) | {"words": wanted, "merges": dict(merges or {})},
    }
