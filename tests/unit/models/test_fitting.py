from __future__ import annotations

import copy
import pickle
import re

import numpy as np
import pytest

import grassmeans
from grassmeans import Corpus, SenseModel, WordVectors, find_senses
from grassmeans.errors import GrassmeansWarning, InputError, UnknownWordError
from grassmeans.labelling import label_corpus
from grassmeans.models.building import choose_contexts
from grassmeans.models.fitting import FoundOccurrence
from grassmeans.text.tokenizer import Tokenizer


def sentence(words: list[str]) -> str:
    return " ".join([*words[:5], "the Crane of", *words[5:10]])


@pytest.fixture(scope="module")
def found(synthetic, topic_vectors):
    texts = (text for text in [None, *synthetic.documents])
    return find_senses(texts, "Crane", contexts=topic_vectors, n_senses=2)


def test_every_occurrence_has_the_sense_of_its_topic(found, synthetic) -> None:
    gold = synthetic.gold["crane"]
    assert found.word == "crane"
    assert [x.text for x in found.occurrences] == [document + 1 for document, _ in gold]
    topics = np.array([topic for _, topic in gold])
    same = found.labels == 1 + (topics != topics[0])
    assert max(same.mean(), 1 - same.mean()) > 0.99
    first = found.occurrences[0]
    assert synthetic.documents[gold[0][0]][first.start : first.end] == first.word == "crane"


def test_senses_have_names_shares_and_examples(found) -> None:
    assert len(found) == len(found.senses) == 2
    assert sum(sense.share for sense in found) == pytest.approx(1)
    for sense in found:
        assert sense.share == pytest.approx((found.labels == sense.number).mean())
        assert sense.name
        assert sense.examples
        assert {x.name for x in found.occurrences if x.sense == sense.number} == {sense.name}
    assert str(found).splitlines()[0] == "crane: 2 senses in 200 occurrences"
    assert "50%" in str(found)


def test_several_words_are_found_in_one_reading(found, synthetic, topic_vectors) -> None:
    # The same texts again with another word in its place.
    renamed = [re.sub("crane", "kran", x, flags=re.IGNORECASE) for x in synthetic.documents]
    texts = [None, *synthetic.documents, *renamed]
    words = ["Kran", "crane", "heron", "CRANE"]
    several = find_senses(iter(texts), words, contexts=topic_vectors, n_senses=2)
    assert list(several) == ["kran", "crane"]
    assert several["Crane"].occurrences == found.occurrences
    n_texts = len(synthetic.documents)
    assert several["kran"].word == "kran"
    assert [x.text for x in several["kran"].occurrences] == [
        x.text + n_texts for x in found.occurrences
    ]
    assert [word.word for word in several.skipped] == ["heron"]
    with pytest.raises(UnknownWordError, match="'heron' has no senses here: does not occur"):
        several["heron"]
    with pytest.raises(UnknownWordError, match="'stork' has no senses here: not asked for"):
        several["stork"]
    assert "heron" not in several
    rows = several.rows()
    assert [row["key"] for row in rows] == ["kran"] * 200 + ["crane"] * 200
    assert {"key": "crane"} | found.rows()[0] == rows[200]
    assert repr(several) == "FoundWords(2 words and their senses: 'kran 2, crane 2')"
    assert str(several).endswith(f"{several['crane']}\n\nheron: {several.skipped[0].reason}")
    assert set(several.model.words) == {"kran", "crane"}
    turned = find_senses(texts, ["crane", "Kran"], contexts=topic_vectors, n_senses=2)
    assert list(turned) == ["crane", "kran"]
    assert list(find_senses(synthetic.documents, ["crane"], contexts=topic_vectors)) == ["crane"]


@pytest.mark.parametrize("streamed", [False, True])
def test_data_sets_of_hugging_face_are_texts(found, synthetic, topic_vectors, streamed) -> None:
    datasets = pytest.importorskip("datasets", reason="datasets is for development")
    columns = {"id": range(-1, len(synthetic.documents)), "body": [None, *synthetic.documents]}
    rows = datasets.Dataset.from_dict(columns)
    given = rows.to_iterable_dataset() if streamed else rows
    same = find_senses(given, "Crane", column="body", contexts=topic_vectors, n_senses=2)
    assert same.occurrences == found.occurrences
    model = SenseModel.fit(given, "crane", column="body", contexts=topic_vectors, n_senses=2)
    assert model["crane"].word == "crane"
    np.testing.assert_array_equal(model["crane"].directions, found.model["crane"].directions)
    splits = datasets.DatasetDict(train=rows, test=rows)
    with pytest.raises(InputError, match="texts has the splits 'train', 'test'"):
        find_senses(splits, "crane", column="body", contexts=topic_vectors)


def test_the_model_of_what_was_found_tags_new_text(found, synthetic, tmp_path) -> None:
    bird, machine = synthetic.topic_words[:2]
    senses = [found.model.tag(sentence(words))[0].sense for words in (bird, machine)]
    assert sorted(senses) == [1, 2]
    found.model.save(tmp_path / "model")
    assert SenseModel.load(tmp_path / "model").tag(sentence(bird))[0].sense == senses[0]


def test_few_sentences_are_enough_however_often_they_come(synthetic) -> None:
    # Vectors that tell the topics apart, as those of a large corpus do.
    rng = np.random.default_rng(0)
    words = [word for topic in synthetic.topic_words[:2] for word in topic]
    vectors = np.repeat(np.eye(20)[:2], 40, axis=0) + 0.2 * rng.standard_normal((80, 20))
    topic_vectors = WordVectors(words, vectors.astype(np.float32))
    texts = [sentence(words[i:]) for words in synthetic.topic_words[:2] for i in (0, 10)]
    for times in (1, 20):
        found = find_senses(texts * times, "crane", contexts=topic_vectors)
        a, b = found.labels[0], found.labels[2]
        assert {a, b} == {1, 2}
        assert found.labels.tolist() == [a, a, b, b] * times
        examples = [str(example) for sense in found for example in sense.examples]
        assert len(set(examples)) == len(examples)


def test_files_corpora_and_tokens_are_texts(
    synthetic_text_file, topic_corpus, topic_vectors, synthetic
) -> None:
    tokens = [text.split() for text in synthetic.documents]
    for texts in (str(synthetic_text_file), topic_corpus, topic_corpus.path, tokens):
        found = find_senses(texts, "crane", contexts=topic_vectors, n_senses=2)
        assert len(found.senses) == 2
        documents = [document for document, _ in synthetic.gold["crane"]]
        # "crane." is no "crane" where the text comes tokenised.
        assert {x.text for x in found.occurrences} <= set(documents)
        whole = sum(token.lower() == "crane" for text in tokens for token in text)
        assert len(found.occurrences) == (len(documents) if texts is not tokens else whole)


def test_markup_in_texts_marks_nothing(topic_vectors, synthetic) -> None:
    text = sentence(synthetic.topic_words[0]) + " crane <b>bold</b>"
    found = find_senses([text], "crane", contexts=topic_vectors)
    assert [(x.start, x.word) for x in found.occurrences] == [
        (text.index("Crane"), "Crane"),
        (text.index("crane"), "crane"),
    ]
    assert isinstance(found.occurrences[0], FoundOccurrence)


def test_mistakes_are_told_in_the_words_of_python(topic_vectors) -> None:
    with pytest.raises(UnknownWordError, match="'heron' does not occur in the texts"):
        find_senses(["a crane"], "heron", contexts=topic_vectors)
    with pytest.raises(UnknownWordError, match="'heron' or 'bank' does not occur in the texts"):
        find_senses(["a crane"], ["heron", "bank"], contexts=topic_vectors)
    with pytest.raises(InputError, match="needs a word, got an empty list"):
        find_senses(["a crane"], [], contexts=topic_vectors)
    with pytest.raises(InputError, match="no senses were induced: 'crane' has 0 contexts"):
        find_senses(["a crane"], "crane", contexts=topic_vectors)
    with pytest.raises(InputError, match=r"contexts must be word vectors.*got int"):
        find_senses(["a crane"], "crane", contexts=7)
    with pytest.raises(InputError, match=r"language 'xx'.*function_words=\["):
        find_senses(["a crane"], "crane", contexts=topic_vectors, language="xx")
    with pytest.raises(InputError, match="language must be a code such as 'en', or None; got 3"):
        find_senses(["a crane flew"], "crane", language=3)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="unknown setting 'sences'"):
        find_senses(["a crane"], "crane", contexts=topic_vectors, sences=2)


def test_without_a_model_of_the_language_vectors_are_trained(synthetic) -> None:
    with pytest.warns(UserWarning, match=r"11,200 words.*contexts=\.\.\."):
        model = SenseModel.fit(synthetic.documents, "crane", language="none", n_senses=2)
    assert model.vectors.dim == 100
    bird, machine = synthetic.topic_words[:2]
    tagged = model.tag_many([sentence(bird), sentence(machine)], idk_threshold=None)
    assert {text[0].sense for text in tagged} == {1, 2}
    assert model.language == "none"


def test_english_texts_take_the_contexts_of_the_package_s_model(topic_corpus) -> None:
    shipped = grassmeans.load("en")
    source = choose_contexts(None, topic_corpus, "en")
    assert source.contexts.kind == shipped.encoder.kind
    assert source.contexts.vectors.words == shipped.vectors.words
    given = choose_contexts(shipped, topic_corpus, "en")
    assert given.contexts is shipped.encoder
    assert given.answer_rule == source.answer_rule


def test_all_frequent_words_where_none_is_named(topic_corpus, topic_vectors) -> None:
    model = SenseModel.fit(topic_corpus, contexts=topic_vectors, min_count=150)
    assert set(model.words) == {"crane", "bank", "bass", "seal"}
    assert model.settings.n_senses == "auto"
    assert model.calibration is not None


def test_models_go_to_other_processes_and_are_not_copied(topic_model, synthetic) -> None:
    text = sentence(synthetic.topic_words[0])
    sent = pickle.loads(pickle.dumps(topic_model))
    assert sent.tag(text) == topic_model.tag(text)
    assert copy.deepcopy(topic_model) is topic_model


def test_documents_can_be_read_again() -> None:
    corpus = Corpus.from_texts([["Two", "cranes"], "A crane."])
    assert corpus.document(0).keys == ("two", "cranes")
    assert (corpus.document(1).text, corpus.document(1).markup) == ("A crane.", "plain")
    assert corpus.documents_of(np.array([0, 1, 3])).tolist() == [0, 0, 1]
    assert corpus.text_tokenizer == Tokenizer()


def test_a_word_may_be_of_several(synthetic, topic_vectors) -> None:
    texts = [text.replace("crane", "big crane") for text in synthetic.documents[:40]]
    found = find_senses(texts, "Big Crane", contexts=topic_vectors, n_senses=2)
    assert found.word == "big_crane"
    assert {x.word for x in found.occurrences} == {"big crane"}
    text = sentence(synthetic.topic_words[0]).replace("Crane", "big crane")
    assert [word.key for word in found.model.tag(text)] == ["big_crane"]
    tokens = [text.replace("big crane", "big_crane").split() for text in texts]
    again = find_senses(tokens, "big_crane", contexts=topic_vectors, n_senses=2)
    assert again.word == "big_crane"


def test_a_labelled_corpus_has_other_words_than_its_text(
    topic_corpus, topic_model_folder, topic_vectors, tmp_path
) -> None:
    labelled = label_corpus(topic_corpus, topic_model_folder, tmp_path / "labelled", workers=1)
    with pytest.raises(InputError, match="is labelled: give the corpus that it was made from"):
        find_senses(labelled, "crane.1", contexts=topic_vectors)


POLISH = ["Zamek w drzwiach był zepsuty.", "Zamek królewski stoi na wzgórzu."] * 3


@pytest.mark.filterwarnings("ignore:the texts have")
def test_a_language_without_a_list_takes_ones_own_or_none() -> None:
    with pytest.raises(InputError, match=r"'pl'.*function_words=\[\.\.\.\] in Python"):
        find_senses(POLISH, "zamek", language="pl")
    found = find_senses(POLISH, "zamek", language="pl", function_words=["W", "na"])
    assert found.model.encoder.function_words == {"w", "na"}
    assert found.model.language == "pl"
    for nothing in ({"language": None}, {"language": "pl", "function_words": []}):
        assert not find_senses(POLISH, "zamek", **nothing).model.encoder.function_words


def test_a_corpus_has_its_own_function_words(topic_corpus, topic_vectors) -> None:
    with pytest.raises(InputError, match="function_words are those of the corpus"):
        find_senses(topic_corpus, "crane", function_words=["the"], contexts=topic_vectors)


def test_words_that_a_model_lacks_are_told(topic_model) -> None:
    with pytest.warns(GrassmeansWarning, match=r"no senses of 'qqqq', 'rrrr': not tagged"):
        topic_model.tag_many(["the crane"], words=["qqqq", "crane", "rrrr"])
    with pytest.warns(GrassmeansWarning, match=r"no senses of 'qqqq': not tagged"):
        list(topic_model.pipe(["the crane"], words="qqqq"))
