"""Words, the dial, the concordance and the geometry, as a person looks at them."""

from __future__ import annotations

import csv
import json

import pytest

expect = pytest.importorskip("playwright.sync_api").expect


def test_search_completes_by_keyboard(open_page) -> None:
    page = open_page()
    field = page.get_by_role("main").get_by_role("combobox")
    field.fill("cra")
    expect(page.get_by_role("option")).to_have_count(1)
    expect(field).to_have_attribute("aria-expanded", "true")
    field.press("ArrowDown")
    option = page.get_by_role("option", selected=True)
    assert field.get_attribute("aria-activedescendant") == option.get_attribute("id")
    field.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("crane")
    assert page.url.endswith("#/word/crane")
    expect(page.locator(".card")).to_have_count(2)


def test_card_says_what_the_api_says(open_page, explorer) -> None:
    page = open_page("#/word/crane")
    card = page.locator(".card").first
    expect(card).to_be_visible()
    sense = page.request.get(f"{explorer}api/words/crane").json()["senses"][0]
    expect(card.get_by_role("heading")).to_have_text(sense["name"])
    expect(card).to_contain_text(f"{round(100 * sense['share'])} %")
    expect(card).to_contain_text(f"{sense['crispness']:.2f}")
    expect(card).to_contain_text(", ".join(sense["characteristic_words"]))
    before = card.locator(".examples li").count()
    card.get_by_role("button", name="More examples").click()
    expect(card.locator(".examples li").nth(before)).to_be_visible()


def test_dial_divides_anew_and_shows_how_senses_split(open_page) -> None:
    page = open_page("#/word/crane")
    expect(page.locator(".card")).to_have_count(2)
    page.get_by_text("3", exact=True).click()
    expect(page.locator(".card")).to_have_count(3)
    assert page.url.endswith("#/word/crane?k=3")
    expect(page.locator(".tree .block")).to_have_count(1 + 2 + 3)
    expect(page.locator(".tree .band")).to_have_count(2 + 3)
    page.reload()  # the address is enough
    expect(page.locator(".card")).to_have_count(3)
    page.get_by_text("As in the model", exact=True).click()
    expect(page.locator(".card")).to_have_count(2)
    expect(page.locator(".tree")).to_have_count(0)


def test_long_induction_shows_progress_and_can_be_cancelled(open_page) -> None:
    page = open_page("#/word/crane")
    expect(page.locator(".card")).to_have_count(2)
    ended: list[str] = []

    def answer(route) -> None:
        if route.request.method == "DELETE":
            ended.append(route.request.url)
        state = {"state": "running", "progress": 0.4, "result": None}
        route.fulfill(content_type="application/json", body=json.dumps(state))

    page.route("**/api/jobs/*", answer)
    page.get_by_text("4", exact=True).click()
    bar = page.get_by_role("progressbar")
    expect(bar).to_have_attribute("value", "0.4")
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator(".card")).to_have_count(2)
    assert page.url.endswith("#/word/crane")
    for _ in range(50):  # the page does not wait for the answer
        if ended:
            break
        page.wait_for_timeout(100)
    assert len(ended) == 1


def test_concordance_is_filtered_and_its_documents_open(open_page) -> None:
    page = open_page("#/concordance/crane")
    rows = page.locator(".kwic tbody tr")
    expect(rows).to_have_count(50)
    expect(page.locator(".facts")).to_have_text("200 lines")
    page.get_by_role("combobox", name="Sense", exact=True).select_option("2")
    expect(page.locator(".kwic .badge", has_text="1")).to_have_count(0)
    assert rows.count() == page.locator(".kwic .badge", has_text="2").count() > 0
    assert "sense=2" in page.url
    page.get_by_label("Words near it").fill("xyzzy")
    expect(page.get_by_role("heading", name="No line matches")).to_be_visible()
    page.get_by_role("link", name="show all lines").click()
    expect(rows).to_have_count(50)
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_role("spinbutton")).to_have_value("2")
    rows.first.locator(".keyword").press("Enter")
    expect(page.get_by_role("dialog").locator("mark")).to_have_text("crane", ignore_case=True)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_tables_can_be_downloaded(open_page) -> None:
    page = open_page("#/concordance/crane?sense=2")
    expect(page.locator(".kwic")).to_be_visible()
    with page.expect_download() as found:
        page.get_by_role("link", name="CSV").click()
    with found.value.path().open(encoding="utf-8", newline="") as table:
        header, first, *_ = csv.reader(table)
    assert header[-3:] == ["sense", "sense_name", "confidence"]
    assert first[-3] == "2"


def test_without_a_corpus_the_page_says_what_is_missing(open_page, explorer_without_corpus) -> None:
    page = open_page("#/word/crane", explorer_without_corpus)
    expect(page.locator(".card")).to_have_count(2)
    expect(page.get_by_role("radio").first).to_be_disabled()
    expect(page.locator(".dial")).to_contain_text("--corpus")
    expect(page.locator(".card").first.locator(".examples li")).to_have_count(6)
    more = page.locator(".card").first.get_by_role("button", name="More examples")
    more.click()
    expect(more).to_have_count(0)
    # No sentence of another word's examples has this sense that is not shown already.
    expect(page.locator(".card").first.locator(".examples li")).to_have_count(6)
    page.get_by_role("link", name="Concordance").click()
    expect(page.locator(".kwic tbody tr").first).to_be_visible()
    expect(page.locator(".guide")).to_contain_text("example lines of the model")
    page.get_by_role("link", name="Geometry").click()
    expect(page.locator(".map .dot").nth(10)).to_be_attached()
    expect(page.locator(".plane-list li")).to_have_count(12)
    page.locator(".map").focus()
    page.keyboard.press("Enter")  # there is no document to open
    expect(page.locator(".map-line").get_by_role("button")).to_have_count(0)


def test_sense_with_few_examples_gets_lines_of_other_words(open_page, explorer_without_corpus):
    page = open_page("#/", explorer_without_corpus)
    view = page.request.get(f"{explorer_without_corpus}api/words/crane").json()
    view["senses"][0]["examples"] = view["senses"][0]["examples"][:1]
    page.route("**/api/words/crane", lambda route: route.fulfill(json=view))
    page.goto(f"{explorer_without_corpus}#/word/crane")
    lines = page.locator(".card").first.locator(".examples li")
    expect(lines).to_have_count(6)
    assert len(set(lines.all_inner_texts())) == 6
