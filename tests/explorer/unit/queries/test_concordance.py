"""Lines, searches, orders, frequencies, collocates and comparisons, on corpora made by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from crane_model import save_crane_model
from grassmeans import Corpus, load
from grassmeans_explorer.limits import (
    ConflictError,
    Limits,
    NoCorpusError,
    NothingThereError,
    OutOfTimeError,
    TooMuchError,
    WordNotFoundError,
    WorkLimits,
)
from grassmeans_explorer.open_model import OpenModel
from grassmeans_explorer.queries.compare import (
    Lexeme,
    NearSettings,
    compare_lexemes,
    find_collocates,
)
from grassmeans_explorer.queries.concordance import LineFilter, find_lines
from grassmeans_explorer.queries.documents import count_lines, show_document
from grassmeans_explorer.queries.occurrences import LineSample, choose_positions, measure_word
from grassmeans_explorer.queries.searching import Search, check_pattern, stand_near
from grassmeans_explorer.work import LongWorkError, run_quickly, run_within

RECORDS = [
    {"text": "a nest wing crane\n\nnest Yard", "date": "1901-05-01", "source": "times"},
    {"text": "big steel crane beam yard", "date": "1902", "source": "post"},
    {"text": "old wing nest crane wing zoo", "date": "1955", "source": "times"},
    {"text": "crane", "source": "post"},
    {"text": "the steel beam crane beam steel crane", "date": "1905", "source": "post"},
]


@pytest.fixture
def corpus(tmp_path) -> Corpus:
    return Corpus.from_texts(RECORDS, tmp_path / "corpus", meta=["date", "source"])


@pytest.fixture
def model(tmp_path):
    return load(save_crane_model(tmp_path / "model"))


@pytest.fixture
def opened(model, corpus) -> OpenModel:
    return OpenModel(model, corpus)


def search(corpus: Corpus, text: str, **options) -> list[int]:
    """Numbers of the lines of "crane" that are found."""
    near = stand_near(corpus, corpus.positions("crane"), Search(text, **options))
    return np.flatnonzero(near).tolist()


@pytest.mark.parametrize(
    ("text", "options", "found"),
    [
        ("nest", {}, [0, 2]),
        ("ne", {}, [0, 2]),  # being typed
        ("ne wing", {}, []),  # not any more
        ("wing NEST", {}, [0, 2]),
        ("zoo|big", {}, [1, 2]),
        ("*ar*", {}, [0, 1]),
        ("b*m", {}, [1, 4, 5]),
        ('"steel crane"', {}, [1, 5]),
        ('"crane beam"', {}, [1, 4]),
        ('"steel beam crane"', {}, [4]),
        ('"beam steel"', {}, [4, 5]),
        ("crane", {}, [4, 5]),  # another one
        ("nest", {"side": "right"}, [0]),
        ("wing", {"side": "left"}, [0, 2]),
        ("wing", {"side": "right"}, [2]),
        ("old", {"reach": 2}, []),
        ("old", {"reach": 3}, [2]),
        ("st.*l", {"is_pattern": True}, [1, 4, 5]),
        ("st", {"is_pattern": True}, []),  # of whole words
        ("(zoo|BIG) [a-z]{4}", {"is_pattern": True}, [1, 2]),
        ("", {}, [0, 1, 2, 3, 4, 5]),
        ("...", {}, [0, 1, 2, 3, 4, 5]),
    ],
)
def test_searches_by_hand(corpus, text, options, found):
    assert search(corpus, text, **options) == found


@pytest.mark.parametrize(
    "pattern", ["(a", "*", r"(a)\1", "(?=a)", "(?R)", "(?:a){e<=2}", "[", "a\\"]
)
def test_patterns_that_cannot_be_taken(corpus, pattern):
    with pytest.raises(ConflictError, match=r"regular expression|not for here"):
        search(corpus, pattern, is_pattern=True)


def test_a_pattern_does_not_hang():
    corpus = Corpus.from_texts([f"crane {'a' * 50}b"])
    with pytest.raises(TooMuchError, match="more simply"):
        search(corpus, "(?:.*?a){20}[^b]{9}", is_pattern=True)
    check_pattern(r"(?:riv|str)\w+\.?[^x-z]{2,3}")
    with pytest.raises(TooMuchError, match="more simply"):
        stand_near(corpus, corpus.positions("crane"), Search("a.*", is_pattern=True), -1.0)


def lefts(opened: OpenModel, sort: str) -> list[str]:
    found = find_lines(opened, "crane", LineFilter(sort=sort), width=20)
    return [line.left.split()[-1] if line.left else "" for line in found.lines]


def test_orders_by_hand(opened):
    assert lefts(opened, "left1") == ["", "beam", "nest", "steel", "steel", "wing"]
    # Second words: none, a... "nest wing", "big steel", "wing nest", "steel beam", "beam steel".
    assert lefts(opened, "left2") == ["", "steel", "steel", "wing", "beam", "nest"]
    rights = [
        line.right.split()[0] if line.right.split() else ""
        for line in find_lines(opened, "crane", LineFilter(sort="right1")).lines
    ]
    assert rights == ["", "", "beam", "beam", "nest", "wing"]
    dates = [
        line.fields.get("date", "")
        for line in find_lines(opened, "crane", LineFilter(sort="field:date")).lines
    ]
    assert dates == ["1901-05-01", "1902", "1905", "1905", "1955", ""]
    sources = find_lines(opened, "crane", LineFilter(sort="field:source")).lines
    assert [line.fields["source"] for line in sources] == ["post"] * 4 + ["times"] * 2
    documents = find_lines(opened, "crane", LineFilter(sort="document")).lines
    assert [line.document for line in documents] == sorted(line.document for line in documents)
    surest = find_lines(opened, "crane", LineFilter(sort="confidence")).lines
    unsure = find_lines(opened, "crane", LineFilter(sort="unsure")).lines
    assert [line.confidence for line in unsure] == [line.confidence for line in surest][::-1]
    with pytest.raises(ConflictError, match="no field 'genre'"):
        find_lines(opened, "crane", LineFilter(sort="field:genre"))


def test_a_page_in_another_order_has_its_own_senses(opened):
    plain = {line.position: line for line in find_lines(opened, "crane", LineFilter()).lines}
    ordered = find_lines(opened, "crane", LineFilter(sort="right1"), offset=1, limit=4).lines
    assert all(plain[line.position] == line for line in ordered)
    assert {line.sense for line in ordered} >= {1, 2}


def test_samples_are_nested_and_the_same_for_a_seed(topic_model, topic_corpus):
    opened = OpenModel(topic_model, topic_corpus)
    small, large = (choose_positions(opened, "crane", LineSample(n, 7)) for n in (20, 60))
    assert len(small) == 20
    assert set(small) < set(large)
    assert (np.diff(large) > 0).all()
    assert set(choose_positions(opened, "crane", LineSample(20, 8))) != set(small)
    found = find_lines(opened, "crane", LineFilter(sample=LineSample(20, 7)))
    assert (found.total, found.measured, found.occurrences) == (20, 20, 200)
    assert [line.position for line in found.lines] == small.tolist()


def test_very_many_lines_are_sampled_to_be_searched(topic_model, topic_corpus):
    opened = OpenModel(topic_model, topic_corpus, Limits(work=WorkLimits(searched_lines=30)))
    assert find_lines(opened, "crane", LineFilter()).measured is None
    for wanted in (LineFilter(sort="left1"), LineFilter(search=Search("*"))):
        found = find_lines(opened, "crane", wanted)
        assert (found.total, found.measured) == (30, 30)
    assert find_lines(opened, "crane", LineFilter(sort="left1", sample=LineSample(40))).total == 30
    assert find_collocates(opened, Lexeme("crane"), NearSettings()).measured == 30


def test_other_forms_have_the_senses_of_the_word(tmp_path, model):
    texts = ["nest wing crane nest", "steel beam Cranes load", "a nest wing cranes nest", "crane"]
    opened = OpenModel(model, Corpus.from_texts(texts, tmp_path / "forms"))
    both = LineSample(forms=("cranes", "Crane"))
    found = find_lines(opened, "crane", LineFilter(sample=both))
    assert [(line.word, line.sense) for line in found.lines] == [
        ("crane", 1),
        ("Cranes", 2),
        ("cranes", 1),
        ("crane", 0),
    ]
    assert (found.occurrences, found.measured) == (4, None)
    birds = find_lines(opened, "crane", LineFilter(sense=1, sample=both)).lines
    assert [line.word for line in birds] == ["crane", "cranes"]
    assert find_lines(opened, "crane", LineFilter(sense=1)).total == 1
    settings = NearSettings(before=1, after=1, fewest=1, sample=both)
    assert find_collocates(opened, Lexeme("crane", 1), settings).lines == 2
    with pytest.raises(WordNotFoundError, match="does not occur"):
        find_lines(opened, "crane", LineFilter(sample=LineSample(forms=("craned",))))


def test_other_forms_have_wildcards(tmp_path, model):
    texts = ["nest wing crane nest", "steel Cranes load", "craned load", "carne crazy", "loads"]
    opened = OpenModel(model, Corpus.from_texts(texts, tmp_path / "forms"))

    def find(*forms: str):
        found = find_lines(opened, "crane", LineFilter(sample=LineSample(forms=forms)))
        return [line.word for line in found.lines], found.forms, found.occurrences

    assert find("Cran*") == (["crane", "Cranes", "craned"], ("craned", "cranes"), 3)
    assert find("*anes", "craned") == (["crane", "Cranes", "craned"], ("cranes", "craned"), 3)
    assert find("c*n*d") == (["crane", "craned"], ("craned",), 2)
    with pytest.raises(WordNotFoundError):
        find("cran.*")  # a dot stands for itself
    assert find("crane", "Crane") == (["crane"], (), 1)
    with pytest.raises(WordNotFoundError, match="no word of the corpus fits 'x"):
        find("xy*")
    with pytest.raises(ConflictError, match="2 letters or more"):
        find("c*")
    settings = NearSettings(before=1, after=1, fewest=1, sample=LineSample(forms=("cran*",)))
    assert find_collocates(opened, Lexeme("crane"), settings).lines == 3
    many = Corpus.from_texts(
        [
            " ".join(f"crane{x}{y}" for x in "abcdefghijklmnop" for y in "abcdefghijklmnop")
            + " crane"
        ],
        tmp_path / "many",
    )
    with pytest.raises(TooMuchError, match="257 words"):
        find_lines(
            OpenModel(model, many), "crane", LineFilter(sample=LineSample(forms=("crane*",)))
        )


def test_lines_have_a_width(opened):
    line = find_lines(opened, "crane", LineFilter(), width=10, limit=1).lines[0]
    assert (line.left, line.right) == ("nest wing ", "  nest")  # never half a word
    with pytest.raises(TooMuchError, match="400"):
        find_lines(opened, "crane", LineFilter(), width=401)


class SlowEncoder:
    """Counts what it reads, as a network would."""

    def __init__(self, encoder) -> None:
        self._encoder = encoder
        self.worth_keeping = True
        self.read: list[int] = []

    def __getattr__(self, name: str):
        return getattr(self._encoder, name)

    def encode_at(self, source, positions):
        self.read += positions.tolist()
        return self._encoder.encode_at(source, positions)


def test_what_a_network_has_read_is_kept(topic_model, topic_corpus, monkeypatch):
    fast = OpenModel(topic_model, topic_corpus)
    limits = Limits(work=WorkLimits(encoded_lines=50))
    opened = OpenModel(topic_model, topic_corpus, limits)
    slow = SlowEncoder(topic_model.encoder)
    now = replace(opened.now, model=_WithEncoder(topic_model, slow))
    monkeypatch.setattr(opened, "_now", now)
    monkeypatch.setattr(opened, "base", now.model)
    directions = topic_model.inventory.directions("crane")
    found = measure_word(opened, "crane", directions)
    assert len(found.positions) == len(slow.read) == 50
    expected = measure_word(fast, "crane", directions)
    same = np.isin(expected.positions, found.positions)
    assert np.allclose(found.distances, expected.distances[same], atol=1e-4, equal_nan=True)
    measure_word(opened, "crane", directions[:1])
    assert len(slow.read) == 50  # other senses of the same lines
    measure_word(opened, "crane", directions, LineSample(80))
    assert len(slow.read) == 80  # a larger sample has the smaller one in it
    assert len(set(slow.read)) == 80


def test_work_that_runs_out_of_time_goes_on_later(topic_model, topic_corpus, monkeypatch):
    opened = OpenModel(topic_model, topic_corpus)
    slow = SlowEncoder(topic_model.encoder)
    now = replace(opened.now, model=_WithEncoder(topic_model, slow))
    monkeypatch.setattr(opened, "_now", now)
    monkeypatch.setattr(opened, "base", now.model)
    monkeypatch.setattr("grassmeans_explorer.queries.occurrences._AT_ONCE", 64)
    directions = topic_model.inventory.directions("crane")

    def stop(progress: float) -> None:
        if progress > 0.5:
            raise OutOfTimeError("over")

    with pytest.raises(OutOfTimeError, match="128 of 200 lines are read so far"):
        run_within(stop, measure_word, opened, "crane", directions, LineSample(200))
    measure_word(opened, "crane", directions, LineSample(200))
    assert len(slow.read) == 200


class _WithEncoder:
    """A model with another encoder."""

    def __init__(self, model, encoder) -> None:
        self._model = model
        self.encoder = encoder

    def __getattr__(self, name: str):
        return getattr(self._model, name)


def test_a_document_has_paragraphs_and_fields(opened, corpus):
    view = show_document(opened, int(corpus.positions("crane")[0]))
    assert view.text.split("\n\n") == ["a nest wing crane", "nest Yard"]
    assert view.text[view.start : view.end] == "crane"
    assert view.fields == {"date": "1901-05-01", "source": "times"}
    assert (view.earlier, view.later) == (None, None)
    limits = Limits(request=replace(Limits().request, document_characters=6))
    near = show_document(OpenModel(opened.base, corpus, limits), int(corpus.positions("zoo")[0]))
    assert (near.cut_before, near.cut_after, near.later) == (True, False, None)
    assert near.text == "wing zoo"  # cut between words
    words = corpus.vocabulary.words
    assert near.earlier is not None
    assert words[corpus.tokens_at(np.array([near.earlier]))[0]] == "crane"


def test_frequencies_by_hand(opened):
    by_source = count_lines(opened, "crane", LineFilter(), "source")
    rows = [(row.group, row.count, row.n_words) for row in by_source.groups]
    assert rows == [("post", 4, 13), ("times", 2, 12)]
    assert by_source.groups[0].per_million == pytest.approx(4e6 / 13, abs=1)
    by_time = count_lines(opened, "crane", LineFilter(search=Search("beam")), "date:decade")
    assert [(row.group, row.count) for row in by_time.groups] == [
        ("1900-1909", 3),
        ("1950-1959", 0),
    ]
    assert (by_time.total, by_time.left_out) == (3, 0)
    assert count_lines(opened, "crane", LineFilter(), "date:decade").left_out == 1
    birds = count_lines(opened, "crane", LineFilter(sense=1), "source")
    assert [row.count for row in birds.groups] == [0, 2]
    documents = count_lines(opened, "crane", LineFilter(), "document")
    assert [row.count for row in documents.groups] == [2, 1, 1, 1, 1]
    part = count_lines(opened, "crane", LineFilter(sample=LineSample(3)), "document")
    assert (part.total, part.measured, part.occurrences) == (3, 3, 6)
    first = part.groups[0]
    assert first.per_million == pytest.approx(2e6 * first.count / first.n_words, abs=1)
    with pytest.raises(ConflictError, match="genre"):
        count_lines(opened, "crane", LineFilter(), "genre")


def test_collocates_of_words_and_senses(opened, model):
    settings = NearSettings(before=1, after=1, fewest=1)
    bird = find_collocates(opened, Lexeme("crane", 1), settings)
    assert {row.word for row in bird.collocates} == {"nest", "wing"}
    assert (bird.lines, bird.measured, bird.occurrences) == (2, None, 6)
    every = find_collocates(opened, Lexeme("Crane"), settings)
    assert {row.word for row in every.collocates} == {"nest", "wing", "steel", "beam"}
    assert find_collocates(opened, Lexeme("yard"), settings).lines == 2  # not in the model
    with pytest.raises(NothingThereError, match="1 to 2"):
        find_collocates(opened, Lexeme("crane", 3), settings)
    with pytest.raises(NoCorpusError):
        find_collocates(OpenModel(model), Lexeme("crane"), settings)


def test_two_senses_side_by_side(opened, model):
    settings = NearSettings(before=1, after=1, fewest=1)
    pair = Lexeme("crane", 1), Lexeme("crane", 2)
    with pytest.raises(LongWorkError):
        run_quickly(compare_lexemes, opened, *pair, settings)
    found = compare_lexemes(opened, *pair, settings)
    assert run_quickly(compare_lexemes, opened, *pair, settings) == found
    assert found.similarity == 0.0
    assert {row.word for row in found.collocates.first} == {"nest", "wing"}
    assert {row.word for row in found.collocates.second} == {"steel", "beam"}
    assert found.collocates.shared == ()
    assert [side.lines for side in (found.first, found.second)] == [2, 3]
    assert {line.sense for line in found.first.examples} == {1}
    # Six words have vectors, and all are near enough to be told.
    assert {row.word for row in found.neighbours.shared} == {"nest", "wing", "steel", "beam", "mix"}
    mix = next(row for row in found.neighbours.shared if row.word == "mix")
    assert (mix.first, mix.second) == (0.6, 0.8)
    alone = compare_lexemes(OpenModel(model), *pair, settings)
    assert alone.collocates is None
    assert alone.first.lines is None
    with pytest.raises(NothingThereError):
        compare_lexemes(opened, Lexeme("crane", 1), Lexeme("crane", 9), settings)


def test_two_words_side_by_side(topic_model, topic_corpus, synthetic):
    opened = OpenModel(topic_model, topic_corpus)
    found = compare_lexemes(opened, Lexeme("crane"), Lexeme("bank"), NearSettings(limit=5))
    cranes = {row.word[:4] for row in found.collocates.first} - {"cran"}
    banks = {row.word[:4] for row in found.collocates.second}
    assert len(cranes) == len(banks) == 2
    assert not cranes & banks
    assert len(found.first.examples) == 6
    assert (found.first.share, found.first.name) == (None, "")
    assert found.neighbours.first


def test_what_needs_work_is_no_quick_answer(opened):
    def is_long(wanted: LineFilter) -> bool:
        try:
            run_quickly(find_lines, opened, "crane", wanted)
        except LongWorkError:
            return True
        return False

    assert not is_long(LineFilter())
    assert is_long(LineFilter(sense=1))
    find_lines(opened, "crane", LineFilter(sense=1))
    assert not is_long(LineFilter(sense=1))
    assert is_long(LineFilter(sense=1, sample=LineSample(2)))
    assert is_long(LineFilter(sort="left1"))
    assert is_long(LineFilter(search=Search("nest")))
    assert is_long(LineFilter(n_senses=2))
