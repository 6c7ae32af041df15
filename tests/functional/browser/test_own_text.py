"""Text of one's own, with the slider for "don't know"."""

from __future__ import annotations

import pytest

expect = pytest.importorskip("playwright.sync_api").expect


@pytest.fixture
def text(synthetic) -> str:
    """A sentence about birds and one about machines, each with its crane."""
    birds, machines = synthetic.topic_words[0], synthetic.topic_words[1]
    return f"{' '.join(birds[:4])} crane {' '.join(birds[4:8])}. " * 2 + (
        f"{' '.join(machines[:4])} crane {' '.join(machines[4:8])}. " * 2
    )


def tag(page, text: str) -> None:
    page.get_by_label("Text", exact=True).fill(text)
    page.get_by_role("button", name="Find the senses").click()


def test_words_are_marked_and_explained(open_page, text: str) -> None:
    page = open_page("#/text")
    tag(page, text)
    words = page.locator(".tagged")
    expect(words).to_have_count(4)
    page.get_by_role("slider").fill("0")  # every word has an answer
    expect(page.locator(".tagged.idk")).to_have_count(0)
    numbers = [number[-1] for number in words.all_inner_texts()]
    assert sorted(numbers) == ["1", "1", "2", "2"]
    words.first.hover()
    details = page.get_by_role("tooltip")
    expect(details.locator("tr")).to_have_count(2)
    expect(details).to_contain_text("Decided by")
    shown = details.locator("p", has_text="Decided by").locator("b").all_inner_texts()
    assert shown
    assert all(word.startswith("bird") for word in shown)


def test_slider_answers_without_the_server(open_page, text: str) -> None:
    page = open_page("#/text")
    tag(page, text)
    expect(page.locator(".tagged")).to_have_count(4)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    slider = page.get_by_role("slider")
    slider.fill("1")  # only what is certain: nothing is
    expect(page.locator(".tagged.idk")).to_have_count(4)
    expect(page.locator("#tag-count")).to_have_text(
        "0 of 4 known words have a sense; 4 don’t know."
    )
    slider.fill("0")
    expect(page.locator(".tagged.idk")).to_have_count(0)
    page.wait_for_timeout(400)  # the address follows a moment later
    assert "theta=0" in page.url
    assert [url for url in asked if "/api/" in url] == []
    page.reload()
    expect(page.locator(".tagged")).to_have_count(4)
    expect(slider).to_have_value("0")


def test_markup_in_a_text_is_only_text(open_page, text: str) -> None:
    page = open_page("#/text")
    attack = '<img src=x onerror="window.attacked=1"><script>window.attacked=1</script> '
    tag(page, attack + text)
    expect(page.locator(".tagged")).to_have_count(4)
    expect(page.locator(".tagged-text")).to_contain_text("<img src=x")
    assert page.locator(".tagged-text img, .tagged-text script").count() == 0
    assert page.evaluate("window.attacked") is None


def test_words_are_reached_by_keyboard(open_page, text: str) -> None:
    page = open_page("#/text")
    tag(page, "🦢 " + text)  # one character for the server, two for the browser
    expect(page.locator(".tagged").first).to_contain_text("crane")
    page.locator(".tagged").first.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".tagged").nth(1)).to_be_focused()
    expect(page.get_by_role("tooltip")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("tooltip")).to_be_hidden()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("crane")


def test_empty_and_unknown_texts_get_advice(open_page) -> None:
    page = open_page("#/text")
    tag(page, "")
    expect(page.get_by_role("heading", name="There is no text yet")).to_be_visible()
    tag(page, "zzz yyy xxx")
    expect(page.get_by_role("heading", name="No known word in this text")).to_be_visible()
