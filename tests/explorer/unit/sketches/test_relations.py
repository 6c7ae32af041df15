"""Relations by Universal Dependencies, and by spaCy's English names."""

from __future__ import annotations

import numpy as np

from grassmeans import Corpus
from grassmeans_explorer.grammar.making import DocumentGrammar, make_layer
from grassmeans_explorer.sketches.relations import choose_relations, find_pairs, name_relation


class Given:
    """A source with the grammar of one document."""

    name = "given"

    def __init__(self, rows):
        self.rows = rows

    def describe(self, shard, corpus):
        lemma, head, relation = zip(*(row[:3] for row in self.rows), strict=True)
        pos = [row[3] if row[3:] else "X" for row in self.rows]
        yield DocumentGrammar(lemma, pos, ["X"] * len(lemma), relation, head, [0])


def tell(rows, tmp_path) -> set[tuple[str, str, str]]:
    words = [row[0] for row in rows]
    corpus = Corpus.from_texts([words], tmp_path / "corpus")
    layer = make_layer(corpus, tmp_path / "grammar", Given(rows))
    pairs = find_pairs(layer, 0)
    lemmas = layer.values_of("lemma")
    return {
        (words[first], name_relation(relation, lemmas[preposition]), words[second])
        for relation, preposition, first, second in zip(
            *(x.tolist() for x in (pairs.relation, pairs.preposition, pairs.first, pairs.second)),
            strict=True,
        )
    }


def test_prepositions_in_the_way_of_spacy(tmp_path):
    rows = [("sat", 0, "ROOT"), ("on", -1, "prep"), ("bank", -1, "pobj"), ("of", -1, "prep"),
            ("mud", -1, "pobj")]  # fmt: skip
    assert tell(rows, tmp_path) == {
        ("sat", "on ...", "bank"),
        ("bank", "... on", "sat"),
        ("bank", "of ...", "mud"),
        ("mud", "... of", "bank"),
    }


def test_a_phrase_that_belongs_to_nothing_is_no_pair(tmp_path):
    assert tell([("on", 1, "case"), ("bank", 0, "nmod")], tmp_path) == set()


def test_particles_are_no_modifiers(tmp_path):
    for number, name in enumerate(("compound:prt", "prt")):
        rows = [("take", 0, "root"), ("off", -1, name)]
        folder = tmp_path / str(number)
        folder.mkdir()
        found = tell(rows, folder)
        assert found == {("off", "particle of", "take"), ("take", "particle", "off")}


def test_the_mark_of_an_owner_is_no_preposition(tmp_path):
    rows = [("go", 0, "root"), ("anne", -1, "obl"), ("'s", -1, "case", "PART")]
    assert tell(rows, tmp_path) == set()
    (tmp_path / "to").mkdir()
    rows = [("go", 0, "root"), ("to", 1, "case", "ADP"), ("anne", -2, "obl")]
    assert ("go", "to ...", "anne") in tell(rows, tmp_path / "to")


def test_passives_owners_and_objects(tmp_path):
    rows = [("anns", 1, "nmod:poss"), ("crane", 1, "nsubj:pass"), ("sold", 0, "root"),
            ("boat", -1, "dobj")]  # fmt: skip
    assert tell(rows, tmp_path) == {
        ("anns", "owner of", "crane"),
        ("crane", "owner", "anns"),
        ("crane", "passive subject of", "sold"),
        ("sold", "passive subject", "crane"),
        ("boat", "object of", "sold"),
        ("sold", "object", "boat"),
    }


def test_what_comes_after_a_colon_is_left_out_unless_it_has_a_name():
    names = ["obl", "obl:tmod", "nmod:poss", "nsubj:pass", ""]
    assert choose_relations(names, ("obl", "nmod")).tolist() == [True, True, False, False, False]
    assert choose_relations(names, ("nsubj",)).tolist() == [False] * 5
    assert np.flatnonzero(choose_relations(names, ("nmod:poss",))).tolist() == [2]
