"""What an engineer new to the package types on the first day, in forty snippets.

Each is as short as it would be typed, with real libraries and the English model of the package, and
says what comes out. How things behave at their edges is in the unit tests.
"""

from __future__ import annotations

import json
import logging
import pickle
import sqlite3
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import grassmeans
from grassmeans import Corpus, SenseModel, find_senses
from grassmeans.errors import ArtifactError, GrassmeansWarning, InputError, UnknownWordError
from grassmeans.integrations import SenseInducer, SenseTagger, tag_iter

MONEY = [
    "The bank raised its interest rates and lent money to small companies.",
    "She opened an account at the bank and deposited her savings.",
    "The bank refused the loan because his credit was poor.",
    "Investors sold the shares of the bank when profits fell.",
]
RIVER = [
    "We sat on the bank of the river and watched the boats.",
    "Fishermen cast their lines from the grassy bank into the water.",
    "Willows grow along the left bank of the stream.",
]
TEXTS = MONEY + RIVER
CRANES = [
    "A crane with long legs waded through the marsh in search of frogs.",
    "The crane spread its wings and flew to its nest in the reeds.",
    "The crane lifted the steel beams onto the roof of the factory.",
    "The crane hoisted a heavy load of cargo from the ship to the quay.",
]
REVIEWS = [
    {
        "id": 7,
        "stars": 5,
        "body": "Great bass, the guitar and the drums sound warm here.",
    },
    {"id": 8, "stars": 2, "body": None},
    {"id": 9, "stars": 4, "body": "We grilled the sea bass with lemon, and the fish was fresh."},
]


def need(library: str) -> Any:
    """A library that is no part of the package."""
    return pytest.importorskip(library, reason=f"{library} is not installed")


@pytest.fixture(scope="module")
def model() -> SenseModel:
    pytest.importorskip("grassmeans_en", reason="the English model is a package: packages/en")
    return grassmeans.load("en")


@pytest.fixture(scope="module")
def river(model) -> int:
    """The number of the sense by a river."""
    return model.tag("The bank of the river was muddy.", words="bank")[0].sense


# Plain Python


def test_find_the_senses_of_a_word() -> None:
    found = find_senses(TEXTS, "bank")
    assert found.labels.tolist() == [1, 1, 1, 1, 2, 2, 2]
    assert [round(sense.share, 2) for sense in found.senses] == [0.57, 0.43]


def test_find_senses_of_several_words_in_one_reading() -> None:
    found = find_senses(iter(TEXTS + CRANES), ["bank", "crane", "qqqq"], n_senses=2)
    assert list(found) == ["bank", "crane"]
    assert found["bank"].labels.tolist() == [1, 1, 1, 1, 2, 2, 2]
    first, second, third, fourth = found["crane"].labels
    assert first == second != third == fourth
    assert [skipped.word for skipped in found.skipped] == ["qqqq"]


@pytest.mark.parametrize(
    ("word", "texts"),
    [
        (
            "charge",
            [
                "The prosecutor dropped the charge of burglary after the main witness withdrew.",
                "He pleaded guilty to a lesser charge and was fined by the magistrate.",
                "An electron carries a negative charge, and the nucleus attracts it.",
                "Rubbing the balloon on wool leaves a static charge on its surface.",
            ],
        ),
        ("crane", CRANES),
    ],
)
def test_four_sentences_are_enough(word, texts) -> None:
    first, second, third, fourth = find_senses(texts, word).labels
    assert first == second != third == fourth


def test_four_sentences_of_one_sense_stay_one() -> None:
    texts = [
        "The camel can live for days without water.",
        "A caravan of merchants tied each camel to the next.",
        "He rode a camel around the pyramids on his holiday.",
        "Milk of the camel is drunk by the nomads of Somalia.",
    ]
    assert find_senses(texts, "camel").labels.tolist() == [1, 1, 1, 1]


def test_a_word_that_the_texts_lack_is_told() -> None:
    with pytest.warns(GrassmeansWarning, match="found: 'qqqq' does not occur in the corpus"):
        model = SenseModel.fit(TEXTS, ["bank", "qqqq"])
    assert list(model) == ["bank"]


def test_where_the_occurrences_are() -> None:
    (first, *_) = find_senses(TEXTS, "bank").occurrences
    assert (first.text, TEXTS[0][first.start : first.end], first.sense) == (0, "bank", 1)


def test_tag_a_text(model, river) -> None:
    tagged = model.tag("She asked the bank for a loan. Then we sat on the bank of the river.")
    banks = [word for word in tagged if word.key == "bank"]
    assert [word.label for word in banks] == ["bank.1", f"bank.{river}"]
    assert all(0.5 <= word.confidence <= 1 for word in banks)


def test_call_a_model_as_spacy_is_called(model) -> None:
    tagged = model("The bank lent us money.", words="bank")
    assert (len(tagged), tagged[0].word, tagged.text) == (1, "bank", "The bank lent us money.")


def test_a_model_is_like_a_dictionary(model) -> None:
    assert "bank" in model
    assert "Bank" in model
    assert "qqqq" not in model
    assert len(model) == len(list(model)) > 16_000
    assert model["bank"] == model.senses("bank")
    assert model["bank"].senses[0].number == 1
    with pytest.raises(KeyError, match=r"'qqqq' is not among the .* words of this model"):
        model["qqqq"]


def test_pipe_texts(model, river) -> None:
    tagged = list(model.pipe(iter(TEXTS), words="bank", batch_size=4))
    assert [words[0].sense == river for words in tagged] == [False] * 4 + [True] * 3


def test_pipe_pairs_as_spacy_does(model) -> None:
    pairs = [(text, {"id": number}) for number, text in enumerate(TEXTS)]
    found = [
        (doc[0].key, meta["id"]) for doc, meta in model.pipe(pairs, words="bank", as_tuples=True)
    ]
    assert found == [("bank", number) for number in range(7)]


def test_two_workers_give_the_same(model) -> None:
    found = list(model.pipe(TEXTS * 20, words="bank", batch_size=35, workers=2))
    here = list(model.pipe(TEXTS * 20, words="bank", batch_size=35))
    assert [text[0].label for text in found] == [text[0].label for text in here]
    # Distances were seen to differ by 6e-8, the last digit, between two processes.
    sure = [text[0].confidence for text in here]
    assert [text[0].confidence for text in found] == pytest.approx(sure, abs=1e-5)


def test_tokens_of_ones_own(model) -> None:
    tagged = model.tag(tokens=["The", "bank", "lent", "us", "money"], words="bank")
    assert (tagged[0].position, tagged[0].sense) == (1, 1)


def test_a_marked_word(model, river) -> None:
    tagged = model.tag("From the bank we watched the boats on the <b>bank</b> of the river.")
    assert [word.label for word in tagged] == [f"bank.{river}"]


def test_plain_values_for_json(model) -> None:
    values = json.loads(json.dumps(model.tag(MONEY[0], words="bank").to_dict()))
    assert values["text"] == MONEY[0]
    (word,) = values["words"]
    assert (word["label"], word["start"], word["end"]) == ("bank.1", 4, 8)


def test_stricter_and_laxer_answers(model) -> None:
    vague = "The bank was there."
    assert model.tag(vague, words="bank", confidence=0.99)[0].label == "bank.0"
    assert model.tag(vague, words="bank", confidence=0)[0].sense > 0


def test_which_words_decide(model) -> None:
    ((word, places),) = model.explain("The bank of the river was muddy.", words="bank")
    assert max(places, key=lambda place: place.weight).word == "river"
    assert word.name


def test_same_sense_or_not(model) -> None:
    same = model.same_sense(MONEY[0], MONEY[2], "bank")
    other = model.same_sense(MONEY[0], RIVER[0], "bank")
    assert other < 0.5 < same


def test_inflected_words(model) -> None:
    plural = model.with_lemmas({"cranes": "crane"})
    (word,) = plural.tag("Two cranes flew to their nests.", words="crane")
    assert (word.word, word.key) == ("cranes", "crane")


def test_distances_and_the_models_own_limits(model) -> None:
    passages = [
        ("the", "lifted the steel beams onto the roof of the factory"),
        ("the", ""),
    ]
    distances = model.distances("crane", passages)
    hard = grassmeans.decode(distances)
    assert hard.tolist() == [model.tag(CRANES[2], words="crane")[0].sense - 1, -1]
    assert (model.decide("crane", distances).senses - 1).tolist() == hard.tolist()
    assert np.nansum(grassmeans.decode(distances, "soft")[0]) == pytest.approx(1)


def test_a_model_of_ones_own_saved_and_opened(tmp_path) -> None:
    own = SenseModel.fit(TEXTS, words=["bank", "qqqq"])
    own.save(tmp_path / "own")
    opened = SenseModel.load(tmp_path / "own")
    assert opened.words == ("bank",)
    assert [skipped.word for skipped in opened.inventory.skipped] == ["qqqq"]
    assert opened.tag(RIVER[0])[0].label == own.tag(RIVER[0])[0].label != "bank.0"


def test_a_model_goes_into_a_pickle_and_comes_back() -> None:
    own = SenseModel.fit(TEXTS, "bank")
    again = pickle.loads(pickle.dumps(own)).tag(MONEY[0])[0]
    known = own.tag(MONEY[0])[0]
    assert again.label == known.label
    assert again.distances == pytest.approx(known.distances, abs=1e-5)


# Frames


def test_tag_a_pandas_frame_and_join_it_back(model) -> None:
    pandas = need("pandas")
    frame = pandas.DataFrame({"body": TEXTS}, index=list("abcdefg"))
    found = model.tag_frame(frame, column="body", words=["bank"])
    joined = frame.join(found)
    assert joined.index.tolist() == list("abcdefg")
    assert (joined["label"] == "bank.1").tolist() == [True] * 4 + [False] * 3
    assert [text[s:e] for text, s, e in joined[["body", "start", "end"]].values] == ["bank"] * 7


def test_reviews_with_missing_texts(model) -> None:
    pandas = need("pandas")
    reviews = pandas.DataFrame(REVIEWS)
    found = model.tag_frame(reviews, "body", "bass", id="id")
    assert found["id"].tolist() == [7, 9]
    assert found["label"].nunique() == 2
    assert reviews.merge(found, on="id", how="left")["label"].isna().tolist() == [0, 1, 0]


def test_a_polars_frame(model) -> None:
    polars = need("polars")
    frame = polars.DataFrame(REVIEWS)
    found = model.tag_frame(frame, "body", words="bass")
    joined = frame.with_row_index("row").join(found, on="row")
    assert joined["id"].to_list() == [7, 9]


def test_an_arrow_table(model) -> None:
    pyarrow = need("pyarrow")
    table = pyarrow.Table.from_pylist(REVIEWS)
    found = model.tag_frame(table, "body", "bass", id="id")
    assert found.select(["id", "word"]).to_pylist() == [
        {"id": 7, "word": "bass"},
        {"id": 9, "word": "bass"},
    ]


def test_a_frame_of_dask(model) -> None:
    dask = need("dask.dataframe")
    frame = dask.from_pandas(need("pandas").DataFrame(REVIEWS), npartitions=2)
    found = model.tag_frame(frame, "body", "bass", id="id")
    assert found.compute(scheduler="synchronous")["id"].tolist() == [7, 9]


def test_duckdb_in_and_out(model) -> None:
    duckdb = need("duckdb")
    rows = need("pandas").DataFrame(REVIEWS)  # noqa: F841 (DuckDB reads it by name)
    table = duckdb.sql("SELECT id, body FROM rows WHERE stars > 3").df()
    found = model.tag_frame(table, "body", "bass", id="id")  # noqa: F841
    counted = duckdb.sql("SELECT label, count(*) FROM found GROUP BY label").fetchall()
    assert [count for _, count in counted] == [1, 1]


def test_a_column_of_a_frame_is_texts() -> None:
    pandas = need("pandas")
    frame = pandas.DataFrame({"n": range(8), "body": [*TEXTS, None]})
    assert find_senses(frame["body"], "bank").labels.tolist() == [1, 1, 1, 1, 2, 2, 2]
    assert find_senses(frame, "bank", column="body").labels.tolist() == [1, 1, 1, 1, 2, 2, 2]


def test_results_are_frames(model) -> None:
    need("pandas")
    need("polars")
    assert find_senses(TEXTS, "bank").to_pandas()["sense"].tolist() == [1, 1, 1, 1, 2, 2, 2]
    assert model.tag(MONEY[0], words="bank").to_polars()["key"].to_list() == ["bank"]
    assert model["bank"].to_pandas()["number"].tolist() == [1, 2, 3, 4]


def test_hugging_face_datasets(model) -> None:
    datasets = need("datasets")
    rows = datasets.Dataset.from_list([{"body": text} for text in TEXTS])
    assert find_senses(rows, "bank", column="body").labels.tolist() == [1, 1, 1, 1, 2, 2, 2]
    streamed = tag_iter(rows.to_iterable_dataset(), model, column="body", words="bank")
    assert [row["body"] for row, _ in streamed] == TEXTS
    tagged = rows.map(lambda row: {"label": model(row["body"], words="bank")[0].label})
    assert tagged["label"][:3] == ["bank.1"] * 3


def test_records_keep_what_else_they_have(model) -> None:
    rows = [row for row in REVIEWS if row["body"]]
    found = [(row["stars"], tagged[0].key) for row, tagged in tag_iter(
        rows, model, column="body", words=["bass"]
    )]  # fmt: skip
    assert found == [(5, "bass"), (4, "bass")]


# Other libraries


def test_a_pipeline_of_scikit_learn(model) -> None:
    pipeline = make_pipeline(SenseTagger(model), CountVectorizer(), LogisticRegression())
    pipeline.fit(TEXTS, ["money"] * 4 + ["river"] * 3)
    assert pipeline.predict(["They lay on the bank of the river."]).tolist() == ["river"]
    assert "bank_1" in pipeline[1].get_feature_names_out()


def test_scikit_learn_gives_frames(model) -> None:
    need("pandas")
    tagger = SenseTagger(model, words=["bank"]).set_output(transform="pandas")
    frame = tagger.fit_transform(MONEY[:1])
    assert frame["text"].tolist() == [MONEY[0].replace("bank", "bank_1")]
    assert tagger.get_feature_names_out().tolist() == ["text"]


def test_senses_learnt_in_a_pipeline() -> None:
    written = SenseInducer("bank", n_senses=2).fit_transform(TEXTS)
    assert [("bank_1" in text, "bank_2" in text) for text in written] == (
        [(True, False)] * 4 + [(False, True)] * 3
    )


def test_spacy(model, river) -> None:
    spacy = need("spacy")
    import grassmeans.integrations.spacy  # noqa: F401 (an installed package has an entry point)

    nlp = spacy.blank("en")
    nlp.add_pipe("grassmeans", config={"model": "en", "words": ["bank"]})
    doc = nlp(RIVER[0])
    assert [(token.text, token._.sense) for token in doc._.senses] == [("bank", f"bank.{river}")]


def test_gensim(model) -> None:
    need("gensim")
    from grassmeans.vectors import from_gensim, to_gensim

    keyed = to_gensim(model.vectors)
    here = model.vectors.most_similar("river", topn=3)
    assert [word for word, _ in keyed.most_similar("river", topn=3)] == [x.word for x in here]
    assert from_gensim(keyed).similarity("river", "sea") == pytest.approx(
        model.vectors.similarity("river", "sea"), abs=1e-5
    )


def test_nearest_words_and_nearest_senses(model, river) -> None:
    (best, *_) = model.vectors.most_similar(positive=["king", "woman"], negative=["man"], topn=5)
    assert best.word == "queen"
    near = [found.word for found in model.lexemes.most_similar(f"bank.{river}", 12)]
    assert any(key.startswith("shore.") for key in near)


def test_sense_terms_in_a_search_engine(model, river) -> None:
    engine = sqlite3.connect(":memory:")
    engine.execute("CREATE VIRTUAL TABLE t USING fts5(x, tokenize = \"unicode61 tokenchars '|'\")")
    for tagged in model.pipe(TEXTS):
        terms = [f"{word.key}|{word.sense}" for word in tagged if word.sense]
        engine.execute("INSERT INTO t VALUES (?)", [" ".join([tagged.text, *terms])])
    found = engine.execute("SELECT rowid - 1 FROM t WHERE x MATCH ?", [f'"bank|{river}"'])
    assert [TEXTS[number] for (number,) in found] == RIVER


# Corpora and the command line


def test_label_a_corpus_and_export_its_terms(model, river, tmp_path) -> None:
    corpus = Corpus.from_texts(TEXTS, tmp_path / "corpus")
    labelled = grassmeans.label_corpus(corpus, model, tmp_path / "labelled", show_progress=False)
    from grassmeans.labelling.export import export_corpus

    export_corpus(labelled, tmp_path / "terms.tsv", "terms")
    lines = (tmp_path / "terms.tsv").read_text(encoding="utf-8").splitlines()
    assert [f"bank|{river}" in line.split() for line in lines] == [False] * 4 + [True] * 3


def test_words_near_a_sense(model, river) -> None:
    corpus = Corpus.from_texts([*MONEY, *RIVER] * 3)
    found = grassmeans.find_collocates(model, corpus, "bank")
    near = {collocate.word for collocate in found.rank(river)}
    assert "river" in near
    assert "money" not in near


def test_words_near_a_sense_as_a_frame(model, river) -> None:
    need("pandas")
    found = grassmeans.find_collocates(model, Corpus.from_texts([*MONEY, *RIVER] * 3), "bank")
    frame = found.rank(river).to_pandas()
    assert frame.set_index("word").loc["river", "count"] == 3
    assert list(found.rank(river, fewest=99).to_pandas().columns) == list(frame.columns)


def test_a_concordance_as_a_frame() -> None:
    need("polars")
    rows = [{"text": text, "source": "money"} for text in MONEY]
    frame = Corpus.from_texts(rows, meta=["source"]).concordance("bank").to_polars()
    assert frame["word"].to_list() == ["bank"] * 4
    assert frame["source"].to_list() == ["money"] * 4


def test_senses_of_two_years(model, river) -> None:
    rows = [{"text": text, "date": year} for text in MONEY for year in ["1900"] * 5]
    rows += [{"text": text, "date": year} for text in RIVER for year in ["2000"] * 5]
    corpus = Corpus.from_texts(rows, column="text", meta=["date"])
    found = grassmeans.compare_groups(model, corpus, "bank", by="date")
    shares = {(row["group"], row["sense"]): row["share"] for row in found.shares}
    assert (shares["1900", 1], shares["2000", river]) == (1.0, 1.0)
    assert found.rows()[0]["changed"] is True


def test_the_command_line_from_a_pipe() -> None:
    command = [sys.executable, "-m", "grassmeans", "tag", "en", "--word", "bank", "--json"]
    done = subprocess.run(command, input=MONEY[0], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["words"][0]["label"] == "bank.1"


# Other languages

GERMAN = [
    "Der König wohnte in dem alten Schloss mit Türmen und einem großen Garten.",
    "Im Schloss des Königs gab es viele Säle, Türme und einen großen Park.",
    "Die Königin zeigte den Gästen das Schloss, die Türme und den Garten.",
    "Der Schlüssel passte nicht, und das Schloss der Tür klemmte wieder.",
    "Er drehte den Schlüssel im Schloss und öffnete leise die Tür.",
    "Das Schloss an der Tür war rostig, der Schlüssel brach ab.",
]
RUSSIAN = [
    "Рыцарь жил в замке с высокими башнями и большим садом короля.",
    "В замке короля было много башен, залов и большой сад.",
    "Ключ застрял в замке, и дверь больше не открывалась.",
    "Он повернул ключ в замке и тихо открыл дверь.",
]


def test_german() -> None:
    with warnings.catch_warnings(action="ignore", category=GrassmeansWarning):
        found = find_senses(GERMAN * 10, "Schloss", language="de", n_senses=2)
    castle, lock = found.labels[:3], found.labels[3:6]
    assert len(set(castle)) == len(set(lock)) == 1
    assert castle[0] != lock[0]


def test_russian() -> None:
    with pytest.warns(GrassmeansWarning, match="vectors of so few are poor"):
        found = find_senses(RUSSIAN * 10, "замке", language="ru", n_senses=2)
    first, second, third, fourth = found.labels[:4]
    assert first == second != third == fourth


def test_german_text_for_an_english_model(model) -> None:
    with pytest.warns(GrassmeansWarning, match="is the text in another one"):
        model.tag_many(GERMAN * 5)


# Mistakes, and what is said of them


def test_unknown_words_are_told(model) -> None:
    with pytest.warns(GrassmeansWarning, match="the model has no senses of 'qqqq'"):
        assert len(model.tag(MONEY[0], words=["qqqq"])) == 0
    with pytest.raises(UnknownWordError, match="'qqqq' does not occur in the texts"):
        find_senses(TEXTS, "qqqq")
    with pytest.raises(UnknownWordError, match=r"'qqqq' is not among the 32,000 words"):
        model.vectors.most_similar("qqqq")


@pytest.mark.parametrize(
    ("mistake", "told"),
    [
        (lambda model: find_senses("The bank.", "bank"), "put a text into a list"),
        (lambda model: find_senses(TEXTS, "bank", language="pl"), "there is no list of function"),
        (lambda model: model.tag(3), "tag needs a string, got int"),
        (lambda model: model.tag(TEXTS), "see tag_many"),
        (lambda model: model.tag_many(["a", None]), r"texts\[1\] is missing"),
        (lambda model: model.tag(TEXTS[0], confidence=2), "a number from 0 to 1"),
        (lambda model: model.tag_frame([TEXTS], "text"), "pandas, polars or Dask"),
        (lambda model: SenseModel().fit(TEXTS), r"SenseModel\.fit\(texts, words="),
    ],
)  # fmt: skip
def test_mistakes_are_told_with_what_to_do(model, mistake, told) -> None:
    with pytest.raises(InputError, match=told):
        mistake(model)


def test_a_wrong_argument_is_told_with_its_function(model) -> None:
    with pytest.raises(TypeError, match=r"tag\(\): got an unexpected keyword argument 'wrds'"):
        model.tag(TEXTS[0], wrds="bank")
    with pytest.raises(TypeError, match=r"tag\(\): too many positional arguments"):
        model.tag(TEXTS[0], "bank")


def test_a_model_that_is_not_there() -> None:
    with pytest.raises(ArtifactError, match="there is no model at xx: give the folder"):
        grassmeans.load("xx")


def test_a_column_that_is_not_there(model) -> None:
    pandas = need("pandas")
    with pytest.raises(InputError, match=r"no column 'text'.*'body', 'title'"):
        model.tag_frame(pandas.DataFrame({"body": TEXTS, "title": TEXTS}), "text")


def test_a_program_that_logs_has_progress_in_its_log(tmp_path, caplog) -> None:
    from grassmeans.progress import tell

    with caplog.at_level(logging.INFO, logger="grassmeans"):
        tell("half of it is done")
    assert caplog.messages == ["half of it is done"]
