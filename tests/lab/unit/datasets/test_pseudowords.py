"""Artificial polysemous words and the corpus that has them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from damage import make_old
from grassmeans import Corpus
from grassmeans.corpus.corpus import default_options
from grassmeans.errors import InputError, UnknownWordError
from grassmeans.evaluation.loading import open_task
from grassmeans_lab.datasets.pseudowords import (
    PseudowordSettings,
    WordChoice,
    build_pseudowords,
    choose_groups,
    find_candidates,
    is_monosemous,
    merge_words,
    name_groups,
)
from grassmeans_lab.datasets.writing import Sampling
from grassmeans_lab.wordnet.database import WordNet

TEXTS = [
    "The monks of the Monastery prayed.",
    "Her PhD was about a monastery.",
    "A phd takes years, an opera takes hours.",
    "The opera house.",
]
GROUPS = [["monastery", "phd"]]


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    return Corpus.from_texts(TEXTS, tmp_path / "corpus")


def wordnet(**senses: int) -> WordNet:
    lines = "".join(
        f"{lemma} n {n} 0 {n} 0 {' '.join(f'{i:08d}' for i in range(n))}\n"
        for lemma, n in senses.items()
    )
    empty = {f"index.{name}": b"" for name in ("verb", "adj", "adv")}
    return WordNet("here", {"index.noun": lines.encode()} | empty)


def test_the_label_is_the_word_that_stood_there(corpus, tmp_path) -> None:
    summary = build_pseudowords(corpus, tmp_path / "set", groups=GROUPS)
    assert summary.senses == {"pseudoword1": {"monastery": 2, "phd": 2}}
    task = open_task("jsonl", tmp_path / "set" / "instances.jsonl")
    texts = [(i.id, i.left, i.word, i.right) for i in task.instances]
    assert texts == [
        ("pseudoword1.1", "The monks of the ", "pseudoword1", " prayed."),
        ("pseudoword1.2", "Her ", "pseudoword1", " was about a pseudoword1."),
        ("pseudoword1.3", "Her pseudoword1 was about a ", "pseudoword1", "."),
        ("pseudoword1.4", "A ", "pseudoword1", " takes years, an opera takes hours."),
    ]
    labels = task.gold.best_labels("pseudoword1")
    assert list(labels.values()) == ["monastery", "phd", "monastery", "phd"]
    manifest = json.loads((tmp_path / "set" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["merged"] == {"pseudoword1": ["monastery", "phd"]}


def test_merging_changes_the_tokens_alone(corpus, tmp_path) -> None:
    groups = {"both": ["monastery", "phd"]}
    merged = merge_words(corpus, groups, tmp_path / "merged", workers=1)
    names = {"monastery": "both", "phd": "both"}
    words = [corpus.vocabulary.words[i] for i in corpus.shards[0].tokens]
    expected = [names.get(word, word) for word in words]
    assert [merged.vocabulary.words[i] for i in merged.shards[0].tokens] == expected
    assert merged.vocabulary.count_of("both") == 4
    assert merged.vocabulary.count_of("opera") == 2
    assert "phd" not in merged.vocabulary
    assert len(merged.vocabulary) == len(corpus.vocabulary) - 1
    counts = np.asarray(merged.vocabulary.counts)
    assert (np.diff(counts) <= 0).all()
    assert counts.sum() == merged.n_tokens == corpus.n_tokens
    assert [line.word for line in merged.concordance("both")] == [
        "Monastery", "PhD", "monastery", "phd",
    ]  # fmt: skip
    assert merged.document_text(0) == TEXTS[0]
    assert merged.function_words == corpus.function_words
    assert merged.manifest["merged"] == groups
    assert merged.manifest["digest"] != corpus.manifest["digest"]
    texts = [shard.folder / "text.bin" for shard in (corpus.shards[0], merged.shards[0])]
    assert texts[0].read_bytes() == texts[1].read_bytes()


def test_positions_are_those_of_the_merged_corpus(corpus, tmp_path) -> None:
    build_pseudowords(
        corpus, tmp_path / "set", groups=GROUPS, corpus_out=tmp_path / "merged", workers=1
    )
    merged = Corpus.open(tmp_path / "merged")
    lines = (tmp_path / "set" / "instances.jsonl").read_text(encoding="utf-8").splitlines()
    positions = [json.loads(line)["position"] for line in lines]
    assert merged.positions("pseudoword1").tolist() == positions


def test_tokens_beyond_the_vocabulary_stay_unknown(corpus, tmp_path) -> None:
    tokens = np.array(corpus.shards[0].tokens)
    unknown = int(corpus.positions("monks")[0])
    tokens[unknown] = -1
    np.save(corpus.shards[0].folder / "tokens.npy", tokens)
    make_old(corpus.path)
    merged = merge_words(
        Corpus.open(corpus.path), {"both": ["monastery", "phd"]}, tmp_path / "merged", workers=1
    )
    assert merged.shards[0].tokens[unknown] == -1
    assert (merged.shards[0].tokens >= 0).sum() == corpus.n_tokens - 1


def test_words_are_drawn_from_a_band_of_frequencies(tmp_path) -> None:
    counts = {"opera": 9, "monk": 8, "the": 8, "mp3": 8, "ox": 8, "river": 5, "moon": 4, "rare": 1}
    text = " ".join(word for word, n in counts.items() for _ in range(n))
    corpus = Corpus.from_texts([text], options=default_options())
    assert find_candidates(corpus, 4, 8) == ["monk", "river", "moon"]
    assert find_candidates(corpus, 4, None) == ["opera", "monk", "river", "moon"]
    senses = wordnet(monk=1, river=2, opera=1)
    assert find_candidates(corpus, 4, None, senses) == ["opera", "monk"]
    groups = choose_groups(corpus, WordChoice(2, 2, 4, None))
    assert sorted(word for group in groups for word in group) == ["monk", "moon", "opera", "river"]
    assert [len(group) for group in groups] == [2, 2]
    assert choose_groups(corpus, WordChoice(2, 2, 4, None)) == groups
    draws = {choose_groups(corpus, WordChoice(1, 2, 4, None, random_state=i))[0] for i in range(9)}
    assert len(draws) > 1
    with pytest.raises(InputError, match="need 6 words, but the corpus has 4 content words"):
        choose_groups(corpus, WordChoice(2, 3, 4, None))
    with pytest.raises(
        InputError, match="has 2 words with one sense in WordNet that occur 4 times"
    ):
        choose_groups(corpus, WordChoice(2, 2, 4, None), senses)


def test_frequent_words_can_be_drawn_more_often() -> None:
    text = "opera " * 90 + "monk river moon tower " * 2
    corpus = Corpus.from_texts([text], options=default_options())
    draws = [
        choose_groups(corpus, WordChoice(1, 2, 1, None, by_frequency=True, random_state=i))[0]
        for i in range(40)
    ]
    # By chance alone two of five words would hold "opera" 16 times of 40.
    assert sum("opera" in draw for draw in draws) >= 38


def test_inflected_words_are_looked_up_by_their_dictionary_form() -> None:
    senses = wordnet(employer=1, bank=3)
    assert is_monosemous("employers", senses)
    assert not is_monosemous("banks", senses)
    assert not is_monosemous("unheard", senses)


def test_names_are_new_words() -> None:
    corpus = Corpus.from_texts(["pseudoword1 and the monastery of phd opera house"])
    assert name_groups(corpus, [["monastery", "phd"], ["opera", "house"]]) == {
        "pseudoword2": ("monastery", "phd"),
        "pseudoword3": ("opera", "house"),
    }


def test_tokenised_text_is_replaced_by_its_own_rule(tmp_path) -> None:
    source = tmp_path / "tokens.txt"
    source.write_text("the and/or gate , a phd-and/or and/or phd\n", encoding="utf-8")
    corpus = Corpus.from_files([source], tmp_path / "corpus", format="tokens", workers=1)
    summary = build_pseudowords(corpus, tmp_path / "set", groups=[["and/or", "phd"]])
    assert summary.senses == {"pseudoword1": {"and%2For": 2, "phd": 1}}
    first = open_task("jsonl", tmp_path / "set" / "instances.jsonl").instances[0]
    assert first.right == " gate , a phd-and/or pseudoword1 pseudoword1"


def test_samples_are_drawn_by_the_seed(corpus, tmp_path) -> None:
    chosen = PseudowordSettings(sampling=Sampling(max_per_sense=1, random_state=1))
    for name in ("a", "b"):
        summary = build_pseudowords(corpus, tmp_path / name, chosen, groups=GROUPS)
        assert summary.senses == {"pseudoword1": {"monastery": 1, "phd": 1}}
    written = [(tmp_path / name / "instances.jsonl").read_bytes() for name in ("a", "b")]
    assert written[0] == written[1]


@pytest.mark.parametrize(
    ("groups", "error", "message"),
    [
        ([["monastery"]], InputError, "needs two different words"),
        ([["monastery", "phd"], ["phd", "opera"]], InputError, "'phd' is in two groups"),
        ([["monastery", "heron"]], UnknownWordError, "'heron' does not occur"),
        ([["monastery", "phd"], ["PhD", "opera"]], InputError, "'phd' is in two groups"),
    ],
)
def test_wrong_groups_are_explained(corpus, tmp_path, groups, error, message) -> None:
    with pytest.raises(error, match=message):
        build_pseudowords(corpus, tmp_path / "set", groups=groups)
    assert not (tmp_path / "set").exists()


def test_no_folder_is_replaced_that_holds_something_else(corpus, tmp_path) -> None:
    groups = {"both": ["monastery", "phd"]}
    with pytest.raises(InputError, match="is an input of this command"):
        merge_words(corpus, groups, corpus.path, overwrite=True)
    other = Corpus.from_texts(TEXTS, tmp_path / "other")
    with pytest.raises(InputError, match="corpus without 'merged'"):
        merge_words(corpus, groups, other.path, overwrite=True)
    build_pseudowords(corpus, tmp_path / "set", groups=GROUPS)
    with pytest.raises(InputError, match=r"another kind \(dataset"):
        merge_words(corpus, groups, tmp_path / "set", overwrite=True)
    merge_words(corpus, groups, tmp_path / "merged", workers=1)
    with pytest.raises(InputError, match="exists already"):
        merge_words(corpus, groups, tmp_path / "merged", workers=1)
    merge_words(corpus, {"x": ["opera", "phd"]}, tmp_path / "merged", workers=1, overwrite=True)
    assert "x" in Corpus.open(tmp_path / "merged").vocabulary
    with pytest.raises(InputError, match="need two folders"):
        build_pseudowords(
            corpus, tmp_path / "one", groups=GROUPS, corpus_out=tmp_path / "one", workers=1
        )
    with pytest.raises(InputError, match="'opera' is a word of the corpus already"):
        merge_words(corpus, {"opera": ["monastery", "phd"]}, tmp_path / "new")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"size": 1}, "merges 2 words or more, got 1"),
        ({"n_groups": 0}, "n_groups must be 1 or more"),
        ({"min_count": 9, "max_count": 8}, r"max_count must be min_count \(9\) or more, got 8"),
    ],
)
def test_impossible_choices_are_refused(arguments, message) -> None:
    with pytest.raises(InputError, match=message):
        WordChoice(**arguments)
