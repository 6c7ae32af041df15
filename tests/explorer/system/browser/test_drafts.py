"""Corrections that outlive the server, as a person sees them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from grassmeans import load

expect = pytest.importorskip("playwright.sync_api").expect


@pytest.fixture
def model(topic_model_folder, tmp_path) -> Path:
    return shutil.copytree(topic_model_folder, tmp_path / "model")


def test_an_adopted_division_is_there_again_and_undone(
    open_page, serve, model, topic_corpus, find_barriers
) -> None:
    with serve(model, topic_corpus.path, keeps_drafts=True) as address:
        page = open_page("#/word/crane?k=3", address)
        page.get_by_role("button", name="Use these 3 senses for “crane”").click()
        expect(page.locator(".card .tools")).to_have_count(3)
        expect(page.locator(".edit-bar")).to_contain_text("also when the explorer is stopped")
        expect(page.locator("#draft")).to_be_empty()
        page.goto("about:blank")
    with serve(model, keeps_drafts=True) as address:
        page = open_page("", address)
        told = page.get_by_role("region", name="Corrections from an earlier visit")
        expect(told).to_contain_text("1 correction from an earlier visit: crane")
        assert find_barriers(page) == []
        told.get_by_role("link", name="crane").click()
        expect(page.locator(".card .tools")).to_have_count(3)
        page.get_by_role("button", name="Undo: 3 senses adopted").click()
        expect(page.locator(".card .tools")).to_have_count(2)
        page.get_by_role("button", name="Redo: 3 senses adopted").click()
        expect(page.locator(".card .tools")).to_have_count(3)
        told.get_by_role("button", name="Save as a new version").click()
        expect(page.locator("#draft")).to_contain_text("Saved as model-v2 with 1 edited word")
        page.locator("#draft").get_by_role("button", name="Close").click()
        expect(page.locator("#draft")).to_be_empty()
        page.goto("about:blank")
    assert load(model.with_name("model-v2")).senses("crane").n_senses == 3
    with serve(model, keeps_drafts=True) as address:
        page = open_page("#/word/crane", address)
        expect(page.locator(".card")).to_have_count(2)
        expect(page.locator("#draft")).to_be_empty()


def test_drafts_are_discarded_after_a_question(open_page, serve, model) -> None:
    with serve(model, keeps_drafts=True) as address:
        page = open_page("#/word/crane?edit=1", address)
        page.locator(".card").first.get_by_role("button", name="Hide").click()
        expect(page.locator(".card").first).to_contain_text("hidden")
        page.reload()  # of this visit: nothing is told
        expect(page.locator(".card").first).to_contain_text("hidden")
        expect(page.locator("#draft")).to_be_empty()
        page.goto("about:blank")
    with serve(model, keeps_drafts=True) as address:
        page = open_page("#/word/crane", address)
        told = page.locator("#draft")
        told.get_by_role("button", name="Discard…").click()
        told.get_by_role("button", name="Keep them").click()
        expect(page.locator(".card")).to_have_count(1)
        told.get_by_role("button", name="Discard…").click()
        page.take_counts()
        told.get_by_role("button", name="Discard 1 correction").click()
        expect(page.locator(".card")).to_have_count(2)
        expect(told).to_be_empty()
    assert len(list(model.parent.glob(".model-*.old"))) == 1


def test_what_is_not_kept_and_what_a_version_lacks_is_said(open_page, serve, model) -> None:
    for name, word in (("model-v2", "bank"), ("model-v3", "crane")):
        with serve(model) as address:
            page = open_page(f"#/word/{word}?edit=1", address)
            bar = page.locator(".edit-bar")
            expect(bar).to_contain_text("Corrections are not kept when the explorer is stopped")
            page.locator(".card").first.get_by_role("button", name="Hide").click()
            expect(page.locator(".card").first).to_contain_text("hidden")
            bar.get_by_role("button", name="Save as a new version").click()
            expect(bar).to_contain_text(f"Saved as {name}")
            if name == "model-v3":
                told = "model-v3 was made from model. It does not have the corrections of model-v2."
                expect(bar.locator(".lacks")).to_have_text(told)
                merge = bar.locator(".command code").last
                expect(merge).to_contain_text(f"grassmeans merge {model.with_name('model-v2')}")
            page.goto("about:blank")
