"""Collocates of a sense, and two words or senses side by side."""

from __future__ import annotations

import json
import re

import pytest

expect = pytest.importorskip("playwright.sync_api").expect


def test_collocates_of_a_sense_lead_to_their_lines(open_page, explorer):
    page = open_page("#/word/crane")
    page.locator(".card").first.get_by_role("link", name="Collocates").click()
    page.wait_for_url(re.compile("#/collocates/crane"))
    rows = page.locator(".collocates tbody tr")
    expect(rows.nth(5)).to_be_visible()
    answer = page.request.get(f"{explorer}api/words/crane/collocates?sense=1&limit=100").json()
    best = answer["collocates"][0]
    expect(rows.first.get_by_role("link")).to_have_text(best["word"])
    expect(rows.first).to_contain_text(f"{best['log_dice']:.2f}")
    expect(page.locator(".facts")).to_have_text(f"{answer['lines']} lines")
    rows.first.get_by_role("link").click()
    expect(page.locator(".kwic tbody tr").first).to_be_visible()
    assert page.locator(".kwic .badge", has_text="2").count() == 0
    expect(page.get_by_label("Words near it")).to_have_value(f'"{best["word"]}"')


def test_collocates_by_other_settings(open_page):
    page = open_page("#/collocates/crane")
    rows = page.locator(".collocates tbody tr")
    expect(rows.first).to_be_visible()
    page.get_by_role("combobox", name="Of", exact=True).select_option("2")
    page.get_by_label("To the left").select_option("20")
    page.get_by_label("Sort by").select_option("log_likelihood")
    with page.expect_request(re.compile("before=20.*order=log_likelihood.*function_words=true")):
        page.get_by_label("function words too").check()
    assert "functions=1" in page.url
    page.get_by_label("Look at").select_option("1000")
    page.get_by_label("At least so often").fill("100000")
    page.get_by_label("At least so often").press("Enter")
    expect(page.get_by_role("heading", name="No collocates")).to_be_visible()
    page.get_by_label("Compare with").select_option("1")
    page.wait_for_url(re.compile("#/compare/crane.*other_sense=1"))


def test_collocates_of_a_word_that_the_model_has_not(open_page, explorer):
    page = open_page("#/collocates/seal?before=30", failures=True)
    expect(page.locator(".collocates tbody tr").first).to_be_visible()
    expect(page.get_by_label("Compare with")).to_be_hidden()
    page.goto(explorer + "#/collocates/nowhere")
    expect(page.get_by_role("alert")).to_contain_text("does not occur")


def test_collocates_of_senses_found_anew(open_page):
    page = open_page("#/collocates/crane?k=3&sense=3")
    expect(page.locator(".collocates tbody tr").first).to_be_visible()
    expect(page.get_by_label("Compare with")).to_be_hidden()


def test_two_senses_are_compared_from_the_word(open_page):
    page = open_page("#/word/crane")
    page.get_by_role("link", name="Compare").click()
    expect(page.locator(".view-compare .card")).to_have_count(2)
    columns = page.locator(".compared").first.locator(".compared-column")
    heads = columns.locator("h3").all_inner_texts()
    assert heads == ["rather near crane 1", "near both alike", "rather near crane 2"]
    first, second = (columns.nth(i).locator("a").all_inner_texts() for i in (0, 2))
    assert first
    assert second
    assert not {word[:4] for word in first[:5]} & {word[:4] for word in second[:5]}
    page.get_by_role("button", name="Change sides").click()
    expect(columns.first.locator("a").first).to_have_text(second[0])
    assert "sense=2" in page.url
    columns.first.locator("a").first.click()
    expect(page.locator(".kwic tbody tr").first).to_be_visible()


def test_two_words_are_compared_by_address(open_page):
    page = open_page("#/compare/crane?other=bank")
    cards = page.locator(".view-compare .card")
    expect(cards).to_have_count(2)
    expect(cards.nth(1).get_by_role("heading")).to_have_text("bank")
    expect(cards.first.locator(".examples li")).to_have_count(6)
    expect(page.locator(".facts")).to_have_text(re.compile(r"similarity of the two -?\d\.\d\d"))
    page.get_by_label("Its sense").select_option("2")
    page.wait_for_url(re.compile("other_sense=2"))
    expect(cards.nth(1).locator(".badge")).to_have_text("2")
    page.get_by_label("Sense of “crane”").select_option("1")
    expect(cards.first.locator(".badge")).to_have_text("1")
    page.get_by_text("What counts as near").click()
    page.get_by_label("To the right").select_option("2")
    page.wait_for_url(re.compile("after=2"))
    field = page.get_by_label("with the word")
    field.fill("crane")
    field.press("Enter")
    page.wait_for_url(re.compile("other=crane"))
    expect(cards.nth(1).get_by_role("heading")).to_have_text("crane")
    with page.expect_download() as found:
        page.get_by_role("link", name="CSV").click()
    assert found.value.path().read_text(encoding="utf-8-sig").startswith("kind,near,near_name,word")


def test_comparing_what_is_not_there(open_page, explorer):
    page = open_page("#/compare/crane?other=nowhere", failures=True)
    expect(page.get_by_role("alert")).to_contain_text("not among")

    def fail(route) -> None:
        error = {"error": {"code": "out_of_time", "message": "8 of 9 lines are read so far"}}
        route.fulfill(status=503, content_type="application/json", body=json.dumps(error))

    page.route("**/api/compare?*", fail)
    page.route("**/collocates?*", fail)
    for view in ("compare", "collocates"):
        page.goto(f"{explorer}#/{view}/bank")
        expect(page.get_by_role("alert")).to_contain_text("Not finished yet")


def test_a_word_of_one_sense_asks_for_another_word(open_page, tmp_path, serve, topic_model_folder):
    from grassmeans.models.model import load
    from grassmeans_explorer.editing.sense_edits import merge_senses

    model = load(topic_model_folder)
    entry = merge_senses(model.senses("crane"), [1, 2], model.vectors)
    inventory = {**dict(model.inventory), "crane": entry}
    model.with_inventory(type(model.inventory)(list(inventory.values()))).save(tmp_path / "model")
    with serve(tmp_path / "model") as found:
        page = open_page("#/compare/crane", found)
        expect(page.get_by_role("heading", name="One sense")).to_be_visible()
        page.get_by_label("with the word").fill("bank")
        page.get_by_label("with the word").press("Enter")
        expect(page.locator(".view-compare .card")).to_have_count(2)


def test_without_a_corpus(open_page, explorer_without_corpus):
    page = open_page("#/compare/crane", explorer_without_corpus)
    expect(page.locator(".view-compare .card")).to_have_count(2)
    expect(page.get_by_role("heading", name="Collocates need a corpus")).to_be_visible()
    expect(page.locator(".compared")).to_have_count(1)
    page.locator(".tabs").get_by_role("link", name="Collocates").click()
    expect(page.get_by_role("heading", name="Collocates need a corpus")).to_be_visible()
