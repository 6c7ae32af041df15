"""The page of a word when work fails, is cancelled, or has a table to download."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

expect = pytest.importorskip("playwright.sync_api").expect


def test_division_is_downloaded(open_page) -> None:
    page = open_page("#/word/crane?k=2")
    with page.expect_download() as started:
        page.locator(".below").get_by_text("CSV").click()
    rows = list(csv.reader(io.StringIO(Path(started.value.path()).read_text("utf-8-sig"))))
    assert [row[:2] for row in rows] == [["word", "sense"], ["crane", "1"], ["crane", "2"]]


def test_long_work_is_cancelled(open_page) -> None:
    page = open_page("#/word/crane")
    expect(page.locator(".card")).to_have_count(2)
    running = {"state": "running", "progress": 0.4, "result": None, "error": None}
    ended: list[str] = []

    def answer(route) -> None:
        ended.append(route.request.method)
        route.fulfill(json=running)

    page.route("**/api/jobs/*", answer)
    page.goto(page.url.replace("#/word/crane", "#/word/crane?k=auto"))
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator(".card")).to_have_count(2)
    expect(page).to_have_url(page.url.split("#")[0] + "#/word/crane")
    page.wait_for_timeout(700)
    assert ended[-1] == "DELETE"


def test_work_that_failed_says_why_and_can_be_tried_again(open_page) -> None:
    page = open_page("#/", failures=True)
    failed = {"state": "failed", "progress": 0.4, "result": None}
    failed["error"] = {"code": "conflict", "message": "asked for too many"}
    page.route("**/api/jobs/*", lambda route: route.fulfill(json=failed))
    page.goto(page.url + "word/crane?k=3")
    expect(page.get_by_role("alert")).to_contain_text("asked for too many")
    page.unroute("**/api/jobs/*")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".card")).to_have_count(3)


def test_dial_of_a_word_that_is_nowhere(open_page) -> None:
    page = open_page("#/word/zzzz?k=2", failures=True)
    expect(page.get_by_role("alert")).to_contain_text("'zzzz' does not occur in corpus")


def test_somebody_else_was_quicker(open_page, own_explorer) -> None:
    address, _ = own_explorer
    page = open_page("#/word/crane?edit=1", address, failures=True)
    expect(page.locator(".card .tools")).to_have_count(2)
    other = open_page("#/word/crane?edit=1", address)
    other.locator(".card").first.get_by_role("button", name="Hide").click()
    expect(other.locator(".card").first).to_contain_text("hidden")
    page.locator(".card").last.get_by_role("button", name="Hide").click()
    expect(page.get_by_role("alert")).to_contain_text("changed meanwhile")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".card").first).to_contain_text("hidden")
    page.locator(".card").first.get_by_role("button", name="Show again").click()
    expect(page.locator(".history li")).to_have_text(["sense 1 hidden", "sense 1 shown again"])
    page.locator(".card").first.get_by_role("button", name="Rename").click()
    page.get_by_label("New name of sense 1").press("Escape")
    expect(page.locator(".card").first.get_by_role("button", name="Split")).to_be_visible()


def test_counts_that_fail_do_not_hide_the_word(
    open_page, serve, topic_model_folder, doubtful_corpus
) -> None:
    with serve(topic_model_folder, doubtful_corpus.path) as address:
        page = open_page("#/", address, failures=True)
        busy = {"error": {"code": "busy", "message": "2 inductions run"}}
        page.route(
            "**/counts",
            lambda route: route.fulfill(
                status=429, body=json.dumps(busy), headers={"Retry-After": "2"}
            ),
        )
        page.goto(f"{address}#/word/crane")
        expect(page.get_by_role("alert")).to_contain_text("Try again in 2 seconds")
        expect(page.locator(".card")).to_have_count(2)


def test_ranking_of_changes_is_paged_and_may_be_empty(open_page) -> None:
    row = {"first": "1900", "second": "1950", "n_first": 20, "n_second": 30, "jsd": 0.5}
    rows = [row | {"word": f"word{i}", "changed": i == 0} for i in range(50)]
    page = open_page("#/", failures=True)
    page.route(
        "**/api/changes?*", lambda r: r.fulfill(json={"by": "year", "total": 70, "words": rows})
    )
    page.goto(page.url + "changes")
    expect(page.locator("tbody tr")).to_have_count(50)
    expect(page.locator("tbody tr").first).to_contain_text("beyond chance")
    page.get_by_role("button", name="Next").click()
    expect(page).to_have_url(page.url.split("#")[0] + "#/changes?page=2")
    page.unroute("**/api/changes?*")
    page.route(
        "**/api/changes?*", lambda r: r.fulfill(json={"by": "year", "total": 0, "words": []})
    )
    page.goto(page.url.split("#")[0] + "#/changes?page=3")
    expect(page.get_by_role("heading", name="Nothing was compared")).to_be_visible()
    page.unroute("**/api/changes?*")
    page.goto(page.url.split("#")[0] + "#/changes?page=4")
    expect(page.get_by_role("alert")).to_contain_text("--changes REPORT")


def test_senses_are_called_by_word_and_number(open_page, explorer) -> None:
    page = open_page("#/word/crane")
    cards = page.locator(".card")
    expect(cards).to_have_count(2)
    labels = cards.evaluate_all("all => all.map((card) => card.getAttribute('aria-label'))")
    assert [label.split(":")[0] for label in labels] == ["crane, sense 1", "crane, sense 2"]
    page.goto(f"{explorer}#/compare/crane")
    expect(page.get_by_role("article", name="crane, sense 2")).to_be_visible()
    page.goto(f"{explorer}#/text?text=crane+" + "birdba+" * 8)
    expect(page.locator(".tagged").first).to_have_attribute("aria-label", "crane, sense 1")


def test_what_stands_side_by_side_is_not_run_together(open_page) -> None:
    page = open_page("#/word/crane")
    card = page.locator(".card").first
    expect(card).to_be_visible()
    text = card.text_content()
    name = card.get_by_role("heading").text_content()
    assert f"1 {name}" in text
    assert "Typical of its contexts birdba" in text or "Typical of its contexts bird" in text
    assert "Share " in text


def test_shares_of_the_dial_are_the_same_in_the_summary_and_on_the_cards(open_page) -> None:
    page = open_page("#/word/crane?k=3")
    expect(page.locator(".card")).to_have_count(3)
    on_cards = [
        card.locator(".measure-value").first.text_content() for card in page.locator(".card").all()
    ]
    said = page.locator(".adoption p").first.text_content()
    assert re.findall(r"\(([^)]*%)\)", said) == on_cards
    in_table = page.locator(".tree tbody tr").evaluate_all(
        "rows => rows.filter((row) => row.cells[0].textContent === '3')"
        ".map((row) => row.cells[3].textContent)"
    )
    assert in_table == on_cards
    # Senses of two levels divide the contexts anew when they are used: these are about so many.
    page.locator(".tree .block").nth(1).dispatch_event("click")
    expect(page.locator(".adoption p").first).to_contain_text("(about ")
