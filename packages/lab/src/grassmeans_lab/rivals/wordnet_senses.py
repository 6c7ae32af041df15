"""What methods that know WordNet's senses have in common: which words they know, and which senses.

A word of the corpus has the synsets of its dictionary form, nouns first, in WordNet's order. Words
that WordNet does not have have no senses.
"""

from __future__ import annotations

from collections.abc import Iterable

from grassmeans.errors import InputError
from grassmeans_lab.rivals.interface import Material
from grassmeans_lab.wordnet.database import Synset, WordNet


def require_known(words: Iterable[str], material: Material, wordnet: WordNet) -> None:
    """`InputError` where words were asked for and none of them is known."""
    if material.words and not any(True for _ in words):
        raise InputError(
            f"none of the {len(material.words):,} words that senses were asked for has a vector "
            f"and is in WordNet ({wordnet.place}): it has English words, in lower case"
        )


def known_bases(wordnet: WordNet, words: Iterable[str], material: Material) -> dict[str, str]:
    """The dictionary form of each word that has one in WordNet and a vector."""
    bases = {
        word: wordnet.base_form(word) for word in dict.fromkeys(words) if word in material.vectors
    }
    return {word: base for word, base in bases.items() if wordnet.n_senses(base)}


def list_synsets(wordnet: WordNet, lemma: str, most: int | None = None) -> list[Synset]:
    """The first so many synsets of a lemma, those first that were seen more often in tagged text.

    Where nothing was seen: nouns first, in WordNet's order.
    """
    senses = sorted(wordnet.senses_of(lemma), key=lambda sense: -sense.count)
    return [sense.synset for sense in senses[:most]]
