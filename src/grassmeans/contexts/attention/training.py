"""Train an encoder on a corpus: `train_encoder`, which needs PyTorch (the extra ``encoder``).

The same seed gives the same encoder on a CPU, also after an interruption.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from grassmeans.artifacts.writing import read_manifest, write_manifest
from grassmeans.contexts import VECTORS_FOLDER, describe_encoder, read_encoder
from grassmeans.contexts.attention.levelling import level_encoder
from grassmeans.contexts.attention.reading import PassageReader
from grassmeans.contexts.attention.stored import (
    LARGEST_DIM,
    MOST_LAYERS,
    MOST_WORDS,
    PASSAGES,
    NetworkShape,
    TrainingRecord,
)
from grassmeans.contexts.interface import ContextEncoder
from grassmeans.contexts.learned import LearnedEncoder
from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.vocabulary import write_function_words
from grassmeans.engines.parallel import effective_workers
from grassmeans.errors import InputError, warn_user
from grassmeans.geometry.windows import ContextShape
from grassmeans.kernels.devices import (
    DEVICES,
    check_device,
    explain_memory_errors,
    load_torch,
)
from grassmeans.outputs.places import output_folder
from grassmeans.vectors.training import MOST_EPOCHS, SEEDS, check_integers

if TYPE_CHECKING:
    from grassmeans.contexts.attention.network import LeaveOneOutNetwork
    from grassmeans.contexts.attention.ranks import Ranks

KIND = "encoder"
FORMAT_VERSION = 1
MIN_COUNT = 5
"""Rarer words are unknown, however large the vocabulary may be: little is to be learned of them."""

HEAD_DIM = 64
N_DRAWN, TARGET_SHARE = 512, 0.5
"""On a CPU: words that a place chooses from, and share of the places that are predicted."""

_WORTH_COMPILING = 100_000_000
"""Tokens from which on compiling gains more than the half minute that it takes."""

_MINUTES_WORTH_COMPILING = 2
_BITS = 8
_CHECKPOINT = "checkpoint.safetensors"
_WRITING_SHARE, _MOST_WRITING_SECONDS = 0.1, 60.0
"""Of the time given: what is kept for the end, when lines are levelled and all is written."""

_CORPUS_FIELDS = ("n_tokens", "n_documents", "created", "digest")


class _Size(NamedTuple):
    """For corpora below so many tokens."""

    below: float
    dim: int
    layers: int
    epochs: float


_SIZES = {
    "cpu": (
        _Size(2_000_000, 128, 2, 6),
        _Size(10_000_000, 192, 3, 4),
        _Size(30_000_000, 192, 3, 2),
        _Size(math.inf, 256, 4, 1),
    ),
    "cuda": (
        _Size(2_000_000, 128, 2, 6),
        _Size(10_000_000, 192, 3, 5),
        _Size(30_000_000, 256, 4, 5),
        _Size(math.inf, 384, 6, 5),
    ),
}
_MOST_TOKENS = {"cpu": 60_000_000, "cuda": 1_000_000_000}
_VOCABULARY = {"cpu": 20_000, "cuda": 40_000}
_BATCH_TOKENS = {"cpu": 4_096, "cuda": 32_768}
_FEWEST_BATCH_TOKENS = 1_024
_MOST_MINUTES = 1_000_000
_BOUNDS = {
    "dim": (1, LARGEST_DIM),
    "layers": (1, MOST_LAYERS),
    "vocabulary": (1, MOST_WORDS),
    "batch_tokens": (1, 2**24),
}


@dataclass(frozen=True, slots=True)
class EncoderSettings:
    """How an encoder is trained; what is None depends on the corpus and the device.

    Parameters
    ----------
    dim : int, optional
        Length of the vectors and width of every layer; a multiple of 64.
    layers : int, optional
    vocabulary : int, optional
        Words that are known: the most frequent ones, at least five occurrences each.
    passage : int
        Tokens that a place looks at, itself included.
    epochs : float, optional
        Passes over the corpus.
    minutes : float, optional
        Take so long instead, by the clock: for reading, training, measuring and writing, in all
        visits where it was interrupted. What comes out then depends on the machine.
    batch_tokens : int, optional
        Tokens of a step.
    random_state : int
    """

    dim: int | None = None
    layers: int | None = None
    vocabulary: int | None = None
    passage: int = 128
    epochs: float | None = None
    minutes: float | None = None
    batch_tokens: int | None = None
    random_state: int = 0

    def __post_init__(self) -> None:
        given = {name: b for name, b in _BOUNDS.items() if getattr(self, name) is not None}
        check_integers(self, passage=PASSAGES, random_state=SEEDS, **given)
        if self.dim is not None and self.dim % HEAD_DIM:
            raise InputError(f"dim must be a multiple of {HEAD_DIM}, got {self.dim}")
        if self.epochs is not None and self.minutes is not None:
            raise InputError("give either epochs or minutes: the training ends after one of them")
        for name, largest in (("epochs", MOST_EPOCHS), ("minutes", _MOST_MINUTES)):
            value = getattr(self, name)
            if value is not None and not 0 < value <= largest:
                raise InputError(f"{name} must be positive, up to {largest:,}, got {value}")
        if self.batch_tokens is not None and self.batch_tokens < self.passage:
            raise InputError(
                f"batch_tokens must hold a passage of {self.passage} tokens or more, "
                f"got {self.batch_tokens}"
            )

    def complete(self, n_tokens: int, device: str) -> EncoderSettings:
        """With a value for everything, as fits a corpus of so many tokens and the device."""
        defaults = choose_size(n_tokens, device)
        defaults["batch_tokens"] = max(defaults["batch_tokens"], self.passage)
        if self.minutes is not None:
            del defaults["epochs"]
        missing = {n: value for n, value in defaults.items() if getattr(self, n) is None}
        return replace(self, **missing)


def choose_size(n_tokens: int, device: str) -> dict[str, Any]:
    """Sizes for a corpus of so many tokens: what a laptop trains in half an hour, or a GPU."""
    sizes = _SIZES[device]
    size = next(size for size in sizes if n_tokens < size.below)
    return {
        "dim": size.dim,
        "layers": size.layers,
        "epochs": min(size.epochs, _MOST_TOKENS[device] / max(n_tokens, 1)),
        "vocabulary": _VOCABULARY[device],
        # A small corpus has some hundred steps an epoch nevertheless.
        "batch_tokens": min(_BATCH_TOKENS[device], max(_FEWEST_BATCH_TOKENS, n_tokens // 200)),
    }


def choose_device(device: str | None = None) -> str:
    """A device that is there: a GPU where none is asked for and there is one."""
    torch = load_torch("training an encoder", "encoder")
    if device is not None:
        check_device(device, known=DEVICES)
    return device or ("cuda" if torch.cuda.is_available() else "cpu")


def train_encoder(
    corpus: Corpus,
    output: str | Path,
    settings: EncoderSettings | None = None,
    *,
    device: str | None = None,
    workers: int | None = None,
    overwrite: bool = False,
    show_progress: bool | None = None,
) -> ContextEncoder:
    """Train an encoder into a folder, with checkpoints.

    Where ``torchrun`` has started several processes, they train it together (`ranks`).

    Parameters
    ----------
    output : path
        A folder that does not exist yet, an unfinished one of the same training, which is then
        continued, or a finished one where ``overwrite`` is set.
    settings : EncoderSettings, optional
    device : {"cpu", "cuda"}, optional
        By default a GPU where there is one.
    workers : int, optional
        Threads on a CPU; as many as PyTorch takes by default. Numbers are added up in another
        order with another number of them.

    Returns
    -------
    ContextEncoder
        Read from the folder, whose manifest holds the settings, the corpus, the losses (in nats a
        word, also on held-out documents, and that of word frequencies there), the tokens seen and
        the speed. Where it was trained too little (`TrainingRecord`), a
        `grassmeans.errors.GrassmeansWarning`, here and wherever the encoder is used.

    Raises
    ------
    MissingExtraError
        Where PyTorch is not installed.
    InputError
        Where there is no such device, or the corpus has no words that are frequent enough.
    """
    started = time.perf_counter()
    device = choose_device(device)
    chosen = (settings or EncoderSettings()).complete(corpus.n_tokens, device)
    about_corpus = {name: corpus.manifest.get(name) for name in _CORPUS_FIELDS}
    training = asdict(chosen) | {"device": device}
    identity = [training, about_corpus]
    from grassmeans.contexts.attention.ranks import join_ranks

    with join_ranks(device) as ranks:
        if ranks is None or ranks.is_first:
            with output_folder(
                output, KIND, identity, inputs=[corpus.path], overwrite=overwrite
            ) as building:
                checkpoint = building.scratch / _CHECKPOINT
                if ranks is not None:
                    ranks.tell(str(checkpoint))
                with _use_threads(workers), explain_memory_errors():
                    network, report = _run(
                        corpus, chosen, device, checkpoint, started, show_progress, ranks
                    )
                fields = {
                    "tokenizer": corpus.tokenizer.to_dict(),
                    "language": corpus.manifest["options"]["language"],
                    "training": training,
                    "corpus": about_corpus,
                    **report,
                }
                _write(building.folder, network, corpus, fields, device, chosen.random_state)
        else:
            with _use_threads(workers), explain_memory_errors():
                _run(corpus, chosen, device, Path(ranks.tell()), started, False, ranks)
        if ranks is not None:
            ranks.tell("the folder is there")
    encoder = read_encoder(Path(output), read_manifest(Path(output), KIND, FORMAT_VERSION))
    if encoder.remark and (ranks is None or ranks.is_first):
        warn_user(encoder.remark)
    return encoder


@contextlib.contextmanager
def _use_threads(workers: int | None) -> Iterator[None]:
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(before if workers is None else effective_workers(workers))
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _run(
    corpus: Corpus,
    settings: EncoderSettings,
    device: str,
    checkpoint: Path,
    started: float,
    show_progress: bool | None,
    ranks: Ranks | None = None,
) -> tuple[LeaveOneOutNetwork, dict[str, Any]]:
    """The trained network, and what there is to tell of its training."""
    import torch

    from grassmeans.contexts.attention.course import Course
    from grassmeans.contexts.attention.network import LeaveOneOutNetwork
    from grassmeans.contexts.attention.optimising import Shortcuts, Trainer

    assert settings.dim is not None
    assert settings.layers is not None
    assert settings.batch_tokens is not None
    vocabulary, seed, passage = corpus.vocabulary, settings.random_state, settings.passage
    n_words = len(vocabulary.words[: vocabulary.size_at(MIN_COUNT)][: settings.vocabulary])
    if not n_words:
        raise InputError(f"no word occurs {MIN_COUNT} times or more: give more text")
    shape = NetworkShape(n_words, settings.dim, settings.layers, HEAD_DIM, passage=passage)
    on_gpu = device == "cuda"
    dtype = torch.bfloat16 if on_gpu else torch.float32
    network = LeaveOneOutNetwork(shape, seed, dtype).to(device)
    shortcuts = None
    counts = np.asarray(vocabulary.counts[:n_words], np.int64)
    if not on_gpu:
        shortcuts = Shortcuts.from_counts(counts, N_DRAWN, TARGET_SHARE)
    reader = PassageReader(corpus.shards, n_words, passage, seed)
    batch_passages = settings.batch_tokens // passage
    if ranks is not None:
        ranks.check(batch_passages)
    if settings.epochs is not None:
        n_steps = max(1, round(settings.epochs * reader.n_passages / batch_passages))
        ending: dict[str, Any] = {"n_steps": n_steps}
        is_long = n_steps * batch_passages * passage >= _WORTH_COMPILING
    else:
        assert settings.minutes is not None
        seconds = 60 * settings.minutes
        seconds -= min(_WRITING_SHARE * seconds, _MOST_WRITING_SECONDS)
        ending = {"seconds": seconds, "started": started}
        is_long = settings.minutes >= _MINUTES_WORTH_COMPILING
    trainer = Trainer(network, seed, shortcuts, compiled=on_gpu and is_long, ranks=ranks)
    course = Course(trainer, reader, batch_passages, counts=counts, ranks=ranks, **ending)
    try:
        return network, course.run(checkpoint, show_progress)
    except torch.cuda.OutOfMemoryError as error:
        raise InputError(
            "the memory of the GPU is too small for this: take fewer tokens a step "
            f"(batch_tokens=..., now {settings.batch_tokens}) or smaller vectors (dim=...)"
        ) from error


def _write(
    folder: Path,
    network: LeaveOneOutNetwork,
    corpus: Corpus,
    fields: Mapping[str, Any],
    device: str,
    seed: int,
) -> None:
    from grassmeans.contexts.attention.network import export_network

    n_words = network.shape.n_words
    words = corpus.vocabulary.words[:n_words]
    counts = np.asarray(corpus.vocabulary.counts[:n_words], np.int64)
    weights, vectors = export_network(network, words, counts)
    losses = fields["held_out_loss"], fields["frequency_loss"]
    record = TrainingRecord(fields["tokens_seen"], corpus.n_tokens, *losses)
    weights = replace(weights, training=record)
    encoder = LearnedEncoder(vectors, ContextShape(rank=1), corpus.function_words, weights)
    encoder.use_device(device)
    encoder = level_encoder(encoder, corpus, seed)
    encoder.vectors.save(folder / VECTORS_FOLDER, bits=_BITS, overwrite=True)
    encoder.save(folder)
    write_function_words(folder, corpus.function_words)
    about = {"n_words": n_words, **describe_encoder(encoder)}
    write_manifest(folder, KIND, FORMAT_VERSION, about | dict(fields))
