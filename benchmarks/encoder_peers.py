"""The encoder over passages as PyTorch and ONNX Runtime compute it, for comparison.

All passages have the same length here, so that nothing is filled up.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import onnxruntime
import torch
from numpy.typing import NDArray
from onnxruntime import quantization
from torch import nn
from torch.nn import functional

Floats = NDArray[np.float32]
Encode = Callable[[Floats], Floats]


class Layer(nn.Module):
    """One layer, from its four matrices."""

    def __init__(self, matrices: Sequence[Floats], angles: Floats) -> None:
        super().__init__()
        self.attention, self.mixing, self.up, self.down = map(make_linear, matrices)
        self.register_buffer("cos", torch.from_numpy(np.cos(angles)))
        self.register_buffer("sin", torch.from_numpy(np.sin(angles)))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(n_passages, length, dim) before and after the layer."""
        n, length, dim = x.shape
        size = 2 * self.cos.shape[1]
        parts = self.attention(normalise(x)).reshape(n, length, 3, dim // size, size)
        queries, keys, values = parts.permute(2, 0, 3, 1, 4)
        queries, keys = (self.turn(normalise(part)) for part in (queries, keys))
        found = functional.scaled_dot_product_attention(queries, keys, values)
        x = x + self.mixing(found.transpose(1, 2).reshape(n, length, dim))
        return x + self.down(torch.relu(self.up(normalise(x))).square())

    def turn(self, x: torch.Tensor) -> torch.Tensor:
        """Turn the halves of heads by their places."""
        first, second = x.chunk(2, dim=-1)
        cos, sin = self.cos, self.sin
        return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)


def make_linear(matrix: Floats) -> nn.Linear:
    linear = nn.Linear(matrix.shape[1], matrix.shape[0], bias=False)
    linear.weight = nn.Parameter(torch.from_numpy(np.ascontiguousarray(matrix)))
    return linear


def normalise(x: torch.Tensor) -> torch.Tensor:
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6)


def make_network(layers: Sequence[Floats], angles: Floats, threads: int) -> nn.Module:
    """The network of matrices (n_layers, n_out, n_in), for passages as long as the angles."""
    torch.set_num_threads(threads)
    return nn.Sequential(*(Layer(m, angles) for m in zip(*layers, strict=True))).eval()


def run_torch(network: nn.Module) -> Encode:
    def encode(states: Floats) -> Floats:
        with torch.inference_mode():
            return network(torch.from_numpy(states)).numpy()

    return encode


def round_torch(network: nn.Module) -> nn.Module:
    """With the linear layers in 8 bits, rows rounded when they come."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.ao.quantization.quantize_dynamic(network, {nn.Linear}, torch.qint8)


def run_onnx(network: nn.Module, dim: int, length: int, folder: Path, threads: int) -> Encode:
    """ONNX Runtime, matrices and rows in 8 bits."""
    whole, rounded = folder / f"{length}.onnx", folder / f"{length}-8.onnx"
    if not rounded.exists():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.onnx.export(
                network,
                (torch.zeros(2, length, dim),),
                str(whole),
                dynamo=False,
                opset_version=17,
                input_names=["states"],
                dynamic_axes={"states": {0: "n"}},
            )
            quantization.quantize_dynamic(str(whole), str(rounded), per_channel=True)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(rounded), options, ["CPUExecutionProvider"])
    return lambda states: session.run(None, {"states": states})[0]
