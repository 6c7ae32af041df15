"""Dictionary entries as a person writes them; the steps of the page that teaches it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from grassmeans import load
from grassmeans_explorer.entries.store import read_entries

expect = pytest.importorskip("playwright.sync_api").expect

GUIDE = Path(__file__).parents[4] / "docs" / "how-to" / "entry-in-ten-minutes.md"


def sense(page, place):
    return page.locator(f'.entry-sense[data-path="{place}"]')


def field(page, place, label):
    return sense(page, place).get_by_label(label, exact=True).first


def saved(page):
    expect(page.locator(".save-state")).to_have_text("Saved")


def open_the_entry(page, model):
    page.get_by_role("link", name="Entry", exact=True).click()
    expect(page.locator(".entry-sense")).to_have_count(2)


def take_what_is_proposed(page, model):
    expect(sense(page, "1").locator(".proposal").first).to_be_visible()
    page.get_by_role("button", name="Take all proposals", exact=True).click()
    expect(field(page, "1", "Name")).not_to_have_value("")
    expect(page.get_by_role("button", name="Take all proposals", exact=True)).to_be_hidden()
    saved(page)
    assert read_entries(load(model))[0].senses[1].collocates


def write_a_definition(page, model):
    field(page, "1", "Definition").fill("a bird with long legs")
    saved(page)
    expect(page.locator(".facts")).to_contain_text("draft")
    page.wait_for_function("document.querySelector('.save-state').textContent === 'Saved'")
    field(page, "2", "Definition").fill("a machine that lifts")
    field(page, "2", "Definition").press("Tab")
    saved(page)
    found = {one.definition for one in read_entries(load(model))[0].senses}
    assert found == {"a bird with long legs", "a machine that lifts"}


def put_the_senses_in_order(page, model):
    page.get_by_role("button", name="Down: sense 1").click()
    expect(field(page, "1", "Definition")).to_have_value("a machine that lifts")
    expect(field(page, "2", "Definition")).to_be_focused()
    page.keyboard.press("Alt+ArrowUp")
    expect(field(page, "1", "Definition")).to_have_value("a bird with long legs")
    sense(page, "1").get_by_role("button", name="Add a sub-sense").click()
    expect(field(page, "1.1", "Definition")).to_be_focused()


def keep_a_line(page, model):
    page.get_by_role("link", name="Concordance", exact=True).click()
    row = page.locator(".kwic tbody tr").first
    row.get_by_role("button", name="Keep").click()
    expect(row.get_by_role("button", name="Keep")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("link", name="Open the entry").click()
    expect(page.locator(".entry-example.keep").first).to_be_visible()


def label_it(page, model):
    one = sense(page, "2")
    one.get_by_text("Labels, references, notes").click()
    one.get_by_role("button", name="Add a label").click()
    one.get_by_label("Text of this label").fill("zoology")
    one.get_by_label("Text of this label").press("Tab")
    one.get_by_role("button", name="Add a reference").click()
    one.get_by_label("Text of this reference").fill("bank.2")
    one.get_by_label("Text of this reference").press("Tab")
    saved(page)
    page.wait_for_timeout(300)
    written = read_entries(load(model))[0].senses[1]
    assert (written.labels[0].text, written.references[0].key) == ("zoology", "bank.2")


def undo(page, model):
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(sense(page, "2").get_by_label("Text of this reference")).to_have_count(0)
    page.get_by_role("button", name="Redo", exact=True).click()
    expect(sense(page, "2").get_by_label("Text of this reference")).to_have_value("bank.2")


def download_it(page, model):
    for name, ending in (("TEI Lex-0", ".tei.xml"), ("a page to print", ".html")):
        with page.expect_download() as found:
            page.locator(".entry-downloads").get_by_role("link", name=name).click()
        assert found.value.suggested_filename == f"crane{ending}"
        assert "a bird with long legs" in found.value.path().read_text(encoding="utf-8")


STEPS = {
    "Open the entry": open_the_entry,
    "Take what is proposed": take_what_is_proposed,
    "Write a definition": write_a_definition,
    "Put the senses in order": put_the_senses_in_order,
    "Keep a line of the concordance": keep_a_line,
    "Label it and refer to others": label_it,
    "Undo": undo,
    "Download it": download_it,
}


def test_the_steps_of_the_guide(open_page, own_explorer, find_barriers) -> None:
    headings = re.findall(r"^## \d+\. (.+)$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE)
    assert headings == list(STEPS)
    address, model = own_explorer
    page = open_page("#/word/crane", address, reduced_motion="reduce")
    for heading in headings:
        STEPS[heading](page, model)
    assert find_barriers(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_without_barriers(open_page, own_explorer, find_barriers, scheme) -> None:
    address, _ = own_explorer
    size = {"width": 320, "height": 640}
    page = open_page("#/entry/crane", address, viewport=size, color_scheme=scheme)
    expect(sense(page, "1").locator(".proposal").first).to_be_visible()
    for summary in page.locator("summary").all():
        summary.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    assert find_barriers(page) == []
    page.goto(f"{address}#/entries")
    expect(page.get_by_role("heading", name="No entries yet")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    assert find_barriers(page) == []


def test_a_phrase_has_an_entry(
    open_page, serve, tmp_path, topic_model_folder, phrase_corpus, find_barriers
) -> None:
    model = shutil.copytree(topic_model_folder, tmp_path / "model")
    with serve(model, phrase_corpus.path) as address:
        page = open_page("#/phrase/Ice%20cream", address)
        page.get_by_role("link", name="Entry", exact=True).click()
        expect(page.get_by_text("The model has no senses of it: write your own.")).to_be_visible()
        page.get_by_role("button", name="Add a sense of your own").click()
        field(page, "1", "Definition").fill("a sweet")
        field(page, "1", "Definition").press("Tab")
        saved(page)
        assert find_barriers(page) == []
        page.goto(f"{address}#/entries")
        page.get_by_role("link", name="Ice cream").click()
        expect(field(page, "1", "Definition")).to_have_value("a sweet")
        page.get_by_role("link", name="Senses and lines").click()
        expect(page.get_by_role("button", name="Look for its senses")).to_be_visible()


def test_a_conflict_shows_both_texts(open_page, own_explorer, find_barriers) -> None:
    address, _ = own_explorer
    first = open_page("#/entry/crane", address)
    second = open_page("#/entry/crane", address, failures=True)
    for page in (first, second):
        expect(sense(page, "1").locator(".proposal").first).to_be_visible()
    for page, text in ((first, "mine"), (second, "yours")):
        field(page, "1", "Definition").fill(text)
        field(page, "1", "Definition").press("Tab")
        if page is first:
            saved(page)
    panel = second.locator(".conflict")
    expect(panel).to_contain_text("yours")
    expect(panel).to_contain_text("mine")
    assert find_barriers(second) == []
    panel.get_by_role("button", name="Keep what is there").click()
    expect(field(second, "1", "Definition")).to_have_value("mine")
    expect(second.get_by_text("Texts that came too late (1)")).to_be_visible()
    field(first, "1", "Definition").fill("mine again")
    field(first, "1", "Definition").press("Tab")
    saved(first)
    field(second, "1", "Definition").fill("yours again")
    field(second, "1", "Definition").press("Tab")
    panel.get_by_role("button", name="Use mine").click()
    expect(field(second, "1", "Definition")).to_have_value("yours again")
    saved(second)


def test_what_could_not_be_sent_goes_with_the_next_change(open_page, own_explorer) -> None:
    address, model = own_explorer
    page = open_page("#/entry/crane", address, failures=True)
    expect(sense(page, "1").locator(".proposal").first).to_be_visible()
    page.route("**/api/entries/words/crane/change", lambda route: route.abort())
    field(page, "1", "Definition").fill("a bird")
    field(page, "1", "Definition").press("Tab")
    expect(page.locator(".save-state")).to_have_text("Not saved")
    expect(page.get_by_role("alert")).to_contain_text("This was not saved")
    page.unroute("**/api/entries/words/crane/change")
    field(page, "2", "Definition").fill("a machine")
    field(page, "2", "Definition").press("Tab")
    saved(page)
    expect(page.get_by_role("alert")).to_have_count(0)
    senses = read_entries(load(model))[0].senses
    assert [one.definition for one in senses] == ["a bird", "a machine"]


def test_clicks_and_letters_while_an_answer_is_on_its_way(open_page, own_explorer) -> None:
    """Each of two clicks counts, and what is typed meanwhile goes to the sense that it is for."""
    address, model = own_explorer
    page = open_page("#/entry/crane", address)
    expect(sense(page, "1").locator(".entry-example.proposed").nth(1)).to_be_visible()
    held = []

    def hold(route):
        """Only the first waits: the page sends the next one when it has an answer."""
        if held:
            route.continue_()
        held.append(route)

    page.route("**/api/entries/words/crane/change", hold)
    for number in (0, 1):
        proposed = sense(page, "1").locator(".entry-example.proposed").nth(number)
        proposed.get_by_role("button", name="Keep").click()
    page.get_by_role("button", name="Down: sense 1").click()
    field(page, "1", "Definition").press_sequentially("a bird")
    page.wait_for_timeout(100)
    held[0].continue_()
    expect(sense(page, "2").locator(".entry-example.keep")).to_have_count(2)
    expect(field(page, "2", "Definition")).to_have_value("a bird")
    saved(page)
    second, first = read_entries(load(model))[0].senses
    assert (second.key, first.key, first.definition) == ("crane.2", "crane.1", "a bird")
    assert [one.decision for one in first.examples] == ["keep", "keep"]


def test_proposals_that_come_late_close_nothing(open_page, own_explorer) -> None:
    address, model = own_explorer
    page = open_page("#/word/crane", address)
    held = []

    def hold(route):
        held.append(route)

    page.route("**/api/entries/words/crane/proposal", hold)
    page.goto(f"{address}#/entry/crane")
    one = sense(page, "1")
    one.get_by_text("Labels, references, notes").click()
    one.get_by_role("button", name="Add a label").click()
    for route in held:
        route.continue_()
    page.wait_for_timeout(600)
    one.get_by_label("Text of this label").press_sequentially("zoology")
    expect(one.locator(".proposal").first).to_be_visible()
    expect(one.get_by_label("Text of this label")).to_have_value("zoology")
    expect(one.get_by_label("Text of this label")).to_be_visible()
    saved(page)
    assert read_entries(load(model))[0].senses[0].labels[0].text == "zoology"


def test_levels_examples_and_senses_that_are_gone(open_page, own_explorer) -> None:
    address, _ = own_explorer
    page = open_page("#/entry/crane", address)
    proposed = sense(page, "1").locator(".entry-example.proposed")
    expect(proposed.first).to_be_visible()
    proposed.first.get_by_role("button", name="Never").click()
    expect(sense(page, "1").locator(".entry-example.never")).to_have_count(1)
    sense(page, "1").get_by_role("button", name="Forget").click()
    expect(sense(page, "1").locator(".entry-example.never")).to_have_count(0)
    proposed.first.get_by_role("button", name="Keep").click()
    expect(sense(page, "1").locator(".entry-example.keep")).to_have_count(1)
    page.get_by_role("button", name="Inside the one above: sense 2").click()
    expect(sense(page, "1.1")).to_be_visible()
    page.get_by_role("button", name="Out: sense 1.1").click()
    expect(sense(page, "2")).to_be_visible()
    sense(page, "2").get_by_role("button", name="Take all proposals of this sense").click()
    expect(field(page, "2", "Name")).not_to_have_value("")
    sense(page, "1").get_by_role("button", name="Take it").first.click()
    saved(page)
    page.get_by_role("button", name="Remove sense 2").click()
    page.get_by_role("button", name="Add crane.2").click()
    expect(sense(page, "2")).to_contain_text("crane.2")
    page.get_by_role("button", name="Add a sense of your own").click()
    expect(sense(page, "3")).to_contain_text("your own sense")
    page.get_by_label("Status").select_option("done")
    expect(page.locator(".facts")).to_contain_text("done")
    body = {"word": "crane", "action": "adopt", "n_senses": 3, "revision": 0}
    page.request.post(f"{address}api/corrections", data=body)
    page.reload()
    expect(sense(page, "1")).to_contain_text("no longer in the model: it was crane.1")
    expect(page.locator(".entry-remarks")).to_contain_text("its text is kept")


def test_examples_of_a_card_and_files(open_page, own_explorer, tmp_path, find_barriers) -> None:
    address, model = own_explorer
    page = open_page("#/word/crane", address, failures=True)
    card = page.locator(".card").first
    card.get_by_role("button", name="Never").first.click()
    expect(page.locator(".kept-lines")).to_contain_text("never an example of crane.1")
    page.locator(".kept-lines").get_by_role("button", name="Undo").click()
    expect(page.locator(".kept-lines")).to_contain_text("as before")
    card.get_by_role("button", name="Keep").first.click()
    expect(page.locator(".kept-lines")).to_contain_text("example of crane.1")
    page.goto(f"{address}#/entries")
    expect(page.locator(".word-table tbody tr")).to_have_count(1)
    with page.expect_download() as found:
        page.get_by_role("link", name="JSON").click()
    text = found.value.path().read_text(encoding="utf-8")
    file = tmp_path / "lexicon.json"
    file.write_text(text.replace('"key": "crane.1"', '"definition": "new", "key": "crane.1"'))
    chooser = page.get_by_label("Import entries: JSON, CSV, TEI Lex-0")
    chooser.set_input_files(file)
    expect(page.locator(".entry-import")).to_contain_text("Nothing is changed yet")
    assert find_barriers(page) == []
    page.get_by_role("button", name="Leave everything as it is").click()
    assert not read_entries(load(model))[0].senses[0].definition
    chooser.set_input_files(file)
    page.get_by_role("button", name="Import 1 change").click()
    expect(page.locator(".entry-import")).to_contain_text("They are imported")
    assert read_entries(load(model))[0].senses[0].definition == "new"
    # Files of the other formats are recognised by what is in them.
    before = "new"
    for link, name in (("TEI Lex-0", "a.xml"), ("Lexonomy", "b.xml"), ("DMLex", "c.json")):
        with page.expect_download() as found:
            page.get_by_role("link", name=link).click()
        other = tmp_path / name
        text = found.value.path().read_text(encoding="utf-8")
        other.write_text(
            text.replace(f">{before}<", f">{link}<").replace(f'"{before}"', f'"{link}"')
        )
        chooser.set_input_files(other)
        expect(page.locator(".entry-import")).to_contain_text("has no place for")
        page.get_by_role("button", name="Import 1 change").click()
        expect(page.locator(".entry-import")).to_contain_text("They are imported")
        assert read_entries(load(model))[0].senses[0].definition == link
        before = link
    wrong = tmp_path / "wrong.txt"
    wrong.write_text("x")
    chooser.set_input_files(wrong)
    expect(page.get_by_role("alert")).to_contain_text("Entries are read from")
    page.route("**/api/entries/words/crane/examples", lambda route: route.abort())
    page.goto(f"{address}#/word/crane")
    page.locator(".card").first.get_by_role("button", name="Keep").first.click()
    expect(page.get_by_role("alert")).to_contain_text("The line was not kept")


def test_mine_goes_to_the_senses_that_it_was_written_for(open_page, own_explorer) -> None:
    """Two definitions in one request, while somebody else has turned the senses round."""
    address, _ = own_explorer
    first = open_page("#/entry/crane", address)
    second = open_page("#/entry/crane", address, failures=True)
    for page in (first, second):
        expect(sense(page, "1").locator(".proposal").first).to_be_visible()
    first.get_by_role("button", name="Down: sense 1").click()
    saved(first)
    expect(sense(first, "1").locator("header")).to_contain_text("crane.2")
    second.get_by_role("button", name="Take all proposals", exact=True).click()
    panel = second.locator(".conflict")
    expect(panel).to_contain_text("crane.1: name")
    expect(panel).to_contain_text("crane.2: name")
    named = {
        key: panel.locator("dl", has_text=f"{key}: name").locator("dd").first.inner_text()
        for key in ("crane.1", "crane.2")
    }
    panel.get_by_role("button", name="Use mine").click()
    saved(second)
    for place, key in (("1", "crane.2"), ("2", "crane.1")):
        expect(sense(second, place).locator("header")).to_contain_text(key)
        expect(field(second, place, "Name")).to_have_value(named[key])
    assert named["crane.1"] != named["crane.2"]
