"""A page to read and to print: one file of HTML with its style, and no scripts."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from grassmeans_explorer.entries.entry import (
    CrossReference,
    DictionaryEntry,
    EntryExample,
    EntrySense,
    Label,
    Lexicon,
    SensePath,
)
from grassmeans_explorer.entries.formats.identifiers import Targets, name_entry, name_sense
from grassmeans_explorer.entries.formats.xml_text import clean

_STYLE = """
:root { color-scheme: light; }
body { font: 1rem/1.45 Georgia, "Times New Roman", serif; margin: 2rem auto; max-width: 44rem;
  padding: 0 1rem; color: #111; background: #fff; overflow-wrap: anywhere; }
article { margin: 0 0 1.1rem; }
h1 { font-size: 1.5rem; }
h2 { font-size: 1.1rem; display: inline; margin: 0 .4rem 0 0; }
ol { margin: .2rem 0 0; padding-inline-start: 1.6rem; }
li { margin: .15rem 0; }
.grammar, .label { font-style: italic; color: #444; }
.label { font-size: .9em; }
.name { font-variant: small-caps; }
.example { display: block; color: #333; }
.example cite { font-size: .85em; color: #666; }
.note { font-size: .9em; color: #444; }
a { color: inherit; }
@page { margin: 18mm 15mm; }
@media print {
  body { max-width: none; margin: 0; padding: 0; font-size: 9.5pt; columns: 2; column-gap: 8mm; }
  h1 { column-span: all; }
  article { break-inside: avoid-column; }
  a { text-decoration: none; }
}
"""
_KINDS = {
    "see": "see", "synonym": "synonym", "antonym": "antonym", "broader": "a kind of",
    "narrower": "among them", "part": "part",
}  # fmt: skip


def write(lexicon: Lexicon) -> str:
    """A lexicon as a page."""
    language = escape(lexicon.language, quote=True)
    title = _text(lexicon.title)
    head = (
        f'<!DOCTYPE html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
    )
    targets = Targets(lexicon)
    articles = (_write_entry(entry, targets) for entry in lexicon.entries)
    body = "\n".join(["<main>", f"<h1>{title}</h1>", *articles, "</main>"])
    return f"{head}{body}\n</body>\n</html>\n"


def _text(text: str) -> str:
    return escape(clean(text), quote=True)


def _span(kind: str, text: str, *, tag: str = "span") -> str:
    return f'<{tag} class="{kind}" dir="auto">{_text(text)}</{tag}>'


def _write_entry(entry: DictionaryEntry, targets: Targets) -> str:
    name = name_entry(entry.word)
    parts = [f'<h2 dir="auto">{_text(entry.word)}</h2>']
    if entry.part_of_speech:
        parts.append(_span("grammar", entry.part_of_speech))
    parts += _write_labels(entry.labels)
    parts += _write_references(entry.references, targets)
    parts += [_span("note", note, tag="p") for note in entry.notes]
    senses = _write_senses(entry.senses, entry.word, (), targets)
    return f'<article id="{name}">{" ".join(parts)}{senses}</article>'


def _write_senses(
    senses: tuple[EntrySense, ...], word: str, above: SensePath, targets: Targets
) -> str:
    if not senses:
        return ""
    lines = (
        _write_sense(sense, word, (*above, number), targets)
        for number, sense in enumerate(senses, 1)
    )
    return "\n<ol>\n" + "\n".join(lines) + "\n</ol>\n"


def _write_sense(sense: EntrySense, word: str, path: SensePath, targets: Targets) -> str:
    parts = []
    if sense.part_of_speech:
        parts.append(_span("grammar", sense.part_of_speech))
    parts += _write_labels(sense.labels)
    if sense.definition:
        parts.append(_span("definition", sense.definition))
    elif sense.name:
        parts.append(_span("name", sense.name))
    parts += [_write_example(example) for example in sense.shown]
    if sense.collocates:
        parts.append(_span("note", f"◊ {', '.join(sense.collocates)}", tag="div"))
    parts += _write_references(sense.references, targets)
    parts += [_span("note", note, tag="div") for note in sense.notes]
    inner = _write_senses(sense.senses, word, path, targets)
    return f'<li id="{name_sense(word, path)}">{" ".join(parts)}{inner}</li>'


def _write_labels(labels: tuple[Label, ...]) -> Iterator[str]:
    return (_span("label", label.text) for label in labels)


def _write_example(example: EntryExample) -> str:
    text = f"{_text(example.left)}<b>{_text(example.word)}</b>{_text(example.right)}"
    source = f" <cite>{_text(example.document)}</cite>" if example.document else ""
    return f'<span class="example" dir="auto">{text}{source}</span>'


def _write_references(references: tuple[CrossReference, ...], targets: Targets) -> Iterator[str]:
    for reference in references:
        target = targets.find(reference)
        shown = _text(reference.word)
        linked = shown if target is None else f'<a href="#{target}">{shown}</a>'
        yield f'<span class="label">{_KINDS[reference.kind]}: <bdi>{linked}</bdi></span>'
