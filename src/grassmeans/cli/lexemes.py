"""`grassmeans lexemes`: labelled corpus -> lexeme vectors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from grassmeans.errors import InputError
from grassmeans.terminal import options
from grassmeans.terminal.options import READ, WRITTEN
from grassmeans.terminal.output import print_summary

_DEFAULT_DIM = 300


def lexemes(
    labelled: Annotated[Path, READ, typer.Argument(help="A labelled corpus folder.")],
    output: Annotated[Path, WRITTEN, options.output("Folder of the new vectors.")],
    start_from: Annotated[
        Path | None, READ, typer.Option(help="Word vectors: every lexeme starts at its word's.")
    ] = None,
    freeze_words: Annotated[
        bool,
        typer.Option(
            "--freeze-words", help="Move senses only; words stay where --start-from has them."
        ),
    ] = False,
    soft_each_epoch: Annotated[
        bool,
        typer.Option("--soft-each-epoch", help="Draw every occurrence's sense anew each epoch."),
    ] = False,
    sharpness: Annotated[
        float | None,
        typer.Option(min=0.0, help="For --soft-each-epoch; the labelled corpus's by default."),
    ] = None,
    dim: Annotated[
        int | None, typer.Option(min=1, help="Length; 300, or that of --start-from.")
    ] = None,
    window: options.Window = 5,
    min_count: options.MinCount = 5,
    negative: options.Negative = 5,
    epochs: options.Epochs = 5,
    sample: options.Sample = 1e-3,
    learning_rate: options.LearningRate = 0.025,
    max_vocabulary: options.MaxVocabulary = 300_000,
    seed: options.Seed = 0,
    keep_output: options.KeepOutput = False,
    parts: options.Parts = None,
    device: options.TrainingDevice = "cpu",
    workers: options.Workers = None,
    engine: options.Engine = None,
    overwrite: options.Overwrite = False,
    as_json: options.Json = False,
) -> None:
    """Train lexeme vectors: one vector for every sense of a word, by the skip-gram of `vectors`.

    The labels of the corpus are taken as they are, or drawn anew in every epoch. The result is an
    ordinary vectors folder whose words are crane.1, crane.2, crane.0 ("I don't know") and harbour:
    `grassmeans similar` and `grassmeans convert` take it. Started again after an interruption, it
    goes on from the last checkpoint.

    [dim]grassmeans lexemes labelled -o lexemes --start-from vectors[/]
    """
    from grassmeans.corpus.corpus import Corpus
    from grassmeans.lexemes.training import train_lexemes
    from grassmeans.vectors.skipgram import SkipGram
    from grassmeans.vectors.word_vectors import WordVectors

    if sharpness is not None and not soft_each_epoch:
        raise InputError(
            "--sharpness is for --soft-each-epoch: the labels of the corpus are drawn already"
        )
    source = Corpus.open(labelled)
    start = None if start_from is None else WordVectors.load(start_from)
    trainer = SkipGram(
        dim=dim or (start.dim if start is not None else _DEFAULT_DIM),
        window=window,
        min_count=min_count,
        negative=negative,
        epochs=epochs,
        workers=workers,
        random_state=seed,
        sample=sample,
        learning_rate=learning_rate,
        max_vocabulary=max_vocabulary,
        parts=parts,
        device=device,
    )
    trained = train_lexemes(
        source,
        output,
        trainer,
        start_from=start,
        freeze_words=freeze_words,
        soft_each_epoch=soft_each_epoch,
        sharpness=sharpness,
        keep_output=keep_output,
        engine=engine,
        overwrite=overwrite,
    )
    counts, manifest = trained.counts_by_kind(), trained.vectors.manifest
    speed = {name: manifest[name] for name in ("seconds", "words_per_second")}
    n_vectors = {"n_vectors": len(trained.vectors), "dim": trained.vectors.dim}
    example = next(iter(trained.words_with_senses), trained.vectors.words[0])
    print_summary(
        {"lexemes": str(output)} | n_vectors | counts | speed,
        f"[bold]{len(trained.vectors):,}[/] vectors of {trained.vectors.dim} dimensions in "
        f"{manifest['seconds']:.0f} s ({manifest['words_per_second']:,} words/s): "
        f"{counts['n_senses']:,} senses of {counts['n_words_with_senses']:,} words, "
        f'{counts["n_idk"]:,} for "I don\'t know", {counts["n_plain"]:,} words without senses\n'
        f"next: [bold]grassmeans similar {output} {escape(example)}[/]",
        as_json,
    )
