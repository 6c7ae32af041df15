"""Losses are those of the plain formulas, steps go down, and two processes take one's steps."""

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

import torch

from grassmeans import Corpus
from grassmeans.contexts.attention.network import LeaveOneOutNetwork
from grassmeans.contexts.attention.optimising import (
    ALONE,
    Ranks,
    Shortcuts,
    Trainer,
    count_ranks,
    draw_chances,
    estimate_loss,
    join_ranks,
    learning_rate,
    orthogonalise,
    prediction_loss,
)
from grassmeans.contexts.attention.stored import N_SPECIAL, NetworkShape
from grassmeans.contexts.attention.training import EncoderSettings, train_encoder
from grassmeans.errors import InputError

SETTINGS = {"dim": 64, "layers": 1, "epochs": 1, "batch_tokens": 2_048}
PROGRAM = """
import sys, torch
sys.path.insert(0, sys.argv[1])
from test_optimising import train_alone_or_together
train_alone_or_together(*sys.argv[2:])
"""


@pytest.fixture
def network() -> LeaveOneOutNetwork:
    """A small network whose words are not all as frequent."""
    found = LeaveOneOutNetwork(NetworkShape(30, dim=16, n_layers=1, head_dim=8), seed=1)
    torch.manual_seed(0)
    with torch.no_grad():
        found.bias.copy_(torch.randn(30))
    return found


def test_loss_and_gradients_are_those_of_the_plain_formula(network) -> None:
    directions = torch.randn(11, 16, requires_grad=True)
    ids = torch.randint(0, 32, (11,))
    ids[:3] = torch.tensor([0, 1, N_SPECIAL])
    leaves = [directions, network.vectors, network.bias]
    loss = prediction_loss(network, directions, ids)
    found = torch.autograd.grad(loss, leaves)
    words = ids[ids >= N_SPECIAL] - N_SPECIAL
    logits = directions[ids >= N_SPECIAL] @ network.vectors[N_SPECIAL:].T + network.bias
    expected = torch.nn.functional.cross_entropy(logits, words)
    torch.testing.assert_close(loss, expected)
    for mine, true in zip(found, torch.autograd.grad(expected, leaves), strict=True):
        torch.testing.assert_close(mine, true, rtol=1e-4, atol=1e-6)


def test_the_estimate_with_all_words_is_the_loss(network) -> None:
    directions, ids = torch.randn(11, 16), torch.randint(0, 32, (11,))
    found = estimate_loss(network, directions, ids, torch.arange(30), torch.ones(30))
    torch.testing.assert_close(found, prediction_loss(network, directions, ids))


def test_an_estimate_weighs_words_by_their_chances() -> None:
    # Two words with equal logits; the second is drawn half of the time, so it counts twice.
    network = LeaveOneOutNetwork(NetworkShape(2, dim=8, n_layers=1, head_dim=8))
    directions, ids = torch.zeros(1, 8), torch.tensor([N_SPECIAL])
    chances = torch.tensor([1.0, 0.5])
    found = estimate_loss(network, directions, ids, torch.tensor([1]), chances)
    assert found.item() == pytest.approx(np.log(3.0))
    assert estimate_loss(network, directions, ids, torch.tensor([0]), chances).item() == 0.0


def test_chances_are_those_of_as_many_words() -> None:
    counts = np.array([100_000, 5_000, 500, 50, 50, 5, 5, 5])
    chances = draw_chances(counts, 4)
    assert chances.sum() == pytest.approx(4.0, abs=1e-3)
    assert (np.diff(chances) <= 0).all()
    assert chances[0] > 0.99
    # -log(1 - q) is in proportion to count ** 0.75
    rates = -np.log1p(-chances[[2, 3]].astype(np.float64))
    assert rates[0] / rates[1] == pytest.approx(10**0.75, rel=1e-3)
    assert draw_chances(counts, 8).tolist() == [1.0] * 8


def test_places_of_frequent_words_are_passed_over() -> None:
    counts = np.array([9_999, 1])
    shortcuts = Shortcuts.from_counts(counts, 2, share=0.5)
    assert shortcuts.preferences[N_SPECIAL + 1] == 0.0
    assert np.exp(shortcuts.preferences[N_SPECIAL]) == pytest.approx(0.01, rel=1e-3)
    ids = np.array([[0, N_SPECIAL, 3, 1, N_SPECIAL, 3]] * 400, np.int32)
    places = shortcuts.draw_places(ids, np.random.default_rng(0))
    assert places.shape == (400, 3)
    drawn = np.bincount(places.ravel(), minlength=6) / 400
    assert drawn[[2, 5]].min() > 0.97
    assert drawn[[0, 3]].max() == 0.0
    assert drawn[[1, 4]].tolist() == pytest.approx([0.5, 0.5], abs=0.08)


@pytest.mark.parametrize("shape", [(2, 8, 8), (24, 6), (2, 2, 6, 24)])
def test_orthogonalised_matrices_have_singular_values_near_one(shape: tuple[int, ...]) -> None:
    torch.manual_seed(1)
    for dtype in (torch.float32, torch.bfloat16):
        values = torch.linalg.svdvals(orthogonalise(torch.randn(*shape), dtype))
        assert values.min() > 0.3
        assert values.max() < 1.3


def test_rates_rise_then_fall_to_nothing() -> None:
    assert learning_rate(0.015) == pytest.approx(0.5, abs=0.01)
    assert learning_rate(0.03) == pytest.approx(1.0)
    assert learning_rate(0.515) == pytest.approx(0.5)
    assert learning_rate(1.0) == 0.0


@pytest.mark.parametrize(
    ("share", "dtype"), [(None, torch.float32), (0.5, torch.float32), (0.5, torch.bfloat16)]
)
def test_what_is_certain_is_learned(share: float | None, dtype: torch.dtype) -> None:
    # Words come in fixed triples: each is certain from its neighbours.
    network = LeaveOneOutNetwork(NetworkShape(30, 16, 2, 8, passage=12), seed=2, dtype=dtype)
    shortcuts = None
    if share is not None:
        shortcuts = Shortcuts.from_counts(np.full(30, 10), 15, share)
    trainer = Trainer(network, 0, shortcuts)
    rng = np.random.default_rng(3)
    triples = np.arange(30, dtype=np.int32).reshape(10, 3) + N_SPECIAL
    draw = [triples[rng.integers(10, size=(40, 4))].reshape(40, 12) for _ in range(100)]
    assert trainer.measure(draw[0], 16) == pytest.approx(np.log(30), abs=0.3)
    for number, ids in enumerate(draw[1:]):
        trainer.step(ids, number, number / 100)
    assert trainer.measure(draw[0], 16) < 1.0


def test_a_step_depends_on_the_state_alone() -> None:
    shape, ids = NetworkShape(30, 16, 1, 8, passage=12), np.arange(24, dtype=np.int32)
    shortcuts = Shortcuts.from_counts(np.arange(30, 0, -1), 10, 0.5)
    one, other = (Trainer(LeaveOneOutNetwork(shape, seed), 7, shortcuts) for seed in (0, 1))
    one.step(ids.reshape(2, 12), 0, 0.1)
    other.load(one.state())
    for trainer in (one, other):
        trainer.step(ids[::-1].reshape(2, 12).copy(), 1, 0.2)
    assert one.state().keys() == other.state().keys()
    for name, value in one.state().items():
        assert torch.equal(value, other.state()[name]), name


def test_where_nothing_can_be_compiled_the_network_itself_is_trained(monkeypatch) -> None:
    def compile_nothing(network, dynamic):
        def fail(*inputs):
            raise RuntimeError("no compiler")

        return fail

    monkeypatch.setattr(torch, "compile", compile_nothing)
    network = LeaveOneOutNetwork(NetworkShape(30, 16, 1, 8, passage=12))
    trainer = Trainer(network, 0, compiled=True)
    trainer.prepare(2)
    loss = trainer.step(np.arange(24, dtype=np.int32).reshape(2, 12), 0, 0.5)
    assert loss.item() == pytest.approx(np.log(30), abs=0.5)


def take_steps(ranks: Ranks) -> np.ndarray:
    network = LeaveOneOutNetwork(NetworkShape(30, dim=16, n_layers=1, head_dim=8), seed=1)
    trainer = Trainer(network, 0, ranks=ranks)
    rng = np.random.default_rng(0)
    for number in range(3):
        batch = rng.integers(N_SPECIAL, 30 + N_SPECIAL, (6, 8)).astype(np.int32)
        trainer.step(ranks.share(batch), number, 0.3)
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
    np.testing.assert_allclose(first, take_steps(ALONE), atol=2e-4)


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
        assert ranks == ALONE


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
