from __future__ import annotations

import pickle

import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks

from grassmeans.errors import ArtifactError, InputError
from grassmeans.integrations.sklearn import SenseTagger

BIRD, MACHINE = "A Crane on the nest, 3 times.", "Steel crane!"


# scikit-learn tests nothing of estimators that take texts, because its data are numbers; these
# checks need no data.
CHECKS = (
    "check_estimator_cloneable",
    "check_estimator_repr",
    "check_estimator_tags_renamed",
    "check_get_params_invariance",
    "check_mixin_order",
    "check_no_attributes_set_in_init",
    "check_set_params",
    "check_valid_tag_types",
)


@pytest.mark.parametrize("check", CHECKS)
def test_conventions_of_estimators(check) -> None:
    getattr(estimator_checks, check)("SenseTagger", SenseTagger())


def test_texts_get_senses_that_vectorizers_keep(model_folder) -> None:
    tagger = SenseTagger(model_folder)
    assert tagger.fit_transform([BIRD, MACHINE]) == [
        "A crane_1 on the nest, 3 times.",
        "Steel crane_2!",
    ]
    counter = make_pipeline(tagger, CountVectorizer()).fit([BIRD, MACHINE])
    assert {"crane_1", "crane_2"} <= set(counter[-1].vocabulary_)


def test_lexeme_keys_in_texts(model_folder) -> None:
    tagger = SenseTagger(model_folder, separator=".")
    assert tagger.fit_transform([MACHINE]) == ["Steel crane.2!"]


def test_tokens_are_the_model_s_with_lexeme_keys(model_folder) -> None:
    tagger = SenseTagger(model_folder, output="tokens")
    assert tagger.fit_transform([BIRD, ""]) == [["a", "crane.1", "on", "the", "nest", "times"], []]


def test_don_t_know_is_kept_or_left_as_the_word(model_folder) -> None:
    text = ["The Crane was there"]
    assert SenseTagger(model_folder).fit_transform(text) == ["The crane_0 was there"]
    assert SenseTagger(model_folder, keep_idk=False).fit_transform(text) == text
    strict = SenseTagger(model_folder, idk_threshold=0.5, output="tokens", keep_idk=False)
    assert strict.fit_transform(["mix crane"]) == [["mix", "crane"]]
    assert strict.set_params(idk_threshold=0.7).transform(["mix crane"]) == [["mix", "crane.2"]]


def test_only_wanted_words_are_replaced(model_folder) -> None:
    tagger = SenseTagger(model_folder, words=["façade"])
    assert tagger.fit_transform([MACHINE]) == [MACHINE]


def test_markup_is_blanked_and_marks_nothing(model_folder) -> None:
    text = "crane, <b>steel</b>&nbsp;<i>crane</i>"
    tagger = SenseTagger(model_folder, output="tokens")
    assert tagger.fit_transform([text]) == [["crane.2", "steel", "crane.2"]]


def test_a_classifier_learns_from_senses_what_words_cannot_tell(model_folder) -> None:
    # In both classes the word of interest is "crane"; its neighbours are not among the features.
    texts = [BIRD, "wing of the crane", MACHINE, "crane and beam"] * 3
    classes = ["bird", "bird", "machine", "machine"] * 3
    features = TfidfVectorizer(vocabulary=["crane", "crane_1", "crane_2"])
    pipeline = make_pipeline(SenseTagger(model_folder), features, LogisticRegression())
    assert pipeline.fit(texts, classes).score(texts, classes) == 1.0
    without = make_pipeline(features, LogisticRegression())
    assert without.fit(texts, classes).score(texts, classes) == 0.5


def test_parameters_can_be_searched(model_folder) -> None:
    texts = [BIRD, MACHINE] * 4
    classes = [0, 1] * 4
    pipeline = make_pipeline(SenseTagger(model_folder), CountVectorizer(), LogisticRegression())
    grid = {"sensetagger__idk_threshold": [0.3, 0.6]}
    assert GridSearchCV(pipeline, grid, cv=2).fit(texts, classes).best_score_ == 1.0


def test_clones_and_copies_hold_no_model(model_folder, tmp_path) -> None:
    fitted = SenseTagger(model_folder, keep_idk=False).fit([])
    copy = clone(fitted)
    assert copy.get_params() == fitted.get_params()
    with pytest.raises(NotFittedError):
        copy.transform([BIRD])
    stored = pickle.dumps(fitted)
    assert len(stored) < 1000
    assert pickle.loads(stored).transform([MACHINE]) == ["Steel crane_2!"]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"output": "words"}, "output must be one of text, tokens, got 'words'"),
        ({"idk_threshold": 2.0}, "idk_threshold must be between 0 and 1"),
        ({"model": 3}, "model must be the name or folder of a model, got int"),
    ],
)
def test_wrong_parameters_are_explained_by_fit(model_folder, parameters, message) -> None:
    with pytest.raises(InputError, match=message):
        SenseTagger(**{"model": model_folder} | parameters).fit([BIRD])


def test_wrong_input_is_explained(model_folder, tmp_path) -> None:
    tagger = SenseTagger(model_folder).fit([])
    with pytest.raises(InputError, match="put it into a list"):
        tagger.transform(BIRD)
    with pytest.raises(InputError, match="item 1 must be a string, got NoneType"):
        tagger.transform([BIRD, None])
    with pytest.raises(ArtifactError, match="there is no model"):
        SenseTagger(tmp_path / "none").fit([])
