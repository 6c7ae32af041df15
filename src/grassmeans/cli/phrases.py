"""`grassmeans phrases`: a corpus -> the same corpus with its phrases joined."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grassmeans.terminal import options
from grassmeans.terminal.options import READ, WRITTEN
from grassmeans.terminal.output import print_summary

_SHOWN = 20


def phrases(
    corpus: options.Corpus,
    output: Annotated[Path, WRITTEN, options.output("Folder of the new corpus.")],
    threshold: Annotated[
        float,
        typer.Option(min=-1.0, max=1.0, help="How much more often than by chance; 1: never apart."),
    ] = 0.6,
    min_count: Annotated[
        int, typer.Option(min=1, help="Fewest occurrences of a phrase and of its words.")
    ] = 10,
    passes: Annotated[
        int, typer.Option(min=1, help="With each one phrases can be twice as long.")
    ] = 2,
    common_words: Annotated[
        Path | None,
        READ,
        typer.Option(help="What may stand inside of a phrase, one word a line; else of, the, ..."),
    ] = None,
    max_phrases: Annotated[
        int, typer.Option(min=1, help="Keep only the most frequent ones.")
    ] = 50_000,
    phrase_list: Annotated[
        Path | None,
        READ,
        typer.Option("--list", help="Join these phrases, one a line, instead of finding some."),
    ] = None,
    workers: options.Workers = None,
    engine: options.Engine = None,
    overwrite: options.Overwrite = False,
    as_json: options.Json = False,
) -> None:
    """Find the phrases of a corpus (port ellery, pyramid of giza) and join them: port_ellery.

    Words are a phrase where they stand together far more often than chance would have them, by
    their normalised mutual information, as in gensim's Phrases. Punctuation ends a phrase. Train on
    the new corpus in place of the old one. Its table of phrases goes into every model, so that
    `tag` joins them in new text as well.

    [dim]grassmeans phrases corpus -o corpus-phrases[/]

    [dim]grassmeans phrases corpus -o corpus-phrases --list terms.txt[/]
    """
    from grassmeans.corpus.corpus import Corpus
    from grassmeans.corpus.phrase_finding import PhraseSettings, join_phrases
    from grassmeans.corpus.vocabulary import load_function_words

    named = None if common_words is None else load_function_words(file=common_words)
    settings = PhraseSettings(threshold, min_count, passes, named, max_phrases)
    given = options.choose_words(None, phrase_list)
    joined = join_phrases(
        Corpus.open(corpus),
        output,
        given,
        settings,
        workers=workers,
        engine=engine,
        overwrite=overwrite,
    )
    table = joined.tokenizer.phrases
    assert table is not None
    counts = {name: joined.vocabulary.count_of(name) for name in table.names}
    frequent = sorted(counts, key=lambda name: (-counts[name], name))[:_SHOWN]
    print_summary(
        {
            "corpus": str(output),
            "n_phrases": len(table),
            "n_joined": sum(counts.values()),
            "n_tokens": joined.n_tokens,
            "most_frequent": {name: counts[name] for name in frequent},
        },
        f"[bold]{len(table):,}[/] phrases, joined {sum(counts.values()):,} times: "
        f"{', '.join(frequent)}, ...\n"
        f"next: [bold]grassmeans vectors {output} -o vectors[/]",
        as_json,
    )
