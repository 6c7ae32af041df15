from __future__ import annotations

import numpy as np
import pytest

import gpu_devices


@pytest.mark.parametrize("device", [gpu_devices.PLAIN, gpu_devices.GPU])
@pytest.mark.parametrize("shape", [(0, 3), (1, 3), (7, 2, 3), (64, 5)])
def test_arrays_come_back_in_parts(device, shape, monkeypatch) -> None:
    with gpu_devices.use_device(device) as name:
        import torch

        from grassmeans.kernels.gpu import launching

        monkeypatch.setattr(launching, "_STAGE_BYTES", 100)
        given = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
        given.flags.writeable = False  # as a memory map
        where = torch.device("cuda" if name == gpu_devices.GPU else "cpu")
        sent = launching.to_tensor(given, where)
        found = np.full_like(given, -1)
        launching.copy_back(sent, found)
        np.testing.assert_array_equal(found, given)
        if len(shape) == 3:  # rows that are filled up stand apart
            part = np.full((*shape[:2], 2), -1, np.float32)
            launching.copy_back(sent[:, :, :2], part)
            np.testing.assert_array_equal(part, given[:, :, :2])
