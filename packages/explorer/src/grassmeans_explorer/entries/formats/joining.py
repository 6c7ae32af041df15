"""What other programs write otherwise than we do: homographs, and words that nobody has marked."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from grassmeans_explorer.entries.entry import KEEP, DictionaryEntry, EntryExample


def join_homographs(entries: Iterable[DictionaryEntry]) -> tuple[DictionaryEntry, ...]:
    """Each word once: the senses of two entries of a word, one after the other.

    The part of speech is that of the first; where another one has its own, its senses have it.
    """
    found: dict[str, DictionaryEntry] = {}
    for entry in entries:
        first = found.get(entry.word)
        if first is None:
            found[entry.word] = entry
            continue
        part = entry.part_of_speech
        own = entry.senses
        if part != first.part_of_speech:
            own = tuple(replace(one, part_of_speech=one.part_of_speech or part) for one in own)
        found[entry.word] = replace(
            first,
            labels=tuple(dict.fromkeys((*first.labels, *entry.labels))),
            references=tuple(dict.fromkeys((*first.references, *entry.references))),
            notes=tuple(dict.fromkeys((*first.notes, *entry.notes))),
            senses=(*first.senses, *own),
        )
    return tuple(found.values())


def mark_word(text: str, word: str, document: str = "", decision: str = KEEP) -> EntryExample:
    """An example of a text in which a word is to be found: as it is, else in a longer form.

    The whole text stands before a word that is not there.
    """
    for pattern in (rf"\b{re.escape(word)}\b", rf"\b{re.escape(word)}\w*"):
        found = re.search(pattern, text, re.IGNORECASE) if word else None
        if found is not None:
            start, end = found.span()
            return EntryExample(text[:start], text[start:end], text[end:], document, decision)
    return EntryExample(text, "", "", document, decision)
