"""`grassmeans ingest`, `phrases`: raw text -> corpus -> the same corpus with phrases joined."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from grassmeans.terminal import options
from grassmeans.terminal.options import READ
from grassmeans.terminal.output import note, note_report, print_summary

if TYPE_CHECKING:
    from grassmeans.corpus.corpus import Corpus

_ENOUGH_WORDS = 1000
_SHOWN = 20


def ingest(
    inputs: Annotated[list[str], READ],
    output: options.Output,
    format: str = "auto",
    language: str = "en",
    function_words: options.ReadPath | None = None,
    text_field: options.TextField = "text",
    column: str | None = None,
    meta: list[str] | None = None,
    encoding: options.Encoding = None,
    numbers: str = "drop",
    segment: bool = False,
    keep_case: bool = False,
    keep_links: bool = False,
    keep_duplicates: bool = False,
    append: options.ReadPath | None = None,
    *,
    work: options.Work,
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

    Options
    -------
    inputs: Files or folders, compressed ones as they are; or addresses: s3://bucket/*.bz2.
    output: Folder of the new corpus.
    format: auto, mediawiki, wikiextractor, jsonl, json, csv, text, parquet, tokens, vertical,
        conllu.
    language: Function-word list: en, es, fr, de, it, pt, ru, ..., or none.
    function_words: Your own function words, one a line, instead of a list.
    column: Column of the token (vertical: number; conllu: form, lemma, ...).
    meta: Keep a field of the documents: date, source, any other; may be given again.
    numbers: Tokens of digits only: drop, keep or mask (as 0).
    segment: Segment Chinese, Japanese, Thai ... also where little of it is.
    keep_case: Do not lower-case.
    keep_links: Keep link annotations of Wikipedia dumps.
    keep_duplicates: Keep documents whose text was there before.
    append: A corpus to which the documents are added; -o is a new folder, the old one stays.
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
            append, inputs, output, workers=work.workers, overwrite=work.overwrite, **reading
        )
        _report(corpus, output, work.as_json)
        return
    rules = IngestOptions(
        tokenizer=Tokenizer(lowercase=not keep_case, numbers=numbers, segment=segment),
        language=language,
        function_words=load_function_words(language, function_words),
        keep_links=keep_links,
        keep_duplicates=keep_duplicates,
    )
    corpus = Corpus.from_files(inputs, output, options=rules, **work.passed, **reading)
    _report(corpus, output, work.as_json)


def _report(corpus: Corpus, output: Path, as_json: bool) -> None:
    """Say what was read."""
    report = corpus.manifest
    note_report(report)
    _remark_language(corpus)
    summary = {name: report[name] for name in ("n_documents", "n_tokens", "n_types")}
    print_summary(
        {"corpus": str(output)} | summary | {"skipped": report["skipped"]},
        f"{summary['n_tokens']:,} words in {summary['n_documents']:,} documents, "
        f"{summary['n_types']:,} different ones",
        as_json,
        [f"grassmeans vectors {output} -o vectors"],
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


def phrases(
    corpus: options.Corpus,
    output: options.Output,
    threshold: Annotated[float, typer.Option(min=-1.0, max=1.0)] = 0.6,
    min_count: options.Count = 10,
    passes: options.Count = 2,
    common_words: options.ReadPath | None = None,
    max_phrases: options.Count = 50_000,
    phrase_list: Annotated[options.ReadPath | None, typer.Option("--list")] = None,
    *,
    work: options.Work,
) -> None:
    """Find the phrases of a corpus (port ellery, pyramid of giza) and join them: port_ellery.

    Words are a phrase where they stand together far more often than chance would have them, by
    their normalised mutual information, as in gensim's Phrases. Punctuation ends a phrase. Train on
    the new corpus in place of the old one. Its table of phrases goes into every model, so that
    `tag` joins them in new text as well.

    [dim]grassmeans phrases corpus -o corpus-phrases[/]

    [dim]grassmeans phrases corpus -o corpus-phrases --list terms.txt[/]

    Options
    -------
    output: Folder of the new corpus.
    threshold: How much more often than by chance; 1: never apart.
    min_count: Fewest occurrences of a phrase and of its words.
    passes: With each one phrases can be twice as long.
    common_words: What may stand inside of a phrase, one word a line; else of, the, ...
    max_phrases: Keep only the most frequent ones.
    phrase_list: Join these phrases, one a line, instead of finding some.
    """
    from grassmeans.corpus.corpus import Corpus
    from grassmeans.corpus.phrase_finding import PhraseSettings, join_phrases
    from grassmeans.corpus.vocabulary import load_function_words

    named = None if common_words is None else load_function_words(file=common_words)
    settings = PhraseSettings(threshold, min_count, passes, named, max_phrases)
    given = options.choose_words(None, phrase_list)
    joined = join_phrases(Corpus.open(corpus), output, given, settings, **work.passed)
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
        f"{len(table):,} phrases, joined {sum(counts.values()):,} times: "
        f"{', '.join(frequent)}, ...",
        work.as_json,
        [f"grassmeans vectors {output} -o vectors"],
    )
