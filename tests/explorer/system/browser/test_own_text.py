"""Text of one's own, with the slider for "don't know"."""

from __future__ import annotations

import json
import re

import pytest

expect = pytest.importorskip("playwright.sync_api").expect

NUMBERS = "[...document.querySelectorAll('.tagged sub')].map((sub) => sub.dataset.number)"


def numbers_of(page) -> list[str]:
    """The numbers of senses behind the words of a text, as they are drawn."""
    return page.evaluate(NUMBERS)


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
    numbers = numbers_of(page)
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
    page.wait_for_url("**theta=0**")  # the address follows a moment later
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


def test_page_says_what_the_library_says(open_page, text: str, topic_model) -> None:
    page = open_page("#/text")
    long = f"{text}\n\nA crane.\n\n{text[::-1]} crane bank.\n" + text.replace("crane", "bank")
    tag(page, long)
    expected = topic_model.tag(long)
    expect(page.locator(".tagged")).to_have_count(len(expected))
    shown = numbers_of(page)
    assert shown == [str(word.sense or "?") for word in expected]
    # At every place of the slider, and in the details.
    rule = topic_model.calibration
    for place in ("0.2", "0.55", "0.9"):
        page.get_by_role("slider").fill(place)
        asked = {"confidence" if rule else "idk_threshold": float(place)}
        senses = [str(word.sense or "?") for word in topic_model.tag(long, **asked)]
        assert numbers_of(page) == senses
    page.locator(".tagged").first.hover()
    chances = [f"{round(100 * p)} %" if p >= 0.01 else "< 1 %" for p in expected[0].probabilities]
    expect(page.get_by_role("tooltip").locator(".number")).to_have_text(chances)


def test_what_is_marked_does_not_stop_the_rest(open_page, text: str) -> None:
    page = open_page("#/text")
    tag(page, text.replace("crane", "<b>crane</b>", 1) + " <b>nothing</b>")
    expect(page.locator(".tagged")).to_have_count(4)
    expect(page.locator(".tagged-text")).to_contain_text("<b>crane")
    expect(page.locator(".marks")).to_contain_text("2 places of this text stand in <b> and </b>")
    expect(page.locator(".marks")).to_contain_text("every word is looked at")
    page.get_by_role("checkbox", name="only marked words").check()
    expect(page.locator(".tagged")).to_have_count(1)
    expect(page.locator(".text-result")).to_contain_text("Marked, but not in the model: nothing.")
    page.wait_for_url("**marked=1**")  # the address follows a moment later
    page.reload()
    expect(page.locator(".tagged")).to_have_count(1)
    expect(page.get_by_role("checkbox", name="only marked words")).to_be_checked()
    page.get_by_role("checkbox", name="only marked words").uncheck()
    expect(page.locator(".tagged")).to_have_count(4)


def test_text_of_another_language_is_remarked_on(open_page) -> None:
    page = open_page("#/text")
    tag(page, "la grúa levanta las vigas de acero y una crane espera cerca del río")
    expect(page.locator(".remark")).to_contain_text("is the text in another one?")


def test_long_text_goes_in_steps_and_ends_with_the_page(open_page, explorer, text: str) -> None:
    page = open_page("#/text")
    long = (text + "\n\n") * (20_000 // len(text))
    tag(page, long)
    expect(page.locator(".tagged")).to_have_count(long.count("crane"))
    expect(page.locator("#tag-count")).to_contain_text(f"of {long.count('crane')} known words")
    state = {"state": "running", "progress": 0.4, "result": None}
    page.route("**/api/jobs/*", lambda route: route.fulfill(json=state))

    def is_end(request) -> bool:
        return request.method == "DELETE"

    tag(page, long)
    expect(page.get_by_role("progressbar")).to_have_attribute("value", "0.4")
    with page.expect_request(is_end):
        page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("heading", name="Stopped")).to_be_visible()
    tag(page, long)
    expect(page.get_by_role("progressbar")).to_have_attribute("value", "0.4")
    with page.expect_request(is_end):
        page.get_by_role("link", name="All words").click()
    expect(page.locator(".word-table")).to_be_visible()
    page.go_back()  # the text is too long for the address, and still there
    expect(page.get_by_role("progressbar")).to_have_attribute("value", "0.4")
    with page.expect_request(is_end):
        page.evaluate("dispatchEvent(new Event('pagehide'))")  # as where the page is closed


def test_too_long_a_text_is_refused_before_it_is_sent(open_page) -> None:
    page = open_page("#/text")
    tag(page, "crane " * 33_334)
    expect(page.get_by_role("heading", name="This text is too long")).to_be_visible()
    expect(page.locator(".panel")).to_contain_text("It has 200,004 characters, and 200,000 can be")


def test_work_that_fails_is_said(open_page, text: str) -> None:
    page = open_page("#/text", failures=True)
    error = {"code": "out_of_time", "message": "the work took longer than 1 seconds"}
    state = {"state": "failed", "progress": 0, "result": None, "error": error}
    page.route("**/api/jobs/*", lambda route: route.fulfill(json=state))
    tag(page, text * 20)
    expect(page.get_by_role("alert")).to_contain_text("took longer than 1 seconds")
    page.route("**/api/tag/deciding", lambda route: route.abort())
    tag(page, text)
    page.locator(".tagged").first.hover()
    expect(page.get_by_role("tooltip")).to_contain_text("cannot be told just now")
    page.mouse.move(0, 0)
    page.get_by_role("button", name="CSV with the words that decided").click()
    expect(page.get_by_role("alert")).to_contain_text("took longer than 1 seconds")


def test_tagged_text_is_downloaded_with_what_decided(open_page, text: str) -> None:
    page = open_page("#/text")
    tag(page, text)
    with page.expect_download() as found:
        page.get_by_role("button", name="CSV", exact=True).click()
    header, *rows = found.value.path().read_text(encoding="utf-8-sig").splitlines()
    assert (header.split(",")[-1], len(rows)) == ("distances", 4)
    with page.expect_download() as found:
        page.get_by_role("button", name="CSV with the words that decided").click()
    header, *rows = found.value.path().read_text(encoding="utf-8-sig").splitlines()
    assert header.split(",")[-1] == "decided_by"
    assert all(row.split(",")[-1].startswith(("bird", "machine")) for row in rows)
    with page.expect_download() as found:
        page.get_by_role("button", name="JSON").click()
    assert len(json.loads(found.value.path().read_text(encoding="utf-8"))["words"]) == 4


def test_short_lines_are_read_by_themselves(open_page, synthetic, topic_model) -> None:
    birds, machines = (" ".join(words[:4]) for words in synthetic.topic_words[:2])
    lines = [f"{birds} crane", "the crane", f"{machines} crane"]
    page = open_page("#/text")
    tag(page, "\n".join(lines))
    expect(page.locator(".tagged")).to_have_count(3)
    box = page.get_by_role("checkbox", name="each line by itself")
    expect(box).to_be_checked()
    apart = [str(word.sense or "?") for line in lines for word in topic_model.tag(line)]
    assert numbers_of(page) == apart
    box.uncheck()
    page.wait_for_url("**lines=0**")
    joined = [str(word.sense or "?") for word in topic_model.tag("\n".join(lines))]
    for _ in range(50):  # the page forbids strings as code, which waiting for one would be
        if numbers_of(page) == joined:
            break
        page.wait_for_timeout(100)
    assert numbers_of(page) == joined
    page.reload()
    expect(page.locator(".tagged")).to_have_count(3)
    expect(box).not_to_be_checked()
    tag(page, f"{birds}. {machines} crane. A crane.")  # running text
    expect(page.locator(".tagged")).to_have_count(2)
    expect(box).not_to_be_checked()
    assert "lines=" not in page.url


def test_a_wrong_sense_is_corrected_in_place(open_page, own_explorer, text: str) -> None:
    address, model = own_explorer
    page = open_page("#/text", address)
    tag(page, text)
    words = page.locator(".tagged")
    expect(words).to_have_count(4)
    page.get_by_role("slider").fill("0")
    number = words.first.locator("sub").get_attribute("data-number")
    words.first.focus()
    page.keyboard.press("c")
    dialog = page.get_by_role("dialog", name="Correct “crane”")
    expect(dialog.get_by_role("radio")).to_have_count(3)
    expect(dialog.get_by_role("radio").nth(int(number) - 1)).to_be_checked()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    words.first.hover()
    page.get_by_role("tooltip").get_by_role("button", name="Wrong? Correct it").click()
    dialog.get_by_role("radio", name="none of these").check()
    dialog.get_by_role("button", name="Give it this sense").click()
    told = page.get_by_role("region", name="Corrections in this text")
    expect(told).to_contain_text("the new sense 3 now")
    expect(words.first.locator("sub")).to_have_attribute("data-number", "3")
    # Whoever works by keys goes on where they were: at the word, and at what can be done next.
    expect(words.first).to_be_focused()
    told.get_by_role("button", name="Undo: 1 line given to a new sense").press("Enter")
    expect(words.first.locator("sub")).to_have_attribute("data-number", number)
    expect(told.get_by_role("button", name="Redo")).to_be_focused()
    page.keyboard.press("Enter")
    expect(words.first.locator("sub")).to_have_attribute("data-number", "3")
    told.get_by_role("link", name="Correct and save").click()
    page.get_by_role("button", name="Save as a new version").click()
    expect(page.locator(".done").first).to_contain_text("model-v2")
    assert "passages" in (model.parent / "model-v2" / "manifest.json").read_text()


def test_correcting_on_a_phone_in_the_dark(open_page, text: str, find_barriers) -> None:
    phone = {"width": 360, "height": 740}
    for options in ({"viewport": phone}, {"color_scheme": "dark"}):
        page = open_page("#/text", **options)
        tag(page, text)
        expect(page.locator(".tagged")).to_have_count(4)
        assert find_barriers(page) == []
        page.locator(".tagged").first.focus()
        page.keyboard.press("c")
        expect(page.get_by_role("dialog").get_by_role("radio")).to_have_count(3)
        assert find_barriers(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.get_by_role("button", name="Cancel").click()
        expect(page.locator(".tagged").first).to_be_focused()


def test_a_correction_that_fails_changes_nothing(open_page, text: str) -> None:
    page = open_page("#/text", failures=True)
    tag(page, text)
    expect(page.locator(".tagged")).to_have_count(4)
    page.route("**/api/corrections", lambda route: route.abort())
    page.locator(".tagged").first.focus()
    page.keyboard.press("c")
    page.get_by_role("dialog").get_by_role("radio").last.check()
    page.get_by_role("button", name="Give it this sense").click()
    expect(page.get_by_role("dialog")).to_contain_text("Nothing was changed")


def test_the_example_is_in_the_language_of_the_model(open_page, explorer) -> None:
    page = open_page("#/text")
    english = page.get_by_role("button", name="Try an example")
    english.click()
    expect(page.get_by_label("Text", exact=True)).to_have_value(re.compile("^The band recorded"))
    health = page.request.get(explorer + "healthz").json() | {"language": "es"}
    page.route("**/healthz", lambda route: route.fulfill(json=health))
    page.goto("about:blank")
    page.goto(f"{explorer}#/text")
    page.get_by_role("button", name="Try an example").click()
    # Two lines of each of two senses of a word of the model, whatever that is.
    area = page.get_by_label("Text", exact=True)
    expect(area).to_have_value(re.compile(r"(?:.*\b(?:crane|bank)\b.*\n){3}.*", re.IGNORECASE))
