"""`grassmeans show`: the senses of a word, for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import repeat
from typing import TYPE_CHECKING

from rich.panel import Panel
from rich.text import Text

from grassmeans.terminal import options
from grassmeans.terminal.output import note, print_json, terminal, wants_json

if TYPE_CHECKING:
    from grassmeans.senses.entries import Sense, WordSenses

SENSE_COLOURS = ("cyan", "magenta", "green", "yellow", "blue", "red", "bright_cyan", "bright_green")


def show(
    model: options.Model,
    word: str,
    examples: options.Whole = 3,
    as_json: options.Json = False,
) -> None:
    """Show the senses of a word: share, crispness, characteristic words, examples.

    Options
    -------
    word: The word.
    examples: Example sentences a sense.
    """
    from grassmeans.models.model import load
    from grassmeans.reading.given import spell_word
    from grassmeans.senses.entries import entry_to_dict

    opened = load(model)
    entry = opened.senses(word)
    if wants_json(as_json):
        print_json(entry_to_dict(keep_examples(entry, examples)))
        return
    asked = spell_word(word, opened.tokenizer)
    if opened.lemmas is not None and asked != entry.word:
        note(f"{asked} is a form of {entry.word}")
    print_entry(entry, examples)


def keep_examples(entry: WordSenses, n_examples: int) -> WordSenses:
    """The same senses with fewer examples."""
    senses = (replace(sense, examples=sense.examples[:n_examples]) for sense in entry.senses)
    return replace(entry, senses=tuple(senses))


def print_entry(
    entry: WordSenses, examples: int = 3, remarks: Sequence[str | None] | None = None
) -> None:
    """Print a word's senses as panels; of each a remark (a synset that it is nearest to, say)."""
    console = terminal()
    n_senses = "1 sense" if entry.n_senses == 1 else f"{entry.n_senses} senses"
    console.print(Text.assemble((entry.word, "bold"), f": {n_senses} from {entry.counts_told}"))
    if entry.forms:
        told = ", ".join(f"{form} {count:,}" for form, count in entry.forms)
        console.print(Text(f"forms: {told}", style="dim"))
    # The senses first: they end, and `repeat` does not.
    for sense, remark in zip(entry.senses, remarks or repeat(None), strict=False):
        console.print(_panel(entry.word, sense, examples, remark))


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
        body.append(line.left.lstrip())
        body.append(line.word, style=f"bold {colour}")
        body.append(line.right.rstrip())
    title = Text.assemble(
        (f"{word}.{sense.number}", "bold"),
        (f"  {sense.name}" if sense.name else "", f"bold {colour}"),
        f"  {sense.share:.0%} of occurrences  mean distance {sense.mean_distance:.2f}",
    )
    return Panel(body, title=title, title_align="left", border_style=colour)
