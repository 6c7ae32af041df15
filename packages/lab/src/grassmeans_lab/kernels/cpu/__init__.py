"""The rivals' kernels on the CPU, compiled by Numba; loaded when they are first needed."""

from __future__ import annotations

from grassmeans.lazy import give_names

__all__, __getattr__, __dir__ = give_names(
    __name__,
    {
        "context_means": (
            "average_contexts",
            "count_documents",
            "count_neighbours",
            "measure_means",
        ),
        "disambiguation": ("disambiguate_words",),
        "multisense": ("train_multisense",),
        "sparse_coding": ("code_signals", "find_residuals", "improve_atoms"),
    },
)
