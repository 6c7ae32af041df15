"""Models of release 0.1.0 still open: two stored ones, as that release wrote them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from grassmeans.contexts import open_contexts
from grassmeans.contexts.subspaces import SubspaceEncoder
from grassmeans.errors import ArtifactError
from grassmeans.models.model import load

STORED = Path(__file__).parents[2] / "data" / "models-0.1.0"
each_form = pytest.mark.parametrize("form", ["plain", "compact"])
TEXT = "The wing of the crane. Beam and steel, a crane."


@each_form
def test_a_model_of_the_first_release_tags_text(form: str) -> None:
    model = load(STORED / form)
    assert model.manifest["grassmeans"] == "0.1.0"
    assert [word.sense for word in model.tag(TEXT).words] == [1, 2]
    first, second = model.senses("crane").senses
    assert first.characteristic_words == ("nest", "wing")
    assert second.characteristic_words == ("steel", "beam")
    assert (model.encoder.shape.window, model.encoder.shape.rank) == (2, 1)
    assert model.settings.n_senses == 2
    assert model.language == "en"
    assert model.idk_threshold == 0.9


@each_form
def test_it_is_converted_by_saving_it(form: str, tmp_path: Path) -> None:
    load(STORED / form).save(tmp_path / "new")
    manifest = json.loads((tmp_path / "new" / "manifest.json").read_text("utf-8"))
    assert manifest["format_version"] == 2
    assert "rules" not in manifest
    assert [word.sense for word in load(tmp_path / "new").tag(TEXT).words] == [1, 2]


def test_its_contexts_serve_other_models() -> None:
    assert isinstance(open_contexts(STORED / "plain"), SubspaceEncoder)


def test_a_model_of_a_later_release_says_which_one_it_needs(tmp_path: Path) -> None:
    shutil.copytree(STORED / "plain", tmp_path / "later")
    place = tmp_path / "later" / "manifest.json"
    told = json.loads(place.read_text("utf-8")) | {"format_version": 3, "grassmeans": "0.9.0"}
    place.write_text(json.dumps(told), encoding="utf-8")
    with pytest.raises(ArtifactError, match=r"reads version 1 or 2: .*wrote it \(0\.9\.0\)"):
        load(tmp_path / "later")
