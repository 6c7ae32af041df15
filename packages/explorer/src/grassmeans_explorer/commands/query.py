"""`grassmeans query`, `ngrams` and `keywords`: what a corpus holds, asked in several ways."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

import typer

from grassmeans.terminal import options
from grassmeans.terminal.output import note
from grassmeans_explorer.commands.tables import Csv, print_rows

_LINE = ("document", "left", "match", "right")
Grammar = Annotated[
    Path | None,
    options.READ,
    typer.Option("--grammar", help="A layer of grammar: tags, and lemmas in context."),
]


def query(
    corpus: options.Corpus,
    query: Annotated[str, typer.Argument(metavar="CQL", help="The query.")],
    model: options.ReadPath | None = None,
    grammar: Grammar = None,
    by_document: bool = False,
    offset: options.Whole = 0,
    limit: options.Count = 20,
    width: Annotated[int, typer.Option(min=0, max=1_000)] = 60,
    seconds: Annotated[float, typer.Option(min=0.1, max=86_400.0)] = 30.0,
    most: options.Count = 100_000,
    as_json: options.Json = False,
    as_csv: Csv = False,
) -> None:
    """Look for tokens in a row, by words, lemmas, tags and senses.

    A token is "word" or [attribute="value" & ...], with the attributes word, lemma, tag, pos and
    sense; values are regular expressions of the whole value. & | ! and brackets join conditions; ?
    * + {n,m} repeat; | between sequences lets one or the other be there; within s keeps a match in
    one sentence. Of the matches that begin at one place the longest one counts.

    [dim]grassmeans query corpus '"the" []{0,2} "crane"'[/]

    [dim]grassmeans query corpus '[lemma="bank" & sense="2"] within s' --model en --csv[/]

    Options
    -------
    model: Whose senses are meant: a folder or a name; also its lemmas.
    by_document: Counts of matches in documents, in place of lines.
    offset: Matches that are passed over.
    limit: Lines, or documents, that are shown.
    width: Characters on either side.
    seconds: After which the query is given up.
    most: Matches that are looked for.
    """
    from grassmeans.corpus.corpus import Corpus
    from grassmeans_explorer.grammar.layer import GrammarLayer
    from grassmeans_explorer.querying.matches import find_matches, line_row
    from grassmeans_explorer.querying.matching import QueryLimits

    opened = Corpus.open(corpus)
    found = find_matches(
        opened,
        query,
        model=model,
        layer=None if grammar is None else GrammarLayer.open(grammar, opened),
        limits=QueryLimits(seconds, most),
    )
    more = "" if found.is_complete else " and more"
    note(f"{len(found):,}{more} matches")
    if by_document:
        rows = [asdict(one) for one in found.count_by_document()[offset : offset + limit]]
        columns = ("document", "count", "n_tokens", "per_million")
        print_rows(rows, columns, as_json=as_json, as_csv=as_csv)
        return
    lines = [line_row(line) for line in found.lines(offset, limit, width)]
    print_rows(lines, _LINE, as_json=as_json, as_csv=as_csv)


def ngrams(
    corpus: options.Corpus,
    n: Annotated[int, typer.Option("-n", min=1, max=8, help="Words in a row.")] = 2,
    containing: str | None = None,
    min_count: options.Count = 2,
    content_words: bool = False,
    limit: options.Count = 50,
    as_json: options.Json = False,
    as_csv: Csv = False,
) -> None:
    """Count the words that stand in a row, frequent ones first.

    [dim]grassmeans ngrams corpus -n 3 --containing crane[/]

    Options
    -------
    containing: Only those with this word.
    min_count: Rarer ones are left out.
    content_words: Only those that neither begin nor end with a function word.
    limit: How many are shown.
    """
    from grassmeans.corpus.corpus import Corpus
    from grassmeans_explorer.querying.ngrams import count_ngrams

    found = count_ngrams(
        Corpus.open(corpus),
        n,
        containing=containing,
        min_count=min_count,
        function_words=not content_words,
        limit=limit,
    )
    note(f"{len(found.ngrams):,} of {found.total:,} that occur {min_count:,} times or more")
    columns = ("ngram", "count", "per_million")
    print_rows(found.rows(), columns, as_json=as_json, as_csv=as_csv)


def keywords(
    corpus: options.Corpus,
    reference: Annotated[
        options.ReadPath | None, typer.Argument(help="A corpus folder to compare it with.")
    ] = None,
    by: str | None = None,
    group: str | None = None,
    against: str | None = None,
    score: Literal["log-likelihood", "log-ratio"] = "log-likelihood",
    negative: bool = False,
    min_count: options.Count = 3,
    least: Annotated[float, typer.Option(min=0.0)] = 10.83,
    function_words: bool = False,
    limit: options.Count = 50,
    as_json: options.Json = False,
    as_csv: Csv = False,
) -> None:
    """Show the words that a corpus, or a group of its documents, has more often than another.

    The log-likelihood says how sure the difference is (from 10.8 on, chance does it less than once
    in a thousand words), the log ratio how large: 1 for twice as often, 2 for four times.

    [dim]grassmeans keywords corpus other-corpus[/]

    [dim]grassmeans keywords corpus --by date:decade --group 1850-1859[/]

    Options
    -------
    by: What groups the documents: a field, or date:decade and the like.
    group: The group whose words are shown.
    against: The group that it is compared with; all others by default.
    score: What they are ordered by.
    negative: Show what is rarer, in place of what is more frequent.
    min_count: Occurrences on the side that has more.
    least: The smallest log-likelihood.
    function_words: Show words such as the and of as well.
    limit: How many are shown.
    """
    from grassmeans.corpus.corpus import Corpus
    from grassmeans_explorer.querying.keywords import find_keywords

    found = find_keywords(
        Corpus.open(corpus),
        None if reference is None else Corpus.open(reference),
        by=by,
        group=group,
        against=against,
        score=score.replace("-", "_"),
        negative=negative,
        min_count=min_count,
        min_log_likelihood=least,
        function_words=function_words,
        limit=limit,
    )
    note(f"{found.name} ({found.n_tokens:,} tokens) against {found.reference}")
    columns = ("word", "count", "reference_count", "log_likelihood", "log_ratio")
    print_rows(found.rows(), columns, as_json=as_json, as_csv=as_csv)


def sample(
    corpus: options.Corpus,
    asked: Annotated[
        str, typer.Argument(metavar="WORD|PHRASE|CQL", help="A word, a phrase or a query.")
    ],
    model: options.ReadPath | None = None,
    size: Annotated[int, typer.Option("--size", "-n", min=1, help="Lines.")] = 50,
    sense: Annotated[
        list[int] | None, typer.Option(min=0, help="Only this sense; repeat for more.")
    ] = None,
    stratified: bool = False,
    by: str = "",
    group: str = "",
    width: Annotated[int, typer.Option(min=0, max=1_000)] = 60,
    seed: options.Seed = 0,
    as_json: options.Json = False,
    as_csv: Csv = False,
) -> None:
    """Draw lines of a word, a phrase or a query at random, with their senses.

    The same seed draws the same lines. Lines are cut between words.

    [dim]grassmeans sample corpus bank --model en -n 40 --stratified --csv > bank.csv[/]

    [dim]grassmeans sample corpus "ice cream" -n 20 --by date:decade --group 1850-1859[/]

    Options
    -------
    model: Whose senses the lines have.
    stratified: The same share of lines for every sense.
    by: What groups the documents: a field, or date:decade and the like.
    group: With --by: only documents of this group.
    width: Characters on either side.
    """
    from grassmeans.corpus.corpus import Corpus
    from grassmeans_explorer.querying.samples import SampleWish, sample_lines

    wish = SampleWish(
        size=size,
        senses=tuple(sense or ()),
        by=by,
        group=group,
        stratified=stratified,
        random_state=seed,
        width=width,
    )
    found = sample_lines(Corpus.open(corpus), asked, wish, model=model)
    note(f"{len(found.lines):,} of {found.n_fitting:,} lines of {found.asked}")
    columns = ("document", "left", "match", "right", "sense", "sense_name")
    print_rows(found.rows(), columns, as_json=as_json, as_csv=as_csv)
