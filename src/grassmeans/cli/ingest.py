"""`grassmeans ingest`: raw text -> corpus."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from grassmeans.terminal import options
from grassmeans.terminal.options import READ, WRITTEN
from grassmeans.terminal.output import note, note_report, print_summary

if TYPE_CHECKING:
    from grassmeans.corpus.corpus import Corpus

_ENOUGH_WORDS = 1000


def ingest(
    inputs: Annotated[
        list[str],
        READ,
        typer.Argument(
            help="Files or folders, compressed ones as they are; or addresses: s3://bucket/*.bz2."
        ),
    ],
    output: Annotated[Path, WRITTEN, options.output("Folder of the new corpus.")],
    format: Annotated[
        str,
        typer.Option(
            help="auto, mediawiki, wikiextractor, jsonl, json, csv, text, parquet, tokens, "
            "vertical, conllu."
        ),
    ] = "auto",
    language: Annotated[
        str, typer.Option(help="Function-word list: en, es, fr, de, it, pt, ru, ..., or none.")
    ] = "en",
    function_words: Annotated[
        Path | None,
        READ,
        typer.Option(help="Your own function words, one a line, instead of a list."),
    ] = None,
    text_field: options.TextField = "text",
    column: Annotated[
        str | None,
        typer.Option(help="Column of the token (vertical: number; conllu: form, lemma, ...)."),
    ] = None,
    meta: Annotated[
        list[str] | None,
        typer.Option(
            help="Keep a field of the documents: date, source, any other; may be given again."
        ),
    ] = None,
    encoding: options.Encoding = None,
    numbers: Annotated[
        str, typer.Option(help="Tokens of digits only: drop, keep or mask (as 0).")
    ] = "drop",
    segment: Annotated[
        bool,
        typer.Option(
            "--segment", help="Segment Chinese, Japanese, Thai ... also where little of it is."
        ),
    ] = False,
    keep_case: Annotated[bool, typer.Option("--keep-case", help="Do not lower-case.")] = False,
    keep_links: Annotated[
        bool, typer.Option("--keep-links", help="Keep link annotations of Wikipedia dumps.")
    ] = False,
    keep_duplicates: Annotated[
        bool, typer.Option("--keep-duplicates", help="Keep documents whose text was there before.")
    ] = False,
    append: Annotated[
        Path | None,
        READ,
        typer.Option(
            help="A corpus to which the documents are added; -o is a new folder, the old one stays."
        ),
    ] = None,
    workers: options.Workers = None,
    engine: options.Engine = None,
    overwrite: options.Overwrite = False,
    as_json: options.Json = False,
) -> None:
    """Read raw text into a corpus folder: tokens, words with counts, an index, the text itself.

    Takes Wikipedia dumps, WikiExtractor output, JSON, CSV, plain text (a blank line starts a new
    document), Parquet, and text that is tokenised already; gzip, bzip2, xz, zstd, zip and tar are
    opened as they are. Broken lines and files are counted and reported, they do not end the run.
    Started again after an interruption, it goes on from where it was.

    [dim]grassmeans ingest enwiki-pages-articles.xml.bz2 -o corpus[/]

    [dim]grassmeans ingest novels/ -o corpus --language fr[/]

    [dim]grassmeans ingest posts.csv -o corpus --text-field body[/]

    [dim]grassmeans ingest letters/ -o corpus --meta date --meta source[/]

    [dim]grassmeans ingest letters-2026/ -o letters2 --append letters[/]

    [dim]grassmeans ingest treebank.conllu -o corpus --column lemma[/]

    [dim]grassmeans ingest s3://bucket/dumps/*.bz2 -o corpus --engine dask://scheduler:8786[/]
    """
    from grassmeans.corpus.corpus import Corpus
    from grassmeans.corpus.ingest import IngestOptions
    from grassmeans.corpus.vocabulary import load_function_words
    from grassmeans.text.tokenizer import Tokenizer

    reading: dict[str, Any] = {
        "format": format,
        "text_field": text_field,
        "column": column,
        "encoding": encoding,
        "meta": tuple(meta or ()),
    }
    if append is not None:
        from grassmeans.corpus.appending import append_files

        corpus = append_files(
            append, inputs, output, workers=workers, overwrite=overwrite, **reading
        )
        _report(corpus, output, as_json)
        return
    rules = IngestOptions(
        tokenizer=Tokenizer(lowercase=not keep_case, numbers=numbers, segment=segment),
        language=language,
        function_words=load_function_words(language, function_words),
        keep_links=keep_links,
        keep_duplicates=keep_duplicates,
    )
    corpus = Corpus.from_files(
        inputs,
        output,
        options=rules,
        workers=workers,
        engine=engine,
        overwrite=overwrite,
        **reading,
    )
    _report(corpus, output, as_json)


def _report(corpus: Corpus, output: Path, as_json: bool) -> None:
    """Say what was read."""
    report = corpus.manifest
    note_report(report)
    _remark_language(corpus)
    summary = {name: report[name] for name in ("n_documents", "n_tokens", "n_types")}
    print_summary(
        {"corpus": str(output)} | summary | {"skipped": report["skipped"]},
        f"[bold]{summary['n_tokens']:,}[/] words in {summary['n_documents']:,} documents, "
        f"{summary['n_types']:,} different ones\n"
        f"next: [bold]grassmeans vectors {output} -o vectors[/]",
        as_json,
    )


def _remark_language(corpus: Corpus) -> None:
    """Say so where the list of function words seems to be that of another language."""
    from grassmeans.senses.language import LanguageCheck

    check = LanguageCheck(corpus.function_words).add_corpus(corpus)
    if check.looks_foreign and corpus.n_tokens >= _ENOUGH_WORDS:
        language = corpus.manifest["options"]["language"]
        note(
            f"{check.share:.0%} of the words are function words of the list that was taken "
            f"({language}): is the text in another language? choose its list with --language"
        )
