"""`grassmeans vectors`: corpus -> word vectors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grassmeans.terminal import options
from grassmeans.terminal.options import WRITTEN
from grassmeans.terminal.output import print_summary


def vectors(
    corpus: options.Corpus,
    output: Annotated[Path, WRITTEN, options.output("Folder of the new vectors.")],
    dim: Annotated[int, typer.Option(min=1, help="Length of the vectors.")] = 300,
    window: options.Window = 5,
    min_count: options.MinCount = 5,
    negative: options.Negative = 5,
    epochs: options.Epochs = 5,
    sample: options.Sample = 1e-3,
    learning_rate: options.LearningRate = 0.025,
    max_vocabulary: options.MaxVocabulary = 200_000,
    seed: options.Seed = 0,
    keep_output: options.KeepOutput = False,
    parts: options.Parts = None,
    device: options.TrainingDevice = "cpu",
    workers: options.Workers = None,
    engine: options.Engine = None,
    overwrite: options.Overwrite = False,
    as_json: options.Json = False,
) -> None:
    """Train word vectors: skip-gram with negative sampling, with word2vec's defaults.

    With one worker the result is exactly repeatable, on a GPU it is not. Started again after an
    interruption, it goes on from the last checkpoint. Vectors trained elsewhere (word2vec, GloVe,
    fastText) can be used in the next step instead; `grassmeans convert` writes these formats.

    On several machines (--engine) each trains on its part of the text, and the parts are put
    together some hundred times; the loss of quality is small and measured (docs/how-to/scale.md).

    [dim]grassmeans vectors corpus -o vectors[/]

    [dim]grassmeans vectors corpus -o vectors --engine dask://scheduler:8786[/]
    """
    from grassmeans.corpus.corpus import Corpus
    from grassmeans.vectors.skipgram import SkipGram, train_vectors

    trainer = SkipGram(
        dim=dim,
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
    trained = train_vectors(
        Corpus.open(corpus),
        output,
        trainer,
        keep_output=keep_output,
        engine=engine,
        overwrite=overwrite,
    )
    seconds, speed = trained.manifest["seconds"], trained.manifest["words_per_second"]
    summary = {"vectors": str(output), "n_words": len(trained), "dim": dim}
    print_summary(
        summary | {"seconds": seconds, "words_per_second": speed},
        f"[bold]{len(trained):,}[/] vectors of {dim} dimensions in {seconds:.0f} s "
        f"({speed:,} words/s)\n"
        f"next: [bold]grassmeans induce {corpus} {output} -o model[/]",
        as_json,
    )
