"""The student: attention that sees every word, taught by a transformer and by leave-one-out lines.

A place says two things of its word at once, from one pass. The first voice is what could stand
there: the line of a leave-one-out encoder (`grassmeans.contexts.learned`), learned from that. The
second is what does stand there: how the word differs from its usual self in this context, learned
from a transformer that has read the same text (`grassmeans.contexts.teaching.teacher`).

This is the network as it is trained, with PyTorch, and as a GPU computes it for many passages at
once; `grassmeans.contexts.taught` computes the same without it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from grassmeans.arrays import Floats
from grassmeans.contexts.attention.inference import (
    DeviceEncoder,
    DeviceNetwork,
    Sent,
    send_layers,
    single_as_tf32,
)
from grassmeans.contexts.attention.network import (
    AttentionNetwork,
    attend_all,
    find_seen,
    normalise,
)
from grassmeans.contexts.attention.optimising import Trainer
from grassmeans.contexts.attention.stored import N_SPECIAL, UNKNOWN_ID
from grassmeans.contexts.taught import LAYERS, OWN_SHARE, StudentWeights
from grassmeans.contexts.teaching.lessons import Lesson

UNKNOWN_SHARE = 0.1
"""Of the words are read as unknown, so that words that it does not know are served, too."""


class StudentNetwork(AttentionNetwork):
    """Passages of word ids -> for each place, both voices; parameters as in `StudentWeights`."""

    first_scales: ClassVar[Mapping[str, float]] = {
        "mixing": 0.1,
        "inner_down": 0.1,
        "voices": 0.05,
    }

    def forward(self, ids: Tensor, seen: Tensor) -> Tensor:
        """(n_passages, length) ids -> (n_passages, length, n_voices): one voice, and the other.

        What places have ``seen`` tells `grassmeans.contexts.attention.network.find_seen`.
        """
        turns = self.turns(ids.shape[1])
        x = normalise(functional.embedding(ids, self.vectors).to(self.compute_dtype))
        for layer in range(self.shape.n_layers):
            looked = self._weigh(normalise(x), self.looking[layer])
            found = attend_all(looked, self.shape.n_heads, turns, attn_mask=seen)
            x = x + self._weigh(found, self.mixing[layer])
            x = self.feed(x, layer)
        return self._weigh(normalise(x), self.voices)


class Losses(NamedTuple):
    """What is left to be learned, each 0 where all is."""

    line: Tensor  # 1 - cosine with the leave-one-out lines
    deviation: Tensor  # 1 - cosine with the teacher's deviations
    variance: Tensor  # share of the deviations' squares that is not explained


def compare_voices(said: Tensor, lines: Tensor, deviations: Tensor, weights: Tensor) -> Losses:
    """How far a student is from both teachers, over places by their weights (n,).

    Where a teacher says nothing, zeros in lines or deviations (n, axes), a place does not count.
    """
    first, second = said.float().split((lines.shape[-1], deviations.shape[-1]), dim=-1)
    counts = weights * lines.any(dim=-1)
    line = 1 - functional.cosine_similarity(first, lines, dim=-1)
    own = weights * deviations.any(dim=-1)
    cosine = 1 - functional.cosine_similarity(second, deviations, dim=-1)
    left = (second - deviations).square().sum(-1)
    squares = (deviations.square().sum(-1) * own).sum().clamp_min(1e-12)
    return Losses(
        (line * counts).sum() / counts.sum().clamp_min(1e-12),
        (cosine * own).sum() / own.sum().clamp_min(1e-12),
        (left * own).sum() / squares,
    )


class StudentTrainer(Trainer):
    """A student with what it learns: lines of its base, deviations from means (n_ids, n_axes)."""

    def __init__(
        self,
        network: StudentNetwork,
        seed: int,
        base: DeviceNetwork,
        means: Floats,
        weights: Floats,
        compiled: bool = False,
    ) -> None:
        super().__init__(network, seed, compiled=False)
        self._base, self._compiled = base, compiled
        self.means = means
        self._means, self._weights = self._put(means), self._put(weights)
        self._losses: Any = self._compare
        if compiled:  # both networks and the losses as one: what is between them is never stored
            self._losses = torch.compile(self._compare, dynamic=False)

    def prepare(self, n_passages: int) -> None:
        """Compile, where that was asked for."""
        if not self._compiled:
            return
        shape = (n_passages, self.network.shape.passage)
        axes = (*shape, self._means.shape[1])
        ids, scopes = np.zeros(shape, np.int32), np.zeros(shape, np.int16)
        nothing = Lesson(ids, scopes, np.zeros(axes, np.int8), np.zeros(shape, np.float16))
        try:
            self._find_loss(nothing, 0).backward()
        except RuntimeError:  # there is no compiler here
            self._losses = self._compare
        self.network.zero_grad(set_to_none=True)

    def _find_loss(self, batch: Any, number: int) -> Tensor:
        rng = np.random.default_rng([self._seed, number])
        hidden = (rng.random(batch.ids.shape, np.float32) < UNKNOWN_SHARE) & (
            batch.ids >= N_SPECIAL
        )
        read = np.where(hidden, UNKNOWN_ID, batch.ids)
        with single_as_tf32(self._device):
            line, deviation, variance = self._losses(*self._send(batch), self._put(read))
        loss: Tensor = line + deviation + variance
        return loss

    def _send(self, batch: Lesson) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        given, scopes = self._put(batch.ids), self._put(batch.scopes)
        return given, scopes, self._put(batch.codes), self._put(batch.scales)

    def _compare(
        self, given: Tensor, scopes: Tensor, codes: Tensor, scales: Tensor, read: Tensor
    ) -> Losses:
        """What is left to be learned where the words ``read`` (n, passage) are looked at."""
        with torch.no_grad():
            lines = self._base.encode_all(given, scopes)
            seen = find_seen(given, scopes, itself=True)
            known = (given >= N_SPECIAL) & (scales > 0)
            deviations = codes.float() * scales.float()[..., None] - self._means[given]
            deviations = deviations * known[..., None]
            weights = self._weights[given] * known
        said = self.network(read, seen)
        return compare_voices(
            said.flatten(0, 1), lines, deviations.flatten(0, 1), weights.flatten()
        )

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def measure(self, passages: Lesson, at_once: int) -> float:
        """The sum of the mean losses of passages, so many passages at once."""
        losses: dict[str, float] = self.measure_voices(passages, at_once)
        return sum(losses.values())

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def measure_voices(self, passages: Lesson, at_once: int) -> dict[str, float]:
        """The mean losses of passages by their names, so many passages at once."""
        totals = dict.fromkeys(Losses._fields, 0.0)
        for start in range(0, len(passages), at_once):
            part = passages[start : start + at_once]
            sent = self._send(part)
            with single_as_tf32(self._device):
                losses = self._compare(*sent, read=sent[0])
            for name, loss in losses._asdict().items():
                totals[name] += float(loss) * len(part) / max(len(passages), 1)
        return totals


class DeviceStudent(DeviceEncoder):
    """A student on a device, as `grassmeans.contexts.taught` computes it."""

    def __init__(self, weights: StudentWeights, device: str) -> None:
        super().__init__(weights.shape, device)
        self.shape = weights.shape
        words = np.concatenate([np.asarray(weights.specials), np.asarray(weights.words)])
        means = OWN_SHARE * np.asarray(weights.means)
        self._words = normalise(torch.from_numpy(words).to(self._device)).to(self._half)
        self._means = functional.pad(torch.from_numpy(means).to(self._device), (0, 0, N_SPECIAL, 0))
        matrices = [weights.matrix(name) for name in LAYERS]
        self._layers = send_layers(matrices, self._device, self._half)
        self._voices = torch.from_numpy(weights.matrix("voices")).to(self._device)
        self._axes = torch.from_numpy(weights.axes).to(self._device)

    def _predict(self, sent: Sent) -> Tensor:
        shape, half = self.shape, self._half
        length = sent.ids.shape[1]
        there = sent.ids >= 0
        ids = sent.ids.clamp(min=0)
        # Attention without a mask is faster; most passages of long documents are full.
        mask = {} if sent.is_full else {"attn_mask": there[:, None, None]}
        turns = self._cos[:length].to(half), self._sin[:length].to(half)
        x = functional.embedding(ids, self._words).float()
        for layer in self._layers:
            looked = functional.linear(normalise(x).to(half), layer.looking)
            found = attend_all(looked, shape.n_heads, turns, **mask)
            x += functional.linear(found, layer.mixing)
            x += layer.inner(x, half)
        rows = sent.owners * length + sent.places
        said = functional.linear(normalise(x.flatten(0, 1)[rows]), self._voices)
        first, second = said.split((shape.line_axes, shape.deviation_axes), dim=1)
        second = second + self._means[ids.flatten()[rows].long()]
        both = [functional.normalize(voice, dim=1) for voice in (first, second)]
        lines = functional.normalize(torch.cat(both, dim=1) @ self._axes, dim=1)
        alone = (there.sum(dim=1) < 2)[sent.owners]
        return lines.masked_fill_(alone[:, None], 0.0)
