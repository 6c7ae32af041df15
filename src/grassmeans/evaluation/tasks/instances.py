"""An instance: one occurrence of a target word, with what stands before and after it."""

from __future__ import annotations

import re
from dataclasses import dataclass

_MARKED = re.compile(r"(.*?)<b>(.*?)</b>(.*)", re.DOTALL)
_TAG = re.compile(r"</?b>")


@dataclass(frozen=True, slots=True)
class Instance:
    """One occurrence of a target word in a text.

    Attributes
    ----------
    id : str
        As in the gold key.
    target : str
        The word or lemma whose sense is asked for.
    pos : str
        Its part of speech: ``"n"``, ``"v"``, ... or empty.
    left, word, right : str
        The text before the occurrence, the occurrence as it is written, and the text after it.
        ``word`` is empty where the occurrence was not found.
    located_by : str
        How the occurrence was found: ``"marked"`` in the source, or the rule that found it.
    """

    id: str
    target: str
    pos: str
    left: str
    word: str
    right: str
    located_by: str = "marked"

    @property
    def key_word(self) -> str:
        """The name of the target in key files: ``crane.n``, or ``crane`` without ``pos``.

        Key files are cut at spaces: those of a phrase become ``_``.
        """
        name = "_".join(self.target.split())
        return f"{name}.{self.pos}" if self.pos else name

    @property
    def is_located(self) -> bool:
        """Whether the occurrence was found in its text."""
        return bool(self.word)

    @property
    def text(self) -> str:
        """The whole text."""
        return f"{self.left}{self.word}{self.right}"


def split_marked_text(text: str) -> tuple[str, str, str] | None:
    """Split a text at its first ``<b> word </b>`` into left, word and right; None without one.

    White space inside the tags goes to the text around; further tags are removed.
    """
    match = _MARKED.fullmatch(text)
    if match is None or not match[2].strip():
        return None
    left, marked, right = match.groups()
    word = marked.strip()
    before, after = marked.split(word, 1)
    return left + before, word, after + _TAG.sub("", right)
