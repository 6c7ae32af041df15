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
from grassmeans.terminal.output import note, print_json, terminal, wants_json
from grassmeans.terminal.places import READ

if TYPE_CHECKING:
    from grassmeans_lab.wordnet.linking import SynsetLink

    from grassmeans.models.model import SenseModel
    from grassmeans.senses.entries import Sense, WordSenses

SENSE_COLOURS = ("cyan", "magenta", "green", "yellow", "blue", "red", "bright_cyan", "bright_green")


def show(
    model: options.Model,
    word: Annotated[str, typer.Argument(help="The word.")],
    examples: Annotated[int, typer.Option(min=0, help="Example lines a sense.")] = 3,
    wordnet: Annotated[
        str | None,
        READ,
        typer.Option(
            metavar="PATH",
            help="Name the nearest synset of WordNet: its folder or zip; auto: where NLTK has it.",
        ),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Show the senses of a word: share, crispness, characteristic words, examples.

    With `--wordnet` each sense has the synset whose gloss is nearest to its characteristic words,
    where one is near; names and senses that WordNet does not have get none.
    """
    from grassmeans.models.model import load
    from grassmeans.senses.entries import entry_to_dict

    opened = load(model)
    entry = opened.senses(word)
    links = None if wordnet is None else _link_senses(opened, entry, wordnet)
    if wants_json(as_json):
        values = entry_to_dict(_keep_examples(entry, examples))
        if links is not None:
            for sense, link in zip(values["senses"], links, strict=True):
                sense["wordnet"] = None if link is None else link.to_dict()
        print_json(values)
        return
    print_entry(entry, examples, links)


def _link_senses(model: SenseModel, entry: WordSenses, wordnet: str) -> Sequence[SynsetLink | None]:
    from grassmeans_lab.wordnet.database import WordNet
    from grassmeans_lab.wordnet.linking import SynsetLinker

    database = WordNet.open(None if wordnet == "auto" else wordnet)
    linker = SynsetLinker.of_model(database, model)
    if not linker.find_synsets(entry.word):
        note(f"WordNet has no synset of {entry.word!r}")
    return linker.link_entry(entry)


def _keep_examples(entry: WordSenses, n_examples: int) -> WordSenses:
    senses = (replace(sense, examples=sense.examples[:n_examples]) for sense in entry.senses)
    return replace(entry, senses=tuple(senses))


def print_entry(
    entry: WordSenses, examples: int = 3, links: Sequence[SynsetLink | None] | None = None
) -> None:
    """Print a word's senses as panels, with the synsets that they are nearest to."""
    console = terminal()
    console.print(
        f"[bold]{escape(entry.word)}[/]: {_count_senses(entry.n_senses)} from "
        f"{escape(entry.counts_told)}"
    )
    for sense, link in zip(entry.senses, links or repeat(None), strict=False):
        console.print(_panel(entry.word, sense, examples, link))


def _count_senses(n_senses: int) -> str:
    return "1 sense" if n_senses == 1 else f"{n_senses} senses"


def _panel(word: str, sense: Sense, examples: int, link: SynsetLink | None) -> Panel:
    colour = SENSE_COLOURS[(sense.number - 1) % len(SENSE_COLOURS)]
    body = Text()
    body.append(", ".join(sense.characteristic_words), style="bold")
    body.append("\nnearest words: ", style="dim")
    body.append(", ".join(sense.nearest_words))
    if link is not None:
        body.append("\nWordNet: ", style="dim")
        body.append(str(link))
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
