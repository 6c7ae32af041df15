"""The map of senses: words and their neighbours, groups, and the way to a sense."""

from __future__ import annotations

import json
import re

import pytest

expect = pytest.importorskip("playwright.sync_api").expect


def test_words_are_drawn_and_lead_to_their_senses(open_page) -> None:
    page = open_page()
    page.get_by_role("link", name="Map", exact=True).click()
    expect(page.get_by_role("heading", name="No words yet")).to_be_visible()
    page.get_by_label("Words, with commas").fill("crane, bank; nothing")
    page.get_by_label("Which").select_option("10")
    page.get_by_role("button", name="Draw").click()
    expect(page.locator(".map .dot")).to_have_count(4)
    expect(page.locator(".map-name")).to_have_count(4)
    assert "words=crane%2Cbank%2Cnothing&neighbours=10" in page.url
    expect(page.locator(".view-map")).to_contain_text("Not in this model: nothing.")
    page.locator(".map").focus()
    expect(page.locator(".map-line")).to_contain_text("sense")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    word = page.locator(".map-line a").inner_text()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text(word)
    expect(page).to_have_url(re.compile("sense="))
    page.go_back()
    expect(page.locator(".map .dot")).to_have_count(4)


SENSES = [
    {"word": f"word{i}", "sense": 1 + i % 2, "name": f"name{i}, other", "share": 0.5,
     "given": i < 2, "n_senses": 2, "group": i % 3, "colour": "#123456", "x": i % 4 / 4, "y": i / 8}
    for i in range(8)
]  # fmt: skip
MAP = {
    "senses": SENSES,
    "groups": [
        {"number": k, "words": [f"g{k}"], "n_senses": 3, "colour": "#123456"} for k in (1, 2)
    ],
    "unknown": [],
    "n_left_out": 3,
}


@pytest.fixture
def page(open_page, explorer):
    found = open_page(failures=True)
    found.route("**/api/sense-map?*", lambda route: route.fulfill(json=MAP))
    found.goto(f"{explorer}#/map?words=a")
    expect(found.locator(".map .dot")).to_have_count(8)
    return found


def test_colours_are_those_that_the_server_gives(page) -> None:
    shades = (
        "all => [...new Set(all.map((one) => getComputedStyle(one).getPropertyValue('--sense')))]"
    )
    assert page.locator(".map .dot").evaluate_all(shades) == ["#123456"]
    assert page.locator(".map-groups .choice").evaluate_all(shades) == ["#123456"]


def test_groups_are_chosen(page) -> None:
    expect(page.locator(".view-map")).to_contain_text("3 words more had no room")
    shown = page.locator(".map .dot:not(.gone)")
    page.locator(".map-groups").get_by_text("g1").click()
    expect(shown).to_have_count(2)  # of the second group: 2 and 5
    page.locator(".map-groups").get_by_text("g2").click()
    expect(shown).to_have_count(8)  # none is chosen: all


def test_place_and_zoom_are_in_the_address(page) -> None:
    page.locator(".map").press("+")
    page.wait_for_url("**words=a&at=1.4%2C0.5%2C0.5")
    page.reload()
    expect(page.locator(".map.zoomed")).to_be_visible()
    page.locator(".zoom").get_by_role("button", name="Reset").click()
    page.wait_for_url("**words=a")


def test_map_is_saved_as_picture_and_table(page) -> None:
    texts = {}
    for kind in ("SVG", "PNG", "CSV", "JSON"):
        with page.expect_download() as found:
            page.locator(".downloads").get_by_role("button", name=kind).click()
        texts[kind] = found.value.path().read_bytes()
    assert b"word0 \xc2\xb7 name0" in texts["SVG"]
    assert texts["PNG"].startswith(b"\x89PNG")
    header, first, *_ = texts["CSV"].decode("utf-8-sig").splitlines()
    assert header == "word,sense,name,share,group,x,y"
    assert first.startswith('word0,1,"name0, other",0.5,0')
    assert json.loads(texts["JSON"]) == MAP


def test_failure_is_told_and_tried_again(page, explorer) -> None:
    page.route("**/api/sense-map?*", lambda route: route.abort())
    page.goto(f"{explorer}#/map?words=b")
    expect(page.get_by_role("alert")).to_contain_text("does not answer")
    page.route("**/api/sense-map?*", lambda route: route.fulfill(json=MAP))
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".map .dot")).to_have_count(8)
