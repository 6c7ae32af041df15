import pytest

from grassmeans.errors import InputError
from grassmeans.reading.documents import RawDocument, ReadOptions, split_document


def test_wrong_options_are_refused() -> None:
    with pytest.raises(InputError, match="unknown encoding 'latin-99'"):
        ReadOptions(encoding="latin-99")
    with pytest.raises(InputError, match="a whole number, 1 or more, not 0"):
        ReadOptions(max_document_chars=0)


def test_splitting_shares_out_text_and_keys() -> None:
    whole = RawDocument("7", "T", "aa bb cc dd ee", "tokens", ("a", "b", "c", "d", "e"))
    assert list(split_document(whole, 6)) == [
        RawDocument("7", "T", "aa bb", "tokens", ("a", "b")),
        RawDocument("7#2", "T", "cc dd", "tokens", ("c", "d")),
        RawDocument("7#3", "T", "ee", "tokens", ("e",)),
    ]
    solid = RawDocument("8", "", "x" * 10)
    assert [part.text for part in split_document(solid, 4)] == ["xxxx", "xxxx", "xx"]
    lines = RawDocument("9", "", "one two\nthree four")
    assert [part.text for part in split_document(lines, 13)] == ["one two", "three four"]
