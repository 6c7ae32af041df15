"""Written everyday English of many kinds: blogs, recipes, stories, textbooks, answers."""

from __future__ import annotations

import csv
import io
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from english_texts.documents import Document
from english_texts.gutenberg import read_book
from english_texts.markdown import is_readable, read_markdown, read_title
from english_texts.paragraphs import drop_addresses, set_dashes, strip_markup, tidy
from english_texts.repositories import decode_text, read_files
from english_texts.sentences import group_sentences

_GUM_KINDS = {"bio", "interview", "news", "speech", "textbook", "vlog", "voyage"}
"""The parts of GUM under CC BY or in the public domain; the others are for non-commercial use."""
_CNXML = "{http://cnx.rice.edu/cnxml}"
_FREE_STORY = re.compile(r"License: \[CC-BY\]")
_HEARD = re.compile(r"\s?\[(?:Laughter|Applause)\]")
_SHORTEST_PAGE = 40
_FIRST_SPEECH = 1934


def read_pages(folder: Path, under: str, kind: str, source: str) -> Iterator[Document]:
    """Pages in Markdown below a folder of a repository."""
    wanted = tuple(under.split())
    for path, content in read_files(folder, lambda path: path.startswith(wanted)):
        if not path.endswith((".md", ".markdown")) or "/_index" in path:
            continue
        page = decode_text(content)
        text = "\n".join(read_markdown(page))
        if len(text.split()) >= _SHORTEST_PAGE:
            yield Document(f"{source}-{path}", read_title(page), text, kind, source)


def read_stories(folder: Path, source: str) -> Iterator[Document]:
    """Stories for children: those under CC BY, a paragraph a page."""
    for path, content in read_files(folder, lambda path: path.startswith("en/")):
        page = decode_text(content)
        body, mark, licence = page.partition("* License:")
        if not _FREE_STORY.search(mark + licence):
            continue
        blocks = (tidy(" ".join(block.split())) for block in re.split(r"^##.*$", body, flags=re.M))
        text = "\n".join(block for block in list(blocks)[1:] if block)
        if text:
            yield Document(f"{source}-{Path(path).stem}", read_title(page), text, "stories", source)


def read_treebank(folder: Path, source: str) -> Iterator[Document]:
    """Texts of a treebank: reviews, answers, emails, groups, blogs; news, travel, talk."""
    for path, content in read_files(folder, lambda path: "sources/" in path):
        name = Path(path).name.removesuffix(".conllu")
        if source == "gum" and name.split("_")[1] not in _GUM_KINDS:
            continue
        text = "\n".join(join_sentences(decode_text(content)))
        if text:
            title = re.search(r"^# meta::title = (.+)$", decode_text(content), re.MULTILINE)
            about = title[1] if title else path.split("/")[-2]
            yield Document(f"{source}-{name}", about, text, "web", source)


def join_sentences(treebank: str) -> Iterator[str]:
    """The paragraphs of a CoNLL-U file."""
    paragraph: list[str] = []
    for line in treebank.split("\n"):
        if line.startswith(("# newpar", "# newdoc")) and paragraph:
            yield _tidy_prose(" ".join(paragraph))
            paragraph = []
        elif line.startswith("# text = "):
            paragraph.append(line.removeprefix("# text = "))
    if paragraph:
        yield _tidy_prose(" ".join(paragraph))


def read_openstax(folder: Path, source: str) -> Iterator[Document]:
    """Chapters of a textbook."""
    for path, content in read_files(folder, lambda path: path.endswith("index.cnxml")):
        root = ElementTree.fromstring(content)
        body = root.find(f"{_CNXML}content")
        title = root.findtext(f"{_CNXML}title") or ""
        if body is None:
            continue
        text = "\n".join(read_cnxml(body))
        if len(text.split()) >= _SHORTEST_PAGE:
            name = path.split("/")[-2]
            yield Document(f"{source}-{name}", title, text, "textbook", "openstax")


def read_cnxml(body: ElementTree.Element) -> Iterator[str]:
    """The paragraphs and items of a chapter, in their order, without what is set apart."""
    for element in body:
        tag = element.tag.removeprefix(_CNXML)
        if tag in ("figure", "table", "equation", "exercise", "media", "glossary", "code", "title"):
            continue
        if tag in ("para", "item"):
            text = _tidy_prose("".join(element.itertext()))
            if is_readable(text):
                yield text
        else:
            yield from read_cnxml(element)


def read_answers(folder: Path, under: str, source: str) -> Iterator[Document]:
    """Questions of a Stack Exchange site, each with its answers."""
    for _, content in read_files(folder, lambda path: path == under):
        titles: dict[str, str] = {}
        posts: defaultdict[str, list[str]] = defaultdict(list)
        for row in ElementTree.fromstring(content):
            question = row.get("ParentId") or row.get("Id") or ""
            if row.get("PostTypeId") == "1":
                titles[question] = row.get("Title") or ""
            posts[question] += read_html(row.get("Body") or "")
        for question, title in titles.items():
            if text := "\n".join([title, *posts[question]]):
                yield Document(f"{source}-{question}", title, text, "qa", source)


def read_html(body: str) -> list[str]:
    """The sentences of a post, without code."""
    body = re.sub(r"<pre>.*?</pre>|<code>.*?</code>", " ", body, flags=re.DOTALL)
    parts = re.split(r"</?(?:p|li|ul|ol|blockquote|h\d|br|hr)\b[^>]*>|\n\s*\n", body)
    return [text for text in map(_tidy_prose, parts) if is_readable(text)]


def read_news(folder: Path) -> Iterator[Document]:
    """Articles of Wikinews."""
    for path, content in read_files(folder, lambda path: path.endswith(".csv")):
        rows = csv.DictReader(io.StringIO(decode_text(content)))
        for number, row in enumerate(rows):
            text = "\n".join(filter(is_readable, map(_tidy_prose, row["text"].split("\n"))))
            if text:
                name = f"{Path(path).stem}-{number}"
                yield Document(name, row["title"], text, "news", "wikinews")


def read_addresses(folder: Path) -> Iterator[Document]:
    """Addresses of American presidents on the state of the union, since they were on the radio."""
    for path, content in read_files(folder, lambda path: path.startswith("data/")):
        name = Path(path).stem
        if not path.endswith(".txt") or int(name[:4]) < _FIRST_SPEECH:
            continue
        speech = tidy(set_dashes(_HEARD.sub("", decode_text(content))))
        sentences = re.split(r"(?<=[.!?])\s+(?=[A-Z\"])", speech)
        parts = (" ".join(sentences[start : start + 6]) for start in range(0, len(sentences), 6))
        yield Document(f"sotu-{name}", "State of the Union", "\n".join(parts), "speech", "sotu")


def read_tatoeba(folder: Path, under: str, source: str) -> Iterator[Document]:
    """English sentences that people have translated."""
    for _, content in read_files(folder, lambda path: path == under):
        lines = (line.split("\t")[0] for line in decode_text(content).splitlines())
        for document in group_sentences(lines, source):
            yield Document(document.id, document.title, document.text, "sentences", "tatoeba")


def read_handbook(folder: Path) -> Iterator[Document]:
    """A book of Project Gutenberg that teaches something, from a repository of its own."""
    files = read_files(folder, lambda path: path[:1].isdigit() and path.endswith(".txt"))
    for _, content in list(files)[:1]:  # the others spell the same text in other encodings
        book = read_book(decode_text(content))
        name = f"gutenberg-{book.number}"
        yield Document(name, book.title, "\n".join(book.paragraphs), "howto", "gutenberg")


def _tidy_prose(text: str) -> str:
    return tidy(set_dashes(drop_addresses(strip_markup(text))))
