"""Training learned contexts on a CPU: steps in single precision, bfloat16, and as PyTorch attends.

    python benchmarks/bench_encoder_training.py
    python benchmarks/bench_encoder_training.py --dim 384 --layers 6 --steps 10

Passages are made up: words by Zipf's law, none of which predicts another. All rows begin with the
same weights and take the same steps, each row in turn, step by step, so that other work on the
machine slows all of them; the median step counts. The peers are single precision, and attention as
PyTorch's one function in place of plain products.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
from torch.nn.functional import scaled_dot_product_attention

from grassmeans.contexts.attention import network as networks
from grassmeans.contexts.attention.network import LeaveOneOutNetwork, choose_dtype
from grassmeans.contexts.attention.optimising import Shortcuts, Trainer
from grassmeans.contexts.attention.stored import N_SPECIAL, NetworkShape
from grassmeans.contexts.attention.training import HEAD_DIM, N_DRAWN, TARGET_SHARE
from measurement import write_result

PASSAGE = 128
FASTEST = choose_dtype("cpu")


def attend_at_once(*given: torch.Tensor) -> torch.Tensor:
    """Attention by PyTorch's own function."""
    queries, keys, values, others = given
    return scaled_dot_product_attention(queries, keys, values, attn_mask=others)


ROWS: dict[str, tuple[torch.dtype, Callable[..., torch.Tensor]]] = {
    "single precision, PyTorch's attention": (torch.float32, attend_at_once),
    "single precision": (torch.float32, networks.attend),
    "as it trains here, PyTorch's attention": (FASTEST, attend_at_once),
    "as it trains here": (FASTEST, networks.attend),
}


def main() -> None:
    """Time the rows, and write them."""
    given = parse_arguments()
    torch.set_num_threads(given.threads)
    trainers = {name: make_trainer(given, dtype) for name, (dtype, _) in ROWS.items()}
    batches = draw_batches(given)
    seconds: dict[str, list[float]] = {name: [] for name in ROWS}
    losses: dict[str, float] = {}
    for number, ids in enumerate(batches):
        for name, (_, attend) in ROWS.items():
            with attending(attend):
                started = time.perf_counter()
                losses[name] = float(trainers[name].step(ids, number, 0.3))
                seconds[name].append(time.perf_counter() - started)
    rows: dict[str, Any] = {}
    for name in ROWS:
        rate = given.batch_tokens / median(seconds[name][given.warm :])
        rows[name] = {"tokens_per_second": round(rate), "loss": round(losses[name], 4)}
    about = {"dtype": str(FASTEST).removeprefix("torch."), "torch": torch.__version__}
    write_result("encoder-training", vars(given) | about | {"rows": rows})


def make_trainer(given: argparse.Namespace, dtype: torch.dtype) -> Trainer:
    """A training of its own, from the same weights as all others."""
    shape = NetworkShape(given.vocabulary, given.dim, given.layers, HEAD_DIM, passage=PASSAGE)
    counts = 1_000_000_000 // np.arange(10, 10 + given.vocabulary)
    shortcuts = Shortcuts.from_counts(counts, N_DRAWN, TARGET_SHARE)
    return Trainer(LeaveOneOutNetwork(shape, 0, "cpu", dtype), 0, shortcuts)


def draw_batches(given: argparse.Namespace) -> Iterator[np.ndarray]:
    """(n_passages, PASSAGE) numbers of words for each step."""
    rng = np.random.default_rng(0)
    chances = 1.0 / np.arange(10, 10 + given.vocabulary)
    size = (given.batch_tokens // PASSAGE, PASSAGE)
    for _ in range(given.warm + given.steps):
        words = rng.choice(given.vocabulary, size, p=chances / chances.sum())
        yield (words + N_SPECIAL).astype(np.int32)


@contextmanager
def attending(attend: Callable[..., torch.Tensor]) -> Iterator[None]:
    """Attend in this way meanwhile."""
    with patch.object(networks, "attend", attend):
        yield


def parse_arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dim", type=int, default=256)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--vocabulary", type=int, default=30_000)
    parser.add_argument("--batch-tokens", type=int, default=8_192)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--warm", type=int, default=3, help="steps that do not count")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    return parser.parse_args()


if __name__ == "__main__":
    main()
