"""What a reader yields: one document, raw or already split into tokens."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class RawDocument:
    """One document as it was read, before cleaning and tokenising.

    Parameters
    ----------
    id, title : str
        As in the source; where it has no id, the file's name and a number.
    text : str
        The document's text. For tokenised formats: the surface forms joined by one space each.
    markup : str
        ``"plain"``, ``"wikitext"`` (cleaned later, in the workers), ``"tokens"`` (``text`` is
        split on spaces and nothing else), or ``"redirect"`` (no document: ``text`` is the page
        that ``title`` stands for).
    keys : tuple of str or None
        Only with ``markup="tokens"``: the key of every token where it differs from its surface
        form (a lemma, say); as many as there are tokens.
    """

    id: str
    title: str
    text: str
    markup: str = "plain"
    keys: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """A link annotation: the characters ``start:end`` of the cleaned text point to ``target``."""

    start: int
    end: int
    target: str


@dataclass(slots=True)
class ReadReport:
    """What was read and what was passed over, with the reasons; filled while reading."""

    n_documents: int = 0
    n_files: int = 0
    n_bytes: int = 0  # of the files themselves, compressed as they are: shows the progress
    skipped: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)

    def skip(self, reason: str, example: str = "") -> None:
        """Count one thing that was passed over, and keep the first example of its kind."""
        self.skipped[reason] += 1
        if example and reason not in self.examples:
            self.examples[reason] = example[:200]
