"""Queries, phrases, sketches and samples by HTTP."""

from __future__ import annotations

import csv
import io
import re

import numpy as np
import pytest

pytest.importorskip("httpx", reason="the test client needs httpx")

from fastapi.testclient import TestClient

from grassmeans import Corpus
from grassmeans_explorer.grammar.conllu import ConlluGrammar
from grassmeans_explorer.grammar.making import make_layer
from grassmeans_explorer.limits import Limits, WorkLimits
from grassmeans_explorer.server import create_app
from treebank import write_treebank

HERE = {"base_url": "http://localhost", "client": ("127.0.0.1", 50_000)}


@pytest.fixture(scope="module")
def client(topic_model_folder, phrase_corpus):
    return TestClient(create_app(topic_model_folder, phrase_corpus.path), **HERE)


@pytest.fixture(scope="module")
def parsed(tmp_path_factory, topic_model_folder):
    """With a grammar: a small treebank."""
    folder = tmp_path_factory.mktemp("parsed")
    trees = folder / "trees.conllu"
    trees.write_text(write_treebank("lift see", "see", "lift"))
    corpus = Corpus.from_files(trees, folder / "corpus", workers=1)
    layer = make_layer(corpus, folder / "grammar", ConlluGrammar([trees]))
    app = create_app(topic_model_folder, corpus.path, grammar_path=layer.path)
    return TestClient(app, **HERE)


def code_of(answer) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


@pytest.mark.parametrize(
    ("typed", "kind", "word", "count"),
    [
        ("ice cream", "phrase", "ice cream", 40),
        ("New York", "phrase", "new york", 40),
        ("U.S.", "phrase", "u s", 40),
        ("don't", "phrase", "don t", 40),
        ("crane's", "possessive", "crane", 200),
        ("Paris’s", "possessive", "paris", 40),
        ("cream ice", "absent", "cream ice", 0),
        ("zzyzx", "absent", "zzyzx", 0),
    ],
)
def test_what_was_typed_is_understood(client, typed, kind, word, count):
    found = client.get("/api/headword", params={"word": typed}).json()
    if typed == "don't" and found["kind"] == "word":
        kind, word = "word", "don't"
    assert (found["kind"], found["word"], found["count"]) == (kind, word, count)
    assert bool(found["reason"]) == (count == 0)


def test_a_search_leads_to_phrases_and_never_from_a_possessive_to_a_plural(client):
    found = client.get("/api/lookup", params={"word": "ice cream"}).json()
    assert (found["known_by"], found["word"], found["in_corpus"]) == ("phrase", "ice cream", 40)
    owner = client.get("/api/lookup", params={"word": "crane's"}).json()
    assert (owner["word"], owner["led_by"], owner["known_by"]) == ("crane", "possessive", "model")
    city = client.get("/api/lookup", params={"word": "Paris's"}).json()
    assert (city["word"], city["led_by"], city["in_corpus"]) == ("paris", "possessive", 40)
    nothing = client.get("/api/lookup", params={"word": "cream ice"}).json()
    assert (nothing["known_by"], nothing["in_corpus"]) == ("nobody", 0)
    assert "nowhere as this phrase" in nothing["reason"]


def test_a_phrase_has_lines_collocates_and_senses(client):
    lines = client.get("/api/query", params={"q": "Ice Cream", "typed": True, "limit": 3}).json()
    assert (lines["total"], lines["found"], lines["is_complete"]) == (40, 40, True)
    assert [line["word"].lower() for line in lines["lines"]] == ["ice cream"] * 3
    near = client.get("/api/headword/collocates", params={"word": "ice cream"}).json()
    assert near["lines"] == near["occurrences"] == 40
    assert near["collocates"]
    senses = client.get("/api/headword/senses", params={"word": "ice cream", "k": 2}).json()
    assert [sense["number"] for sense in senses["senses"]] == [1, 2]
    assert (senses["looked_at"], senses["unknown"]) == (40, 0)
    # What it stands among is birds in the one half of the lines, in the other machines.
    found = {re.sub("..$", "", one["characteristic_words"][0]): one for one in senses["senses"]}
    for topic, source in (("bird", "even"), ("machine", "odd")):
        sense = found[topic]
        assert (sense["n_lines"], sense["share"]) == (20, 0.5)
        assert all(word.startswith(topic) for word in sense["nearest_words"])
        wanted = {"q": "ice cream", "typed": True, "k": 2, "sense": sense["number"]}
        lines = client.get("/api/query", params=wanted).json()["lines"]
        assert {line["fields"]["source"] for line in lines} == {source}
        assert {line["sense_name"] for line in lines} == {sense["name"]}
    own = {"q": "ice cream", "typed": True, "sense": 1, "k": 2}
    counts = {0: senses["unknown"]} | {one["number"]: one["n_lines"] for one in senses["senses"]}
    assert sum(counts.values()) == 40
    for number, count in counts.items():
        found = client.get("/api/query", params=own | {"sense": number}).json()
        assert found["total"] == count
        assert all(line["sense"] == number for line in found["lines"])
    near = client.get(
        "/api/headword/collocates", params={"word": "ice cream", "sense": 1, "k": 2}
    ).json()
    assert near["lines"] == counts[1]
    assert code_of(client.get("/api/query", params=own | {"sense": 9})) == (404, "not_found")
    assert code_of(client.get("/api/headword/senses?word=crane")) == (409, "conflict")
    assert code_of(client.get("/api/query?q=cream+ice&typed=1")) == (404, "unknown_word")


def test_a_query_is_paged_sorted_counted_and_downloaded(client):
    ask = {"q": '"crane"', "limit": 200}
    found = client.get("/api/query", params=ask).json()
    assert found["total"] == found["found"] == 200
    positions = [line["position"] for line in found["lines"]]
    assert positions == sorted(positions)
    page = client.get("/api/query", params=ask | {"limit": 5, "offset": 7}).json()
    assert [line["position"] for line in page["lines"]] == positions[7:12]
    right = client.get("/api/query", params=ask | {"sort": "right1"}).json()["lines"]
    first = [
        line["right"].strip(" .").split()[:1] for line in right if "." not in line["right"][:3]
    ]
    words = [word[0].lower().strip(".") for word in first if word]
    assert words == sorted(words)
    senses = client.get("/api/query", params=ask | {"sort": "sense"}).json()["lines"]
    numbers = [line["sense"] for line in senses]
    assert numbers == sorted(numbers)
    assert set(numbers) >= {1, 2}
    counts = client.get("/api/query/frequency", params={"q": '"crane"'}).json()
    assert (counts["by"], counts["total"]) == ("document", 200)
    counts = client.get("/api/query/frequency", params={"q": '"crane"', "per": "source"}).json()
    assert {row["group"] for row in counts["groups"]} == {"even", "odd"}
    table = client.get("/api/query", params={"q": '"crane"', "format": "csv"})
    rows = list(csv.DictReader(io.StringIO(table.text.removeprefix("\ufeff"))))
    assert len(rows) == 50
    assert rows[0]["of_word"] == "crane"
    assert rows[0]["sense_name"]
    assert rows[0]["source"] in ("even", "odd")
    group = client.get("/api/query", params=ask | {"by": "source", "group": "odd"}).json()
    assert 0 < group["total"] < 200
    assert {line["fields"]["source"] for line in group["lines"]} == {"odd"}
    assert code_of(client.get("/api/query?q=%22crane%22&by=source&group=x")) == (404, "not_found")


def test_the_place_of_a_mistake_is_told(client):
    wrong = client.get("/api/query", params={"q": '"crane" [lem="x"]'})
    assert code_of(wrong) == (409, "bad_query")
    assert wrong.json()["error"]["column"] == 10
    unknown = client.get("/api/query", params={"q": '"x" [tag="N"]'})
    assert code_of(unknown) == (409, "bad_query")
    assert unknown.json()["error"]["column"] == 6
    assert code_of(client.get("/api/query", params={"q": '"x"', "sense": 1})) == (409, "conflict")
    assert code_of(client.get("/api/query?q=")) == (422, "invalid")
    assert code_of(client.get("/api/query", params={"q": "x" * 2001})) == (413, "too_much")


def test_a_slow_query_is_stopped_and_says_so(topic_model_folder, phrase_corpus):
    limits = Limits(work=WorkLimits(query_seconds=0.0))
    app = create_app(topic_model_folder, phrase_corpus.path, limits)
    slow = TestClient(app, **HERE).get("/api/query", params={"q": "[]{1,50} [] []"})
    assert code_of(slow) == (413, "too_much")
    assert "stopped" in slow.json()["error"]["message"]


def test_samples_are_the_same_and_have_a_share_of_every_sense(client):
    ask = {"word": "crane", "size": 20, "stratified": True}
    found = client.get("/api/sample", params=ask).json()
    numbers, counts = np.unique([line["sense"] for line in found["lines"]], return_counts=True)
    assert (found["total"], len(found["lines"])) == (200, 20)
    assert max(counts) - min(counts) <= 20 // len(numbers)
    assert client.get("/api/sample", params=ask).json() == found
    assert client.get("/api/sample", params=ask | {"draw": 1}).json() != found
    small = client.get("/api/sample", params={"word": "crane", "size": 5, "sense": 1}).json()
    assert {line["sense"] for line in small["lines"]} == {1}
    assert len(small["lines"]) == 5
    table = client.get("/api/sample", params=ask | {"format": "csv"}).text
    assert len(table.strip().splitlines()) == 21
    drawn = {"q": '"crane"', "sample": 10, "seed": 3, "stratified": True}
    lines = client.get("/api/query", params=drawn).json()
    assert (lines["total"], lines["found"]) == (10, 200)


def test_ngrams_and_keywords_are_tables(client):
    found = client.get("/api/ngrams", params={"n": 2, "containing": "ice"}).json()
    assert {"ngram": "ice cream", "count": 40} in [
        {"ngram": row["ngram"], "count": row["count"]} for row in found["ngrams"]
    ]
    assert code_of(client.get("/api/ngrams?containing=zzyzx")) == (404, "unknown_word")
    assert code_of(client.get("/api/ngrams?n=9")) == (422, "invalid")
    groups = client.get("/api/groups?by=source").json()
    assert [group["name"] for group in groups["groups"]] == ["even", "odd"]
    ask = {"by": "source", "group": "even", "least": 3}
    words = client.get("/api/keywords", params=ask).json()
    assert words["keywords"]
    assert all(row["log_likelihood"] > 0 for row in words["keywords"])
    table = client.get("/api/keywords", params=ask | {"format": "csv", "against": "odd"})
    assert table.text.startswith("\ufeffword,count,reference_count")
    assert code_of(client.get("/api/keywords?by=source&group=x")) == (404, "not_found")
    assert code_of(client.get("/api/keywords?by=nothing&group=x")) == (409, "conflict")


def test_a_sketch_has_a_group_for_each_sense(client):
    found = client.get("/api/sketch", params={"word": "crane"}).json()
    assert not found["has_grammar"]
    groups = found["sketch"]["groups"]
    assert [group["sense"] for group in groups] == [1, 2]
    assert [relation["name"] for relation in groups[0]["relations"]] == ["left", "right", "within"]
    whole = client.get("/api/sketch", params={"word": "crane", "by_sense": False}).json()
    assert [group["sense"] for group in whole["sketch"]["groups"]] == [None]
    ask = {"word": "crane", "sense": 1, "other_sense": 2}
    apart = client.get("/api/sketch/difference", params=ask).json()
    assert (apart["first"], apart["second"]) == ("crane.1", "crane.2")
    words = client.get("/api/sketch/difference?word=crane&other=bank&format=csv").text
    assert words.startswith("\ufeffrelation,word,pos,first,second")
    assert code_of(client.get("/api/sketch/difference?word=crane")) == (409, "conflict")
    alike = "/api/sketch/difference?word=crane&sense=1&other_sense=1"
    assert code_of(client.get(alike)) == (409, "conflict")
    assert code_of(client.get(alike[:-1] + "7")) == (404, "not_found")
    assert code_of(client.get("/api/sketch?word=zzyzx")) == (404, "unknown_word")
    lines = "/api/sketch/lines?word=crane&relation=left&collocate=x"
    assert code_of(client.get(lines)) == (409, "conflict")


def test_a_grammar_gives_relations_tags_and_their_lines(parsed):
    assert parsed.get("/healthz").json()["has_grammar"]
    ask = {"word": "crane", "fewest": 1, "by_sense": False}
    found = parsed.get("/api/sketch", params=ask).json()
    assert found["has_grammar"]
    relations = {one["name"]: one for one in found["sketch"]["groups"][0]["relations"]}
    assert relations["object of"]["collocates"][0]["word"] == "see"
    related = {"word": "crane", "relation": "object of", "collocate": "see", "pos": "VERB"}
    lines = parsed.get("/api/sketch/lines", params=related).json()
    assert lines["total"] == relations["object of"]["collocates"][0]["count"] == 2
    assert lines["lines"][0]["word"] == "cranes"
    assert parsed.get("/api/sketch/lines", params=related | {"pos": "NOUN"}).json()["total"] == 0
    tagged = parsed.get("/api/query", params={"q": '[pos="ADJ"] [lemma="crane"]'}).json()
    assert [line["word"] for line in tagged["lines"]] == ["white cranes"] * 2


def test_without_a_corpus_it_is_said(topic_model_folder):
    alone = TestClient(create_app(topic_model_folder), **HERE)
    for path in ("query?q=x", "headword?word=x", "ngrams", "sketch?word=crane", "groups?by=x"):
        assert code_of(alone.get(f"/api/{path}")) == (409, "no_corpus")
    for path in ("sample?word=crane", "keywords?by=x&group=y", "headword/senses?word=x"):
        assert code_of(alone.get(f"/api/{path}")) == (409, "no_corpus")
