from __future__ import annotations

import pickle
import subprocess
import sys
import unicodedata
import warnings

import pytest

from grassmeans.errors import ArtifactError, InputError, MissingExtraError, UnknownWordError

spacy = pytest.importorskip("spacy", reason="spaCy is an extra: grassmeans[spacy]")

from spacy.tokens import DocBin  # noqa: E402

import grassmeans.integrations.spacy as component  # noqa: E402

BIRD, MACHINE = "A crane on the nest.", "Steel crane!"


def make_pipeline(folder, language: str = "en", **config):
    nlp = spacy.blank(language)
    nlp.add_pipe("grassmeans", config={"model": str(folder)} | config)
    return nlp


@pytest.fixture
def nlp(model_folder):
    return make_pipeline(model_folder)


def senses(doc) -> list[str | None]:
    return [token._.sense for token in doc]


def test_tokens_get_senses_scores_and_distances(model_folder) -> None:
    doc = make_pipeline(model_folder, idk_threshold=0.5)("A Crane on mix.")
    token = doc[1]
    assert senses(doc) == [None, "crane.0", None, None, None]
    assert token._.sense_distances == pytest.approx({"crane.1": 0.8, "crane.2": 0.6}, abs=1e-6)
    # exp(-10 * 0.8) / (exp(-10 * 0.8) + exp(-10 * 0.6)) = 1 / (1 + e^2)
    assert token._.sense_scores == pytest.approx({"crane.1": 0.1192, "crane.2": 0.8808}, abs=1e-4)
    assert doc[0]._.sense_scores is doc[0]._.sense_distances is None
    assert doc._.senses == (token,)


def test_too_little_context(nlp) -> None:
    token = nlp("The crane was there.")[1]
    assert token._.sense == "crane.0"
    assert token._.sense_scores == {"crane.1": 0.5, "crane.2": 0.5}
    assert token._.sense_distances == {}


def test_configuration(model_folder) -> None:
    sure = make_pipeline(model_folder, idk_threshold=0.7, sharpness=0.0)
    token = sure("mix crane")[1]
    assert token._.sense == "crane.2"
    assert token._.sense_scores == {"crane.1": 0.5, "crane.2": 0.5}
    never = make_pipeline(model_folder, idk_threshold=None, words=["façade"])
    assert senses(never("mix crane façade")) == [None, None, "façade.2"]


@pytest.mark.parametrize("batch_size", [1, 2, 50])
def test_pipe_gives_what_single_calls_give(nlp, batch_size) -> None:
    texts = [BIRD, MACHINE, "", "mix crane", "crane <b>nest</b> crane"] * 3
    piped = [senses(doc) for doc in nlp.pipe(texts, batch_size=batch_size)]
    assert piped == [senses(nlp(text)) for text in texts]
    assert "crane.1" in piped[0]
    assert "crane.2" in piped[1]


def test_other_processes_open_the_model_themselves(nlp) -> None:
    docs = list(nlp.pipe([BIRD, MACHINE] * 4, n_process=2, batch_size=2))
    assert [doc._.senses[0]._.sense for doc in docs] == ["crane.1", "crane.2"] * 4
    assert len(pickle.dumps(nlp.get_pipe("grassmeans"))) < 1000


def test_a_word_belongs_to_the_token_in_which_it_starts(nlp) -> None:
    doc = nlp("See www.crane.nest now: crane-like, the crane's nest.")
    found = {token.text: token._.sense for token in doc._.senses}
    assert found == {"www.crane.nest": "crane.1", "crane": "crane.1"}
    assert [token._.sense for token in doc if token.text == "crane"] == ["crane.1"] * 2


def test_a_token_takes_its_first_word_and_a_word_its_first_token(nlp) -> None:
    words = spacy.tokens.Doc(nlp.vocab, ["crane/façade", "nest"], [True, False])
    assert senses(nlp.get_pipe("grassmeans")(words)) == ["crane.1", None]
    pieces = spacy.tokens.Doc(nlp.vocab, ["cra", "ne", "nest"], [False, True, False])
    assert senses(nlp.get_pipe("grassmeans")(pieces)) == ["crane.1", None, None]


def test_positions_survive_normalisation(nlp) -> None:
    text = unicodedata.normalize("NFD", "caf\u00e9\u00adé façade steel ") + "\ufeffcrane"
    found = [(token.text, token._.sense) for token in nlp(text)._.senses]
    assert [sense for _, sense in found] == ["façade.2", "crane.2"]
    assert unicodedata.normalize("NFC", found[0][0]) == "façade"
    assert found[1][0].endswith("crane")


def test_markup_marks_nothing(nlp) -> None:
    doc = nlp("crane <b> steel </b> crane <crane>")
    found = [(token.i, token._.sense) for token in doc._.senses]
    assert [sense for _, sense in found] == ["crane.2", "crane.2"]
    assert [doc[i].text for i, _ in found] == ["crane", "crane"]


def test_storing_keeps_the_configuration_and_not_the_model(nlp, model_folder, tmp_path) -> None:
    nlp.get_pipe("grassmeans").config["idk_threshold"] = 0.7
    nlp.to_disk(tmp_path / "pipeline")
    stored = [path.name for path in (tmp_path / "pipeline" / "grassmeans").iterdir()]
    assert stored == ["config.json"]
    opened = spacy.load(tmp_path / "pipeline")
    assert senses(opened("mix crane")) == [None, "crane.2"]
    again = make_pipeline(model_folder).from_bytes(nlp.to_bytes())
    assert senses(again("mix crane")) == [None, "crane.2"]


def test_documents_keep_their_senses_when_stored(nlp) -> None:
    stored = DocBin(store_user_data=True, docs=[nlp(BIRD)]).to_bytes()
    (doc,) = DocBin().from_bytes(stored).get_docs(nlp.vocab)
    assert senses(doc) == [None, "crane.1", None, None, None, None]
    assert doc[1]._.sense_scores["crane.1"] > 0.99


def test_another_language_is_told(model_folder) -> None:
    with pytest.warns(UserWarning, match="language is 'es', but the model .* text in 'en'"):
        make_pipeline(model_folder, "es")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make_pipeline(model_folder, "xx")


@pytest.mark.parametrize(
    ("config", "error", "message"),
    [
        ({"words": ["heron"]}, UnknownWordError, "'heron' is not among the 2 words"),
        ({"idk_threshold": 3.0}, InputError, "idk_threshold must be a number from 0 to 1"),
        ({"sharpness": -1.0}, InputError, "sharpness must be a number from 0"),
        ({"model": "no such model"}, ArtifactError, "there is no model"),
    ],
)
def test_mistakes_show_when_the_pipe_is_added(model_folder, config, error, message) -> None:
    with pytest.raises(error, match=message):
        make_pipeline(**{"folder": config.pop("model", model_folder)} | config)


def test_one_word_may_stand_for_a_list_and_in_any_case(model_folder) -> None:
    assert component.SenseComponent(str(model_folder), words="Crane").config["words"] == ["Crane"]
    with pytest.raises(InputError, match="words must be a word or a list of words"):
        component.SenseComponent(str(model_folder), words=7)


@pytest.mark.system
def test_the_entry_point_finds_the_factory(model_folder, tmp_path) -> None:
    package = tmp_path / "installed_package-1.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Name: installed-package\nVersion: 1\n")
    (package / "entry_points.txt").write_text(
        "[spacy_factories]\ngrassmeans = grassmeans.integrations.spacy:make_component\n"
    )
    code = (
        "import sys; sys.path[:0] = sys.argv[1:3]\n"
        "import spacy\n"
        "nlp = spacy.blank('en')\n"
        "nlp.add_pipe('grassmeans', config={'model': sys.argv[3]})\n"
        "print(nlp('Steel crane')[1]._.sense)"
    )
    source = component.__file__.rsplit("grassmeans", 1)[0]
    command = [sys.executable, "-c", code, str(tmp_path), source, str(model_folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == "crane.2\n", done.stderr


def test_importing_grassmeans_does_not_import_spacy() -> None:
    code = "import sys, grassmeans, grassmeans.models.model; print('spacy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_missing_spacy_names_the_extra(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy.language", None)
    monkeypatch.delitem(sys.modules, "grassmeans.integrations.spacy")
    with pytest.raises(MissingExtraError, match=r"grassmeans\[spacy\]"):
        import grassmeans.integrations.spacy  # noqa: F401
