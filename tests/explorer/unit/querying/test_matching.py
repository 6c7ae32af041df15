"""Where queries match: words, lemmas, senses, repetitions, sentences; and their limits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from crane_model import save_crane_model
from grassmeans import Corpus, load
from grassmeans.corpus.ingest import IngestOptions
from grassmeans.errors import InputError
from grassmeans.labelling import label_corpus
from grassmeans_explorer.querying import automaton, matching
from grassmeans_explorer.querying import source as sources
from grassmeans_explorer.querying.automaton import Anchor, choose_anchors, measure_length
from grassmeans_explorer.querying.conditions import describe_value
from grassmeans_explorer.querying.language import ANYTHING, ValueTest, parse_query
from grassmeans_explorer.querying.matching import QueryLimits, SlowQueryError, find_spans
from grassmeans_explorer.querying.source import QuerySource, ShardReader

TEXTS = [
    "The crane lifted the steel. The bird sang near the bank, and ran.",
    # 0    1      2      3    4     5    6    7    8    9   10    11   12
    "A crane flew; the crane's nest was near the river banks. Cranes sing",
    # 13 14  15    16  17   18 19   20  21   22  23    24    25     26
]


@pytest.fixture
def corpus() -> Corpus:
    return Corpus.from_texts(TEXTS)


def spans(source: Corpus | QuerySource, query: str, **limits) -> list[tuple[int, int]]:
    asked = source if isinstance(source, QuerySource) else QuerySource(source)
    found = find_spans(asked, parse_query(query), QueryLimits(**limits))
    return list(zip(found.starts.tolist(), found.ends.tolist(), strict=True))


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ('"Crane"', [(1, 2), (14, 15), (17, 18)]),
        ('"crane.*"', [(1, 2), (14, 15), (17, 18), (25, 26)]),
        ('"crane|Cranes"', [(1, 2), (14, 15), (17, 18), (25, 26)]),
        ('"nothing"', []),
        ('"the" []{0,2} "crane|bird"', [(0, 2), (3, 7), (5, 7), (16, 18)]),
        ('"the" []{1,2} "crane|bird"', [(3, 7)]),
        ('("a" | "the") "crane"+', [(0, 2), (13, 15), (16, 18)]),
        ('"steel" | "river" "banks"', [(4, 5), (23, 25)]),
        ('"near" "the"? "river"?', [(8, 10), (21, 24)]),
        # Matches do not go on in another document.
        ('"ran" []', []),
        ('[]* "bird"', [(i, 7) for i in range(7)]),
        ('[word!=".*[a-h].*"]', [(18, 19)]),
        ('[!(word="the" | word="crane.*")]{4}', [(18, 22)]),
        ('[word!="the"]{4}', [(17, 21), (18, 22), (23, 27)]),
    ],
)  # fmt: skip
def test_matches_of_words(corpus, query, found):
    assert spans(corpus, query) == found


def test_a_match_begins_at_every_place_and_is_the_longest(corpus):
    assert spans(corpus, '[word!="the"]+')[:4] == [(1, 3), (2, 3), (4, 5), (6, 9)]


def test_sentences_end_matches(corpus):
    assert spans(corpus, '"steel" [] "bird"') == [(4, 7)]
    assert spans(corpus, '"steel" [] "bird" within s') == []
    assert spans(corpus, '"steel" []* within s') == [(4, 5)]
    assert spans(corpus, '"bird" []* within s') == [(6, 13)]
    assert spans(corpus, '"near" []{3} within doc') == [(8, 12), (21, 25)]
    assert spans(corpus, '"near" []{4} within s') == [(8, 13)]


def test_lemmas_come_from_a_dictionary_or_from_the_model(corpus, tmp_path):
    pytest.importorskip("simplemma")
    assert spans(corpus, '[lemma="crane"]') == [(1, 2), (14, 15), (17, 18), (25, 26)]
    assert spans(corpus, '[lemma="run|fl.*"]') == [(12, 13), (15, 16)]
    model = load(save_crane_model(tmp_path / "model")).with_lemmas({"banks": "shore"})
    assert spans(QuerySource(corpus, model), '[lemma="shore"]') == [(24, 25)]


def test_without_any_lemmas_the_query_says_what_to_do(tmp_path):
    corpus = Corpus.from_texts(["ein Kran"], language="none")
    with pytest.raises(InputError, match="install the extra lemmas"):
        spans(corpus, '[lemma="Kran"]')


def test_words_beyond_the_vocabulary_are_other_words():
    corpus = Corpus.from_texts(["nest crane nest beam"], options=IngestOptions(max_vocabulary=1))
    assert spans(corpus, '[word!="nest"]') == [(1, 2), (3, 4)]
    assert spans(corpus, '"nest" [] "nest" []') == [(0, 4)]
    assert spans(corpus, '"beam"') == []


BIRDS = ["nest crane wing", "steel crane beam", "wing crane nest and steel crane beam"]


def test_senses_are_told_by_the_model(tmp_path):
    corpus = Corpus.from_texts(BIRDS)
    source = QuerySource(corpus, load(save_crane_model(tmp_path / "model")))
    assert spans(source, '[word="crane" & sense="1"]') == [(1, 2), (7, 8)]
    assert spans(source, '[sense="2"]') == [(4, 5), (11, 12)]
    assert spans(source, '[sense="1|2"]') == [(1, 2), (4, 5), (7, 8), (11, 12)]
    assert spans(source, '[sense="2"] "beam"') == [(4, 6), (11, 13)]
    assert spans(source, '[word="crane" & sense!="2"]') == [(1, 2), (7, 8)]
    assert spans(source, '[word="wing" | sense="2"]') == [(2, 3), (4, 5), (6, 7), (11, 12)]
    with pytest.raises(InputError, match="sense needs a model"):
        spans(corpus, '[sense="1"]')


def test_senses_that_were_told_are_kept_for_the_next_query(tmp_path, monkeypatch):
    """A query that had no time for all of them goes on where it ended."""
    source = QuerySource(Corpus.from_texts(BIRDS), load(save_crane_model(tmp_path / "model")))
    tell, told = ShardReader._tell, []

    def tell_some(reader, word, places):
        if len(told) == 2:
            raise SlowQueryError("no more time")
        told.extend(places.tolist())
        return tell(reader, word, places)

    monkeypatch.setattr(sources, "_SENSES_AT_ONCE", 1)
    monkeypatch.setattr(ShardReader, "_tell", tell_some)
    with pytest.raises(SlowQueryError):
        spans(source, '[word="crane" & sense="2"]')
    assert told == [1, 4]
    told.clear()
    assert spans(source, '[word="crane" & sense="2"]') == [(4, 5), (11, 12)]
    assert told == [7, 11]
    monkeypatch.setattr(ShardReader, "_tell", None)
    assert spans(source, '[word="crane" & sense="1"]') == [(1, 2), (7, 8)]
    monkeypatch.setattr(sources, "_MOST_TOLD", 4)  # it does not grow for ever
    source.keep_senses(0, np.array([2]), np.array([0]))
    assert len(source.kept_senses(0)) == 1
    assert not source.with_model(source.model).kept_senses(0)


def test_senses_are_those_of_a_labelled_corpus(tmp_path):
    corpus = Corpus.from_texts(BIRDS)
    folder = save_crane_model(tmp_path / "model")
    labelled = label_corpus(corpus, folder, tmp_path / "labelled", workers=1)
    assert spans(labelled, '[word="crane" & sense="1"]') == [(1, 2), (7, 8)]
    assert spans(labelled, '"crane" [sense!="1"]')[0] == (1, 3)
    assert spans(labelled, '"cr.*" "beam"') == [(4, 6), (11, 13)]


@dataclass(frozen=True)
class Layer:
    attributes: tuple[str, ...] = ("lemma", "tag")

    def values_of(self, attribute):
        return ["N", "V"] if attribute == "tag" else ["nest", "crane", "be"]

    def numbers_of(self, attribute, shard):
        return np.array([0, 0, 1, 0] if attribute == "tag" else [0, 1, 2, 1], np.int32)

    def sentence_starts(self, shard):
        return np.array([0, 2])


def test_tags_and_lemmas_of_single_tokens_come_from_a_layer():
    source = QuerySource(Corpus.from_texts(["nest crane crane crane"]), None, Layer())
    assert spans(source, '[word="crane" & tag="N"]') == [(1, 2), (3, 4)]
    assert spans(source, '[lemma="b.*" & tag!="N"]') == [(2, 3)]
    assert spans(source, '"nest" []* within s') == [(0, 2)]
    with pytest.raises(InputError, match="annotate-grammar"):
        spans(QuerySource(Corpus.from_texts(["a b"])), '[tag="N"]')


def test_only_so_many_matches_are_kept(corpus):
    found = find_spans(QuerySource(corpus), parse_query("[]"), QueryLimits(matches=5))
    assert (found.starts.tolist(), found.is_complete) == ([0, 1, 2, 3, 4], False)
    found = find_spans(QuerySource(corpus), parse_query("[]"), QueryLimits(matches=27))
    assert (len(found), found.is_complete) == (27, True)


@pytest.mark.parametrize(
    "query", ['[]{0,3} "a"', '"a" | "b"', '"b" []{0,4} "a"', '[]{2,6} "a"', "[]{2}"]
)
def test_the_first_matches_are_the_same_however_many_are_kept(query, monkeypatch):
    rng = np.random.default_rng(0)
    corpus = Corpus.from_texts([" ".join(rng.choice(list("abc"), 40)) for _ in range(5)])
    everything = spans(corpus, query)
    monkeypatch.setattr(matching, "_AT_ONCE", 8)
    for most in (1, 5, 20, len(everything) - 1):
        assert spans(corpus, query, matches=most) == everything[:most]


def test_a_query_ends_in_time(corpus):
    with pytest.raises(SlowQueryError, match="longer than 0 s"):
        spans(corpus, '[]* "bird"', seconds=0)


def test_who_has_given_up_ends_a_query(corpus):
    def give_up() -> None:
        raise KeyError("cancelled")

    with pytest.raises(KeyError, match="cancelled"):
        spans(corpus, '"bird"', checkpoint=give_up)


def test_a_corpus_whose_forms_are_pooled_has_the_tokens_that_it_has(forms_corpus, forms_model):
    pooled = forms_model.pool_forms(forms_corpus)
    own = spans(forms_corpus, '"cranes"')
    assert spans(QuerySource(pooled, forms_model), '"cranes"') == own
    both = spans(QuerySource(pooled, forms_model), '[lemma="crane"]')
    assert len(both) == pooled.count_of("crane") > len(own)
    told = spans(QuerySource(pooled, forms_model), '[word="cranes" & sense="1|2"]')
    assert 0 < len(told) <= len(own)


def test_a_match_has_at_most_a_hundred_tokens():
    corpus = Corpus.from_texts([" ".join(["a"] * 150 + ["b"])])
    assert spans(corpus, '"a"+')[0] == (0, 100)
    assert spans(corpus, '"a"+ "b"')[0] == (51, 151)


def test_few_words_come_from_the_index_and_many_from_a_pass(corpus, monkeypatch):
    query = '"the" []? "crane"'
    monkeypatch.setattr(matching, "_TOKENS_A_LOOKUP", 0)
    by_index = spans(corpus, query)
    monkeypatch.setattr(matching, "_TOKENS_A_LOOKUP", 10**9)
    assert spans(corpus, query) == by_index == [(0, 2), (16, 18)]


def test_the_rarest_token_that_must_be_there_is_the_anchor():
    counts = {"a": 100, "b": 5, "c": 2}

    def count(condition):
        return 1000 if condition == ANYTHING else counts[condition.pattern]

    def anchors(query):
        return choose_anchors(parse_query(query).item, count)

    test_of = {letter: ValueTest("word", letter) for letter in counts}
    assert anchors('"a" "b" "c"?') == (Anchor(test_of["b"], 1, 1),)
    # Two of c within sixty tokens are more places than those of b.
    assert anchors('"b" []{0,59} "c"') == (Anchor(test_of["b"], 0, 0),)
    assert anchors('"a" []{0,2} "c"') == (Anchor(test_of["c"], 1, 3),)
    assert anchors('"a" ("b" | "a"? "c")') == (
        Anchor(test_of["b"], 1, 1),
        Anchor(test_of["c"], 1, 2),
    )
    assert measure_length(parse_query('"a"{2,3} | "b" "c"+').item) == (2, 100)


def test_the_automaton_has_a_state_for_each_token_place():
    built = automaton.build_automaton(parse_query('"a" "b"{0,2} "a"').item)
    assert built.condition_of.tolist() == [0, 1, 1, 0]
    assert (built.first.tolist(), built.last.tolist()) == (
        [True, False, False, False],
        [False, False, False, True],
    )
    follows = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    assert sorted(map(tuple, np.argwhere(built.follow).tolist())) == follows


@pytest.mark.parametrize("word", ["u.s.", 'a"b', "c++", r"x\y", "(a|b)", "[a]{2}", "plain"])
def test_a_word_as_a_value_fits_itself_alone(word):
    corpus = Corpus.from_texts([[word, "other"]])
    assert spans(corpus, f'"{describe_value(word)}"') == [(0, 1)]
