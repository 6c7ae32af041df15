from __future__ import annotations

import json

import pytest

from grassmeans.artifacts.writing import write_bytes, write_json, write_manifest
from grassmeans.change import tables
from grassmeans.errors import ArtifactError
from grassmeans_explorer.queries.documents import read_report

CHANGE = {"first": "old", "second": "new", "n_first": 9, "n_second": 8}
CHANGE |= {"jsd": 0.25, "q": None, "changed": False}
UNKNOWN = CHANGE | {"jsd": "x"}


@pytest.fixture
def report(tmp_path):
    """The folder of a report."""
    found = {"by": "date", "words": [{"word": "crane", "changes": [CHANGE]}]}
    write_json(tmp_path / tables.REPORT, found)
    write_manifest(tmp_path, tables.REPORT_KIND, tables.REPORT_VERSION, {})
    return tmp_path


def test_a_report_is_read_from_its_folder_or_file(report) -> None:
    for place in (report, report / tables.REPORT):
        assert read_report(place).words[0].jsd == 0.25


@pytest.mark.parametrize(
    "content",
    [
        b"{",
        b"[" * 100_000,
        b'{"by": ' + b"[" * 900 + b"]" * 900 + b', "words": []}',
        b'{"by": "date", "words": [{"word": "crane", "changes": [{}]}]}',
        json.dumps({"by": "x", "words": [{"word": 1, "changes": []}]}).encode(),
        json.dumps({"by": "x", "words": [{"word": "x", "changes": [UNKNOWN]}]}).encode(),
    ],
)
def test_a_damaged_report_is_one_line_that_names_its_file(report, content) -> None:
    for bound in (True, False):
        write_bytes(report / tables.REPORT, content)
        if not bound:
            write_manifest(report, tables.REPORT_KIND, tables.REPORT_VERSION, {})
        with pytest.raises(ArtifactError, match=r"changes\.json is truncated or damaged") as told:
            read_report(report)
        assert "\n" not in str(told.value)


def test_another_folder_is_no_report(report) -> None:
    (report / "report.html").write_text("")
    write_manifest(report, "model", 1, {})
    with pytest.raises(ArtifactError, match="holds a model, but a change report is needed"):
        read_report(report)
    with pytest.raises(ArtifactError, match="nowhere is missing"):
        read_report(report / "nowhere")
