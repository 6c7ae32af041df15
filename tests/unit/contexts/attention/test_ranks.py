"""Two real processes train what one trains."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra encoder")

from grassmeans import Corpus
from grassmeans.contexts.attention.network import LeaveOneOutNetwork
from grassmeans.contexts.attention.optimising import Trainer
from grassmeans.contexts.attention.ranks import Ranks, count_ranks, join_ranks
from grassmeans.contexts.attention.stored import N_SPECIAL, NetworkShape
from grassmeans.contexts.attention.training import EncoderSettings, train_encoder
from grassmeans.errors import InputError

SETTINGS = {"dim": 64, "layers": 1, "epochs": 1, "batch_tokens": 2_048}
PROGRAM = """
import sys, torch
sys.path.insert(0, sys.argv[1])
from test_ranks import train_alone_or_together
train_alone_or_together(*sys.argv[2:])
"""


def take_steps(ranks: Ranks | None) -> np.ndarray:
    network = LeaveOneOutNetwork(NetworkShape(30, dim=16, n_layers=1, head_dim=8), seed=1)
    trainer = Trainer(network, 0, ranks=ranks)
    rng = np.random.default_rng(0)
    for number in range(3):
        batch = rng.integers(N_SPECIAL, 30 + N_SPECIAL, (6, 8)).astype(np.int32)
        given = batch if ranks is None else ranks.share(batch)
        trainer.step(given, number, 0.3)
    return np.concatenate([p.detach().numpy().ravel() for p in network.parameters()])


def train_alone_or_together(place: str, corpus: str) -> None:
    """One of the processes: some steps, and a whole training."""
    with join_ranks("cpu") as ranks:
        np.save(Path(place) / f"steps-{os.environ['RANK']}.npy", take_steps(ranks))
    # A second group at the address of the first could meet what is left of it.
    os.environ["MASTER_PORT"] = os.environ["SECOND_PORT"]
    folder = Path(place) / "encoder"
    settings = EncoderSettings(**SETTINGS)
    train_encoder(Corpus.open(corpus), folder, settings, device="cpu", workers=1)


@pytest.fixture(scope="module")
def together(tmp_path_factory, topic_corpus) -> Path:
    """What two processes have done."""
    place = tmp_path_factory.mktemp("together")
    if not run_two(place, topic_corpus.path):
        # Another program may have taken an address before they did.
        place = tmp_path_factory.mktemp("together-again")
        assert run_two(place, topic_corpus.path)
    return place


def run_two(place: Path, corpus: Path) -> bool:
    """Start two processes; whether they came to their end."""
    with socket.socket() as free, socket.socket() as other:
        for one in (free, other):
            one.bind(("127.0.0.1", 0))
        first, second = (str(one.getsockname()[1]) for one in (free, other))
    started = []
    for rank in ("0", "1"):
        about = {"RANK": rank, "WORLD_SIZE": "2", "LOCAL_RANK": rank, "OMP_NUM_THREADS": "1"}
        places = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": first, "SECOND_PORT": second}
        command = [sys.executable, "-c", PROGRAM, str(Path(__file__).parent), str(place)]
        started.append(subprocess.Popen([*command, str(corpus)], env=os.environ | about | places))
    try:
        return [process.wait(timeout=90) for process in started] == [0, 0]
    except subprocess.TimeoutExpired:
        return False
    finally:
        for process in started:
            process.kill()
            process.wait()


@pytest.mark.system
def test_steps_of_two_processes_are_those_of_one(together) -> None:
    first, second = (np.load(together / f"steps-{rank}.npy") for rank in (0, 1))
    np.testing.assert_array_equal(first, second)
    # Sums come in another order, and Muon makes much of little differences.
    np.testing.assert_allclose(first, take_steps(None), atol=2e-4)


@pytest.mark.system
def test_two_processes_write_one_encoder(together, topic_corpus, tmp_path) -> None:
    train_encoder(topic_corpus, tmp_path / "alone", EncoderSettings(**SETTINGS), device="cpu")
    alone, both = (
        json.loads((folder / "manifest.json").read_text())
        for folder in (tmp_path / "alone", together / "encoder")
    )
    assert both["tokens_seen"] == alone["tokens_seen"]
    assert abs(both["held_out_loss"] - alone["held_out_loss"]) < 0.1
    assert not list(together.glob(".*.building"))


def test_a_step_has_a_passage_for_everyone() -> None:
    with pytest.raises(InputError, match="too few for 8 processes"):
        Ranks(0, 8).check(6)


def test_one_process_needs_nobody() -> None:
    with join_ranks("cpu") as ranks:
        assert ranks is None


def test_processes_are_those_of_torchrun(monkeypatch) -> None:
    monkeypatch.setenv("WORLD_SIZE", "8")  # other programs tell this, too
    assert count_ranks() == 1
    monkeypatch.setenv("RANK", "3")
    assert count_ranks() == 8


def test_a_teacher_is_heard_by_one_process(
    topic_corpus, transformer_folder, tmp_path, monkeypatch
) -> None:
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setenv("RANK", "0")
    with pytest.raises(InputError, match="heard by one process: start the command without torch"):
        train_encoder(
            topic_corpus, tmp_path / "e", device="cpu", teacher=f"transformer:{transformer_folder}"
        )
    assert list(tmp_path.iterdir()) == []
