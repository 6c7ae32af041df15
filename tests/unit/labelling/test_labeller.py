from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from grassmeans import Corpus, SkipGram, WordVectors
from grassmeans.artifacts import writing
from grassmeans.artifacts.writing import building_place
from grassmeans.corpus.ingest import IngestOptions
from grassmeans.errors import ArtifactError, InputError
from grassmeans.labelling import labeller
from grassmeans.labelling.labeller import label_corpus, relabel
from grassmeans.senses.keys import decode_key

HARD = "the crane.1 in a nest wing steel crane.2 the beam mix the crane.0 crane.0"


def test_hard_labels_by_hand(corpus, model, tmp_path, keys_of) -> None:
    labelled = label_corpus(corpus, model, tmp_path / "labelled", workers=1)
    assert keys_of(labelled) == HARD
    assert labelled.vocabulary.words[:4] == ["the", "crane.0", "a", "beam"]
    assert labelled.vocabulary.counts[:4].tolist() == [3, 2, 1, 1]
    assert labelled.positions("crane.0").tolist() == [12, 13]
    facts = labelled.manifest["labelled"]
    assert {name: facts[name] for name in ("decoding", "idk_threshold", "model_digest")} == {
        "decoding": "hard",
        "idk_threshold": 0.6,
        "model_digest": model.digest,
    }
    counts = {name: value for name, value in facts.items() if name.startswith("n_")}
    assert counts == {
        "n_words": 1,
        "n_lexemes": 2,
        "n_occurrences": 4,
        "n_idk": 2,
        "n_without_context": 1,
    }


def test_distances_are_stored_rounded(corpus, model, tmp_path) -> None:
    labelled = label_corpus(corpus, model, tmp_path / "labelled", workers=1)
    found = [np.load(s.folder / "sense_distances.npy").tolist() for s in labelled.shards]
    assert found[:2] == [[[0.0, 1.0]], [[1.0, 0.0]]]
    assert found[2] == [[float(np.float16(0.8)), float(np.float16(0.6))]]
    assert np.isnan(found[3]).all()
    positions = [np.load(s.folder / "sense_positions.npy").tolist() for s in labelled.shards]
    assert positions == [[1], [1], [2], [0]]


def test_the_text_stays_and_large_files_are_shared(corpus, model, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(writing, "SMALL_BYTES", 0)
    labelled = label_corpus(corpus, model, tmp_path / "labelled", workers=1)
    assert labelled.concordance("crane.2", width=7)[0].word == "crane"
    assert labelled.line_at(12).word == "Crane"
    assert labelled.function_words == {"a", "the"}
    shared = [shard.folder / "text.bin" for shard in (corpus.shards[0], labelled.shards[0])]
    assert os.path.samefile(*shared)
    words = [folder / "function_words.txt" for folder in (corpus.path, labelled.path)]
    assert not os.path.samefile(*words)  # a person may edit them
    assert not building_place(labelled.path).exists()
    assert not (labelled.shards[0].folder / "distances.json").exists()


def test_files_are_copied_where_they_cannot_be_linked(
    corpus, model, tmp_path, monkeypatch, contents
) -> None:
    monkeypatch.setattr(writing, "SMALL_BYTES", 0)
    linked = label_corpus(corpus, model, tmp_path / "linked", workers=1)

    def refuse(*_):
        raise OSError("no links here")

    monkeypatch.setattr(os, "link", refuse)
    copied = label_corpus(corpus, model, tmp_path / "copied", workers=1)
    assert contents(copied.path) == contents(linked.path)
    assert (copied.shards[0].folder / "text.bin").stat().st_nlink == 1


def test_another_threshold(corpus, model, tmp_path, keys_of) -> None:
    wide = label_corpus(corpus, model, tmp_path / "wide", idk_threshold=0.7, workers=1)
    assert keys_of(wide) == HARD.replace("mix the crane.0", "mix the crane.2")
    never = label_corpus(corpus, model, tmp_path / "never", idk_threshold=None, workers=1)
    assert keys_of(never) == keys_of(wide)  # without a context nobody can tell
    none = label_corpus(corpus, model, tmp_path / "none", idk_threshold=0.0, workers=1)
    assert keys_of(none) == HARD.replace("crane.1", "crane.0").replace("crane.2", "crane.0")


def test_decoding_again_gives_what_labelling_gives(corpus, model, tmp_path, contents) -> None:
    choices = [
        {"decoding": "hard", "idk_threshold": 0.7},
        {"decoding": "soft", "sharpness": 1.0, "random_state": 5},
    ]
    first = label_corpus(corpus, model, tmp_path / "first", workers=1)
    for number, choice in enumerate(choices):
        direct = label_corpus(corpus, model, tmp_path / f"direct{number}", workers=1, **choice)
        again = relabel(first, tmp_path / f"again{number}", workers=1, **choice)
        assert contents(again.path) == contents(direct.path)
        assert again.manifest["labelled"] == direct.manifest["labelled"]
    same = label_corpus(again, model, tmp_path / "back", workers=1)
    assert contents(same.path) == contents(first.path)


def test_soft_labels_are_drawn_from_the_probabilities(model, options, tmp_path) -> None:
    # "mix crane": exp(-10 * 0.8) against exp(-10 * 0.6) gives 0.119 and 0.881.
    texts = [f"{i} mix crane" for i in range(3_000)] + [f"{i} crane" for i in range(3_000)]
    many = Corpus.from_texts(texts, tmp_path / "many", options=IngestOptions())
    soft = label_corpus(many, model, tmp_path / "soft", decoding="soft", workers=1)
    tokens = np.asarray(soft.shards[0].tokens)
    is_second = tokens == soft.vocabulary.id_of("crane.2")
    assert np.isin(tokens[1:6_000:2], soft.vocabulary.ids_of(["crane.1", "crane.2"])).all()
    assert is_second[1:6_000:2].mean() == pytest.approx(0.881, abs=0.02)
    assert is_second[6_000:].mean() == pytest.approx(0.5, abs=0.03)
    assert soft.manifest["labelled"]["n_idk"] == 0
    assert soft.manifest["labelled"]["n_without_context"] == 3_000


def test_shards_are_drawn_apart_and_seeds_matter(model, tmp_path, keys_of, options) -> None:
    texts = ["crane " * 50 + str(i) for i in range(2)]
    corpus = Corpus.from_texts(texts, tmp_path / "c", options=options)
    drawn = {}
    for seed in (0, 1):
        label_corpus(
            corpus, model, tmp_path / str(seed), decoding="soft", random_state=seed, workers=1
        )
        found = Corpus.open(tmp_path / str(seed))
        drawn[seed] = [np.asarray(shard.tokens).tolist() for shard in found.shards]
    assert drawn[0][0] != drawn[0][1]
    assert drawn[0] != drawn[1]


def test_words_may_have_different_numbers_of_senses(corpus, make, tmp_path, keys_of) -> None:
    model = make(
        crane=[(1.0, 0.0, 0.0), (0.0, 1.0, 0.0)],
        wing=[(0.0, 1.0, 0.0)],
        nowhere=[(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)],
        beam=[(0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0)],
    )
    # wing: crane and nest; beam: crane and steel, 0.5 of the first axis and 1.5 of the second, as
    # eigenvectors of [[0.25, 0.25], [0.25, 1.25]] give: the second axis is nearest.
    labelled = label_corpus(corpus, model, tmp_path / "labelled", workers=1)
    assert keys_of(labelled) == HARD.replace("wing", "wing.0").replace("beam", "beam.2")
    assert labelled.manifest["labelled"]["n_words"] == 3
    soft = relabel(labelled, tmp_path / "soft", decoding="soft", workers=1)
    assert "wing.1" in keys_of(soft).split()


def test_unknown_tokens_and_words_like_keys(model, tmp_path, keys_of) -> None:
    from grassmeans.corpus.ingest import Ingest
    from grassmeans.reading.documents import RawDocument

    document = RawDocument("1", "", "nest crane crane.1 crane.1 crane rare", markup="tokens")
    Ingest(tmp_path / "c", IngestOptions(max_vocabulary=3), workers=1).take_documents([document])
    labelled = label_corpus(Corpus.open(tmp_path / "c"), model, tmp_path / "l", workers=1)
    # "crane.1" is a word of the text here, and has no vector.
    assert keys_of(labelled) == "nest crane.1 crane.1\\ crane.1\\ crane.1 <unknown>"
    again = relabel(labelled, tmp_path / "again", idk_threshold=0.0, workers=1)
    assert keys_of(again) == "nest crane.0 crane.1\\ crane.1\\ crane.0 <unknown>"


def test_repeats_are_left_out_where_the_model_says_so(make, tmp_path, keys_of, options) -> None:
    from dataclasses import replace

    text = "nest crane crane crane steel"
    corpus = Corpus.from_texts([text], tmp_path / "c", options=options)
    model = make(crane=[(1.0, 0.0, 0.0), (0.7071068, 0.7071068, 0.0), (0.0, 1.0, 0.0)])
    # The word itself, which lies on the diagonal, outweighs nest, and nest outweighs steel.
    heavy = [(10.0, 10.0, 0.0), (2.0, 0.0, 0.0), (0.0, 1.0, 0.0)]
    model.encoder.vectors = WordVectors(["crane", "nest", "steel"], np.array(heavy, np.float32))
    kept = label_corpus(corpus, model, tmp_path / "kept", workers=1)
    assert keys_of(kept) == "nest crane.2 crane.2 crane.2 steel"
    model = make(crane=[(1.0, 0.0, 0.0), (0.7071068, 0.7071068, 0.0), (0.0, 1.0, 0.0)])
    model.encoder.vectors = WordVectors(["crane", "nest", "steel"], np.array(heavy, np.float32))
    model.encoder.shape = replace(model.encoder.shape, drop_repeats=True)
    dropped = label_corpus(corpus, model, tmp_path / "dropped", workers=1)
    assert keys_of(dropped) == "nest crane.1 crane.1 crane.1 steel"


def test_result_does_not_depend_on_workers(synthetic, tmp_path, contents) -> None:
    options = IngestOptions(shard_chars=8_000)
    corpus = Corpus.from_texts(synthetic.documents, tmp_path / "c", options=options)
    vectors = SkipGram(dim=20, epochs=2, workers=1, min_count=3).fit(corpus).vectors_
    vectors.save(tmp_path / "vectors")
    from grassmeans.clustering.settings import InductionSettings
    from grassmeans.models.building import build_model

    settings = InductionSettings(n_senses=2, n_init=1)
    build_model(
        corpus.path,
        tmp_path / "vectors",
        tmp_path / "model",
        ["crane", "bank"],
        settings=settings,
        workers=1,
    )
    assert len(corpus.shards) > 5
    for decoding in ("hard", "soft"):
        folders = [tmp_path / f"{decoding}{workers}" for workers in (1, 2)]
        for workers, folder in enumerate(folders, 1):
            label_corpus(corpus, tmp_path / "model", folder, decoding=decoding, workers=workers)
        assert contents(folders[0]) == contents(folders[1])
    assert Corpus.open(folders[0]).manifest["labelled"]["model"] == "model"


def test_interrupted_labelling_takes_over_finished_shards(
    corpus, model, tmp_path, monkeypatch, contents
) -> None:
    def stop(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(labeller, "_write_labelled", stop)
        with pytest.raises(KeyboardInterrupt):
            label_corpus(corpus, model, tmp_path / "l", workers=1)
    with pytest.raises(ArtifactError, match="if it was stopped, start it again"):
        Corpus.open(tmp_path / "l")
    building = building_place(tmp_path / "l")
    (building / "scratch" / "00001.json").unlink()  # this one had not been finished
    files = [Path("shards", f"{number:05d}", "sense_distances.npy") for number in range(2)]
    times = [(building / "new" / file).stat().st_mtime_ns for file in files]
    label_corpus(corpus, model, tmp_path / "l", idk_threshold=0.7, workers=1)
    after = [(tmp_path / "l" / file).stat().st_mtime_ns for file in files]
    assert after[0] == times[0]
    assert after[1] != times[1]
    whole = label_corpus(corpus, model, tmp_path / "whole", idk_threshold=0.7, workers=1)
    assert contents(tmp_path / "l") == contents(whole.path)


def test_unfinished_work_of_another_model_is_refused(
    corpus, model, make, tmp_path, monkeypatch
) -> None:
    def stop(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(labeller, "_write_labelled", stop)
        with pytest.raises(KeyboardInterrupt):
            label_corpus(corpus, model, tmp_path / "l", workers=1)
    with pytest.raises(InputError, match="unfinished corpus of other inputs"):
        label_corpus(corpus, make(crane=[(0.0, 0.0, 1.0)]), tmp_path / "l", workers=1)


def test_a_labelled_corpus_trains_lexeme_vectors(corpus, model, tmp_path) -> None:
    labelled = label_corpus(corpus, model, tmp_path / "l", workers=1)
    vectors = SkipGram(dim=8, min_count=1, epochs=1, workers=1).fit(labelled).vectors_
    assert {"crane.0", "crane.1", "crane.2"} < set(vectors.words)
    assert "crane" not in vectors


def test_what_does_not_fit_is_refused(corpus, model, make, tmp_path, options) -> None:
    output = tmp_path / "l"
    with pytest.raises(InputError, match=r"lowercase is True, the model's False"):
        label_corpus(corpus, make(lowercase=False), output)
    with pytest.raises(InputError, match="no word of the model"):
        label_corpus(corpus, make(heron=[(1.0, 0.0, 0.0)]), output)
    with pytest.raises(InputError, match="decoding must be one of hard, soft, got 'firm'"):
        label_corpus(corpus, model, output, decoding="firm")
    with pytest.raises(InputError, match="from 0 to 1"):
        label_corpus(corpus, model, output, idk_threshold=1.5)
    with pytest.raises(InputError, match="sharpness"):
        label_corpus(corpus, model, output, decoding="soft", sharpness=-1.0)
    with pytest.raises(InputError, match="is an input of this command"):
        label_corpus(corpus, model, corpus.path, overwrite=True)
    with pytest.raises(InputError, match="without labels"):
        relabel(corpus, output)
    assert not output.exists()
    assert corpus.shards[0].tokens.size


def test_labels_of_another_model_are_not_labelled_over(corpus, model, make, tmp_path) -> None:
    labelled = label_corpus(corpus, model, tmp_path / "l", workers=1)
    with pytest.raises(InputError, match="labelled already, by another model"):
        label_corpus(labelled, make(crane=[(0.0, 0.0, 1.0)]), tmp_path / "again")


def test_finished_labels_are_replaced_only_when_told(corpus, model, tmp_path, keys_of) -> None:
    label_corpus(corpus, model, tmp_path / "l", workers=1)
    with pytest.raises(InputError, match="overwrite=True"):
        label_corpus(corpus, model, tmp_path / "l", idk_threshold=0.0, workers=1)
    again = label_corpus(
        corpus, model, tmp_path / "l", idk_threshold=0.0, workers=1, overwrite=True
    )
    assert "crane.1" not in keys_of(again)
    assert corpus.shards[0].tokens.size == 6  # shared files are not touched


@pytest.mark.parametrize("damage", ["truncated", "outside", "half", "shape", "positions"])
def test_damaged_distances_are_noticed(corpus, model, tmp_path, damage) -> None:
    labelled = label_corpus(corpus, model, tmp_path / "l", workers=1)
    folder = labelled.shards[0].folder
    path = folder / "sense_distances.npy"
    if damage == "truncated":
        path.write_bytes(path.read_bytes()[:-1])
    elif damage == "positions":
        np.save(folder / "sense_positions.npy", np.array([2], np.int32))
    else:
        value = {"outside": [[0.0, 2.0]], "half": [[0.0, np.nan]], "shape": [[0.0]]}[damage]
        np.save(path, np.array(value, np.float16))
    with pytest.raises(ArtifactError, match="damaged"):
        relabel(labelled, tmp_path / "again", workers=1)


def test_all_forms_are_labelled_with_keys_of_the_lemma(forms_corpus, forms_model, tmp_path) -> None:
    labelled = label_corpus(forms_corpus, forms_model, tmp_path / "labelled", workers=1)
    assert labelled.n_tokens == forms_corpus.n_tokens
    words = forms_corpus.vocabulary.words
    keys = labelled.vocabulary.words
    tokens = np.concatenate([shard.tokens for shard in forms_corpus.shards])
    labels = np.concatenate([shard.tokens for shard in labelled.shards])
    found = {words[token]: set() for token in tokens.tolist()}
    for token, label in zip(tokens.tolist(), labels.tolist(), strict=True):
        found[words[token]].add(decode_key(keys[label])[0])
    assert found["cranes"] == found["crane"] == {"crane"}
    assert found["bank"] == {"bank"}
    assert "cranes" not in keys
    again = relabel(labelled, tmp_path / "again", idk_threshold=None, workers=1)
    assert again.n_tokens == forms_corpus.n_tokens
