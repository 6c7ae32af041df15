"""The encoder over passages: the same bits however work is cut, and without 8-bit products."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numba
import numpy as np
import pytest

from grassmeans.errors import InputError
from grassmeans.kernels import plain
from grassmeans.kernels.arguments import EncoderLayers
from grassmeans.kernels.cpu import passages

DIM = 64


def draw_codes(seed=0, n_layers=2):
    rng = np.random.default_rng(seed)
    shapes = [(3 * DIM, DIM), (DIM, DIM), (4 * DIM, DIM), (DIM, 4 * DIM)]
    return [
        (
            rng.integers(0, 256, (n_layers, *shape)).astype(np.uint8),
            np.full((n_layers, shape[0]), 1 / 74 / np.sqrt(shape[1]), np.float32),
        )
        for shape in shapes
    ]


def draw_passages(lengths, size=32):
    rng = np.random.default_rng(1)
    offsets = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    states = rng.standard_normal((offsets[-1], DIM)).astype(np.float32)
    angles = rng.uniform(-3.0, 3.0, (max(lengths), size // 2)).astype(np.float32)
    hidden = np.array([i % length - 1 for i, length in enumerate(lengths)], np.int32)
    return states, offsets, hidden, angles


def pack(pack_matrices, codes):
    return EncoderLayers(*(pack_matrices(*each) for each in codes))


def test_a_passage_gives_the_same_bits_among_any_others_and_on_any_number_of_threads() -> None:
    layers = pack(passages.pack_matrices, draw_codes())
    if not isinstance(layers.attention, passages.PackedMatrices):
        pytest.skip("BLAS gives other last bits for other numbers of rows")
    lengths = [128, 24, 24, 1, 300, 77, 3, 128, 128, 50, 24, 128, 128]
    states, offsets, hidden, angles = draw_passages(lengths)
    found, before = [], numba.get_num_threads()
    for threads in (1, numba.config.NUMBA_NUM_THREADS):
        numba.set_num_threads(threads)
        found.append(passages.encode_passages(states, offsets, hidden, angles, layers))
    numba.set_num_threads(before)
    np.testing.assert_array_equal(*found)
    for i, (first, end) in enumerate(pairwise(offsets)):
        ends = np.array([0, end - first])
        alone = passages.encode_passages(states[first:end], ends, hidden[i : i + 1], angles, layers)
        np.testing.assert_array_equal(alone, found[0][first:end])


def test_without_8_bit_products_blas_gives_what_numpy_gives(monkeypatch) -> None:
    codes, given = draw_codes(), draw_passages([40, 1, 33, 128])
    expected = plain.encode_passages(*given, pack(plain.pack_matrices, codes))
    monkeypatch.setattr(passages, "PRODUCTS", None)
    layers = pack(passages.pack_matrices, codes)
    np.testing.assert_allclose(
        passages.encode_passages(*given, layers), expected, rtol=1e-3, atol=1e-4
    )
    sums, rows = np.ones((3, DIM), np.float32), given[0][:3]
    passages.add_products(rows, layers.mixing, 1, sums)
    np.testing.assert_allclose(sums, 1.0 + rows @ layers.mixing[1].T, rtol=1e-6)
    words = passages.describe_products()
    assert words == (
        "single-precision products by BLAS: this processor does not multiply bytes fast"
    )


def test_the_instruction_is_named() -> None:
    if passages.PRODUCTS is None:
        pytest.skip("this processor does not multiply bytes fast")
    assert passages.describe_products() == f"8-bit products by {passages.PRODUCTS.words}"


def test_blocks_are_whole_passages() -> None:
    # 256 words at most: 128 + 128, one that is longer, 200 + 56, what is left.
    offsets = np.cumsum([0, 128, 128, 300, 200, 56, 0, 1])
    assert passages.cut_blocks(offsets).tolist() == [0, 2, 3, 6, 7]
    assert passages.cut_blocks(np.array([0])).tolist() == [0]


def test_heads_fill_whole_registers() -> None:
    with pytest.raises(InputError, match="multiples of 32 and fill 64 dimensions, got 16"):
        passages.encode_passages(
            *draw_passages([4], size=16), pack(passages.pack_matrices, draw_codes())
        )


CODE = """
import sys
import numpy as np
from grassmeans.kernels import get_kernels
from grassmeans.kernels.arguments import EncoderLayers
kernels, rng = get_kernels("cpu"), np.random.default_rng(0)
shapes = [(192, 64), (64, 64), (256, 64), (64, 256)]
layers = EncoderLayers(*(
    kernels.pack_matrices(
        rng.integers(0, 256, (1, *shape)).astype(np.uint8), np.full((1, shape[0]), 0.01, "f4")
    )
    for shape in shapes
))
found = kernels.encode_passages(
    rng.standard_normal((70, 64)).astype(np.float32), np.array([0, 30, 70]),
    np.array([-1, 2], np.int32), rng.standard_normal((40, 16)).astype(np.float32), layers,
)
sys.stdout.write(found.tobytes().hex())
"""


@pytest.mark.system
def test_the_cache_gives_the_same_bits_and_is_not_used_by_another_processor(tmp_path: Path) -> None:
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}

    def run(**more: str) -> bytes:
        command = [sys.executable, "-c", CODE]
        return subprocess.run(
            command, capture_output=True, env=environment | more, check=True
        ).stdout

    def count(name: str) -> int:
        return len(list(tmp_path.rglob(f"passages.{name}-*.nbc")))

    first = run()
    assert run() == first
    assert count("_encode") + count("_attend_blocks") == 1  # compiled for one combination of types
    # A processor of no features at all multiplies in single precision, and so compiles anew.
    bare = np.frombuffer(bytes.fromhex(run(NUMBA_CPU_NAME="generic").decode()), np.float32)
    assert count("_attend_blocks") >= 1
    full = np.frombuffer(bytes.fromhex(first.decode()), np.float32)
    assert np.linalg.norm(full - bare) < 0.05 * np.linalg.norm(bare)
