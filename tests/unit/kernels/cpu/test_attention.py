"""What was just compiled and what is loaded from the cache give the same bits."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

CODE = """
import numpy as np
from grassmeans.kernels import get_kernels
from grassmeans.kernels.arguments import AttendingPlaces
rng = np.random.default_rng(0)
length, size = 70, 64
given = (
    rng.standard_normal((200, 1, size)).astype(np.float32),
    rng.standard_normal((300, 1, 2, 1, size)).astype(np.float16),
)
where = AttendingPlaces(
    rng.integers(0, 300, (40, length)).astype(np.int32),
    np.arange(0, 201, 5),
    rng.integers(0, length, 200).astype(np.int32),
    np.full(200, -1, np.int32),
    rng.standard_normal((length, size // 2)).astype(np.float32),
)
found = get_kernels("cpu").attend_places(*given, 0, where)
print(found.tobytes().hex())
"""


@pytest.mark.system
def test_the_first_run_gives_what_later_ones_give(tmp_path: Path) -> None:
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    runs = [
        subprocess.run(
            [sys.executable, "-c", CODE], capture_output=True, env=environment, check=True
        ).stdout
        for _ in range(2)
    ]
    assert runs[0] == runs[1]
    assert len(runs[0]) > 200 * 64
    assert any(tmp_path.rglob("attention*.nbi"))
