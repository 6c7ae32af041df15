"""`grassmeans wordnet`: the senses of a word, and the synsets of WordNet nearest to them."""

from __future__ import annotations

from typing import Annotated

import typer

from grassmeans.cli.show import keep_examples, print_entry
from grassmeans.terminal import options
from grassmeans.terminal.options import READ
from grassmeans.terminal.output import note, print_json, wants_json


def wordnet(
    model: options.Model,
    word: Annotated[str, typer.Argument(help="The word.")],
    database: Annotated[
        str,
        READ,
        typer.Option(metavar="PATH", help="WordNet's folder or zip; auto: where NLTK has put it."),
    ] = "auto",
    examples: Annotated[int, typer.Option(min=0, help="Example lines a sense.")] = 3,
    as_json: options.Json = False,
) -> None:
    """Show the senses of a word, each with the synset of WordNet that it is nearest to.

    The synset is the one whose gloss is nearest to the characteristic words of the sense, where one
    is near; names and senses that WordNet does not have get none.
    """
    from grassmeans.models.model import load
    from grassmeans.senses.entries import entry_to_dict
    from grassmeans_lab.wordnet.database import WordNet
    from grassmeans_lab.wordnet.linking import SynsetLinker

    opened = load(model)
    entry = opened.senses(word)
    linker = SynsetLinker.of_model(WordNet.open(None if database == "auto" else database), opened)
    if not linker.find_synsets(entry.word):
        note(f"WordNet has no synset of {entry.word!r}")
    links = linker.link_entry(entry)
    if wants_json(as_json):
        values = entry_to_dict(keep_examples(entry, examples))
        for sense, link in zip(values["senses"], links, strict=True):
            sense["wordnet"] = None if link is None else link.to_dict()
        print_json(values)
        return
    print_entry(entry, examples, [None if link is None else f"WordNet: {link}" for link in links])
