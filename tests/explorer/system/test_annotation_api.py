"""``/api/annotation``: what annotators see, who may do what, and what is on the disk."""

from __future__ import annotations

import io
import shutil
import zipfile
from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("httpx", reason="the test client needs httpx")

from fastapi.testclient import TestClient

from grassmeans import load
from grassmeans_explorer.annotation.making import draw_project
from grassmeans_explorer.annotation.project import AnnotationProject
from grassmeans_explorer.queries.shelf import Shelf
from grassmeans_explorer.server import create_app, create_service

LOCAL = "http://localhost"
HERE = ("127.0.0.1", 50_000)
LINES = "/api/annotation/projects/lines"


@pytest.fixture
def own_model(tmp_path, topic_model_folder):
    return shutil.copytree(topic_model_folder, tmp_path / "models" / "topics")


@pytest.fixture
def folder(tmp_path, topic_corpus, own_model):
    place = tmp_path / "annotations"
    place.mkdir()
    draw_project(
        topic_corpus, "crane", place / "lines", ["Ann", "Bo"], model=own_model, size=6,
    )  # fmt: skip
    return place


def make_client(own_model, topic_corpus, shelf) -> TestClient:
    app = create_app(own_model, topic_corpus.path, annotations=shelf)
    return TestClient(app, base_url=LOCAL, client=HERE)


@pytest.fixture
def client(own_model, topic_corpus, folder):
    return make_client(own_model, topic_corpus, Shelf(folder))


def code_of(answer) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


def judge_all(client, name: str, labels: str, headers=None) -> None:
    """Judge all items with these labels, in the order of the project."""
    for label, item in zip(labels, sorted(items_of(client, name, headers)), strict=True):
        body = {"annotator": name, "item": item, "label": label}
        answer = client.post(f"{LINES}/judgments", json=body, headers=headers)
        assert answer.status_code == 200, answer.text


def items_of(client, name: str, headers=None) -> list[str]:
    asked = f"{LINES}/item?annotator={name}&place="
    return [client.get(f"{asked}{i}", headers=headers).json()["item"] for i in range(6)]


def test_one_item_at_a_time_until_all_are_judged(client, folder):
    (project,) = client.get("/api/annotation/projects").json()["projects"]
    assert (project["name"], project["annotators"]) == ("lines", ["Ann", "Bo"])
    seen = client.get(f"{LINES}/item?annotator=Ann").json()
    assert (seen["place"], seen["n_judged"], seen["n_items"]) == (0, 0, 6)
    assert [one["label"] for one in seen["labels"]] == ["1", "2", "new", "0"]
    assert seen["uses"][0]["word"] == "crane"
    for n in range(6):
        body = {"annotator": "Ann", "item": seen["item"], "label": "1", "comment": f"c{n}"}
        seen = client.post(f"{LINES}/judgments", json=body).json()
        assert seen["n_judged"] == n + 1
        # On the disk before the next item is given.
        assert len(AnnotationProject.open(folder / "lines").judgments_of("Ann")) == n + 1
    assert (seen["item"], seen["place"]) == (None, 6)
    back = client.get(f"{LINES}/item?annotator=Ann&place=2").json()
    assert back["judgment"]["comment"] == "c2"
    assert client.get(f"{LINES}/item?annotator=Bo&place=2").json()["judgment"] is None
    assert client.get("/healthz").json()["has_annotation"]


def test_what_is_wrong_is_told(client, own_model, topic_corpus, folder):
    assert code_of(client.get(f"{LINES}/item?annotator=Zoe")) == (404, "not_found")
    assert code_of(client.get(f"{LINES}/item?annotator=Ann&place=6")) == (404, "not_found")
    nowhere = "/api/annotation/projects/..%2Flines/progress"
    assert code_of(client.get(nowhere)) == (404, "not_found")
    item = items_of(client, "Ann")[0]
    for body, status in (
        ({"item": item, "label": "9"}, 409),
        ({"item": "x", "label": "1"}, 409),
        ({"item": item, "label": "1", "comment": "x" * 2_001}, 422),
        ({"item": item}, 422),
    ):
        answer = client.post(f"{LINES}/judgments", json={"annotator": "Ann"} | body)
        assert answer.status_code == status
    without = make_client(own_model, topic_corpus, None)
    assert code_of(without.get("/api/annotation/projects")) == (409, "conflict")
    served = TestClient(create_service(own_model), base_url=LOCAL, client=HERE)
    assert served.get("/api/annotation/projects").status_code == 404
    client.app.state.session.opened.read_only = True
    body = {"annotator": "Ann", "item": item, "label": "1"}
    assert code_of(client.post(f"{LINES}/judgments", json=body)) == (409, "conflict")
    (folder / "broken").mkdir()
    (folder / "broken" / "manifest.json").write_text("{")
    assert client.get("/api/annotation/projects").json()["damaged"] == ["broken"]


def test_differences_are_shown_when_all_have_judged_and_adjudicated(client, folder):
    judge_all(client, "Ann", "111122")
    assert client.get(f"{LINES}/differences").json()["total"] == 0
    open_ones = client.get(f"{LINES}/differences?unfinished=true").json()
    assert open_ones["total"] == 0
    judge_all(client, "Bo", "112222")
    found = client.get(f"{LINES}/differences?limit=1").json()
    assert (found["total"], found["n_left"], found["next_left"], len(found["items"])) == (
        2,
        2,
        0,
        1,
    )
    first = found["items"][0]
    assert {one["annotator"]: one["label"] for one in first["judgments"]} == {"Ann": "1", "Bo": "2"}
    body = {"item": first["item"], "label": "2", "comment": "together"}
    assert client.post(f"{LINES}/adjudications", json=body).json()["how"] == "adjudicated"
    found = client.get(f"{LINES}/differences").json()
    assert (found["total"], found["n_left"], found["next_left"]) == (2, 1, 1)
    progress = client.get(f"{LINES}/progress").json()
    assert {one["how"]: one["count"] for one in progress["decisions"]} == {
        "adjudicated": 1, "agreed": 4, "majority": 0, "open": 1, "missing": 0,
    }  # fmt: skip
    assert progress["pairs"][0]["kappa"] is not None
    assert 0 < progress["alpha_nominal"] < 1
    assert [one["n_judged"] for one in progress["annotators"]] == [6, 6]
    assert code_of(client.post(f"{LINES}/adjudications", json=body | {"label": "9"})) == (
        409,
        "conflict",
    )


def test_decided_lines_become_a_version(client, own_model):
    assert code_of(client.post(f"{LINES}/refit", json={})) == (409, "conflict")
    judge_all(client, "Ann", "111122")
    told = client.post(f"{LINES}/refit", json={"name": "judged"}).json()
    assert told["version"]["saved_to"] == "judged"
    assert told["n_lines"] + told["n_open"] + len(told["refused"]) >= 1
    version = load(own_model.with_name("judged"))
    assert {edit["action"] for edit in version.manifest["edited"]["edits"]} == {"assign"}
    assert code_of(client.post(f"{LINES}/refit", json={"name": "judged"})) == (409, "conflict")


def test_projects_are_made_exported_and_imported(client, folder):
    body = {"name": "pairs", "word": "crane", "annotators": ["Ann"], "task": "relatedness"}
    made = client.post("/api/annotation/projects", json=body | {"size": 4, "n_pairs": 5})
    assert made.json()["n_items"] == 5
    again = client.post("/api/annotation/projects", json=body)
    assert code_of(again) == (409, "conflict")
    wrong = client.post("/api/annotation/projects", json=body | {"name": "../x"})
    assert code_of(wrong) == (422, "invalid")
    many = client.post("/api/annotation/projects", json=body | {"name": "x", "size": 1_001})
    assert code_of(many) == (413, "too_much")
    pairs = AnnotationProject.open(folder / "pairs")
    pairs.judge("Ann", next(iter(pairs.items)), "4")
    packed = client.get("/api/annotation/projects/pairs/export")
    assert packed.headers["content-type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(packed.content)) as tables:
        texts = {name[:-4]: tables.read(name).decode() for name in tables.namelist()}
    assert set(texts) == {"uses", "instances", "judgments", "decisions"}
    texts["judgments"] += "a\tb\tAnn\t4\t \tcrane\n"
    brought = client.post("/api/annotation/imports", json={"name": "again", **texts}).json()
    assert (brought["project"]["n_items"], brought["n_judgments"]) == (5, 1)
    assert brought["passed_over"] == [
        "judgment of no two uses of a word: 1 (first: judgments.csv, line 3: a)"
    ]
    wrong = client.post("/api/annotation/imports", json={"name": "bad", "uses": "x"})
    assert code_of(wrong) == (409, "conflict")
    assert "/tmp" not in wrong.text
    assert "(first: uses.csv)" in wrong.text


def test_lines_with_corrections_that_are_not_saved_are_refused(client):
    body = {"word": "crane", "action": "rename", "senses": [1], "name": "bird", "revision": 0}
    assert client.post("/api/corrections", json=body).status_code == 200
    made = {"name": "more", "word": "crane", "annotators": ["Ann"], "size": 3}
    assert code_of(client.post("/api/annotation/projects", json=made)) == (409, "conflict")
    assert client.post("/api/annotation/projects", json=made | {"word": "bank"}).is_success


def test_open_servers_ask_for_tokens(own_model, topic_corpus, folder, caplog):
    told: list[str] = []
    client = make_client(
        own_model, topic_corpus, Shelf(folder, needs_tokens=True, tell=told.append)
    )
    tokens = dict(line.removeprefix("annotation lines, token of ").split(": ") for line in told)
    maker = tokens.pop("token for who makes annotations in the pages")
    assert set(tokens) == {"Ann", "Bo", "(adjudication)"}
    listed = client.get("/api/annotation/projects").json()
    assert listed["needs_tokens"]
    assert listed["projects"][0]["annotators"] == []
    as_ann, as_bo, as_judge, as_maker = (
        {"X-Annotation-Token": token}
        for token in (tokens["Ann"], tokens["Bo"], tokens["(adjudication)"], maker)
    )
    asked = f"{LINES}/item?annotator=Ann"
    for headers in ({}, as_bo, as_judge, as_maker, {"X-Annotation-Token": "x"}):
        assert code_of(client.get(asked, headers=headers)) == (403, "not_allowed")
    assert code_of(client.get(f"{LINES}/item?annotator=Zoe", headers=as_ann)) == (
        403,
        "not_allowed",
    )
    assert client.get(asked, headers=as_ann).status_code == 200
    judge_all(client, "Ann", "111122", as_ann)
    item = items_of(client, "Bo", as_bo)[0]
    body = {"annotator": "Ann", "item": item, "label": "2"}
    wrong = client.post(f"{LINES}/judgments", json=body, headers=as_bo)
    assert code_of(wrong) == (403, "not_allowed")
    said = {"item": item, "label": "2"}
    for headers in ({}, as_ann, as_maker):
        for answer in (
            client.get(f"{LINES}/progress", headers=headers),
            client.get(f"{LINES}/differences", headers=headers),
            client.get(f"{LINES}/export", headers=headers),
            client.post(f"{LINES}/adjudications", json=said, headers=headers),
            client.post(f"{LINES}/refit", json={}, headers=headers),
        ):
            assert code_of(answer) == (403, "not_allowed")
    assert client.get(f"{LINES}/progress", headers=as_judge).status_code == 200
    making = {"name": "new", "word": "bank", "annotators": ["Cy"], "size": 2}
    refused = client.post("/api/annotation/projects", json=making, headers=as_judge)
    assert code_of(refused) == (403, "not_allowed")
    made = client.post("/api/annotation/projects", json=making, headers=as_maker)
    assert made.status_code == 200
    assert told[-2].startswith("annotation new, token of Cy: ")
    kept = (folder / "lines" / "tokens.json").read_text()
    for token in (*tokens.values(), maker):
        assert token not in kept
        assert token not in made.text
        assert token not in caplog.text
    assert (folder / "lines" / "tokens.json").stat().st_mode & 0o077 == 0
    # Once more: nothing is told again of who has a token.
    Shelf(folder, needs_tokens=True, tell=(later := []).append)
    assert len(later) == 1


def test_judgments_at_the_same_time_are_all_kept(client, folder):
    def work(name: str) -> None:
        for item in items_of(client, name):
            for label in "12":
                body = {"annotator": name, "item": item, "label": label}
                assert client.post(f"{LINES}/judgments", json=body).status_code == 200

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(work, ["Ann", "Bo", "Ann", "Bo"]))
    project = AnnotationProject.open(folder / "lines")
    for name in ("Ann", "Bo"):
        assert len(project.judgments_of(name)) == 6
        (path,) = (project.path / "judgments").glob(f"{name}-*.jsonl")
        assert len(path.read_text().splitlines()) == 1 + 24
