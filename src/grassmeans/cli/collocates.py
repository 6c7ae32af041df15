"""`grassmeans collocates`: which words stand near each sense of a word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.markup import escape
from rich.table import Table

from grassmeans.terminal import options
from grassmeans.terminal.output import note, print_json, terminal, wants_json

if TYPE_CHECKING:
    from grassmeans.collocations.collocates import Collocate, ComparedCollocate, SenseCollocates

_SHOWN = 15


def collocates(
    model: options.Model,
    corpus: options.Corpus,
    word: Annotated[str, typer.Argument(help="The word.")],
    sense: Annotated[
        int | None, typer.Option(min=1, help="Only this sense; all of them by default.")
    ] = None,
    against: Annotated[
        int | None,
        typer.Option(min=1, help="With --sense: what stands near it rather than near this one."),
    ] = None,
    by: Annotated[
        Literal["log-dice", "log-likelihood"],
        typer.Option(help="log-dice: what belongs together; log-likelihood: what is sure."),
    ] = "log-dice",
    before: Annotated[int, typer.Option(min=0, max=50, help="Words on the left.")] = 5,
    after: Annotated[int, typer.Option(min=0, max=50, help="Words on the right.")] = 5,
    fewest: Annotated[int, typer.Option(min=1, help="Of a word near the sense, at least.")] = 3,
    limit: Annotated[int, typer.Option(min=1, help="Words a sense.")] = _SHOWN,
    function_words: Annotated[
        bool, typer.Option("--function-words", help="Count words such as the and of as well.")
    ] = False,
    max_contexts: options.MaxContexts = 5_000,
    seed: options.Seed = 0,
    device: options.Device = "cpu",
    as_json: options.Json = False,
) -> None:
    """Show the collocates of a word's senses: what stands near them more often than by chance.

    The sense of each occurrence in the corpus is told first (of many, of a random sample), then the
    words beside it are counted. logDice is at most 14, for words that are always together; ten is
    much. The log-likelihood says how surely it is no chance: from 10.8 on, less than one in a
    thousand.

    [dim]grassmeans collocates en corpus bank[/]

    [dim]grassmeans collocates en corpus bank --sense 1 --against 2[/]   what tells two senses apart
    """
    from grassmeans.collocations.collocates import find_collocates
    from grassmeans.corpus.corpus import Corpus
    from grassmeans.errors import InputError
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
        _show_differences(
            found, sense, against, found.compare(sense, against, **kept), wants_json(as_json)
        )
        return
    numbers = range(1, len(found.names) + 1) if sense is None else [sense]
    for number in numbers:
        ranked = found.rank(number, by=by.replace("-", "_"), **kept)
        _show_ranked(found, number, ranked, wants_json(as_json))


def _show_ranked(
    found: SenseCollocates, number: int, ranked: Sequence[Collocate], as_json: bool
) -> None:
    n_lines = int(found.near.lines[number - 1])
    if as_json:
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
    title = f"{_name(found, number)}  {n_lines:,} lines"
    _draw(title, ("near it", "times", "in the corpus", "logDice", "log-likelihood"), rows)


def _show_differences(
    found: SenseCollocates,
    first: int,
    second: int,
    rows: Sequence[ComparedCollocate],
    as_json: bool,
) -> None:
    if as_json:
        about = {"word": found.word, "first": first, "second": second}
        print_json(about | {"differences": [asdict(row) for row in rows]})
        return
    for number, chosen in (
        (first, [row for row in rows if row.log_likelihood > 0]),
        (second, [row for row in rows if row.log_likelihood < 0]),
    ):
        lines = [
            (row.word, f"{row.first:,}", f"{row.second:,}", f"{abs(row.log_likelihood):,.1f}")
            for row in chosen
        ]
        columns = ("near it", f"near {first}", f"near {second}", "log-likelihood")
        _draw(f"rather near {_name(found, number)}", columns, lines)


def _name(found: SenseCollocates, number: int) -> str:
    name = found.names[number - 1]
    return f"[bold]{escape(found.word)}.{number}[/]" + (f"  {escape(name)}" if name else "")


def _draw(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    table = Table(title=title, title_justify="left", title_style="")
    for i, column in enumerate(columns):
        table.add_column(column, justify="right" if i else "left")
    for row in rows:
        table.add_row(escape(row[0]), *row[1:])
    terminal().print(table)
