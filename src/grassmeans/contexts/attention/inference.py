"""A trained network on a GPU: many passages at once, with PyTorch.

The keys and values of all words stay on the device. What comes in is sorted by length and by the
number of places, so that little is filled up; dense layers see the places one after the other,
attention sees them passage by passage. Layers multiply in half precision, whose numbers are as
exact as those of TF32 and half as long, and add up in single precision: lines differ from those of
the CPU by a thousandth or so.

Several threads may ask at once: while one prepares its passages, or writes what it was answered,
the device works for another.
"""

from __future__ import annotations

import contextlib
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel

from grassmeans.arrays import Floats, Halves, Indices
from grassmeans.contexts.attention.encoder import Passages
from grassmeans.contexts.attention.levelling import TOPIC_WINDOW, Levelling
from grassmeans.contexts.attention.network import find_seen, is_alone, normalise, rotate, send
from grassmeans.contexts.attention.stored import (
    BOUNDARY_ID,
    N_SPECIAL,
    AttentionShape,
    LearnedWeights,
)
from grassmeans.errors import InputError
from grassmeans.geometry.distances import SenseLines

_TOKENS_A_PASS, _PLACES_A_PASS = 1 << 18, 1 << 16
_LENGTH_STEP = 16
_ATTENTION = [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]
"""Not cuDNN's, which plans anew for every shape, and there are many of them."""

_ON_THE_WAY = 2
_LARGEST_INNER = 250.0  # its square is a number of half precision


class Sent(NamedTuple):
    """Passages on a device."""

    ids: Tensor  # (n_passages, length) int32; -1 fills up
    places: Tensor  # (n,) int64 where each place is
    owners: Tensor  # (n,) int64 in which passage
    slots: Tensor  # (n,) its row where all passages have as many places as that with the most,
    widest: int
    is_full: bool  # whether nothing is filled up


class DeviceEncoder(ABC):
    """A network on "cuda", or for tests on "torch-cpu": the same in single precision."""

    def __init__(self, shape: AttentionShape, device: str) -> None:
        self._device = torch.device("cuda" if device == "cuda" else "cpu")
        self._half = torch.float16 if device == "cuda" else torch.float32
        angles = torch.from_numpy(shape.angles(shape.passage + _LENGTH_STEP))
        self._cos, self._sin = angles.cos().to(self._device), angles.sin().to(self._device)
        self._lines: tuple[SenseLines, Tensor, Tensor] | None = None
        # Precision and kinds of attention are settings of the process.
        self._turn = threading.Lock()

    @abstractmethod
    def _predict(self, sent: Sent) -> Tensor:
        """(n, n_axes) unit lines of places, in their order; zeros in a passage of one word."""

    def stream_lines(self, passages: Iterable[Passages]) -> Iterator[tuple[Indices, Floats]]:
        """Which rows, and their unit lines (n, dim), pass by pass."""
        return self._stream(passages, lambda lines, rows: lines)

    def stream_distances(
        self, passages: Iterable[Passages], words: NDArray[np.integer], lines: SenseLines
    ) -> Iterator[tuple[Indices, Floats]]:
        """Which rows, and the distances (n, most senses) of these to the senses of their words.

        As `grassmeans.geometry.distances.measure_senses` gives them; lines stay on the device.
        """
        with self._turn:
            if self._lines is None or self._lines[0] is not lines:
                directions = torch.from_numpy(lines.directions).to(self._device)
                self._lines = lines, directions, torch.from_numpy(lines.offsets).to(self._device)
            _, directions, offsets = self._lines
        numbers, n_senses = np.asarray(words, np.int64), lines.n_senses

        def measure(found: Tensor, rows: Indices) -> Tensor:
            """One product for each sense of each row, however many senses the others have."""
            mine = numbers[rows]
            n_pairs = int(n_senses[mine].sum())
            there = self._send(mine)
            firsts, counts = offsets[there], offsets[there + 1] - offsets[there]
            owners = torch.repeat_interleave(counts, output_size=n_pairs)
            senses = torch.arange(n_pairs, device=found.device)
            senses -= (counts.cumsum(0) - counts)[owners]
            products = (found[owners] * directions[firsts[owners] + senses]).sum(dim=1)
            squares = products.clamp_(min=0.0).double().square()
            measured = (1.0 - squares).clamp_(0.0, 1.0).sqrt_().float()
            distances = found.new_full((len(found), lines.most_senses), torch.nan)
            distances[owners, senses] = measured.masked_fill_(~found.any(dim=1)[owners], torch.nan)
            return distances

        return self._stream(passages, measure)

    def _stream(
        self, passages: Iterable[Passages], finish: Callable[[Tensor, Indices], Tensor]
    ) -> Iterator[tuple[Indices, Floats]]:
        """Answers in the order of the passes; the next ones are prepared while one is computed."""
        on_the_way: deque[Callable[[], tuple[Indices, Floats]]] = deque()
        for group in passages:
            for part in split_passages(group):
                on_the_way.append(self._begin(part, finish))
                if len(on_the_way) > _ON_THE_WAY:
                    yield on_the_way.popleft()()
        while on_the_way:
            yield on_the_way.popleft()()

    def _begin(
        self, passages: Passages, finish: Callable[[Tensor, Indices], Tensor]
    ) -> Callable[[], tuple[Indices, Floats]]:
        """Start a pass; what is given waits for its answer: which rows, and their values."""
        rows = passages.rows
        sent = self._send_passages(passages)
        with self._computing(), torch.inference_mode():
            try:
                found = finish(self._predict(sent), rows)
            except torch.cuda.OutOfMemoryError as error:
                raise InputError(
                    "the memory of the GPU is too small for this encoder, or others use it: take "
                    "--device cpu"
                ) from error
            if self._device.type == "cpu":
                return lambda: (rows, found.numpy())
            # Into pinned memory, and noted when: nothing waits here, and nothing for later passes.
            values = torch.empty(found.shape, dtype=found.dtype, pin_memory=True)
            values.copy_(found, non_blocking=True)
            arrival = torch.cuda.Event()
            arrival.record()

        def wait() -> tuple[Indices, Floats]:
            arrival.synchronize()
            return rows, values.numpy()

        return wait

    @contextlib.contextmanager
    def _computing(self) -> Iterator[None]:
        """One thread at a time; on a GPU single precision is that of TF32."""
        with self._turn, sdpa_kernel(_ATTENTION), single_as_tf32(self._device):
            yield

    def _send(self, array: NDArray[Any]) -> Tensor:
        return send(array, self._device)

    def _send_passages(self, passages: Passages) -> Sent:
        owners, widest = passages.owners, int(np.diff(passages.offsets).max())
        slots = owners * widest + np.arange(len(owners)) - passages.offsets[owners]
        ids, places = self._send(passages.ids), self._send(passages.places).long()
        is_full = bool((passages.ids >= 0).all())
        return Sent(ids, places, self._send(owners), self._send(slots), widest, is_full)


class DeviceNetwork(DeviceEncoder):
    """A leave-one-out network on a device; features of all words come part by part."""

    def __init__(self, weights: LearnedWeights, features: Iterable[Halves], device: str) -> None:
        super().__init__(weights.shape, device)
        self.shape = weights.shape
        parts = [torch.from_numpy(part).to(self._device, self._half) for part in features]
        # (n_layers, n_ids, 2 * dim): a layer's keys and values of a word lie beside each other.
        self._features = torch.cat(parts).transpose(0, 1).flatten(2).contiguous()
        self._start = torch.from_numpy(weights.start).to(self._device)
        self._output = torch.from_numpy(weights.output).to(self._device)
        matrices = (weights.queries, weights.mixing, weights.inner_up, weights.inner_down)
        self._layers = send_layers(matrices, self._device, self._half)
        self._levelling = _send_levelling(weights.levelling, self._device)

    def encode_all(self, ids: Tensor, scopes: Tensor) -> Tensor:
        """(n_passages * length, n_axes) unit lines of all places of passages that are whole.

        As `_predict` gives them where a scope (`grassmeans.contexts.attention.scopes`) is all that
        there is, in a form that a compiler takes as one.
        """
        shape, half = self.shape, self._half
        n_passages, length = ids.shape
        heads = (n_passages, length, shape.n_heads, shape.head_dim)
        seen = find_seen(ids, scopes, itself=False)
        cos, sin = self._cos[:length].to(half), self._sin[:length].to(half)
        x = self._start.expand(n_passages, length, -1)
        for number, layer in enumerate(self._layers):
            read = functional.embedding(ids, self._features[number])
            keys, values = (part.reshape(heads).transpose(1, 2) for part in read.chunk(2, dim=-1))
            queries = functional.linear(normalise(x).to(half), layer.looking).view(heads)
            if shape.normalise_heads:
                queries = normalise(queries)
            found = functional.scaled_dot_product_attention(
                rotate(queries.transpose(1, 2), cos, sin),
                rotate(keys, cos, sin),
                values,
                attn_mask=seen,
            )
            x = x + functional.linear(found.transpose(1, 2).flatten(-2), layer.mixing)
            x = x + layer.inner(x, half)
        lines = functional.normalize(functional.linear(normalise(x), self._output), dim=-1)
        lines = lines.flatten(0, 1)
        if self._levelling:
            places = torch.arange(length, device=ids.device).repeat(n_passages)
            owners = torch.arange(n_passages, device=ids.device).repeat_interleave(length)
            there = ids != BOUNDARY_ID
            lines = self._level(lines, ids, there, owners, places, scopes)
        return lines.masked_fill(is_alone(seen).flatten()[:, None], 0.0)

    def _predict(self, sent: Sent) -> Tensor:
        shape, half = self.shape, self._half
        heads = (shape.n_heads, shape.head_dim)
        n_passages, length = sent.ids.shape
        ids, places, slots, widest = sent.ids, sent.places, sent.slots, sent.widest
        there = ids >= 0
        ids = ids.clamp(min=0)

        def lay_out(values: Tensor) -> Tensor:
            """(n, ...) by places -> (n_passages, widest, ...) by passages."""
            filled = values.new_zeros((n_passages * widest, *values.shape[1:]))
            return filled.index_copy_(0, slots, values).view(n_passages, widest, *values.shape[1:])

        # Filled-up queries look at what they like; a place never looks at itself.
        spread = lay_out(places)[:, None, :, None]
        seen = (torch.arange(length, device=ids.device) != spread) & there[:, None, None]
        mask = torch.zeros(seen.shape, dtype=self._half, device=ids.device)
        mask.masked_fill_(~seen, -torch.inf)
        cos, sin = self._cos[:, None].to(half), self._sin[:, None].to(half)
        turns = cos[places], sin[places]
        cos, sin = cos[:length], sin[:length]
        x = self._start[None]  # the same for all places, until they have looked around
        for number, layer in enumerate(self._layers):
            read = functional.embedding(ids, self._features[number])
            keys, values = read.view(n_passages, length, 2, *heads).unbind(2)
            queries = functional.linear(normalise(x).to(half), layer.looking).view(-1, *heads)
            if shape.normalise_heads:
                queries = normalise(queries)
            found = functional.scaled_dot_product_attention(
                lay_out(_rotate(queries.expand(len(places), *heads), *turns)).transpose(1, 2),
                _rotate(keys, cos, sin).transpose(1, 2),
                values.transpose(1, 2),
                attn_mask=mask,
            )
            found = found.transpose(1, 2).reshape(-1, shape.dim)[slots]
            x = x + functional.linear(found, layer.mixing)
            x += layer.inner(x, half)
        lines = functional.linear(normalise(x), self._output)
        alone = (there.sum(dim=1) < 2)[sent.owners]
        lines = functional.normalize(lines, dim=1)
        if self._levelling:
            lines = self._level(lines, ids, there, sent.owners, places)
        return lines.masked_fill_(alone[:, None], 0.0)

    def _level(
        self,
        lines: Tensor,
        ids: Tensor,
        there: Tensor,
        rows: Tensor,
        places: Tensor,
        scopes: Tensor | None = None,
    ) -> Tensor:
        """As `grassmeans.contexts.attention.levelling.Levelling` does it; topics are of a scope."""
        parts = self._levelling
        steps = torch.arange(-TOPIC_WINDOW, TOPIC_WINDOW + 1, device=ids.device)
        near = places[:, None] + steps[steps != 0]
        inside = (near >= 0) & (near < ids.shape[1])
        near = near.clamp_(0, ids.shape[1] - 1)
        used = inside & there[rows[:, None], near]
        if scopes is not None:
            used &= scopes[rows[:, None], near] == scopes[rows, places][:, None]
        found = ids[rows[:, None], near].long().masked_fill_(~used, 0)  # no word: of no weight
        topics = functional.embedding_bag(found, parts["topic_words"], mode="sum")
        views = ((lines, "line"), (topics, "topic"))
        level = [
            _level_view(view, parts[f"{name}_mean"], parts[f"{name}_map"]) for view, name in views
        ]
        return functional.normalize(torch.cat(level, dim=1) @ parts["axes"], dim=1)


@contextlib.contextmanager
def single_as_tf32(device: torch.device) -> Iterator[None]:
    """Products of single precision are those of TF32 on a GPU, for a while."""
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("highest" if device.type == "cpu" else "high")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


class Layer(NamedTuple):
    """The matrices of a layer on a device: the first says what is looked for."""

    looking: Tensor
    mixing: Tensor
    inner_up: Tensor
    inner_down: Tensor

    def inner(self, x: Tensor, half: torch.dtype) -> Tensor:
        """What the layer adds to ``x``, which comes out of its attention."""
        inner = functional.linear(normalise(x).to(half), self.inner_up).relu_().square_()
        return functional.linear(inner, self.inner_down)


def send_layers(
    matrices: Sequence[Floats], device: torch.device, dtype: torch.dtype
) -> list[Layer]:
    """All layers; what is squared in half precision is made smaller before, larger after."""
    layers = []
    for looking, mixing, *inner in zip(*matrices, strict=True):
        up, down = inner
        if dtype == torch.float16:
            # What comes in has a mean square of 1, so this is the largest that can come out.
            largest = np.sqrt(up.shape[1]) * np.linalg.norm(up, axis=1).max()
            factor = np.float32(2.0 ** -np.ceil(np.log2(max(largest / _LARGEST_INNER, 1.0))))
            up, down = up * factor, down / factor**2
        given = (looking, mixing, up, down)
        layers.append(Layer(*(torch.from_numpy(m).to(device, dtype) for m in given)))
    return layers


def _send_levelling(levelling: Levelling | None, device: torch.device) -> dict[str, Tensor]:
    """Its arrays on a device, topic words by their ids; nothing where there is none."""
    if levelling is None:
        return {}
    names = ("line_mean", "line_map", "topic_mean", "topic_map", "axes")
    parts = {name: torch.from_numpy(getattr(levelling, name)).to(device) for name in names}
    words = functional.normalize(torch.from_numpy(np.asarray(levelling.words)).to(device), dim=1)
    words *= torch.from_numpy(levelling.word_weights).to(device)[:, None]
    parts["topic_words"] = torch.cat((words.new_zeros((N_SPECIAL, words.shape[1])), words))
    return parts


def _level_view(rows: Tensor, mean: Tensor, levelling: Tensor) -> Tensor:
    found = functional.normalize((functional.normalize(rows, dim=1) - mean) @ levelling, dim=1)
    return found.masked_fill_(~rows.any(dim=1, keepdim=True), 0.0)


def split_passages(passages: Passages) -> Iterator[Passages]:
    """Passages of like length, and with like many places, as many as one pass takes."""
    counts, lengths = np.diff(passages.offsets), passages.lengths
    steps = -(-lengths // _LENGTH_STEP)
    order = np.lexsort((counts, steps))
    counts, lengths = counts[order], steps[order] * _LENGTH_STEP
    ids = passages.ids
    missing = (lengths[-1] if len(lengths) else 0) - ids.shape[1]
    if missing > 0:
        ids = np.pad(ids, ((0, 0), (0, missing)), constant_values=-1)
    start = 0
    while start < len(order):
        # Sorted as they are, the last of a pass is the longest; the widest may be any of them.
        numbers = np.arange(1, len(order) - start + 1)
        widest = np.maximum.accumulate(counts[start:])
        fits = (numbers * lengths[start:] <= _TOKENS_A_PASS) & (numbers * widest <= _PLACES_A_PASS)
        end = start + max(1, int(np.argmin(fits)) if not fits.all() else len(fits))
        chosen = order[start:end]
        sizes = counts[start:end]
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        flat = np.repeat(passages.offsets[chosen] - offsets[:-1], sizes) + np.arange(offsets[-1])
        yield Passages(
            ids[chosen, : lengths[end - 1]], offsets, passages.places[flat], passages.rows[flat]
        )
        start = end


def _rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turn the two halves of each head by its place's angles, written in place: memory is short."""
    first, second = x.chunk(2, dim=-1)
    turned = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    left, right = turned.chunk(2, dim=-1)
    torch.mul(first, cos, out=left).addcmul_(second, sin, value=-1)
    torch.mul(second, cos, out=right).addcmul_(first, sin)
    return turned
