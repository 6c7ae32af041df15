"""Schemathesis makes requests up from ``/openapi.json``: what is answered is what it says.

All checks, a fixed seed, a real server. ``TORTURE=n`` makes n times as many requests.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from urllib.request import urlopen

import pytest

pytest.importorskip("schemathesis", reason="needs schemathesis")

import uvicorn
from fastapi.testclient import TestClient

from grassmeans_explorer.annotation.making import draw_project
from grassmeans_explorer.commands.explore import open_socket
from grassmeans_explorer.limits import Limits, RequestLimits, WorkLimits
from grassmeans_explorer.queries.shelf import Shelf
from grassmeans_explorer.server import TimedConnection, create_app, create_service

N_EXAMPLES = 4 * int(os.environ.get("TORTURE", "1"))
SEED = 20
# 413 is for what is well formed, but more than this server gives at once.
SETTINGS = """
[checks.positive_data_acceptance]
expected-statuses = ["2xx", "404", "409", "413", "429"]
[checks.negative_data_rejection]
expected-statuses = ["400", "403", "404", "405", "409", "413", "415", "422", "5xx"]
"""


@pytest.fixture(params=["with all", "alone", "served"])
def address(request, topic_model_folder, topic_corpus, tmp_path) -> Iterator[str]:
    """A server: with a corpus and annotations, with neither, and one for programs."""
    corpus = topic_corpus.path if request.param == "with all" else None
    shelf = Shelf(tmp_path / "annotations") if request.param == "with all" else None
    if request.param == "served":
        app = create_service(topic_model_folder)
    else:
        places = {"save_to": tmp_path / "versions", "entries_to": tmp_path / "entries"}
        app = create_app(topic_model_folder, corpus, annotations=shelf, **places)
    listening = open_socket("127.0.0.1", 0)
    server = uvicorn.Server(
        uvicorn.Config(app, http=TimedConnection, ws="none", log_level="critical")
    )
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    server.should_exit = True
    thread.join(60)


def test_answers_are_as_described(address, tmp_path) -> None:
    (tmp_path / "schemathesis.toml").write_text(SETTINGS)
    command = [sys.executable, "-m", "schemathesis.cli", "run", f"{address}/openapi.json"]
    options = f"--checks all --phases examples,coverage,fuzzing --seed {SEED} --no-color"
    bounds = f"--max-examples {N_EXAMPLES} --generation-database none --workers 1"
    found = subprocess.run(
        [*command, *options.split(), *bounds.split()],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout[-20_000:] + found.stderr[-2_000:]
    with urlopen(f"{address}/openapi.json") as answer:
        described = json.load(answer)["paths"].values()
    assert f"{sum(map(len, described))} selected" in found.stdout


LEXICON = '{"kind":"grassmeans-lexicon","format_version":1,"entries":[]}'
BASE = {  # a request that is answered, for every path: its parameters, or its body
    "/api/words": {},
    "/api/words/{word}": {},
    "/api/words/{word}/senses/{number}/examples": {"number": 1},
    "/api/words/{word}/counts": {},
    "/api/words/{word}/planes": {},
    "/api/words/{word}/map": {},
    "/api/words/{word}/collocates": {},
    "/api/words/{word}/change": {"by": "date:year"},
    "/api/lookup": {"word": "crane"},
    "/api/lookup/lines": {"word": "crane"},
    "/api/showcase": {},
    "/api/sense-map": {"words": "crane"},
    "/api/concordance": {"word": "crane"},
    "/api/concordance/frequency": {"word": "crane"},
    "/api/document": {"position": 0},
    "/api/compare": {"first": "crane", "second": "bank"},
    "/api/changes": {},
    "/api/query": {"q": '"crane"'},
    "/api/query/frequency": {"q": '"crane"'},
    "/api/sample": {"word": "crane"},
    "/api/ngrams": {},
    "/api/keywords": {"by": "source", "group": "x"},
    "/api/groups": {"by": "source"},
    "/api/headword": {"word": "crane"},
    "/api/headword/senses": {"word": "crane"},
    "/api/headword/collocates": {"word": "crane"},
    "/api/sketch": {"word": "crane"},
    "/api/sketch/difference": {"word": "crane", "other": "bank"},
    "/api/sketch/lines": {"word": "crane", "relation": "object", "collocate": "lift"},
    "/api/jobs/{identifier}": {"identifier": "x"},
    "/api/tag": {"text": "crane"},
    "/api/tag/deciding": {"text": "crane", "start": 0, "word": "crane", "sense": 1},
    "/api/induce": {"word": "crane", "n_senses": 1},
    "/api/corrections": {"word": "crane", "action": "hide", "revision": 7},
    "/api/corrections/save": {},
    "/api/corrections/discard": {"n_corrections": 7},
    "/api/annotation/projects/{project}/item": {"annotator": "Ann"},
    "/api/annotation/projects/{project}/judgments": {"annotator": "Ann", "item": "x", "label": "1"},
    "/api/annotation/projects/{project}/progress": {},
    "/api/annotation/projects/{project}/differences": {},
    "/api/annotation/projects/{project}/adjudications": {"item": "x", "label": "1"},
    "/api/annotation/projects/{project}/refit": {},
    "/api/annotation/projects/{project}/export": {},
    "/api/annotation/projects": {"name": "lines", "word": "crane", "annotators": ["Ann"]},
    "/api/annotation/imports": {"name": "lines", "uses": "x"},
    "/api/entries": {},
    "/api/entries/download": {"format": "tei"},
    "/api/entries/import": {"format": "json", "content": LEXICON, "latest": 7},
    "/api/entries/import/summary": {"format": "json", "content": LEXICON},
    "/api/entries/words/{word}": {},
    "/api/entries/words/{word}/proposal": {},
    "/api/entries/words/{word}/change": {"revision": 7, "changes": [{"action": "add"}]},
    "/api/entries/words/{word}/undo": {"revision": 7},
    "/api/entries/words/{word}/redo": {"revision": 7},
    "/api/entries/words/{word}/examples": {"sense": 7, "decision": "keep", "word": "crane"},
}
# Words and names of groups are as long as those of the corpus are.
UNBOUNDED = {"word", "first", "second", "group"}
REFUSED = (413, 422)
PLACES = {"word": "crane", "number": 1, "identifier": "x", "project": "lines"}


def kinds_of(schema: dict) -> list[dict]:
    """The types that an input may have, without those of fixed values."""
    kinds = schema.get("anyOf", [schema])
    return [kind for kind in kinds if kind.get("type") and not {"enum", "const"} & set(kind)]


def find_inputs(description: dict) -> Iterator[tuple[str, str, str, dict, str]]:
    """Path, method, name, type, and where it is, of every input."""
    for path, operations in description["paths"].items():
        for method, operation in operations.items():
            for found in operation.get("parameters", []):
                for kind in kinds_of(found["schema"]):
                    yield path, method, found["name"], kind, found["in"]
            if "requestBody" in operation:
                content = operation["requestBody"]["content"]["application/json"]["schema"]
                name = content["$ref"].rpartition("/")[2]
                fields = description["components"]["schemas"][name]["properties"]
                for field, schema in fields.items():
                    for kind in kinds_of(schema):
                        yield path, method, field, kind, "body"


def largest(kind: dict, name: str, more: int):
    """A value of the largest size, or of one more."""
    if kind["type"] in ("integer", "number"):
        return int(kind["maximum"]) + more if "maximum" in kind else None
    if name == "content":
        return LEXICON.ljust(kind["maxLength"] + more)
    if kind["type"] == "string":
        return "x" * (kind["maxLength"] + more) if "maxLength" in kind else None
    if kind["type"] == "array" and "maxItems" in kind:
        items = {"nodes": {"level": 1, "number": 1}, "words": "x", "annotators": "x"}
        items["changes"] = {"action": "add"}
        items["passages"] = {"left": "nest ", "word": "crane", "right": ""}
        return [items.get(name, 1)] * (kind["maxItems"] + more)
    return None


def test_maxima_are_described_and_enforced(topic_model_folder, topic_corpus, tmp_path) -> None:
    limits = Limits(
        request=RequestLimits(
            page=60, table_rows=70, text_characters=300, chosen_lines=6, lexicon_characters=200
        ),
        work=WorkLimits(senses=3, contexts=10_500, seconds=300),
    )
    lines = tmp_path / "annotations" / "lines"
    lines.parent.mkdir()
    draw_project(topic_corpus, "crane", lines, ["Ann"], model=topic_model_folder, size=3)
    shelf = Shelf(lines.parent)
    app = create_app(
        topic_model_folder,
        topic_corpus.path,
        limits,
        save_to=tmp_path,
        annotations=shelf,
        entries_to=tmp_path,
    )
    client = TestClient(app, base_url="http://localhost", client=("127.0.0.1", 1))
    description = client.get("/openapi.json").json()
    assert "x-bound" not in json.dumps(description)
    n_compared = 0
    for path, method, name, kind, where in find_inputs(description):
        is_open = kind["type"] in ("boolean", "null") or "pattern" in kind
        if largest(kind, name, 0) is None:
            assert is_open or name in UNBOUNDED, (path, name)
            continue
        for more in (0, 1):
            value = largest(kind, name, more)
            own = {name: value}
            values = BASE[path] | (own if where in ("query", "body") else {})
            headers = own if where == "header" else {}
            if kind.get("maximum") == limits.request.table_rows:
                values["format"] = "csv"
            given = own if where == "path" else {}
            place = path.format(**PLACES | BASE[path] | given)
            sent = {"json" if where == "body" or method == "post" else "params": values}
            answer = client.request(method, place, headers=headers, **sent)
            refused = answer.status_code in REFUSED
            assert refused == bool(more), (path, name, more, answer.text[:200])
        n_compared += 1
    assert n_compared > 60


def test_more_lines_are_given_in_tables_than_as_json(topic_model_folder) -> None:
    limits = Limits(request=RequestLimits(page=7, table_rows=9))
    app = create_app(topic_model_folder, limits=limits)
    client = TestClient(app, base_url="http://localhost", client=("127.0.0.1", 1))
    listed = client.get("/openapi.json").json()["paths"]["/api/words"]["get"]["parameters"]
    schema = next(found["schema"] for found in listed if found["name"] == "limit")
    assert (schema["maximum"], schema["description"]) == (9, "As JSON 7 at most.")
    for kind, limit, status in (("json", 7, 200), ("json", 8, 413), ("csv", 9, 200)):
        assert client.get(f"/api/words?limit={limit}&format={kind}").status_code == status
