"""A student on a GPU: many passages at once, with PyTorch."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from grassmeans.contexts.attention.inference import DeviceEncoder, Sent, send_layers
from grassmeans.contexts.attention.network import normalise, rotate
from grassmeans.contexts.attention.stored import N_SPECIAL
from grassmeans.contexts.teaching.student_weights import LAYERS, StudentWeights


class DeviceStudent(DeviceEncoder):
    """A student on a device.

    Parameters
    ----------
    weights : StudentWeights
    own_share : float
        Of a word's mean that is added to what is said of it.
    device : {"cuda", "torch-cpu"}
        The latter is there for tests: the same in single precision.
    """

    def __init__(self, weights: StudentWeights, own_share: float, device: str) -> None:
        super().__init__(weights.shape, device)
        self.shape = weights.shape
        words = np.concatenate([np.asarray(weights.specials), np.asarray(weights.words)])
        means = own_share * np.asarray(weights.means)
        self._words = normalise(torch.from_numpy(words).to(self._device)).to(self._half)
        self._means = functional.pad(torch.from_numpy(means).to(self._device), (0, 0, N_SPECIAL, 0))
        looking, mixing, up, down = (weights.matrix(name) for name in LAYERS)
        self._layers = send_layers(looking, mixing, up, down, self._device, self._half)
        self._voices = torch.from_numpy(weights.matrix("voices")).to(self._device)
        self._axes = torch.from_numpy(weights.axes).to(self._device)

    def _predict(self, sent: Sent) -> Tensor:
        """(n, n_axes) unit lines of places, in their order; zeros in a passage of one word."""
        shape, half = self.shape, self._half
        n_passages, length = sent.ids.shape
        there = sent.ids >= 0
        ids = sent.ids.clamp(min=0)
        seen = there[:, None, None]
        turns = self._cos[:length].to(half), self._sin[:length].to(half)
        heads = (n_passages, length, 3, shape.n_heads, shape.head_dim)
        x = functional.embedding(ids, self._words).float()
        for layer in self._layers:
            looked = functional.linear(normalise(x).to(half), layer.looking).view(heads)
            queries, keys, values = looked.permute(2, 0, 3, 1, 4).unbind()
            found = functional.scaled_dot_product_attention(
                rotate(normalise(queries), *turns),
                rotate(normalise(keys), *turns),
                values,
                attn_mask=seen,
            )
            x += functional.linear(found.transpose(1, 2).flatten(-2), layer.mixing)
            inner = functional.linear(normalise(x).to(half), layer.inner_up).relu_().square_()
            x += functional.linear(inner, layer.inner_down)
        rows = sent.owners * length + sent.places
        said = functional.linear(normalise(x.flatten(0, 1)[rows]), self._voices)
        first, second = said.split((shape.line_axes, shape.deviation_axes), dim=1)
        second = second + self._means[ids.flatten()[rows].long()]
        both = [functional.normalize(voice, dim=1) for voice in (first, second)]
        lines = functional.normalize(torch.cat(both, dim=1) @ self._axes, dim=1)
        alone = (there.sum(dim=1) < 2)[sent.owners]
        return lines.masked_fill_(alone[:, None], 0.0)
