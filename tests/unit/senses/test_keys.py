from __future__ import annotations

import pytest

from grassmeans.errors import InputError
from grassmeans.senses.keys import decode_key, encode_key


@pytest.mark.parametrize(
    ("word", "sense", "key"),
    [
        ("crane", 2, "crane.2"),
        ("crane", 0, "crane.0"),
        ("crane", None, "crane"),
        ("st.1", None, "st.1\\"),
        ("st.1", 3, "st.1.3"),
        ("st.1\\", None, "st.1\\\\"),
        ("st.01", None, "st.01"),  # no sense is written so
        ("u.s", None, "u.s"),
        ("e.g.", 1, "e.g..1"),
        ("a\\", None, "a\\"),
        ("a\\", 1, "a\\.1"),
        ("ice cream", 12, "ice cream.12"),
        ("v2.10", None, "v2.10\\"),
        ("٣.٣", None, "٣.٣"),  # only ASCII digits number a sense
    ],
)
def test_keys(word, sense, key) -> None:
    assert encode_key(word, sense) == key
    assert decode_key(key) == (word, sense)


def test_negative_senses_are_refused() -> None:
    with pytest.raises(InputError, match="numbered from 1"):
        encode_key("crane", -1)
