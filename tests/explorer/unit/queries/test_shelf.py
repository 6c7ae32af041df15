"""A folder of annotations: what is in it, and what may come."""

from __future__ import annotations

import pytest

from grassmeans.errors import InputError
from grassmeans_explorer.annotation.project import make_project
from grassmeans_explorer.annotation.uses import Use
from grassmeans_explorer.limits import ConflictError, NotAllowedError, NothingThereError
from grassmeans_explorer.queries.shelf import Shelf


def make(folder, annotators=("Ann",), **options):
    use = Use("a", "crane", "a crane", (2, 7), (0, 7))
    return make_project(folder, [use], annotators, labels={"1": "bird"}, **options)


def test_annotations_are_found_by_their_names_alone(tmp_path):
    make(tmp_path / "shelf" / "lines")
    make(tmp_path / "secret")
    shelf = Shelf(tmp_path / "shelf")
    assert shelf.list_names() == ["lines"]
    assert shelf.find("lines").annotators == ("Ann",)
    for name in ("../secret", "..", "", str(tmp_path / "secret")):
        with pytest.raises(NothingThereError):
            shelf.find(name)
    with pytest.raises(ConflictError, match="exists"):
        shelf.place_for("lines")
    assert shelf.place_for("more") == tmp_path / "shelf" / "more"


def test_one_that_was_replaced_is_read_again(tmp_path):
    make(tmp_path / "lines")
    shelf = Shelf(tmp_path)
    assert shelf.find("lines") is shelf.find("lines")
    make(tmp_path / "lines", ("Bo",), overwrite=True)
    assert shelf.find("lines").annotators == ("Bo",)


def test_a_shelf_may_be_one_annotation_or_none(tmp_path):
    make(tmp_path / "lines")
    one = Shelf(tmp_path / "lines")
    assert (one.list_names(), one.find("lines").annotators) == (["lines"], ("Ann",))
    with pytest.raises(ConflictError, match="folder of them"):
        one.place_for("more")
    assert Shelf(tmp_path / "nothing").list_names() == []
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="no folder"):
        Shelf(tmp_path / "file")


def test_only_the_right_token_lets_in(tmp_path):
    make(tmp_path / "lines", ("Ann", "Bo"))
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "manifest.json").write_text("{")
    told: list[str] = []
    Shelf(tmp_path, needs_tokens=True, read_only=True)
    assert not (tmp_path / "lines" / "tokens.json").exists()
    shelf = Shelf(tmp_path, needs_tokens=True, tell=told.append)
    assert any(line.startswith("annotation broken: ") for line in told)
    token = next(line for line in told if "of Ann" in line).split(": ")[1]
    project = shelf.find("lines")
    shelf.check_annotator(project, "Ann", token)
    for check in (
        lambda: shelf.check_annotator(project, "Bo", token),
        lambda: shelf.check_annotator(project, "Zoe", ""),
        lambda: shelf.check_adjudicator(project, token),
        lambda: shelf.check_maker(token),
    ):
        with pytest.raises(NotAllowedError):
            check()
    local = Shelf(tmp_path)
    local.check_annotator(project, "Bo", "")
    local.check_adjudicator(project, "")
    local.check_maker("")
    with pytest.raises(NothingThereError):
        local.check_annotator(project, "Zoe", "")
