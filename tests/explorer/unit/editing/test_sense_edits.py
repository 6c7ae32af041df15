"""Merging, splitting, renaming, hiding senses; new versions that tag and label use."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from crane_model import save_crane_model
from grassmeans import WordVectors, load
from grassmeans.artifacts.writing import building_place
from grassmeans.editing.edited_words import EditedInventory
from grassmeans.errors import InputError
from grassmeans.geometry.windows import Contexts
from grassmeans.labelling.labeller import label_corpus
from grassmeans.lexemes.lexeme_vectors import LexemeVectors
from grassmeans.models.model import SenseModel
from grassmeans.models.versions import list_digests
from grassmeans.senses.entries import ExampleLine, Sense, WordSenses
from grassmeans.senses.inventory import SenseInventory
from grassmeans.senses.samples import WordSample, sample_word
from grassmeans.senses.word_induction import WordInducer
from grassmeans_explorer.editing.edited_words import (
    Edit,
    EditedWord,
    Evidence,
    apply_edits,
)
from grassmeans_explorer.editing.saving import edit_lexemes, save_version
from grassmeans_explorer.editing.sense_edits import (
    add_sense_of,
    blank_hidden,
    hide_sense,
    merge_senses,
    reassign_lines,
    rename_sense,
    split_sense,
    unhide_sense,
    visible_senses,
)
from installed import install_models

VECTORS = WordVectors(["nest", "steel", "neck"], np.eye(3, dtype=np.float32))


def make_entry(directions=None, shares=(0.5, 0.3, 0.2)) -> WordSenses:
    directions = np.eye(3, dtype=np.float32) if directions is None else directions
    senses = tuple(
        Sense(k, share, 0.1 * k, (f"c{k}",), (f"n{k}",), (_example(k),), f"name {k}")
        for k, share in enumerate(shares, 1)
    )
    return WordSenses("crane", 10, 10, np.asarray(directions, np.float32), senses)


def _example(k: int) -> ExampleLine:
    return ExampleLine("left ", f"crane{k}", " right", f"document {k}", 0.1)


def test_merger_without_contexts_takes_the_weighted_main_axis():
    # C = 0.6 e1 e1' + 0.2 u u' with u = (0.6, 0.8, 0):
    # [[0.672, 0.096], [0.096, 0.128]]: its leading eigenvector is (0.98564, 0.16883).
    directions = np.array([[1, 0, 0], [0, 0, 1], [0.6, 0.8, 0]])
    entry = make_entry(directions, shares=(0.6, 0.2, 0.2))
    merged = merge_senses(entry, [3, 1], VECTORS)
    assert np.allclose(merged.directions, [[0.98564, 0.16883, 0], [0, 0, 1]], atol=1e-4)
    first = merged.senses[0]
    assert [sense.number for sense in merged.senses] == [1, 2]
    assert first.share == pytest.approx(0.8)
    assert first.mean_distance == pytest.approx(0.75 * 0.1 + 0.25 * 0.3)
    assert first.name == "name 1"
    assert first.characteristic_words == ("c1", "c3")
    assert [line.word for line in first.examples] == ["crane1", "crane3"]
    assert first.nearest_words[0] == "nest"
    assert merged.senses[1] == replace(entry.senses[1], number=2)


def test_three_senses_are_merged_at_once():
    # C = 0.5 e1 e1' + 0.3 e1 e1' + 0.2 e2 e2': e1. The fourth sense becomes the second.
    directions = np.array([[1, 0, 0], [0, 0, 1], [-1, 0, 0], [0, 1, 0]])
    entry = make_entry(directions, shares=(0.25, 0.5, 0.15, 0.1))
    merged = merge_senses(entry, [4, 1, 3], VECTORS)
    assert merged.directions.tolist() == [[1, 0, 0], [0, 0, 1]]
    assert [sense.number for sense in merged.senses] == [1, 2]
    first = merged.senses[0]
    assert first.share == pytest.approx(0.5)
    assert first.mean_distance == pytest.approx(0.5 * 0.1 + 0.3 * 0.3 + 0.2 * 0.4)
    assert (first.name, merged.senses[1].name) == ("name 1", "name 2")
    assert first.characteristic_words == ("c1", "c3", "c4")
    edit = Edit("crane", "merge", (4, 1, 3))
    word = EditedWord(entry, entry, ((1,), (2,), (3,), (4,))).apply(edit, VECTORS)
    assert (word.origins, word.edits) == (((1, 3, 4), (2,)), (edit,))
    assert word.undo().entry == entry
    with pytest.raises(InputError, match="two or more different"):
        merge_senses(entry, [1, 2, 2], VECTORS)


def test_merger_of_lines_with_ends_is_their_mean():
    # 0.6 e1 + 0.2 (0.6, 0.8, 0) = (0.72, 0.16, 0) of the length 0.73756.
    directions = np.array([[1, 0, 0], [0, 0, 1], [0.6, 0.8, 0]])
    entry = make_entry(directions, shares=(0.6, 0.2, 0.2))
    merged = merge_senses(entry, [3, 1], VECTORS, lines_have_ends=True)
    assert np.allclose(merged.directions[0], [0.97619, 0.21693, 0], atol=1e-4)
    opposite = make_entry(np.array([[1, 0, 0], [-1, 0, 0]]), shares=(0.5, 0.5))
    met = merge_senses(opposite, [1, 2], VECTORS, lines_have_ends=True)
    assert met.directions.tolist() == [[1, 0, 0]]


def test_merger_of_opposite_directions_keeps_the_line():
    entry = make_entry(np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0]]))
    assert np.allclose(np.abs(merge_senses(entry, [1, 2], VECTORS).directions[0]), [1, 0, 0])


@pytest.mark.parametrize("pair", [[1, 1], [0, 1], [1, 4]])
def test_merger_refuses_what_is_no_pair(pair):
    with pytest.raises(InputError):
        merge_senses(make_entry(), pair, VECTORS)


def test_hidden_senses_cannot_be_merged_or_split():
    entry = hide_sense(make_entry(), 2)
    with pytest.raises(InputError, match="hidden"):
        merge_senses(entry, [1, 2], VECTORS)
    with pytest.raises(InputError, match="hidden"):
        split_sense(entry, 2, VECTORS, None)


def test_split_needs_contexts():
    with pytest.raises(InputError, match="corpus"):
        split_sense(make_entry(), 1, VECTORS, None)


def test_rename_puts_white_space_in_order_and_refuses_empty_names():
    assert rename_sense(make_entry(), 2, "  a \n tall  bird ").senses[1].name == "a tall bird"
    for name in ("", "  ", "x" * 81, "bell \x07"):
        with pytest.raises(InputError, match="name"):
            rename_sense(make_entry(), 2, name)


def test_hiding_keeps_numbers_and_blanks_the_stored_direction():
    entry = hide_sense(make_entry(), 1)
    stored = blank_hidden(entry)
    assert [sense.number for sense in visible_senses(entry)] == [2, 3]
    assert stored.directions.tolist() == [[0, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert entry.directions[0].tolist() == [1, 0, 0]
    shown = unhide_sense(entry, 1)
    assert shown.senses == make_entry().senses
    assert np.array_equal(shown.directions, make_entry().directions)
    with pytest.raises(InputError, match="already"):
        hide_sense(entry, 1)
    with pytest.raises(InputError, match="last one"):
        hide_sense(hide_sense(entry, 2), 3)
    with pytest.raises(InputError, match="not hidden"):
        unhide_sense(entry, 2)


@pytest.fixture
def topic_sample(topic_corpus, topic_model) -> WordSample:
    return sample_word("crane", topic_corpus, topic_model.encoder, topic_model.settings)


def test_splitting_a_merged_sense_finds_the_two_senses_again(topic_model, topic_sample):
    entry = topic_model.senses("crane")
    merged = merge_senses(entry, [1, 2], topic_model.vectors, topic_sample)
    assert merged.n_senses == 1
    assert merged.senses[0].share == 1.0
    split = split_sense(merged, 1, topic_model.vectors, topic_sample)
    cosines = np.abs(split.directions @ entry.directions.T)
    assert np.allclose(cosines.max(axis=1), 1.0, atol=0.01)
    assert sum(sense.share for sense in split.senses) == pytest.approx(1.0)
    topics = [{word[:4] for word in sense.characteristic_words} for sense in split.senses]
    assert sorted(topics, key=min) == [{"bird"}, {"mach"}]
    assert all(sense.name and sense.examples for sense in split.senses)


def test_origins_follow_mergers_and_splits(topic_model, topic_sample):
    word = EditedWord.start(topic_model, "crane")
    evidence = Evidence(topic_sample)
    word = word.apply(Edit("crane", "merge", (1, 2)), topic_model.vectors, evidence)
    assert word.origins == ((1, 2),)
    word = word.apply(Edit("crane", "split", (1,)), topic_model.vectors, evidence)
    assert word.origins == ((), ())
    assert [edit.action for edit in word.edits] == ["merge", "split"]


@pytest.mark.parametrize(
    "edit", [Edit("crane", "melt", (1,)), Edit("crane", "merge", (1,)), Edit("crane", "hide", ())]
)
def test_edits_that_are_none_are_refused(topic_model, edit):
    with pytest.raises(InputError):
        EditedWord.start(topic_model, "crane").apply(edit, topic_model.vectors)


def test_edited_inventory_replaces_and_adds_words():
    base = SenseInventory([make_entry(), replace(make_entry(), word="bank")])
    other = replace(make_entry(np.ones((1, 3)), shares=(1.0,)), word="bank")
    new = replace(other, word="seal")
    edited = EditedInventory(base, {"bank": other, "seal": new})
    assert edited.words == ("crane", "bank", "seal")
    assert dict(edited.sense_counts) == {"crane": 3, "bank": 1, "seal": 1}
    assert "seal" in edited
    assert "nowhere" not in edited
    assert edited["crane"].senses == base["crane"].senses
    assert edited.directions("seal").tolist() == [[1, 1, 1]]
    assert edited.lines_of(["crane", "seal", "bank"]).offsets.tolist() == [0, 3, 4, 5]
    assert edited.lines_of(["crane"]).directions.tolist() == base["crane"].directions.tolist()
    assert edited.name_of("seal", 1) == other.senses[0].name != ""
    assert edited.name_of("crane", 2) == base.name_of("crane", 2)
    compact = edited.to_compact()
    assert compact.words == ["crane", "bank", "seal"]
    assert [json.loads(line)["word"] for line in compact.lines] == ["crane", "bank", "seal"]
    assert compact.directions.shape == (5, 3)


def _hide(model: SenseModel, word: str, number: int) -> dict[str, EditedWord]:
    edit = Edit(word, "hide", (number,))
    return {word: EditedWord.start(model, word).apply(edit, model.vectors)}


def test_new_version_is_saved_beside_the_model_and_used(
    tmp_path, topic_model_folder, topic_corpus, synthetic
):
    import shutil

    folder = tmp_path / "model"
    shutil.copytree(topic_model_folder, folder)
    before = {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    model = load(folder)
    text = " ".join(word for word in ["crane", *synthetic.topic_words[0][:8]])
    shown = model.tag(text, idk_threshold=None)[0].sense
    saved = save_version(model, _hide(model, "crane", shown))
    assert saved == tmp_path / "model-v2"
    assert {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()} == before
    version = load(saved)
    other = 3 - shown
    tagged = version.tag(text, idk_threshold=None)[0]
    assert tagged.sense == other
    assert tagged.distances[shown - 1] == 1.0
    assert version.manifest["edited"]["from"] == "model"
    assert version.manifest["edited"]["edits"] == [
        {"word": "crane", "action": "hide", "senses": [shown], "name": ""}
    ]
    assert np.array_equal(version.inventory.directions("bank"), model.inventory.directions("bank"))
    labelled = label_corpus(
        topic_corpus, version, tmp_path / "labelled", workers=1, idk_threshold=None
    )
    counts = dict(zip(labelled.vocabulary.words, labelled.vocabulary.counts, strict=True))
    assert f"crane.{shown}" not in counts
    assert counts[f"crane.{other}"] == len(synthetic.gold["crane"])


def test_versions_are_numbered_and_hidden_senses_can_come_back(tmp_path, topic_model):
    first = save_version(topic_model, _hide(topic_model, "crane", 1), tmp_path)
    assert first.name == "model-v2"
    version = load(first)
    word = EditedWord.start(version, "crane")
    assert np.array_equal(word.entry.directions, topic_model.inventory.directions("crane"))
    word = word.apply(Edit("crane", "unhide", (1,)), version.vectors)
    second = save_version(version, {"crane": word})
    assert second.name == "model-v3"
    again = load(second)
    expected = topic_model.inventory.directions("crane")
    assert np.array_equal(again.inventory.directions("crane"), expected)
    assert [edit["action"] for edit in again.manifest["edited"]["earlier"]] == ["hide"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["model-v2", "model-v3"]


def test_what_was_hidden_before_stays_in_later_versions(tmp_path, topic_model):
    first = load(save_version(topic_model, _hide(topic_model, "crane", 1), tmp_path))
    second = load(save_version(first, _hide(first, "bank", 2), tmp_path))
    kept = EditedWord.start(second, "crane").entry.directions
    assert np.array_equal(kept, topic_model.inventory.directions("crane"))
    assert not second.inventory.directions("crane")[0].any()


def test_a_killed_save_of_another_name_is_cleaned_by_the_next(tmp_path, topic_model):
    edits = _hide(topic_model, "crane", 1)
    save_version(topic_model, edits, tmp_path)
    for name in ("model-v2", "mine"):  # killed after its folder came to its place, and before
        building_place(tmp_path / name).mkdir()
        (building_place(tmp_path / name) / "lock").touch()
    (building_place(tmp_path / "mine") / "new").mkdir()
    save_version(topic_model, edits, tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["model-v2", "model-v3"]


def test_a_model_is_not_saved_over_corrections_of_another(tmp_path, topic_model):
    version = save_version(topic_model, _hide(topic_model, "crane", 1), tmp_path)
    before = {p: p.read_bytes() for p in version.rglob("*") if p.is_file()}
    with pytest.raises(InputError, match="model with 'edited'"):
        topic_model.save(version, overwrite=True)
    assert {p: p.read_bytes() for p in version.rglob("*") if p.is_file()} == before
    load(version).save(version, overwrite=True)  # the same ones
    assert "edited" in load(version).manifest


@pytest.mark.parametrize("name", ["../away", "a/b", "", ".hidden", "x" * 65, "a\\b"])
def test_names_of_versions_stay_in_their_folder(tmp_path, topic_model, name):
    with pytest.raises(InputError, match="name of a version"):
        save_version(topic_model, _hide(topic_model, "crane", 1), tmp_path, name)
    assert list(tmp_path.iterdir()) == []


def test_versions_never_replace_anything(tmp_path, topic_model):
    (tmp_path / "mine").mkdir()
    with pytest.raises(InputError, match="exists already"):
        save_version(topic_model, _hide(topic_model, "crane", 1), tmp_path, "mine")
    with pytest.raises(InputError, match="nothing has been edited"):
        save_version(topic_model, {}, tmp_path)


def test_installed_models_are_saved_into_the_working_directory(tmp_path, topic_model, monkeypatch):
    monkeypatch.chdir(tmp_path)
    install_models({"xx": topic_model.folder}, tmp_path, monkeypatch)
    saved = save_version(topic_model, _hide(topic_model, "crane", 1))
    assert saved.resolve() == (tmp_path / "model-v2").resolve()


def test_lexemes_are_renumbered():
    entry = make_entry(shares=(0.6, 0.2, 0.2))
    merged = merge_senses(entry, [1, 2], VECTORS)
    word = EditedWord(entry, merged, ((1, 2), (3,)))
    rows = [[1, 0], [0, 4], [5, 5], [7, 7], [9, 9]]
    lexemes = WordVectors(["crane.1", "crane.2", "crane.3", "crane.0", "bank.1"], rows)
    changed = edit_lexemes(lexemes, {"crane": word})
    assert changed.words == ["crane.1", "crane.2", "crane.0", "bank.1"]
    assert np.allclose(changed.vectors, [[0.75, 1.0], [5, 5], [7, 7], [9, 9]])


def test_senses_that_no_vector_was_trained_for_have_none_and_the_word_stands_for_them():
    entry = make_entry(shares=(0.6, 0.2, 0.2))
    lexemes = WordVectors(["crane.1", "crane.2", "crane.3", "bank.1"], np.diag([1.0, 2, 4, 8]))
    adopted = EditedWord(entry, entry, ((), (), ()))
    changed = edit_lexemes(lexemes, {"crane": adopted})
    assert changed.words == ["crane", "bank.1"]
    assert np.allclose(changed["crane"], [0.6, 0.4, 0.8, 0])
    split = EditedWord(entry, entry, ((1,), (), (3,), ()))
    changed = edit_lexemes(lexemes, {"crane": split})
    assert changed.words == ["crane.1", "crane.3", "crane", "bank.1"]
    assert LexemeVectors(changed).standing_row("crane", 4) == 2


def test_mergers_with_a_part_have_no_vector(topic_model, topic_sample):
    word = EditedWord.start(topic_model, "crane")
    evidence = Evidence(topic_sample)
    word = word.apply(Edit("crane", "split", (1,)), topic_model.vectors, evidence)
    assert word.origins == ((), (2,), ())
    assert word.apply(Edit("crane", "merge", (2, 3)), topic_model.vectors).origins == ((), ())


def test_words_outside_the_model_start_without_senses(topic_model, topic_corpus, tmp_path):
    found = WordInducer(topic_corpus, topic_model.encoder, topic_model.settings)("seal")
    start = EditedWord.start(topic_model, "seal")
    assert start.entry.senses == ()
    assert "seal" not in apply_edits(topic_model, {"seal": start}).inventory
    added = start.apply(Edit("seal", "adopt"), topic_model.vectors, Evidence(found=found))
    assert added.edits == (Edit("seal", "adopt", n_senses=2),)
    version = load(save_version(topic_model, {"seal": added}, tmp_path))
    assert version.words == (*topic_model.words, "seal")
    example = found.senses[1].examples[0]
    assert version.tag(f"{example.left}{example.word}{example.right}", words="seal")[0].sense == 2
    # Nothing has another number than it had.
    assert list_digests(version) == [version.digest, topic_model.digest]


def test_edited_models_answer_by_frequency(topic_model):
    edited = apply_edits(topic_model, _hide(topic_model, "crane", 1))
    assert edited.tag("crane", idk_threshold=None)[0].sense == 2
    assert edited.tag("bank", idk_threshold=None)[0].sense in (1, 2)


def test_undescribed_senses_cannot_be_edited(tmp_path):
    model = load(save_crane_model(tmp_path / "model"))
    with pytest.raises(InputError, match="not described"):
        EditedWord.start(model, "crane")
    assert apply_edits(model, {}).tag("the crane nest wing")[0].sense == 1


def make_senses(shares=(0.6, 0.4), hidden=()) -> WordSenses:
    senses = tuple(
        Sense(k, share, 0.0, (), (), (), f"name {k}", k in hidden)
        for k, share in enumerate(shares, 1)
    )
    return WordSenses("crane", 10, 10, np.eye(len(shares), 3, dtype=np.float32), senses)


def make_lines(*rows, has_ends=True) -> WordSample:
    bases = np.array(rows, np.float32).reshape(-1, 1, 3)
    contexts = Contexts(np.zeros((len(bases), 2), np.int32), np.arange(len(bases)))
    return WordSample("crane", contexts, bases, source=None, lines_have_ends=has_ends)


def test_rays_become_the_mean_of_the_sense_and_the_line():
    # Senses of 6 and 4 contexts. 4 e2 + b = (0.8, 4.6), 6 e1 - b = (5.2, -0.6): the cosines of
    # b = (0.8, 0.6) to them are 0.7282 and 0.7260, so that one of each is enough.
    found = reassign_lines(make_senses(), 2, make_lines([0.8, 0.6, 0]))
    expected = [[0.99341, -0.11462, 0], [0.17134, 0.98521, 0]]
    assert np.allclose(found.entry.directions, expected, atol=1e-4)
    assert (found.touched, found.n_taken) == ((2, 1), 1)
    assert found.entry.senses == make_senses().senses


def test_line_that_has_the_sense_already_only_draws_it():
    # 4 e2 + b = (0.6, 4.8) of the length 4.8374.
    found = reassign_lines(make_senses(), 2, make_lines([0.6, 0.8, 0]))
    assert np.allclose(found.entry.directions, [[1, 0, 0], [0.12403, 0.99228, 0]], atol=1e-4)
    assert found.touched == (2,)


def test_subspaces_turn_by_the_main_axis():
    # 4 e2 e2' + b b' with b = (0.6, 0.8): [[0.36, 0.48], [0.48, 4.64]]; its leading eigenvector
    # is (0.48, l - 0.36) with l = 2.5 + sqrt(2.14^2 + 0.48^2) = 4.69317: (0.11006, 0.99392).
    # The opposite end of the same line says the same.
    for row in ([0.6, 0.8, 0], [-0.6, -0.8, 0]):
        found = reassign_lines(make_senses(), 2, make_lines(row, has_ends=False))
        assert np.allclose(found.entry.directions[1], [0.11006, 0.99392, 0], atol=1e-4)


def test_lines_that_are_too_far_are_refused():
    with pytest.raises(InputError, match="0 of the 1 lines would have sense 2"):
        reassign_lines(make_senses((0.5, 0.5)), 2, make_lines([0.96, 0.28, 0]))


def test_hidden_and_missing_senses_get_no_lines():
    with pytest.raises(InputError, match="hidden"):
        reassign_lines(make_senses(hidden=(2,)), 2, make_lines([0, 1, 0]))
    with pytest.raises(InputError, match="senses 1 to 2"):
        reassign_lines(make_senses(), 3, make_lines([0, 1, 0]))
    with pytest.raises(InputError, match="say nothing"):
        reassign_lines(make_senses(), 1, make_lines()[:0])


def test_lines_become_a_sense_where_they_meet():
    found = add_sense_of(make_senses(), make_lines([0, 0.6, 0.8], [0, -0.6, 0.8]))
    assert np.allclose(found.entry.directions[2], [0, 0, 1], atol=1e-5)
    assert [sense.number for sense in found.entry.senses] == [1, 2, 3]
    assert (found.touched, found.n_taken) == ((3,), 2)


def test_lines_of_a_sense_there_is_make_no_other():
    with pytest.raises(InputError, match="0 of the 2 lines would have a sense of their own"):
        add_sense_of(make_senses(), make_lines([1, 0, 0], [1, 0, 0]))


def test_a_use_as_a_function_word_stays_one_where_it_is_merged_with_such() -> None:
    first, second, third = make_senses((0.5, 0.3, 0.2)).senses
    senses = (replace(first, function=True), replace(second, function=True), third)
    entry = replace(make_senses((0.5, 0.3, 0.2)), senses=senses)
    assert merge_senses(entry, [1, 2], VECTORS).senses[0].function
    assert not merge_senses(entry, [2, 3], VECTORS).senses[1].function
    renamed = rename_sense(entry, 1, "might")
    edited = EditedInventory(SenseInventory([entry]), {"crane": renamed})
    assert edited.function_senses_of("crane") == {1, 2}
