"""`grassmeans tag`: the senses of words in new text."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from itertools import chain, groupby, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from grassmeans.cli.show import SENSE_COLOURS
from grassmeans.errors import InputError
from grassmeans.terminal import options
from grassmeans.terminal.options import READ
from grassmeans.terminal.output import note, print_json, terminal, wants_json

if TYPE_CHECKING:
    from grassmeans.reading.documents import RawDocument
    from grassmeans.tagging.tagging import TaggedText

_BLOCK = 1 << 16
_MAX_LINE = 1_000_000
_LINES_AT_ONCE = 500
_LARGE_FILE = 5_000_000  # from which on it takes minutes
_LINES_OF_PASSAGE = 5_000


def tag(
    model: options.Model,
    file: Annotated[Path | None, READ, typer.Argument()] = None,
    word: Annotated[list[str] | None, typer.Option("--word", "-w")] = None,
    format: str = "text",
    lines: Annotated[bool | None, typer.Option("--lines/--text")] = None,
    column: str | None = None,
    decoding: str = "hard",
    idk: options.Idk = None,
    confidence: options.Confidence = None,
    sharpness: options.Sharpness = None,
    granularity: options.Granularity = None,
    device: options.Device = "cpu",
    workers: options.Workers = None,
    as_json: options.Json = False,
) -> None:
    """Find the sense of every known word in a text, or of the words marked <b>word</b>.

    Each line is a passage of its own, or what stands between empty lines where a file was broken to
    a width; in it the sentence of a word decides, and those around it only where this says little.
    Senses are numbered from 1 as in `grassmeans show`; 0 means "I don't know": the context is too
    poor, or the answer not sure enough. A remark says so where the text seems to be in another
    language than the model's. Files are tagged on all cores; standard input on one, each line as
    soon as it is there.

    [dim]echo "The <b>crane</b> lifted the steel beams." | grassmeans tag en[/]

    [dim]grassmeans tag model treebank.conllu --format conllu --column lemma[/]

    Options
    -------
    file: Text, one passage a line, packed or not; or standard input.
    word: Tag only this word; may be repeated.
    format: text; tokens: split at white space alone; conllu: one passage each.
    lines: Each line by itself, or running text; of a file, as its first 500 lines are.
    column: Of conllu: where the model's words are, lemma say.
    decoding: hard: the nearest sense or 'don't know'; soft: probabilities.
    """
    from grassmeans.models.in_processes import tag_blocks
    from grassmeans.models.model import load
    from grassmeans.senses.decoding import DECODINGS, MODEL_THRESHOLD
    from grassmeans.senses.language import warn_of_contexts

    if decoding not in DECODINGS:
        raise InputError(f"--decoding must be hard or soft, got {decoding!r}")
    if format not in ("text", "tokens", "conllu"):
        raise InputError(f"--format must be text, tokens or conllu, got {format!r}")
    opened = load(model, device=device)
    if granularity is not None:
        opened = opened.at_granularity(granularity)
    for name in word or []:
        opened.inventory.directions(opened.spell(name))  # raises where the model has it not
    json_lines = wants_json(as_json)
    threshold = opened.choose_threshold(MODEL_THRESHOLD if idk is None else idk, confidence)
    warn_of_contexts(opened.encoder)
    language = opened.check_language()
    if file is not None and file.is_file() and file.stat().st_size > _LARGE_FILE:
        note(
            "this is a large file: `grassmeans ingest`, `label` and `export` go on after an "
            "interruption, and write tables with the senses' names"
        )
    blocks = tag_blocks(
        opened,
        _read_passages(file, format, column, lines),
        # A program that waits for an answer to each line gets it before it writes the next one.
        1 if file is None else workers,
        words=word,
        idk_threshold=threshold if decoding == "hard" else None,
        sharpness=sharpness,
        check=language,
    )
    for tagged in blocks:
        for result in tagged:
            for missing in result.unknown:
                note(f"{missing!r} is not in the model")
            if not json_lines:
                print_tagged(result, decoding)
                continue
            told = result.to_dict()
            if decoding == "hard":  # probabilities only where they were asked for
                for answer in told["words"]:
                    del answer["probabilities"]
            print_json(told)
        sys.stdout.flush()
    language.warn()


def _read_passages(
    file: Path | None, format: str, column: str | None, lines: bool | None
) -> Iterator[list[RawDocument]]:
    """Passages, as many at a time as are there already."""
    from grassmeans.reading.given import make_document
    from grassmeans.reading.texts import read_sentences
    from grassmeans.tagging.line_layout import WRAPPED, tell_layout

    batches = _read_batches(file)
    if format == "text" and lines is None and file is not None:
        lines = tell_layout(next(_read_batches(file), [])) != WRAPPED
    if format == "text" and lines is False:
        batches = _join_lines(_read_batches(file, keep_empty=True))
    if format != "conllu":
        for batch in batches:
            yield [make_document(line.split() if format == "tokens" else line) for line in batch]
        return
    sentences = read_sentences(chain.from_iterable(batches), column)
    while some := list(islice(sentences, _LINES_AT_ONCE)):
        yield some


def _join_lines(batches: Iterator[list[str]]) -> Iterator[list[str]]:
    """What stands between empty lines, in batches; very much of it in pieces."""
    numbered = enumerate(chain.from_iterable(batches))
    parts = groupby(numbered, lambda item: (bool(item[1]), item[0] // _LINES_OF_PASSAGE))
    passages = ("\n".join(line for _, line in part) for (filled, _), part in parts if filled)
    while some := list(islice(passages, _LINES_AT_ONCE)):
        yield some


def _read_batches(file: Path | None, *, keep_empty: bool = False) -> Iterator[list[str]]:
    """Lines of a file, compressed or not, or of standard input; a very long one in pieces.

    A program that writes line by line into the pipe gets its answers line by line; a file goes
    through in large batches.
    """
    if file is None:
        yield from _read_stream(keep_empty)
        return
    from grassmeans.reading.documents import InputFile
    from grassmeans.reading.lines import read_lines

    if not file.is_file():
        raise InputError(f"there is no file {file}: check the path")
    source = InputFile(file)
    report = source.report
    texts = (line.strip() for line in read_lines(source, _MAX_LINE))
    filled = texts if keep_empty else filter(None, texts)
    is_empty = True
    while batch := list(islice(filled, _LINES_AT_ONCE)):
        yield batch
        is_empty = False
    if is_empty and report.skipped:
        raise InputError("; ".join(report.describe()))
    for line in report.describe():
        note(line)


def _read_stream(keep_empty: bool) -> Iterator[list[str]]:
    """Lines of standard input, as many at a time as are there already."""
    rest = b""
    while block := os.read(sys.stdin.fileno(), _BLOCK):
        *lines, rest = (rest + block).split(b"\n")
        if len(rest) > _MAX_LINE:
            lines, rest = [*lines, rest], b""
        yield from _decode_lines(lines, keep_empty)
    yield from _decode_lines([rest], keep_empty)


def _decode_lines(lines: list[bytes], keep_empty: bool) -> Iterator[list[str]]:
    texts = [line.decode("utf-8-sig", errors="replace").strip() for line in lines]
    if found := [text for text in texts if text or keep_empty]:
        yield found


def print_tagged(tagged: TaggedText, decoding: str) -> None:
    """Print a text with its senses behind the words."""
    line = Text()
    last = 0
    for word in tagged:
        line.append(tagged.text[last : word.start])
        known = word.sense > 0
        colour = SENSE_COLOURS[(word.sense - 1) % len(SENSE_COLOURS)] if known else "dim"
        line.append(word.word, style=f"bold {colour}")
        answer = str(word.sense) if known else "?"
        if decoding == "soft":
            answer = " ".join(f"{p:.2f}" for p in word.probabilities)
        line.append(f"[{answer}]", style=colour)
        last = word.end
    line.append(tagged.text[last:])
    terminal().print(line)
