from __future__ import annotations

from dataclasses import replace
from itertools import cycle

import pytest

from entry_model import make_corpus, make_model
from grassmeans import Corpus
from grassmeans.collocations.collocates import Collocate, SenseCollocates
from grassmeans.errors import GrassmeansWarning, UnknownWordError
from grassmeans_explorer.entries import proposals
from grassmeans_explorer.entries.definitions import FoundDefinition
from grassmeans_explorer.entries.entry import NEVER, DictionaryEntry, EntrySense, Numbering
from grassmeans_explorer.entries.good_examples import ReadWord
from grassmeans_explorer.entries.proposals import (
    Material,
    SenseProposal,
    WordProposals,
    add_missing_senses,
    open_glosses,
    propose_entry,
)
from grassmeans_explorer.grammar.making import DocumentGrammar, make_layer

NEAR = Collocate("", 3, 9, 0.1, 9.0, 20.0)


@pytest.fixture(scope="module")
def material(tmp_path_factory) -> Material:
    corpus = make_corpus(tmp_path_factory.mktemp("entries") / "corpus")
    return Material(make_model(), corpus, n_examples=2)


def test_without_a_corpus_the_model_tells_what_it_knows():
    entry = propose_entry(Material(make_model()), "Crane")
    assert (entry.word, entry.numbering) == ("crane", Numbering((), 2))
    first, second = entry.senses
    assert (first.key, first.name, first.collocates) == ("crane.1", "nest, wing", ("nest", "wing"))
    assert [example.text for example in second.examples] == ["Stored: a crane with steel."]
    assert first.definition == ""
    assert first.proposed == ("name", "collocates")


def test_with_a_corpus_there_are_definitions_and_good_examples(material):
    entry = propose_entry(material, "crane")
    first, second = entry.senses
    assert first.definition == "a large bird with a nest and a wing"
    assert second.definition == "a machine that lifts steel and a beam"
    assert entry.part_of_speech == "noun"  # that of all senses
    # The wing is never within five words: it comes from the model, behind what does.
    assert first.collocates == ("nest", "wing")
    assert len(first.examples) == 2
    assert [example.document for example in second.examples] == ["4", "5"]
    assert "definition" in second.proposed


def test_collocates_are_no_forms_of_the_word_and_of_more_than_one_document(material, monkeypatch):
    proposing = WordProposals(material, "crane")
    near = [replace(NEAR, word=word) for word in ("nest", "Crane", "cranes", "1999", "odd")]
    monkeypatch.setattr(SenseCollocates, "rank", lambda *_, **__: near)
    near.append(replace(NEAR, word="chance", log_likelihood=10.0))
    known = replace(proposing.known, forms=(("crane", 9), ("cranes", 2)))
    proposing.known = known
    monkeypatch.setattr(ReadWord, "find_spread", lambda *_: {"nest", "crane", "cranes", "1999"})
    assert proposing.propose(1).collocates == ("nest", "wing")
    monkeypatch.setattr(ReadWord, "find_spread", lambda *_: {"nest", "odd", "chance"})
    assert proposing.propose(1).collocates == ("nest", "odd", "wing")


class Tags:
    """A source of grammar in which each crane has the next of some parts of speech."""

    name = "tags"

    def __init__(self, *tags):
        self.tags = tags

    def describe(self, shard, corpus):
        tags = cycle(self.tags)
        for document in range(shard.sizes.n_documents):
            start, end = shard.document_offsets[document : document + 2].tolist()
            words = [corpus.vocabulary.words[i] for i in shard.tokens[start:end].tolist()]
            pos = [next(tags) if word == "crane" else "X" for word in words]
            nothing = [""] * len(words)
            yield DocumentGrammar(words, pos, pos, nothing, [0] * len(words), [0])


@pytest.mark.parametrize(
    ("tags", "told"),
    [
        (("PROPN",), "proper noun"),
        (("VERB", "VERB", "VERB", "NOUN"), "verb"),
        (("VERB", "NOUN"), "noun"),  # no majority: the pattern's
        (("ODD",), "noun"),
    ],
)
def test_the_part_of_speech_is_that_of_most_lines(material, tmp_path, tags, told):
    layer = make_layer(material.corpus, tmp_path / "grammar", Tags(*tags))
    known = replace(material, layer=layer)
    entry = propose_entry(known, "crane")
    assert [sense.part_of_speech for sense in entry.senses] == [told, told]


def test_what_was_written_stays_and_never_is_never(material):
    never = replace(propose_entry(material, "crane").senses[0].examples[0], decision=NEVER)
    written = DictionaryEntry(
        "crane",
        part_of_speech="verb",
        notes=("mine",),
        senses=(
            EntrySense("crane.2", definition="my own text"),
            EntrySense(senses=(EntrySense("crane.1", examples=(never,)),)),
        ),
        numbering=Numbering((), 2),
    )
    entry = propose_entry(material, "crane", written)
    assert (entry.part_of_speech, entry.notes) == ("verb", ("mine",))
    assert entry.senses[0].definition == "my own text"
    assert "definition" not in entry.senses[0].proposed
    assert len(entry.senses) == 2  # both senses of the model are there already
    inner = entry.senses[1].senses[0]
    assert inner.examples[0] == never
    assert never.text not in [example.text for example in inner.shown]
    assert len(inner.shown) == 2


def test_senses_that_the_entry_does_not_have_come_at_its_end():
    written = DictionaryEntry("crane", senses=(EntrySense("crane.2"),), numbering=Numbering((), 2))
    entry = propose_entry(Material(make_model()), "crane", written)
    assert [sense.key for sense in entry.senses] == ["crane.2", "crane.1"]


def test_hidden_senses_do_not_come():
    known = make_model().senses("crane")
    hidden = replace(known, senses=(known.senses[0], replace(known.senses[1], hidden=True)))
    entry = add_missing_senses(DictionaryEntry("crane"), hidden)
    assert [sense.key for sense in entry.senses] == ["crane.1"]


def test_a_corpus_without_the_word_says_nothing(tmp_path):
    corpus = Corpus.from_texts(["No such bird."], tmp_path / "corpus")
    model = make_model()
    assert propose_entry(Material(model, corpus), "crane") == propose_entry(
        Material(model), "crane"
    )
    with pytest.raises(UnknownWordError):
        propose_entry(Material(model), "heron")


def test_a_sure_sentence_goes_before_a_gloss_and_a_gloss_before_another_sentence():
    def propose(score: float, gloss: str) -> str:
        found = FoundDefinition("a bird", "A crane is a bird.", "d", "noun", score)
        return SenseProposal(definitions=(found,), gloss=(gloss, "noun")).definition[0]

    assert propose(0.6, "a gloss") == "a bird"
    assert propose(0.59, "a gloss") == "a gloss"
    assert propose(0.59, "") == "a bird"
    assert SenseProposal().definition == ("", "")


def test_glosses_come_from_what_is_installed(monkeypatch):
    model = make_model()
    monkeypatch.setattr(proposals, "find_plugins", lambda group: {"none": 0, "some": 0})
    made = {"none": lambda _: None, "some": lambda m: lambda entry: [None, ("lifts", "verb")]}
    monkeypatch.setattr(proposals, "load_plugin", lambda group, name: made[name])
    find = open_glosses(model)
    assert find is not None
    first, second = propose_entry(Material(model, find_glosses=find), "crane").senses
    assert (first.definition, second.definition) == ("", "lifts")
    assert second.part_of_speech == "verb"
    monkeypatch.setattr(proposals, "find_plugins", lambda group: {})
    assert open_glosses(model) is None


def test_glosses_that_cannot_be_loaded_are_told_and_left(monkeypatch):
    def fail(group, name):
        raise ImportError("no such thing")

    monkeypatch.setattr(proposals, "find_plugins", lambda group: {"broken": 0})
    monkeypatch.setattr(proposals, "load_plugin", fail)
    with pytest.warns(GrassmeansWarning, match="'broken' cannot be loaded: no such thing"):
        assert open_glosses(make_model()) is None


def test_all_that_can_be_proposed_for_a_sense(material):
    found = WordProposals(material, "crane").propose(1)
    assert found.definitions[0].sentence.startswith("A crane is a large bird")
    assert found.definitions[0].document == "0"
    assert len(found.examples) == 3  # the fourth is far from the sense, with a number
