"""The student: attention that sees every word, taught by a transformer and by leave-one-out lines.

A place says two things of its word at once, from one pass. The first voice is what could stand
there: the line of a leave-one-out encoder (`grassmeans.contexts.learned`), learned from that. The
second is what does stand there: how the word differs from its usual self in this context, learned
from a transformer that has read the same text (`grassmeans.contexts.teaching.teacher`).

This is the network as it is trained, with PyTorch; `grassmeans.contexts.taught` computes the same
without it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from grassmeans.arrays import Floats
from grassmeans.contexts.attention.inference import DeviceNetwork
from grassmeans.contexts.attention.network import AttentionNetwork, normalise, rotate
from grassmeans.contexts.attention.optimising import Trainer
from grassmeans.contexts.attention.ranks import Ranks
from grassmeans.contexts.attention.stored import N_SPECIAL, UNKNOWN_ID
from grassmeans.contexts.teaching.lessons import Lesson

UNKNOWN_SHARE = 0.1
"""Of the words are read as unknown, so that words that it does not know are served, too."""


class StudentNetwork(AttentionNetwork):
    """Passages of word ids -> for each place, both voices.

    Its parameters are those of `grassmeans.contexts.teaching.student_weights.StudentWeights`.

    Parameters
    ----------
    shape : StudentShape
    """

    first_scales: ClassVar[Mapping[str, float]] = {
        "mixing": 0.1,
        "inner_down": 0.1,
        "voices": 0.05,
    }

    def forward(self, ids: Tensor) -> Tensor:
        """(n_passages, length) ids -> (n_passages, length, n_voices): one voice, and the other."""
        shape, (n_passages, length) = self.shape, ids.shape
        angles = self.angles[:length]
        turns = angles.cos().to(self.compute_dtype), angles.sin().to(self.compute_dtype)
        x = normalise(functional.embedding(ids, self.vectors).to(self.compute_dtype))
        heads = (n_passages, length, 3, shape.n_heads, shape.head_dim)
        for layer in range(shape.n_layers):
            seen = self._weigh(normalise(x), self.looking[layer]).view(heads)
            queries, keys, values = seen.permute(2, 0, 3, 1, 4).unbind()
            found = functional.scaled_dot_product_attention(
                rotate(normalise(queries), *turns), rotate(normalise(keys), *turns), values
            )
            x = x + self._weigh(found.transpose(1, 2).flatten(-2), self.mixing[layer])
            inner = functional.relu(self._weigh(normalise(x), self.inner_up[layer])).square()
            x = x + self._weigh(inner, self.inner_down[layer])
        return self._weigh(normalise(x), self.voices)


class Losses(NamedTuple):
    """What is left to be learned, each 0 where all is.

    Attributes
    ----------
    line : 1 - cosine with the leave-one-out lines
    deviation : 1 - cosine with the teacher's deviations
    variance : share of the deviations' squares that is not explained
    """

    line: Tensor
    deviation: Tensor
    variance: Tensor


def compare_voices(said: Tensor, lines: Tensor, deviations: Tensor, weights: Tensor) -> Losses:
    """How far a student is from both teachers, over places by their weights.

    Parameters
    ----------
    said : (n, line_axes + deviation_axes)
    lines : (n, line_axes)
    deviations : (n, deviation_axes)
        Zeros where a teacher says nothing: such places do not count.
    weights : (n,)
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
    """A student and what its training remembers from step to step.

    Parameters
    ----------
    network : StudentNetwork
        On the device that it is trained on.
    base : DeviceNetwork
        The leave-one-out encoder there, whose lines are learned.
    means : (n_ids, n_axes) float32
        Of the teacher's vectors, a word's usual self.
    weights : (n_ids,) float32
        How much the places of each word count.
    """

    def __init__(
        self,
        network: StudentNetwork,
        seed: int,
        base: DeviceNetwork,
        means: Floats,
        weights: Floats,
        compiled: bool = False,
        ranks: Ranks | None = None,
    ) -> None:
        super().__init__(network, seed, compiled=compiled, ranks=ranks)
        self._base = base
        self.means = means
        self._means = torch.from_numpy(means).to(self._device)
        self._weights = torch.from_numpy(weights).to(self._device)

    def _try_loss(self, ids: NDArray[np.int32]) -> Tensor:
        loss: Tensor = self._encode(self._put(ids).long()).float().square().mean()
        return loss

    def _find_loss(self, batch: Any, number: int) -> Tensor:
        given = self._put(batch.ids).long()
        rng = np.random.default_rng([self._seed, number])
        hidden = self._put(rng.random(batch.ids.shape) < UNKNOWN_SHARE)
        read = given.masked_fill(hidden & (given >= N_SPECIAL), UNKNOWN_ID)
        line, deviation, variance = self._compare(batch, given, self._encode(read))
        return line + deviation + variance

    def _compare(self, batch: Lesson, given: Tensor, said: Tensor) -> Losses:
        with torch.no_grad():
            lines = self._base.encode_all(given)
            codes = self._put(batch.codes).float()
            deviations = codes * self._put(batch.scales).float()[..., None] - self._means[given]
            known = (given >= N_SPECIAL) & (self._put(batch.scales) > 0)
            weights = self._weights[given] * known
        deviations = deviations * known[..., None]
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
            given = self._put(part.ids).long()
            for name, loss in self._compare(part, given, self.network(given))._asdict().items():
                totals[name] += float(loss) * len(part) / max(len(passages), 1)
        return totals
