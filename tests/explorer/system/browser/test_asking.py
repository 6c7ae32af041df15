"""Phrases, queries, n-grams, keywords and sketches, as a person asks for them."""

from __future__ import annotations

import re

import pytest

from grassmeans import Corpus
from grassmeans_explorer.grammar.conllu import ConlluGrammar
from grassmeans_explorer.grammar.making import make_layer
from treebank import write_treebank

expect = pytest.importorskip("playwright.sync_api").expect
ROUTES = (
    "#/phrase/ice%20cream?k=2&sense=1&per=source",
    '#/query?q="crane"&sample=20',
    '#/query?q="crane" [lem="x"]',
    "#/ngrams?containing=ice",
    "#/keywords?by=source",
    "#/sketch/crane",
    "#/sketch/crane?pair=1-2",
)


@pytest.fixture(scope="module")
def address(serve, topic_model_folder, phrase_corpus):
    with serve(topic_model_folder, phrase_corpus.path) as found:
        yield found


@pytest.fixture(scope="module")
def parsed(serve, topic_model_folder, tmp_path_factory):
    folder = tmp_path_factory.mktemp("parsed")
    trees = folder / "trees.conllu"
    trees.write_text(write_treebank("lift see", "see", "lift"))
    corpus = Corpus.from_files(trees, folder / "corpus", workers=1)
    layer = make_layer(corpus, folder / "grammar", ConlluGrammar([trees]))
    with serve(topic_model_folder, corpus.path, None, layer.path) as found:
        yield found


def test_a_phrase_is_searched_by_keyboard(open_page, address):
    page = open_page("#/", address)
    field = page.get_by_role("main").get_by_role("combobox")
    field.fill("ice cream")
    expect(page.get_by_role("option")).to_contain_text("phrase · 40×")
    field.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("ice cream")
    expect(page.locator(".facts")).to_have_text("40 lines")
    expect(page.locator(".kwic tbody tr")).to_have_count(40)
    expect(page.locator(".collocates tbody tr").first).to_be_visible()
    page.get_by_label("How many senses").select_option("2")
    page.get_by_role("button", name="Look for its senses").click()
    expect(page.locator(".card")).to_have_count(2)
    page.locator(".card").first.get_by_role("link", name="Its lines").click()
    expect(page.locator(".match-facts")).to_contain_text(" of 40 lines")
    expect(page.get_by_role("link", name="All senses together")).to_be_visible()


def test_possessives_and_what_does_not_occur(open_page, address):
    page = open_page("#/word/crane's", address)
    expect(page.get_by_role("note")).to_contain_text("possessive of “crane”")
    page.goto(address + "#/word/cream%20ice")
    expect(page.locator(".known")).to_contain_text("nowhere as this phrase")


def test_a_query_shows_lines_and_the_place_of_a_mistake(open_page, address):
    page = open_page("#/query", address, failures=True)
    field = page.get_by_label("Query in CQL")
    field.fill('"crane" [lem="x"]')
    field.press("Enter")
    expect(page.locator(".cql-mistake pre")).to_have_text(
        '"crane" [lem="x"]\n         ^', use_inner_text=False
    )
    expect(field).to_have_attribute("aria-invalid", "true")
    page.get_by_role("button", name='"crane"', exact=True).click()
    page.get_by_role("button", name="Find").click()
    expect(page.locator(".match-facts")).to_have_text("200 lines")
    expect(page.locator(".cql-mistake pre")).to_have_count(0)
    page.get_by_role("button", name="Next").click()
    page.wait_for_url(re.compile("page=2"))
    page.get_by_role("button", name="after").click()
    page.wait_for_url(re.compile("sort=right1"))
    page.get_by_label("Sort by").select_option("sense")
    page.get_by_label("Look at").select_option("20")
    expect(page.locator(".kwic tbody tr")).to_have_count(20)
    page.get_by_label("the same share of every sense").check()
    page.wait_for_url(re.compile("stratified=1"))
    page.get_by_label("Count the lines by").select_option("document")
    expect(page.locator(".frequency-table tbody tr").first).to_be_visible()
    page.locator(".kwic .keyword").first.click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    field.fill('"zzyzx"')
    field.press("Enter")
    expect(page.get_by_role("heading", name="No line")).to_be_visible()


def test_ngrams_and_keywords(open_page, address):
    page = open_page("#/ngrams", address)
    expect(page.locator(".word-table tbody tr")).to_have_count(50)
    page.get_by_role("button", name="Next").click()
    page.wait_for_url(re.compile("page=2"))
    page.get_by_label("With the word").fill("ice")
    page.get_by_label("With the word").press("Enter")
    page.get_by_role("link", name="ice cream").click()
    expect(page.locator(".match-facts")).to_have_text("40 lines")
    page.get_by_role("link", name="Keywords").click()
    expect(page.locator(".keywords tbody tr").first).to_be_visible()
    page.get_by_label("Against").select_option("odd")
    page.wait_for_url(re.compile("against=odd"))
    page.get_by_label("Sort by").select_option("log_ratio")
    page.get_by_label("what it has less often").check()
    page.wait_for_url(re.compile("negative=1"))
    expect(page.locator(".keywords tbody tr").first).to_be_visible()


def test_a_sketch_by_sense_and_differences(open_page, address):
    page = open_page("#/word/crane", address)
    page.get_by_role("link", name="Sketch").click()
    expect(page.locator(".sketch-columns section")).to_have_count(2)
    page.get_by_label("Compare two senses").select_option("1-2")
    expect(page.locator(".sketch-difference tbody tr").first).to_be_visible()
    page.get_by_label("or with the word").fill("bank")
    page.get_by_label("or with the word").press("Enter")
    expect(page.locator(".sketch-difference thead")).to_contain_text("times: bank")
    page.goto(address + "#/sketch/crane")
    page.get_by_label("all senses together").check()
    expect(page.locator(".sketch-columns section")).to_have_count(1)
    page.locator(".sketch-table a").first.click()
    page.wait_for_url(re.compile("#/concordance/crane"))
    expect(page.locator(".kwic tbody tr").first).to_be_visible()


def test_a_sketch_by_grammar_leads_to_its_lines(open_page, parsed):
    page = open_page("#/sketch/bank?fewest=1&whole=1", parsed)
    expect(page.locator(".facts")).to_contain_text("by grammatical relation")
    page.get_by_role("link", name="see", exact=True).first.click()
    expect(page.locator(".sketch-lines .kwic tbody tr")).to_have_count(2)
    page.get_by_label("by position, without grammar").check()
    expect(page.locator(".facts")).to_contain_text("by position")


def test_a_sample_of_what_is_filtered_is_downloaded(open_page, address):
    page = open_page("#/concordance/crane?sense=1", address)
    page.get_by_text("A random sample of these lines").click()
    page.get_by_label("So many").select_option("20")
    page.locator(".sample-links").get_by_label("the same share of every sense").check()
    with page.expect_download() as download:
        page.locator(".sample-links").get_by_role("link", name="CSV").click()
    lines = download.value.path().read_text(encoding="utf-8-sig").strip().splitlines()
    assert len(lines) == 21
    assert all(",1," in line for line in lines[1:])


def test_without_a_corpus_there_is_advice(open_page, explorer_without_corpus):
    page = open_page("#/query", explorer_without_corpus)
    for route in ("query", "ngrams", "keywords", "phrase/ice%20cream", "sketch/crane"):
        page.goto(f"{explorer_without_corpus}#/{route}")
        expect(page.locator(".panel.empty")).to_contain_text("--corpus")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 390])
def test_axe_finds_no_barrier(open_page, address, find_barriers, scheme, width):
    page = open_page(
        "#/query",
        address,
        failures=True,
        color_scheme=scheme,
        viewport={"width": width, "height": 800},
        reduced_motion="reduce",
    )
    found = {}
    for route in ROUTES:
        page.goto(address + route)
        page.locator(".kwic tr, .cql-mistake pre, table tbody tr").first.wait_for(state="attached")
        expect(page.locator("[aria-busy]")).to_have_count(0)
        found[route] = find_barriers(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), route
    assert {route: barriers for route, barriers in found.items() if barriers} == {}
