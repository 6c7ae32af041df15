"""The options of skip-gram training, shared by the commands that train vectors."""

from __future__ import annotations

from typing import Annotated

import typer

WindowOption = Annotated[int, typer.Option(min=1, help="Largest distance of a word pair.")]
MinCountOption = Annotated[int, typer.Option(min=1, help="Rarer words get no vector.")]
NegativeOption = Annotated[int, typer.Option(min=1, help="Negative samples.")]
EpochsOption = Annotated[int, typer.Option(min=1, help="Passes over the corpus.")]
SampleOption = Annotated[float, typer.Option(help="Subsampling of frequent words; 0: none.")]
LearningRateOption = Annotated[float, typer.Option(help="Falls linearly to 0.")]
MaxVocabularyOption = Annotated[
    int | None, typer.Option(min=1, help="Keep only the most frequent words.")
]
SeedOption = Annotated[int, typer.Option(min=0, help="Of the random numbers.")]
KeepOutputFlag = Annotated[
    bool, typer.Option("--keep-output", help="Store the output (context) vectors as well.")
]
