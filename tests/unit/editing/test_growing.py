"""Models that grow: what stays, what follows the new text, and what is new."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from grassmeans import Corpus, WordVectors, load
from grassmeans.cli.main import app
from grassmeans.clustering.settings import InductionSettings
from grassmeans.contexts.subspaces import SubspaceEncoder
from grassmeans.corpus.corpus import default_options
from grassmeans.corpus.ingest import IngestOptions
from grassmeans.editing.growing import update_model
from grassmeans.editing.new_contexts import find_new_senses
from grassmeans.errors import InputError
from grassmeans.geometry.rules import GroupingRules
from grassmeans.geometry.windows import ContextShape
from grassmeans.models.model import SenseModel
from grassmeans.models.versions import list_digests, read_versions, share_history
from grassmeans.senses.entries import ExampleLine, Sense, WordSenses
from grassmeans.senses.inventory import SenseInventory
from grassmeans.senses.samples import sample_word
from grassmeans.text.tokenizer import Tokenizer
from grassmeans_explorer.editing.edited_words import Edit, EditedWord
from grassmeans_explorer.editing.saving import save_version
from kills import record_kills
from rays import Rays
from synthetic import make_topic_text

ROWS = {"nest": (1, 0, 0), "wing": (2, 0, 0), "steel": (0, 1, 0), "load": (0, 3, 0), "x": (0, 0, 1)}
# At cosines of 0.85 and 0.75 with "nest": more and less than 0.8, from which on senses are one.
ROWS |= {"down": (85, 52.7, 0), "plume": (170, 105.4, 0)}
ROWS |= {"hook": (75, 66.1, 0), "chain": (150, 132.3, 0)}


def make_sense(number, share, name):
    example = ExampleLine("the ", "crane", " sat", "d", 0.1)
    return Sense(number, share, 0.2, ("nest",), ("wing",), (example,), name)


@pytest.fixture
def model(tmp_path):
    """Its crane is a bird in 100 occurrences; its bill has two senses, of 60 and 40."""
    vectors = WordVectors(list(ROWS), np.array(list(ROWS.values()), np.float32))
    encoder = SubspaceEncoder(vectors, ContextShape(2, 1), frozenset({"the", "a"}))
    axes = np.eye(3, dtype=np.float32)
    crane = WordSenses("crane", 100, 50, axes[:1], (make_sense(1, 1.0, "bird"),))
    pair = (make_sense(1, 0.6, "beak"), make_sense(2, 0.4, "invoice"))
    bill = WordSenses("bill", 100, 50, axes[:2], pair)
    settings = InductionSettings(n_senses="auto").to_dict()
    manifest = {"settings": settings, "language": "en", "corpus": {"n_tokens": 900}}
    inventory = SenseInventory([crane, bill])
    tokenizer = default_options().tokenizer
    SenseModel(encoder, inventory, tokenizer, manifest).save(tmp_path / "model")
    return tmp_path / "model"


def write_text(folder, **times):
    lines = {
        "bird": "the crane nest wing",
        "machine": "a crane steel load",
        "beak": "the bill nest wing",
        "invoice": "a bill steel load",
        "anvil": "the anvil steel load",
        "feathers": "the crane down plume",
        "hooks": "a crane hook chain",
    }
    place = folder / "new"
    place.mkdir(exist_ok=True)
    # Each line differs, so that none is left out for coming twice.
    texts = [f"{lines[kind]} the{'the' * i}" for kind, n in times.items() for i in range(n)]
    (place / "a.txt").write_text("\n\n".join(texts))
    return place


def test_new_contexts_far_from_all_senses_are_a_new_sense(model, tmp_path):
    text = write_text(tmp_path, bird=20, machine=30)
    found = update_model(model, text, tmp_path / "grown", workers=1)
    (born,) = found.born
    assert (born.word, born.number, born.n_contexts) == ("crane", 2, 30)
    assert all("steel" in example for example in born.examples)
    entry = found.model.senses("crane")
    assert entry.count == 150
    assert [sense.share for sense in entry.senses] == pytest.approx([120 / 150, 30 / 150])
    assert abs(entry.directions[1] @ [0, 1, 0]) == pytest.approx(1.0, abs=1e-5)
    assert found.model.tag("a crane steel load")[0].sense == 2


# Of one length; the cosine with (1, 0, 0), the bird, is 0.85.
GULLS = {"gull": (0.85, 0.52678, 0), "feather": (1.7, 1.05357, 0)}


@pytest.mark.parametrize(("granularity", "n_born"), [(1.0, 0), (2.0, 1)])
def test_granularity_decides_what_is_a_new_sense_too(tmp_path, granularity, n_born):
    # The limit of subspaces is 0.8; with a granularity of 2 it is its root, 0.894.
    rows = ROWS | GULLS
    vectors = WordVectors(list(rows), np.array(list(rows.values()), np.float32))
    encoder = SubspaceEncoder(vectors, ContextShape(2, 1), frozenset({"the", "a"}))
    settings = InductionSettings(n_senses="auto", granularity=granularity)
    crane = WordSenses(
        "crane", 100, 50, np.eye(3, dtype=np.float32)[:1], (make_sense(1, 1.0, "bird"),)
    )
    manifest = {"settings": settings.to_dict(), "language": "en"}
    model = SenseModel(encoder, SenseInventory([crane]), default_options().tokenizer, manifest)
    model.save(tmp_path / "model")
    (tmp_path / "new.txt").write_text(
        "\n\n".join(f"the crane gull feather the{'the' * i}" for i in range(30))
    )
    found = update_model(tmp_path / "model", tmp_path / "new.txt", tmp_path / "grown", workers=1)
    assert len(found.born) == n_born


class EasedEncoder(SubspaceEncoder):
    """Subspaces of which rare groups are merged more easily."""

    grouping = GroupingRules(rare_ease=1.0)


def test_the_share_of_a_new_sense_is_that_of_its_occurrences():
    # 40 of 400 contexts are looked at, all of one kind: 400 of 500 occurrences are not rare, as 40
    # of 500 would be, which are log10(0.1 / 0.08) = 0.097 nearer than their cosine, 0.75.
    rows = ROWS | {"gull": (0.75, 0.66144, 0), "feather": (1.5, 1.32288, 0)}
    vectors = WordVectors(list(rows), np.array(list(rows.values()), np.float32))
    encoder = EasedEncoder(vectors, ContextShape(2, 1), frozenset({"the"}))
    crane = WordSenses(
        "crane", 100, 50, np.eye(3, dtype=np.float32)[:1], (make_sense(1, 1.0, "bird"),)
    )
    corpus = Corpus.from_texts([f"crane gull feather the{'the' * i}" for i in range(400)])
    settings = InductionSettings(n_senses="auto", max_contexts=40)
    sample = sample_word("crane", corpus, encoder, settings)
    assert (sample.count, len(sample.contexts)) == (400, 40)
    found = find_new_senses(crane, sample, np.ones(40, np.bool_), settings, encoder)
    assert len(found) == 1


@pytest.mark.parametrize(
    ("by_pairs", "distance", "n_born"), [(False, 0.8, 0), (True, 0.8, 1), (True, 0.2, 0)]
)
def test_pair_by_pair_a_new_sense_is_far_from_one_whose_contexts_are_not_alike(
    by_pairs, distance, n_born
):
    # The cosine of both directions is 0.75. Contexts of the old sense have 0.6 of its line inside
    # (0.98 where they are nearer), those of the new one all of theirs: 0.45 (0.73) pair by pair.
    class Paired(Rays):
        grouping = GroupingRules(merge_cosine=0.5, by_pairs=by_pairs, few_contexts=5)

    rows = {"the": (0, 0, 1), "crane": (0, 0, 1), "gull": (0.75, 0.66144, 0)}
    vectors = WordVectors(list(rows), np.array(list(rows.values()), np.float32))
    encoder = Paired(vectors, ContextShape(2, 1), frozenset({"the"}))
    old = replace(make_sense(1, 1.0, "bird"), mean_distance=distance)
    crane = WordSenses("crane", 100, 50, np.eye(3, dtype=np.float32)[:1], (old,))
    corpus = Corpus.from_texts([f"crane gull gull the{'the' * i}" for i in range(40)])
    settings = InductionSettings(n_senses="auto")
    sample = sample_word("crane", corpus, encoder, settings)
    found = find_new_senses(crane, sample, np.ones(40, np.bool_), settings, encoder)
    assert len(found) == n_born


def test_old_senses_keep_number_name_direction_and_examples(model, tmp_path):
    before = load(model).senses("crane")
    text = write_text(tmp_path, bird=20, machine=30)
    after = update_model(model, text, tmp_path / "grown", workers=1).model.senses("crane")
    np.testing.assert_array_equal(before.directions, after.directions[:1])
    assert after.senses[0].name == "bird"
    assert after.senses[0].examples == before.senses[0].examples


def test_few_contexts_are_no_sense(model, tmp_path):
    text = write_text(tmp_path, bird=20, machine=10)
    found = update_model(model, text, tmp_path / "grown", workers=1)
    assert found.born == ()
    assert len(found.model.senses("crane").senses) == 1


@pytest.mark.parametrize(("times", "n_born"), [(19, 0), (20, 1)])
def test_a_new_sense_needs_twenty_contexts(model, tmp_path, times, n_born):
    text = write_text(tmp_path, bird=20, machine=times)
    found = update_model(model, text, tmp_path / "grown", workers=1)
    assert len(found.born) == n_born


@pytest.mark.parametrize(("kind", "n_born"), [("feathers", 0), ("hooks", 1)])
def test_what_lies_as_near_as_one_sense_is_no_new_one(model, tmp_path, kind, n_born):
    # Both kinds are farther from the bird than the 0.2 that its own contexts are on average.
    found = update_model(model, write_text(tmp_path, **{kind: 30}), tmp_path / "grown", workers=1)
    assert len(found.born) == n_born
    assert len(found.model.senses("crane").senses) == 1 + n_born


def test_the_mean_distance_is_that_of_old_and_new_contexts(model, tmp_path):
    # 50 contexts at 0.2 and 30 at 0.
    found = update_model(model, write_text(tmp_path, bird=30), tmp_path / "grown", workers=1)
    (bird,) = found.model.senses("crane").senses
    assert bird.mean_distance == pytest.approx(50 * 0.2 / 80, abs=1e-4)


@pytest.mark.parametrize(
    ("mean_distance", "threshold"),
    [(0.2, None), (0.0, 0.6)],
    ids=["far, never unsure", "unsure, usual distance unknown"],
)
def test_what_is_far_or_unsure_is_not_explained(model, tmp_path, mean_distance, threshold):
    old = load(model)
    bird = replace(old.senses("crane").senses[0], mean_distance=mean_distance)
    crane = replace(old.senses("crane"), senses=(bird,))
    manifest = old.manifest | {"idk_threshold": threshold}
    head = ("kind", "format_version", "grassmeans", "created", "n_words", "n_skipped")
    facts = {name: value for name, value in manifest.items() if name not in head}
    changed = SenseModel(old.encoder, SenseInventory([crane]), old.tokenizer, facts)
    changed.save(tmp_path / "changed")
    text = write_text(tmp_path, bird=20, machine=30)
    found = update_model(tmp_path / "changed", text, tmp_path / "grown", workers=1)
    assert [(born.number, born.n_contexts) for born in found.born] == [(2, 30)]


def test_shares_follow_the_new_text_and_others_stay(model, tmp_path):
    found = update_model(model, write_text(tmp_path, beak=100), tmp_path / "grown", workers=1)
    assert found.n_words == 1
    bill = found.model.senses("bill")
    assert [sense.share for sense in bill.senses] == pytest.approx([160 / 200, 40 / 200])
    assert found.model.senses("crane").count == 100
    history = share_history(found.model, "bill")
    assert [row["counts"] for row in history] == [[60, 40], [100, 0]]
    assert [row["counts"] for row in share_history(found.model, "crane")] == [[100]]


def test_new_words_get_vectors_and_senses_and_old_vectors_are_held(model, tmp_path):
    text = write_text(tmp_path, anvil=60)
    found = update_model(model, text, tmp_path / "grown", min_count=50, workers=1)
    assert set(found.new_words) == {"anvil", "steel", "load"}
    assert "anvil" in found.new_vectors
    grown = found.model.vectors
    for word, row in ROWS.items():
        np.testing.assert_array_equal(grown[word], np.array(row, np.float32))
    assert "anvil" in grown
    assert "anvil" in found.model.inventory


def test_a_model_of_chosen_words_keeps_to_them_unless_told(topic_model_folder, whales, tmp_path):
    assert load(topic_model_folder).manifest["chosen_words"] is True
    given = {"min_count": 20, "workers": 1, "show_progress": False}
    kept = update_model(topic_model_folder, whales, tmp_path / "kept", **given)
    assert kept.new_words == ()
    assert set(kept.model.words) == {"crane", "bank"}
    one = update_model(topic_model_folder, whales, tmp_path / "one", words=["whaleba"], **given)
    assert one.new_words == ("whaleba",)


def test_senses_may_be_proposed_only(model, tmp_path):
    text = write_text(tmp_path, machine=30)
    found = update_model(model, text, tmp_path / "grown", new_senses=False, workers=1)
    assert [sense.word for sense in found.born] == ["crane"]
    assert len(found.model.senses("crane").senses) == 1
    assert read_versions(found.model)[-1]["proposed"][0]["word"] == "crane"


def test_the_log_of_versions(model, tmp_path):
    text = write_text(tmp_path, machine=30)
    first = load(model)
    second = update_model(model, text, tmp_path / "v2", workers=1).model
    versions = read_versions(second)
    assert [(v["version"], v["kind"]) for v in versions] == [(1, "built"), (2, "grown")]
    assert versions[0]["n_tokens"] == 900
    assert versions[1]["born"][0]["sense"] == 2
    edited = EditedWord.start(second, "bill").apply(
        Edit("bill", "rename", (1,), "beak"), second.vectors
    )
    third = load(save_version(second, {"bill": edited}, tmp_path, "v3"))
    assert read_versions(third)[-1]["edits"][0]["name"] == "beak"
    # What the first has labelled stays labelled: numbers are the same.
    assert list_digests(third) == [third.digest, second.digest, first.digest]
    merged = EditedWord.start(third, "bill").apply(Edit("bill", "merge", (1, 2)), third.vectors)
    fourth = load(save_version(third, {"bill": merged}, tmp_path, "v4"))
    assert read_versions(fourth)[-1]["edits"][0]["action"] == "merge"
    assert list_digests(fourth) == [fourth.digest]


def test_what_was_labelled_stays_labelled(model, tmp_path):
    from grassmeans.change.grouping import group_documents
    from grassmeans.change.uses import collect_uses
    from grassmeans.labelling import label_corpus

    records = [{"text": "the bill nest wing", "part": str(i % 2)} for i in range(8)]
    corpus = Corpus.from_texts(records, tmp_path / "old", meta=["part"])
    labelled = label_corpus(corpus, load(model), tmp_path / "labelled", workers=1)
    text = write_text(tmp_path, machine=30)
    grown = update_model(model, text, tmp_path / "v2", workers=1).model
    (uses,) = collect_uses(grown, group_documents(labelled, "part"), ["bill"])
    assert uses.count.sum() == 8
    assert set(uses.sense.tolist()) == {1}


def test_the_old_model_stays_whole_also_where_an_update_fails(model, tmp_path, monkeypatch):
    before = {path: path.read_bytes() for path in model.rglob("*") if path.is_file()}
    text = write_text(tmp_path, machine=30)

    def stop(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("grassmeans.editing.growing._write_grown", stop)
        with pytest.raises(KeyboardInterrupt):
            update_model(model, text, tmp_path / "grown", workers=1)
    assert not (tmp_path / "grown").exists()
    assert before == {path: path.read_bytes() for path in before}
    with pytest.raises(InputError, match="unfinished"):  # of another text
        update_model(model, write_text(tmp_path, machine=31), tmp_path / "grown", workers=1)
    write_text(tmp_path, machine=30)
    again = update_model(model, text, tmp_path / "grown", overwrite=True, workers=1)
    assert len(again.born) == 1
    assert before == {path: path.read_bytes() for path in before}


def test_text_that_does_not_fit(model, tmp_path):
    options = IngestOptions(Tokenizer(lowercase=False))
    Corpus.from_texts(["The Crane"], tmp_path / "cased", options=options)
    with pytest.raises(InputError, match="split into words by another rule"):
        update_model(model, tmp_path / "cased", tmp_path / "m", workers=1)
    (tmp_path / "es.txt").write_text("grulla acero carga nido ala " * 300)
    with pytest.raises(InputError, match="is the text in another one"):
        update_model(model, tmp_path / "es.txt", tmp_path / "m", workers=1)
    Corpus.from_texts(["grulla"], tmp_path / "es", language="es")
    with pytest.raises(InputError, match="the text is es, the model en"):
        update_model(model, tmp_path / "es", tmp_path / "m", workers=1)
    with pytest.raises(InputError, match="input"):
        update_model(model, write_text(tmp_path, bird=3), model, overwrite=True, workers=1)
    assert not (tmp_path / "m").exists()


def test_a_corpus_is_as_good_as_its_files(model, tmp_path):
    text = write_text(tmp_path, machine=30)
    Corpus.from_files(text, tmp_path / "corpus")
    found = update_model(model, tmp_path / "corpus", tmp_path / "grown", workers=1)
    assert len(found.born) == 1


def test_the_command_reports_new_senses_with_examples(model, tmp_path):
    text = write_text(tmp_path, machine=30)
    given = ["update", str(model), str(text), "-o", str(tmp_path / "m2"), "-j", "1"]
    result = CliRunner().invoke(app, given)
    assert result.exit_code == 0, result.output
    said = json.loads(result.stdout.splitlines()[-1])
    assert said["born"][0]["word"] == "crane"
    assert "a new sense: crane.2" in result.stderr
    assert "<b>crane</b> steel load" in result.stderr


def read_all(folder):
    """The bytes of all files, but for what tells the time."""
    times = re.compile(rb'"(created|manifest_digest)": "[^"]*"|"parts": \{[^}]*\}')
    return {
        str(path.relative_to(folder)): times.sub(b"", path.read_bytes())
        for path in folder.rglob("*")
        if path.is_file() and path.name != "checksums.txt"
    }


@pytest.fixture(scope="module")
def whales(tmp_path_factory):
    """Text in which 40 words are new to the model of topics."""
    place = tmp_path_factory.mktemp("whales") / "whales.txt"
    documents = make_topic_text(random_state=1).documents
    place.write_text("\n\n".join(text.replace("fish", "whale") for text in documents))
    return place


@pytest.mark.system
def test_the_same_bytes_with_any_number_of_workers_and_after_a_kill(
    topic_model_folder, whales, tmp_path
):
    def grow(place, workers):
        given = {"min_count": 20, "workers": workers, "show_progress": False, "new_words": True}
        return update_model(topic_model_folder, whales, place / "grown", **given)

    place = tmp_path / "place"
    place.mkdir()
    states = record_kills(lambda: grow(place, 1), place, tmp_path / "states")
    expected = read_all(place / "grown")
    assert "whaleba" in load(place / "grown").vectors
    found = grow(tmp_path / "two", 2)
    assert len(found.new_words) > 32  # of several batches
    assert read_all(tmp_path / "two" / "grown") == expected
    scratch = ".grown.building/scratch"
    in_training = [s for s in states if (s / scratch / ".vectors.building/new").exists()]
    looking = [s for s in states if [*s.glob(f"{scratch}/words/*.jsonl")]]
    copied = [s for s in states if [*s.glob(".grown.building/new/versions.jsonl")]]
    for killed in (in_training[-1], looking[0], looking[len(looking) // 2], copied[0]):
        assert not (killed / "grown").exists()
        shutil.rmtree(place)
        shutil.move(killed, place)
        grow(place, 2)
        assert read_all(place / "grown") == expected, killed.name
        assert [path.name for path in place.iterdir()] == ["grown"]


def test_vectors_that_an_interrupted_run_has_trained_are_taken_as_they_are(
    model, tmp_path, monkeypatch
):
    # As a GPU gives others each time: words must not be looked at with vectors of two trainings.
    text = write_text(tmp_path, anvil=60)

    def stop(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("grassmeans.editing.growing.induce_words", stop)
        with pytest.raises(KeyboardInterrupt):
            update_model(model, text, tmp_path / "grown", workers=1)
    trained = WordVectors.load(tmp_path / ".grown.building" / "scratch" / "vectors")
    direction = trained["anvil"] / np.linalg.norm(trained["anvil"])
    monkeypatch.setattr("grassmeans.editing.growing.train_vectors", stop)
    grown = update_model(model, text, tmp_path / "grown", workers=1).model.vectors["anvil"]
    np.testing.assert_allclose(grown / np.linalg.norm(grown), direction, rtol=1e-5)


def test_new_text_in_all_forms(forms_model, synthetic, tmp_path) -> None:
    texts = [text.lower().replace("crane", "cranes") for text in synthetic.documents]
    (tmp_path / "new.txt").write_text("\n\n".join(texts), encoding="utf-8")
    before = forms_model["crane"]
    growth = update_model(
        forms_model.folder, tmp_path / "new.txt", tmp_path / "grown", workers=1, min_count=5
    )
    after = growth.model["crane"]
    assert after.count == 2 * before.count
    singular = dict(before.forms)["crane"]
    assert dict(after.forms) == {"crane": singular, "cranes": 2 * before.count - singular}
    assert "cranes" not in growth.new_words
    assert growth.model.lemma_table == {"cranes": "crane"}
