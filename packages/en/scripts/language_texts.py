"""The texts that the Spanish and the German model are made from: repositories -> JSON lines.

    python packages/en/scripts/language_texts.py es raw --output texts-es

``raw`` holds a clone of every repository, in a folder ``OWNER+NAME`` (a bare one will do). One file
is written for each part, as `texts.py` does for English; what is written depends on the input
alone.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from english_texts.documents import Copies, Document, write_documents
from english_texts.paragraphs import HEADING, strip_markup, tidy
from english_texts.repositories import RepositoryError, decode_text, read_files
from english_texts.sentences import group_sentences

PARTS = {
    "es": ("sentences", "fiction", "wikipedia"),
    "de": ("sentences", "laws", "plays", "fiction", "wikipedia"),
}
NOVELS = {"es": "COST-ELTeC+ELTeC-spa", "de": "COST-ELTeC+ELTeC-deu"}
ARTICLES = {
    "es": ("RalleGr+msc-code-switching", "datasets/monolingual-es/"),
    "de": ("jeevanv123+german", "wiki_"),
}
MOST_OF_LAWS = 5_000_000
"""Words: a fifth of what there is in German without them."""
_ARTICLE = re.compile(r'<doc id="(\d+)"[^>]*? title="([^"]*)">\n(.*?)\n</doc>', re.DOTALL)
_SHORTEST = 80
_ENDS = tuple(".!?\"'”’»“)…")
_NAMES = ("forename", "surname")
_TEI = "{http://www.tei-c.org/ns/1.0}"
_NOT_SENTENCES = ("wiki.", "singleword-benchmark", "countries-and-cities", "german-cities")
_NOVEL = re.compile(r"level1/.*\.xml\Z")
_PLAY = re.compile(r"tei/.*\.xml\Z")
_FIRST_YEAR = 1780  # of plays: older ones are spelled otherwise
_YEAR = re.compile(rb'(?:when|notBefore|notAfter)="(\d{4})')
_NOT_FREE = b"licenses/by-nc"
_LAW_HEAD = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_ITEM = re.compile(r"^(?:\(\d+\w?\)|\d+\\?\.|\w\))\s+|^[#:*|\-].*")


def read_part(part: str, language: str, raw: Path) -> Iterator[Document]:
    """The documents of a part of a language."""
    if part == "wikipedia":
        name, start = ARTICLES[language]
        return read_articles(raw / name, start)
    if part == "fiction":
        return read_novels(raw / NOVELS[language])
    if part == "plays":
        return read_plays(raw / "dracor-org+gerdracor")
    if part == "laws":
        return read_laws(raw / "bundestag+gesetze")
    return read_common_voice(raw / "common-voice+common-voice", language)


def read_articles(folder: Path, start: str) -> Iterator[Document]:
    """Articles as WikiExtractor leaves them, the prose of those that have some."""
    for _, content in read_files(folder, lambda path: path.startswith(start)):
        for number, title, text in _ARTICLE.findall(decode_text(content)):
            kept = keep_prose(text)
            if len(kept.split()) >= _SHORTEST:
                yield Document(f"wikipedia-{number}", title, kept, "wikipedia")


def keep_prose(text: str) -> str:
    """The paragraphs that are sentences: no headings, lists and parts of tables."""
    paragraphs = (tidy(strip_markup(line)) for line in text.split("\n"))
    return "\n".join(p for p in paragraphs if len(p.split()) > HEADING and p.endswith(_ENDS))


def read_novels(folder: Path) -> Iterator[Document]:
    """Novels in TEI, a document a chapter: paragraphs of their bodies."""
    for path, content in read_files(folder, lambda path: _NOVEL.match(path) is not None):
        root = ElementTree.fromstring(content)
        title = tidy(root.findtext(f".//{_TEI}title") or "").partition(" : ")[0]
        author = tidy(root.findtext(f".//{_TEI}author") or "").partition(" (")[0]
        chapters = [d for d in root.iter(f"{_TEI}div") if d.find(f"{_TEI}p") is not None]
        for number, chapter in enumerate(chapters):
            own = (tidy("".join(p.itertext())) for p in chapter.findall(f"{_TEI}p"))
            if text := "\n".join(filter(None, own)):
                name = Path(path).stem
                yield Document(f"{name}-{number}", f"{author}: {title}", text, "fiction")


def read_plays(folder: Path) -> Iterator[Document]:
    """What is spoken in plays in TEI, in prose: a document a scene, a paragraph a speech."""
    for path, content in read_files(folder, lambda path: _PLAY.match(path) is not None):
        years = [int(year) for year in _YEAR.findall(content)]
        if _NOT_FREE in content or not years or min(years) < _FIRST_YEAR:
            continue
        root = ElementTree.fromstring(content)
        title = tidy(root.findtext(f".//{_TEI}title") or "")
        author = tidy(" ".join(root.findtext(f".//{_TEI}{name}") or "" for name in _NAMES))
        scenes = [d for d in root.iter(f"{_TEI}div") if d.find(f"{_TEI}sp") is not None]
        for number, scene in enumerate(scenes):
            spoken = (" ".join(_speak(p) for p in sp.iter(f"{_TEI}p")) for sp in scene)
            if text := "\n".join(filter(None, map(tidy, spoken))):
                name = Path(path).stem
                yield Document(f"{name}-{number}", f"{author}: {title}", text, "plays")


def _speak(paragraph: ElementTree.Element) -> str:
    """The text of a paragraph, without what the stage does meanwhile."""
    parts = [paragraph.text or ""]
    for inner in paragraph:
        parts += [_speak(inner) if inner.tag != f"{_TEI}stage" else "", inner.tail or ""]
    return "".join(parts)


def read_laws(folder: Path) -> Iterator[Document]:
    """Laws in Markdown, their sentences: lines of one paragraph together, no numbers of items."""
    for path, content in read_files(folder, lambda path: path.endswith("/index.md")):
        text = _LAW_HEAD.sub("", decode_text(content))
        joined = (" ".join(map(str.strip, block.split("\n"))) for block in text.split("\n\n"))
        kept = keep_prose("\n".join(_ITEM.sub("", paragraph.strip()) for paragraph in joined))
        if len(kept.split()) >= _SHORTEST:
            yield Document(f"law-{Path(path).parent.name}", Path(path).parent.name, kept, "laws")


def read_common_voice(folder: Path, language: str) -> Iterator[Document]:
    """Sentences of Common Voice, without those taken from Wikipedia and lists of names."""
    start = f"server/data/{language}/"

    def is_wanted(path: str) -> bool:
        own = path.startswith(start) and path.endswith(".txt")
        return own and not path.removeprefix(start).startswith(_NOT_SENTENCES)

    for path, content in read_files(folder, is_wanted):
        name = f"common-voice-{Path(path).stem}"
        yield from group_sentences(decode_text(content).splitlines(), name)


def main() -> None:
    """Read the command line, write the parts, and tell what each holds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("language", choices=sorted(PARTS))
    parser.add_argument("raw", type=Path, help="folder with a clone of each repository, OWNER+NAME")
    parser.add_argument("--output", type=Path, required=True, help="folder of the files")
    given = parser.parse_args()
    given.output.mkdir(parents=True, exist_ok=True)
    copies = Copies()
    try:
        for part in PARTS[given.language]:
            path = given.output / f"{part}.jsonl.xz"
            most = MOST_OF_LAWS if part == "laws" else None
            documents = read_part(part, given.language, given.raw)
            count = write_documents(documents, path, copies, at_most=most)
            print(f"{path}: {count.documents:,} documents, {count.words:,} words", flush=True)
    except (RepositoryError, OSError) as error:
        parser.exit(1, f"{error}\n")


if __name__ == "__main__":
    main()
