"""A dictionary entry: what a person writes of a word, sense by sense.

A sense of an entry refers to a sense of the model by its lexeme key (``crane.2``). Corrections of
the model give senses other numbers, so an entry says for which numbers its keys are
(`Numbering`); `grassmeans_explorer.entries.following` follows them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from grassmeans.errors import InputError, check_choice
from grassmeans.senses.keys import decode_key, encode_key

STATUSES = ("draft", "review", "done")
PARTS_OF_SPEECH = (
    "noun", "proper noun", "verb", "adjective", "adverb", "pronoun", "preposition", "conjunction",
    "determiner", "numeral", "interjection", "particle", "affix", "phrase",
)  # fmt: skip
"""Those that formats have names for; any other text may stand there as well."""
UNIVERSAL_TAGS = {
    "noun": "NOUN", "proper noun": "PROPN", "verb": "VERB", "adjective": "ADJ", "adverb": "ADV",
    "pronoun": "PRON", "preposition": "ADP", "conjunction": "CCONJ", "determiner": "DET",
    "numeral": "NUM", "interjection": "INTJ", "particle": "PART",
}  # fmt: skip
"""What Universal Dependencies call those that they have."""
LABEL_KINDS = ("register", "domain", "region", "time", "attitude", "frequency", "other")
REFERENCE_KINDS = ("see", "synonym", "antonym", "broader", "narrower", "part")
KEEP, NEVER, PROPOSED = "keep", "never", "proposed"
DECISIONS = (KEEP, NEVER, PROPOSED)
_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")
DEEPEST = 8
"""Levels of senses in an entry, at most."""


@dataclass(frozen=True, slots=True)
class Renumbering:
    """A correction of the model that gave senses of a word other numbers."""

    action: str
    """"merge", "split", "add" (a sense at the end) or "adopt" (all are other ones)."""
    senses: tuple[int, ...] = ()
    """What it was about: those that were merged, in order; the one that was split."""


@dataclass(frozen=True, slots=True)
class Numbering:
    """For which senses of a word in the model numbers are."""

    steps: tuple[Renumbering, ...] = ()
    """All that gave senses other numbers since the model was built, the first one first."""
    n_senses: int = 0
    """How many senses the word had then."""


@dataclass(frozen=True, slots=True)
class Label:
    """A word on how a sense is used."""

    kind: str
    """One of `LABEL_KINDS`."""
    text: str
    """"formal", "astronomy", "Scotland"."""

    def __post_init__(self) -> None:
        check_choice("the kind of a label", self.kind, LABEL_KINDS)


@dataclass(frozen=True, slots=True)
class CrossReference:
    """A way to another entry, or to a sense of it."""

    kind: str
    """One of `REFERENCE_KINDS`."""
    key: str
    """A lexeme key, or that of a word as a whole."""
    numbering: Numbering = Numbering()
    """For which numbers of that word's senses the key is."""

    def __post_init__(self) -> None:
        check_choice("the kind of a reference", self.kind, REFERENCE_KINDS)
        if not self.key:
            raise InputError("a reference needs the word that it leads to")

    @property
    def word(self) -> str:
        """The word that it leads to."""
        return decode_key(self.key)[0]

    @property
    def sense(self) -> int | None:
        """The number of the sense; None where it leads to the whole entry."""
        return decode_key(self.key)[1]


@dataclass(frozen=True, slots=True)
class EntryExample:
    """A sentence that shows a sense, and what a person has decided of it."""

    left: str
    """The text before the word."""
    word: str
    """As it stands there."""
    right: str
    """The text after it."""
    document: str = ""
    """Where it is from."""
    decision: str = KEEP
    """"keep", "never" (it is not shown, and not proposed again) or "proposed"."""

    def __post_init__(self) -> None:
        check_choice("the decision on an example", self.decision, DECISIONS)

    @property
    def text(self) -> str:
        """The whole sentence."""
        return f"{self.left}{self.word}{self.right}"

    @property
    def identity(self) -> str:
        """What two of the same sentence have in common: its text, however it is spaced."""
        return " ".join(self.text.split()).casefold()


@dataclass(frozen=True, slots=True)
class EntrySense:
    """A sense as an entry tells it; the order of senses is that of their tuple."""

    key: str = ""
    """The lexeme key of the model's sense; empty where it has none, or has it no longer."""
    former: str = ""
    """The key that it had, where that sense is no longer there."""
    name: str = ""
    """A few words that tell it from the others."""
    definition: str = ""
    """What it means."""
    part_of_speech: str = ""
    """Where it is not that of the entry."""
    labels: tuple[Label, ...] = ()
    """How it is used."""
    collocates: tuple[str, ...] = ()
    """Words that typically stand near."""
    examples: tuple[EntryExample, ...] = ()
    """Those to show, and those never to show."""
    references: tuple[CrossReference, ...] = ()
    """To other entries and senses."""
    notes: tuple[str, ...] = ()
    """Anything else."""
    senses: tuple[EntrySense, ...] = ()
    """Its own senses, one level down."""
    proposed: tuple[str, ...] = ()
    """The names of fields that nobody has looked at yet: they come from a proposal."""

    @property
    def shown(self) -> tuple[EntryExample, ...]:
        """The examples that readers see."""
        return tuple(example for example in self.examples if example.decision != NEVER)


@dataclass(frozen=True, slots=True)
class DictionaryEntry:
    """All that a person has written of a word."""

    word: str
    """As the model spells it."""
    part_of_speech: str = ""
    """One of `PARTS_OF_SPEECH`, or a text of one's own."""
    status: str = "draft"
    """One of `STATUSES`."""
    labels: tuple[Label, ...] = ()
    """How the word is used, in all its senses."""
    references: tuple[CrossReference, ...] = ()
    """Of the entry as a whole."""
    notes: tuple[str, ...] = ()
    """Anything else."""
    senses: tuple[EntrySense, ...] = ()
    """In the order in which they are told."""
    numbering: Numbering = Numbering()
    """For which numbers of the model's senses the keys are."""

    def __post_init__(self) -> None:
        if not self.word:
            raise InputError("an entry needs a word")
        check_choice("the status of an entry", self.status, STATUSES)
        for path, sense in walk_senses(self.senses):
            if len(path) > DEEPEST:
                raise InputError(
                    f"senses of {self.word!r} are {len(path)} levels deep: {DEEPEST} are the most"
                )
            for key in filter(None, (sense.key, sense.former)):
                number = decode_key(key)[1]
                if not number or key != encode_key(self.word, number):
                    raise InputError(f"{key!r} is no sense of {self.word!r}: a key is word.number")


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Entries as they leave a model: what every format is written from."""

    entries: tuple[DictionaryEntry, ...]
    """Each word once."""
    language: str = "und"
    """A code as in "en"; "und" where it is not known."""
    title: str = "Lexicon"
    """For people."""
    model: str = ""
    """The name of the model."""
    root: str = ""
    """The digest of the model's first version: numbers of senses are those of its versions."""
    remarks: tuple[str, ...] = field(default=(), compare=False)
    """What is to be known of it, for people; no format has them."""

    def __post_init__(self) -> None:
        if _LANGUAGE.fullmatch(self.language) is None:
            raise InputError(
                f"{self.language[:80]!r} is no code of a language: such as en, or pt-BR"
            )
        words = [entry.word for entry in self.entries]
        if len(set(words)) != len(words):
            twice = next(word for word in words if words.count(word) > 1)
            raise InputError(f"a lexicon has each word once, and {twice[:80]!r} twice")


SensePath = tuple[int, ...]
"""The place of a sense: (2, 1) is the first sense of the second one."""


def walk_senses(
    senses: tuple[EntrySense, ...], above: SensePath = ()
) -> Iterator[tuple[SensePath, EntrySense]]:
    """All senses with their places, each before those that are its own."""
    for number, sense in enumerate(senses, 1):
        path = (*above, number)
        yield path, sense
        yield from walk_senses(sense.senses, path)
