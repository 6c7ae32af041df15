from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from grassmeans.errors import InputError
from grassmeans_explorer.entries.formats.xml_text import (
    add,
    add_marked,
    clean,
    parse,
    read_marked,
    serialise,
)

HERE = Path("a.xml")


def test_what_xml_cannot_hold_is_replaced():
    assert clean("a\x00b\x0bc\ud800d\ufffee") == "a\ufffdb\ufffdc\ufffdd\ufffde"
    assert clean("\t\n\r 🏗️\u202e") == "\t\n\r 🏗️\u202e"


def test_text_comes_back_and_only_elements_are_indented():
    root = ET.Element("root")
    add(add(root, "group"), "text", ' <a> &\r\n\t" ', xml_id='x"\n')
    add_marked(add(root, "quote"), "hi", "", " word ", "")
    written = serialise(root, ("quote", "text"))
    assert "\r" not in written
    assert "<quote><hi> word </hi></quote>" in written
    found = parse(written, HERE)
    text = found.find("group/text")
    assert text is not None
    assert text.text == ' <a> &\r\n\t" '
    assert text.get("{http://www.w3.org/XML/1998/namespace}id") == 'x"\n'
    quote = found.find("quote")
    assert quote is not None
    assert read_marked(quote, "hi") == ("", " word ", "")
    assert read_marked(quote, "b") == (" word ", "", "")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("<a>", "a.xml is no XML: "),
        ("", "is no XML"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "has a DOCTYPE"),
    ],
)
def test_what_is_not_to_be_read_is_refused(text, told):
    with pytest.raises(InputError, match=told):
        parse(text, HERE)
