"""Losses are those of the plain formulas, and steps go down."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra encoder")

import torch

from grassmeans.contexts.attention.network import LeaveOneOutNetwork
from grassmeans.contexts.attention.optimising import (
    Shortcuts,
    Trainer,
    draw_chances,
    estimate_loss,
    learning_rate,
    orthogonalise,
    prediction_loss,
)
from grassmeans.contexts.attention.stored import N_SPECIAL, NetworkShape


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
    values = torch.linalg.svdvals(orthogonalise(torch.randn(*shape)))
    assert values.min() > 0.3
    assert values.max() < 1.3


def test_rates_rise_then_fall_to_nothing() -> None:
    assert learning_rate(0.015) == pytest.approx(0.5, abs=0.01)
    assert learning_rate(0.03) == pytest.approx(1.0)
    assert learning_rate(0.515) == pytest.approx(0.5)
    assert learning_rate(1.0) == 0.0


@pytest.mark.parametrize("share", [None, 0.5])
def test_what_is_certain_is_learned(share: float | None) -> None:
    # Words come in fixed triples: each is certain from its neighbours.
    network = LeaveOneOutNetwork(NetworkShape(30, 16, 2, 8, passage=12), seed=2)
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
