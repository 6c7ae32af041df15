from __future__ import annotations

import json
import pickle
import shutil
from dataclasses import replace

import numpy as np
import pytest

import grassmeans
from damage import edit_manifest
from grassmeans.clustering.settings import InductionSettings
from grassmeans.contexts.subspaces import SubspaceEncoder
from grassmeans.errors import ArtifactError, InputError, UnknownWordError
from grassmeans.geometry.windows import ContextShape
from grassmeans.models.model import SenseModel
from grassmeans.senses.decoding import decode_hard
from grassmeans.senses.induction import induce
from grassmeans.senses.inventory import SenseInventory
from grassmeans.tagging.tagging import TaggedText, TaggedWord


def sentence(words: list[str], target: str = "crane", marked: bool = False) -> str:
    middle = f"<b>{target}</b>" if marked else target
    return " ".join(words[:5]) + f" the {middle} of " + " ".join(words[5:10]) + "."


def test_senses_of_new_sentences_follow_their_topic(topic_model, synthetic) -> None:
    bird, machine = synthetic.topic_words[:2]
    tagged = topic_model.tag_many([sentence(bird), sentence(machine), sentence(bird[10:])])
    senses = [text[0].sense for text in tagged]
    assert senses[0] == senses[2] != senses[1]
    assert 0 not in senses


def test_spans_and_fields_of_a_tagged_word(topic_model, synthetic) -> None:
    text = sentence(synthetic.topic_words[0]).replace("crane", "Crane")
    tagged = topic_model.tag(text)
    (word,) = tagged
    assert tagged.text == text
    assert text[word.start : word.end] == word.word == "Crane"
    assert word.key == "crane"
    assert word.label == f"crane.{word.sense}"
    assert len(word.distances) == len(word.probabilities) == 2
    assert sum(word.probabilities) == pytest.approx(1)
    assert np.argmin(word.distances) + 1 == word.sense == np.argmax(word.probabilities) + 1


def test_a_tagged_text_as_plain_values_by_hand() -> None:
    far, chances = (0.123456, 0.9), (0.75, 0.25)
    word = TaggedWord(4, 9, "Crane", "crane", 1, far, chances, 0.98765, "", 1, (0, 20))
    tagged = TaggedText("The Crane was there.", (word,), ("kran",))
    expected = {
        "start": 4, "end": 9, "position": 1, "word": "Crane", "key": "crane", "sense": 1,
        "label": "crane.1", "context": [0, 20], "distances": [0.1235, 0.9], "confidence": 0.9877,
        "only_sense": False, "probabilities": [0.75, 0.25], "name": None,
    }  # fmt: skip
    assert word.to_dict() == json.loads(json.dumps(word.to_dict())) == expected
    assert tagged.to_dict() == {
        "text": "The Crane was there.", "words": [expected], "unknown": ["kran"],
    }  # fmt: skip
    unsure = replace(word, confidence=None, name="bird")
    assert "confidence" not in unsure.to_dict()
    assert unsure.to_dict()["name"] == "bird"
    assert TaggedText("", ()).to_dict() == {"text": "", "words": []}


def test_distances_follow_the_definition(topic_model, synthetic) -> None:
    words = synthetic.topic_words[0][:10]
    vectors = topic_model.vectors
    x = np.array([vectors[w] for w in words], dtype=float)
    basis = np.linalg.svd(x, full_matrices=False)[2][:3]
    directions = topic_model.inventory.directions("crane").astype(float)
    expected = np.sqrt(1 - ((basis @ directions.T) ** 2).sum(axis=0))
    np.testing.assert_allclose(topic_model.tag(sentence(words))[0].distances, expected, atol=1e-4)
    passage = (" ".join(words[:5]) + " the", "of " + " ".join(words[5:]))
    np.testing.assert_allclose(topic_model.distances("crane", [passage])[0], expected, atol=1e-4)


def test_too_little_context_is_don_t_know(topic_model, synthetic) -> None:
    (word,) = topic_model.tag("The crane was there.")
    assert (word.sense, word.label, word.distances) == (0, "crane.0", ())
    assert word.probabilities == (0.5, 0.5)
    two = " ".join(synthetic.topic_words[0][:2])
    assert topic_model.tag(f"crane {two}", idk_threshold=None)[0].sense == 1  # two words decide
    assert np.isnan(topic_model.distances("crane", [("", two)])).all()
    assert decode_hard(topic_model.distances("crane", [("", two)]), None).tolist() == [-1]


def test_threshold_moves_answers_to_don_t_know(topic_model, synthetic) -> None:
    text = sentence(synthetic.topic_words[0])
    assert topic_model.tag(text, idk_threshold=0.01)[0].sense == 0
    assert topic_model.tag(text, idk_threshold=1.0)[0].sense > 0


def test_only_marked_words_are_tagged(topic_model, synthetic) -> None:
    text = "crane " + sentence(synthetic.topic_words[0], marked=True)
    tagged = topic_model.tag(text)
    assert len(tagged) == 1
    assert "<b>" not in tagged.text
    assert tagged.text[tagged[0].start : tagged[0].end] == "crane"
    assert tagged[0].start > 10


def test_marked_word_that_is_not_in_the_model_is_reported(topic_model) -> None:
    tagged = topic_model.tag("A <b>heron</b> and a crane.")
    assert tagged.words == ()
    assert tagged.unknown == ("heron",)


def test_only_wanted_words_are_tagged(topic_model) -> None:
    text = "The crane stood on the bank."
    assert [w.key for w in topic_model.tag(text)] == ["crane", "bank"]
    assert [w.key for w in topic_model.tag(text, words=["Bank"])] == ["bank"]


@pytest.mark.parametrize("text", ["", "   ", "!!! ... 12", "nothing known here", "<b></b>", "<b>"])
def test_texts_without_known_words_give_nothing(topic_model, text) -> None:
    assert len(topic_model.tag(text)) == 0


def test_a_thousand_targets_in_one_text(topic_model) -> None:
    tagged = topic_model.tag("crane bank " * 500)
    assert len(tagged) == 1000


def test_contexts_do_not_cross_texts(topic_model, synthetic) -> None:
    words = " ".join(synthetic.topic_words[0][:10])
    tagged = topic_model.tag_many([words, "crane", words])
    assert tagged[1][0].sense == 0


def test_tag_needs_a_string(topic_model) -> None:
    with pytest.raises(InputError, match="needs a string, got list"):
        topic_model.tag(["crane"])


def test_model_round_trip(topic_model, topic_model_folder, synthetic, tmp_path) -> None:
    topic_model.save(tmp_path / "copy")
    copy = grassmeans.load(tmp_path / "copy")
    text = sentence(synthetic.topic_words[1])
    assert copy.tag(text) == topic_model.tag(text)
    assert copy.senses("crane").count == 200
    files = {path.name for path in topic_model_folder.iterdir()}
    assert files == {"checksums.txt", "function_words.txt", "inventory", "manifest.json", "vectors"}


def test_model_errors_say_what_to_do(topic_model_folder, topic_corpus, tmp_path) -> None:
    with pytest.raises(ArtifactError, match="there is no model at"):
        grassmeans.load(tmp_path / "none")
    with pytest.raises(ArtifactError, match="holds a corpus, but a model"):
        grassmeans.load(topic_corpus.path)
    broken = tmp_path / "broken"
    shutil.copytree(topic_model_folder, broken)
    manifest = json.loads((broken / "manifest.json").read_text())
    edit_manifest(broken, context={"kind": "colour"})
    with pytest.raises(ArtifactError, match=r"manifest\.json .*no kind of context 'colour'"):
        grassmeans.load(broken)
    (broken / "manifest.json").write_text(json.dumps(manifest | {"format_version": 7}))
    with pytest.raises(ArtifactError, match="format version 7"):
        grassmeans.load(broken)
    (broken / "vectors" / "vectors.npy").write_bytes(b"\x93NUMPY")
    (broken / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(ArtifactError, match="truncated or damaged"):
        grassmeans.load(broken)


def test_unknown_word_is_an_error_of_its_own(topic_model) -> None:
    with pytest.raises(UnknownWordError):
        topic_model.senses("heron")
    with pytest.raises(UnknownWordError):
        topic_model.distances("heron", [("a", "b")])


def test_a_word_with_one_sense_has_it_unless_it_is_far(
    topic_corpus, topic_vectors, topic_model, synthetic
) -> None:
    settings = InductionSettings(n_senses="auto")
    word, *others = synthetic.topic_words[0][:9]
    inventory = induce(topic_corpus, topic_vectors, [word], settings=settings)
    encoder = SubspaceEncoder(topic_vectors, ContextShape(), topic_corpus.function_words)
    model = SenseModel(encoder, inventory, topic_corpus.tokenizer)
    at_home = " ".join([*others[:4], word, *others[4:]])
    abroad = " ".join([word, *synthetic.topic_words[5][:8]])
    tagged = [text[0] for text in model.tag_many([at_home, abroad, word])]
    assert [w.sense for w in tagged] == [1, 0, 1]
    assert [w.only_sense for w in tagged] == [True] * 3
    assert not any(w.only_sense for w in topic_model.tag(f"crane {at_home}", words="crane"))
    assert [len(w.distances) for w in tagged] == [1, 1, 0]


def test_a_neighbouring_sentence_does_not_overwrite(topic_model, synthetic) -> None:
    bird, machine = (sentence(words).capitalize() for words in synthetic.topic_words[:2])
    apart = [text[0].sense for text in topic_model.tag_many([bird, machine])]
    text = f"{bird} {machine}"
    both = topic_model.tag(text)
    assert [word.sense for word in both] == apart
    assert [text[slice(*word.context)] + "." for word in both] == [bird, machine]


def test_where_a_sentence_says_nothing_its_neighbours_decide(topic_model, synthetic) -> None:
    other, telling = (" ".join(synthetic.topic_words[i][:8]).capitalize() for i in (2, 1))
    expected = topic_model.tag(f"crane {telling}")[0].sense
    text = f"{other}. {telling}. There was the crane. And then."
    (word,) = topic_model.tag(text)
    assert word.sense == expected
    assert text[slice(*word.context)] == f"{telling}. There was the crane. And then"
    far = f"{telling}. So it is. There was the crane. And then."
    (word,) = topic_model.tag(far)
    assert (word.sense, word.context) == (expected, (0, len(far) - 1))


def test_what_is_equal_in_many_answers_is_one_object(topic_model, synthetic) -> None:
    text = sentence([*synthetic.topic_words[0][:6], "crane", "Crane"])
    tagged = pickle.loads(pickle.dumps(topic_model.tag(text)))  # as it comes from a process
    small, again, large = tagged
    assert (small.word, large.word) == ("crane", "Crane")
    assert small.word is small.key is again.word is large.key
    assert small.context is again.context is large.context


def test_sentences_of_tokens_are_those_given(topic_model, synthetic) -> None:
    bird, machine = (["crane", *words[:8]] for words in synthetic.topic_words[:2])
    apart = [topic_model.tag(tokens=tokens)[0].sense for tokens in (bird, machine)]
    tagged = topic_model.tag(tokens=[bird, machine])
    assert [(word.sense, word.position) for word in tagged] == [(apart[0], 0), (apart[1], 9)]
    assert tagged.text == " ".join([*bird, *machine])
    assert {word.context for word in topic_model.tag(tokens=[*bird, *machine])} == {
        (0, len(tagged.text))
    }


def test_entries_without_descriptions_are_given_as_they_are(tmp_path):
    from crane_model import save_crane_model
    from grassmeans import load

    model = load(save_crane_model(tmp_path / "crane"))
    entry = model.senses("crane")
    assert entry.senses == ()
    assert len(entry.directions) == 2


def test_tagged_words_have_the_names_of_their_senses(topic_model, synthetic) -> None:
    text = sentence(synthetic.topic_words[0])
    (word,) = topic_model.tag(text)
    assert word.name == topic_model.senses("crane").senses[word.sense - 1].name != ""
    assert topic_model.tag(text, idk_threshold=0.01)[0].name == ""


def test_words_may_be_asked_for_one_at_a_time_and_in_any_case(topic_model, synthetic) -> None:
    text = sentence(synthetic.topic_words[0])
    assert topic_model.senses("Crane").word == "crane"
    assert [word.key for word in topic_model.tag(text, words="Crane")] == ["crane"]
    assert len(topic_model.tag(text, words="Bank")) == 0
    passages = [(text.split("crane")[0], text.split("crane")[1])]
    lower = topic_model.distances("crane", passages)
    np.testing.assert_array_equal(topic_model.distances("CRANE", passages), lower)


def test_senses_are_induced_in_any_case(topic_corpus, topic_vectors) -> None:
    for given in ("Crane", ["crane", "Crane"]):
        assert induce(topic_corpus, topic_vectors, given, n_senses=2).words == ("crane",)


def test_a_text_or_its_tokens(topic_model) -> None:
    for wrong in ({}, {"text": "a", "tokens": ["a"]}):
        with pytest.raises(InputError, match="one of them"):
            topic_model.tag(**wrong)
    with pytest.raises(InputError, match="tokens must be a list of strings"):
        topic_model.tag(tokens="crane")
    # Tokens have no marks, and are not split.
    assert [w.position for w in topic_model.tag(tokens=["<b>crane</b>", "crane", "crane,"])] == [1]


def test_without_marks_a_tag_is_text_and_every_word_is_tagged(topic_model, synthetic) -> None:
    bird, machine = synthetic.topic_words[:2]
    text = sentence(bird, marked=True) + "\n\n" + sentence(machine, "bank")
    assert [word.key for word in topic_model.tag(text)] == ["crane"]
    tagged = topic_model.tag(text, marks=False)
    assert tagged.text == text
    assert [word.key for word in tagged] == ["crane", "bank"]
    assert tagged[0].distances == topic_model.tag(text)[0].distances


def test_long_text_is_measured_in_steps_with_the_same_answers(
    topic_model, synthetic, monkeypatch
) -> None:
    text = "\n\n".join(sentence(synthetic.topic_words[i % 2]) for i in range(5))
    whole = topic_model.tag(text)
    monkeypatch.setattr("grassmeans.tagging.tagging._TARGETS_A_STEP", 2)
    done: list[float] = []
    assert topic_model.tag(text, on_progress=done.append) == whole
    assert done == [0.4, 0.8, 1.0]
    assert len(whole) == 5


def test_a_function_word_is_told_where_it_is_none_or_asked_for(topic_model, synthetic) -> None:
    bird, machine = synthetic.topic_words[:2]
    texts = [sentence(bird), sentence(machine)]
    usual = topic_model.tag(texts[0])[0].sense
    entry = topic_model.inventory["crane"]
    senses = tuple(replace(sense, function=sense.number == usual) for sense in entry.senses)
    model = topic_model.with_inventory(SenseInventory([replace(entry, senses=senses)]))
    assert [len(found) for found in model.tag_many(texts)] == [0, 1]
    assert [len(found) for found in model.tag_many(texts, words="crane")] == [1, 1]
    assert [len(model.tag(sentence(words, marked=True))) for words in (bird, machine)] == [1, 1]
    assert len(model.tag("A crane.", confidence=1.0)) == 0  # "I don't know" says nothing either
