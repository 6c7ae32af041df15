"""`grassmeans induce`: corpus + contexts -> model with the senses of words."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from grassmeans.artifacts.temporaries import temporary_folder
from grassmeans.errors import InputError
from grassmeans.terminal import options
from grassmeans.terminal.options import READ, WRITTEN
from grassmeans.terminal.output import note, note_report, print_summary


def induce(
    inputs: Annotated[
        list[Path],
        READ,
        typer.Argument(
            help="A corpus, or files and folders of text; and vectors, an encoder, a model whose "
            "contexts are taken (en), or a transformer: its folder or hub name.",
            metavar="CORPUS|TEXT... VECTORS|ENCODER|MODEL|transformer:NAME",
        ),
    ],
    output: Annotated[Path, WRITTEN, options.output("Folder of the new model.")],
    word: options.Words = None,
    words: options.WordsFile = None,
    min_count: Annotated[
        int | None, typer.Option(min=1, help="Without words: all that occur so often.")
    ] = None,
    senses: Annotated[
        str | None,
        typer.Option(
            "--senses",
            "-k",
            metavar="N|auto",
            help="Senses a word; auto: as many as it shows. 5 with vectors, auto otherwise.",
        ),
    ] = None,
    granularity: Annotated[
        float, typer.Option(help="With --senses auto: larger gives more senses.")
    ] = 1.0,
    max_senses: Annotated[
        int, typer.Option(min=1, help="With --senses auto: groups before near ones are merged.")
    ] = 12,
    language: Annotated[
        str | None, typer.Option(help="Function words, where text is given; en by default.")
    ] = None,
    text_field: Annotated[
        str | None,
        typer.Option(help="Field or column of the text, where text is given; text by default."),
    ] = None,
    window: Annotated[
        int | None, typer.Option(min=1, help="With vectors: context words a side; 10.")
    ] = None,
    rank: Annotated[
        int | None, typer.Option(min=1, help="With vectors: dimension of a context's subspace; 3.")
    ] = None,
    weighting: Annotated[
        str | None,
        typer.Option(help="With vectors: flat (the paper) or singular (weak directions less)."),
    ] = None,
    restarts: Annotated[int, typer.Option(min=1, help="Random restarts.")] = 5,
    max_contexts: Annotated[
        int | None,
        typer.Option(min=1, help="Occurrences of a word; 10,000 with vectors, 1,000 with encoder."),
    ] = None,
    drop_repeats: Annotated[
        bool, typer.Option("--drop-repeats", help="Leave repeats of the word out of its contexts.")
    ] = False,
    layers: Annotated[
        str | None,
        typer.Option(help="With a transformer: the mean of these layers, 7-9 say; from 7/12 on."),
    ] = None,
    passage: Annotated[
        int | None,
        typer.Option(min=1, help="With a transformer: tokens of text that it reads; 64."),
    ] = None,
    batch_size: Annotated[
        int | None, typer.Option(min=1, help="With a transformer: passages at once.")
    ] = None,
    cache: options.Cache = None,
    calibrated: Annotated[
        bool, typer.Option("--calibrate/--no-calibrate", help="Learn how sure answers are.")
    ] = True,
    seed: options.Seed = 0,
    device: options.Device = "cpu",
    workers: options.Workers = None,
    engine: options.Engine = None,
    overwrite: options.Overwrite = False,
    as_json: options.Json = False,
) -> None:
    """Find the senses of words (K-Grassmeans) and write a model that can tag text.

    Without --word or --words, all content words are induced that occur often enough: 10,000 times
    as in the paper, less on a corpus of under two billion words (one occurrence in 200,000, never
    fewer than 50). Unknown and too rare words are reported. Started again after an interruption,
    it goes on from where it was.

    [dim]grassmeans induce corpus vectors -o model --word crane --word bank --senses 2[/]

    [dim]grassmeans induce corpus vectors -o model --senses auto --granularity 1.3[/]

    [dim]grassmeans induce corpus encoder -o model[/]

    [dim]grassmeans induce corpus en -o model --word crane[/] (the contexts of the English model)

    [dim]grassmeans induce corpus transformer:all-mpnet-base-v2 -o model --device cuda[/]

    [dim]grassmeans induce notes.txt en -o model --word crane[/] (with no corpus to be made first)
    """
    from grassmeans.models.building import build_model

    given = {
        "n_senses": None if senses is None else _number_of_senses(senses),
        "max_contexts": max_contexts,
        "window": window,
        "rank": rank,
        "weighting": weighting,
        "drop_repeats": drop_repeats or None,
        "layers": layers,
        "passage": passage,
        "batch_size": batch_size,
        "cache": cache,
        "n_init": restarts,
        "random_state": seed,
        "max_senses": max_senses,
        "granularity": granularity,
    }
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    chosen = options.choose_words(word, words)
    *sources, contexts = inputs
    if not sources:
        raise InputError(
            f"induce needs a corpus or texts, and contexts after them: grassmeans induce TEXT "
            f"{contexts}, say"
        )
    # Workers of other machines do not see the temporary folder of this one.
    beside = output.resolve().parent if engine is not None else None
    with temporary_folder(beside) as temporary:
        corpus = _open_sources(sources, language, text_field, temporary / "corpus")
        model = build_model(
            corpus,
            contexts,
            output,
            chosen,
            min_count=min_count,
            calibrated=calibrated,
            device=device,
            workers=workers,
            engine=engine,
            overwrite=overwrite,
            **changes,
        )
    for skipped in model.inventory.skipped[:20]:
        note(f"no senses for {skipped.word!r}: it {skipped.reason}")
    if len(model.inventory.skipped) > 20:
        note(f"... and {len(model.inventory.skipped) - 20:,} more: grassmeans info {output}")
    skipped_words = {s.word: s.reason for s in model.inventory.skipped}
    print_summary(
        {"model": str(output), "n_words": len(model.words), "skipped": skipped_words},
        f"senses of [bold]{len(model.words):,}[/] words\n"
        f"next: [bold]grassmeans show {output} {model.words[0]}[/], "
        f"[bold]grassmeans tag {output}[/]",
        as_json,
    )


def _number_of_senses(senses: str) -> int | str:
    from grassmeans.clustering.settings import AUTO

    if senses == AUTO:
        return AUTO
    if not senses.isdecimal():
        raise InputError(f'--senses must be a whole number or "auto", got {senses!r}')
    return int(senses)


def _open_sources(
    sources: list[Path], language: str | None, text_field: str | None, folder: Path
) -> Path:
    """The folder of a corpus: the one given, or a new one of the texts given."""
    from grassmeans.artifacts.writing import find_manifest
    from grassmeans.corpus.corpus import Corpus, default_options

    stored = [source for source in sources if find_manifest(source) is not None]
    if stored and len(sources) > 1:
        raise InputError(f"{stored[0]} is no text: give a corpus alone, or texts only")
    if stored and (language, text_field) != (None, None):
        unused = "--language" if language is not None else "--text-field"
        raise InputError(f"{unused} is for texts, but {stored[0]} is a corpus: leave it out")
    if stored:
        return stored[0]  # where it is no corpus, opening it says so
    rules = default_options(language or "en")
    corpus = Corpus.from_files(sources, folder, options=rules, text_field=text_field or "text")
    report = corpus.manifest
    note_report(report)
    return folder
