"""`grassmeans encoder`: corpus -> a learned kind of context."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grassmeans.terminal import options
from grassmeans.terminal.options import WRITTEN
from grassmeans.terminal.output import print_summary


def encoder(
    corpus: options.Corpus,
    output: Annotated[Path, WRITTEN, options.output("Folder of the new encoder.")],
    dim: Annotated[
        int | None, typer.Option(min=1, help="Length of the vectors, a multiple of 64.")
    ] = None,
    layers: Annotated[int | None, typer.Option(min=1, help="Layers of attention.")] = None,
    vocabulary: Annotated[
        int | None, typer.Option(min=1, help="Know the so many most frequent words.")
    ] = None,
    passage: Annotated[int, typer.Option(min=4, help="Tokens that a word looks at.")] = 128,
    epochs: Annotated[float | None, typer.Option(help="Passes over the corpus.")] = None,
    minutes: Annotated[
        float | None,
        typer.Option(help="Take so long by the clock instead, interrupted visits included."),
    ] = None,
    batch_tokens: Annotated[int | None, typer.Option(min=1, help="Tokens of a step.")] = None,
    device: options.EncoderDevice = None,
    seed: options.Seed = 0,
    workers: options.Workers = None,
    overwrite: options.Overwrite = False,
    as_json: options.Json = False,
) -> None:
    """Learn what contexts ask for: predict each word of the corpus from all words around it.

    What is not given is chosen by the size of the corpus and the device: a laptop needs about half
    an hour for some million words, a GPU minutes for a hundred million. Needs PyTorch:
    pip install 'grassmeans[encoder]'. On a CPU the same seed and number of workers give the same
    encoder. Started again after an interruption, it goes on from the last checkpoint.

    Several GPUs or machines train it together where PyTorch's torchrun starts the command; a step
    is then shared between them.

    [dim]grassmeans encoder corpus -o encoder[/]

    [dim]torchrun --nproc-per-node 8 --no-python grassmeans encoder corpus -o encoder[/]

    [dim]grassmeans encoder corpus -o encoder --device cuda --dim 384 --layers 6 --minutes 10[/]
    """
    from grassmeans.artifacts.writing import read_manifest
    from grassmeans.contexts.attention.training import EncoderSettings, train_encoder
    from grassmeans.corpus.corpus import Corpus
    from grassmeans.kernels.devices import is_first_rank

    settings = EncoderSettings(
        dim=dim,
        layers=layers,
        vocabulary=vocabulary,
        passage=passage,
        epochs=epochs,
        minutes=minutes,
        batch_tokens=batch_tokens,
        random_state=seed,
    )
    train_encoder(
        Corpus.open(corpus), output, settings, device=device, workers=workers, overwrite=overwrite
    )
    if not is_first_rank():
        return  # one of the processes of torchrun tells
    manifest = read_manifest(output)
    told = ("n_words", "tokens_seen", "seconds", "tokens_per_second", "loss", "held_out_loss")
    fields = {name: manifest[name] for name in (*told, "frequency_loss")}
    used, held_out = manifest["training"], fields["held_out_loss"]
    losses = f"{held_out} nats a word, that of word frequencies {fields['frequency_loss']}"
    print_summary(
        {"encoder": str(output), "dim": used["dim"], "layers": used["layers"], **fields},
        f"an encoder of [bold]{fields['n_words']:,}[/] words, {used['dim']} dimensions and "
        f"{used['layers']} layers in {fields['seconds']:.0f} s "
        f"({fields['tokens_per_second']:,} tokens/s)\n"
        + ("" if held_out is None else f"loss on held-out documents: {losses}\n")
        + f"next: [bold]grassmeans induce {corpus} {output} -o model[/]",
        as_json,
    )
