from __future__ import annotations

import json
from pathlib import Path

import pytest

from entry_material import EMPTY, HOSTILE, LEXICON, make_hostile
from grassmeans.errors import InputError
from grassmeans_explorer.entries.formats.own import read, write

HERE = Path("lexicon.json")


@pytest.mark.parametrize("lexicon", [LEXICON, EMPTY, *map(make_hostile, HOSTILE)])
def test_a_lexicon_comes_back_exactly(lexicon):
    assert read(write(lexicon), HERE) == lexicon


def test_lone_surrogates_come_back_too():
    lexicon = make_hostile("a\ud800\x00b")
    assert read(write(lexicon), HERE) == lexicon
    write(lexicon).encode()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no usable JSON"),
        ("[]", "no lexicon of ours: expected that it holds named values"),
        ("{}", "'kind' is there"),
        ('{"kind": "model"}', "'kind' is one of grassmeans-lexicon"),
        (json.dumps(json.loads(write(EMPTY)) | {"format_version": 2}), "'format_version'"),
        (json.dumps(json.loads(write(EMPTY)) | {"title": 1}), "'title' is a text"),
        (json.dumps(json.loads(write(EMPTY)) | {"entries": [{"word": ""}]}), "needs a word"),
        (json.dumps(json.loads(write(EMPTY)) | {"entries": [{"word": "x", "senses": 3}]}), "list"),
    ],
)
def test_other_files_are_refused(text, told):
    with pytest.raises(InputError, match=r"lexicon\.json") as error:
        read(text, HERE)
    assert told in str(error.value)
    assert "build the folder again" not in str(error.value)
