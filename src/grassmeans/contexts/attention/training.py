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
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts.checking import MANIFEST
from grassmeans.artifacts.writing import read_manifest, write_manifest
from grassmeans.contexts import TRANSFORMER, VECTORS_FOLDER, describe_encoder, read_encoder
from grassmeans.contexts.attention.encoder import NetworkEncoder
from grassmeans.contexts.attention.levelling import level_encoder
from grassmeans.contexts.attention.mixing import (
    MixedReader,
    Reader,
    TrainingText,
    mix_corpora,
    normalise_shares,
)
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
from grassmeans.outputs.places import Building, output_folder
from grassmeans.vectors.training import MOST_EPOCHS, SEEDS, check_integers

if TYPE_CHECKING:
    from grassmeans.contexts.attention.network import LeaveOneOutNetwork
    from grassmeans.contexts.attention.optimising import Trainer
    from grassmeans.contexts.attention.ranks import Ranks
    from grassmeans.contexts.teaching.teacher import Teacher

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
_CHECKPOINT, _STUDENT_CHECKPOINT = "checkpoint.safetensors", "student.safetensors"
_BASE, _LESSONS = "base", "lessons"
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
    corpus: Corpus | Sequence[Corpus],
    output: str | Path,
    settings: EncoderSettings | None = None,
    *,
    shares: Sequence[float] | None = None,
    teacher: Teacher | str | Path | None = None,
    base: str | Path | None = None,
    device: str | None = None,
    workers: int | None = None,
    overwrite: bool = False,
    show_progress: bool | None = None,
    tell: Callable[[str], None] | None = None,
) -> ContextEncoder:
    """Train an encoder into a folder, with checkpoints.

    Where ``torchrun`` has started several processes, they train it together (`ranks`).

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
    n_tokens = sum(one.n_tokens for one in corpora)
    chosen = (settings or EncoderSettings()).complete(n_tokens, device)
    lessons = None if teacher is None else choose_teacher(teacher)
    if lessons is None and base is not None:
        raise InputError("an encoder to start from (base=...) is for a training with a teacher")
    about = [{name: one.manifest.get(name) for name in _CORPUS_FIELDS} for one in corpora]
    training = asdict(chosen) | {"device": device}
    if len(corpora) > 1:
        sizes = np.array([one.n_tokens for one in corpora], np.float64)
        training["shares"] = normalise_shares(shares, sizes).tolist()
    identity: list[Any] = [training, about[0] if len(about) == 1 else about]
    if lessons is not None:
        started_from = None if base is None else read_manifest(Path(base), KIND)
        identity += [lessons.describe(), lessons.disk, started_from]
    plan = _Plan(corpora, shares, chosen, device, workers, show_progress, started, about, training)
    from grassmeans.contexts.attention.ranks import count_ranks, join_ranks

    if lessons is not None and count_ranks() > 1:
        raise InputError("a teacher is heard by one process: start the command without torchrun")
    with join_ranks(device) as ranks:
        if ranks is None or ranks.is_first:
            inputs = [*(one.path for one in corpora), base]
            # Where a teacher cannot be heard, what was trained before that is not lost.
            kept = lessons is not None
            with output_folder(
                output, KIND, identity, inputs=inputs, overwrite=overwrite, keep_failed=kept
            ) as building:
                checkpoint = building.scratch / _CHECKPOINT
                if ranks is not None:
                    ranks.tell(str(checkpoint))
                with _use_threads(workers), explain_memory_errors():
                    if lessons is None:
                        _train(plan, building.folder, checkpoint, ranks)
                    else:
                        _teach(plan, lessons, base, building, tell)
        else:
            with _use_threads(workers), explain_memory_errors():
                _run(plan, _mix(plan), Path(ranks.tell()), ranks)
        if ranks is not None:
            ranks.tell("the folder is there")
    encoder = read_encoder(Path(output), read_manifest(Path(output), KIND, FORMAT_VERSION))
    if encoder.remark and (ranks is None or ranks.is_first):
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
class _Plan:
    """What a training is told at the door."""

    corpora: Sequence[Corpus]
    shares: Sequence[float] | None
    settings: EncoderSettings
    device: str
    workers: int | None
    show_progress: bool | None
    started: float
    about: Sequence[Mapping[str, Any]]
    training: Mapping[str, Any]

    @property
    def fields(self) -> dict[str, Any]:
        """What the manifest of any encoder tells of it."""
        first = self.corpora[0]
        several = {} if len(self.about) == 1 else {"corpora": list(self.about)}
        return {
            "tokenizer": first.tokenizer.to_dict(),
            "language": first.manifest["options"]["language"],
            "training": dict(self.training),
            "corpus": dict(self.about[0]),
            **several,
        }


@contextlib.contextmanager
def _use_threads(workers: int | None) -> Iterator[None]:
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(before if workers is None else effective_workers(workers))
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _mix(plan: _Plan, words: Sequence[str] | None = None) -> TrainingText:
    assert plan.settings.vocabulary is not None
    return mix_corpora(plan.corpora, plan.shares, plan.settings.vocabulary, MIN_COUNT, words)


def _train(plan: _Plan, folder: Path, checkpoint: Path, ranks: Ranks | None = None) -> None:
    """Train a leave-one-out encoder into a folder."""
    text = _mix(plan)
    network, report = _run(plan, text, checkpoint, ranks)
    _write(folder, network, text, plan.fields | report, plan.device, plan.settings.random_state)


def _teach(
    plan: _Plan,
    teacher: Teacher,
    base: str | Path | None,
    building: Building,
    tell: Callable[[str], None] | None,
) -> None:
    """Train a student into a folder, and what it learns from before that."""
    from grassmeans.contexts.teaching.finishing import finish_student, prepare_student
    from grassmeans.contexts.teaching.teacher import Listener

    first = building.scratch / _BASE if base is None else Path(base)
    known = None if base is None else _read_base(plan, first)
    text = _mix(plan, None if known is None else known.vectors.words)
    folder = building.scratch / _LESSONS if teacher.cache is None else Path(teacher.cache)
    show, seed = plan.show_progress, plan.settings.random_state
    lessons = Listener(
        teacher, text, plan.settings.passage, folder, plan.device, plan.workers, show
    )
    lessons.prepare(tell)
    if base is None and not (first / MANIFEST).exists():
        first.mkdir(exist_ok=True)
        _train(plan, first, building.scratch / _CHECKPOINT)  # the manifest comes last
    found = known or _read_base(plan, first)
    readers = lessons.listen()
    reader = readers[0] if len(readers) == 1 else MixedReader(readers, text.shares)
    length = plan_course(plan.settings, reader.n_passages, time.perf_counter())
    trainer = prepare_student(text, found, lessons, plan.settings, plan.device, length.is_long)
    report = run_course(trainer, reader, length, building.scratch / _STUDENT_CHECKPOINT, None, show)
    encoder = finish_student(trainer, text, found, teacher, report, seed)
    held_out = reader.held_out()
    report["voices"] = None
    if len(held_out):
        report["voices"] = trainer.measure_voices(held_out, length.batch_passages)
    fields = plan.fields | report | {"teacher": teacher.describe()}
    _write_encoder(building.folder, encoder, fields)


def _read_base(plan: _Plan, folder: Path) -> LearnedEncoder:
    """The encoder whose lines a student learns; refuses what cannot be one."""
    found = read_encoder(folder, read_manifest(folder, KIND, FORMAT_VERSION))
    if not isinstance(found, LearnedEncoder):
        raise InputError(f"{folder} is no encoder that was trained without a teacher: give another")
    if (longest := found.weights.shape.passage) < plan.settings.passage:
        raise InputError(
            f"{folder} reads {longest} tokens at once, fewer than {plan.settings.passage}: take "
            f"passage={longest}, or another encoder to start from"
        )
    return found


def _run(
    plan: _Plan, text: TrainingText, checkpoint: Path, ranks: Ranks | None = None
) -> tuple[LeaveOneOutNetwork, dict[str, Any]]:
    """The trained network, and what there is to tell of its training."""
    import torch

    from grassmeans.contexts.attention.network import LeaveOneOutNetwork
    from grassmeans.contexts.attention.optimising import Shortcuts, Trainer

    settings, seed, passage = plan.settings, plan.settings.random_state, plan.settings.passage
    assert settings.dim is not None
    assert settings.layers is not None
    shape = NetworkShape(len(text.words), settings.dim, settings.layers, HEAD_DIM, passage=passage)
    on_gpu = plan.device == "cuda"
    dtype = torch.bfloat16 if on_gpu else torch.float32
    network = LeaveOneOutNetwork(shape, seed, dtype).to(plan.device)
    shortcuts = None
    if not on_gpu:
        shortcuts = Shortcuts.from_counts(text.counts, N_DRAWN, TARGET_SHARE)
    readers = [
        PassageReader(corpus.shards, numbers, passage, seed)
        for corpus, numbers in zip(text.corpora, text.numbers, strict=True)
    ]
    reader = readers[0] if len(readers) == 1 else MixedReader(readers, text.shares)
    length = plan_course(settings, reader.n_passages, plan.started)
    if ranks is not None:
        ranks.check(length.batch_passages)
    trainer = Trainer(network, seed, shortcuts, compiled=on_gpu and length.is_long, ranks=ranks)
    return network, run_course(
        trainer, reader, length, checkpoint, text.counts, plan.show_progress, ranks
    )


class CourseLength(NamedTuple):
    """How long a training is, and in which steps.

    Attributes
    ----------
    batch_passages : int
        Passages of a step.
    ending : mapping
        When it ends: after steps, or after seconds.
    is_long : bool
        Whether compiling the network is worth the time.
    """

    batch_passages: int
    ending: Mapping[str, Any]
    is_long: bool


def plan_course(settings: EncoderSettings, n_passages: int, started: float) -> CourseLength:
    """The length of a training on so many passages, by epochs or by the clock."""
    assert settings.batch_tokens is not None
    batch_passages = settings.batch_tokens // settings.passage
    if settings.epochs is not None:
        n_steps = max(1, round(settings.epochs * n_passages / batch_passages))
        is_long = n_steps * batch_passages * settings.passage >= _WORTH_COMPILING
        return CourseLength(batch_passages, {"n_steps": n_steps}, is_long)
    assert settings.minutes is not None
    seconds = 60 * settings.minutes
    seconds -= min(_WRITING_SHARE * seconds, _MOST_WRITING_SECONDS)
    is_long = settings.minutes >= _MINUTES_WORTH_COMPILING
    return CourseLength(batch_passages, {"seconds": seconds, "started": started}, is_long)


def run_course(
    trainer: Trainer,
    reader: Reader,
    length: CourseLength,
    checkpoint: Path,
    counts: NDArray[np.int64] | None,
    show_progress: bool | None,
    ranks: Ranks | None = None,
) -> dict[str, Any]:
    """Train to the end; what there is to tell of it."""
    import torch

    from grassmeans.contexts.attention.course import Course

    course = Course(
        trainer, reader, length.batch_passages, counts=counts, ranks=ranks, **length.ending
    )
    try:
        return course.run(checkpoint, show_progress)
    except torch.cuda.OutOfMemoryError as error:
        raise InputError(
            "the memory of the GPU is too small for this: take fewer tokens a step "
            f"(batch_tokens=..., now {length.batch_passages * reader.passage}) or smaller vectors "
            "(dim=...)"
        ) from error


def _write(
    folder: Path,
    network: LeaveOneOutNetwork,
    text: TrainingText,
    fields: Mapping[str, Any],
    device: str,
    seed: int,
) -> None:
    from grassmeans.contexts.attention.network import export_network

    weights, vectors = export_network(network, text.words, text.counts)
    losses = fields["held_out_loss"], fields["frequency_loss"]
    record = TrainingRecord(fields["tokens_seen"], text.n_tokens, *losses)
    weights = replace(weights, training=record)
    encoder = LearnedEncoder(vectors, ContextShape(rank=1), text.function_words, weights)
    encoder.use_device(device)
    _write_encoder(folder, level_encoder(encoder, text.corpora, text.shares, seed), fields)


def _write_encoder(folder: Path, encoder: NetworkEncoder, fields: Mapping[str, Any]) -> None:
    encoder.vectors.save(folder / VECTORS_FOLDER, bits=_BITS, overwrite=True)
    encoder.save(folder)
    write_function_words(folder, encoder.function_words)
    about = {"n_words": len(encoder.vectors), **describe_encoder(encoder)}
    write_manifest(folder, KIND, FORMAT_VERSION, about | dict(fields))
