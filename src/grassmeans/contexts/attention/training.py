"""Train an encoder on a corpus: `train_encoder`, which needs PyTorch (the extra ``encoder``).

The same seed gives the same encoder on a CPU, also after an interruption.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from grassmeans.artifacts.schema import check_fields, optional, whole
from grassmeans.artifacts.writing import read_manifest, write_manifest
from grassmeans.contexts import TRANSFORMER, VECTORS_FOLDER, describe_encoder, read_encoder
from grassmeans.contexts.attention.encoder import NetworkEncoder
from grassmeans.contexts.attention.levelling import level_encoder
from grassmeans.contexts.attention.reading import (
    MixedReader,
    PassageReader,
    TrainingText,
    mix_corpora,
    normalise_shares,
)
from grassmeans.contexts.attention.stored import (
    LARGEST_DIM,
    MOST_LAYERS,
    MOST_WORDS,
    PASSAGES,
    AttentionShape,
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
from grassmeans.kernels.devices import DEVICES, check_device, explain_memory_errors, load_torch
from grassmeans.outputs.places import output_folder
from grassmeans.vectors.training import MOST_EPOCHS, SEED

if TYPE_CHECKING:
    from grassmeans.contexts.attention.network import LeaveOneOutNetwork
    from grassmeans.contexts.attention.optimising import Ranks
    from grassmeans.contexts.taught import TaughtEncoder
    from grassmeans.contexts.teaching.teacher import Teacher

Shape = TypeVar("Shape", bound=AttentionShape)

KIND = "encoder"
FORMAT_VERSION = 1
MIN_COUNT = 5
"""Rarer words are unknown, however large the vocabulary may be: little is to be learned of them."""

HEAD_DIM = 64
N_DRAWN, TARGET_SHARE = 512, 0.5
"""On a CPU: words that a place chooses from, and share of the places that are predicted."""

CHECKPOINT = "checkpoint.safetensors"
_BITS = 8
_CORPUS_FIELDS = ("n_tokens", "n_documents", "created", "digest")


# For corpora below so many tokens: dim, layers, epochs.
_SIZES = {
    "cpu": (
        (2_000_000, 128, 2, 6),
        (10_000_000, 192, 3, 4),
        (30_000_000, 192, 3, 2),
        (math.inf, 256, 4, 1),
    ),
    "cuda": (
        (2_000_000, 128, 2, 6),
        (10_000_000, 192, 3, 5),
        (30_000_000, 256, 4, 5),
        (math.inf, 384, 6, 5),
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
        rules = {name: optional(whole(*bounds)) for name, bounds in _BOUNDS.items()}
        check_fields(self, passage=whole(*PASSAGES), random_state=SEED, **rules)
        if self.dim is not None and self.dim % HEAD_DIM:
            raise InputError(f"dim must be a multiple of {HEAD_DIM}, got {self.dim}")
        if self.epochs is not None and self.minutes is not None:
            raise InputError("give either epochs or minutes: the training ends after one of them")
        for name, largest in (("epochs", MOST_EPOCHS), ("minutes", _MOST_MINUTES)):
            value = getattr(self, name)
            if value is not None and not 0 < value <= largest:
                raise InputError(f"{name} must be positive, up to {largest:,}, got {value}")
        if self.batch_tokens is not None and self.batch_tokens < self.passage:
            least = f"a passage of {self.passage} tokens or more"
            raise InputError(f"batch_tokens must hold {least}, got {self.batch_tokens}")

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
    dim, layers, epochs = next(sizes for below, *sizes in _SIZES[device] if n_tokens < below)
    return {
        "dim": dim,
        "layers": layers,
        "epochs": min(epochs, _MOST_TOKENS[device] / max(n_tokens, 1)),
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
    corpus: Corpus | Sequence[Corpus],
    output: str | Path,
    settings: EncoderSettings | None = None,
    *,
    shares: Sequence[float] | None = None,
    teacher: Teacher | str | Path | None = None,
    base: str | Path | None = None,
    start: str | Path | None = None,
    device: str | None = None,
    workers: int | None = None,
    overwrite: bool = False,
    show_progress: bool | None = None,
    tell: Callable[[str], None] | None = None,
) -> ContextEncoder:
    """Train an encoder into a folder, with checkpoints.

    Where ``torchrun`` has started several processes, they train it together.

    Parameters
    ----------
    corpus : Corpus or sequence of Corpus
    output : path
        A folder that does not exist yet, an unfinished one of the same training, which is then
        continued, or a finished one where ``overwrite`` is set.
    settings : EncoderSettings, optional
    shares : sequence of float, optional
        Of each corpus in what is read, in any unit; by default as large as they are.
    teacher : Teacher, str or Path, optional
        A transformer, ``transformer:NAME`` or its folder, from which a network learns that also
        looks at the word itself (`grassmeans.contexts.taught`). It is needed for the training only.
    base : path, optional
        With a teacher: an encoder without one, whose lines are learned as well; by default one is
        trained first.
    start : path, optional
        With a teacher: an encoder that was trained with one, or a model that has such a one, to go
        on from, on this text; the new one has its sizes.
    device : {"cpu", "cuda"}, optional
        By default a GPU where there is one.
    workers : int, optional
        Threads on a CPU; as many as PyTorch takes by default. Numbers are added up in another
        order with another number of them.
    tell : callable, optional
        Told what a teacher's reading will take, before it goes on.

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
    corpora = [corpus] if isinstance(corpus, Corpus) else list(corpus)
    if not corpora:
        raise InputError("there must be a corpus to train on; got none")
    lessons = None if teacher is None else choose_teacher(teacher)
    for name, given in {"base": base, "start": start}.items():
        if lessons is None and given is not None:
            raise InputError(f"an encoder to start from ({name}=...) is for one with a teacher")
    chosen = settings or EncoderSettings()
    before: TaughtEncoder | None = None
    if start is not None:
        from grassmeans.contexts.teaching.starting import read_start, take_sizes

        before = read_start(start)
        chosen = take_sizes(before, chosen)
    chosen = chosen.complete(sum(c.n_tokens for c in corpora), device)
    plan = TrainingPlan(corpora, shares, chosen, device, workers, show_progress, started)
    fields = plan.describe()
    identity = [fields["training"], fields.get("corpora", fields["corpus"])]
    if lessons is not None:
        started_from = None if base is None else read_manifest(Path(base), KIND)
        identity += [lessons.describe(), lessons.disk, started_from]
        identity += [] if before is None else [before.identity()]
    from grassmeans.contexts.attention.optimising import count_ranks, join_ranks

    if lessons is not None and count_ranks() > 1:
        raise InputError("a teacher is heard by one process: start the command without torchrun")
    with join_ranks(device) as ranks:
        if ranks.is_first:
            inputs = [*(one.path for one in corpora), base, start]
            # Where a teacher cannot be heard, what was trained before that is not lost.
            kept = lessons is not None
            with output_folder(
                output, KIND, identity, inputs=inputs, overwrite=overwrite, keep_failed=kept
            ) as building:
                checkpoint = building.scratch / CHECKPOINT
                ranks.tell(str(checkpoint))
                with _use_threads(workers), explain_memory_errors():
                    if lessons is None:
                        train_alone(plan, building.folder, checkpoint, ranks)
                    else:
                        from grassmeans.contexts.teaching.finishing import teach

                        teach(plan, lessons, base, before, building, tell)
        else:
            with _use_threads(workers), explain_memory_errors():
                _run(plan, plan.mix(), Path(ranks.tell()), ranks)
        ranks.tell("the folder is there")
    encoder = read_encoder(Path(output), read_manifest(Path(output), KIND, FORMAT_VERSION))
    if encoder.remark and ranks.is_first:
        warn_user(encoder.remark)
    return encoder


def choose_teacher(teacher: Teacher | str | Path) -> Teacher:
    """A teacher by its name, or one that is given."""
    load_torch("training an encoder", "encoder")
    from grassmeans.contexts.teaching.teacher import Teacher

    if isinstance(teacher, str | Path):
        teacher = Teacher(str(teacher).removeprefix(TRANSFORMER))
    _ = teacher.head.config  # a folder that is no transformer is refused before anything is done
    return teacher


@dataclass(frozen=True)
class TrainingPlan:
    """What a training is told at the door."""

    corpora: Sequence[Corpus]
    shares: Sequence[float] | None
    settings: EncoderSettings
    device: str
    workers: int | None
    show_progress: bool | None
    started: float | None

    def describe(self) -> dict[str, Any]:
        """What the manifest of any encoder tells of it."""
        first = self.corpora[0]
        about = [{name: c.manifest.get(name) for name in _CORPUS_FIELDS} for c in self.corpora]
        training = asdict(self.settings) | {"device": self.device}
        several: dict[str, Any] = {}
        if len(self.corpora) > 1:
            sizes = np.array([corpus.n_tokens for corpus in self.corpora], np.float64)
            training["shares"] = normalise_shares(self.shares, sizes).tolist()
            several = {"corpora": about}
        return {
            "tokenizer": first.tokenizer.to_dict(),
            "language": first.manifest["options"]["language"],
            "training": training,
            "corpus": about[0],
            **several,
        }

    def mix(self, words: Sequence[str] | None = None) -> TrainingText:
        """The text of all corpora; with the words that it knows, where they are given."""
        assert self.settings.vocabulary is not None
        return mix_corpora(self.corpora, self.shares, self.settings.vocabulary, MIN_COUNT, words)


@contextlib.contextmanager
def _use_threads(workers: int | None) -> Iterator[None]:
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(before if workers is None else effective_workers(workers))
    try:
        yield
    finally:
        torch.set_num_threads(before)


def shape_network(
    kind: Callable[..., Shape], n_words: int, settings: EncoderSettings, **more: int
) -> Shape:
    """The shape of a network that knows so many words, as the settings ask for it."""
    sizes = (settings.dim, settings.layers, HEAD_DIM)
    return kind(n_words, *sizes, passage=settings.passage, **more)


def train_alone(
    plan: TrainingPlan, folder: Path, checkpoint: Path, ranks: Ranks | None = None
) -> None:
    """Train a leave-one-out encoder, without a teacher, into a folder."""
    from grassmeans.contexts.attention.network import export_network

    text = plan.mix()
    network, report = _run(plan, text, checkpoint, ranks)
    weights, vectors = export_network(network, text.words, text.counts)
    losses = report["held_out_loss"], report["frequency_loss"]
    record = TrainingRecord(report["tokens_seen"], text.n_tokens, *losses)
    weights = replace(weights, training=record)
    encoder = LearnedEncoder(vectors, ContextShape(rank=1), text.function_words, weights)
    encoder.use_device(plan.device)
    seed = plan.settings.random_state
    levelled = level_encoder(encoder, text.corpora, text.shares, seed)
    write_encoder(folder, levelled, plan.describe() | report)


def _run(
    plan: TrainingPlan, text: TrainingText, checkpoint: Path, ranks: Ranks | None
) -> tuple[LeaveOneOutNetwork, dict[str, Any]]:
    """The trained network, and what there is to tell of its training."""
    from grassmeans.contexts.attention.course import Course, CourseLength
    from grassmeans.contexts.attention.network import LeaveOneOutNetwork, choose_dtype
    from grassmeans.contexts.attention.optimising import ALONE, Shortcuts, Trainer

    settings, seed, ranks = plan.settings, plan.settings.random_state, ranks or ALONE
    shape = shape_network(NetworkShape, len(text.words), settings)
    network = LeaveOneOutNetwork(shape, seed, plan.device, choose_dtype(plan.device))
    on_gpu = plan.device == "cuda"
    shortcuts = None if on_gpu else Shortcuts.from_counts(text.counts, N_DRAWN, TARGET_SHARE)
    readers = [
        PassageReader(corpus.shards, numbers, settings.passage, seed)
        for corpus, numbers in zip(text.corpora, text.numbers, strict=True)
    ]
    reader = MixedReader(readers, text.shares)
    length = CourseLength.plan(settings, reader.n_passages, plan.started)
    ranks.check(length.batch_passages)
    trainer = Trainer(network, seed, shortcuts, compiled=on_gpu and length.is_long, ranks=ranks)
    return network, Course(trainer, reader, length, text.counts).run(checkpoint, plan.show_progress)


def write_encoder(folder: Path, encoder: NetworkEncoder, fields: Mapping[str, Any]) -> None:
    """Write an encoder's folder; the manifest comes last."""
    encoder.vectors.save(folder / VECTORS_FOLDER, bits=_BITS, overwrite=True)
    encoder.save(folder)
    write_function_words(folder, encoder.function_words)
    about = {"n_words": len(encoder.vectors), **describe_encoder(encoder)}
    write_manifest(folder, KIND, FORMAT_VERSION, about | dict(fields))
