"""Corrections made in the browser end up in a model that the commands use."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from grassmeans import Corpus, load
from grassmeans.cli.main import app

expect = pytest.importorskip("playwright.sync_api").expect


def tagged_senses(model: Path, text: str) -> list[int]:
    passage = model.parent / "passage.txt"
    passage.write_text(text, encoding="utf-8")
    result = CliRunner().invoke(app, ["tag", str(model), str(passage), "--json"])
    assert result.exit_code == 0, result.output
    return [word["sense"] for word in json.loads(result.stdout)["words"]]


def test_corrections_are_saved_beside_the_model_and_used(open_page, own_explorer) -> None:
    address, model = own_explorer
    example = load(model).senses("crane").senses[1].examples[0]
    line = f"{example.left}{example.word}{example.right}"
    assert tagged_senses(model, line) == [2]

    page = open_page("#/word/crane?edit=1", address)
    first, second = page.locator(".card").nth(0), page.locator(".card").nth(1)
    first.get_by_role("button", name="Rename").click()
    first.get_by_label("New name of sense 1").fill("<b>mine</b>")
    first.get_by_role("button", name="Rename").click()
    expect(first.get_by_role("heading")).to_have_text("<b>mine</b>")
    second.get_by_role("button", name="Hide").click()
    expect(second).to_contain_text("hidden")
    page.get_by_label("Name of the new version").fill("model-by-hand")
    page.get_by_role("button", name="Save as a new version").click()
    expect(page.locator(".message")).to_contain_text("Saved as model-by-hand")
    page.get_by_role("button", name="Finish correcting").click()
    expect(page.locator(".card")).to_have_count(1)

    saved = model.parent / "model-by-hand"
    assert load(saved).senses("crane").senses[0].name == "<b>mine</b>"
    assert 2 not in tagged_senses(saved, line)
    assert tagged_senses(model, line) == [2]  # the model itself is as before


def test_senses_are_merged_split_and_put_back(open_page, own_explorer) -> None:
    address, _ = own_explorer
    page = open_page("#/word/crane?edit=1", address)
    cards = page.locator(".card")
    merge = page.get_by_role("button", name=re.compile("^Merge the .*chosen senses$"))
    expect(merge).to_be_disabled()
    for number in range(2):
        cards.nth(number).get_by_label("merge").check()
    merge.click()
    expect(cards).to_have_count(1)
    cards.first.get_by_role("button", name="Split").click()
    expect(cards).to_have_count(2)
    page.get_by_role("button", name="Undo all corrections of this word").click()
    expect(page.locator(".message")).to_contain_text("as in the model again")
    expect(cards).to_have_count(2)


def test_three_senses_are_merged_in_one_step(open_page, own_explorer) -> None:
    address, _ = own_explorer
    page = open_page("#/word/crane?edit=1", address)
    cards = page.locator(".card")
    for count in (3, 4):
        cards.first.get_by_role("button", name="Split").click()
        expect(cards).to_have_count(count)
    for number in (0, 2, 3):
        cards.nth(number).get_by_label("merge").check()
    page.get_by_role("button", name="Merge the 3 chosen senses").click()
    expect(cards).to_have_count(2)
    expect(page.locator(".message")).to_contain_text("Senses 1, 3 and 4 are one now.")
    page.get_by_role("button", name="Undo: senses 1, 3 and 4 merged").click()
    expect(cards).to_have_count(4)


def test_tools_stay_at_hand_below_a_long_page(open_page, own_explorer) -> None:
    address, _ = own_explorer
    page = open_page("#/word/crane?edit=1", address, viewport={"width": 1000, "height": 500})
    expect(page.locator(".card")).to_have_count(2)
    page.locator(".below").scroll_into_view_if_needed()
    assert page.evaluate("scrollY") > 100
    expect(page.get_by_role("button", name="Save as a new version")).to_be_in_viewport()
    expect(page.get_by_role("button", name="Merge the chosen senses")).to_be_in_viewport()


def test_refused_correction_says_why(open_page, own_explorer) -> None:
    address, _ = own_explorer
    page = open_page("#/word/crane?edit=1", address, failures=True)
    page.get_by_role("button", name="Save as a new version").click()
    alert = page.get_by_role("alert")
    expect(alert.get_by_role("heading")).to_have_text("Nothing was changed")


def test_saved_version_is_shown_with_a_command(open_page, own_explorer) -> None:
    address, model = own_explorer
    page = open_page("#/word/crane?edit=1", address, permissions=["clipboard-write"])
    page.locator(".card").first.get_by_role("button", name="Hide").click()
    expect(page.locator(".card").first).to_contain_text("hidden")
    page.get_by_role("button", name="Save as a new version").click()
    commands = page.locator(".command code")
    expect(commands).to_have_count(2)
    expect(commands.first).to_contain_text(f"| grassmeans tag {model.parent / 'model-v2'}")
    expect(commands.last).to_contain_text("grassmeans explore")
    page.get_by_role("button", name="Copy").first.click()
    expect(page.locator(".command").first).to_contain_text("copied")
    page.get_by_role("button", name="Finish correcting").click()
    expect(page.locator(".word-place")).to_contain_text("which are saved as model-v2")
    page.goto(f"{address}#/word/bank?edit=1")
    expect(page.locator(".edit-bar")).to_contain_text("corrections of other words too: crane.")


def test_steps_are_undone_and_done_again(open_page, own_explorer) -> None:
    address, _ = own_explorer
    page = open_page("#/word/crane?edit=1", address)
    first, second = page.locator(".card").nth(0), page.locator(".card").nth(1)
    expect(page.get_by_role("button", name="Nothing to undo")).to_be_disabled()
    second.get_by_role("button", name="Hide").click()
    expect(second).to_contain_text("hidden")
    first.get_by_role("button", name="Rename").click()
    first.get_by_label("New name of sense 1").fill("mine")
    first.get_by_role("button", name="Rename").click()
    expect(page.locator(".history li")).to_have_text(["sense 2 hidden", "sense 1 renamed “mine”"])
    page.get_by_role("button", name="Undo: sense 1 renamed").click()
    expect(first.get_by_role("heading")).not_to_have_text("mine")
    expect(second).to_contain_text("hidden")
    page.get_by_role("button", name="Undo: sense 2 hidden").click()
    expect(second).not_to_contain_text("hidden")
    page.get_by_role("button", name="Redo: sense 2 hidden").click()
    page.get_by_role("button", name="Redo: sense 1 renamed").click()
    expect(first.get_by_role("heading")).to_have_text("mine")


def test_division_of_the_dial_becomes_the_senses(open_page, own_explorer) -> None:
    address, model = own_explorer
    page = open_page("#/word/crane?k=3", address)
    page.get_by_role("button", name="Use these 3 senses for “crane”").click()
    expect(page.locator(".card .tools")).to_have_count(3)
    expect(page.locator(".facts")).to_contain_text("3 senses with your corrections")
    page.get_by_role("button", name="Save as a new version").click()
    expect(page.locator(".message")).to_contain_text("Saved as model-v2")
    example = load(model.parent / "model-v2").senses("crane").senses[0].examples[0]
    line = f"{example.left}{example.word}{example.right}"
    assert tagged_senses(model.parent / "model-v2", line) == [1]


def test_nodes_of_the_tree_become_the_senses(open_page, own_explorer) -> None:
    address, _ = own_explorer
    page = open_page("#/word/crane?k=4", address)
    blocks = page.locator(".tree .block")
    expect(blocks).to_have_count(1 + 2 + 3 + 4)
    kept = page.locator('.tree .block[aria-pressed="true"]')
    expect(kept).to_have_count(4)
    page.locator(".tree .block[aria-label^='Keep 1 of 1:']").press("Enter")
    expect(kept).to_have_count(1)
    expect(page.locator("button.adopt")).to_have_text("Use this one sense for “crane”")
    page.get_by_text("The same as a table").click()
    # Its neighbours on the level come with it.
    page.get_by_role("checkbox", name="Keep 2 of 3:").check()
    expect(kept).to_have_count(3)
    page.locator(".tree .block[aria-label^='Keep 1 of 2:']").click(force=True)
    page.locator(".tree .block[aria-label^='Keep 2 of 2:']").click(force=True)
    page.get_by_role("button", name="Use these 2 senses").click()
    expect(page.locator(".card .tools")).to_have_count(2)


def test_word_outside_the_model_is_divided_added_and_taken_back(open_page, own_explorer) -> None:
    address, model = own_explorer
    page = open_page("#/word/seal?k=2", address)
    page.get_by_role("button", name="Add “seal” to the model with these 2 senses").click()
    expect(page.locator(".card .tools")).to_have_count(2)
    page.get_by_role("button", name="Undo: 2 senses adopted").click()
    expect(page.get_by_role("heading", name="Not in the model any more")).to_be_visible()
    page.get_by_role("button", name="Redo: 2 senses adopted").click()
    expect(page.locator(".card")).to_have_count(2)
    page.get_by_role("button", name="Save as a new version").click()
    expect(page.locator(".message")).to_contain_text("Saved as model-v2")
    example = load(model.parent / "model-v2").senses("seal").senses[1].examples[0]
    line = f"{example.left}<b>{example.word}</b>{example.right}"
    assert tagged_senses(model.parent / "model-v2", line) == [2]


def test_form_of_a_word_of_the_model_is_divided_itself(
    open_page, serve, topic_model_folder, synthetic, tmp_path
) -> None:
    model = shutil.copytree(topic_model_folder, tmp_path / "model")
    texts = [text.replace("crane", "cranes") for text in synthetic.documents]
    corpus = Corpus.from_texts(texts, tmp_path / "forms")
    with serve(model, corpus.path) as address:
        page = open_page("#/word/cranes?exact=1", address)
        page.get_by_role("link", name="Look for its senses in the corpus").click()
        expect(page.locator("button.adopt")).to_contain_text("Add “cranes” to the model with")
        page.locator("button.adopt").click()
        expect(page.locator(".card .tools").first).to_be_visible()
        expect(page.locator("h1")).to_have_text("cranes")


def test_stale_division_is_not_adopted(open_page, own_explorer) -> None:
    address, _ = own_explorer
    page = open_page("#/word/crane?k=2", address, failures=True)
    expect(page.locator("button.adopt")).to_be_visible()
    other = open_page("#/word/crane?edit=1", address)
    other.locator(".card").first.get_by_role("button", name="Hide").click()
    expect(other.locator(".card").first).to_contain_text("hidden")
    page.locator("button.adopt").click()
    expect(page.get_by_role("alert")).to_contain_text("changed meanwhile")
    page.get_by_role("button", name="Try again").click()
    page.locator("button.adopt").click()
    expect(page.locator(".card .tools")).to_have_count(2)


@pytest.fixture
def doubtful_explorer(serve, doubtful_model_folder, doubtful_corpus, tmp_path):
    model = shutil.copytree(doubtful_model_folder, tmp_path / "model")
    with serve(model, doubtful_corpus.path) as address:
        yield address, model


def test_lines_are_given_to_senses(open_page, doubtful_explorer) -> None:
    address, model = doubtful_explorer
    page = open_page("#/concordance/crane?q=music", address)
    boxes = page.locator(".choose-line input")
    expect(boxes).to_have_count(4)
    bar = page.get_by_role("region", name="Chosen lines")
    expect(bar).to_be_hidden()
    boxes.first.check()
    boxes.nth(2).click(modifiers=["Shift"])
    expect(bar).to_contain_text("3 lines chosen")
    bar.get_by_role("button", name="Choose none").click()
    expect(bar).to_be_hidden()
    boxes.first.check()
    bar.get_by_role("button", name="Choose all on this page").click()
    expect(bar).to_contain_text("4 lines chosen")
    bar.get_by_label("Sense for the chosen lines").select_option("a new sense of their own")
    bar.get_by_role("button", name="Give them to this sense").press("Enter")
    expect(bar).to_contain_text("4 of 4 lines have the new sense 3 now.")
    expect(page.locator(".kwic .badge")).to_have_text(["3"] * 4)
    # Keys go on there: a link, then the undo.
    expect(bar.get_by_role("status")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    undo = bar.get_by_role("button", name="Undo: 4 lines given to a new sense")
    expect(undo).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".legend-item")).to_have_count(3)
    expect(bar.get_by_role("status")).to_be_focused()
    bar.get_by_role("button", name="Redo: 4 lines").click()
    expect(page.locator(".legend-item")).to_have_count(4)
    bar.get_by_role("link", name="Correct and save").click()
    expect(page.locator(".card")).to_have_count(3)
    page.get_by_role("button", name="Save as a new version").click()
    expect(page.locator(".message")).to_contain_text("Saved as model-v2")
    line = " ".join(["musicba musicbe crane musicbi musicbo musicbu musicda"])
    assert tagged_senses(model.parent / "model-v2", line) == [3]


def test_lines_of_a_card_are_given_to_a_sense(open_page, doubtful_explorer) -> None:
    address, _ = doubtful_explorer
    page = open_page("#/word/crane?edit=1", address)
    first = page.locator(".card").first
    expect(first.locator(".choose-line")).to_have_count(0)  # the model does not know where they are
    first.get_by_role("button", name="More examples").click()
    first.locator(".choose-line input").first.check()
    bar = page.get_by_role("region", name="Chosen lines")
    bar.get_by_label("Sense for the chosen lines").select_option("1")
    bar.get_by_role("button", name="Give them to this sense").click()
    expect(bar).to_contain_text("The line has sense 1 now.")
    expect(page.locator(".edit-bar")).to_contain_text("Undo: 1 line given to sense 1")


def test_lines_that_do_not_fit_are_refused(open_page, doubtful_explorer) -> None:
    address, _ = doubtful_explorer
    page = open_page("#/concordance/crane?sense=1&sort=confidence", address, failures=True)
    page.locator(".choose-line input").first.check()
    bar = page.get_by_role("region", name="Chosen lines")
    bar.get_by_label("Sense for the chosen lines").select_option("2")
    bar.get_by_role("button", name="Give them to this sense").click()
    expect(bar.get_by_role("alert")).to_contain_text("0 of the 1 lines would have sense 2")
    other = open_page("#/word/crane?edit=1", address)
    other.locator(".card").first.get_by_role("button", name="Hide").click()
    expect(other.locator(".card").first).to_contain_text("hidden")
    bar.get_by_role("button", name="Give them to this sense").click()
    expect(bar.get_by_role("alert")).to_contain_text("changed meanwhile")
    bar.get_by_role("button", name="Try again").click()
    expect(page.locator(".legend-item")).to_have_count(2)


def test_lines_of_another_division_and_without_a_corpus_have_no_boxes(
    open_page, explorer, explorer_without_corpus
) -> None:
    for address, route in (
        (explorer, "#/concordance/crane?k=2"),
        (explorer_without_corpus, "#/concordance/crane"),
    ):
        page = open_page(route, address)
        expect(page.locator(".kwic tbody tr").first).to_be_visible()
        expect(page.locator(".choose-line")).to_have_count(0)


def test_another_corpus_is_named_and_counted_beside_the_model(
    open_page, serve, topic_model_folder, topic_corpus, doubtful_corpus, tmp_path
) -> None:
    model = shutil.copytree(topic_model_folder, tmp_path / "model")
    with serve(model, doubtful_corpus.path) as address:
        page = open_page("#/word/crane", address)
        expect(page.locator("#about")).to_contain_text("with another corpus, doubtful")
        expect(page.locator(".facts")).to_contain_text("200 occurrences in the model’s corpus")
        expect(page.locator(".word-place")).to_contain_text("In doubtful: 208 occurrences.")
        expect(page.locator(".measure.in-corpus")).to_have_count(2)
        page.goto(f"{address}#/word/crane?k=2")
        expect(page.locator(".facts")).to_contain_text("found anew in doubtful")
        page.locator("button.adopt").click()
        expect(page.locator(".facts")).to_contain_text("208 occurrences in doubtful")
        expect(page.locator(".measure.in-corpus")).to_have_count(0)
        page.get_by_role("button", name="Save as a new version").click()
        expect(page.locator(".message")).to_contain_text("Saved as model-v2")
    told = load(tmp_path / "model-v2").senses("crane").counts_told
    assert told == "208 of 208 occurrences in doubtful, which is not the model's corpus"
    with serve(model, topic_corpus.path) as address:
        page = open_page("#/word/crane", address)
        expect(page.locator("#about")).to_contain_text("with the corpus it was induced on")
        expect(page.locator(".corpus-notice")).to_have_count(0)
