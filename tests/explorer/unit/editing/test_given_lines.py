"""Places of one's own text given to a sense, with a corpus and without."""

from __future__ import annotations

import json
import shutil

import pytest

from grassmeans import load
from grassmeans.errors import ArtifactError
from grassmeans_explorer.drafts import keep_drafts
from grassmeans_explorer.editing.edited_words import edit_from_dict
from grassmeans_explorer.limits import ConflictError
from grassmeans_explorer.open_model import OpenModel
from grassmeans_explorer.queries.corrections import Correction, correct_word, save_corrections
from grassmeans_explorer.queries.tag import tag_text


@pytest.fixture(params=[False, True], ids=["alone", "corpus"])
def own(topic_model_folder, topic_corpus, tmp_path, request) -> OpenModel:
    folder = shutil.copytree(topic_model_folder, tmp_path / "model")
    return OpenModel(load(folder), topic_corpus if request.param else None)


@pytest.fixture
def passage(synthetic) -> tuple[str, str, str]:
    """A crane between birds and machines."""
    bird, machine = (" ".join(words[:3]) for words in synthetic.topic_words[:2])
    return f"{bird} ", "Crane", f" {machine}"


def sense_of(opened: OpenModel, passage: tuple[str, str, str]) -> int:
    return tag_text(opened, "".join(passage), idk_threshold=None).words[0].nearest


def test_a_place_is_given_to_another_sense_and_saved(own, passage):
    other = 3 - sense_of(own, passage)
    changed = correct_word(own, "crane", Correction("assign", [other], passages=[passage]))
    assert sense_of(own, passage) == other
    edit = changed.corrections[-1]
    assert (edit.passages, edit.lines) == ((passage,), ())
    # Between two topics it is nearest to the sense, and need not be sure.
    sure = tag_text(own, "".join(passage)).words[0].sense == other
    assert edit.n_taken == int(sure)
    saved = save_corrections(own)
    version = load(own.base.folder.parent / saved.saved_to)
    assert version.tag("".join(passage), idk_threshold=None)[0].sense == other
    told = json.loads((version.folder / "manifest.json").read_text())["edited"]["edits"]
    assert told[0]["passages"] == [list(passage)]
    correct_word(own, "crane", Correction("undo"))
    assert sense_of(own, passage) == 3 - other


def test_none_of_these_is_a_new_sense(own, passage):
    changed = correct_word(own, "crane", Correction("assign", [], passages=[passage]))
    assert [sense.number for sense in changed.senses] == [1, 2, 3]
    new = changed.senses[2]
    assert new.name
    assert new.examples
    assert sense_of(own, passage) == 3


def test_a_draft_has_the_place_without_a_corpus(own, passage, tmp_path):
    keep_drafts(own, tmp_path / "drafts")
    other = 3 - sense_of(own, passage)
    correct_word(own, "crane", Correction("assign", [other], passages=[passage]))
    own.draft.close()
    again = OpenModel(load(own.base.folder))
    keep_drafts(again, tmp_path / "drafts")
    assert again.n_found == 1
    assert sense_of(again, passage) == other
    again.draft.close()


def test_what_cannot_be_given_is_refused(own):
    for passages, said in (([("", " ", "")], "no word"), ([("zzz ", "crane", "")], "say nothing")):
        with pytest.raises(ConflictError, match=said):
            correct_word(own, "crane", Correction("assign", [1], passages=passages))
    both = Correction("assign", [1], lines=[1], passages=[("a ", "crane", "")])
    with pytest.raises(ConflictError, match="one by one"):
        correct_word(own, "crane", both)


def test_a_damaged_passage_is_told(tmp_path):
    values = {"word": "crane", "action": "assign", "senses": [1], "passages": [["a", "crane"]]}
    with pytest.raises(ArtifactError, match="a passage needs"):
        edit_from_dict(values, tmp_path)
