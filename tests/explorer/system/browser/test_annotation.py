"""Lines that several people judge: by keys, at the same time, and what comes of it."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grassmeans import load
from grassmeans_explorer.annotation.making import draw_project
from grassmeans_explorer.annotation.project import ADJUDICATOR, AnnotationProject
from grassmeans_explorer.queries.shelf import Shelf

expect = pytest.importorskip("playwright.sync_api").expect
SIZE = 6


@pytest.fixture
def folder(topic_corpus, topic_model_folder, tmp_path) -> Path:
    """Lines and pairs that nobody has judged."""
    place = tmp_path / "annotations"
    place.mkdir()
    people = ["Ann", "Bo"]
    draw_project(
        topic_corpus, "crane", place / "lines", people, model=topic_model_folder, size=SIZE
    )
    draw_project(
        topic_corpus, "crane", place / "pairs", people, task="relatedness", size=4, n_pairs=3
    )
    return place


@pytest.fixture
def address(serve, topic_model_folder, topic_corpus, tmp_path, folder) -> Iterator[str]:
    model = shutil.copytree(topic_model_folder, tmp_path / "model")
    with serve(model, topic_corpus.path, annotations=Shelf(folder)) as found:
        yield found


def judged(folder: Path, name: str, project: str = "lines") -> list[str]:
    """The labels on the disk, in the order of the project."""
    opened = AnnotationProject.open(folder / project)
    own = opened.judgments_of(name)
    return [own[item].label for item in opened.items if item in own]


def told(page: Any, n: int, of: int = SIZE) -> None:
    expect(page.locator(".facts")).to_contain_text(f"{n} of {of} judged")


def test_judging_goes_by_keys_and_is_gone_on_with(open_page, address, folder) -> None:
    page = open_page("#/annotation", address)
    page.get_by_role("link", name="Judge as Ann").first.press("Enter")
    told(page, 0)
    expect(page.locator(".use mark")).to_have_text("crane")
    page.keyboard.press("1")
    told(page, 1)
    assert judged(folder, "Ann") == ["1"]
    page.keyboard.press("c")
    page.keyboard.type("2 of them?")
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowLeft")  # what was typed is kept
    expect(page.locator("[aria-pressed=true]")).to_have_attribute("data-label", "1")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_label("Comment")).to_have_value("2 of them?")
    page.keyboard.press("0")
    told(page, 2)
    expect(page.get_by_label("Comment")).to_have_value("")
    page.keyboard.press("n")
    told(page, 3)
    page.goto("about:blank")
    page = open_page("#/annotate/lines", address)
    page.get_by_label("Your name").fill("Ann")
    page.keyboard.press("Enter")
    told(page, 3)
    for n in range(4, SIZE + 1):
        page.keyboard.press("2")
        told(page, n)
    expect(page.get_by_role("heading", name="All is judged")).to_be_visible()
    assert sorted(judged(folder, "Ann")) == ["0", "1", "2", "2", "2", "new"]
    project = AnnotationProject.open(folder / "lines")
    assert [x.comment for x in project.judgments_of("Ann").values() if x.comment] == ["2 of them?"]
    page.get_by_role("button", name="Look at it again").click()
    page.get_by_label("Comment").fill("seen twice")
    page.get_by_role("button", name="Save the comment").click()
    expect(page.get_by_role("heading", name="All is judged")).to_be_visible()
    comments = {
        x.comment for x in AnnotationProject.open(folder / "lines").judgments_of("Ann").values()
    }
    assert "seen twice" in comments


def test_what_could_not_be_written_is_said_and_stays(open_page, address, folder) -> None:
    page = open_page("#/annotate/pairs?annotator=Bo", address, failures=True)
    expect(page.locator(".use")).to_have_count(2)
    page.route("**/judgments", lambda route: route.abort())
    page.get_by_label("Comment").fill("typed")
    page.locator(".use mark").first.click()
    page.keyboard.press("4")
    expect(page.get_by_role("alert")).to_contain_text("Not written")
    expect(page.get_by_label("Comment")).to_have_value("typed")
    page.unroute("**/judgments")
    page.get_by_role("button", name="identical").click()
    told(page, 1, 3)
    assert judged(folder, "Bo", "pairs") == ["4"]


def test_two_people_and_who_adjudicates_at_the_same_time(open_page, address, folder) -> None:
    ann = open_page("#/annotate/lines?annotator=Ann", address)
    bo = open_page("#/annotate/lines?annotator=Bo", address)
    told(ann, 0)
    told(bo, 0)
    for n in range(1, SIZE + 1):
        ann.keyboard.press("1")
        bo.keyboard.press("2")
        told(ann, n)
        told(bo, n)
        if n == 1:  # nothing is known of what not everybody has judged
            boss = open_page("#/adjudicate/lines", address)
            expect(boss.get_by_role("heading", name="Nothing to decide")).to_be_visible()
    boss.goto("about:blank")
    boss = open_page("#/adjudicate/lines", address)
    expect(boss.locator(".facts")).to_contain_text("6 not decided")
    expect(bo.get_by_role("button", name="Look at it again")).to_be_focused()
    bo.keyboard.press("Enter")
    expect(bo.locator("[aria-pressed=true]")).to_have_attribute("data-label", "2")
    for n in range(1, SIZE + 1):
        boss.keyboard.press("1")
        if n == 3:
            bo.keyboard.press("0")
        expect(boss.locator(".facts")).to_contain_text(f"{SIZE - n} not decided")
    expect(bo.get_by_role("heading", name="All is judged")).to_be_visible()
    assert judged(folder, "Ann") == ["1"] * SIZE
    assert sorted(judged(folder, "Bo")) == ["0", *["2"] * (SIZE - 1)]
    project = AnnotationProject.open(folder / "lines")
    assert [one.label for one in project.judgments_of(ADJUDICATOR).values()] == ["1"] * SIZE
    boss.keyboard.press("ArrowLeft")
    expect(boss.locator(".said")).to_contain_text("(adjudicated)")


def test_agreement_refit_and_tables(open_page, address, folder, tmp_path) -> None:
    project = AnnotationProject.open(folder / "lines")
    for i, item in enumerate(project.items):
        project.judge("Ann", item, "1" if i < 4 else "2")
        if i > 0:
            project.judge("Bo", item, "1" if i < 3 else "2", "so")
    page = open_page("#/agreement/lines", address)
    expect(page.locator(".people li")).to_have_text(["Ann 6 of 6 ", "Bo 5 of 6 "])
    expect(page.locator(".alpha")).not_to_have_text("–")
    expect(page.get_by_role("region", name="Agreement by pairs")).to_contain_text("Ann")
    differing = page.get_by_role("region", name="Items on which people differ").locator("tbody tr")
    expect(differing).to_have_count(1)
    page.get_by_label("also items that not everybody").check()
    expect(differing).to_have_count(1)
    page.get_by_role("link", name="Decide them one by one").press("Enter")
    expect(page.locator(".said")).to_contain_text("Bo: ")
    page.keyboard.press("1")
    expect(page.locator(".facts")).to_contain_text("0 not decided")
    page.get_by_role("link", name="Agreement and progress").click()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Download the tables").click()
    packed = tmp_path / "tables.zip"
    saved.value.save_as(packed)
    with zipfile.ZipFile(packed) as tables:
        tables.extractall(tmp_path / "tables")
    page.get_by_label("Save as").fill("judged")
    page.get_by_role("button", name="Give the decided lines").click()
    expect(page.locator(".message")).to_contain_text("Saved as judged")
    assert load(tmp_path / "judged").manifest["edited"]["edits"]
    page.goto(f"{address}#/annotation")
    page.get_by_text("Bring tables along").click()
    form = page.locator(".importing")
    form.get_by_label("Name of the annotation").fill("again")
    files = [
        file.rename(file.with_name(f"crane_{file.name}"))  # as they are published
        for file in sorted((tmp_path / "tables").glob("*.csv"))
    ]
    (tmp_path / "notes.csv").write_text("a\tb\n")
    form.get_by_label("uses.csv").set_input_files([*files, tmp_path / "notes.csv"])
    form.get_by_role("button", name="Bring them along").click()
    expect(page.locator(".message")).to_contain_text("notes.csv is no table of these: uses.csv")
    form.get_by_label("uses.csv").set_input_files(files)
    form.get_by_role("button", name="Bring them along").click()
    expect(page.locator(".message")).to_contain_text("again is made: 6 items, 11 judgments")
    assert sorted(judged(folder, "Bo", "again")) == sorted(judged(folder, "Bo"))
    assert AnnotationProject.open(folder / "again").decide() == project.decide()


def test_tables_of_several_words_are_brought_along_at_once(
    open_page, address, folder, tmp_path
) -> None:
    head = "lemma\tidentifier\tcontext\tindexes_target_token\n"
    for word in ("gull", "stork"):
        rows = [f"{word}\t{word}{i}\tA {word}.\t2:{2 + len(word)}\n" for i in "12"]
        (tmp_path / f"{word}_uses.tsv").write_text(head + "".join(rows), newline="\r\n")
    page = open_page("#/annotation", address)
    page.get_by_text("Bring tables along").click()
    form = page.locator(".importing")
    form.get_by_label("Name of the annotation").fill("birds")
    form.get_by_label("Further annotators").fill("Ann")
    form.get_by_label("uses.csv").set_input_files(sorted(tmp_path.glob("*_uses.tsv")))
    form.get_by_role("button", name="Bring them along").click()
    expect(page.locator(".message")).to_contain_text("birds is made: 2 items, 0 judgments")
    assert set(AnnotationProject.open(folder / "birds").items) == {"gull1|gull2", "stork1|stork2"}


def test_lines_of_the_word_that_is_shown_become_an_annotation(open_page, address, folder) -> None:
    page = open_page("#/word/bank", address, failures=True)
    page.get_by_role("link", name="Let several people judge lines").click()
    form = page.locator(".making")
    expect(form.get_by_label("Word")).to_have_value("bank")
    form.get_by_label("Name of the annotation").fill("lines")
    form.get_by_label("Annotators").fill("Cy, Di")
    form.get_by_role("spinbutton").fill("4")
    form.get_by_role("button").click()
    expect(page.get_by_role("alert")).to_contain_text("exists already")
    form.get_by_label("Name of the annotation").fill("banks")
    form.get_by_role("button").click()
    expect(page.locator(".message")).to_contain_text("banks is made: 4 items")
    page.get_by_role("link", name="Judge as Cy").click()
    told(page, 0, 4)
    assert AnnotationProject.open(folder / "banks").annotators == ("Cy", "Di")


def test_open_servers_ask_for_the_token(
    open_page, serve, topic_model_folder, topic_corpus, folder, find_barriers
) -> None:
    lines: list[str] = []
    shelf = Shelf(folder, needs_tokens=True, tell=lines.append)
    tokens = dict(line.split(": ") for line in lines)
    ann = tokens["annotation lines, token of Ann"]
    with serve(topic_model_folder, topic_corpus.path, annotations=shelf) as address:
        page = open_page("#/annotation", address, failures=True)
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.get_by_role("link", name="Judge lines of lines").click()
        page.get_by_label("Your name").fill("Ann")
        page.keyboard.press("Enter")
        expect(page.get_by_label("Token of Ann")).to_be_focused()
        page.keyboard.type("wrong")
        assert find_barriers(page) == []
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_contain_text("is not right")
        expect(page.get_by_label("Token of Ann")).to_be_focused()
        page.get_by_label("Token of Ann").fill(ann)
        page.keyboard.press("Enter")
        told(page, 0)
        page.keyboard.press("1")
        told(page, 1)
        assert not any(ann in url for url in [*asked, page.url])
        page.goto(f"{address}#/agreement/lines")
        expect(page.get_by_label("Token of who adjudicates")).to_be_visible()
        page.goto(f"{address}#/adjudicate/lines")
        expect(page.get_by_label("Token of who adjudicates")).to_be_visible()


VIEWS = {
    "#/annotation?word=crane": ".projects li",
    "#/annotate/lines?annotator=Ann": ".label-choice",
    "#/annotate/pairs?annotator=Ann": ".label-choice",
    "#/agreement/lines": ".alpha",
    "#/adjudicate/lines": ".label-choice",
}


def test_no_view_has_barriers_or_is_wider_than_a_phone(
    open_page, address, folder, find_barriers
) -> None:
    project = AnnotationProject.open(folder / "lines")
    item = next(iter(project.items))
    project.judge("Ann", item, "1", "a comment")
    project.judge("Bo", item, "2")
    for scheme in ("light", "dark"):
        page = open_page(
            "", address, color_scheme=scheme, reduced_motion="reduce",
            viewport={"width": 320, "height": 640},
        )  # fmt: skip
        for route, sign in VIEWS.items():
            page.goto(address + route)
            expect(page.locator(sign).first).to_be_visible()
            assert page.evaluate("document.documentElement.scrollWidth") <= 320, route
            assert find_barriers(page) == [], route


def test_corrections_of_one_word_at_the_same_time(open_page, address) -> None:
    pages = [open_page("#/word/crane?edit=1", address, failures=True) for _ in range(2)]
    for page in pages:
        expect(page.locator(".card .tools")).to_have_count(2)
    for number, page in enumerate(pages):
        page.locator(".card").first.get_by_role("button", name="Rename").click()
        page.get_by_label("New name of sense 1").fill(f"name {number}")
        page.keyboard.press("Enter")
        if number == 0:
            expect(page.locator(".card").first).to_contain_text("name 0")
    late = pages[1].get_by_role("alert")
    expect(late).to_contain_text("were changed meanwhile")
    late.get_by_role("button", name="Try again").click()
    expect(pages[1].locator(".card").first).to_contain_text("name 0")
    pages[1].locator(".card").nth(1).get_by_role("button", name="Hide").click()
    expect(pages[1].locator(".history li")).to_have_count(2)
