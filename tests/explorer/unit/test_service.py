"""The API without pages and without anything that writes: what is there, and what is not."""

from __future__ import annotations

import json

import pytest
from fastapi.testclient import TestClient

from crane_model import save_crane_model
from grassmeans_explorer.limits import Limits, RequestLimits, WorkLimits
from grassmeans_explorer.server import create_app, create_service
from installed import install_models

THERE = {
    "/api/words": {"get"},
    "/api/words/{word}": {"get"},
    "/api/words/{word}/senses/{number}/examples": {"get"},
    "/api/lookup": {"get"},
    "/api/lookup/lines": {"get"},
    "/api/sense-map": {"get"},
    "/api/tag": {"post"},
    "/api/tag/deciding": {"post"},
    "/healthz": {"get"},
}
NOT_THERE = (
    ("GET", "/"),
    ("GET", "/docs"),
    ("GET", "/static/app.css"),
    ("GET", "/static/js/main.js"),
    ("GET", "/api/corrections"),
    ("POST", "/api/corrections"),
    ("POST", "/api/corrections/save"),
    ("POST", "/api/induce"),
    ("GET", "/api/jobs/x"),
    ("DELETE", "/api/jobs/x"),
    ("GET", "/api/concordance?word=crane"),
    ("GET", "/api/words/crane/counts"),
    ("GET", "/api/changes"),
)
TEXT = "The crane lifted a steel beam. A wing of the crane in its nest."


def ask(app) -> TestClient:
    return TestClient(app, base_url="http://localhost", client=("127.0.0.1", 5000))


@pytest.fixture
def folder(tmp_path):
    return save_crane_model(tmp_path / "model")


@pytest.fixture
def client(folder) -> TestClient:
    return ask(create_service(folder, warm=True))


def test_the_description_says_what_is_there(client) -> None:
    described = client.get("/openapi.json").json()["paths"]
    assert {path: set(methods) for path, methods in described.items()} == THERE
    # A job that one process has started another one does not know.
    tag = described["/api/tag"]["post"]
    assert "parameters" not in tag
    assert "202" not in tag["responses"]
    assert {"429", "503"} <= set(tag["responses"])


@pytest.mark.parametrize(("method", "path"), NOT_THERE)
def test_pages_and_what_writes_are_not_there(client, method, path) -> None:
    answer = client.request(method, path, json={} if method == "POST" else None)
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "not_found"
    assert "/openapi.json" in answer.json()["error"]["message"]


def test_an_installed_model_goes_by_its_name(folder, tmp_path, monkeypatch) -> None:
    assert ask(create_service(folder)).get("/healthz").json()["model"] == "model"
    install_models({"xx": folder}, tmp_path, monkeypatch)
    found = ask(create_service("xx")).get("/healthz").json()
    assert (found["status"], found["model"]) == ("ok", "xx")


def test_answers_are_the_explorers(client, folder) -> None:
    explorer = ask(create_app(folder))
    for path in ("/api/words?q=c", "/api/words/crane", "/api/lookup?word=Cranes", "/healthz"):
        assert client.get(path).json() == explorer.get(path).json()
    found = client.post("/api/tag", json={"text": TEXT}).json()
    assert found == explorer.post("/api/tag", json={"text": TEXT}).json()
    assert [TEXT[w["start"] : w["end"]] for w in found["words"]] == ["crane", "crane"]


def test_a_wish_for_a_job_is_not_heard(client) -> None:
    answer = client.post("/api/tag?job=true", json={"text": TEXT})
    assert answer.status_code == 200
    assert len(answer.json()["words"]) == 2


def test_the_guard_stands_before_it(client) -> None:
    body = json.dumps({"text": TEXT})
    for headers, status, code in (
        ({"host": "evil.example"}, 400, "wrong_host"),
        ({"origin": "http://evil.example"}, 403, "other_origin"),
        ({"content-type": "text/plain"}, 415, "not_json"),
    ):
        sent = {"content-type": "application/json"} | headers
        answer = client.post("/api/tag", content=body, headers=sent)
        assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert client.get("/healthz").headers["x-content-type-options"] == "nosniff"


def test_limits_are_stated_and_kept(folder) -> None:
    limits = Limits(RequestLimits(text_characters=20), WorkLimits(requests_at_once=0))
    app = create_service(folder, limits)
    answer = ask(app).get("/healthz")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    app = create_service(folder, Limits(RequestLimits(text_characters=20)))
    schema = app.openapi()["components"]["schemas"]["TagRequest"]["properties"]["text"]
    assert schema["maxLength"] == 20
    assert ask(app).post("/api/tag", json={"text": "c" * 20}).status_code == 200
    refused = ask(app).post("/api/tag", json={"text": "c" * 21})
    assert (refused.status_code, refused.json()["error"]["code"]) == (413, "too_much")


def test_too_much_work_is_refused_with_a_time(folder) -> None:
    app = create_service(folder, Limits(work=WorkLimits(at_once=1, waiting=-1)))
    answer = ask(app).post("/api/tag", json={"text": TEXT, "deciding": True})
    assert (answer.status_code, answer.json()["error"]["code"]) == (429, "busy")
    assert answer.headers["retry-after"] == "2"
    assert ask(app).post("/api/tag", json={"text": TEXT}).status_code == 200
