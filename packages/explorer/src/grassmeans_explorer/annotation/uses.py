"""Uses of words that people judge: a text with its target word, and where that is."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from grassmeans.artifacts.schema import check_values, either, nothing, row, text, whole
from grassmeans.corpus.corpus import Corpus
from grassmeans.errors import InputError
from grassmeans.text.sentences import find_sentences
from grassmeans_explorer.querying.lines import read_line
from grassmeans_explorer.querying.samples import LineSample

WIDTH = 400
"""Characters on either side that annotators see."""
LONGEST_TEXT = 100_000
_LONGEST_NAME = 200
_RULES = {
    **dict.fromkeys(("identifier", "lemma", "context"), text),
    **dict.fromkeys(("target", "sentence"), row(whole(), whole())),
}
_OPTIONS = {
    **dict.fromkeys(("pos", "date", "grouping", "description"), text),
    "position": either(whole(), nothing),
}


@dataclass(frozen=True, slots=True)
class Use:
    """A word in a text."""

    identifier: str
    """Unlike that of any other use."""
    lemma: str
    context: str
    """The text, in one line."""
    target: tuple[int, int]
    """The characters of the word in it."""
    sentence: tuple[int, int]
    """Those of the sentence that the word stands in."""
    pos: str = ""
    date: str = ""
    grouping: str = ""
    description: str = ""
    position: int | None = None
    """Of the word in the corpus that it was drawn from."""

    @property
    def word(self) -> str:
        """As it stands in the text."""
        return self.context[slice(*self.target)]


def clean_text(value: str) -> str:
    """A text in one line, in which every character keeps its place: no breaks, tabs or controls."""
    return "".join(
        " " if c.isspace() or unicodedata.category(c) in ("Cc", "Cs") else c for c in value
    )


def check_name(name: str, what: str = "a name") -> str:
    """A name of one line and some length, without space at its ends; or `InputError`."""
    cleaned = " ".join(clean_text(name).split())
    if not cleaned or cleaned != name.strip() or len(cleaned) > _LONGEST_NAME:
        raise InputError(
            f"{what} is 1 to {_LONGEST_NAME} characters in one line, got {name[:80]!r}"
        )
    return cleaned


def check_uses(uses: Sequence[Use]) -> None:
    """`InputError` where two are called the same, or a target is not in its text."""
    seen: set[str] = set()
    for use in uses:
        if use.identifier in seen:
            raise InputError(f"two uses have the identifier {use.identifier[:80]!r}")
        seen.add(use.identifier)
        n = len(use.context)
        if n > LONGEST_TEXT:
            raise InputError(f"the text of {use.identifier[:80]!r} is longer than {LONGEST_TEXT:,}")
        for (start, end), name in ((use.target, "target"), (use.sentence, "sentence")):
            if not 0 <= start < end <= n:
                raise InputError(
                    f"the {name} of {use.identifier[:80]!r} is not in its text of {n} characters: "
                    f"{start}:{end}"
                )


def make_uses(corpus: Corpus, sample: LineSample, width: int = WIDTH) -> tuple[Use, ...]:
    """The lines of a sample as uses, with more text around them."""
    found = []
    for one in sample.lines:
        line = read_line(corpus, one.line.start, one.line.end, width)
        context = clean_text(f"{line.left}{line.match}{line.right}")
        target = len(line.left), len(line.left) + len(line.match)
        told = dict(line.fields)
        found.append(
            Use(
                identifier=f"{corpus.path.name}-{line.start}",
                lemma=one.word or sample.asked,
                context=context,
                target=target,
                sentence=find_sentence(context, *target),
                date=told.get("date", ""),
                grouping=told.get("source", ""),
                description=clean_text(line.document),
                position=line.start,
            )
        )
    return tuple(found)


def find_sentence(context: str, start: int, end: int) -> tuple[int, int]:
    """The characters of the sentence in which a target stands; both, where it is in two."""
    starts = [*find_sentences(context), len(context)]
    first = max((place for place in starts if place <= start), default=0)
    last = min((place for place in starts if place >= end), default=len(context))
    return first, max(last - _count_spaces(context[first:last]), end)


def _count_spaces(sentence: str) -> int:
    return len(sentence) - len(sentence.rstrip())


def use_to_dict(use: Use) -> dict[str, Any]:
    """A use as plain values."""
    return asdict(use)


def use_from_dict(values: Any, path: Path) -> Use:
    """The opposite, of a file."""
    check_values(path, values, _RULES, _OPTIONS)
    known = {one.name: values[one.name] for one in fields(Use) if one.name in values}
    return Use(**known | {name: tuple(known[name]) for name in ("target", "sentence")})


def find_lemmas(uses: Iterable[Use]) -> tuple[str, ...]:
    """The lemmas of uses, in their order."""
    return tuple(dict.fromkeys(use.lemma for use in uses))
