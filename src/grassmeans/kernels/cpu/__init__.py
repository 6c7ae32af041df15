"""The kernels on the CPU, compiled by Numba; each module is loaded when it is first needed."""

from __future__ import annotations

from grassmeans.lazy import give_names

__all__, __getattr__, __dir__ = give_names(
    __name__,
    {
        "attention": ("attend_places",),
        "contexts": ("find_windows", "gather_contexts"),
        "grassmeans": (
            "apply_groups",
            "assign_contexts",
            "multiply_bases",
            "project_own",
            "square_projections",
        ),
        "held_matrices": ("hold_matrices",),
        "inner_layers": ("add_squares",),
        "labelling": ("measure_windows", "prepare_senses"),
        "negative_sampling": ("prepare_sampling",),
        "passages": (
            "add_products",
            "describe_products",
            "encode_passages",
            "pack_matrices",
        ),
        "permutations": ("permute_groups",),
        "phrases": ("join_phrases",),
        "skipgram": ("train_skipgram",),
        "subspaces": ("solve_subspaces",),
    },
)
