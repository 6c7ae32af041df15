"""`grassmeans vectors`: corpus -> word vectors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grassmeans.cli.output import (
    JsonFlag,
    OverwriteFlag,
    WorkersOption,
    print_json,
    terminal,
    wants_json,
)
from grassmeans.cli.training_options import (
    EpochsOption,
    KeepOutputFlag,
    LearningRateOption,
    MaxVocabularyOption,
    MinCountOption,
    NegativeOption,
    SampleOption,
    SeedOption,
    WindowOption,
)


def vectors(
    corpus: Annotated[Path, typer.Argument(help="A corpus folder.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder of the new vectors.")],
    dim: Annotated[int, typer.Option(min=1, help="Length of the vectors.")] = 300,
    window: WindowOption = 5,
    min_count: MinCountOption = 5,
    negative: NegativeOption = 5,
    epochs: EpochsOption = 5,
    sample: SampleOption = 1e-3,
    learning_rate: LearningRateOption = 0.025,
    max_vocabulary: MaxVocabularyOption = 200_000,
    seed: SeedOption = 0,
    keep_output: KeepOutputFlag = False,
    workers: WorkersOption = None,
    overwrite: OverwriteFlag = False,
    as_json: JsonFlag = False,
) -> None:
    """Train word vectors: skip-gram with negative sampling, with word2vec's defaults.

    With one worker the result is exactly repeatable. Started again after an interruption, it goes
    on from the last checkpoint. Vectors trained elsewhere (word2vec, GloVe, fastText) can be used
    in the next step instead; `grassmeans convert` writes these formats.
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
    )
    trained = train_vectors(
        Corpus.open(corpus), output, trainer, keep_output=keep_output, overwrite=overwrite
    )
    seconds, speed = trained.manifest["seconds"], trained.manifest["words_per_second"]
    if wants_json(as_json):
        summary = {"vectors": str(output), "n_words": len(trained), "dim": dim}
        print_json(summary | {"seconds": seconds, "words_per_second": speed})
        return
    terminal().print(
        f"[bold]{len(trained):,}[/] vectors of {dim} dimensions in {seconds:.0f} s "
        f"({speed:,} words/s)\n"
        f"next: [bold]grassmeans induce {corpus} {output} -o model[/]"
    )
