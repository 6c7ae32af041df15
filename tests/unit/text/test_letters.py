from __future__ import annotations

import sys

import pytest

from grassmeans import Corpus
from grassmeans.corpus.batches import prepare_documents
from grassmeans.corpus.corpus import default_options
from grassmeans.errors import MissingExtraError
from grassmeans.reading.documents import RawDocument, ReadReport
from grassmeans.text import letters
from grassmeans.text.letters import measure_spaceless
from grassmeans.text.tokenizer import Tokenizer, tokenizer_from_dict

CHINESE = "我在银行工作，银行在上海。"
ENGLISH = "I work at a bank in Shanghai (上海), and so on."


@pytest.fixture
def no_segmenter(monkeypatch: pytest.MonkeyPatch) -> None:
    for cached in (letters.find_breaker, letters.cut_run):
        cached.cache_clear()
    monkeypatch.setitem(sys.modules, "icu4py.breakers", None)


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("plain text", 0.0),
        ("été à Paris", 0.0),
        ("上海 is", 0.5),
        ("ภาษาไทย", 1.0),
        ("한국어 말", 0.0),
    ],
)
def test_scripts_without_spaces_are_recognised(text: str, share: float) -> None:
    assert measure_spaceless(text) == pytest.approx(share, abs=0.3 if share == 1.0 else 0.01)


def test_words_are_found_in_text_without_spaces() -> None:
    pytest.importorskip("icu4py", reason="needs the extra segment")
    tokenizer = Tokenizer(segment=True)
    assert tokenizer.tokenize("我们在上海工作。OK 2024") == ["我们", "在", "上海", "工作", "ok"]
    assert tokenizer.tokenize("とても良い𠮷野") == ["とても", "良い", "𠮷", "野"]
    text = "A bank: 银行工作"
    assert [text[start:end] for start, end in tokenizer.spans(text)] == [
        "A",
        "bank",
        "银行",
        "工作",
    ]
    assert tokenizer_from_dict(tokenizer.to_dict()) == tokenizer


def test_a_corpus_of_such_text_is_segmented_by_itself(tmp_path) -> None:
    pytest.importorskip("icu4py", reason="needs the extra segment")
    corpus = Corpus.from_texts([CHINESE], tmp_path / "corpus")
    assert corpus.tokenizer.segment
    assert corpus.count_of("银行") == 2
    assert [line.word for line in corpus.concordance("银行")] == ["银行", "银行"]
    assert str(corpus.concordance("上海")[0]).endswith("银行在<b>上海</b>。")


def test_without_a_segmenter_such_text_is_refused(tmp_path, no_segmenter) -> None:
    with pytest.raises(MissingExtraError, match=r"spaces.*format='tokens'.*grassmeans\[segment\]"):
        Corpus.from_texts([CHINESE], tmp_path / "corpus")
    assert not (tmp_path / "corpus").exists()
    with pytest.raises(MissingExtraError, match="without spaces"):
        Tokenizer(segment=True).tokenize(CHINESE)


def test_single_documents_of_such_scripts_are_passed_over(tmp_path, no_segmenter) -> None:
    report = ReadReport()
    texts = [RawDocument(str(i), "", text) for i, text in enumerate([ENGLISH * 9, CHINESE])]
    documents, tokenizer = prepare_documents(texts, Tokenizer(), report)
    assert [document.id for document in documents] == ["0"]
    assert not tokenizer.segment
    [(reason, count)] = report.skipped.items()
    assert reason.startswith("document without spaces between words")
    assert count == 1


def test_text_that_comes_segmented_is_left_alone(tmp_path, no_segmenter) -> None:
    corpus = Corpus.from_texts(
        [["我", "在", "银行"]], tmp_path / "corpus", options=default_options("zh")
    )
    assert corpus.count_of("银行") == 1
    assert corpus.function_words >= {"我", "在"}
