"""``/api/entries``: what a person writes is on the disk, and nothing of it is lost."""

from __future__ import annotations

import json
import shutil

import pytest

pytest.importorskip("httpx", reason="the test client needs httpx")

from fastapi.testclient import TestClient

from grassmeans import load
from grassmeans_explorer.entries.formats import FORMATS
from grassmeans_explorer.entries.open_entries import ENTRIES
from grassmeans_explorer.entries.store import read_entries
from grassmeans_explorer.limits import Limits, RequestLimits
from grassmeans_explorer.server import create_app

CRANE = "/api/entries/words/crane"


@pytest.fixture
def own_model(tmp_path, topic_model_folder):
    return shutil.copytree(topic_model_folder, tmp_path / "models" / "topics")


@pytest.fixture
def app(own_model, topic_corpus):
    made = create_app(own_model, topic_corpus.path)
    yield made
    ENTRIES.of(made.state.session.opened).close()


@pytest.fixture
def client(app):
    return TestClient(app, base_url="http://localhost", client=("127.0.0.1", 5000))


def define(path, text, **more):
    return {"action": "set", "path": path, "field": "definition", "text": text, **more}


def change(client, *changes, revision=None, word="crane"):
    place = f"/api/entries/words/{word}"
    if revision is None:
        revision = client.get(place).json()["revision"]
    return client.post(f"{place}/change", json={"revision": revision, "changes": list(changes)})


def code_of(answer):
    return answer.status_code, answer.json()["error"]["code"]


def test_an_entry_begins_with_the_senses_of_the_model(client, own_model):
    found = client.get(CRANE).json()
    assert (found["revision"], found["written"], found["can_undo"]) == (0, False, False)
    assert [sense["key"] for sense in found["entry"]["senses"]] == ["crane.1", "crane.2"]
    assert all(sense["name"] and sense["in_entry"] for sense in found["model_senses"])
    assert read_entries(load(own_model)) == []
    assert not list(own_model.parent.glob(".*"))  # who only looks leaves nothing
    assert code_of(client.get("/api/entries/words/crano")) == (404, "unknown_word")


def test_a_change_is_on_the_disk_and_can_be_undone(client, own_model):
    made = change(client, define([1], "a bird"), {"action": "move", "path": [2], "to": [1]}).json()
    assert [sense["key"] for sense in made["entry"]["senses"]] == ["crane.2", "crane.1"]
    (entry,) = read_entries(load(own_model))
    assert entry.senses[1].definition == "a bird"
    undone = client.post(f"{CRANE}/undo", json={"revision": made["revision"]}).json()
    assert (undone["written"], undone["can_redo"]) == (False, True)
    stale = client.post(f"{CRANE}/redo", json={"revision": made["revision"]})
    assert code_of(stale) == (409, "conflict")
    redone = client.post(f"{CRANE}/redo", json={"revision": undone["revision"]}).json()
    assert redone["entry"] == made["entry"]
    nothing = client.post(f"{CRANE}/redo", json={"revision": redone["revision"]})
    assert code_of(nothing) == (409, "conflict")


def test_every_field_is_written(client):
    label, reference = {"kind": "domain", "text": "zoology"}, {"kind": "see", "key": "bank.2"}
    example = {"left": "A ", "word": "crane", "right": " flew.", "document": "", "decision": "keep"}
    fields = [
        {"field": "name", "text": "bird"},
        {"field": "part_of_speech", "text": "noun"},
        {"field": "labels", "labels": [label]},
        {"field": "collocates", "items": ["nest", "wing"]},
        {"field": "notes", "items": ["look again"]},
        {"field": "references", "references": [reference]},
        {"field": "examples", "examples": [example]},
    ]
    below = {"action": "add", "path": [1]}
    status = {"action": "set", "field": "status", "text": "review"}
    changes = [{"action": "set", "path": [1], **one} for one in fields]
    entry = change(client, *changes, below, status).json()["entry"]
    sense = entry["senses"][0]
    assert entry["status"] == "review"
    assert sense["labels"] == [label]
    assert sense["references"][0]["key"] == "bank.2"
    assert sense["references"][0]["numbering"]["n_senses"] == 2
    assert (sense["examples"], sense["collocates"]) == ([example], ["nest", "wing"])
    assert len(sense["senses"]) == 1
    removed = change(client, {"action": "remove", "path": [1, 1]}).json()
    assert removed["entry"]["senses"][0]["senses"] == []


def test_a_change_is_made_to_the_sense_that_it_is_for(client):
    """Who goes on typing while a move is on its way means the sense, not its old place."""
    change(client, {"action": "move", "path": [1], "key": "crane.1", "to": [2]})
    made = change(client, define([1], "a bird", key="crane.1")).json()["entry"]["senses"]
    assert [(one["key"], one["definition"]) for one in made] == [
        ("crane.2", ""),
        ("crane.1", "a bird"),
    ]
    change(client, {"action": "remove", "path": [2], "key": "crane.1"})
    gone = change(client, define([1], "a bird", key="crane.1"))
    assert code_of(gone) == (409, "conflict")
    assert client.get(CRANE).json()["entry"]["senses"][0]["definition"] == ""


def test_examples_of_other_programs_can_be_decided_on(client):
    """Their word may be unknown, and their sentences and sources are long."""
    parts = ("left", "word", "right", "document", "decision")
    told = (
        ("No word is marked.", "", "", "", "keep"),
        ("x" * 3_000, "crane", "", "d" * 300, "never"),
    )
    examples = [dict(zip(parts, one, strict=True)) for one in told]
    wish = {"action": "set", "path": [1], "field": "examples", "examples": examples}
    assert change(client, wish).json()["entry"]["senses"][0]["examples"] == examples


@pytest.fixture
def phrases(own_model, phrase_corpus):
    """A client of the model with a corpus that has phrases."""
    made = create_app(own_model, phrase_corpus.path)
    yield TestClient(made, base_url="http://localhost", client=("127.0.0.1", 5000))
    ENTRIES.of(made.state.session.opened).close()


def test_phrases_and_words_of_the_corpus_have_entries(phrases, own_model):
    place = "/api/entries/words/Ice  cream"
    empty = phrases.get(place).json()
    assert (empty["word"], empty["entry"]["senses"]) == ("Ice cream", [])
    assert (empty["written"], empty["model_senses"]) == (False, [])
    made = change(phrases, {"action": "add"}, define([1], "a sweet"), word="Ice cream")
    assert made.json()["entry"]["senses"][0]["definition"] == "a sweet"
    # The same one, however it is typed now.
    assert phrases.get("/api/entries/words/ICE CREAM").json()["word"] == "Ice cream"
    assert [entry.word for entry in read_entries(load(own_model))] == ["Ice cream"]
    assert change(phrases, {"action": "add"}, word="cream").json()["word"] == "cream"
    assert code_of(phrases.get("/api/entries/words/cream ice")) == (404, "unknown_word")
    assert code_of(phrases.get(f"/api/entries/words/{'ice ' * 60}")) == (404, "unknown_word")
    page = phrases.get("/api/entries/download?format=html&word=Ice cream")
    assert "a sweet" in page.text


def test_what_does_not_fit_changes_nothing(client):
    wrong = (
        define([3], "x"),
        define([], "x"),
        {"action": "set", "field": "status", "text": "ready"},
        {"action": "move", "path": [1], "to": [7]},
        {"action": "add", "key": "bank.1"},
    )
    for one in wrong:
        assert code_of(change(client, define([1], "y"), one)) == (409, "conflict"), one
    assert code_of(change(client, define([1], "x" * 20_001))) == (422, "invalid")
    assert code_of(change(client)) == (422, "invalid")
    many = [{"action": "add"}] * 199
    assert code_of(change(client, *many)) == (409, "conflict")
    assert not client.get(CRANE).json()["written"]


def test_a_conflict_tells_both_texts_and_keeps_the_late_one(client, own_model):
    change(client, define([1], "mine"), {"action": "move", "path": [2], "to": [1]})
    late = change(client, define([1], "yours", key="crane.1"), revision=0)
    error = late.json()["error"]
    assert (late.status_code, error["code"]) == (409, "conflict")
    now = client.get(CRANE).json()
    text = {"change": 0, "path": [2], "key": "crane.1", "is_gone": False, "field": "definition"}
    texts = [text | {"yours": "yours", "theirs": "mine"}]
    assert error["conflict"] == {"revision": now["revision"], "texts": texts, "places": [[2]]}
    assert now["entry"]["senses"][1]["definition"] == "mine"
    assert now["conflicts"][0]["senses"][1]["definition"] == "yours"
    gone = change(client, define([5], "of a sense that is gone"), revision=0).json()["error"]
    assert gone["conflict"]["texts"][0]["theirs"] is None
    kept = client.get(CRANE).json()["conflicts"][1]["senses"][2]
    assert kept["definition"] == "of a sense that is gone"
    labels = {"action": "set", "path": [1], "field": "labels"}
    labels["labels"] = [{"kind": "other", "text": "x"}]
    both = change(client, labels, revision=0).json()["error"]["conflict"]["texts"][0]
    assert (both["yours"], both["theirs"]) == (labels["labels"], [])


def test_a_conflict_tells_senses_apart_that_one_request_changed(client):
    """The same field of two senses, which somebody else has moved and removed meanwhile."""
    change(
        client, {"action": "add"}, define([3], "own"), {"action": "move", "path": [2], "to": [1]}
    )
    wanted = [
        define([1], "a bird", key="crane.1"),
        define([2], "a machine", key="crane.2"),
        {"action": "accept", "path": [2], "key": "crane.2"},
    ]
    found = change(client, *wanted, revision=0).json()["error"]["conflict"]
    assert [(one["key"], one["path"], one["yours"]) for one in found["texts"]] == [
        ("crane.1", [2], "a bird"),
        ("crane.2", [1], "a machine"),
    ]
    assert found["places"] == [[2], [1], [1]]
    change(client, {"action": "remove", "path": [1]}, revision=found["revision"])
    gone = change(client, *wanted, {**wanted[1], "field": "name"}, revision=0).json()["error"]
    told = gone["conflict"]
    # Where crane.2 was is another sense now: its texts have the place of a new one.
    assert told["places"] == [[1], [3], None, [3]]
    assert [(one["is_gone"], one["theirs"]) for one in told["texts"]] == [
        (False, ""),
        (True, None),
        (True, None),
    ]
    again = [{"action": "add", "key": told["texts"][1]["key"]}, define([3], "a machine")]
    senses = change(client, *again, revision=told["revision"]).json()["entry"]["senses"]
    assert [(one["key"], one["definition"]) for one in senses] == [
        ("crane.1", ""),
        ("", "own"),
        ("crane.2", "a machine"),
    ]


def test_lines_are_kept_and_excluded(client):
    line = client.get("/api/concordance?word=crane&sense=2&limit=1").json()["lines"][0]
    body = {name: line[name] for name in ("left", "word", "right", "document", "sense")}
    by_place = {**body, "decision": "keep", "position": line["position"]}
    kept = client.post(f"{CRANE}/examples", json=by_place).json()
    assert kept["key"] == "crane.2"
    assert kept["example"]["word"] == "crane"
    again = client.post(f"{CRANE}/examples", json=by_place).json()
    assert again["revision"] == kept["revision"]  # nothing that could be undone
    never = client.post(f"{CRANE}/examples", json={**body, "decision": "never"}).json()
    assert never["revision"] > kept["revision"]
    examples = client.get(CRANE).json()["entry"]["senses"][1]["examples"]
    assert {one["decision"] for one in examples} == {"keep", "never"}
    outside = {**by_place, "position": 10**9}
    assert code_of(client.post(f"{CRANE}/examples", json=outside)) == (404, "not_found")
    no_sense = {**by_place, "sense": 3}
    assert code_of(client.post(f"{CRANE}/examples", json=no_sense)) == (404, "not_found")
    change(client, {"action": "remove", "path": [2]})
    assert [s["in_entry"] for s in client.get(CRANE).json()["model_senses"]] == [True, False]
    client.post(f"{CRANE}/examples", json=by_place)
    assert client.get(CRANE).json()["entry"]["senses"][1]["key"] == "crane.2"


def test_proposals_are_for_what_is_empty(client):
    first = client.get(f"{CRANE}/proposal").json()
    assert [sense["path"] for sense in first["senses"]] == [[1], [2]]
    assert first["senses"][0]["name"]
    assert first["senses"][0]["collocates"]
    named = {"action": "set", "path": [1], "field": "name", "text": "my own"}
    change(client, named)
    second = client.get(f"{CRANE}/proposal").json()
    assert (second["senses"][0]["name"], second["revision"] > 0) == ("", True)


def test_entries_go_with_corrections_and_versions(client, own_model, tmp_path, topic_corpus):
    change(client, define([1], "a bird"), define([2], "a machine"))
    merge = {"word": "crane", "action": "merge", "senses": [1, 2], "revision": 0}
    assert client.post("/api/corrections", json=merge).status_code == 200
    merged = client.get(CRANE).json()
    assert [sense["key"] for sense in merged["entry"]["senses"]] == ["crane.1", "crane.1"]
    assert any("more than one text" in remark for remark in merged["remarks"])
    elsewhere = create_app(own_model, save_to=tmp_path / "versions")
    other = TestClient(elsewhere, base_url="http://localhost", client=("127.0.0.1", 5000))
    hide = {"word": "bank", "action": "hide", "senses": [1], "revision": 0}
    assert other.post("/api/corrections", json=hide).status_code == 200
    saved = other.post("/api/corrections/save", json={}).json()
    assert saved["remarks"] == []
    (entry,) = read_entries(load(tmp_path / "versions" / saved["saved_to"]))
    assert entry.senses[0].definition == "a bird"


def test_one_process_writes_and_others_read(client, own_model):
    change(client, define([1], "a bird"))
    second = create_app(own_model)
    other = TestClient(second, base_url="http://localhost", client=("127.0.0.1", 5000))
    assert other.get(CRANE).json()["entry"]["senses"][0]["definition"] == "a bird"
    assert code_of(change(other, define([1], "mine"))) == (409, "conflict")
    second.state.session.opened.read_only = True
    assert "--read-only" in other.get(CRANE).json()["not_kept"]
    assert code_of(change(other, define([1], "mine"))) == (409, "conflict")


def test_a_damaged_journal_is_set_aside(client, own_model):
    change(client, define([1], "a bird"))
    (journal,) = own_model.parent.glob(".*.entries.jsonl")
    copy = shutil.copytree(own_model, own_model.parent / "again" / "topics")
    (copy.parent / journal.name).write_text('{"kind": "something else"}\n')
    app = create_app(copy)
    other = TestClient(app, base_url="http://localhost", client=("127.0.0.1", 5000))
    listed = other.get("/api/entries").json()
    assert (listed["total"], len(listed["remarks"])) == (0, 1)
    assert list(copy.parent.glob("*damaged*"))
    ENTRIES.of(app.state.session.opened).close()
    assert code_of(change(other, define([1], "late"))) == (409, "conflict")


def test_downloads_in_every_format(client):
    assert code_of(client.get("/api/entries/download?format=tei")) == (404, "not_found")
    change(client, define([1], "a bird"))
    change(client, define([1], "of a river"), word="bank")
    for name, kind in FORMATS.items():
        one = client.get(f"/api/entries/download?format={name}&word=Crane")
        every = client.get(f"/api/entries/download?format={name}")
        assert f'crane{kind.endings[0]}"' in one.headers["content-disposition"].lower()
        assert "a bird" in one.text
        assert "of a river" not in one.text
        assert "of a river" in every.text
    assert code_of(client.get("/api/entries/download?format=pdf")) == (422, "invalid")
    listed = client.get("/api/entries?limit=1").json()
    assert (listed["total"], listed["entries"][0]["word"]) == (2, "bank")
    assert listed["entries"][0]["n_defined"] == 1


@pytest.mark.parametrize("format", [one.name for one in FORMATS.values() if one.can_read])
def test_a_file_is_summarised_before_it_is_imported(client, format):
    if format == "ontolex":
        pytest.importorskip("rdflib", reason="RDFLib reads Turtle, and is not installed")
    change(client, define([1], "a bird"))
    change(client, define([1], "of a river"), word="bank")
    content = client.get(f"/api/entries/download?format={format}").text
    change(client, define([1], "another text"))
    body = {"format": format, "content": content}
    told = client.post("/api/entries/import/summary", json=body).json()
    assert bool(told["remarks"]) == bool(FORMATS[format].lacks)
    assert (told["n_entries"], told["n_new"], told["done"]) == (2, 0, False)
    assert told["words"][0] == {"word": "crane", "state": "other", "in_model": True}
    assert client.get(CRANE).json()["entry"]["senses"][0]["definition"] == "another text"
    stale = {**body, "latest": told["latest"] - 1}
    assert code_of(client.post("/api/entries/import", json=stale)) == (409, "conflict")
    done = client.post("/api/entries/import", json={**body, "latest": told["latest"]}).json()
    assert done["done"]
    now = client.get(CRANE).json()
    assert now["entry"]["senses"][0]["definition"] == "a bird"
    undone = client.post(f"{CRANE}/undo", json={"revision": now["revision"]}).json()
    assert undone["entry"]["senses"][0]["definition"] == "another text"


def test_files_that_are_none_and_words_of_no_model(own_model, client):
    for content in ("", "nothing", "{}"):
        body = {"format": "json", "content": content}
        answer = client.post("/api/entries/import/summary", json=body)
        assert code_of(answer) == (409, "conflict")
    head = {"kind": "grassmeans-lexicon", "format_version": 1, "root": "ab" * 32}
    lexicon = head | {"entries": [{"word": "heron"}]}
    body = {"format": "json", "content": json.dumps(lexicon)}
    told = client.post("/api/entries/import/summary", json=body).json()
    assert (told["n_new"], told["words"][0]["in_model"], len(told["remarks"])) == (1, False, 2)
    client.post("/api/entries/import", json={**body, "latest": 0})
    heron = client.get("/api/entries/words/heron").json()
    assert (heron["written"], heron["model_senses"]) == (True, [])
    assert code_of(client.get("/api/entries/words/heron/proposal")) == (404, "not_found")
    limits = Limits(request=RequestLimits(lexicon_characters=20))
    small = TestClient(
        create_app(own_model, limits=limits), base_url="http://localhost", client=("127.0.0.1", 1)
    )
    answer = small.post("/api/entries/import/summary", json={**body, "content": "x" * 21})
    assert code_of(answer) == (413, "too_much")
    large = {**body, "content": " " * (1 << 20) + json.dumps(lexicon)}
    assert client.post("/api/entries/import/summary", json=large).status_code == 200
