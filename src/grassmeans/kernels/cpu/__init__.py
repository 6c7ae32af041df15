"""The kernels on the CPU, compiled by Numba; each module is loaded when it is first needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_FUNCTIONS = {
    "contexts": ("count_documents", "find_windows", "gather_contexts"),
    "context_means": ("average_contexts", "measure_means"),
    "grassmeans": ("apply_groups", "assign_contexts", "multiply_bases", "square_projections"),
    "labelling": ("measure_windows", "prepare_senses"),
    "multisense": ("train_multisense",),
    "negative_sampling": ("prepare_sampling",),
    "skipgram": ("train_skipgram",),
    "sparse_coding": ("code_signals", "find_residuals", "improve_atoms"),
    "subspaces": ("solve_subspaces",),
}
_MODULE_OF = {name: module for module, names in _FUNCTIONS.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"the CPU has no kernel named {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
