from __future__ import annotations

import pickle
import re

import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks

from grassmeans.errors import ArtifactError, InputError
from grassmeans.integrations.sklearn import SenseInducer, SenseTagger
from grassmeans.models.model import load

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


@pytest.mark.parametrize("estimator", [SenseTagger(), SenseInducer()], ids=str)
@pytest.mark.parametrize("check", CHECKS)
def test_conventions_of_estimators(check, estimator) -> None:
    getattr(estimator_checks, check)(type(estimator).__name__, estimator)


def test_texts_get_senses_that_vectorizers_keep(model_folder) -> None:
    tagger = SenseTagger(model_folder)
    assert tagger.fit_transform([BIRD, MACHINE]) == [
        "A crane_1 on the nest, 3 times.",
        "Steel crane_2!",
    ]
    counter = make_pipeline(tagger, CountVectorizer()).fit([BIRD, MACHINE])
    assert {"crane_1", "crane_2"} <= set(counter[-1].vocabulary_)


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_frames_come_out_where_they_are_asked_for(model_folder, kind) -> None:
    library = pytest.importorskip(kind, reason=f"{kind} is for development")
    column = library.Series([BIRD, MACHINE], **{"index": [7, 9]} if kind == "pandas" else {})
    tagger = SenseTagger(model_folder).set_output(transform=kind)
    with pytest.raises(NotFittedError):
        tagger.get_feature_names_out()
    found = tagger.fit_transform(column)
    assert isinstance(found, library.DataFrame)
    assert list(tagger.get_feature_names_out()) == list(found.columns) == ["text"]
    assert list(found["text"]) == ["A crane_1 on the nest, 3 times.", "Steel crane_2!"]
    if kind == "pandas":
        assert list(found.index) == [7, 9]
    tokens = SenseTagger(model_folder, output="tokens").set_output(transform=kind)
    found = tokens.fit_transform(column)
    assert list(found.columns) == ["tokens"]
    assert [list(row) for row in found["tokens"]] == [
        ["a", "crane.1", "on", "the", "nest", "times"],
        ["steel", "crane.2"],
    ]
    assert tokens.set_output(transform="default").transform([MACHINE]) == [["steel", "crane.2"]]
    with config_context(transform_output=kind):
        assert isinstance(SenseTagger(model_folder).fit_transform([]), library.DataFrame)


def test_the_only_column_or_text_of_a_frame_is_read(model_folder) -> None:
    frame = pytest.importorskip("pandas", reason="for development").DataFrame({"body": [MACHINE]})
    assert SenseTagger(model_folder).fit_transform(frame) == ["Steel crane_2!"]


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
        ({"idk_threshold": 2.0}, "idk_threshold must be a number from 0 to 1"),
        ({"model": 3}, "model must be a model, or the name or folder of one, got int"),
    ],
)
def test_wrong_parameters_are_explained_by_fit(model_folder, parameters, message) -> None:
    with pytest.raises(InputError, match=message):
        SenseTagger(**{"model": model_folder} | parameters).fit([BIRD])


def test_wrong_input_is_explained(model_folder, tmp_path) -> None:
    tagger = SenseTagger(model_folder).fit([])
    with pytest.raises(InputError, match="put a text into a list"):
        tagger.transform(BIRD)
    with pytest.raises(InputError, match=r"texts\[1\] is missing \(None\)"):
        tagger.transform([BIRD, None])
    with pytest.raises(ArtifactError, match="there is no model"):
        SenseTagger(tmp_path / "none").fit([])


def test_a_model_may_be_given_as_it_is(model_folder) -> None:
    model = load(model_folder)
    tagger = SenseTagger(model, words="Crane").fit([])
    assert tagger.transform([MACHINE]) == ["Steel crane_2!"]
    assert clone(tagger).model is model
    assert pickle.loads(pickle.dumps(tagger)).transform([MACHINE]) == ["Steel crane_2!"]


def test_tokens_stay_the_tokens_that_were_given(model_folder) -> None:
    tagger = SenseTagger(model_folder, output="tokens").fit([])
    assert tagger.transform([["Steel", "crane", "3,5"]]) == [["steel", "crane.2", "3,5"]]


@pytest.fixture(scope="module")
def inducer(topic_vectors, synthetic) -> SenseInducer:
    return SenseInducer("Crane", n_senses=2, contexts=topic_vectors).fit(synthetic.documents)


def test_senses_are_learnt_from_the_texts(inducer, synthetic) -> None:
    written = inducer.transform(synthetic.documents)
    gold = synthetic.gold["crane"]
    labels = [label for text in written for label in re.findall(r"crane_\d", text)]
    assert len(labels) == len(gold)
    pairs = set(zip(labels, [topic for _, topic in gold], strict=True))
    assert pairs in ({("crane_1", 0), ("crane_2", 1)}, {("crane_2", 0), ("crane_1", 1)})
    assert inducer.model_.senses("crane").n_senses == 2


def test_a_learner_of_senses_is_an_estimator_like_others(inducer, synthetic) -> None:
    chosen = [i for i, topic in enumerate(synthetic.topics) if topic < 2][:24]
    texts = [synthetic.documents[i] for i in chosen]
    topics = [synthetic.topics[i] for i in chosen]
    with pytest.raises(NotFittedError):
        clone(inducer).transform(texts)
    only_senses = CountVectorizer(token_pattern=r"crane_\d")
    pipeline = make_pipeline(clone(inducer), only_senses, LogisticRegression())
    grid = {"senseinducer__n_senses": [1, 2]}
    search = GridSearchCV(pipeline, grid, cv=2, error_score="raise").fit(texts, topics)
    assert search.best_params_ == {"senseinducer__n_senses": 2}
    assert search.best_score_ == 1.0
    assert pickle.loads(pickle.dumps(inducer)).transform(texts) == inducer.transform(texts)


def test_a_learner_without_words_to_learn_says_so(topic_vectors) -> None:
    with pytest.raises(InputError, match="lower min_count, or name words"):
        SenseInducer(contexts=topic_vectors).fit(["a crane birdba"])
    with pytest.raises(InputError, match="output must be one of"):
        SenseInducer("crane", output="words").fit(["a crane"])
