"""The kernels on the CPU, compiled by Numba; each module is loaded when it is first needed."""

from __future__ import annotations

from grassmeans.lazy import give_names

__all__, __getattr__, __dir__ = give_names(
    __name__,
    {
        "attention": ("add_squares", "attend_places"),
        "grassmeans": (
            "apply_groups",
            "assign_contexts",
            "multiply_bases",
            "project_own",
            "square_projections",
        ),
        "labelling": ("measure_windows", "prepare_senses"),
        "negative_sampling": ("prepare_sampling",),
        "passages": (
            "add_products",
            "describe_products",
            "encode_passages",
            "pack_matrices",
        ),
        "permutations": ("permute_groups",),
        "skipgram": ("hold_matrices",),
        "subspaces": ("solve_subspaces",),
        "text": ("find_windows", "gather_contexts", "join_phrases"),
    },
)
