from __future__ import annotations

from html.parser import HTMLParser

import pytest

from entry_material import EMPTY, HOSTILE, LEXICON, make_hostile
from grassmeans_explorer.entries.formats.page import write


class Reader(HTMLParser):
    """The tags and the text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text: dict[str, list[str]] = {}
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.setdefault(self.open[-1] if self.open else "", []).append(data)


@pytest.mark.parametrize("lexicon", [LEXICON, EMPTY, *map(make_hostile, HOSTILE)])
def test_a_page_is_whole_and_has_no_scripts(lexicon):
    read = Reader(write(lexicon))
    assert read.open == []
    assert not {tag for tag, _ in read.tags} & {"script", "iframe", "img", "link", "object"}
    assert not [name for _, given in read.tags for name in given if name.startswith("on")]
    assert read.text["title"] == [lexicon.title]
    assert read.text["h2"] == [entry.word for entry in lexicon.entries]
    ids = [given["id"] for _, given in read.tags if "id" in given]
    assert len(set(ids)) == len(ids)
    for _, given in read.tags:
        if "href" in given:
            assert str(given["href"]).removeprefix("#") in ids


def test_what_readers_see():
    page = write(LEXICON)
    assert '<html lang="en">' in page
    assert "@media print" in page
    assert "The <b>crane</b> flew north. <cite>A book</cite>" in page
    assert "No <b>crane</b>!" not in page  # never to be shown
    assert 'synonym: <bdi><a href="#e-bank-1">bank</a></bdi>' in page
    assert "see: <bdi>heron</bdi>" in page
    assert '<span class="name" dir="auto">river</span>' in page  # where there is no definition
