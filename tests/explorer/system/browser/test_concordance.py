"""The concordance as lexicographers know it: orders, searches, samples, frequencies, documents."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from grassmeans import Corpus, WordVectors
from grassmeans.contexts.subspaces import SubspaceEncoder
from grassmeans.corpus.corpus import default_options
from grassmeans.geometry.windows import ContextShape
from grassmeans.models.model import SenseModel
from grassmeans.senses.entries import Sense, WordSenses
from grassmeans.senses.inventory import SenseInventory

expect = pytest.importorskip("playwright.sync_api").expect


@pytest.fixture(scope="module")
def address(tmp_path_factory, serve):
    """Cranes that are birds in the times and machines in the post."""
    place = tmp_path_factory.mktemp("press")
    rows = np.array([(1, 0), (2, 0.1), (0, 1), (0.1, 3)], np.float32)
    vectors = WordVectors(["nest", "wing", "steel", "load"], rows)
    encoder = SubspaceEncoder(vectors, ContextShape(2, 1), frozenset({"the"}))
    senses = tuple(Sense(k, 0.5, 0.1, (), (), (), n) for k, n in ((1, "bird"), (2, "machine")))
    entry = WordSenses("crane", 72, 72, np.eye(2, dtype=np.float32), senses)
    model = SenseModel(
        encoder, SenseInventory([entry]), default_options().tokenizer, {"idk_threshold": None}
    )
    model.save(place / "model")
    birds = [
        {
            "id": f"b{i}", "title": f"Birds {i}", "source": "times", "date": f"{1900 + i}",
            "text": f"a day by the lake\n\nthe crane nest wing {'lone' if i == 5 else 'tall'} reed",
        }
        for i in range(36)
    ]  # fmt: skip
    machines = [
        {
            "id": f"m{i}", "title": f"Docks {i}", "source": "post", "date": f"{1950 + i}",
            "text": f"{'zinc' if i % 2 else 'iron'} load steel crane load steel harbour",
        }
        for i in range(36)
    ]  # fmt: skip
    (place / "press.jsonl").write_text("\n".join(map(json.dumps, [*birds, *machines])))
    options = replace(default_options(), keep_duplicates=True)
    corpus = Corpus.from_files(
        place / "press.jsonl",
        place / "corpus",
        options=options,
        meta=["source", "date"],
        workers=1,
    )
    with serve(place / "model", corpus.path) as found:
        yield found


def cells(page, kind: str) -> list[str]:
    return page.locator(f".kwic tbody .{kind}").all_inner_texts()


def test_columns_and_orders(open_page, address):
    page = open_page("#/concordance/crane", address)
    expect(page.locator(".kwic tbody tr")).to_have_count(50)
    heads = page.locator(".kwic thead th").all_inner_texts()
    assert heads[5:] == ["entry", "source", "date", "document"]
    assert page.locator(".kwic tbody tr").first.locator(".about").all_inner_texts() == [
        "times", "1900", "Birds 0",
    ]  # fmt: skip
    page.get_by_role("button", name="source").click()
    expect(page.locator(".kwic .about").first).to_have_text("post")
    expect(page.locator("th[aria-sort]")).to_have_text("source")
    assert "sort=field%3Asource" in page.url
    page.get_by_role("button", name="source").click()  # once more: as in the corpus
    expect(page.locator(".kwic .about").first).to_have_text("times")
    page.get_by_label("Sort by").select_option("left3")
    expect(page.locator(".kwic .left").first).to_contain_text("iron")
    page.get_by_label("Sort by").select_option("right3")
    expect(page.locator(".kwic .right").first).to_contain_text("harbour")
    page.get_by_label("Sort by").select_option("field:date")
    expect(page.locator(".kwic tbody tr").nth(2).locator(".about").nth(1)).to_have_text("1902")


def test_words_phrases_and_patterns_near(open_page, address):
    page = open_page("#/concordance/crane", address)
    facts = page.locator(".facts")
    expect(facts).to_have_text("72 lines")
    field = page.get_by_label("Words near it")
    for text, found in (
        ("zinc|lone", "19 lines"),
        ("har*", "36 lines"),
        ('"crane load"', "36 lines"),
    ):
        field.fill(text)
        expect(facts).to_have_text(found)
    page.get_by_label("regular expressions").check()
    field.fill("z.n. st(eel|art)")
    expect(facts).to_have_text("18 lines")
    assert "match=regex" in page.url
    page.reload()
    expect(facts).to_have_text("18 lines")
    expect(page.get_by_label("regular expressions")).to_be_checked()


def test_a_pattern_that_cannot_be_read_is_told(open_page, address):
    page = open_page("#/concordance/crane?match=regex&q=(a", address, failures=True)
    expect(page.get_by_role("alert")).to_contain_text("no regular expression")


def test_near_is_narrowed_and_lines_are_widened(open_page, address):
    page = open_page("#/concordance/crane?q=steel", address)
    expect(page.locator(".facts")).to_have_text("36 lines")
    page.get_by_text("More filters").click()
    page.get_by_role("combobox", name="On", exact=True).select_option("right")
    page.get_by_label("Near is within").select_option("1")
    expect(page.get_by_role("heading", name="No line matches")).to_be_visible()
    page.get_by_role("combobox", name="On", exact=True).select_option("left")
    expect(page.locator(".facts")).to_have_text("36 lines")
    page.get_by_label("Context").select_option("400")
    expect(page.locator(".kwic.wide")).to_be_visible()
    page.get_by_label("only “don’t know”").check()
    expect(page.get_by_role("heading", name="No line matches")).to_be_visible()
    assert all(part in page.url for part in ("side=left", "reach=1", "width=400", "idk=1"))


def test_other_forms_are_shown_with_the_senses_of_the_word(open_page, address):
    page = open_page("#/concordance/crane", address)
    expect(page.locator(".facts")).to_have_text("72 lines")
    page.get_by_text("More filters").click()
    field = page.get_by_label("Other forms too")
    field.fill("harbour|lake")
    field.press("Enter")
    expect(page.locator(".facts")).to_have_text("144 lines")
    assert "forms=harbour%7Clake" in page.url
    page.get_by_label("Sort by").select_option("sense")
    expect(page.locator(".kwic .keyword", has_text="lake").first).to_be_visible()


def test_a_word_that_only_the_corpus_has(open_page, address):
    page = open_page("#/concordance/harbour", address, failures=True)
    expect(page.locator(".facts")).to_have_text("36 lines")
    heads = page.locator(".kwic thead th").all_inner_texts()
    assert heads == ["before", "word", "after", "source", "date", "document"]
    expect(page.locator(".legend")).to_contain_text("not in the model")
    page.get_by_label("Sort by").select_option("left1")
    expect(page.locator(".kwic tbody tr").first).to_contain_text("steel")


def test_a_page_beyond_the_last_is_the_last(open_page, address):
    page = open_page("#/concordance/crane?page=99", address)
    expect(page.locator(".kwic tbody tr")).to_have_count(22)
    assert page.url.endswith("page=2")


def test_a_sample_is_the_same_again_and_another_one_is_not(open_page, address):
    page = open_page("#/concordance/crane?sample=20", address)
    facts = page.locator(".facts")
    expect(facts).to_have_text("20 lines, from a random sample of 20 of 72 occurrences")
    first = cells(page, "about")
    page.reload()
    expect(page.locator(".kwic tbody tr")).to_have_count(20)
    assert cells(page, "about") == first
    page.get_by_role("button", name="Another sample").click()
    page.wait_for_url(re.compile("seed=1"))
    expect(page.locator(".kwic .about").first).not_to_have_text("")
    page.wait_for_timeout(300)
    assert cells(page, "about") != first
    page.get_by_label("Look at").select_option("")
    expect(facts).to_have_text("72 lines")
    assert "seed" not in page.url


def test_what_is_done_with_all_lines_stands_above_them(open_page, address):
    page = open_page("#/concordance/crane", address)
    first = page.locator(".kwic tbody tr").first
    first.wait_for()
    tools = page.get_by_role("region", name="All these lines")
    for tool in (
        tools.get_by_role("link", name="CSV"),
        tools.get_by_text("A random sample of these lines"),
        tools.get_by_label("Count the lines by"),
    ):
        box = tool.bounding_box()
        assert box["y"] + box["height"] < first.bounding_box()["y"]
    page.get_by_label("Words near it").fill("nothing-like-this")
    expect(page.get_by_text("No line matches")).to_be_visible()
    expect(tools.get_by_role("link", name="CSV")).to_have_count(0)


def test_lines_are_counted_by_source_and_date(open_page, address):
    page = open_page("#/concordance/crane?sense=1", address)
    page.get_by_label("Count the lines by").select_option("source")
    rows = page.locator(".frequency-table tbody tr")
    expect(rows).to_have_count(2)
    told = [row.split("\t")[:2] for row in rows.all_inner_texts()]
    assert told == [["post", "0"], ["times", "36"]]
    shares = page.locator(".frequency-table .bar").evaluate_all(
        "bars => bars.map(bar => bar.style.getPropertyValue('--share'))"
    )
    assert shares == ["0.0%", "100.0%"]
    page.get_by_label("Count the lines by").select_option("date:decade")
    expect(rows).to_have_count(8)
    page.locator(".frequency-table").get_by_role("link", name="1930-1939").click()
    expect(page.locator(".facts")).to_have_text("6 lines")
    expect(page.get_by_label("only 1930-1939")).to_be_checked()
    page.get_by_label("Count the lines by").select_option("document")
    expect(rows).to_have_count(6)
    page.get_by_label("Count the lines by").select_option("")
    expect(page.locator(".frequency-table")).to_have_count(0)


def test_frequencies_that_cannot_be_told(open_page, explorer):
    page = open_page("#/concordance/crane?per=genre", explorer, failures=True)
    expect(page.locator(".frequency").get_by_role("alert")).to_contain_text("no field 'genre'")


def test_a_document_has_an_address_and_paragraphs(open_page, address):
    page = open_page("#/concordance/crane?sort=left1", address)
    row = page.locator(".kwic tbody tr", has_text="lone")
    row.locator(".right").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator("mark")).to_have_text("crane")
    assert dialog.locator(".document p").all_inner_texts() == [
        "a day by the lake", "the crane nest wing lone reed",
    ]  # fmt: skip
    expect(dialog).to_contain_text("source: times · date: 1905")
    assert re.search(r"sort=left1&.*doc=\d+", page.url)
    page.reload()  # the address opens it again
    expect(dialog.locator("mark")).to_have_text("crane")
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_have_count(0)
    expect(page).not_to_have_url(re.compile("doc="))
    assert "sort=left1" in page.url
    page.locator(".kwic tbody tr").first.locator(".keyword").press("Enter")
    expect(dialog.locator("mark")).to_be_visible()
    page.go_back()
    expect(dialog).to_have_count(0)
    page.go_forward()
    expect(dialog.locator("mark")).to_be_visible()
    dialog.get_by_role("link", name="As a page").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("Birds|Docks"))
    assert re.search(r"#/document/\d+$", page.url)
    expect(page.locator(".document-page mark")).to_have_text("crane")


def test_a_long_document_is_read_on(open_page, tmp_path, serve, topic_model_folder):
    text = "\n\n".join(f"{'the crane birdba ' * 40}number{i}" for i in range(40))
    corpus = Corpus.from_texts([text], tmp_path / "corpus")
    with serve(topic_model_folder, corpus.path) as found:
        page = open_page(f"#/document/{corpus.n_tokens // 2}", found)
        page.get_by_role("link", name="earlier in this document").wait_for()
        before = page.locator(".document-page p").count()
        assert before > 10
        page.get_by_role("link", name="later in this document").click()
        page.wait_for_timeout(200)
        expect(page.locator(".document-page mark")).to_be_visible()
        missing = open_page("#/document/99999999", found, failures=True)
        expect(missing.get_by_role("alert")).to_contain_text("outside the corpus")
        position = int(corpus.positions("crane")[500])
        opened = open_page(f"#/concordance/crane?doc={position}", found)
        opened.get_by_role("dialog").get_by_role("link", name="later in this document").click()
        expect(opened.locator(".document-page mark")).to_be_visible()
        gone = open_page("#/concordance/crane?doc=99999999", found, failures=True)
        expect(gone.get_by_role("dialog").get_by_role("alert")).to_contain_text("outside")


def test_what_is_shown_can_be_taken_along(open_page, address):
    page = open_page("#/concordance/crane?sense=2&sort=left3&q=zinc", address)
    expect(page.locator(".kwic tbody tr")).to_have_count(18)
    with page.expect_download() as tabs:
        page.get_by_role("link", name="TSV").click()
    header, *rows = tabs.value.path().read_text(encoding="utf-8").splitlines()
    assert header.split("\t")[-2:] == ["source", "date"]
    assert len(rows) == 18
    with page.expect_download() as lines:
        page.get_by_role("link", name="JSON lines").click()
    records = [json.loads(line) for line in lines.value.path().read_text().splitlines()]
    assert {record["source"] for record in records} == {"post"}


def test_lines_that_are_not_read_yet_are_gone_on_with(open_page, address):
    page = open_page("#/", address, failures=True)
    asked = []

    def answer(route) -> None:
        asked.append(route.request.url)
        if len(asked) > 1:
            route.continue_()
            return
        message = "8 of 72 lines are read so far: ask again to go on"
        error = {"error": {"code": "out_of_time", "message": message}}
        route.fulfill(status=503, content_type="application/json", body=json.dumps(error))

    page.route("**/api/concordance?*", answer)
    page.goto(f"{address}#/concordance/crane?sense=1")
    expect(page.get_by_role("alert")).to_contain_text("Not finished yet")
    expect(page.get_by_role("alert")).not_to_contain_text("busy")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".kwic tbody tr")).to_have_count(36)


def test_a_sample_of_one_sense_is_shown_in_the_place_of_all_lines(open_page, address):
    page = open_page("#/concordance/crane?sense=2", address)
    expect(page.locator(".kwic tbody tr")).to_have_count(36)
    page.get_by_text("A random sample of these lines").click()
    page.get_by_role("button", name="Show them here").click()
    note = page.locator(".sample-note")
    expect(note).to_contain_text("20 of these lines at random.")
    expect(page.locator(".kwic tbody tr")).to_have_count(20)
    assert set(cells(page, "left")) <= {"iron load steel", "zinc load steel"}
    assert re.search(r"[?&]take=20", page.url)
    before = cells(page, "about")
    note.get_by_role("button", name="Others").click()
    page.wait_for_url(re.compile("draw=1"))
    page.wait_for_function(
        "before => [...document.querySelectorAll('.kwic tbody .about')]"
        ".map((cell) => cell.innerText).join() !== before",
        arg=",".join(before),
    )
    expect(page.locator(".kwic tbody tr")).to_have_count(20)
    note.get_by_role("link", name="Show all").click()
    expect(page.locator(".kwic tbody tr")).to_have_count(36)
    # Of both senses alike, as the address says.
    page.goto(f"{address}#/concordance/crane?take=10&stratified=1")
    expect(note).to_contain_text("10 of these lines at random, the same share of every sense")
    lines = cells(page, "left")
    assert len([text for text in lines if "steel" in text]) == 5


def test_no_word_of_a_line_is_cut_in_two(open_page, explorer):
    page = open_page("#/concordance/crane", explorer, viewport={"width": 1100, "height": 800})
    expect(page.locator(".kwic .left .seen").first).to_be_visible()
    told = page.evaluate("fetch('api/concordance?word=crane&limit=50').then((r) => r.json())")
    shown = {}
    for width in (1100, 900):
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_timeout(300)
        for side in ("left", "right"):
            cells = page.locator(f".kwic td.{side}").evaluate_all(
                "cells => cells.map((cell) => ["
                "cell.textContent, cell.querySelector('.seen')?.textContent ?? cell.textContent,"
                "cell.scrollWidth <= cell.clientWidth])"
            )
            # The whole line is there, to be copied; what is seen ends at a word, and fits.
            assert [whole for whole, _, _ in cells] == [line[side] for line in told["lines"]]
            for whole, seen, fits in cells:
                beside = whole[: -len(seen)] if side == "left" else whole[len(seen) :]
                ends = (beside[-1:], seen[:1]) if side == "left" else (seen[-1:], beside[:1])
                assert not beside or any(end.isspace() for end in ends), (seen, whole)
                assert fits, seen
            shown[width, side] = sum(len(seen) for _, seen, _ in cells)
            assert shown[width, side] < sum(len(whole) for whole, _, _ in cells)
    assert shown[900, "left"] < shown[1100, "left"]
    page.set_viewport_size({"width": 400, "height": 800})
    expect(page.locator(".kwic .seen")).to_have_count(0)  # lines wrap there
