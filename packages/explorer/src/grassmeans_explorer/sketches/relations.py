"""Dependencies -> the relations of a sketch, both ways, by Universal Dependencies or spaCy's own.

A relation is named from the word that is looked at: of "cranes lift beams" *crane* is
``subject of`` *lift*, and *lift* has the ``subject`` *crane*. With prepositions, "sat on the bank"
gives *bank* the relation ``... on`` with what the phrase belongs to, *sit*, and "bank of England"
the relation ``of ...`` with what stands behind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from grassmeans.arrays import Booleans, Indices, Integers
from grassmeans_explorer.grammar.layer import GrammarLayer

# How a dependent stands to its head, and the name of the way back; each with its relations. What
# comes after a colon (nmod:poss) is looked at first, then without it.
_DIRECT = {
    ("object of", "object"): ("obj", "dobj", "iobj"),
    ("subject of", "subject"): ("nsubj", "csubj"),
    ("passive subject of", "passive subject"): ("nsubj:pass", "nsubjpass", "csubj:pass"),
    ("modifies", "modifier"): ("amod", "compound", "advmod", "nummod", "nn"),
    ("particle of", "particle"): ("compound:prt", "prt"),
    ("owner of", "owner"): ("nmod:poss", "poss"),
    ("and/or", "and/or"): ("conj",),
}
RELATIONS = tuple(dict.fromkeys(name for pair in _DIRECT for name in pair))
BEHIND, BEFORE = len(RELATIONS), len(RELATIONS) + 1
"""Numbers of the two relations with prepositions, after those of `RELATIONS`."""
_MARKERS, _MARKED = ("case",), ("nmod", "obl")
_POSSESSIVE = "PART"  # what UD calls the "'s" of an owner, which is no preposition
_PREPOSITIONS, _PREPOSITION_OBJECTS = ("prep",), ("pobj",)


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of tokens in relations, in a shard."""

    relation: Integers  # (n,) number, of `RELATIONS`, `BEHIND` or `BEFORE`
    preposition: Integers  # (n,) number of its lemma, 0 for none
    first: Indices  # (n,) place of the word that is looked at
    second: Indices  # (n,) place of the other


def name_relation(relation: int, preposition: str = "") -> str:
    """What a relation is called."""
    if relation == BEHIND:
        return f"{preposition} ..."
    return f"... {preposition}" if relation == BEFORE else RELATIONS[relation]


def find_pairs(layer: GrammarLayer, shard: int) -> Pairs:
    """All pairs of tokens of a shard that are in a relation, both ways."""
    grammar = layer.shard(shard)
    relations = grammar.values["relation"]
    names = layer.values_of("relation")
    head = np.arange(len(relations)) + grammar.head
    leans = np.asarray(grammar.head) != 0
    parts: list[tuple[int, Integers, Indices, Indices]] = []
    for (forth, back), own in _DIRECT.items():
        places = np.flatnonzero(leans & choose_relations(names, own)[relations])
        nothing = np.zeros(len(places), np.int32)
        parts.append((RELATIONS.index(forth), nothing, places, head[places]))
        parts.append((RELATIONS.index(back), nothing, head[places], places))
    owns = np.array([name == _POSSESSIVE for name in layer.values_of("pos")], np.bool_)
    case = leans & ~owns[np.asarray(grammar.values["pos"])]
    for marker, noun in _find_phrases(names, relations, head, leans, case):
        lemma = np.asarray(grammar.values["lemma"])[marker]
        parts.append((BEHIND, lemma, head_of_phrase(marker, noun, head), noun))
        parts.append((BEFORE, lemma, noun, head_of_phrase(marker, noun, head)))
    return Pairs(
        np.concatenate([np.full(len(first), number, np.int32) for number, _, first, _ in parts]),
        np.concatenate([lemma for _, lemma, _, _ in parts]),
        np.concatenate([first for _, _, first, _ in parts]),
        np.concatenate([second for _, _, _, second in parts]),
    )


def head_of_phrase(marker: Indices, noun: Indices, head: Indices) -> Indices:
    """(n,) what a phrase of a preposition and a noun belongs to, in either way of writing it."""
    is_marker_of_noun = head[marker] == noun
    found: Indices = np.where(is_marker_of_noun, head[noun], head[marker])
    return found


def _find_phrases(
    names: Sequence[str], relations: Integers, head: Indices, leans: Booleans, case: Booleans
) -> list[tuple[Indices, Indices]]:
    """Places of prepositions and of their nouns: by UD (case <- noun), and by spaCy (prep -> noun).

    In both, the phrase belongs to something. ``case`` tells which tokens may mark a noun of UD.
    """
    marker = np.flatnonzero(case & choose_relations(names, _MARKERS)[relations])
    noun = head[marker]
    is_phrase = leans[noun] & choose_relations(names, _MARKED)[relations[noun]]
    by_case = marker[is_phrase], noun[is_phrase]
    noun = np.flatnonzero(leans & choose_relations(names, _PREPOSITION_OBJECTS)[relations])
    marker = head[noun]
    is_phrase = leans[marker] & choose_relations(names, _PREPOSITIONS)[relations[marker]]
    return [by_case, (marker[is_phrase], noun[is_phrase])]


def choose_relations(names: Sequence[str], wanted: Sequence[str]) -> Booleans:
    """(n_names,) which relations are meant: nmod:poss is no nmod where it has a name of its own."""
    special = {name for own in _DIRECT.values() for name in own if ":" in name}
    return np.array(
        [(name if name in special else name.partition(":")[0]) in wanted for name in names],
        np.bool_,
    )


def find_related(
    layer: GrammarLayer, shard: int, relation: str, lemma: str, pos: str = ""
) -> Indices:
    """(n,) places of a shard whose words have a relation, by its name, with a collocate."""
    pairs, values = find_pairs(layer, shard), layer.shard(shard).values
    lemmas, tags = layer.values_of("lemma"), layer.values_of("pos")
    fits = np.array([name == lemma for name in lemmas], np.bool_)[values["lemma"][pairs.second]]
    if pos:
        fits &= np.array([tag == pos for tag in tags], np.bool_)[values["pos"][pairs.second]]
    rows = np.flatnonzero(fits)
    named = [
        name_relation(number, lemmas[preposition] if number >= BEHIND else "") == relation
        for number, preposition in zip(
            pairs.relation[rows].tolist(), pairs.preposition[rows].tolist(), strict=True
        )
    ]
    return np.unique(pairs.first[rows[np.array(named, np.bool_)]])
