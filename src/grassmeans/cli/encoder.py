"""`grassmeans encoder`: corpus -> a learned kind of context."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from grassmeans.errors import InputError
from grassmeans.terminal import options
from grassmeans.terminal.options import READ, WRITTEN_INTO
from grassmeans.terminal.output import note, print_summary

if TYPE_CHECKING:
    from grassmeans.contexts.attention.training import EncoderSettings
    from grassmeans.contexts.teaching.teacher import Teacher


def _told(help: str, **more: Any) -> Any:
    return typer.Option(help=help, **more)


@dataclass(frozen=True)
class Training:
    """How an encoder is trained: options of all commands that do so."""

    dim: Annotated[
        int | None, _told("Length of the encoder's vectors, a multiple of 64.", min=1)
    ] = None
    layers: Annotated[int | None, _told("Layers of attention.", min=1)] = None
    vocabulary: Annotated[
        int | None, _told("How many words it knows, the most frequent ones.", min=1)
    ] = None
    passage: Annotated[int, _told("Tokens that a word looks at.", min=4)] = 128
    epochs: Annotated[float | None, _told("Passes over the text.")] = None
    minutes: Annotated[
        float | None,
        _told("Take so long by the clock instead; runs that were interrupted count."),
    ] = None
    batch_tokens: Annotated[int | None, _told("Tokens of a step.", min=1)] = None
    share: Annotated[
        list[str] | None,
        _told(
            "With several corpora, the part of each in what is read: 0.5 0.3 0.2; as large as "
            "they are."
        ),
    ] = None
    teacher: Annotated[
        str | None, READ, _told("transformer:NAME or its folder, to learn from it.")
    ] = None
    teacher_layers: Annotated[str | None, _told("Layers of the teacher, as 7-9; 7 to 9 of 12.")] = (
        None
    )
    teacher_cache: Annotated[
        Path | None,
        WRITTEN_INTO,
        _told("Keep what the teacher says in this folder, for other trainings."),
    ] = None
    teacher_disk: Annotated[
        float, _told("Gigabytes for that: of a longer text some passages are read.")
    ] = 20.0
    base: Annotated[
        Path | None,
        READ,
        _told("With a teacher: take this encoder, trained without one, as the other."),
    ] = None
    start: Annotated[
        Path | None,
        READ,
        _told("With a teacher: go on from this encoder or model, which was trained with one."),
    ] = None

    def settings(self, seed: int) -> EncoderSettings:
        """The sizes and lengths."""
        from grassmeans.contexts.attention.training import EncoderSettings

        names = ("dim", "layers", "vocabulary", "passage", "epochs", "minutes", "batch_tokens")
        return EncoderSettings(**{n: getattr(self, n) for n in names}, random_state=seed)

    def open_teacher(self) -> Teacher | None:
        """The teacher, where one is named."""
        if self.teacher is None:
            return None
        from grassmeans.contexts import TRANSFORMER
        from grassmeans.contexts.teaching.teacher import Teacher

        name = self.teacher.removeprefix(TRANSFORMER)
        return Teacher(name, self.teacher_layers, self.teacher_disk, self.teacher_cache)

    def find_start(self) -> Path | None:
        """The folder of an encoder or a model to go on from, which may be an installed one."""
        from grassmeans.models.places import resolve_name

        return None if self.start is None else resolve_name(self.start)


def encoder(
    corpus: list[options.ReadPath],
    output: options.Output,
    device: Annotated[str | None, typer.Option(metavar="cpu|cuda")] = None,
    seed: options.Seed = 0,
    workers: options.Workers = None,
    overwrite: options.Overwrite = False,
    as_json: options.Json = False,
    *,
    training: Training,
) -> None:
    """Learn what contexts ask for: predict each word of the corpus from all words around it.

    What is not given is chosen by the size of the corpus and the device: a laptop needs about half
    an hour for some million words, a GPU minutes for a hundred million. Needs PyTorch:
    pip install 'grassmeans[encoder]'. On a CPU the same seed and number of workers give the same
    encoder. Started again after an interruption, it goes on from the last checkpoint.

    With a teacher, a transformer, contexts also look at the word itself: the teacher reads the text
    once, and a network learns from it how a word differs from its usual self. The teacher is needed
    here only. It is trained after an encoder without a teacher, whose lines it learns as well:
    --epochs are those of each, --minutes of both together, and on a GPU the teacher reads
    meanwhile. Needs pip install 'grassmeans[encoder,transformers]'.

    With --start a teacher goes on with an encoder that it, or another one, has taught before: the
    English model on your own text, say.

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
    device: Where to train: on the CPU, or on a GPU (extra gpu); a GPU by default, where there is
        one.
    """
    from grassmeans.artifacts.writing import read_manifest
    from grassmeans.contexts.attention.training import train_encoder
    from grassmeans.corpus.corpus import Corpus
    from grassmeans.kernels.devices import is_first_rank

    paths, shares = split_shares(corpus, training.share)
    train_encoder(
        [Corpus.open(path) for path in paths],
        output,
        training.settings(seed),
        shares=shares,
        teacher=training.open_teacher(),
        base=training.base,
        start=training.find_start(),
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
    if training.teacher is not None and held_out is not None:
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
