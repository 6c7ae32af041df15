from __future__ import annotations

import pytest

from grassmeans import Corpus, SenseModel
from grassmeans.errors import ArtifactError, InputError
from grassmeans.models.building import build_model
from grassmeans.models.compacting import compact_model
from grassmeans.models.model import load
from grassmeans.tagging.lemmas import collect_forms, read_lemmas
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
