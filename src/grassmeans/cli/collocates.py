"""`grassmeans collocates`: which words stand near each sense of a word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.text import Text

from grassmeans.errors import InputError
from grassmeans.terminal import options
from grassmeans.terminal.output import draw_table, note, print_json, wants_json

if TYPE_CHECKING:
    from grassmeans.collocations.collocates import Collocate, ComparedCollocate, SenseCollocates

_SHOWN = 15


def collocates(
    model: options.Model,
    corpus: options.Corpus,
    word: str,
    sense: options.Count | None = None,
    against: options.Count | None = None,
    by: Literal["log-dice", "log-likelihood"] = "log-dice",
    before: Annotated[int, typer.Option(min=0, max=50)] = 5,
    after: Annotated[int, typer.Option(min=0, max=50)] = 5,
    fewest: options.Count = 3,
    limit: options.Count = _SHOWN,
    function_words: bool = False,
    max_contexts: options.MaxContexts = 5_000,
    seed: options.Seed = 0,
    device: options.Device = "cpu",
    as_json: options.Json = False,
) -> None:
    """Show the collocates of a word's senses: what stands near them more often than by chance.

    The sense of each occurrence in the corpus is found first (of many, of a random sample), then
    the words beside it are counted. logDice is at most 14, for words that are always together; ten
    is much. The log-likelihood says how surely it is no chance: from 10.8 on, less than one in a
    thousand.

    [dim]grassmeans collocates en corpus bank[/]

    [dim]grassmeans collocates en corpus bank --sense 1 --against 2[/]   what tells two senses apart

    Options
    -------
    word: The word.
    sense: Only this sense; all of them by default.
    against: With --sense: what stands near it rather than near this one.
    by: log-dice: what belongs together; log-likelihood: what is sure.
    before: Words on the left.
    after: Words on the right.
    fewest: Of a word near the sense, at least.
    limit: Words a sense.
    function_words: Count words such as the and of as well.
    """
    from grassmeans.collocations.collocates import find_collocates
    from grassmeans.corpus.corpus import Corpus
    from grassmeans.models.model import load

    if against is not None and sense is None:
        raise InputError("--against needs the sense that it is compared with: name it with --sense")
    found = find_collocates(
        load(model, device=device),
        Corpus.open(corpus),
        word,
        before=before,
        after=after,
        max_contexts=max_contexts,
        random_state=seed,
    )
    kept = {"limit": limit, "fewest": fewest, "function_words": function_words}
    if found.n_looked_at < found.n_lines:
        note(f"from a random sample: {found.n_looked_at:,} of {found.n_lines:,} occurrences")
    if sense is not None and against is not None:
        _show_differences(found, sense, against, found.compare(sense, against, **kept), as_json)
        return
    for number in range(1, len(found.names) + 1) if sense is None else [sense]:
        _show_ranked(found, number, found.rank(number, by=by.replace("-", "_"), **kept), as_json)


def _show_ranked(
    found: SenseCollocates, number: int, ranked: Sequence[Collocate], as_json: bool
) -> None:
    n_lines = int(found.near.lines[number - 1])
    if wants_json(as_json):
        about = {"word": found.word, "sense": number, "name": found.names[number - 1]}
        print_json(about | {"lines": n_lines, "collocates": [asdict(one) for one in ranked]})
        return
    rows = [
        (
            one.word,
            f"{one.count:,}",
            f"{one.total:,}",
            f"{one.log_dice:.2f}",
            f"{one.log_likelihood:,.1f}",
        )
        for one in ranked
    ]
    columns = ("near it", "times", "in the corpus", "logDice", "log-likelihood")
    _draw(_name(found, number).append(f"  {n_lines:,} lines"), columns, rows)


def _show_differences(
    found: SenseCollocates,
    first: int,
    second: int,
    rows: Sequence[ComparedCollocate],
    as_json: bool,
) -> None:
    if wants_json(as_json):
        about = {"word": found.word, "first": first, "second": second}
        print_json(about | {"differences": [asdict(row) for row in rows]})
        return
    columns = ("near it", f"near {first}", f"near {second}", "log-likelihood")
    for number, sign in ((first, 1), (second, -1)):
        lines = [
            (row.word, f"{row.first:,}", f"{row.second:,}", f"{abs(row.log_likelihood):,.1f}")
            for row in rows
            if sign * row.log_likelihood > 0
        ]
        _draw(Text("rather near ").append(_name(found, number)), columns, lines)


def _name(found: SenseCollocates, number: int) -> Text:
    name = found.names[number - 1]
    return Text.assemble((f"{found.word}.{number}", "bold"), f"  {name}" if name else "")


def _draw(title: Text, columns: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    from grassmeans.evaluation.reports import ResultTable

    draw_table(ResultTable(columns, tuple(rows)), title)
