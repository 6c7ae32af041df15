"""The explorer's HTTP API on a small model: answers, errors, bounds, and a fuzz from its schema."""

from __future__ import annotations

import csv
import gc
import io
import json
import os
import shutil
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("httpx", reason="the test client needs httpx")

from fastapi.testclient import TestClient

from grassmeans import load
from grassmeans_explorer.limits import Limits, MemoryLimits, RequestLimits, WorkLimits
from grassmeans_explorer.queries.tag import NAMES
from grassmeans_explorer.queries.words import VIEWS
from grassmeans_explorer.server import create_app

LOCAL = "http://localhost"
HERE = ("127.0.0.1", 50_000)  # the other end of a connection on this machine


@pytest.fixture
def own_model(tmp_path, topic_model_folder):
    """A copy of the model in a folder of its own, beside which versions can be saved."""
    return shutil.copytree(topic_model_folder, tmp_path / "models" / "topics")


@pytest.fixture
def client(own_model, topic_corpus):
    return TestClient(create_app(own_model, topic_corpus.path), base_url=LOCAL, client=HERE)


@pytest.fixture
def alone(own_model):
    return TestClient(create_app(own_model), base_url=LOCAL, client=HERE)


def code_of(answer) -> tuple[int, str]:
    assert answer.headers["content-type"] == "application/json"
    assert answer.json()["error"]["message"]
    return answer.status_code, answer.json()["error"]["code"]


def test_health_says_what_is_served(client, alone):
    found = client.get("/healthz").json()
    assert (found["status"], found["model"], found["n_words"]) == ("ok", "topics", 2)
    assert (found["language"], found["has_corpus"]) == ("en", True)
    assert not alone.get("/healthz").json()["has_corpus"]


def test_words_are_found_and_shown(client):
    assert client.get("/api/words?q=cr").json() == {
        "total": 1,
        "words": [{"word": "crane", "count": 200, "n_senses": 2}],
    }
    view = client.get("/api/words/Crane").json()
    assert [sense["number"] for sense in view["senses"]] == [1, 2]
    sense = view["senses"][0]
    assert set(sense["examples"][0]) == {"left", "word", "right", "document", "distance"}
    examples = client.get("/api/words/crane/senses/1/examples?limit=3").json()
    assert len(examples["examples"]) == 3
    assert client.get("/api/words/crane/planes?senses=1,2").json()["word"] == "crane"
    assert len(client.get("/api/words/crane/map?limit=30").json()["points"]) == 30


def test_words_to_begin_with_are_those_of_the_model(client):
    found = client.get("/api/showcase").json()["words"]
    assert sorted((one["word"], one["n_senses"]) for one in found) == [("bank", 2), ("crane", 2)]
    assert all(name for one in found for name in one["names"])


def test_senses_of_many_words_are_mapped_within_bounds(client):
    found = client.get("/api/sense-map?words=Crane,bank,nothing&neighbours=5").json()
    places = [(sense["word"], sense["sense"]) for sense in found["senses"]]
    assert places == [("crane", 1), ("crane", 2), ("bank", 1), ("bank", 2)]
    assert all(abs(sense["x"]) <= 1 and abs(sense["y"]) <= 1 for sense in found["senses"])
    assert found["unknown"] == ["nothing"]
    assert code_of(client.get("/api/sense-map?words=nothing")) == (404, "unknown_word")
    assert code_of(client.get("/api/sense-map?words=,")) == (404, "unknown_word")
    many = ",".join(f"w{i}" for i in range(61))
    assert code_of(client.get(f"/api/sense-map?words={many}")) == (413, "too_much")
    assert code_of(client.get("/api/sense-map?words=bank&neighbours=61")) == (413, "too_much")
    assert code_of(client.get("/api/sense-map?words=bank&neighbours=-1")) == (422, "invalid")
    assert code_of(client.get(f"/api/sense-map?words={'x' * 4001}")) == (422, "invalid")
    assert code_of(client.get("/api/sense-map")) == (422, "invalid")


def test_errors_have_their_own_status_and_say_what_to_do(client, alone):
    missing = client.get("/api/words/crano")
    assert code_of(missing) == (404, "unknown_word")
    assert missing.json()["error"]["did_you_mean"] == ["crane"]
    assert code_of(client.get("/api/words/crane/senses/9/examples")) == (404, "not_found")
    assert code_of(client.get("/api/words/crane/planes?senses=one")) == (422, "invalid")
    assert code_of(client.get("/api/words?limit=201")) == (413, "too_much")
    assert code_of(client.get("/api/words?limit=x")) == (422, "invalid")
    assert code_of(client.get("/api/nothing")) == (404, "not_found")
    assert code_of(client.get("/api/words/", follow_redirects=False)) == (404, "not_found")
    assert code_of(client.put("/api/tag")) == (405, "method_not_allowed")
    for path, methods in {
        "corrections": "GET, POST",
        "words": "GET",
        "jobs/x": "DELETE, GET",
    }.items():
        refused = client.patch(f"/api/{path}")
        assert (refused.status_code, refused.headers["allow"]) == (405, methods)
        assert client.post("/api/words").status_code == 405
    assert code_of(alone.post("/api/induce", json={"word": "crane"})) == (409, "no_corpus")
    assert code_of(alone.get("/api/document?position=1")) == (409, "no_corpus")
    anew = alone.get("/api/concordance?word=crane&senses=2")
    assert code_of(anew) == (409, "no_corpus")
    assert "inducing senses anew needs the corpus" in anew.json()["error"]["message"]
    assert code_of(client.get("/api/jobs/none")) == (404, "not_found")
    assert code_of(client.post("/api/induce", json={"word": "zzz"})) == (404, "unknown_word")
    too_many = {"word": "crane", "n_senses": 9}
    assert code_of(client.post("/api/induce", json=too_many)) == (413, "too_much")
    too_long = {"word": "crane", "max_contexts": 20_001}
    assert code_of(client.post("/api/induce", json=too_long)) == (413, "too_much")


def test_text_is_tagged_with_what_decided(client, synthetic):
    text = " ".join(["crane", *synthetic.topic_words[1][:10]])
    found = client.post("/api/tag", json={"text": text, "deciding": True}).json()
    word = found["words"][0]
    assert (word["start"], word["end"], word["key"], word["label"]) == (
        0,
        5,
        "crane",
        f"crane.{word['sense']}",
    )
    assert len(word["distances"]) == len(word["probabilities"]) == 2
    assert word["deciding_words"][0]["weight"] > 0
    assert found["senses"]["crane"][word["sense"] - 1]["name"] == word["name"]
    never = client.post("/api/tag", json={"text": text, "idk_threshold": 0}).json()
    assert never["words"][0]["sense"] == 0
    one = {"text": text, "start": 0, "word": "crane", "sense": word["nearest"]}
    decided = client.post("/api/tag/deciding", json=one).json()
    assert decided["deciding_words"] == word["deciding_words"]
    assert code_of(client.post("/api/tag/deciding", json=one | {"sense": 9})) == (404, "not_found")
    assert code_of(client.post("/api/tag/deciding", json=one | {"start": 3})) == (404, "not_found")
    assert code_of(client.post("/api/tag", json={"text": "x" * 200_001})) == (413, "too_much")
    assert code_of(client.post("/api/tag", json={"text": 5})) == (422, "invalid")


def test_long_texts_are_tagged_as_jobs_too(client, synthetic):
    text = " ".join(["crane", *synthetic.topic_words[1][:10]]) + ". "
    text *= 200_000 // len(text)
    started = client.post("/api/tag?job=1", json={"text": text})
    assert started.status_code == 202
    client.app.state.session.pool.find_job(started.json()["job"]).future.result(60)
    done = client.get(f"/api/jobs/{started.json()['job']}").json()
    assert (done["state"], done["progress"]) == ("done", 1)
    assert done["result"] == client.post("/api/tag", json={"text": text}).json()
    assert len(done["result"]["words"]) == text.count("crane")


def test_lines_are_tagged_by_themselves_and_places_corrected(client, synthetic):
    birds, machines = (" ".join(words[:3]) for words in synthetic.topic_words[:2])
    body = {"text": f"{birds} crane {machines}\nthe crane"}
    told = [client.post("/api/tag", json=body | {"lines": lines}).json() for lines in (None, False)]
    assert [answer["lines"] for answer in told] == [True, False]
    assert [len(answer["words"]) for answer in told] == [2, 2]
    first = told[0]["words"][0]
    place = {"left": f"{birds} ", "word": "crane", "right": f" {machines}"}
    wanted = {"word": "crane", "action": "assign", "senses": [3 - first["nearest"]], "revision": 0}
    changed = client.post("/api/corrections", json=wanted | {"passages": [place]})
    assert changed.json()["corrections"][0]["passages"] == [list(place.values())]
    again = client.post("/api/tag", json=body | {"lines": True}).json()
    assert again["words"][0]["nearest"] == 3 - first["nearest"]
    assert code_of(client.post("/api/corrections", json=wanted | {"passages": [{}]}))[0] == 422


def test_the_dial_answers_at_once_or_as_a_job(client):
    found = client.post("/api/induce", json={"word": "bank", "n_senses": 3}).json()
    assert found["n_senses"] == 3
    assert [node["level"] for node in found["tree"]] == [1, 2, 2, 3, 3, 3]
    started = client.post("/api/induce?job=1", json={"word": "seal", "n_senses": 2})
    assert started.status_code == 202
    path = f"/api/jobs/{started.json()['job']}"
    client.app.state.session.pool.find_job(started.json()["job"]).future.result(60)
    done = client.get(path).json()
    assert (done["state"], done["result"]["word"]) == ("done", "seal")
    assert client.delete(path).json()["state"] == "done"
    failing = client.post("/api/induce?job=1", json={"word": "zzz"}).json()["job"]
    client.app.state.session.pool.find_job(failing).future.exception(60)
    failed = client.get(f"/api/jobs/{failing}").json()
    assert (failed["state"], failed["error"]["code"]) == ("failed", "unknown_word")


def test_beyond_the_queue_there_is_a_time_to_come_back(own_model, topic_corpus):
    limits = Limits(work=WorkLimits(at_once=1, waiting=0))
    client = TestClient(
        create_app(own_model, topic_corpus.path, limits), base_url=LOCAL, client=HERE
    )
    blocked = threading.Event()
    job = client.app.state.session.pool.start_job(lambda: blocked.wait(60))
    for path in ("/api/words/crane/planes", "/api/concordance?word=crane&q=x"):
        assert code_of(client.get(path)) == (429, "busy")
    refused = client.post("/api/induce", json={"word": "crane"})
    assert code_of(refused) == (429, "busy")
    assert int(refused.headers["retry-after"]) > 0
    cancelled = client.delete(f"/api/jobs/{job.identifier}").json()
    assert cancelled["state"] == "cancelled"
    blocked.set()
    job.future.result(60)
    assert client.post("/api/induce", json={"word": "crane"}).status_code == 200


def test_work_that_takes_too_long_is_given_up(own_model, topic_corpus):
    limits = Limits(work=WorkLimits(seconds=-1.0))
    client = TestClient(
        create_app(own_model, topic_corpus.path, limits), base_url=LOCAL, client=HERE
    )
    late = client.post("/api/induce", json={"word": "crane"})
    assert code_of(late) == (503, "out_of_time")
    assert int(late.headers["retry-after"]) > 0


def test_lines_are_paged_and_downloaded(client):
    found = client.get("/api/concordance?word=crane&sense=1&sort=confidence&limit=4").json()
    assert [line["sense"] for line in found["lines"]] == [1, 1, 1, 1]
    position = found["lines"][0]["position"]
    document = client.get(f"/api/document?position={position}").json()
    assert document["text"][document["start"] : document["end"]].lower() == "crane"
    table = client.get("/api/concordance?word=crane&format=csv&limit=300")
    assert table.headers["content-type"] == "text/csv; charset=utf-8"
    assert 'filename="crane-concordance.csv"' in table.headers["content-disposition"]
    rows = list(csv.reader(io.StringIO(table.text.lstrip("\ufeff"))))
    assert len(rows) == 1 + 200
    assert rows[0][:4] == ["position", "document", "left", "word"]
    assert client.get("/api/words?format=csv").text.splitlines()[1] == "crane,200,2"
    assert len(client.get("/api/words/bank?format=csv").text.splitlines()) == 3


def test_corrections_are_saved_as_a_version_that_tags(client, own_model, synthetic):
    def correct(action, senses=(), **more):
        revision = client.get("/api/words/crane").json()["revision"]
        body = {"word": "crane", "action": action, "senses": list(senses), "revision": revision}
        return client.post("/api/corrections", json=body | more)

    assert code_of(client.post("/api/corrections/save", json={})) == (409, "conflict")
    assert correct("rename", [1], name="tall bird").json()["senses"][0]["name"] == "tall bird"
    assert code_of(correct("hide", [3])) == (409, "conflict")
    assert correct("merge", [1, 2]).json()["n_senses"] == 1
    assert correct("split", [1]).json()["n_senses"] == 2
    assert correct("reset").json()["edited"] is False
    assert correct("hide", [2]).json()["senses"][1]["hidden"] is True
    (edit,) = client.get("/api/corrections").json()["edits"]
    assert {name: value for name, value in edit.items() if value} == {
        "word": "crane",
        "action": "hide",
        "senses": [2],
    }
    bad = client.post("/api/corrections/save", json={"name": "../topics"})
    assert code_of(bad) == (409, "conflict")
    saved = client.post("/api/corrections/save", json={}).json()
    assert (saved["saved_to"], saved["n_words"]) == ("topics-v2", 1)
    assert sorted(p.name for p in own_model.parent.iterdir()) == ["topics", "topics-v2"]
    version = load(own_model.parent / "topics-v2")
    text = " ".join(["crane", *synthetic.topic_words[0][:4], *synthetic.topic_words[1][:4]])
    assert version.tag(text, idk_threshold=None)[0].sense == 1
    assert client.post("/api/corrections/save", json={"name": "mine"}).json()["saved_to"] == "mine"


def test_saved_version_names_commands_that_work_anywhere(own_model, topic_corpus, tmp_path):
    place = tmp_path / "my $versions"
    app = create_app(own_model, topic_corpus.path, save_to=place)
    client = TestClient(app, base_url=LOCAL, client=HERE)
    body = {"word": "crane", "action": "rename", "senses": [1], "name": "x", "revision": 0}
    assert client.post("/api/corrections", json=body).status_code == 200
    saved = client.post("/api/corrections/save", json={}).json()
    tools = tmp_path / "tools"
    tools.mkdir()
    called = f"#!{sys.executable}\nfrom grassmeans.cli.main import run\n\nrun()\n"
    (tools / "grassmeans").write_text(called)
    (tools / "grassmeans").chmod(0o755)
    path = {"PATH": f"{tools}:{os.environ['PATH']}"}
    elsewhere = {"cwd": tools, "env": os.environ | path, "capture_output": True, "text": True}
    done = subprocess.run(saved["tag_command"], shell=True, check=False, **elsewhere)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["words"][0]["name"] == "x"
    assert str(place / "topics-v2") in saved["explore_command"].replace("'", "")
    assert str(topic_corpus.path) in saved["explore_command"]


def test_division_of_the_dial_is_adopted_and_undone_step_by_step(client, own_model, synthetic):
    def correct(action, **more):
        revision = client.get("/api/words/crane").json()["revision"]
        body = {"word": "crane", "action": action, "revision": revision} | more
        return client.post("/api/corrections", json=body)

    found = client.post("/api/induce", json={"word": "crane", "n_senses": 3}).json()
    adopted = correct("adopt", n_senses=3).json()
    assert [s["share"] for s in adopted["senses"]] == [s["share"] for s in found["senses"]]
    assert correct("rename", senses=[3], name="mine").json()["senses"][2]["name"] == "mine"
    back = correct("undo").json()
    assert [edit["action"] for edit in back["corrections"]] == ["adopt"]
    assert [edit["action"] for edit in back["undone"]] == ["rename"]
    assert correct("redo").json()["senses"][2]["name"] == "mine"
    assert correct("reset").json()["n_senses"] == 2
    assert correct("redo").json()["n_senses"] == 3
    assert code_of(correct("adopt")) == (409, "conflict")
    assert code_of(correct("adopt", n_senses=9)) == (413, "too_much")
    nodes = [{"level": 2, "number": 1}, {"level": 2, "number": 2}]
    assert correct("adopt", n_senses=3, nodes=nodes).json()["n_senses"] == 2
    assert code_of(correct("adopt", n_senses=3, nodes=nodes[:1])) == (409, "conflict")
    assert correct("undo").json()["n_senses"] == 3


def test_word_outside_the_model_is_added(client, own_model):
    assert client.get("/api/words/seal").status_code == 404
    body = {"word": "seal", "action": "adopt", "n_senses": 2, "revision": 0}
    added = client.post("/api/corrections", json=body).json()
    assert (added["word"], added["n_senses"], added["edited"]) == ("seal", 2, True)
    undo = {"word": "seal", "action": "undo", "revision": added["revision"]}
    assert client.post("/api/corrections", json=undo).json()["senses"] == []
    assert client.post("/api/tag", json={"text": "seal"}).json()["words"] == []
    again = client.post("/api/corrections", json=undo | {"action": "redo", "revision": 0})
    assert again.json()["n_senses"] == 2
    client.post("/api/corrections/save", json={})
    version = load(own_model.parent / "topics-v2")
    example = version.senses("seal").senses[1].examples[0]
    line = f"{example.left}{example.word}{example.right}"
    assert version.tag(line, words="seal")[0].sense == 2


def test_lines_are_given_to_a_sense(doubtful_model_folder, doubtful_corpus):
    app = create_app(doubtful_model_folder, doubtful_corpus.path)
    client = TestClient(app, base_url=LOCAL, client=HERE)

    def find(query: str) -> list[dict]:
        return client.get(f"/api/concordance?word=crane&limit=200{query}").json()["lines"]

    def correct(**more):
        revision = client.get("/api/words/crane").json()["revision"]
        body = {"word": "crane", "action": "assign", "revision": revision} | more
        return client.post("/api/corrections", json=body)

    doubtful = [x for x in find("&q=machine") if "bird" in x["left"]]
    positions = [line["position"] for line in doubtful]
    (sense,) = {line["sense"] for line in doubtful}
    assert code_of(correct(senses=[1])) == (409, "conflict")
    assert code_of(correct(senses=[1], lines=[positions[0] + 1])) == (409, "conflict")
    assert code_of(correct(senses=[1], lines=list(range(501)))) == (413, "too_much")
    changed = correct(senses=[3 - sense], lines=positions).json()
    (edit,) = changed["corrections"]
    assert (edit["lines"], edit["n_taken"]) == (positions, len(positions))
    assert {x["sense"] for x in find("&q=machine") if "bird" in x["left"]} == {3 - sense}
    sure = [line["position"] for line in find(f"&sense={sense}&sort=confidence")]
    refused = correct(senses=[3 - sense], lines=sure[:3])
    assert code_of(refused) == (409, "conflict")
    assert f"0 of the 3 lines would have sense {3 - sense}" in refused.text
    music = [line["position"] for line in find("&q=music")]
    wider = correct(lines=music).json()
    assert (wider["n_senses"], wider["corrections"][1]["n_taken"]) == (3, len(music))
    assert wider["senses"][2]["name"].startswith("music")
    assert sum(sense["share"] for sense in wider["senses"]) == pytest.approx(1.0, abs=1e-3)
    assert [line["position"] for line in find("&sense=3")] == music


def at_once(n: int, work) -> list:
    """What ``work(i)`` gives in so many threads that begin together."""
    start = threading.Barrier(n)

    def run(number: int):
        start.wait(60)
        return work(number)

    with ThreadPoolExecutor(n) as threads:
        return list(threads.map(run, range(n)))


def test_of_corrections_made_at_once_for_the_same_senses_one_is_taken(client):
    merge = {"word": "crane", "action": "merge", "senses": [1, 2], "revision": 0}
    split = {"word": "crane", "action": "split", "senses": [1]}
    assert code_of(client.post("/api/corrections", json=split))[0] == 422  # no revision

    def send(body):
        return lambda _: client.post("/api/corrections", json=body)

    answers = at_once(4, send(merge))
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409]
    assert {code_of(a) for a in answers if a.status_code == 409} == {(409, "stale")}
    revision = client.get("/api/words/crane").json()["revision"]
    assert revision > 0
    answers = at_once(4, send(split | {"revision": revision}))
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409]
    assert [e["action"] for e in client.get("/api/corrections").json()["edits"]] == [
        "merge",
        "split",
    ]
    stale = client.post("/api/corrections", json=merge)
    assert "changed meanwhile" in stale.json()["error"]["message"]


def test_every_version_saved_at_once_is_a_model_that_opens(client, own_model, synthetic):
    text = " ".join(["crane", *synthetic.topic_words[0][:8]])
    hide = {"word": "crane", "action": "hide", "senses": [2], "revision": 0}
    assert client.post("/api/corrections", json=hide).status_code == 200
    names = [None, None, None, None, "mine", "mine", "other"]

    def save(number: int):
        answer = client.post("/api/corrections/save", json={"name": names[number]})
        return answer.status_code, answer.json()

    answers = at_once(len(names), save)
    assert [status for status, _ in answers[:4]] == [200] * 4
    assert sorted(status for status, _ in answers[4:6]) == [200, 409]
    saved = {answer["saved_to"] for status, answer in answers if status == 200}
    assert saved == {"topics-v2", "topics-v3", "topics-v4", "topics-v5", "mine", "other"}
    assert {path.name for path in own_model.parent.iterdir()} == saved | {"topics"}
    for name in saved:
        assert load(own_model.parent / name).tag(text, idk_threshold=None)[0].sense == 1


def test_answers_are_whole_while_senses_change(client, synthetic):
    text = " ".join(["crane", *synthetic.topic_words[1][:8]])
    ended = threading.Event()

    def change() -> None:
        for _ in range(12):
            for action, senses in (("merge", [1, 2]), ("reset", [])):
                revision = client.get("/api/words/crane").json()["revision"]
                body = {"word": "crane", "action": action, "senses": senses, "revision": revision}
                assert client.post("/api/corrections", json=body).status_code == 200
        ended.set()

    def look() -> None:
        while not ended.is_set():
            view = client.get("/api/words/crane").json()
            assert view["edited"] == (view["revision"] > 0) == (view["n_senses"] == 1)
            found = client.post("/api/tag", json={"text": text, "idk_threshold": None})
            assert found.status_code == 200

    at_once(3, lambda number: look() if number else change())


def test_every_answer_forbids_other_hosts(client):
    for path in ("/", "/docs", "/healthz", "/api/words", "/api/nothing", "/static/planes.js"):
        headers = client.get(path).headers
        assert headers["content-security-policy"].startswith("default-src 'self';")
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "access-control-allow-origin" not in headers
    for path in ("/", "/docs"):
        assert "//" not in client.get(path).text.replace("<!doctype", "")


def test_requests_from_elsewhere_are_refused(client):
    body = {"text": "crane"}
    assert code_of(client.get("/healthz", headers={"Host": "evil.example"})) == (400, "wrong_host")
    for host in ("[::1].evil.com", "[::1]evil.com:80", "localhost:80.evil.com", "a@localhost", ""):
        assert code_of(client.get("/healthz", headers={"Host": host})) == (400, "wrong_host")
    twice = [("Host", "localhost"), ("Host", "localhost")]
    assert code_of(client.get("/healthz", headers=twice)) == (400, "wrong_host")
    for host in ("127.0.0.1:8642", "[::1]:8642", "LOCALHOST", "localhost.:80"):
        assert client.get("/healthz", headers={"Host": host}).status_code == 200
    foreign = {"Origin": "http://evil.example"}
    assert code_of(client.post("/api/tag", json=body, headers=foreign)) == (403, "other_origin")
    assert code_of(client.post("/api/tag", json=body, headers={"Origin": "null"}))[0] == 403
    own = {"Origin": "http://localhost"}
    assert client.post("/api/tag", json=body, headers=own).status_code == 200
    assert code_of(client.post("/api/tag", data=body)) == (415, "not_json")
    assert code_of(client.post("/api/tag", content="{}")) == (415, "not_json")


def test_hosts_that_were_given_are_allowed(own_model):
    client = TestClient(create_app(own_model, hosts=["box.local"]), base_url="http://box.local:80")
    assert client.get("/healthz").status_code == 200


def test_bodies_are_bounded_before_they_are_read(own_model):
    limits = Limits(request=RequestLimits(body_bytes=100))
    client = TestClient(create_app(own_model, limits=limits), base_url=LOCAL, client=HERE)
    json_type = {"Content-Type": "application/json"}
    large = b'{"text": "' + b"x" * 200 + b'"}'
    assert code_of(client.post("/api/tag", content=large, headers=json_type)) == (413, "too_large")
    pieces = (large[i : i + 50] for i in range(0, len(large), 50))
    chunked = client.post("/api/tag", content=pieces, headers=json_type)
    assert code_of(chunked) == (413, "too_large")
    broken = client.post("/api/tag", content=b"{", headers=json_type)
    assert code_of(broken) == (422, "invalid")


@pytest.mark.parametrize(
    "content", [b"[" * 100_000, b'{"text": "\\ud800 crane"}', b'{"text": "a\\u0000b"}', b"\xff"]
)
def test_strange_bodies_are_no_defects(client, content):
    answer = client.post("/api/tag", content=content, headers={"Content-Type": "application/json"})
    assert answer.status_code in (200, 400, 422)
    assert answer.headers["content-type"] == "application/json"


def test_documentation_lists_every_endpoint_and_loads_nothing(client):
    paths = client.get("/openapi.json").json()["paths"]
    page = client.get("/docs").text
    assert "/api/corrections/save" in paths
    assert all(path in page for path in paths)
    assert "<script" not in page


def test_defects_are_answered_without_traces(own_model, monkeypatch):
    app = create_app(own_model)
    client = TestClient(app, base_url=LOCAL, client=HERE, raise_server_exceptions=False)
    monkeypatch.setattr(app.state.session.opened, "key_of", None)
    answer = client.get("/api/words/crane")
    assert code_of(answer) == (500, "defect")
    assert "NoneType" not in answer.text


def test_nothing_grows_with_the_number_of_requests(own_model, monkeypatch):
    monkeypatch.setattr("grassmeans_explorer.server.warm_up", lambda opened: None)
    limits = Limits(memory=MemoryLimits(words=8, inductions=2))
    with TestClient(create_app(own_model, limits=limits), base_url=LOCAL, client=HERE) as client:

        def ask(start: int, stop: int) -> int:
            for i in range(start, stop):
                text = f"word{i} crane birdba machineka birdde birdgi"
                assert client.post("/api/tag", json={"text": text}).status_code == 200
                assert client.get(f"/api/words/crane{i}").status_code == 404
            gc.collect()
            return len(gc.get_objects())

        before = ask(0, 30)
        after = ask(30, 180)
        # 300 requests; anything kept for each of them would show as at least one object.
        assert after - before < 150
        opened = client.app.state.session.opened
        assert (len(VIEWS.of(opened)), len(NAMES.of(opened))) == (0, 1)


def test_lines_are_counted_and_compared(client, alone):
    counted = client.get("/api/concordance/frequency?word=crane&sense=1").json()
    assert counted["by"] == "document"
    assert counted["total"] == sum(row["count"] for row in counted["groups"]) + counted["left_out"]
    near = client.get("/api/words/crane/collocates?sense=1&limit=5&order=log_likelihood").json()
    scores = [row["log_likelihood"] for row in near["collocates"]]
    assert (len(scores), scores) == (5, sorted(scores, reverse=True))
    sides = {"first": "crane", "second": "crane", "first_sense": 1, "second_sense": 2}
    found = client.get("/api/compare", params=sides).json()
    assert found["collocates"]["first"][0]["log_likelihood"] > 0
    assert found["first"]["examples"][0]["sense"] == 1
    assert alone.get("/api/compare", params=sides).json()["collocates"] is None
    for path in (
        "concordance/frequency?word=crane&",
        "words/crane/collocates?",
        "concordance?word=crane&",
    ):
        for kind, media in (
            ("csv", "text/csv; charset=utf-8"),
            ("tsv", "text/tab-separated-values; charset=utf-8"),
            ("jsonl", "application/x-ndjson"),
        ):
            table = client.get(f"/api/{path}format={kind}")
            assert table.headers["content-type"] == media
            assert f".{kind}" in table.headers["content-disposition"]
            assert len(table.text.splitlines()) > 3


def test_lines_are_bounded(client, alone):
    for path, expected in (
        ("concordance?word=crane&match=regex&q=(a", (409, "conflict")),
        ("concordance?word=crane&q=" + "x" * 201, (413, "too_much")),
        ("concordance?word=crane&width=500", (413, "too_much")),
        ("concordance?word=crane&reach=51", (422, "invalid")),
        ("concordance?word=crane&forms=a|b|c|d|e|f|g|h|i", (422, "invalid")),
        ("concordance?word=crane&forms=nowhere", (404, "unknown_word")),
        ("concordance?word=crane&sort=left4", (422, "invalid")),
        ("concordance?word=crane&sort=field:date", (409, "conflict")),
        ("concordance?word=crane&sample=0", (422, "invalid")),
        ("concordance/frequency?word=crane&per=date", (409, "conflict")),
        ("words/crane/collocates?limit=501", (413, "too_much")),
        ("words/crane/collocates?before=0", (422, "invalid")),
        ("words/nowhere/collocates", (404, "unknown_word")),
        ("compare?first=crane&second=crane&second_sense=9", (404, "not_found")),
        ("compare?first=crane", (422, "invalid")),
    ):
        assert code_of(client.get(f"/api/{path}")) == expected, path
    for path in ("concordance/frequency?word=crane", "words/crane/collocates"):
        assert code_of(alone.get(f"/api/{path}")) == (409, "no_corpus")


def test_words_are_looked_up_and_lead_somewhere(client, alone):
    found = client.get("/api/lookup?word=Crane.2").json()
    assert (found["word"], found["sense"], found["led_by"]) == ("crane", 2, "lexeme")
    assert (found["known_by"], found["in_corpus"]) == ("model", 200)
    missing = client.get("/api/lookup?word=crone&exact=true").json()
    assert (missing["known_by"], missing["suggestions"][0]["word"]) == ("nobody", "crane")
    seal = client.get("/api/lookup?word=seal").json()
    assert (seal["known_by"], len(seal["neighbours"])) == ("vectors", 12)
    lines = client.get("/api/lookup/lines?word=seal&limit=3").json()
    assert (lines["total"], len(lines["lines"])) == (seal["in_corpus"], 3)
    assert code_of(client.get("/api/lookup/lines?word=zzz")) == (404, "unknown_word")
    assert code_of(client.get("/api/lookup/lines?word=seal&limit=201")) == (413, "too_much")
    assert alone.get("/api/lookup/lines?word=zzz").json() == {"total": 0, "lines": []}
    assert code_of(client.get("/api/lookup?word=" + "x" * 201)) == (413, "too_much")
    assert code_of(client.get("/api/lookup?word=")) == (422, "invalid")


def test_slashes_are_letters_of_words_everywhere(client):
    paths = client.get("/openapi.json").json()["paths"]
    asked = [path for path, methods in paths.items() if "{word}" in path and "get" in methods]
    assert len(asked) > 5
    for path in asked:
        for slash in ("%2F", "%2f"):
            place = path.replace("{word}", f"and{slash}or%252F").replace("{number}", "1")
            answer = client.get(place + ("?by=date:year" if path.endswith("change") else ""))
            if path.endswith("change"):  # which asks for the field first
                assert code_of(answer) == (409, "conflict")
            else:
                assert code_of(answer) == (404, "unknown_word"), path
                assert "'and/or%2f'" in answer.json()["error"]["message"]
    assert code_of(client.get("/api/words/and/or")) == (404, "not_found")
    assert code_of(client.put("/api/words/and%2For")) == (405, "method_not_allowed")
    assert code_of(client.get("/static/..%2f..%2fserver.py")) == (404, "not_found")


def test_the_whole_list_of_words_is_streamed(client, monkeypatch):
    monkeypatch.setattr("grassmeans_explorer.endpoints.answers.ROWS_AT_ONCE", 1)
    with client.stream("GET", "/api/words?format=csv&whole=true&limit=1") as answer:
        assert "content-length" not in answer.headers
        text = "".join(answer.iter_text())
    assert text == "\ufeffword,count,senses\r\ncrane,200,2\r\nbank,200,2\r\n"
    lines = client.get("/api/words?format=jsonl&whole=true&q=cr").text
    assert lines == '{"word": "crane", "count": 200, "senses": 2}\n'
    assert client.get("/api/words?whole=true&limit=1").json()["total"] == 2
    assert code_of(client.get("/api/words?format=csv&whole=true&q=" + "x" * 201))[0] == 413
