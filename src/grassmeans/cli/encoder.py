"""`grassmeans encoder`: corpus -> a learned kind of context."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grassmeans.errors import InputError
from grassmeans.terminal import options
from grassmeans.terminal.options import READ
from grassmeans.terminal.output import note, print_summary

if TYPE_CHECKING:
    from grassmeans.contexts.teaching.teacher import Teacher


def encoder(
    corpus: list[options.ReadPath],
    output: options.Output,
    dim: options.Count | None = None,
    layers: options.Count | None = None,
    vocabulary: options.Count | None = None,
    passage: Annotated[int, typer.Option(min=4)] = 128,
    epochs: float | None = None,
    minutes: float | None = None,
    batch_tokens: options.Count | None = None,
    share: list[str] | None = None,
    teacher: Annotated[str | None, READ] = None,
    teacher_layers: str | None = None,
    teacher_cache: options.FilledFolder | None = None,
    teacher_disk: float = 20.0,
    base: options.ReadPath | None = None,
    device: Annotated[str | None, typer.Option(metavar="cpu|cuda")] = None,
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

    With a teacher, a transformer, contexts also look at the word itself: the teacher reads the text
    once, and a network learns from it how a word differs from its usual self. The teacher is needed
    here only. It is trained after an encoder without a teacher, whose lines it learns as well;
    --epochs and --minutes are those of each. Needs pip install 'grassmeans[encoder,transformers]'.

    Several GPUs or machines train it together where PyTorch's torchrun starts the command; a step
    is then shared between them.

    [dim]grassmeans encoder corpus -o encoder[/]

    [dim]grassmeans encoder wikipedia novels -o encoder --share 0.6 0.4 --teacher
    transformer:sentence-transformers/all-mpnet-base-v2[/]

    [dim]torchrun --nproc-per-node 8 --no-python grassmeans encoder corpus -o encoder[/]

    [dim]grassmeans encoder corpus -o encoder --device cuda --dim 384 --layers 6 --minutes 10[/]

    Options
    -------
    corpus: Folder of a corpus (from 'grassmeans ingest'), or several.
    output: Folder of the new encoder.
    dim: Length of the vectors, a multiple of 64.
    layers: Layers of attention.
    vocabulary: Know the so many most frequent words.
    passage: Tokens that a word looks at.
    epochs: Passes over the corpus.
    minutes: Take so long by the clock instead, interrupted visits included.
    batch_tokens: Tokens of a step.
    share: Of each corpus in what is read, where there are several: 0.5 0.3 0.2; as large as
        they are.
    teacher: transformer:NAME or its folder, to learn from it; see below.
    teacher_layers: Layers of the teacher, as 7-9; 7 to 9 of 12.
    teacher_cache: Keep what the teacher says in this folder, for other trainings.
    teacher_disk: Gigabytes for that: of a longer text some passages are read.
    base: With a teacher: take this encoder, trained without one, as the other.
    device: Where to train: on the CPU, or on a GPU (extra gpu); a GPU by default, where there is
        one.
    """
    from grassmeans.artifacts.writing import read_manifest
    from grassmeans.contexts.attention.training import EncoderSettings, train_encoder
    from grassmeans.corpus.corpus import Corpus
    from grassmeans.kernels.devices import is_first_rank

    paths, shares = split_shares(corpus, share)
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
    lessons = choose_teacher(teacher, teacher_layers, teacher_disk, teacher_cache)
    train_encoder(
        [Corpus.open(path) for path in paths],
        output,
        settings,
        shares=shares,
        teacher=lessons,
        base=base,
        device=device,
        workers=workers,
        overwrite=overwrite,
        tell=note,
    )
    if not is_first_rank():
        return  # one of the processes of torchrun tells
    manifest = read_manifest(output)
    told = ("n_words", "tokens_seen", "seconds", "tokens_per_second", "loss", "held_out_loss")
    fields = {name: manifest[name] for name in (*told, "frequency_loss")}
    used, held_out = manifest["training"], fields["held_out_loss"]
    losses = ""
    if teacher is not None and held_out is not None:
        voices = {name: round(value, 4) for name, value in manifest["voices"].items()}
        fields["voices"] = voices
        losses = (
            "\non held-out documents 1 - cosine with the leave-one-out lines "
            f"{voices['line']:.3f}, with the teacher {voices['deviation']:.3f}"
        )
    elif held_out is not None:
        losses = (
            f"\nloss on held-out documents: {held_out} nats a word, that of word frequencies "
            f"{fields['frequency_loss']}"
        )
    print_summary(
        {"encoder": str(output), "dim": used["dim"], "layers": used["layers"], **fields},
        f"an encoder of {fields['n_words']:,} words, {used['dim']} dimensions and "
        f"{used['layers']} layers in {fields['seconds']:.0f} s "
        f"({fields['tokens_per_second']:,} tokens/s){losses}",
        as_json,
        [f"grassmeans induce {paths[0]} {output} -o model"],
    )


def choose_teacher(
    name: str | None, layers: str | None, disk: float, cache: Path | None
) -> Teacher | None:
    """A teacher, where one is named."""
    if name is None:
        return None
    from grassmeans.contexts import TRANSFORMER
    from grassmeans.contexts.teaching.teacher import Teacher

    return Teacher(name.removeprefix(TRANSFORMER), layers, disk, cache)


def split_shares(
    corpora: list[Path], share: list[str] | None
) -> tuple[list[Path], list[float] | None]:
    """Folders, and shares: numbers behind --share that are no folders are shares, too."""
    if share is None:
        return corpora, None
    paths = [path for path in corpora if path.exists() or not _is_number(str(path))]
    numbers = [*share, *(str(path) for path in corpora if path not in paths)]
    parts = [part for number in numbers for part in number.replace(",", " ").split()]
    if not all(map(_is_number, parts)):
        raise InputError(f"shares must be numbers, such as 0.5 0.3 0.2; got {' '.join(parts)}")
    return paths, [float(part) for part in parts]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
