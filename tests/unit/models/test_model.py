from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import grassmeans
from grassmeans import WordVectors
from grassmeans.contexts.subspaces import SubspaceEncoder
from grassmeans.errors import ArtifactError, GrassmeansWarning, InputError, UnknownWordError
from grassmeans.geometry.windows import ContextShape
from grassmeans.models import places as model_places
from grassmeans.models.building import inherit_answer_rule
from grassmeans.models.model import SenseModel
from grassmeans.senses.calibration import CALIBRATION, ConfidenceRule
from grassmeans.senses.decoding import decode_hard
from grassmeans.senses.entries import Sense, WordSenses
from grassmeans.senses.inventory import SenseInventory
from grassmeans.text.tokenizer import Tokenizer
from installed import install_models


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, topic_model_folder: Path) -> Path:
    """An installed model, ``xx``, and a working directory of its own."""
    folder = tmp_path / "models"
    shutil.copytree(topic_model_folder, folder / "xx")
    install_models({"xx": folder / "xx"}, tmp_path, monkeypatch)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return folder


def test_a_model_is_found_by_name(models: Path) -> None:
    assert model_places.list_models() == ["xx"]
    model = grassmeans.load("xx")
    assert model.folder == models / "xx"
    assert "crane" in model.words
    assert model_places.find_model(Path("xx")) == models / "xx"  # as the command line gives it


def test_a_model_folder_of_that_name_goes_first(models: Path, topic_model_folder: Path) -> None:
    shutil.copytree(topic_model_folder, "xx")

    assert model_places.find_model("xx") == Path("xx")


def test_any_other_folder_of_that_name_does_not(models: Path) -> None:
    Path("xx").mkdir()
    Path("xx", "text.txt").write_text("words")

    assert model_places.find_model("xx") == models / "xx"


def test_an_unknown_name_tells_those_that_there_are(models: Path) -> None:
    with pytest.raises(ArtifactError, match=r"no model at yy: .*model TEXT .* --language yy"):
        grassmeans.load("yy")
    with pytest.raises(ArtifactError, match=r"no model at cranes: .* an installed model: xx"):
        grassmeans.load("cranes")


def test_a_path_is_never_a_name(models: Path) -> None:
    with pytest.raises(ArtifactError, match="there is no model at"):
        grassmeans.load("elsewhere/xx")


def test_without_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_models({}, tmp_path, monkeypatch)

    assert model_places.list_models() == []
    with pytest.raises(ArtifactError, match="an installed model: there is none"):
        model_places.find_model(tmp_path / "nowhere")


def test_the_models_own_limits_decide(topic_model, topic_corpus, synthetic):
    birds = " ".join(synthetic.topic_words[0][:8])
    passages = [("", f" {birds}"), ("", "")]
    (tagged,) = topic_model.tag(f"crane {birds}")
    found = topic_model.decide("Crane", topic_model.distances("crane", passages))
    assert found.senses.tolist() == [tagged.sense, 0]
    assert found.confidence[0] == pytest.approx(tagged.confidence, abs=1e-6)
    sure = topic_model.decide("crane", topic_model.distances("crane", passages), confidence=1.0)
    assert sure.senses.tolist() == [0, 0]


def test_distances_of_a_model_are_decoded_by_its_own_limits(topic_model, synthetic) -> None:
    birds, machines = (" ".join(words[:8]) for words in synthetic.topic_words[:2])
    passages = [("", f" {birds}"), ("", f" {machines}"), ("", "")]
    for at_least in (0.5, 1.0):
        limits = ConfidenceRule(topic_model.calibration, at_least)
        strict = StrictModel(topic_model, limits)
        distances = strict.distances("crane", passages)
        expected = strict.decide("crane", distances).senses - 1
        assert decode_hard(distances).tolist() == expected.tolist()
        assert (expected < 0).tolist() == [at_least == 1.0, at_least == 1.0, True]
    sharpness = topic_model.choose_sharpness()
    distances = topic_model.distances("crane", passages)
    np.testing.assert_array_equal(
        grassmeans.decode(distances, "soft"),
        grassmeans.decode(distances, "soft", sharpness=sharpness),
    )


class StrictModel(SenseModel):
    """A model with another rule for "I don't know"."""

    def __init__(self, model: SenseModel, rule: ConfidenceRule) -> None:
        super().__init__(model.encoder, model.inventory, model.tokenizer, model.manifest)
        self._rule = rule

    @property
    def idk_threshold(self) -> ConfidenceRule:
        return self._rule


def test_a_model_is_like_a_mapping_from_words_to_senses(topic_model, synthetic) -> None:
    assert "crane" in topic_model
    assert "Crane" in topic_model
    assert "qqqq" not in topic_model
    assert 7 not in topic_model
    assert topic_model["Crane"].word == topic_model.senses("crane").word == "crane"
    with pytest.raises(UnknownWordError, match="qqqq"):
        topic_model["qqqq"]
    assert list(topic_model) == list(topic_model.words)
    assert len(topic_model) == len(topic_model.words) > 0
    assert "cranes" in topic_model.with_lemmas({"cranes": "crane"})
    nothing = topic_model.with_inventory(SenseInventory([]))
    assert (len(nothing), bool(nothing)) == (0, True)


def test_a_model_called_with_a_text_tags_it(topic_model, synthetic) -> None:
    text = f"crane {' '.join(synthetic.topic_words[0][:8])}"
    assert topic_model(text) == topic_model.tag(text)
    assert topic_model(text, confidence=1.0)[0].sense == 0


def test_a_model_that_is_made_of_nothing_points_to_fit() -> None:
    with pytest.raises(InputError, match=r"SenseModel\.fit\(texts, words=\[\.\.\.\]\), without"):
        SenseModel().fit(["a crane"], "crane")


def test_senses_in_a_corpus_are_those_of_its_labels(topic_model, topic_corpus, tmp_path):
    from grassmeans.labelling import label_corpus
    from grassmeans.senses.keys import decode_key

    labelled = label_corpus(topic_corpus, topic_model, tmp_path / "labelled", workers=1)
    positions = topic_corpus.positions("crane")
    tokens = np.concatenate([np.asarray(shard.tokens) for shard in labelled.shards])
    labels = [decode_key(labelled.vocabulary.words[i])[1] for i in tokens[positions].tolist()]
    assert topic_model.senses_at(topic_corpus, "crane", positions).senses.tolist() == labels
    about = labelled.manifest["labelled"]
    assert (about["read_in"], about["only_senses"]) == ("documents", "always")


def test_a_word_means_the_same_in_contexts_of_one_topic(topic_model, synthetic) -> None:
    birds, machines = (" ".join(words[:8]) for words in synthetic.topic_words[:2])
    more_birds = " ".join(synthetic.topic_words[0][1:9])
    same = topic_model.same_sense(f"crane {birds}", f"{more_birds} Crane", "crane")
    other = topic_model.same_sense(f"crane {birds}", f"{machines} crane", "Crane")
    assert 0.0 <= other < 0.1
    assert 0.9 < same <= 1.0
    inflected = topic_model.same_sense(f"<b>cranes</b> {birds}", f"{more_birds} crane", "crane")
    assert inflected == pytest.approx(same)
    # A word without senses, and one with nothing around it.
    assert topic_model.same_sense(f"seal {birds}", f"seal {birds}", "seal") > 0.9
    assert topic_model.same_sense("crane", f"crane {birds}", "crane") == 0.5


def test_whether_senses_are_the_same_is_kept_with_the_model(topic_model) -> None:
    stored = topic_model.manifest["answer_curve"]["same_sense"]
    curve = topic_model.calibration.same_sense
    assert stored == {"intercept": curve.intercept, "slope": curve.slope}
    assert curve.slope > 0.0


def test_a_text_without_the_word_has_no_sense_of_it(topic_model) -> None:
    with pytest.raises(InputError, match="there is no 'crane' in text2"):
        topic_model.same_sense("a crane", "two cranes", "crane")
    with pytest.raises(InputError, match="text1 must be a text"):
        topic_model.same_sense(None, "crane", "crane")


def test_subspaces_that_are_not_calibrated_do_not_tell_same_senses(topic_model) -> None:
    bare = SenseModel(topic_model.encoder, topic_model.inventory, topic_model.tokenizer)
    with pytest.raises(InputError, match="build it again, calibrated"):
        bare.same_sense("a crane", "a crane", "crane")


class Rays(SubspaceEncoder):
    """Contexts as lines that have ends."""

    lines_have_ends = True


def test_lines_that_have_ends_tell_same_senses_without_a_calibration() -> None:
    axes = np.eye(12, dtype=np.float32)
    names = [f"topic{i}" for i in range(12)]
    shape = ContextShape(window=2, rank=1)
    encoder = Rays(WordVectors(names, axes), shape, frozenset())
    senses = tuple(
        Sense(k + 1, 0.1, mean_distance=0.6, characteristic_words=(), nearest_words=(), examples=())
        for k in range(12)
    )
    entry = WordSenses("crane", 99, 99, axes, senses)
    model = SenseModel(encoder, SenseInventory([entry]), Tokenizer())
    assert model.same_sense("topic3 crane", "crane topic3", "crane") > 0.9
    assert model.same_sense("topic3 crane", "crane topic4", "crane") < 0.2
    assert inherit_answer_rule(model) == {}  # it is not calibrated
    model.manifest[CALIBRATION] = {"intercept": 1.0, "log_margin": 1.0}
    inherited = inherit_answer_rule(model)[CALIBRATION]
    assert inherited["same_sense"] == model.sameness.to_dict()
    fewer = model.with_inventory(SenseInventory([]))
    assert fewer.same_sense("topic3 crane", "crane topic3", "crane") > 0.9  # as it was


def test_why_a_function_word_has_no_senses(topic_model) -> None:
    with pytest.raises(UnknownWordError, match="'the' has no senses in this model: it is a funct"):
        topic_model["The"]
    with pytest.raises(UnknownWordError, match="'seal' is not among the"):
        topic_model["seal"]
    with pytest.warns(GrassmeansWarning, match=r"no senses of 'the', 'x': .*'the' is a function"):
        topic_model.tag("The crane.", words=["the", "x"])
