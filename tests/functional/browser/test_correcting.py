"""Corrections made in the browser end up in a model that the commands use."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from grassmeans import load
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
    merge = page.get_by_role("button", name="Merge the two chosen senses")
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


def test_refused_correction_says_why(open_page, own_explorer) -> None:
    address, _ = own_explorer
    page = open_page("#/word/crane?edit=1", address, failures=True)
    page.get_by_role("button", name="Save as a new version").click()
    alert = page.get_by_role("alert")
    expect(alert.get_by_role("heading")).to_have_text("Nothing was changed")
