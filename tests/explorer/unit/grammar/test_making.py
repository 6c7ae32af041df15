"""Layers of grammar: aligned to the tokens of a corpus, and stored as other results are."""

from __future__ import annotations

import numpy as np
import pytest

from grassmeans import Corpus
from grassmeans.errors import ArtifactError, InputError
from grassmeans_explorer.grammar.conllu import ConlluGrammar
from grassmeans_explorer.grammar.layer import GrammarLayer
from grassmeans_explorer.grammar.making import make_layer, open_layer
from grassmeans_explorer.querying.matches import find_matches
from treebank import write_treebank


@pytest.fixture
def treebank(tmp_path):
    path = tmp_path / "treebank.conllu"
    path.write_text(write_treebank("lift see", "see", "lift"))
    return path


@pytest.fixture
def corpus(treebank, tmp_path) -> Corpus:
    return Corpus.from_files(treebank, tmp_path / "corpus", workers=1)


def values(layer: GrammarLayer, name: str) -> list[str]:
    known = layer.values_of(name)
    return [known[i] for i in layer.numbers_of(name, 0).tolist()]


def test_every_token_has_the_grammar_of_its_line(corpus, treebank, tmp_path):
    layer = make_layer(corpus, tmp_path / "grammar", ConlluGrammar([treebank]))
    assert corpus.n_tokens == 36
    assert values(layer, "lemma")[:8] == [
        "crane",
        "slowly",
        "lift",
        "heavy",
        "beam",
        ".",
        "we",
        "see",
    ]
    assert values(layer, "pos")[6:10] == ["PRON", "VERB", "ADJ", "NOUN"]
    assert values(layer, "tag")[6:10] == ["PR", "VE", "AD", "NO"]
    assert layer.shard(0).head[:6].tolist() == [2, 1, 0, 1, -2, -3]
    assert layer.sentence_starts(0).tolist() == [0, 6, 18, 30]
    assert (layer.manifest["n_described"], layer.manifest["n_documents_missing"]) == (36, 0)
    assert GrammarLayer.open(layer.path, corpus).has_relations


def test_queries_ask_for_tags_lemmas_and_sentences(corpus, treebank, tmp_path):
    layer = make_layer(corpus, tmp_path / "grammar", ConlluGrammar([treebank]))
    found = find_matches(corpus, '[pos="ADJ"] [lemma="crane"]', layer=layer)
    assert [line.match for line in found.lines()] == ["white cranes", "white cranes"]
    assert len(find_matches(corpus, '"." [tag="PR"]', layer=layer)) == 1
    assert len(find_matches(corpus, '"." [tag="PR"] within s', layer=layer)) == 0


def test_documents_in_another_order_or_missing_are_found_or_counted(treebank, tmp_path):
    texts = [
        ["We", "saw", "white", "cranes", "and", "herons", "on", "the", "bank", "of", "a", "river"],
        ["Cranes", "slowly", "lift", "heavy", "beams", "."],
        ["Nobody", "knows"],
        ["Cranes", "slowly", "lift"],
    ]
    corpus = Corpus.from_texts(texts, tmp_path / "other")
    layer = make_layer(corpus, tmp_path / "grammar", ConlluGrammar([treebank]))
    assert values(layer, "lemma")[12:15] == ["crane", "slowly", "lift"]
    assert values(layer, "lemma")[18:] == [""] * 5
    assert layer.manifest["n_documents_missing"] == 2
    assert layer.sentence_starts(0).tolist() == [0, 12, 18, 20]


def test_a_source_of_other_text_is_refused(treebank, tmp_path):
    corpus = Corpus.from_texts(["Cranes slowly lift heavy beams."], tmp_path / "other")
    with pytest.raises(InputError, match="the grammar of no document"):
        make_layer(corpus, tmp_path / "grammar", ConlluGrammar([treebank]))
    assert not (tmp_path / "grammar").exists()


def test_a_layer_belongs_to_its_corpus_and_is_not_replaced(corpus, treebank, tmp_path):
    source = ConlluGrammar([treebank])
    make_layer(corpus, tmp_path / "grammar", source)
    with pytest.raises(InputError, match="exists already"):
        make_layer(corpus, tmp_path / "grammar", source)
    make_layer(corpus, tmp_path / "grammar", ConlluGrammar([treebank]), overwrite=True)
    other = Corpus.from_texts(["another text"], tmp_path / "other")
    with pytest.raises(InputError, match="another corpus"):
        GrammarLayer.open(tmp_path / "grammar", other)
    with pytest.raises(ArtifactError):
        GrammarLayer.open(corpus.path)


def test_damaged_arrays_are_told(corpus, treebank, tmp_path):
    layer = make_layer(corpus, tmp_path / "grammar", ConlluGrammar([treebank]))
    np.save(layer.path / "shards" / "00000" / "head.npy", np.full(36, 99, np.int32))
    with pytest.raises(ArtifactError, match=r"head\.npy"):
        GrammarLayer.open(layer.path).shard(0)


def test_a_layer_is_opened_or_there_is_none(corpus, treebank, tmp_path):
    make_layer(corpus, tmp_path / "grammar", ConlluGrammar([treebank]))
    with open_layer(corpus, tmp_path / "grammar") as layer:
        assert layer is not None
    with open_layer(corpus) as layer:
        assert layer is None
    with pytest.raises(InputError, match="name one"), open_layer(corpus, tmp_path, "x"):
        pass
