"""XML, written and read with the standard library: any text comes back as it went."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Collection
from pathlib import Path

from grassmeans.errors import InputError

_NOT_ALLOWED = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_DECLARES = re.compile(r"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)


def clean(text: str) -> str:
    """A text without characters that XML cannot hold: each becomes U+FFFD."""
    return _NOT_ALLOWED.sub("\ufffd", text)


def add(parent: ET.Element, tag: str, text: str | None = None, **attributes: str) -> ET.Element:
    """Add an element with a text; ``xml_id`` stands for ``xml:id``."""
    named = {name.replace("xml_", "xml:"): clean(value) for name, value in attributes.items()}
    child = ET.SubElement(parent, tag, named)
    if text is not None:
        child.text = clean(text)
    return child


def add_marked(parent: ET.Element, tag: str, left: str, word: str, right: str) -> ET.Element:
    """Add the text of an example to an element: the word in an element of its own."""
    parent.text = clean(left)
    marked = add(parent, tag, word)
    marked.tail = clean(right)
    return marked


def read_marked(parent: ET.Element, tag: str) -> tuple[str, str, str]:
    """The opposite: the text before the word, the word, and the text after it."""
    marked = parent.find(tag)
    if marked is None:
        return "".join(parent.itertext()), "", ""
    return parent.text or "", "".join(marked.itertext()), marked.tail or ""


def serialise(root: ET.Element, flowing: Collection[str]) -> str:
    """The text of a document, indented but for elements that hold text and elements."""
    _indent(root, flowing, "\n")
    found = ET.tostring(root, encoding="unicode")
    # A parser makes a line feed of a carriage return, unless it is written by its number.
    head = '<?xml version="1.0" encoding="UTF-8"?>\n'
    return head + found.replace("\r", "&#13;") + "\n"


def _indent(element: ET.Element, flowing: Collection[str], margin: str) -> None:
    if element.tag in flowing or not len(element):
        return
    inner = margin + "  "
    element.text = inner
    for child in element:
        _indent(child, flowing, inner)
        child.tail = inner
    element[-1].tail = margin


def parse(text: str, path: Path) -> ET.Element:
    """The root of a document; `InputError` for none, and for one that declares entities."""
    if _DECLARES.search(text):
        raise InputError(f"{path} has a DOCTYPE, which is not read: take it out")
    try:
        return ET.fromstring(text)
    except ET.ParseError as error:
        raise InputError(f"{path} is no XML: {error}") from error
