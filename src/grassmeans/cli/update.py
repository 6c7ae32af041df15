"""`grassmeans update`: a model, grown with new text."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from grassmeans.terminal import options
from grassmeans.terminal.output import name_some, note, print_summary

_SHOWN = 10


def update(
    model: options.Model,
    texts: list[options.ReadPath],
    output: options.Output,
    words: options.Words = None,
    words_file: options.WordsFile = None,
    min_count: options.Count | None = None,
    max_contexts: options.Count | None = None,
    new_senses: Annotated[bool, typer.Option("--new-senses/--no-new-senses")] = True,
    new_words: Annotated[bool | None, typer.Option("--new-words/--no-new-words")] = None,
    format: str = "auto",
    text_field: options.TextField = "text",
    encoding: options.Encoding = None,
    device: options.Device = "cpu",
    *,
    work: options.Work,
) -> None:
    """Grow a model with new text: the cost is that of the new text, and senses keep their numbers.

    New words get vectors while the old ones are held, and senses where they are frequent. The
    contexts of known words go to the senses that they have, whose shares follow; those that no
    sense explains, where they are enough and near each other, become a proposed new sense, which is
    printed with examples. The log of versions in the model tells what came when
    (`grassmeans info`). Started again after an interruption, it goes on from where it was.

    [dim]grassmeans update model letters-2026/ -o model2[/]

    [dim]grassmeans update en posts.jsonl --text-field body --word lane -o mine[/]

    Options
    -------
    texts: New files or folders of text, or one corpus folder.
    output: Folder of the new model; the old one stays.
    min_count: Occurrences in the new text from which a word without senses gets some.
    max_contexts: New occurrences of a word that are looked at; as in the model.
    new_senses: Take new senses of known words into the model.
    new_words: Give senses to new frequent words; by default if the model has all words.
    format: Of the files, as for ingest.
    """
    from grassmeans.editing.growing import update_model
    from grassmeans.engines import use_engine

    with use_engine(work.engine, work.workers):
        found = update_model(
            model,
            texts,
            output,
            words=options.choose_words(words, words_file),
            min_count=min_count,
            max_contexts=max_contexts,
            new_senses=new_senses,
            new_words=new_words,
            device=device,
            workers=work.workers,
            overwrite=work.overwrite,
            format=format,
            text_field=text_field,
            encoding=encoding,
        )
    if found.new_words:
        note(f"words that have senses now: {name_some(list(found.new_words))}")
    for sense in found.born[:_SHOWN]:
        note(
            f"a new sense: {sense.word}.{sense.number} ({sense.name}), some {sense.n_contexts} "
            "occurrences" + "".join(f"\n    {line}" for line in sense.examples[:3])
        )
    print_summary(
        {
            "model": str(output),
            "n_tokens": found.n_tokens,
            "n_documents": found.n_documents,
            "n_words": found.n_words,
            "n_new_vectors": len(found.new_vectors),
            "new_words": list(found.new_words),
            "born": [asdict(sense) for sense in found.born],
        },
        f"{found.n_words:,} words of the model in {found.n_tokens:,} words of new text; "
        f"{len(found.born):,} new senses, {len(found.new_words):,} words with senses for the first "
        "time",
        work.as_json,
        [f"grassmeans show {output} WORD", f"grassmeans info {output}"],
    )
