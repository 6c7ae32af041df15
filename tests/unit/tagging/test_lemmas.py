from __future__ import annotations

import sys

import numpy as np
import pytest

from grassmeans import Corpus, SenseModel, WordVectors
from grassmeans.errors import ArtifactError, InputError, MissingExtraError
from grassmeans.models.building import build_model
from grassmeans.models.compacting import compact_model
from grassmeans.models.model import load
from grassmeans.tagging import lemmas as lemmas_module
from grassmeans.tagging.lemmas import (
    MOST_OFTEN,
    FormTable,
    choose_forms,
    collect_forms,
    find_capitalised,
    open_dictionary,
    read_lemmas,
    tell_forms,
)
from grassmeans.text.tokenizer import Tokenizer

NOUNS = {"cranes": "crane", "banks": "bank"}


def write_conllu(path, documents: list[str]) -> None:
    """Every document a sentence; "cranes" is written for every second "crane"."""
    lines = []
    for text in documents:
        for number, form in enumerate(text.replace(".", "").split(), 1):
            lemma = form.lower()
            shown = form + "s" if lemma == "crane" and number % 2 else form
            lines.append("\t".join([str(number), shown, lemma, *["_"] * 7]))
        lines.append("")
    path.write_text("\n".join(lines), encoding="utf-8")


@pytest.fixture(scope="module")
def lemma_model(tmp_path_factory, synthetic, topic_vectors) -> SenseModel:
    folder = tmp_path_factory.mktemp("lemmas")
    write_conllu(folder / "a.conllu", synthetic.documents)
    Corpus.from_files(folder / "a.conllu", folder / "corpus", column="lemma")
    return build_model(
        folder / "corpus", topic_vectors.folder, folder / "model", "crane", n_senses=2
    )


def sentence(words: list[str], form: str) -> str:
    return " ".join([*words[:5], "the", form, *words[5:10]])


def test_a_model_of_lemmas_tags_text_in_forms(lemma_model, synthetic) -> None:
    assert lemma_model.lemma_table == {"cranes": "crane"}
    bird, machine = synthetic.topic_words[:2]
    found = [lemma_model.tag(sentence(words, "Cranes"))[0] for words in (bird, machine)]
    assert [(word.key, word.word) for word in found] == [("crane", "Cranes")] * 2
    assert {word.sense for word in found} == {1, 2}
    assert lemma_model.senses("Cranes").word == "crane"
    assert [w.key for w in lemma_model.tag(sentence(bird, "cranes"), words="cranes")] == ["crane"]


def test_tokens_that_are_lemmas_are_no_forms(lemma_model, topic_corpus) -> None:
    # A lemma that is spelt as a form of another one ("left") stays what it is.
    assert lemma_model.pool_forms(topic_corpus) is topic_corpus
    first = topic_corpus.vocabulary.words[0]
    table = dict(lemma_model.lemma_table) | {first: "crane"}
    parts = lemma_model.encoder, lemma_model.inventory, lemma_model.tokenizer
    told = SenseModel(*parts, lemma_model.manifest, lemma_table=table)
    assert told.pool_forms(topic_corpus) is topic_corpus
    pooled = SenseModel(
        *parts,
        lemma_model.manifest | {"lemmas": {"source": "given", "n_forms": 1}},
        lemma_table=table,
    )
    assert pooled.pool_forms(topic_corpus).spell(first) == "crane"


def test_the_table_goes_where_the_model_goes(lemma_model, tmp_path) -> None:
    lemma_model.save(tmp_path / "copy")
    compact_model(lemma_model, tmp_path / "compact")
    for folder in ("copy", "compact"):
        assert load(tmp_path / folder).lemma_table == {"cranes": "crane"}
    (tmp_path / "copy" / "lemmas.tsv").write_text("cranes\n")
    with pytest.raises(ArtifactError, match=r"lemmas\.tsv"):
        load(tmp_path / "copy")


def test_a_table_or_a_function_of_the_user_s(topic_model, synthetic) -> None:
    text = sentence(synthetic.topic_words[0], "Cranes")
    assert len(topic_model.tag(text)) == 0
    for lemmas in (NOUNS, NOUNS.get, lambda form: form.removesuffix("s")):
        model = topic_model.with_lemmas(lemmas)
        assert [word.label for word in model.tag(text)] == [
            word.label for word in topic_model.tag(text.replace("Cranes", "crane"))
        ]
    # A context is made of the words that have vectors, and of the lemmas of others.
    plural = text.replace(synthetic.topic_words[0][0], "unheard")
    table = NOUNS | {"unheard": synthetic.topic_words[0][0], synthetic.topic_words[0][1]: "bank"}
    (word,) = topic_model.with_lemmas(table).tag(plural, words="crane")
    assert word.distances == pytest.approx(model.tag(text)[0].distances)
    with pytest.raises(InputError, match="lemmas must be a table"):
        topic_model.with_lemmas(["crane"])


def test_the_most_frequent_lemma_of_a_form_counts(tmp_path) -> None:
    rows = [("saw", "see"), ("saw", "saw"), ("saw", "see"), ("Fly", "fly"), ("lay", "lie")]
    lines = ["\t".join([str(i), *row, *["_"] * 7]) for i, row in enumerate(rows, 1)]
    (tmp_path / "a.conllu").write_text("\n".join(lines) + "\n", encoding="utf-8")
    corpus = Corpus.from_files(tmp_path / "a.conllu", tmp_path / "corpus", column="lemma")
    assert collect_forms(corpus) == {"saw": "see", "lay": "lie"}
    assert collect_forms(Corpus.from_texts(["They saw a fly."])) == {}
    assert read_lemmas(tmp_path) == {}


def test_models_of_tokens_read_text_with_joined_words(topic_vectors, synthetic, tmp_path) -> None:
    documents = [text.replace(".", " .").split() for text in synthetic.documents]
    joined = [["port_" + t if t.lower() == "crane" else t for t in tokens] for tokens in documents]
    Corpus.from_texts(joined, tmp_path / "corpus")
    model = build_model(
        tmp_path / "corpus", topic_vectors.folder, tmp_path / "model", "Port_crane", n_senses=2
    )
    assert model.tokenizer == Tokenizer(numbers="keep", underscores=True)
    bird = synthetic.topic_words[0]
    (word,) = model.tag(sentence(bird, "_Port_Crane_") + ", 7.")
    assert (word.key, word.word) == ("port_crane", "Port_Crane")
    tokens = [*bird[:5], "PORT_crane", "New York", *bird[5:10]]
    tagged = model.tag(tokens=tokens)
    assert (tagged[0].key, tagged[0].position, tagged[0].word) == ("port_crane", 5, "PORT_crane")
    assert tagged[0].sense == word.sense
    assert model.tag_many([tokens, " ".join(tokens)])[0] == tagged


# Cosines to "bank": banks 1, banking 0.6; of "good": goods 0; "book": books 1. Any two: about 0.3.
VECTORS = {
    "bank": (1, 0, 0, 0), "banks": (2, 0, 0, 0), "banked": (0.8, 0.6, 0, 0),
    "banker": (0.28, 0.96, 0, 0), "good": (0, 0, 1, 0), "goods": (0, 0, 0, 1),
    "book": (0, 1, 0, 0), "books": (0, 3, 0, 0), "saw": (0, 0, 1, 1), "saws": (0, 0, 1, 1),
    "see": (0, 0, 1, 1), "unite": (1, 1, 0, 0), "united": (1, 1, 0, 0), "we": (0, 1, 1, 0),
    "us": (0, 1, 1, 0),
}  # fmt: skip
FORMS = {
    "banks": "bank", "goods": "good", "books": "Book", "saw": "see", "saws": "saw",
    "united": "unite", "us": "we", "bookses": "book", "mice": "mouse",
}  # fmt: skip


def tell(texts: list[str], find=FORMS.get) -> dict[str, str]:
    rows = np.array(list(VECTORS.values()), np.float32)
    return tell_forms(find, Corpus.from_texts(texts), WordVectors(list(VECTORS), rows))


def test_forms_that_mean_the_same_lead_to_their_lemma() -> None:
    words = " ".join([*VECTORS, "bookses", "mice"])
    table = tell([words])
    # A form without a vector is believed; a lemma has to occur, and to have one.
    assert table["banks"] == "bank"
    assert table["books"] == table["bookses"] == "book"
    assert "mice" not in table
    # Function words stay, and so do forms that have a meaning, or forms, of their own.
    assert "us" not in table
    assert "goods" not in table
    assert "saw" not in table
    assert table["saws"] == "saw"


def test_a_form_is_near_its_lemma_or_another_form() -> None:
    rows = {"bank": (1, 0), "banked": (0.8, 0.6), "banker": (0.28, 0.96), "book": (0, 1)}
    rows |= {"booked": (0.6, 0.8), "west": (-1, 0), "south": (0, -1), "other": (-1, -1)}
    vectors = WordVectors(list(rows), np.array(list(rows.values()), np.float32))
    corpus = Corpus.from_texts([" ".join(rows)])
    pairs = {"banked": "bank", "banker": "bank", "booked": "book"}
    # To "bank" 0.8 and 0.28, to each other 0.8: "banker" is reached by way of "banked".
    assert tell_forms(pairs.get, corpus, vectors) == pairs
    del pairs["banked"]
    assert tell_forms(pairs.get, corpus, vectors) == {"booked": "book"}


def test_a_form_that_is_nearly_all_of_its_lemma_stays() -> None:
    often = " ".join(["unite", *["united"] * MOST_OFTEN])
    assert tell([often])["united"] == "unite"
    assert "united" not in tell([often + " united"])


def test_who_asks_gets_tables_or_reasons(monkeypatch) -> None:
    corpus = Corpus.from_texts(["banks of a bank"])
    vectors = WordVectors(["bank"], np.ones((1, 2), np.float32))
    assert choose_forms(False, corpus, vectors) == FormTable({})
    for given in ({"banks": "bank", "bank": "bank"}, lambda word: word.removesuffix("s")):
        assert choose_forms(given, corpus, vectors) == FormTable({"banks": "bank"}, "given")
    with pytest.raises(InputError, match="lemmas must be"):
        choose_forms("always", corpus, vectors)
    for name in ("simplemma", "simplemma.strategies"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtraError, match=r"grassmeans\[lemmas\]"):
        choose_forms(True, corpus, vectors)
    monkeypatch.setattr(lemmas_module, "find_spec", lambda name: None)
    assert choose_forms("auto", corpus, vectors) == FormTable({})


def test_words_that_are_capitalised_inside_sentences() -> None:
    texts = ["Bücher liegen, Bücher fallen, wir buchen. Das eine Haus. Tage", "wir tagen, Tagen"]
    corpus = Corpus.from_texts(texts, language="de")
    assert find_capitalised(corpus) == {"bücher", "haus"}


def test_german_nouns_are_no_verbs() -> None:
    pytest.importorskip("simplemma", reason="needs the extra lemmas")
    texts = ["Wir sehen die Blätter, das Buch, die Arten. Ich will blättern, im Buche, beten"]
    find = open_dictionary("de", Corpus.from_texts(texts, language="de"))
    nouns = ("blätter", "buch", "buche", "arten")
    assert [find(word) for word in nouns] == ["Blatt", "Buch", "Buche", "Art"]
    assert find("beten") == "beten"


def test_dictionaries_of_simplemma() -> None:
    pytest.importorskip("simplemma", reason="needs the extra lemmas")
    english, german = open_dictionary("en"), open_dictionary("de")
    assert [english(w) for w in ("banks", "drew", "mice", "xqzt")] == [
        "bank",
        "draw",
        "mouse",
        None,
    ]
    spanish = open_dictionary("es")
    assert [spanish(w) for w in ("hacerlas", "cielo", "pelo")] == ["hacer", "cielo", "pelo"]
    assert [german(w) for w in ("häuser", "alten", "xqzt")] == ["Haus", "alt", None]
    with pytest.raises(InputError, match="no lemmas of the language 'xx'"):
        open_dictionary("xx")
    words = ["bank", "banks", "draw", "drew"]
    vectors = WordVectors(words, np.array([(1, 0), (2, 0), (0, 1), (0, 2)], np.float32))
    corpus = Corpus.from_texts(["the banks drew what the bank can draw"])
    expected = FormTable({"banks": "bank", "drew": "draw"}, "simplemma (en)")
    assert choose_forms(True, corpus, vectors) == expected
    assert choose_forms("auto", corpus, vectors) == expected
    other = Corpus.from_texts(["the banks drew"], language="ja")
    assert choose_forms("auto", other, vectors) == FormTable({})
