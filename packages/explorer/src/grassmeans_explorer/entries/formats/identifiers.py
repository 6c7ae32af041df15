"""Names of entries and senses inside a file: letters, digits, ``-`` and ``_``, no two alike."""

from __future__ import annotations

import re

from grassmeans_explorer.entries.entry import CrossReference, Lexicon, SensePath, walk_senses

_CODE = re.compile("_([0-9a-f]{1,5}|10[0-9a-f]{4})_")


def name_entry(word: str) -> str:
    """The name of a word's entry: letters and digits of ASCII, and codes of other characters."""
    codes = (c if c.isascii() and c.isalnum() else f"_{ord(c):x}_" for c in word)
    return f"e-{''.join(codes)}"


def find_word(address: str) -> str:
    """The word of a name in a file of ours: the opposite of `name_entry`.

    Of another name, its last part.
    """
    last = re.split("[#/]", address)[-1]
    return _CODE.sub(lambda code: chr(int(code[1], 16)), last.removeprefix("e-"))


def name_sense(word: str, path: SensePath) -> str:
    """The name of a sense at its place: ``e-crane-2-1``."""
    return "-".join([name_entry(word), *map(str, path)])


class Targets:
    """Where the references of a lexicon lead: to what is in it."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._entries = {entry.word for entry in lexicon.entries}
        self._senses: dict[str, str] = {}
        for entry in lexicon.entries:
            for path, sense in walk_senses(entry.senses):
                if sense.key:
                    self._senses.setdefault(sense.key, name_sense(entry.word, path))

    def find_sense(self, reference: CrossReference) -> str | None:
        """The name of the sense that a reference leads to; None where it is not here."""
        return self._senses.get(reference.key) if reference.sense else None

    def find(self, reference: CrossReference) -> str | None:
        """The same, or the name of the entry; None where neither is here."""
        if reference.word not in self._entries:
            return None
        return self.find_sense(reference) or name_entry(reference.word)
