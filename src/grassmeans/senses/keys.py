r"""Lexeme keys: ``crane.2`` is sense 2 of "crane", ``crane.0`` an occurrence nobody can tell.

A word without senses is its own key. Only a word that would read as a lexeme key gets an escape,
one backslash at its end: the plain word ``st.1`` has the key ``st.1\``. A key therefore ends in a
dot and a number exactly where it names a sense, and no two (word, sense) pairs share a key:

=================  ===========
word, sense        key
=================  ===========
``crane``, 2       ``crane.2``
``crane``, none    ``crane``
``st.1``, none     ``st.1\``
``st.1``, 2        ``st.1.2``
``st.1\``, none    ``st.1\\``
=================  ===========
"""

from __future__ import annotations

import re

from grassmeans.errors import InputError

IDK_SENSE = 0  # the sense number of "I don't know"

# A dot and a number in its usual spelling, then the backslashes of the escape.
_ENDING = re.compile(r"\.(0|[1-9][0-9]*)(\\*)\Z")


def encode_key(word: str, sense: int | None = None) -> str:
    """The key of a word's sense (from 1; 0 is "I don't know"), or of a word without senses."""
    if sense is None:
        return word + "\\" if _ENDING.search(word) else word
    if sense < 0:
        raise InputError(f"a sense is numbered from 1, or 0 for 'I don't know'; got {sense}")
    return f"{word}.{sense}"


def decode_key(key: str) -> tuple[str, int | None]:
    """Word and sense of a key; the sense is None for a word without senses."""
    ending = _ENDING.search(key)
    if ending is None:
        return key, None
    if ending.group(2):
        return key[:-1], None
    return key[: ending.start()], int(ending.group(1))
