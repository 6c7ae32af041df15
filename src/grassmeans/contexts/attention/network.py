"""Leave-one-out attention: what the other words of a passage ask for at each of its places.

Keys and values depend on a word and its place alone, never on what other places have seen, and
the query of a place attends to all places but its own. So no layer can tell a place its own word,
and every word of a passage is predicted from all the others in one pass.

This is the network as it is trained, with PyTorch; `grassmeans.contexts.learned` computes the same
without it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from grassmeans.arrays import Indices
from grassmeans.contexts.attention.stored import (
    BOUNDARY_ID,
    N_SPECIAL,
    LearnedWeights,
    NetworkShape,
)
from grassmeans.vectors.word_vectors import WordVectors

_BFLOAT16 = ("avx512_bf16", "amx_bf16")  # instructions, as PyTorch names them


class AttentionNetwork(nn.Module):  # type: ignore[misc]
    """What networks of attention share: their first weights, and in what they compute.

    The parameters have the names of the shape's matrices, beside ``vectors`` (n_ids, dim), those of
    the unknown word and the boundary first. Layers compute in ``dtype``, by default in bfloat16
    on a GPU and in single precision elsewhere; the weights themselves are kept as they are.
    """

    # Branches that add to the stream start small, so that a deep network starts shallow.
    first_scales: ClassVar[Mapping[str, float]] = {}

    def __init__(
        self, shape: Any, seed: int = 0, device: str = "cpu", dtype: torch.dtype | None = None
    ) -> None:
        super().__init__()
        self.shape = shape
        usual = torch.bfloat16 if device == "cuda" else torch.float32
        self.compute_dtype = dtype or usual
        generator = torch.Generator().manual_seed(seed)
        shapes = {"vectors": (shape.n_ids, shape.dim), **shape.matrix_shapes()}
        del shapes["specials"]
        for name, sizes in shapes.items():
            values = torch.randn(*sizes, generator=generator)
            scale = self.first_scales.get(name, 1.0) / math.sqrt(sizes[-1])
            self.register_parameter(name, nn.Parameter(values * scale))
        self.register_buffer("angles", torch.from_numpy(shape.angles(shape.passage)), False)
        self.to(device)

    def turns(self, length: int) -> tuple[Tensor, Tensor]:
        """(length, head_dim / 2) cosines and sines of the angles of places."""
        angles = self.angles[:length]
        return angles.cos().to(self.compute_dtype), angles.sin().to(self.compute_dtype)

    def feed(self, x: Tensor, layer: int) -> Tensor:
        """What comes out of a layer where ``x`` comes out of its attention."""
        inner = functional.relu(self._weigh(normalise(x), self.inner_up[layer])).square()
        return x + self._weigh(inner, self.inner_down[layer])

    def export(self) -> dict[str, Any]:
        """All parameters as plain arrays, by their names."""
        return {
            name: weights.detach().to("cpu", torch.float32).numpy().copy()
            for name, weights in self.named_parameters()
        }

    def _weigh(self, x: Tensor, weights: Tensor) -> Tensor:
        return functional.linear(x, weights.to(self.compute_dtype))


class LeaveOneOutNetwork(AttentionNetwork):
    """Passages of word ids -> for each place, a direction in the space of the word vectors.

    Beside the parameters of `LearnedWeights` there is ``bias`` (n_words,), which takes up how
    frequent a word is.
    """

    first_scales: ClassVar[Mapping[str, float]] = {
        "word_down": 0.1,
        "mixing": 0.1,
        "inner_down": 0.1,
        "output": 0.5,
    }

    def __init__(
        self,
        shape: NetworkShape,
        seed: int = 0,
        device: str = "cpu",
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__(shape, seed, device, dtype)
        self.bias = nn.Parameter(torch.zeros(shape.n_words, device=device))

    def word_features(self, ids: Tensor) -> Tensor:
        """(n_ids) -> (n_ids, 2, n_layers, n_heads, head_dim) keys and values, before rotation."""
        shape = self.shape
        raw = functional.embedding(ids, self.vectors).to(self.compute_dtype)
        inner = functional.relu(self._weigh(normalise(raw), self.word_up)).square()
        features = normalise(raw + self._weigh(inner, self.word_down))
        both = self._weigh(features, self.keys_values.flatten(0, 2))
        both = both.view(*ids.shape, 2, shape.n_layers, shape.n_heads, shape.head_dim)
        keys, values = both.unbind(-4)
        return torch.stack((normalise(keys), values), -4)

    def forward(
        self,
        ids: Tensor,
        seen: Tensor,
        features: Tensor | None = None,
        places: Tensor | None = None,
    ) -> Tensor:
        """(n_passages, n_places, dim) what the others of ``ids`` (n_passages, length) ask for.

        At places (n_passages, n_places), by default all of them. Which others are ``seen`` tells
        `find_seen`. With the features of some words ``ids`` are rows of these: a batch has far
        fewer words than places.
        """
        shape = self.shape
        n_passages, length = ids.shape
        if features is None:
            features = self.word_features(ids)
        else:
            found = functional.embedding(ids, features.flatten(1))
            features = found.view(n_passages, length, *features.shape[1:])
        cos, sin = self.turns(length)
        # (n_passages, length, 2, n_layers, n_heads, head_dim): layers first, heads before places
        keys, values = features.permute(2, 3, 0, 4, 1, 5).unbind()
        keys = rotate(keys, cos, sin)
        turns = (cos, sin)
        if places is not None:
            turns = cos[places][:, None], sin[places][:, None]
        n_places = length if places is None else places.shape[1]
        x = self.start.to(self.compute_dtype).expand(n_passages, n_places, -1)
        for layer in range(shape.n_layers):
            queries = self._weigh(normalise(x), self.queries[layer])
            queries = queries.view(n_passages, n_places, shape.n_heads, shape.head_dim)
            queries = rotate(normalise(queries).transpose(1, 2), *turns)
            found = attend(queries, keys[layer], values[layer], seen)
            x = x + self._weigh(found.transpose(1, 2).flatten(-2), self.mixing[layer])
            x = self.feed(x, layer)
        return self._weigh(normalise(x), self.output)

    @property
    def word_vectors(self) -> Tensor:
        """(n_words, dim) vectors of the words that can be predicted."""
        return self.vectors[N_SPECIAL:]


def export_network(
    network: LeaveOneOutNetwork, words: Sequence[str], counts: Indices
) -> tuple[LearnedWeights, WordVectors]:
    """A trained network as plain arrays: its weights, and its words with their vectors."""
    arrays = network.export()
    del arrays["bias"]
    vectors = arrays.pop("vectors")
    weights = LearnedWeights(network.shape, specials=vectors[:N_SPECIAL], **arrays)
    return weights, WordVectors(list(words), vectors[N_SPECIAL:], counts)


@cache
def choose_dtype(device: str) -> torch.dtype:
    """What a training multiplies: bfloat16 on a GPU, and on a processor with instructions for it.

    There products take a quarter of the time or less; without them they would take longer.
    """
    if device == "cuda":
        return torch.bfloat16
    tell = getattr(torch.cpu, "get_capabilities", dict)  # older releases do not tell
    able: dict[str, Any] = tell()
    return torch.bfloat16 if any(able.get(name) for name in _BFLOAT16) else torch.float32


def send(array: NDArray[Any], device: torch.device) -> Tensor:
    """An array on a device, maybe still on its way there: a GPU goes on working meanwhile."""
    tensor = torch.from_numpy(np.ascontiguousarray(array))
    if device.type == "cpu":
        return tensor
    return tensor.pin_memory().to(device, non_blocking=True)


def normalise(x: Tensor) -> Tensor:
    """Rows (last axis) with a mean square of 1."""
    # The default epsilon is that of the dtype: bfloat16's is larger than a short vector's square.
    return functional.rms_norm(x, (x.shape[-1],), eps=1e-6)


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turn the two halves of each head by its place's angles."""
    first, second = x.chunk(2, dim=-1)
    return torch.cat((first * cos - second * sin, second * cos + first * sin), dim=-1)


def find_seen(ids: Tensor, scopes: Tensor, *, itself: bool) -> Tensor:
    """(n_passages, 1, length, length) whether a place (row) sees a place (column).

    It sees the words of its own scope (n_passages, length), and no boundaries; ``itself``, or only
    the others. Who would see nothing at all sees everything: `is_alone` tells who that is.
    """
    same = scopes[:, :, None] == scopes[:, None, :]
    own = torch.eye(ids.shape[1], dtype=torch.bool, device=ids.device)
    seen = same & (ids != BOUNDARY_ID)[:, None, :]
    seen = seen | own if itself else seen & ~own
    return (seen | ~seen.any(dim=-1, keepdim=True))[:, None]


def is_alone(seen: Tensor) -> Tensor:
    """(n_passages, length) which places see no other word: those that see even what they must not.

    Of what `find_seen` gives without the places themselves.
    """
    return seen[:, 0].diagonal(dim1=-2, dim2=-1)


def attend(queries: Tensor, keys: Tensor, values: Tensor, others: Tensor) -> Tensor:
    """What places see of ``others``, as `scaled_dot_product_attention` tells it.

    On a CPU in plain steps, whose gradients take a third of the time that those of the whole take.
    """
    if queries.is_cuda:
        return functional.scaled_dot_product_attention(queries, keys, values, attn_mask=others)
    scores = queries @ keys.mT / math.sqrt(queries.shape[-1])
    return scores.masked_fill(~others, -torch.inf).softmax(-1) @ values


def attend_all(
    looked: Tensor, n_heads: int, turns: tuple[Tensor, Tensor], **mask: Tensor
) -> Tensor:
    """(n_passages, length, dim) what places see of the places of their passage, all without a mask.

    ``looked`` (n_passages, length, 3 * dim) are queries, keys and values of all heads.
    """
    heads = looked.view(*looked.shape[:2], 3, n_heads, -1).permute(2, 0, 3, 1, 4)
    queries, keys, values = heads.unbind()
    queries, keys = rotate(normalise(queries), *turns), rotate(normalise(keys), *turns)
    found = functional.scaled_dot_product_attention(queries, keys, values, **mask)
    return found.transpose(1, 2).flatten(-2)
