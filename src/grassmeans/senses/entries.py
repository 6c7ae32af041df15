"""What is known of a word's senses."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from grassmeans.arrays import Floats
from grassmeans.artifacts.checking import damaged
from grassmeans.artifacts.schema import check_values, each, flag, measured, record, row, text, whole
from grassmeans.results import ColumnTypes, Tabular, types_of

MOST_SENSES = 65_535  # of a word
_COLUMNS = ("number", "name", "share", "mean_distance", "characteristic_words", "hidden")


@dataclass(frozen=True, slots=True)
class ExampleLine:
    """A sentence of the corpus that shows a sense well.

    Where there was none, the text around the word, with an ellipsis on a side that was cut.
    """

    left: str
    """The text before the word."""
    word: str
    """As it stands there."""
    right: str
    """The text after it."""
    document: str
    """The title or id of its document."""
    distance: float
    """To the direction of the sense."""


def shorten_sides(left: str, right: str, width: int) -> tuple[str, str]:
    """The text before and after a word, so many characters each: cut between words, and marked."""
    if len(left) > width:
        kept = left[len(left) - width :]
        left = "…" + (kept.partition(" ")[2] or kept) if kept else ""
    if len(right) > width:
        kept = right[:width]
        right = (kept.rpartition(" ")[0] or kept) + "…" if kept else ""
    return left, right


@dataclass(frozen=True, slots=True)
class Sense:
    """One sense of a word.

    A sense that a user has taken out of use is hidden. It keeps its number, so that those of the
    others stay; its stored direction is zeros, at distance 1 from everything.
    """

    number: int
    """1 for the most frequent sense; 0 is kept for "I don't know"."""
    share: float
    """Of the sampled occurrences, whose nearest direction is this one."""
    mean_distance: float
    """Of these to the direction: the smaller, the crisper the sense."""
    characteristic_words: tuple[str, ...]
    """Context words that mark it off from the others."""
    nearest_words: tuple[str, ...]
    """Those whose vectors are nearest to the direction."""
    examples: tuple[ExampleLine, ...]
    """Sentences that show it well, the best first."""
    name: str = ""
    """The phrase it lives in, or up to three words that tell it from the others; empty in older
    models."""
    hidden: bool = False
    """Whether a user has taken it out of use."""
    function: bool = False
    """Whether it is the word's use as a function word, beside senses that are not."""


@dataclass(frozen=True, slots=True)
class CountedIn:
    """A corpus that is not the model's: the name of its folder, and its digest."""

    name: str
    """Of its folder."""
    digest: str
    """Of what is in it."""


@dataclass(frozen=True, slots=True)
class WordSenses(Tabular):
    """The senses of one word; as a table, a row for each.

    Counts and shares may come from a corpus that is not the model's, but never from two.
    """

    word: str
    """As the model spells it."""
    count: int
    """Occurrences in the corpus."""
    n_contexts: int
    """Sampled ones with enough context words, from which senses were induced."""
    directions: Floats = field(compare=False)
    """(n_senses, dim) intersection directions, of unit length."""
    senses: tuple[Sense, ...]
    """In the order of their numbers."""
    counted_in: CountedIn | None = None
    """Where counts and shares come from, if not from the model's corpus."""
    forms: tuple[tuple[str, int], ...] = ()
    """The forms that were counted together, each with its occurrences; none where it is alone."""

    def __repr__(self) -> str:
        names = ", ".join(
            f"{sense.number} ({sense.name}) {sense.share:.0%}" for sense in self.senses
        )
        return f"WordSenses({self.word!r} in {self.counts_told}: {names})"

    def rows(self) -> list[dict[str, Any]]:
        """What is known of each sense, but for its examples and the nearest words."""
        return [{name: getattr(sense, name) for name in _COLUMNS} for sense in self.senses]

    def column_types(self) -> ColumnTypes:
        """The columns of such rows."""
        return types_of(Sense, *_COLUMNS)

    @property
    def n_senses(self) -> int:
        """How many senses."""
        return len(self.directions)

    @property
    def counts_told(self) -> str:
        """What the shares are shares of: "2,000 of 9,410 occurrences", and of which corpus."""
        told = f"{self.n_contexts:,} of {self.count:,} occurrences"
        if self.counted_in is None:
            return told
        return f"{told} in {self.counted_in.name}, which is not the model's corpus"


@dataclass(frozen=True, slots=True)
class SkippedWord:
    """A word whose senses were not induced, and why."""

    word: str
    """As it was asked for, or as the corpus has it."""
    reason: str
    """A sentence for people."""


def entry_to_dict(entry: WordSenses) -> dict[str, Any]:
    """Everything but the directions, as plain values."""
    values = {
        "word": entry.word,
        "count": entry.count,
        "n_contexts": entry.n_contexts,
        "senses": [asdict(sense) for sense in entry.senses],
    }
    if entry.counted_in is not None:
        values["counted_in"] = asdict(entry.counted_in)
    if entry.forms:
        values["forms"] = [list(form) for form in entry.forms]
    return values


def entry_from_dict(values: Any, directions: Floats, path: Path) -> WordSenses:
    """The opposite of `entry_to_dict`; the path is for the error where values are not sound."""
    check_values(path, values, _ENTRY_RULES, _OPTIONAL_RULES)
    n_senses = len(values["senses"])
    if n_senses not in (0, len(directions)):  # some are not described
        what = f"{n_senses} senses of {values['word']!r} have {len(directions)} directions"
        raise damaged(path, what)
    senses = tuple(_read_sense(sense) for sense in values["senses"])
    numbers = values["count"], values["n_contexts"]
    elsewhere = values.get("counted_in")
    counted_in = None if elsewhere is None else CountedIn(elsewhere["name"], elsewhere["digest"])
    forms = tuple((form, count) for form, count in values.get("forms", ()))
    return WordSenses(values["word"], *numbers, directions, senses, counted_in, forms)


def _read_sense(values: dict[str, Any]) -> Sense:
    known = {field.name: values[field.name] for field in fields(Sense) if field.name in values}
    for name in ("characteristic_words", "nearest_words"):
        known[name] = tuple(known[name])
    examples = ({name: line[name] for name in _EXAMPLE_RULES} for line in known["examples"])
    return Sense(**known | {"examples": tuple(ExampleLine(**line) for line in examples)})


_EXAMPLE_RULES = {"left": text, "word": text, "right": text, "document": text, "distance": measured}
_SENSE_RULES = {
    "number": whole(1, MOST_SENSES),
    "share": measured,
    "mean_distance": measured,
    "characteristic_words": each(text),
    "nearest_words": each(text),
    "examples": each(record(_EXAMPLE_RULES)),
}
_COUNTED_RULES = {"name": text, "digest": text}
_OPTIONAL_RULES = {
    "counted_in": record(_COUNTED_RULES),
    "forms": each(row(text, whole(1))),
}
_ENTRY_RULES = {
    "word": text,
    "count": whole(),
    "n_contexts": whole(),
    "senses": each(record(_SENSE_RULES, {"name": text, "hidden": flag, "function": flag})),
}
