"""The texts that the English model is made from: raw repositories -> packed JSON lines.

    python packages/en/scripts/texts.py raw --articles enwiki.jsonl.xz --output texts

``raw`` holds a clone of every repository of SOURCES.md, in a folder ``OWNER+NAME`` (a bare one will
do): ``git clone https://github.com/OWNER/NAME raw/OWNER+NAME``. One file is written for each part:
simple, sentences, fiction, wikipedia, everyday; ``--only`` names some. The files hold one
``{"id", "title", "text", "kind"}`` a line (and ``source``, in everyday). A long paragraph that
stands in an earlier file, or earlier in its own, is left out; what is written depends on the input
alone.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from english_texts.documents import Copies, Document, write_documents
from english_texts.everyday import read_everyday
from english_texts.fiction import Choice, read_fiction
from english_texts.repositories import RepositoryError
from english_texts.sentences import read_common_voice
from english_texts.wikipedia import read_articles, read_simple_english

PARTS = ("simple", "sentences", "fiction", "wikipedia", "everyday")


def read_part(part: str, raw: Path, articles: Path, workers: int) -> Iterator[Document]:
    """The documents of a part."""
    if part == "simple":
        return read_simple_english(raw / "taminemelissa+quiz-generator")
    if part == "sentences":
        return read_common_voice(raw / "common-voice+common-voice")
    if part == "fiction":
        return read_fiction(raw / "rcdm-uga+Gutenberg_Text", Choice(), workers)
    if part == "wikipedia":
        return read_articles(articles)
    return read_everyday(raw)


def write_texts(raw: Path, articles: Path, output: Path, only: list[str], workers: int) -> None:
    """Write the parts that are asked for, in their order, and tell what each holds."""
    output.mkdir(parents=True, exist_ok=True)
    copies = Copies()
    for part in PARTS[: 1 + max(map(PARTS.index, only))]:
        path = output / f"{part}.jsonl.xz"
        if part in only:
            count = write_documents(read_part(part, raw, articles, workers), path, copies)
            print(
                f"{path}: {count.documents:,} documents, {count.words:,} words, "
                f"{path.stat().st_size:,} bytes, {dict(count.words_by_kind)}, "
                f"{dict(count.words_by_source)}",
                flush=True,
            )
        elif path.exists():
            copies.add_file(path)


def main() -> None:
    """Read the command line, and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("raw", type=Path, help="folder with a clone of each repository, OWNER+NAME")
    parser.add_argument("--articles", type=Path, help="English Wikipedia, JSON lines")
    parser.add_argument("--output", type=Path, required=True, help="folder of the files")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    if "wikipedia" in given.only and given.articles is None:
        parser.error("--articles is missing: the part wikipedia is made from it")
    try:
        write_texts(given.raw, given.articles, given.output, given.only, given.workers)
    except (RepositoryError, OSError) as error:
        parser.exit(1, f"{error}\n")


if __name__ == "__main__":
    main()
