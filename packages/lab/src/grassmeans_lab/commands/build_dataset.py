"""`grassmeans build-dataset`: test sets from a corpus or from WordNet."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from grassmeans.terminal import options
from grassmeans.terminal.options import READ, WRITTEN
from grassmeans.terminal.output import note, print_json, print_summary, terminal, wants_json

if TYPE_CHECKING:
    from grassmeans_lab.datasets.writing import DatasetSummary

_SHOWN_WORDS = 20
_SHOWN_SENSES = 4

Output = Annotated[
    Path, WRITTEN, typer.Option("--output", "-o", help="Folder of the new test set.")
]
MaxPerSense = Annotated[
    int | None, typer.Option(min=1, help="At most so many instances a sense, drawn at random.")
]
Balance = Annotated[
    bool, typer.Option("--balance", help="As many instances of every sense of a word.")
]
TestShare = Annotated[
    float | None,
    typer.Option(min=0.0, max=1.0, help="Split: this share of each sense for tests (0.2, say)."),
]
Context = Annotated[
    int, typer.Option("--context", min=1, help="Characters of text on either side.")
]


def links(
    corpus: options.Corpus,
    output: Output,
    word: options.Words = None,
    words: options.WordsFile = None,
    min_instances: Annotated[
        int, typer.Option(min=1, help="A page is a sense if the word links to it so often.")
    ] = 10,
    min_senses: Annotated[
        int, typer.Option(min=1, help="Words with fewer senses are left out.")
    ] = 2,
    max_words: Annotated[
        int | None, typer.Option(min=1, help="The words with the most instances, so many.")
    ] = None,
    max_per_sense: MaxPerSense = None,
    balance: Balance = False,
    test_share: TestShare = None,
    merge_pages: Annotated[
        Path | None,
        READ,
        typer.Option(help="Pages that are one sense: a line is 'page<TAB>page it counts as'."),
    ] = None,
    inflected: Annotated[
        bool, typer.Option("--inflected", help="English plurals count as their singular.")
    ] = False,
    context: Context = 500,
    seed: options.Seed = 0,
    overwrite: options.Overwrite = False,
    as_json: options.Json = False,
) -> None:
    """Make a test set of linked words, as the paper made Makes-Sense-2016.

    The corpus has to be a Wikipedia dump, ingested with --keep-links. A link whose text is one word
    tells the sense of this word: the page. Redirects are followed. The test set is a folder with
    instances.jsonl and instances.key (or train and test, with --test-share).

    [dim]grassmeans ingest enwiki-pages-articles.xml.bz2 --keep-links -o corpus[/]

    [dim]grassmeans build-dataset links corpus -o links --word crane --word bank[/]

    [dim]grassmeans build-dataset links corpus -o links --max-words 50 --balance --test-share 0.2[/]

    [dim]grassmeans evaluate jsonl --data links/instances.jsonl --model model[/]
    """
    from grassmeans.corpus.corpus import Corpus
    from grassmeans_lab.datasets.link_table import read_merges
    from grassmeans_lab.datasets.links import LinkSettings, build_links
    from grassmeans_lab.datasets.writing import Sampling

    settings = LinkSettings(
        min_instances=min_instances,
        min_senses=min_senses,
        max_words=max_words,
        inflected=inflected,
        context_chars=context,
        sampling=Sampling(max_per_sense, balance, test_share, seed),
    )
    summary = build_links(
        Corpus.open(corpus),
        output,
        settings,
        words=options.choose_words(word, words),
        merges=None if merge_pages is None else read_merges(merge_pages),
        overwrite=overwrite,
    )
    for name, reason in list(summary.skipped.items())[:_SHOWN_WORDS]:
        note(f"left out: {name!r}: {reason}")
    if len(summary.skipped) > _SHOWN_WORDS:
        note(f"... and {len(summary.skipped) - _SHOWN_WORDS:,} more, named in the manifest")
    _print_summary(summary, as_json)


def pseudowords(
    corpus: options.Corpus,
    output: Output,
    merge: Annotated[int, typer.Option("--merge", min=2, help="Words merged into one.")] = 2,
    n_words: Annotated[
        int, typer.Option("--n-words", "-n", min=1, help="Artificial words to make.")
    ] = 10,
    group: Annotated[
        list[str] | None,
        typer.Option("--group", help="Merge these (monastery,phd) instead; repeat for more."),
    ] = None,
    groups: Annotated[
        Path | None, READ, typer.Option("--groups", help="File with one such group a line.")
    ] = None,
    wordnet: Annotated[
        Path | None, READ, typer.Option(help="Draw only words with one sense in this WordNet.")
    ] = None,
    min_count: Annotated[int, typer.Option(min=1, help="Draw words that occur so often...")] = 500,
    max_count: Annotated[
        int | None, typer.Option(min=1, help="... and no more often than this.")
    ] = 10_000,
    by_frequency: Annotated[
        bool, typer.Option("--by-frequency", help="Draw frequent words more often.")
    ] = False,
    max_per_sense: MaxPerSense = 200,
    balance: Balance = False,
    test_share: TestShare = None,
    corpus_out: Annotated[
        Path | None,
        WRITTEN,
        typer.Option(help="Folder of a new corpus in which the words are merged."),
    ] = None,
    context: Context = 500,
    seed: options.Seed = 0,
    workers: options.Workers = None,
    engine: options.Engine = None,
    overwrite: options.Overwrite = False,
    as_json: options.Json = False,
) -> None:
    """Make artificial polysemous words: several words merged into one, as in the paper.

    The sense of an occurrence is the word that stood there. Words are drawn at random: content
    words of a band of frequencies, with --wordnet only those that have one sense there. Train
    vectors and induce senses on the corpus of --corpus-out, which has pseudoword1 and so on in
    their place.

    [dim]grassmeans build-dataset pseudowords corpus -o pseudo --merge 5 --corpus-out merged[/]

    [dim]grassmeans build-dataset pseudowords corpus -o pseudo --group monastery,phd[/]

    [dim]grassmeans build-dataset pseudowords corpus -o pseudo --wordnet wordnet.zip[/]
    """
    from grassmeans.corpus.corpus import Corpus
    from grassmeans.engines import use_engine
    from grassmeans_lab.datasets.pseudowords import (
        PseudowordSettings,
        WordChoice,
        build_pseudowords,
    )
    from grassmeans_lab.datasets.writing import Sampling

    settings = PseudowordSettings(
        choice=WordChoice(n_words, merge, min_count, max_count, by_frequency, seed),
        context_chars=context,
        sampling=Sampling(max_per_sense, balance, test_share, seed),
    )
    with use_engine(engine, workers):
        summary = build_pseudowords(
            Corpus.open(corpus),
            output,
            settings,
            groups=_chosen_groups(group, groups),
            wordnet=wordnet,
            corpus_out=corpus_out,
            workers=workers,
            overwrite=overwrite,
        )
    _print_summary(summary, as_json)


def lineup(
    output: Annotated[
        Path, WRITTEN, typer.Option("--output", "-o", help="File of the new testbed.")
    ],
    wordnet: Annotated[
        Path | None,
        READ,
        typer.Option(help="WordNet's folder or zip; where NLTK has it by default."),
    ] = None,
    vectors: Annotated[
        Path | None, READ, typer.Option(help="Take only words that have vectors here.")
    ] = None,
    word: options.Words = None,
    words: options.WordsFile = None,
    n_words: Annotated[
        int, typer.Option("--n-words", "-n", min=1, help="Words, where none are named.")
    ] = 200,
    related: Annotated[int, typer.Option(min=1, help="Related words of each sense.")] = 8,
    seed: options.Seed = 0,
    overwrite: options.OverwriteFile = False,
    as_json: options.Json = False,
) -> None:
    """Make a police-lineup testbed from WordNet: each sense of a word by eight related words.

    The 200 words of Arora et al. are not public any more; this makes words like them.

    [dim]grassmeans build-dataset lineup -o lineup.jsonl --vectors vectors[/]

    [dim]grassmeans build-dataset lineup -o lineup.jsonl --wordnet wordnet.zip --word crane[/]
    """
    from grassmeans.vectors.word_vectors import WordVectors
    from grassmeans_lab.datasets.lineup import build_lineup

    summary = build_lineup(
        output,
        wordnet,
        vectors=None if vectors is None else WordVectors.load(vectors),
        words=options.choose_words(word, words),
        n_words=n_words,
        n_related=related,
        random_state=seed,
        overwrite=overwrite,
    )
    without = summary.words_without_senses
    if without:
        note(f"without two distinct senses, left out: {', '.join(without[:_SHOWN_WORDS])}")
    counts = {"n_words": summary.n_words, "n_senses": summary.n_senses}
    print_summary(
        {"lineup": str(output)} | counts | {"skipped": list(without)},
        f"{summary.n_words:,} words with {summary.n_senses:,} senses",
        as_json,
        [f"grassmeans evaluate lineup --data {output}"],
    )


def _chosen_groups(group: list[str] | None, file: Path | None) -> list[list[str]] | None:
    """Groups as they are written: words separated by commas or spaces."""
    lines = options.choose_words(group, file)
    return None if lines is None else [line.replace(",", " ").split() for line in lines]


def _print_summary(summary: DatasetSummary, as_json: bool) -> None:
    if wants_json(as_json):
        print_json(summary.to_dict())
        return
    table = Table("word", "instances", "senses")
    for word, senses in list(summary.senses.items())[:_SHOWN_WORDS]:
        shown = ", ".join(f"{label} {n}" for label, n in list(senses.items())[:_SHOWN_SENSES])
        more = f", {len(senses) - _SHOWN_SENSES} more" if len(senses) > _SHOWN_SENSES else ""
        table.add_row(word, f"{sum(senses.values()):,}", shown + more)
    terminal().print(table)
    if summary.n_words > _SHOWN_WORDS:
        terminal().print(f"... and {summary.n_words - _SHOWN_WORDS:,} more words")
    first = summary.folder / next(reversed(summary.parts))
    print_summary(
        summary.to_dict(),
        f"{summary.n_instances:,} instances of {summary.n_words:,} words with "
        f"{summary.n_senses:,} senses",
        as_json,
        [f"grassmeans evaluate jsonl --data {first} --model MODEL"],
    )
