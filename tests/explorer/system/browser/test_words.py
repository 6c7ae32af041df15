"""Every word that somebody types has a page, and leads to a word of the model where it can."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from grassmeans import Corpus, WordVectors
from grassmeans.contexts.subspaces import SubspaceEncoder
from grassmeans.geometry.windows import ContextShape
from grassmeans.models.model import SenseModel
from grassmeans.senses.entries import ExampleLine, Sense, WordSenses
from grassmeans.senses.inventory import SenseInventory
from grassmeans.text.tokenizer import WhitespaceTokenizer

expect = pytest.importorskip("playwright.sync_api").expect

ODD = ["and/or", "100%", "what?", "#tag", "a.b", "..", "ice cream", "<i>", "a&b=c", "st.1"]
STEMS = [f"{a}o{b}" for a in "bdfgk" for b in "lmnr"]
FILLERS = [f"{a}{b}{c}" for a in "aeiou" for b in "xyz" for c in "aeiou"]
N_WORDS = 120


def describe(word: str, number: int) -> Sense:
    examples = tuple(ExampleLine(f"{word} {i} before ", word, " after", "d", 0.1) for i in range(3))
    return Sense(number, 1.0, 0.2, ("near",), ("near",), examples, name=f"name {number}")


@pytest.fixture(scope="module")
def word_model(tmp_path_factory) -> Path:
    """Words of one sense, odd ones too, and one of five; plurals are only in the vectors."""
    rng = np.random.default_rng(1)
    names = [*ODD, *STEMS, *(f"word{i}" for i in range(N_WORDS)), "crane"]
    rows = {word: rng.normal(size=10) for word in [*names, *FILLERS, "the"]}
    rows |= {f"{word}s": rows[word] + 0.1 * rng.normal(size=10) for word in STEMS}
    counts = np.arange(len(rows), 0, -1)
    vectors = WordVectors(list(rows), np.array(list(rows.values()), np.float32), counts)
    entries = []
    for name in names:
        n = 5 if name == "crane" else 1
        senses = tuple(describe(name, number) for number in range(1, n + 1))
        entries.append(WordSenses(name, 9, 9, np.eye(n, 10, dtype=np.float32), senses))
    encoder = SubspaceEncoder(vectors, ContextShape(2, 1), frozenset({"the"}))
    folder = tmp_path_factory.mktemp("words") / "odd"
    SenseModel(encoder, SenseInventory(entries), WhitespaceTokenizer()).save(folder)
    return folder


@pytest.fixture(scope="module")
def words_address(serve, word_model) -> Iterator[str]:
    with serve(word_model) as address:
        yield address


def heading(page):
    return page.get_by_role("heading", level=1)


def test_capitals_and_forms_lead_to_the_word_and_say_so(open_page, words_address) -> None:
    page = open_page("#/word/Crane", words_address)
    expect(heading(page)).to_have_text("crane")
    expect(page.locator(".led-here")).to_have_text(
        "You asked for “Crane”; this model writes it “crane”."
    )
    assert page.url.endswith("#/word/crane")
    page.goto(words_address + "#/word/bols")
    expect(heading(page)).to_have_text("bol")
    expect(page.locator(".led-here")).to_contain_text("seems to be a form of “bol”")
    page.get_by_role("link", name="Look at “bols” itself").click()
    expect(heading(page)).to_have_text("bols")
    expect(page.locator(".known")).to_contain_text("One sense: the model knows “bols”")
    expect(page.locator("p", has_text="Nearest in meaning").get_by_role("link").first).to_have_text(
        "bol"
    )
    expect(page.get_by_role("heading", name="In examples of other words")).to_be_visible()
    expect(page.get_by_role("main")).to_contain_text("It stands in none of them.")
    page.go_back()
    expect(heading(page)).to_have_text("bol")


def test_a_lexeme_opens_the_word_at_its_sense(open_page, words_address) -> None:
    page = open_page("#/", words_address)
    field = page.get_by_role("main").get_by_role("combobox")
    field.fill("crane.4")
    expect(page.get_by_role("option")).to_have_count(1)  # what it leads to
    field.press("Enter")
    expect(heading(page)).to_have_text("crane")
    expect(page.locator(".card.sought")).to_have_attribute("data-sense", "4")
    expect(page.locator(".card.sought")).to_be_focused()
    expect(page.locator(".card.sought")).to_be_in_viewport()
    assert page.url.endswith("#/word/crane?sense=4")
    page.goto(words_address + "#/word/crane?sense=2")
    expect(page.locator(".card.sought")).to_have_attribute("data-sense", "2")
    page.goto(words_address + "#/word/crane.9")
    expect(page.locator(".led-here")).to_have_text(
        "There is no sense 9 of this word: it has 5 senses."
    )


def test_a_word_of_one_sense_says_so(open_page, words_address) -> None:
    page = open_page("#/word/word7", words_address)
    expect(page.locator(".card")).to_have_count(1)
    expect(page.locator(".one-sense")).to_contain_text("One sense")
    # Three examples are kept and shown, and no other word has the word in its lines.
    expect(page.locator(".card-links")).to_contain_text("These are all.")
    expect(page.locator(".examples li")).to_have_count(3)
    expect(page.get_by_role("button", name="More examples")).to_have_count(0)


def test_unknown_words_get_a_page_with_suggestions(open_page, words_address) -> None:
    page = open_page("#/word/carne", words_address)
    expect(heading(page)).to_have_text("carne")
    expect(page.locator(".known")).to_contain_text("Neither the model nor its vectors know")
    page.locator("p", has_text="Spelt alike").get_by_role("link", name="crane").click()
    expect(page.locator(".card")).to_have_count(5)
    page.goto(words_address + "#/word/qqqqqqqqqqqq")
    page.get_by_role("main").get_by_role("link", name="Browse all words").click()
    expect(heading(page)).to_have_text("All words")
    page.goto(words_address + "#/word/the")
    expect(page.locator(".known")).to_contain_text("“the” is a function word")


def test_search_suggests_where_nothing_begins_so(open_page, words_address) -> None:
    page = open_page("#/", words_address)
    field = page.get_by_role("main").get_by_role("combobox")
    field.fill("carne")
    expect(page.get_by_role("option").first).to_contain_text("spelt alike")
    field.fill("qqqqqqqqqqqq")
    expect(page.get_by_role("listbox")).to_contain_text("Enter looks it up all the same")
    field.press("Enter")
    expect(heading(page)).to_have_text("qqqqqqqqqqqq")


def test_odd_words_are_reached(open_page, words_address) -> None:
    page = open_page("#/words", words_address)
    for word in ODD:
        page.goto(words_address + "#/words")
        page.get_by_role("link", name=word, exact=True).click()
        expect(heading(page)).to_have_text(word)
        expect(page.locator(".card")).to_have_count(1)
        page.get_by_role("link", name="Concordance").click()
        expect(page.locator(".kwic tbody tr").first).to_contain_text(word)
    page.goto(words_address + "#/word/and/or")  # as it is typed
    expect(page.locator(".card")).to_have_count(1)
    expect(heading(page)).to_have_text("and/or")


def test_pages_of_the_list_tell_the_truth(open_page, words_address) -> None:
    page = open_page("#/words?page=99999", words_address)
    expect(page.get_by_role("heading", name="There is no page 99,999")).to_be_visible()
    expect(page.locator(".panel")).to_contain_text("The list has 4 pages")
    page.get_by_role("link", name="go to the last one").click()
    total = len(ODD) + len(STEMS) + N_WORDS + 1
    expect(page.locator(".word-table tbody tr")).to_have_count(total - 150)
    page.get_by_role("spinbutton").fill("2")
    page.get_by_role("spinbutton").press("Enter")
    expect(page.locator(".word-table tbody tr")).to_have_count(50)
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_role("spinbutton")).to_have_value("3")
    page.get_by_label("Filter").fill("bols")
    expect(page.get_by_role("heading", name="No such word")).to_be_visible()
    page.get_by_role("link", name="Look “bols” up").click()
    expect(heading(page)).to_have_text("bol")


def test_lists_are_downloaded_whole(open_page, words_address) -> None:
    page = open_page("#/words", words_address)
    total = len(ODD) + len(STEMS) + N_WORDS + 1
    expect(page.locator(".downloads")).to_contain_text(f"Download all {total} rows")
    for label, read in {
        "CSV": lambda text: list(csv.reader(text.lstrip("\ufeff").splitlines()))[1:],
        "TSV": lambda text: text.splitlines()[1:],
        "JSON lines": lambda text: [json.loads(line) for line in text.splitlines()],
    }.items():
        with page.expect_download() as found:
            page.get_by_role("link", name=label).click()
        assert len(read(found.value.path().read_text(encoding="utf-8"))) == total


def test_a_word_that_only_the_corpus_has_shows_its_lines(
    open_page, serve, topic_model_folder, synthetic, tmp_path
) -> None:
    birds = " ".join(synthetic.topic_words[0][:8])
    documents = [f"{birds} heron {i} {birds}" for i in range(30)]
    corpus = Corpus.from_texts([*documents, *synthetic.documents], tmp_path / "herons")
    with serve(topic_model_folder, corpus.path) as address:
        page = open_page("#/word/Heron", address, failures=True)
        expect(heading(page)).to_have_text("heron")
        expect(page.locator(".known")).to_contain_text("the corpus has it, 30×")
        expect(page.locator("p", has_text="Nearest in meaning")).to_contain_text("bird")
        expect(page.locator(".examples li")).to_have_count(20)
        page.get_by_role("button", name="More lines").click()
        expect(page.locator(".examples li")).to_have_count(30)
        expect(page.get_by_role("button", name="More lines")).to_have_count(0)
        page.get_by_role("link", name="Look for its senses in the corpus").click()
        expect(page.locator(".word-place").or_(page.get_by_role("alert")).first).to_be_visible()
        assert page.url.endswith("?k=auto")
        page.go_back()
        expect(page.locator(".known")).to_be_visible()
        page.route("**/api/lookup/lines*", lambda route: route.abort())
        page.reload()
        expect(page.get_by_role("alert")).to_contain_text("does not answer")


def test_more_examples_are_other_ones(open_page) -> None:
    page = open_page("#/word/crane")
    card = page.locator(".card").first
    more = card.get_by_role("button", name="More examples")
    lines = card.locator(".examples li")
    expect(lines.first).to_be_visible()
    seen = lines.count()
    for _ in range(3):
        more.click()
        expect(lines.nth(seen)).to_be_visible()
        seen = lines.count()
    told = lines.all_inner_texts()
    assert len(set(told)) == len(told) == seen


def test_server_that_went_away_is_said_and_asked_again(open_page, words_address) -> None:
    page = open_page("#/", words_address, failures=True)
    page.route("**/api/lookup*", lambda route: route.abort())
    page.goto(words_address + "#/word/crane")
    expect(page.get_by_role("alert")).to_contain_text("does not answer")
    page.unroute("**/api/lookup*")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".card")).to_have_count(5)
