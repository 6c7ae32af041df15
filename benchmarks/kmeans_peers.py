"""k-means of the lines of many words on a GPU: ours, and other programs that do the same.

Each takes lines (n_words, n, dim) of unit length, starts (n_words, n_groups, dim) and the number of
iterations that it may take, and returns how many it took. `ImportError` where it is not installed.
"""

from __future__ import annotations

from functools import lru_cache

import torch

from grassmeans.clustering.loop import advance
from grassmeans.kernels import get_block_kernels
from grassmeans.kernels.blocks import HeldContexts


@lru_cache(maxsize=1)
def hold(lines: torch.Tensor) -> HeldContexts:
    """Signed lines on their device; how long it takes to send them is not asked here."""
    kernels = get_block_kernels("cuda" if lines.is_cuda else "torch-cpu")
    return kernels.hold_contexts([own[:, None].cpu().numpy() for own in lines], signed=True)


def iterate_ours(lines: torch.Tensor, starts: torch.Tensor, most: int) -> int:
    """K-Grassmeans of signed lines (n_words, n, dim) from starts (n_words, n_senses, dim)."""
    sizes, limits = [lines.shape[1]] * len(lines), [most] * len(lines)
    begun = [own[None].cpu().numpy() for own in starts]
    reached = advance(hold(lines), sizes, begun, limits, 0.0, (1,))
    return max(int(word.n_iter.max()) for word in reached) + 1


def iterate_plainly(lines: torch.Tensor, starts: torch.Tensor, most: int) -> int:
    """Cosine k-means as one would write it first with tensors of PyTorch."""
    centres = starts
    for _ in range(most):
        labels = (lines @ centres.transpose(1, 2)).argmax(dim=2)
        groups = torch.nn.functional.one_hot(labels, starts.shape[1]).to(lines.dtype)
        centres = torch.nn.functional.normalize(groups.transpose(1, 2) @ lines, dim=2)
    return most


def iterate_flash_kmeans(lines: torch.Tensor, starts: torch.Tensor, most: int) -> int:
    """The same with flash-kmeans."""
    from flash_kmeans import batch_kmeans_Cosine

    given = {"max_iters": most, "init_centroids": starts}
    return int(batch_kmeans_Cosine(lines, starts.shape[1], **given)[2])


def iterate_cuml(lines: torch.Tensor, starts: torch.Tensor, most: int) -> int:
    """The same with cuML, which takes a word at a time."""
    from cuml.cluster import KMeans

    for own, start in zip(lines, starts, strict=True):
        given = {"init": start.cpu().numpy(), "n_init": 1, "max_iter": most, "tol": 0.0}
        KMeans(len(start), **given).fit(own)
    return most


PEERS = {
    "ours": iterate_ours,
    "plain_pytorch": iterate_plainly,
    "flash_kmeans": iterate_flash_kmeans,
    "cuml": iterate_cuml,
}
