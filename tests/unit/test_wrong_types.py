"""Whatever is handed to a public name, it works or ends in an error of the package."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import grassmeans
from crane_model import save_crane_model
from grassmeans import Corpus, SenseModel, WordVectors, load
from grassmeans.change.tables import rank_changes, sense_shares
from grassmeans.clustering.settings import InductionSettings
from grassmeans.corpus.ingest import IngestOptions
from grassmeans.engines import use_engine
from grassmeans.errors import GrassmeansError, InputError
from grassmeans.geometry.rules import GroupingRules
from grassmeans.geometry.windows import ContextShape
from grassmeans.integrations.iterables import tag_iter
from grassmeans.lexemes.lexeme_vectors import open_lexemes
from grassmeans.models.building import build_model
from grassmeans.models.induced import induce
from grassmeans.senses.calibration import CALIBRATION, Calibration, SamenessCurve
from grassmeans.senses.decoding import decode_hard, decode_soft
from grassmeans.senses.inventory import SenseInventory

TEXTS = [
    "The crane built a nest with its wing.",
    "A crane of steel lifts a beam.",
    "The crane on a wing, the nest.",
    "Steel beam, steel crane.",
]
WRONG: list[Any] = [
    None, True, 0, 5, -1, 10**30, 2.5, float("nan"), float("inf"), -0.5, "", "x", "5", "a\0b",
    b"bytes", [], ["a", 1], ("a", 1), [None], {}, {"a": 1}, {1: 2}, range(5), object(), Path("no"),
    np.array([1.0]), np.array(["a"]), np.int64(1), lambda *_: None,
]  # fmt: skip


class Place:
    """A model and a corpus on disk, and the arguments with which each name works."""

    def __init__(self, folder: Path) -> None:
        self.model = grassmeans.load(save_crane_model(folder / "model"))
        self.corpus = Corpus.from_texts(
            [{"text": text, "source": str(i % 2)} for i, text in enumerate(TEXTS)],
            folder / "corpus",
            meta=["source"],
        )
        curve = Calibration(3.0, 1.0, same_sense=SamenessCurve(-2.0, 9.0))
        self.calibrated = self.model.with_inventory(self.model.inventory)
        self.calibrated.manifest = self.model.manifest | {CALIBRATION: curve.to_dict()}
        self.vectors = self.model.vectors
        self.vectors.save(folder / "vectors")
        (folder / "texts.txt").write_text("\n\n".join(TEXTS))
        rows = np.random.default_rng(0).normal(size=(len(self.corpus.vocabulary), 4))
        self.wide = WordVectors(self.corpus.vocabulary.words, rows)
        self.wide.save(folder / "wide")
        self.labelled = grassmeans.label_corpus(
            self.corpus, self.model, folder / "labelled", workers=1, show_progress=False
        )
        self.folder = folder
        self.n_outputs = 0

    def output(self) -> Path:
        self.n_outputs += 1
        return self.folder / "out" / str(self.n_outputs)

    def calls(self) -> dict[str, tuple[Callable[..., Any], dict[str, Any]]]:
        model, corpus, vectors, folder = self.model, self.corpus, self.vectors, self.folder
        inducing = {
            "min_count": 1, "settings": None, "workers": 1, "show_progress": False, "n_senses": 2,
            "n_init": 1, "max_contexts": 9, "random_state": 0, "max_senses": 3, "granularity": 1.0,
        }  # fmt: skip
        answering = {"words": "crane", "idk_threshold": 0.5, "sharpness": 1.0}
        decoding = answering | {"confidence": None, "marks": True, "on_progress": None}
        training = {
            "dim": 2, "window": 2, "min_count": 1, "negative": 1, "epochs": 1, "workers": 1,
            "random_state": 0, "sample": 0.0, "learning_rate": 0.1, "max_vocabulary": 9,
            "parts": 1, "device": "cpu",
        }  # fmt: skip
        clustering = {
            "n_senses": 2, "n_init": 1, "max_iter": 2, "tol": 0.1, "init": "random",
            "random_state": 0, "device": "cpu", "granularity": 1.0, "signed": False,
            "rules": None,
        }  # fmt: skip
        bases = np.eye(2, dtype=np.float32)[np.arange(6) % 2][:, None, :]
        return {
            "Corpus": (Corpus.open, {"path": folder / "corpus"}),
            "Corpus.from_files": (
                Corpus.from_files,
                {
                    "inputs": [folder / "texts.txt"], "output": None, "options": None,
                    "workers": 1, "engine": None, "overwrite": False, "show_progress": False,
                    "format": "text", "text_field": "text", "column": None, "encoding": None,
                    "meta": (), "max_document_chars": 100,
                },
            ),
            "Corpus.from_texts": (
                Corpus.from_texts,
                {
                    "texts": TEXTS, "output": None, "column": None, "meta": (), "language": "en",
                    "options": IngestOptions(), "workers": 1,
                },
            ),
            "Corpus.concordance": (
                corpus.concordance,
                {"word": "crane", "limit": 2, "width": 9, "where": {"source": "0"}},
            ),
            "Corpus.count_of": (corpus.count_of, {"word": "crane"}),
            "Corpus.positions": (corpus.positions, {"word": "crane"}),
            "Corpus.document_text": (corpus.document_text, {"number": 0}),
            "Corpus.line_at": (corpus.line_at, {"position": 0, "width": 9, "keep_breaks": False}),
            "Corpus.field_values": (corpus.field_values, {"name": "source"}),
            "use_engine": (enter_engine, {"engine": None, "workers": 1}),
            "SkipGram": (lambda **k: grassmeans.SkipGram(**k).fit(corpus), training),
            "SkipGram.fit": (
                grassmeans.SkipGram(**training).fit,
                {
                    "corpus": corpus, "start": None, "frozen_inputs": (), "frozen_outputs": (),
                    "checkpoint": None, "show_progress": False,
                },
            ),
            "WordVectors": (
                WordVectors,
                {"words": ["a", "b"], "vectors": np.eye(2), "counts": None, "output": None,
                 "check": True},
            ),
            "WordVectors.load": (WordVectors.load, {"path": folder / "vectors", "limit": 2}),
            "WordVectors.most_similar": (
                vectors.most_similar,
                {"word_or_vector": "crane", "n": 2, "exclude": (), "negative": (), "topn": 2},
            ),
            "WordVectors.similarity": (vectors.similarity, {"first": "crane", "second": "nest"}),
            "WordVectors.nearest": (vectors.nearest, {"queries": np.eye(2), "n": 1, "first": 2}),
            "ContextShape": (
                ContextShape,
                {"window": 2, "rank": 1, "weighting": "flat", "drop_repeats": False},
            ),
            "extract_contexts": (
                grassmeans.extract_contexts,
                {
                    "corpus": corpus, "word": "crane", "window": 2, "vectors": vectors,
                    "max_contexts": 3, "drop_repeats": False, "random_state": 0,
                },
            ),
            "principal_subspaces": (
                grassmeans.principal_subspaces,
                {
                    "context_ids": np.array([[0, 1]]), "vectors": np.eye(2), "rank": 1,
                    "weighting": "flat", "device": "cpu",
                },
            ),
            "GroupingRules": (
                GroupingRules,
                {"max_senses": 3, "merge_cosine": 0.8, "merge_slope": 0.0, "rare_ease": 0.0,
                 "part_cosine": 0.6, "few_contexts": 5, "by_tree": False, "by_pairs": True,
                 "by_silhouette": True},
            ),
            "KGrassmeans": (lambda **k: grassmeans.KGrassmeans(**k).fit(bases), clustering),
            "KGrassmeans.fit": (grassmeans.KGrassmeans(**clustering).fit, {"X": bases}),
            "decode": (
                grassmeans.decode,
                {"distances": np.eye(2), "decoding": "soft", "idk_threshold": 0.5,
                 "sharpness": 1.0},
            ),
            "decode_hard": (
                decode_hard, {"distances": np.eye(2), "idk_threshold": 0.5}
            ),
            "decode_soft": (decode_soft, {"distances": np.eye(2), "sharpness": 1.0}),
            "InductionSettings": (
                InductionSettings,
                {name: inducing[name] for name in inspect.signature(
                    InductionSettings).parameters},
            ),
            "induce": (
                induce,
                inducing
                | {"corpus": corpus, "contexts": self.wide, "words": "crane", "parts": None},
            ),
            "SenseInventory": (
                SenseInventory,
                {"entries": list(model.inventory.values()), "skipped": ()},
            ),
            "SenseInventory.load": (
                SenseInventory.load, {"path": folder / "model" / "inventory"}
            ),
            "SenseInventory.name_of": (model.inventory.name_of, {"word": "crane", "sense": 1}),
            "SenseModel.fit": (
                SenseModel.fit,
                inducing
                | {"texts": corpus, "words": "crane", "language": "en", "contexts": self.wide,
                   "column": None, "calibrated": False, "output": None, "device": "cpu",
                   "engine": None, "overwrite": False},
            ),
            "SenseModel.load": (SenseModel.load, {"path_or_name": folder / "model"}),
            "SenseModel.with_inventory": (model.with_inventory, {"inventory": model.inventory}),
            "SenseModel.with_lemmas": (model.with_lemmas, {"lemmas": {"cranes": "crane"}}),
            "SenseModel.spell": (model.spell, {"word": "crane"}),
            "SenseModel.senses": (model.senses, {"word": "crane"}),
            "SenseModel.tag": (model.tag, decoding | {"text": TEXTS[0], "tokens": None}),
            "SenseModel.tag(tokens)": (
                lambda tokens: model.tag(tokens=tokens), {"tokens": ["the", "crane"]}
            ),
            "SenseModel.tag_many": (
                model.tag_many, decoding | {"texts": TEXTS, "column": None}
            ),
            "SenseModel.pipe": (
                lambda **k: list(model.pipe(**k)),
                answering
                | {"texts": TEXTS, "column": None, "as_tuples": False, "batch_size": 2,
                   "confidence": None},
            ),
            "SenseModel.tag_frame": (
                model.tag_frame,
                {"frame": make_frame(), "column": "text", "words": "crane", "id": None,
                 "batch_size": 2, "idk_threshold": 0.5, "confidence": None, "workers": 1},
            ),
            "SenseModel.explain": (
                model.explain, {"text": TEXTS[0], "words": "crane", "on_progress": None}
            ),
            "SenseModel.at_granularity": (
                load("en").at_granularity, {"granularity": "text"}
            ),
            "SenseModel.sense_groups": (load("en").sense_groups, {"word": "crane"}),
            "SenseModel.same_sense": (
                self.calibrated.same_sense,
                {"text1": TEXTS[0], "text2": TEXTS[0], "word": "crane"},
            ),
            "SenseModel.choose_threshold": (
                model.choose_threshold, {"idk_threshold": 0.5, "confidence": None}
            ),
            "SenseModel.choose_sharpness": (model.choose_sharpness, {"sharpness": 1.0}),
            "SenseModel.distances": (
                model.distances, {"word": "crane", "passages": [("the", "built a nest")]}
            ),
            "SenseModel.decide": (
                model.decide,
                {"word": "crane", "distances": np.zeros((1, 2)),
                 "idk_threshold": None, "confidence": None},
            ),
            "SenseModel.senses_at": (
                model.senses_at,
                {"corpus": corpus, "word": "crane", "positions": corpus.positions("crane")},
            ),
            "SenseModel.save": (model.save, {"path": None, "overwrite": False}),
            "load": (grassmeans.load, {"path_or_name": folder / "model", "device": "cpu"}),
            "find_senses": (
                grassmeans.find_senses,
                {"texts": corpus, "word": "crane", "n_senses": 2, "language": "en",
                 "contexts": self.wide, "column": None, "n_init": 1, "granularity": 1.0},
            ),
            "build_model": (
                build_model,
                inducing
                | {"corpus": folder / "corpus", "contexts": folder / "wide", "output": None,
                   "words": "crane", "calibrated": False, "device": "cpu", "engine": None,
                   "overwrite": False},
            ),
            "find_collocates": (
                grassmeans.find_collocates,
                {"model": model, "corpus": corpus, "word": "crane", "before": 2, "after": 2,
                 "max_contexts": 9, "random_state": 0},
            ),
            "label_corpus": (
                grassmeans.label_corpus,
                {
                    "corpus": corpus, "model": model, "output": None, "decoding": "hard",
                    "idk_threshold": 0.5, "confidence": None, "sharpness": 1.0, "random_state": 0,
                    "device": "cpu", "workers": 1, "engine": None, "overwrite": False,
                    "show_progress": False,
                },
            ),
            "train_lexemes": (
                grassmeans.train_lexemes,
                {
                    "labelled": self.labelled, "output": None,
                    "trainer": grassmeans.SkipGram(**training), "start_from": vectors,
                    "freeze_words": False, "soft_each_epoch": False, "sharpness": 1.0,
                    "keep_output": False, "engine": None, "overwrite": False,
                    "show_progress": False,
                },
            ),
            "compare_groups": (
                grassmeans.compare_groups,
                {"model": model, "corpus": corpus, "words": "crane", "by": "source",
                 "settings": None, "show_progress": False},
            ),
            "sense_shares": (
                sense_shares,
                {"model": model, "corpus": corpus, "word": "crane", "by": "source",
                 "settings": None},
            ),
            "rank_changes": (
                rank_changes,
                {"model": model, "corpus": corpus, "by": "source", "words": "crane",
                 "settings": None, "show_progress": False},
            ),
            "tag_iter": (
                lambda **k: list(tag_iter(**k)),
                answering
                | {"texts": TEXTS, "model": model, "column": None, "batch_size": 2,
                   "text_of": None, "confidence": None},
            ),
        }  # fmt: skip


def make_frame() -> Any:
    """A frame of pandas, or None without it."""
    try:
        import pandas
    except ImportError:
        return None
    return pandas.DataFrame({"text": TEXTS})


def enter_engine(**arguments: Any) -> None:
    with use_engine(**arguments):
        pass


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return Place(tmp_path_factory.mktemp("doors"))


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where an output called "x" does no harm."""
    monkeypatch.chdir(tmp_path)


def complete(place: Place, arguments: dict[str, Any]) -> dict[str, Any]:
    new = {name: place.output() for name in ("output", "path") if arguments.get(name, 0) is None}
    return arguments | new


NAMES = [
    "Corpus", "Corpus.from_files", "Corpus.from_texts", "Corpus.concordance", "Corpus.count_of",
    "Corpus.positions", "Corpus.document_text", "Corpus.line_at", "Corpus.field_values",
    "use_engine", "SkipGram", "SkipGram.fit", "WordVectors", "WordVectors.load",
    "WordVectors.most_similar", "WordVectors.similarity", "WordVectors.nearest", "ContextShape",
    "extract_contexts", "principal_subspaces", "GroupingRules", "KGrassmeans",
    "KGrassmeans.fit", "decode",
    "decode_hard", "decode_soft", "InductionSettings", "induce", "SenseInventory",
    "SenseInventory.load", "SenseInventory.name_of", "SenseModel.fit", "SenseModel.load",
    "SenseModel.with_inventory",
    "SenseModel.with_lemmas", "SenseModel.spell", "SenseModel.senses", "SenseModel.tag",
    "SenseModel.tag(tokens)", "SenseModel.tag_many", "SenseModel.pipe", "SenseModel.tag_frame",
    "SenseModel.explain", "SenseModel.at_granularity", "SenseModel.sense_groups",
    "SenseModel.same_sense", "SenseModel.choose_threshold",
    "SenseModel.choose_sharpness", "SenseModel.distances", "SenseModel.decide",
    "SenseModel.senses_at", "SenseModel.save", "load",
    "find_senses", "build_model", "find_collocates", "label_corpus", "train_lexemes",
    "compare_groups", "sense_shares", "rank_changes", "tag_iter",
]  # fmt: skip
MADE_BY_OTHERS = {"__version__", "SenseModel"}
"""Nobody calls them: the first is a text, the other is made by `fit` and `load`."""
INNER = {
    *("answering", "check_language", "fill", "measure_at", "measure_bases", "pool_forms"),
    "tell_unknown",
}
"""Methods of a model for the package itself."""


def test_the_table_has_every_public_name(place: Place) -> None:
    assert list(place.calls()) == NAMES
    assert set(grassmeans.__all__) - MADE_BY_OTHERS <= set(NAMES)
    methods = {
        f"SenseModel.{name}"
        for name, _ in inspect.getmembers(SenseModel, callable)
        if not name.startswith("_") and name not in INNER
    }
    assert methods <= set(NAMES)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
def test_wrong_values_end_in_an_error_of_the_package(place: Place, name: str) -> None:
    function, arguments = place.calls()[name]
    if "frame" in arguments:
        pytest.importorskip("pandas", reason="pandas is for development")
    function(**complete(place, arguments))
    # Estimators of scikit-learn raise what it asks of them.
    allowed = (ValueError, TypeError) if name.startswith("KGrassmeans") else GrassmeansError
    faults = []
    for parameter in arguments:
        for wrong in WRONG:
            try:
                function(**complete(place, arguments) | {parameter: wrong})
            except allowed as error:
                if isinstance(error, GrassmeansError) and ("\n" in str(error) or not str(error)):
                    faults.append(f"{parameter}={wrong!r}: {error}")
            except Exception as error:
                faults.append(f"{parameter}={wrong!r}: {type(error).__name__}: {error}")
    assert faults == []


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda p: p.model.senses(("a", 1)), "word must be a text; got ('a', 1)"),
        (lambda p: p.model.tag(b"bytes"), "tag needs a string, got bytes; see tag_many"),
        (lambda p: p.model.tag(None), "tag needs a text, or its tokens (tokens=...): one of them"),
        (lambda p: grassmeans.load(None), "path_or_name must be a path; got None"),
        (
            lambda p: grassmeans.find_senses(TEXTS, 5),
            "word must be a word or a list of words, got int",
        ),
        (
            lambda p: grassmeans.find_collocates(p.model, p.corpus, range(5)),
            "word must be a text; got range(0, 5)",
        ),
        (
            lambda p: grassmeans.find_collocates(p.model, p.corpus, "crane", before="5"),
            "before must be a whole number from 0 to 10,000; got '5'",
        ),
        (
            lambda p: Corpus.from_texts(TEXTS, meta=[None]),
            "the name of a field must be a text, got None",
        ),
    ],
)
def test_what_was_expected_and_what_was_found(
    place: Place, call: Callable[[Place], object], told: str
) -> None:
    with pytest.raises(InputError) as refused:
        call(place)
    assert str(refused.value) == told


def test_a_path_does_where_an_object_does(place: Place) -> None:
    model, corpus = place.folder / "model", str(place.folder / "corpus")
    by_path = grassmeans.find_collocates(model, corpus, "crane")
    by_object = grassmeans.find_collocates(place.model, place.corpus, "crane")
    assert by_path.rank(1) == by_object.rank(1)
    assert by_path.n_lines == 4
    contexts = grassmeans.extract_contexts(corpus, "crane", 2, vectors=place.folder / "vectors")
    expected = grassmeans.extract_contexts(place.corpus, "crane", 2, vectors=place.vectors)
    assert contexts.context_ids.tolist() == expected.context_ids.tolist()
    assert len(contexts) == 4
    lexemes = []
    for i, (words, tagger, start) in enumerate(
        [(corpus, model, str(place.folder / "vectors")), (place.corpus, place.model, place.vectors)]
    ):
        labelled = grassmeans.label_corpus(words, tagger, place.output(), workers=1)
        assert labelled.is_labelled
        given = labelled if i else labelled.path
        trainer = grassmeans.SkipGram(dim=2, min_count=1, epochs=1, workers=1)
        output = place.output()
        trained = grassmeans.train_lexemes(given, output, trainer, start_from=start)
        for same in (trained, trained.vectors, output):
            lexemes.append(open_lexemes(same).vectors)
    assert len({tuple(vectors.words) for vectors in lexemes}) == 1
    assert len({vectors.vectors.tobytes() for vectors in lexemes}) == 1
    assert not place.corpus.is_labelled


def test_numbers_of_numpy_are_numbers(place: Place) -> None:
    settings = InductionSettings(n_senses=np.int64(2), granularity=np.float32(0.5))
    assert settings.to_dict()["n_senses"] == 2
    assert type(settings.to_dict()["n_senses"]) is int
    assert type(settings.to_dict()["granularity"]) is float
