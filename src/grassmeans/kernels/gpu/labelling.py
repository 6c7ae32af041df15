"""Distances of all occurrences of a text to the senses of their words, on a device.

Four kernels a part of the text: the inner products of words near each other (the band), every
context's Gram matrix, which is read from the band, in tridiagonal form, its leading eigenpairs, and
then, a warp a context, its basis in registers and the distances to the senses of its word. Words'
vectors are read from memory once for each 64 words of text, and for each context from the cache.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from grassmeans.arrays import Floats
from grassmeans.kernels.arguments import SenseTable, Windows
from grassmeans.kernels.gpu.launching import Launch, Program, copy_back, send_table, to_tensor
from grassmeans.kernels.gpu.subspaces import (
    Reduced,
    find_program,
    fit_width,
    plan_reducing,
    solve_again,
    solve_precisely,
    solve_reduced,
)

_BAND_ROWS = 64
_BAND_GROUPS = _BAND_ROWS // 4
_WARPS = 4
_AT_ONCE = 1 << 19  # occurrences; a kilobyte each
_CANCELLING = 1e-5  # of the largest squared singular value


class DeviceSenses(NamedTuple):
    """A `SenseTable` on a device."""

    vectors: Tensor  # (n_words, filled dim) float32
    directions: Tensor  # (n_directions, filled dim) float32
    offsets: Tensor  # (n_targets + 1,) int32
    most: int  # the largest number of senses of a word


class Distances(NamedTuple):
    """What is measured for occurrences."""

    distances: Tensor  # (n, most senses) float32
    nearest: Tensor  # (n,) int32 the nearest sense, -1 where a context says nothing


class DeviceTable(SenseTable):
    """What `prepare_senses` gives: the arrays, and their copies on the device."""

    on_device: DeviceSenses


def prepare_senses(given: SenseTable, device: torch.device) -> DeviceTable:
    """See `grassmeans.kernels.interface`."""
    table = DeviceTable(*given)
    table.on_device = DeviceSenses(
        send_table(given.vectors, device),
        send_table(given.directions, device),
        to_tensor(given.sense_offsets, device, np.int32),
        int(np.diff(given.sense_offsets).max(initial=1)),
    )
    return table


def measure_windows(windows: Windows, part: slice, table: DeviceTable) -> Floats:
    """See `grassmeans.kernels.interface`."""
    chosen = send_windows(windows, part, table.on_device.vectors.device)
    distances, _ = measure_on_device(chosen, table)
    found = np.empty(distances.shape, np.float32)
    copy_back(distances, found)
    return found


def send_windows(windows: Windows, part: slice, device: torch.device) -> Windows:
    """Some occurrences as tensors, with the stretch of text that their windows lie in."""
    words, firsts, ends, centres = (np.asarray(array[part], np.int32) for array in windows[1:])
    first = int(firsts.min()) if len(firsts) else 0
    kept = windows.kept_rows[first : int(ends.max(initial=first))]
    arrays = (kept, words, firsts - first, ends - first, centres)
    return Windows(*(to_tensor(x, device, np.int32) for x in arrays))


def measure_on_device(windows: Windows, table: DeviceTable) -> Distances:
    """Distances of all occurrences."""
    senses = table.on_device
    n, device = len(windows.words), senses.vectors.device
    width = fit_width(2 * table.window, table.rank)
    program = find_program(senses.vectors, width, table.rank)
    found = Distances(
        torch.empty((n, senses.most), device=device),
        torch.empty(n, dtype=torch.int32, device=device),
    )
    if program is None:
        _measure_precisely(windows, torch.arange(n, device=device), table, found)
        return found
    n_kept = len(windows.kept_rows)
    band = torch.empty((width + 1, n_kept), device=device)
    columns = (width + 3) // 4 + 1
    launch = Launch(-(-n_kept // _BAND_ROWS), _BAND_GROUPS * columns)
    program.launch("multiply_band", launch, senses.vectors, windows.kept_rows, n_kept, band)
    for start in range(0, n, _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        some = Windows(windows.kept_rows, *(array[part] for array in windows[1:]))
        _measure_part(program, some, band, table, Distances(*(array[part] for array in found)))
    return found


def _measure_part(
    program: Program, windows: Windows, band: Tensor, table: DeviceTable, found: Distances
) -> None:
    """Write the distances of some occurrences, whose inner products are in the band."""
    senses, n, n_kept = table.on_device, len(windows.words), len(windows.kept_rows)
    width = len(band) - 1
    places = (windows.firsts, windows.ends, windows.centres)
    room = Reduced.make_room(width, n, band.device)
    program.launch(
        "reduce_windows", plan_reducing(width, n), band, n_kept, *places, n, table.fewest, *room
    )
    solved, poor = solve_reduced(program, room, table.rank, table.tolerance)
    again = torch.nonzero(poor).flatten()
    if len(again):
        ids = list_words(windows, again, width)
        solve_again(program, solved, again, ids, senses.vectors, table.tolerance)
    program.launch(
        "measure_distances",
        Launch(-(-n // _WARPS), 32 * _WARPS),
        *(senses.vectors, windows.kept_rows, *places, windows.words, n),
        *(solved.coefficients, solved.values),
        *(senses.directions, senses.offsets, senses.most, table.fewest, int(table.singular)),
        *found,
    )
    if len(again):
        # Of words that almost depend on each other, single precision cancels too much.
        values = solved.values[:, again]
        used = torch.where(values > 0.0, values, torch.inf).amin(dim=0)
        worst = again[(used < _CANCELLING * values[0]).nonzero().flatten()]
        if len(worst):
            _measure_precisely(windows, worst, table, found)


def list_words(windows: Windows, chosen: Tensor, width: int) -> Tensor:
    """(k, width) rows of the words of some contexts, -1 where there is none."""
    firsts, ends, centres = (x[chosen, None] for x in windows[2:])
    places = torch.arange(width, device=chosen.device, dtype=torch.int32)
    places = firsts + places + (places >= centres)
    inside = places < ends
    rows = windows.kept_rows[places.clamp(max=len(windows.kept_rows) - 1).long()]
    return rows.masked_fill(~inside, -1).contiguous()


def _measure_precisely(
    windows: Windows, chosen: Tensor, table: DeviceTable, found: Distances
) -> None:
    """Write the distances of some contexts, with plain tensors in double precision."""
    senses = table.on_device
    ids = list_words(windows, chosen, max(2 * table.window, table.rank))
    words = windows.words[chosen].long()
    firsts, ends = senses.offsets[words], senses.offsets[words + 1]
    said = (ids >= 0).sum(dim=1) >= max(table.fewest, 1)
    written = torch.full((len(chosen), senses.most), torch.nan, device=ids.device)
    for some in solve_precisely(ids, senses.vectors, table.rank, table.tolerance):
        weights = some.values / some.values[:, :1] if table.singular else some.values > 0.0
        finite = some.totals.isfinite()
        for k in range(senses.most):
            line = firsts[some.part] + k
            there = said[some.part] & finite & (line < ends[some.part])
            directions = senses.directions[line.clamp(max=len(senses.directions) - 1).long()]
            products = some.coefficients @ (some.rows @ directions.double()[:, :, None])
            inside = (products[:, :, 0].square() * weights).sum(dim=1)
            distance = (1.0 - inside).clamp_(0.0, 1.0).sqrt_().float()
            written[some.part, k] = distance.masked_fill(~there, torch.nan)
    found.distances[chosen] = written
    best = written.nan_to_num(2.0).argmin(dim=1).int()
    found.nearest[chosen] = best.masked_fill(written[:, 0].isnan(), -1)
