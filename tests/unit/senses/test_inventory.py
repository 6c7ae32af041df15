from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from grassmeans.clustering.settings import InductionSettings
from grassmeans.errors import ArtifactError, InputError, UnknownWordError
from grassmeans.geometry.windows import extract_contexts
from grassmeans.senses import induction
from grassmeans.senses.entries import SkippedWord, WordSenses, entry_from_dict, entry_to_dict
from grassmeans.senses.examples import N_EXAMPLES
from grassmeans.senses.induction import choose_encoder, default_min_count, frequent_words, induce
from grassmeans.senses.inventory import SenseInventory
from grassmeans.senses.word_induction import WordInducer

TWO = InductionSettings(n_senses=2)


def induce_one(word, corpus, vectors, **changes) -> WordSenses | SkippedWord:
    encoder, settings = choose_encoder(corpus, vectors, None, changes)
    return WordInducer(corpus, encoder, settings)(word)


@pytest.fixture(scope="module")
def inventory(topic_corpus, topic_vectors) -> SenseInventory:
    return induce(topic_corpus, topic_vectors, ["crane", "bank", "nowhere"], settings=TWO)


def test_senses_fit_the_topics(inventory, topic_corpus, topic_vectors, synthetic) -> None:
    for word in ("crane", "bank"):
        topics = [topic for _, topic in synthetic.gold[word]]
        contexts = extract_contexts(topic_corpus, word, vectors=topic_vectors)
        # which sense each occurrence is nearest to, by the definition of the distance
        labels = []
        for row in contexts.context_ids:
            x = topic_vectors.vectors[row[row >= 0]].astype(float)
            basis = np.linalg.svd(x, full_matrices=False)[2][:3]
            labels.append(np.argmax(((basis @ inventory.directions(word).T) ** 2).sum(axis=0)))
        first = topics[0]
        agreement = np.mean(
            [(t == first) == (k == labels[0]) for t, k in zip(topics, labels, strict=True)]
        )
        assert max(agreement, 1 - agreement) > 0.95


def test_entry_describes_each_sense(inventory, synthetic) -> None:
    entry = inventory["crane"]
    assert entry.count == 200
    assert entry.n_senses == len(entry.senses) == 2
    assert [sense.number for sense in entry.senses] == [1, 2]
    assert sum(sense.share for sense in entry.senses) == pytest.approx(1)
    assert entry.senses[0].share >= entry.senses[1].share
    bird, machine = (set(words) for words in synthetic.topic_words[:2])
    sets = [set(sense.characteristic_words) for sense in entry.senses]
    assert (sets[0] <= bird and sets[1] <= machine) or (sets[0] <= machine and sets[1] <= bird)
    for sense, own in zip(entry.senses, sets, strict=True):
        topic = bird if own <= bird else machine
        assert set(sense.nearest_words[:5]) <= topic
        assert 0 < sense.mean_distance < 1
        assert 1 <= len(sense.examples) <= N_EXAMPLES
        assert all(line.word.lower() == "crane" for line in sense.examples)
        words = " ".join(line.left + line.right for line in sense.examples).lower()
        assert sum(w in topic for w in words.replace(".", " ").split()) > 10


def test_unknown_words_are_reported_not_fatal(inventory) -> None:
    assert inventory.words == ("crane", "bank")
    assert inventory.skipped == (SkippedWord("nowhere", "does not occur in the corpus"),)
    with pytest.raises(UnknownWordError, match=r"'nowhere' has no senses .* does not occur"):
        _ = inventory["nowhere"]
    with pytest.raises(UnknownWordError, match="not among the 2 words"):
        _ = inventory["heron"]
    assert "heron" not in inventory


def test_more_senses_than_contexts_is_a_reason(topic_corpus, topic_vectors) -> None:
    result = induce_one("crane", topic_corpus, topic_vectors, n_senses=500)
    assert isinstance(result, SkippedWord)
    assert result.reason == "has 200 contexts of 3 known words or more, too few for 500 senses"


def test_a_word_does_not_depend_on_the_company(inventory, topic_corpus, topic_vectors) -> None:
    alone = induce(topic_corpus, topic_vectors, ["bank"], settings=TWO)
    np.testing.assert_array_equal(alone.directions("bank"), inventory.directions("bank"))
    assert entry_to_dict(alone["bank"]) == entry_to_dict(inventory["bank"])


def test_result_does_not_depend_on_workers(
    monkeypatch, inventory, topic_corpus, topic_vectors
) -> None:
    monkeypatch.setattr(induction, "BATCH_WORDS", 1)
    words = ["crane", "bank", "nowhere"]
    parallel = induce(topic_corpus, topic_vectors, words, settings=TWO, workers=2)
    assert parallel.words == inventory.words
    for word in parallel:
        np.testing.assert_array_equal(parallel.directions(word), inventory.directions(word))


def test_round_trip(inventory, tmp_path) -> None:
    inventory.save(tmp_path)
    loaded = SenseInventory.load(tmp_path)
    assert loaded.words == inventory.words
    assert loaded.skipped == inventory.skipped
    assert loaded.sense_counts == {"crane": 2, "bank": 2}
    for word in loaded:
        assert entry_to_dict(loaded[word]) == entry_to_dict(inventory[word])
        np.testing.assert_array_equal(loaded[word].directions, inventory[word].directions)


@pytest.mark.parametrize("name", ["entries.jsonl", "directions.npy", "words.txt"])
def test_truncated_files_are_noticed(inventory, tmp_path, name) -> None:
    inventory.save(tmp_path)
    path = tmp_path / name
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(ArtifactError, match="truncated or damaged"):
        SenseInventory.load(tmp_path)


@pytest.mark.parametrize("name", ["entries.jsonl", "directions.npy", "words.txt", "skipped.tsv"])
def test_missing_files_are_noticed(inventory, tmp_path, name) -> None:
    inventory.save(tmp_path)
    (tmp_path / name).unlink()
    with pytest.raises(ArtifactError, match="missing"):
        SenseInventory.load(tmp_path)


def test_finished_parts_are_taken_over(monkeypatch, topic_corpus, topic_vectors, tmp_path) -> None:
    monkeypatch.setattr(induction, "BATCH_WORDS", 1)
    induced = []
    original = WordInducer.__call__

    def counting(self, word):
        if word == "bass" and "bass" not in induced:
            induced.append(word)
            raise KeyboardInterrupt
        induced.append(word)
        return original(self, word)

    monkeypatch.setattr(WordInducer, "__call__", counting)
    words = ["crane", "nowhere", "bass"]

    def run() -> SenseInventory:
        return induce(topic_corpus, topic_vectors, words, settings=TWO, parts=tmp_path / "parts")

    with pytest.raises(KeyboardInterrupt):
        run()
    resumed = run()
    assert induced == ["crane", "nowhere", "bass", "bass"]
    assert resumed.words == ("crane", "bass")
    assert resumed.skipped[0].word == "nowhere"
    assert isinstance(resumed["crane"], WordSenses)


@pytest.mark.parametrize(
    ("n_tokens", "min_count"),
    [(1_000, 50), (62_000_000, 310), (2_000_000_000, 10_000), (10**12, 10_000)],
)
def test_default_min_count_is_the_paper_s_share(n_tokens, min_count) -> None:
    assert default_min_count(n_tokens) == min_count


def test_frequent_words_are_content_words_with_a_vector(topic_corpus, topic_vectors) -> None:
    words = frequent_words(topic_corpus, topic_vectors, min_count=200)
    assert {"crane", "bank", "bass", "seal"} <= set(words)
    assert "the" not in words


def test_no_words_at_all_is_an_error(topic_corpus, topic_vectors) -> None:
    with pytest.raises(InputError, match="no word to induce"):
        induce(topic_corpus, topic_vectors, min_count=10**6)


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"n_senses": 0}, "n_senses must be a whole"), ({"max_contexts": 0}, "1 or more; got 0")],
)
def test_bad_settings_are_named(settings, message) -> None:
    with pytest.raises(InputError, match=message):
        InductionSettings(**settings)


def test_single_settings_can_be_given_by_name(inventory, topic_corpus, topic_vectors) -> None:
    found = induce(topic_corpus, topic_vectors, ["crane"], n_senses=2)
    np.testing.assert_array_equal(found.directions("crane"), inventory.directions("crane"))
    with pytest.raises(InputError, match="unknown setting 'senses': expected one of"):
        induce(topic_corpus, topic_vectors, ["crane"], senses=2)


def test_entries_are_plain_json(inventory) -> None:
    values = json.loads(json.dumps(entry_to_dict(inventory["crane"])))
    assert values["word"] == "crane"


def test_every_word_gets_its_own_number_of_senses(topic_corpus, topic_vectors, synthetic) -> None:
    one_topic = synthetic.topic_words[0][:2]
    found = induce(
        topic_corpus, topic_vectors, ["crane", "bank", *one_topic], n_senses="auto", granularity=0.8
    )
    assert found.sense_counts == {"crane": 2, "bank": 2, one_topic[0]: 1, one_topic[1]: 1}
    assert found[one_topic[0]].senses[0].share == 1.0
    assert found[one_topic[0]].senses[0].name


def test_a_word_without_contexts_has_no_senses_whatever_their_number(
    topic_corpus, topic_vectors
) -> None:
    # More words than a context can have.
    result = induce_one("crane", topic_corpus, topic_vectors, n_senses="auto", rank=21)
    assert isinstance(result, SkippedWord)
    assert result.reason == "has 0 contexts of 21 known words or more, too few for any sense"


def test_names_of_senses_come_from_their_topics(inventory, synthetic) -> None:
    names = [sense.name for sense in inventory["crane"].senses]
    assert sorted(name[:4] for name in names) == ["bird", "mach"]
    bird, machine = synthetic.topic_words[:2]
    assert {*bird, *machine} >= {word for name in names for word in name.split(", ")}


def test_entries_of_older_models_have_no_names(inventory) -> None:
    values = json.loads(json.dumps(entry_to_dict(inventory["crane"])))
    for sense in values["senses"]:
        del sense["name"]
    old = entry_from_dict(values, inventory.directions("crane"), Path("f"))
    assert [sense.name for sense in old.senses] == ["", ""]


def test_an_inventory_is_stored_under_any_path(inventory, tmp_path) -> None:
    inventory.save(str(tmp_path / "stored"))
    assert SenseInventory.load(str(tmp_path / "stored")).words == inventory.words


def test_folders_and_names_stand_for_what_they_hold(topic_corpus, topic_vectors) -> None:
    given = induce(topic_corpus, topic_vectors, "crane", n_senses=2)
    opened = induce(str(topic_corpus.path), topic_vectors.folder, "crane", n_senses=2)
    np.testing.assert_array_equal(opened.directions("crane"), given.directions("crane"))
    with pytest.raises(InputError, match=r"contexts must be word vectors, an encoder.*got int"):
        induce(topic_corpus, 7, "crane")


def test_entries_can_be_compared(inventory, tmp_path) -> None:
    inventory.save(tmp_path / "inventory")
    opened = SenseInventory.load(tmp_path / "inventory")
    assert opened["crane"] == inventory["crane"]
    assert opened["crane"] != inventory["bank"]


@pytest.mark.parametrize("number", [np.nan, np.inf, 3.0])
def test_directions_that_are_no_unit_vectors_are_damage(number: float) -> None:
    rows = np.array([[1.0, 0.0], [0.0, number]], np.float32)
    entries = [WordSenses(name, 1, 1, row[None], ()) for name, row in zip("ab", rows, strict=True)]
    inventory = SenseInventory(entries)
    assert inventory.lines_of(["a"]).directions.tolist() == [[1.0, 0.0]]
    with pytest.raises(ArtifactError, match="a direction of 'b' is not of unit length"):
        inventory.lines_of(["a", "b"])
