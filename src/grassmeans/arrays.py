"""The types of arrays, as signatures name them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Halves = NDArray[np.float16]
Doubles = NDArray[np.float64]
Integers = NDArray[np.int32]
Indices = NDArray[np.int64]
Booleans = NDArray[np.bool_]
