"""What runs a transformer: PyTorch on a GPU or the CPU, or ONNX Runtime in 8 bits on the CPU."""

from __future__ import annotations

import warnings
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from grassmeans.arrays import Floats
from grassmeans.artifacts.checking import read_bytes
from grassmeans.artifacts.temporaries import temporary_folder
from grassmeans.artifacts.writing import atomic_path, digest_of
from grassmeans.contexts.pretrained.network import EXTRA, PURPOSE, ModelHead, Network, PieceBatch
from grassmeans.engines import count_workers
from grassmeans.errors import MissingExtraError
from grassmeans.kernels.devices import check_device, load_torch

ONNX = "onnx"  # in place of a device: the CPU, with weights and products in 8 bits
_BATCH, _BATCH_ON_GPU = 32, 512
_OPSET = 17


def open_network(
    head: ModelHead, runner: str, batch_size: int | None = None, cache: Path | None = None
) -> Network:
    """Load a network for "cpu", "cuda" or "onnx", whose form is kept in the cache, if any."""
    if runner == ONNX:
        return OnnxNetwork(head, batch_size, cache)
    return TorchNetwork(head, runner, batch_size)


class TorchNetwork(Network):
    """The network in PyTorch: by default single precision on a CPU, bfloat16 on a GPU."""

    def __init__(
        self,
        head: ModelHead,
        device: str = "cpu",
        batch_size: int | None = None,
        dtype: Any = None,
    ) -> None:
        check_device(device, PURPOSE, EXTRA)
        self._torch = load_torch(PURPOSE, EXTRA)
        usual = _BATCH if device == "cpu" else _BATCH_ON_GPU
        super().__init__(head, batch_size or usual)
        self.device = device
        usual_dtype = self._torch.float32 if device == "cpu" else self._torch.bfloat16
        self._network = head.load(dtype or usual_dtype).to(device)

    def run(self, batch: PieceBatch) -> Floats:
        """(n_words, dim) vectors of the words of a batch."""
        torch = self._torch
        try:
            with torch.inference_mode():
                found: Floats = self.run_here(batch).cpu().numpy()
        except torch.cuda.OutOfMemoryError as error:
            torch.cuda.empty_cache()
            raise MemoryError from error
        return found

    def run_here(self, batch: PieceBatch) -> Any:
        """(n_words, dim) tensor on the device: means over a word's pieces and the layers."""
        from grassmeans.contexts.attention.network import send

        arrays = (batch.ids, batch.mask, batch.rows, batch.places, batch.words)
        there = self._torch.device(self.device)
        ids, mask, rows, places, words = (send(values, there) for values in arrays)
        states = self._network(
            input_ids=ids, attention_mask=mask, output_hidden_states=True
        ).hidden_states
        own = sum(states[layer][rows, places].float() for layer in self.layers)
        summed = own.new_zeros((batch.n_words, self.dim)).index_add_(0, words, own)
        sizes = summed.new_zeros(batch.n_words).index_add_(0, words, summed.new_ones(len(words)))
        return summed / (sizes.clamp(min=1) * len(self.layers))[:, None]


class OnnxNetwork(Network):
    """The network in ONNX Runtime, its weights rounded to 8 bits."""

    def __init__(
        self, head: ModelHead, batch_size: int | None = None, cache: Path | None = None
    ) -> None:
        runtime = _load("onnxruntime")
        super().__init__(head, batch_size or _BATCH)
        options = runtime.SessionOptions()
        options.intra_op_num_threads = count_workers(None)
        with temporary_folder() as temporary:
            path = (cache or temporary) / f"{digest_of([head.digest, head.layers])}.onnx"
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                with atomic_path(path) as place:
                    export_network(head, place)
            self._session = runtime.InferenceSession(
                read_bytes(path), options, providers=["CPUExecutionProvider"]
            )

    def run(self, batch: PieceBatch) -> Floats:
        """(n_words, dim) vectors of the words of a batch."""
        (states,) = self._session.run(None, {"ids": batch.ids, "mask": batch.mask})
        found = np.zeros((batch.n_words, self.dim), np.float32)
        np.add.at(found, batch.words, states[batch.rows, batch.places])
        sizes = np.bincount(batch.words, minlength=batch.n_words)
        found /= np.maximum(sizes, 1)[:, None]
        return found


def export_network(head: ModelHead, path: Path) -> None:
    """Write a network in ONNX's form: pieces in, the mean of its layers out, weights in 8 bits."""
    _load("onnx")
    quantization = _load("onnxruntime.quantization")
    torch = load_torch(PURPOSE, EXTRA)
    network, layers = head.load(torch.float32), head.layers

    class MeanOfLayers(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.network = network

        def forward(self, ids: Any, mask: Any) -> Any:
            states = self.network(
                input_ids=ids, attention_mask=mask, output_hidden_states=True
            ).hidden_states
            return torch.stack([states[layer] for layer in layers]).mean(dim=0)

    ids = torch.tensor([[3, 4, 5, 6, 7], [8, 9, 10, 11, 12]])
    mask = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]])
    sizes = {0: "texts", 1: "pieces"}
    whole = path.with_suffix(".whole")
    try:
        with warnings.catch_warnings(), torch.inference_mode():
            warnings.simplefilter("ignore")  # of the exporter, about numbers that never change
            torch.onnx.export(
                MeanOfLayers(),
                (ids, mask),
                str(whole),
                input_names=["ids", "mask"],
                output_names=["states"],
                dynamic_axes={"ids": sizes, "mask": sizes, "states": sizes},
                opset_version=_OPSET,
                dynamo=False,
            )
        quantization.quantize_dynamic(str(whole), str(path), per_channel=True)
    finally:
        whole.unlink(missing_ok=True)


def _load(name: str) -> ModuleType:
    try:
        return import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise MissingExtraError(package, ONNX, f"device={ONNX!r}") from error
