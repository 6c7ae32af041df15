"""Sketches, counted and scored by hand."""

from __future__ import annotations

from math import log2

import pytest

from crane_model import save_crane_model
from grassmeans import Corpus
from grassmeans.errors import InputError, UnknownWordError
from grassmeans_explorer.grammar.conllu import ConlluGrammar
from grassmeans_explorer.grammar.making import make_layer
from grassmeans_explorer.grammar.pipeline import PipelineGrammar
from grassmeans_explorer.sketches.sketching import sketch_word
from treebank import write_treebank


@pytest.fixture
def treebank(tmp_path):
    path = tmp_path / "treebank.conllu"
    path.write_text(write_treebank("lift see", "see", "lift"))
    return path


@pytest.fixture
def corpus(treebank, tmp_path) -> Corpus:
    return Corpus.from_files(treebank, tmp_path / "corpus", workers=1)


@pytest.fixture
def layer(corpus, treebank, tmp_path):
    return make_layer(corpus, tmp_path / "grammar", ConlluGrammar([treebank]))


def tell(sketch, group: int = 0) -> dict[str, dict[str, int]]:
    return {
        relation.name: {f"{one.word}/{one.pos}": one.count for one in relation.collocates}
        for relation in sketch.groups[group].relations
    }


def test_the_sketch_of_a_noun_by_relation(corpus, layer):
    sketch = sketch_word(corpus, "crane", layer=layer, fewest=1)
    assert tell(sketch) == {
        "subject of": {"lift/VERB": 2},
        "object of": {"see/VERB": 2},
        "modifier": {"white/ADJ": 2},
        "and/or": {"heron/NOUN": 2},
    }
    assert (sketch.n_lines, sketch.groups[0].n_lines) == (4, 4)
    (object_of,) = [r for r in sketch.groups[0].relations if r.name == "object of"]
    # Twice, of two objects that cranes are, and of two objects that "see" has.
    assert (object_of.count, object_of.collocates[0].total) == (2, 2)
    assert object_of.collocates[0].log_dice == pytest.approx(14 + log2(2 * 2 / (2 + 2)))
    subject_of = next(r for r in sketch.groups[0].relations if r.name == "subject of")
    assert subject_of.collocates[0].log_dice == 14.0


def test_prepositions_go_both_ways(corpus, layer):
    assert tell(sketch_word(corpus, "bank", layer=layer, fewest=1)) == {
        "... on": {"see/VERB": 2},
        "of ...": {"river/NOUN": 2},
    }
    assert tell(sketch_word(corpus, "river", layer=layer, fewest=1)) == {"... of": {"bank/NOUN": 2}}


def test_verbs_have_subjects_objects_and_modifiers(corpus, layer):
    told = tell(sketch_word(corpus, "lift", layer=layer, fewest=1))
    assert told == {
        "subject": {"crane/NOUN": 2},
        "object": {"beam/NOUN": 2},
        "modifier": {"slowly/ADV": 2},
    }
    assert tell(sketch_word(corpus, "heavy", layer=layer, fewest=1)) == {
        "modifies": {"beam/NOUN": 2}
    }


def test_score_of_a_collocate_that_others_have_too(tmp_path):
    row = "{}\t{}\t{}\tX\tX\t_\t{}\t{}\t_\t_\n"

    def sentence(adjective: str, noun: str) -> str:
        return row.format(1, adjective, adjective, 2, "amod") + row.format(2, noun, noun, 0, "root")

    pairs = [("old", "crane")] * 3 + [("old", "bank"), ("new", "crane")]
    path = tmp_path / "x.conllu"
    path.write_text("# newdoc\n" + "\n".join(sentence(*pair) for pair in pairs))
    corpus = Corpus.from_files(path, tmp_path / "c", workers=1)
    layer = make_layer(corpus, tmp_path / "g", ConlluGrammar([path]))
    (relation,) = sketch_word(corpus, "crane", layer=layer, fewest=1).groups[0].relations
    scores = {one.word: (one.count, one.total, one.log_dice) for one in relation.collocates}
    # Cranes have four modifiers; "old" modifies four times, three of them cranes.
    assert scores["old"] == (3, 4, pytest.approx(14 + log2(2 * 3 / (4 + 4)), abs=1e-3))
    assert scores["new"] == (1, 1, pytest.approx(14 + log2(2 * 1 / (4 + 1)), abs=1e-3))
    assert [one.word for one in relation.collocates] == ["old", "new"]
    rare = sketch_word(corpus, "crane", layer=layer, fewest=2, limit=1)
    assert [row["word"] for row in rare.rows()] == ["old"]


BIRDS = ["nest crane wing", "steel crane beam", "wing crane nest", "steel crane beam"]


def test_senses_have_sketches_of_their_own_by_position(tmp_path):
    corpus = Corpus.from_texts(BIRDS)
    model = save_crane_model(tmp_path / "model")
    sketch = sketch_word(corpus, "Crane", model=model, fewest=1)
    assert [(group.sense, group.n_lines) for group in sketch.groups] == [(1, 2), (2, 2)]
    assert tell(sketch, 1) == {
        "left": {"steel/": 2},
        "right": {"beam/": 2},
        "within": {"steel/": 2, "beam/": 2},
    }
    assert list(sketch.rows()[0])[:4] == ["sense", "name", "relation", "word"]
    whole = sketch_word(corpus, "crane", fewest=1)
    assert [group.sense for group in whole.groups] == [None]


def test_senses_have_sketches_of_their_own_by_grammar(tmp_path):
    row = "{}\t{}\t{}\tX\tX\t_\t{}\t{}\t_\t_\n"
    sentences = [
        row.format(1, a, a, 2, "amod") + row.format(2, "crane", "crane", 0, "root")
        + row.format(3, b, b, 2, "conj")
        for a, b in [("nest", "wing"), ("steel", "beam")] * 2
    ]  # fmt: skip
    path = tmp_path / "x.conllu"
    path.write_text("".join(f"# newdoc\n{one}\n" for one in sentences))
    corpus = Corpus.from_files(path, tmp_path / "c", workers=1)
    # Documents that came twice are one, and the layer is aligned to those that are there.
    layer = make_layer(corpus, tmp_path / "g", ConlluGrammar([path]))
    sketch = sketch_word(
        corpus, "crane", model=save_crane_model(tmp_path / "model"), layer=layer, fewest=1
    )
    assert tell(sketch, 0) == {"and/or": {"wing/X": 1}, "modifier": {"nest/X": 1}}
    assert tell(sketch, 1) == {"and/or": {"beam/X": 1}, "modifier": {"steel/X": 1}}


def test_what_cannot_be_sketched_is_told(corpus, layer, tmp_path):
    spacy = pytest.importorskip("spacy")
    with pytest.raises(UnknownWordError):
        sketch_word(corpus, "xyzzy", layer=layer)
    text = Corpus.from_texts(["the crane"], tmp_path / "text")
    flat = make_layer(text, tmp_path / "flat", PipelineGrammar(spacy.blank("en")))
    with pytest.raises(InputError, match="no heads and relations"):
        sketch_word(text, "crane", layer=flat)
