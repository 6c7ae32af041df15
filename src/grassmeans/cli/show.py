"""`grassmeans show`: the senses of a word, for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import repeat
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.panel import Panel
from rich.text import Text

from grassmeans.terminal import options
from grassmeans.terminal.output import print_json, terminal, wants_json

if TYPE_CHECKING:
    from grassmeans.senses.entries import Sense, WordSenses

SENSE_COLOURS = ("cyan", "magenta", "green", "yellow", "blue", "red", "bright_cyan", "bright_green")


def show(
    model: options.Model,
    word: Annotated[str, typer.Argument(help="The word.")],
    examples: Annotated[int, typer.Option(min=0, help="Example lines a sense.")] = 3,
    as_json: options.Json = False,
) -> None:
    """Show the senses of a word: share, crispness, characteristic words, examples."""
    from grassmeans.models.model import load
    from grassmeans.senses.entries import entry_to_dict

    opened = load(model)
    entry = opened.senses(word)
    if wants_json(as_json):
        print_json(entry_to_dict(keep_examples(entry, examples)))
        return
    print_entry(entry, examples)


def keep_examples(entry: WordSenses, n_examples: int) -> WordSenses:
    """The same senses with fewer example lines."""
    senses = (replace(sense, examples=sense.examples[:n_examples]) for sense in entry.senses)
    return replace(entry, senses=tuple(senses))


def print_entry(
    entry: WordSenses, examples: int = 3, remarks: Sequence[str | None] | None = None
) -> None:
    """Print a word's senses as panels; of each a remark (a synset that it is nearest to, say)."""
    console = terminal()
    console.print(
        f"[bold]{escape(entry.word)}[/]: {_count_senses(entry.n_senses)} from "
        f"{escape(entry.counts_told)}"
    )
    # The senses first: they end, and `repeat` does not.
    for sense, remark in zip(entry.senses, remarks or repeat(None), strict=False):
        console.print(_panel(entry.word, sense, examples, remark))


def _count_senses(n_senses: int) -> str:
    return "1 sense" if n_senses == 1 else f"{n_senses} senses"


def _panel(word: str, sense: Sense, examples: int, remark: str | None) -> Panel:
    colour = SENSE_COLOURS[(sense.number - 1) % len(SENSE_COLOURS)]
    body = Text()
    body.append(", ".join(sense.characteristic_words), style="bold")
    body.append("\nnearest words: ", style="dim")
    body.append(", ".join(sense.nearest_words))
    if remark is not None:
        body.append(f"\n{remark}")
    for line in sense.examples[:examples]:
        body.append("\n• ", style=colour)
        body.append(line.left.lstrip()[-60:])
        body.append(line.word, style=f"bold {colour}")
        body.append(line.right.rstrip()[:60])
    name = f"  [bold {colour}]{escape(sense.name)}[/]" if sense.name else ""
    title = (
        f"[bold]{escape(word)}.{sense.number}[/]{name}  {sense.share:.0%} of occurrences  "
        f"mean distance {sense.mean_distance:.2f}"
    )
    return Panel(body, title=title, title_align="left", border_style=colour)
