"""Skip-gram in parts: machines train on different chunks, and their matrices are put together.

A round begins with the same matrices everywhere. Each part trains on its share of the next chunks;
then the parts' changes are put together, row by row, and the next round begins. Everything goes
through files of a folder that all workers see, so that a lost worker costs its share of a round and
a killed training goes on after the last one.

How much of the changes a row takes: a word that a part saw once was moved a little by each, and all
moves count; a word that it saw a thousand times was moved to the same place by all of them, and the
mean counts. If a part's n updates bring a row the share 1 - exp(-c n) of its way, the n updates of
all k parts, one after the other, would bring it 1 - exp(-c n k): so the sum of changes is taken
times (1 - exp(-c n k)) / (1 - exp(-c n)) / k, which is 1 for rare words and 1 / k, the mean, for
frequent ones. With the mean for all, a training in four parts loses most of what it learned.

What parts lose by not knowing of each other grows with how far a round moves the vectors: its words
times the learning rate, which falls. Rounds are short at first, and become longer as it does.
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from grassmeans.arrays import Booleans, Floats, Indices
from grassmeans.artifacts.checking import open_array, read_json
from grassmeans.artifacts.schema import check_values, text, whole
from grassmeans.artifacts.writing import write_array, write_json
from grassmeans.engines.parallel import list_machines, map_tasks
from grassmeans.errors import ArtifactError
from grassmeans.kernels.arguments import Matrices
from grassmeans.progress import progress_bar
from grassmeans.vectors import training

WARM_UP_SHARE, WARM_UP_WORDS = 0.2, 50_000_000
"""One part trains alone at first, a share of the training but no more words than this: where all
vectors are small and alike, parts that know nothing of each other lead astray."""

ROUNDS = 100
MOST_ROUND_WORDS = 10_000_000
"""About so many rounds, but none in which a part has more words than this."""

SATURATION = 0.003  # the share of its way that one update brings a row
_STATE = "rounds.json"
_DONE = "done.json"
_SIDES = ("inputs", "outputs")


@dataclass(frozen=True, slots=True)
class PartSettings:
    """What the tasks of all rounds have in common."""

    settings: training.TrainingSettings
    counts: Indices
    frozen_inputs: Booleans
    frozen_outputs: Booleans
    n_threads: int  # of a part


def train_in_parts(
    material: training.Material,
    parts: int | None,
    workers: int | None,
    *,
    folder: Path,
    identity: str,
    show_progress: bool | None = None,
) -> None:
    """Train the matrices in place; goes on after the last finished round in ``folder``.

    Without a number of parts each machine of an engine has one, with all its workers as threads. A
    training that goes on keeps the number that it began with.
    """
    machines = list_machines()
    n_parts = len(machines) or 1 if parts is None else int(parts)
    is_own = n_parts <= len(machines)  # each part has a machine of its own
    n_threads = min(machine.n_workers for machine in machines) if is_own else 1
    shards, counts, matrices = material.shards, material.counts, material.matrices
    common = PartSettings(
        material.settings, counts, matrices.frozen_inputs, matrices.frozen_outputs, n_threads
    )
    plan = training.plan_training(shards, material.settings.epochs)
    n_tokens = plan.n_tokens
    rounds = _Rounds(folder, identity, n_parts)
    todo = _plan_rounds(plan, rounds.n_parts)
    done = rounds.restore(matrices)
    edges = np.linspace(0, len(counts), rounds.n_parts + 1).astype(int).tolist()  # blocks of rows
    with progress_bar("training", n_tokens, unit="words", show=show_progress) as advance:
        for number, round_parts in enumerate(todo):
            n_words = sum(chunk.n_tokens for part in round_parts for chunk in part)
            if number >= done:
                place = rounds.place(number)
                tasks = (
                    (
                        common,
                        {c.shard: shards[c.shard] for c in part},
                        training.Plan(part, n_tokens),
                        place,
                        i,
                    )
                    for i, part in enumerate(round_parts)
                )
                own = is_own and len(round_parts) <= len(machines)
                where = [machine.name for machine in machines] if own else None
                for _ in map_tasks(train_part, tasks, workers, machines=where):
                    pass
                joining = (
                    (common, place, rounds.place(number + 1), len(round_parts), n_words, block)
                    for block in pairwise(edges)
                )
                for _ in map_tasks(join_rows, joining, workers):
                    pass
                rounds.end(number)
            advance(n_words)
    rounds.read(len(todo), matrices)


def _plan_rounds(plan: training.Plan, n_parts: int) -> list[list[list[training.Chunk]]]:
    """Rounds of parts of chunks; the first one has one part where others have several."""
    chunks = list(plan.chunks)
    n_warm = 0
    if n_parts > 1:
        words = min(WARM_UP_SHARE * plan.n_tokens, WARM_UP_WORDS)
        n_warm = next((i for i, c in enumerate(chunks) if c.tokens_before >= words), 0)
    rounds = [[chunks[:n_warm]]] if n_warm else []
    done = n_warm
    while done < len(chunks):
        words = min(_size_round(chunks[done], chunks[n_warm], plan) / n_parts, MOST_ROUND_WORDS)
        end = done + max(1, round(words / training.CHUNK_TOKENS)) * n_parts
        block = chunks[done:end]
        rounds.append([block[part::n_parts] for part in range(min(n_parts, len(block)))])
        done = end
    return rounds


def _size_round(begin: training.Chunk, first: training.Chunk, plan: training.Plan) -> float:
    """Words of all parts in a round: times the learning rate, as much as in any other round.

    Given what this round begins with, and the first round of several parts.
    """
    left, left_at_first = (1 - chunk.tokens_before / plan.n_tokens for chunk in (begin, first))
    rest = max(left**2 - left_at_first**2 / ROUNDS, 0.0)  # the rate falls to 0 in a line
    return (left - math.sqrt(rest)) * plan.n_tokens


class _Rounds:
    """Matrices between rounds, in files: those of the next round, and how far it is."""

    def __init__(self, folder: Path, identity: str, n_parts: int) -> None:
        self._folder = folder
        self._identity = identity
        self.n_parts = n_parts
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / _STATE).exists():
            self.n_parts = self._read_state()["n_parts"]

    def place(self, number: int) -> Path:
        """The folder of a round: the matrices that it begins with, and its parts."""
        return self._folder / f"round-{number:05d}"

    def restore(self, matrices: Matrices) -> int:
        """The number of rounds that are done; puts the first matrices there where none is."""
        if (self._folder / _STATE).exists():
            state = self._read_state()
            training.refuse_other_training(self._folder, state, self._identity)
            return int(state["next_round"])
        place = self.place(0)
        place.mkdir(exist_ok=True)
        for side in _SIDES:
            write_array(_block_path(place, side, 0), getattr(matrices, side))
        self._write_state(0)
        return 0

    def end(self, number: int) -> None:
        """Go on to the next round; what only this one needed goes."""
        self._write_state(number + 1)
        shutil.rmtree(self.place(number), ignore_errors=True)

    def read(self, number: int, matrices: Matrices) -> None:
        """Put the matrices that a round begins with in place."""
        for side in _SIDES:
            target: Floats = getattr(matrices, side)
            target[:] = read_side(self.place(number), side)

    def _read_state(self) -> dict[str, Any]:
        path = self._folder / _STATE
        state: dict[str, Any] = read_json(path)
        check_values(path, state, {"identity": text, "n_parts": whole(1), "next_round": whole()})
        return state

    def _write_state(self, next_round: int) -> None:
        state = {"identity": self._identity, "n_parts": self.n_parts, "next_round": next_round}
        write_json(self._folder / _STATE, state)


def _block_path(place: Path, side: str, first_row: int) -> Path:
    return place / f"{side}-{first_row:09d}.npy"


def read_side(place: Path, side: str, rows: slice = slice(None)) -> Floats:
    """(n, dim) rows of a matrix that a round begins with; they lie in several files."""
    paths = sorted(place.glob(f"{side}-*.npy"))
    blocks = [open_array(path, np.float32, (None, None)) for path in paths]
    if not blocks:
        raise ArtifactError(f"{place} has no {side}: start the training anew")
    *starts, n_rows = [0, *accumulate(map(len, blocks))]
    first, end, _ = rows.indices(n_rows)
    return np.concatenate(
        [
            block[max(first - start, 0) : max(end - start, 0)]
            for start, block in zip(starts, blocks, strict=True)
        ]
    )


def train_part(
    common: PartSettings,
    shards: Mapping[int, training.TokenShard],
    plan: training.Plan,
    place: Path,
    number: int,
) -> None:
    """Train on the chunks of a part, from the matrices of its round; the changed rows are kept."""
    folder = place / f"part-{number:03d}"
    if (folder / _DONE).exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    started = {side: read_side(place, side) for side in _SIDES}
    inputs, outputs = (started[side].copy() for side in _SIDES)
    matrices = Matrices(inputs, outputs, common.frozen_inputs, common.frozen_outputs)
    material = training.Material(shards, common.counts, matrices, common.settings)
    training.Trainer(material, common.n_threads, plan).run(show_progress=False)
    for side in _SIDES:
        trained: Floats = getattr(matrices, side)
        rows = np.flatnonzero((trained != started[side]).any(axis=1))
        write_array(folder / f"{side}-rows.npy", rows.astype(np.int64))
        write_array(folder / f"{side}.npy", trained[rows])
    write_json(folder / _DONE, {"n_words": sum(chunk.n_tokens for chunk in plan.chunks)})


def join_rows(
    common: PartSettings,
    place: Path,
    target: Path,
    n_parts: int,
    n_words: int,
    block: tuple[int, int],
) -> None:
    """Put the changes of all parts together, for a block of rows; the next round begins with it.

    ``n_words`` is of all parts of the round; ``block`` its first row and the end.
    """
    target.mkdir(parents=True, exist_ok=True)
    first, end = block
    shares = dict(zip(_SIDES, find_shares(common, n_words, n_parts), strict=True))
    for side in _SIDES:
        start = read_side(place, side, slice(first, end))
        joined = start.copy()
        for part in range(n_parts):
            folder = place / f"part-{part:03d}"
            rows = open_array(folder / f"{side}-rows.npy", np.int64, (None,), mapped=False)
            trained = open_array(folder / f"{side}.npy", np.float32, (len(rows), start.shape[1]))
            begin, stop = np.searchsorted(rows, (first, end)).tolist()
            inside = rows[begin:stop] - first
            if n_parts == 1:
                joined[inside] = trained[begin:stop]
                continue
            change = trained[begin:stop] - start[inside]
            joined[inside] += change * shares[side][rows[begin:stop], None]
        write_array(_block_path(target, side, first), joined)


def find_shares(common: PartSettings, n_words: int, n_parts: int) -> Iterator[Floats]:
    """(n_words,) how much of the sum of changes each row of the inputs takes, and of the outputs.

    Rows of the outputs are changed by their own pairs and as negatives.
    """
    settings, counts = common.settings, common.counts
    kept = training.keep_probabilities(counts, settings.sample)
    # Windows are half as long as they may be, on average, and have two sides.
    pairs = counts / counts.sum() * n_words / n_parts * kept * (settings.window + 1)
    drawn = counts.astype(np.float64) ** training.UNIGRAM_POWER
    negatives = drawn / drawn.sum() * pairs.sum() / (settings.window + 1) * settings.negative
    for updates in (pairs, pairs + negatives):
        way = np.maximum(SATURATION * updates, 1e-9)
        share = np.expm1(-n_parts * way) / np.expm1(-way) / n_parts
        yield share.astype(np.float32)
