"""Leave-one-out attention tells no place its own word, and NumPy computes what it learned."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra encoder")

import torch

from grassmeans.contexts.attention.network import (
    LeaveOneOutNetwork,
    attend,
    choose_dtype,
    export_network,
    find_seen,
    is_alone,
)
from grassmeans.contexts.attention.stored import BOUNDARY_ID, N_SPECIAL, NetworkShape
from grassmeans.contexts.learned import LearnedEncoder
from grassmeans.corpus.occurrences import number_words
from grassmeans.geometry.windows import ContextShape

WORDS = [f"w{i}" for i in range(30)]


@pytest.fixture
def network() -> LeaveOneOutNetwork:
    """A small network with weights that all matter."""
    found = LeaveOneOutNetwork(NetworkShape(30, dim=16, n_layers=3, head_dim=8, passage=12), 1)
    torch.manual_seed(0)
    with torch.no_grad():
        for weights in found.parameters():
            weights.add_(0.2 * torch.randn(weights.shape))
    return found


def see_others(ids: torch.Tensor) -> torch.Tensor:
    """All other places of a passage."""
    return find_seen(ids, torch.zeros_like(ids), itself=False)


def test_a_place_never_sees_its_own_word_but_all_others_do(network) -> None:
    ids = torch.randint(N_SPECIAL, network.shape.n_ids, (1, 9))
    other = ids.clone()
    other[0, 4] = N_SPECIAL + (ids[0, 4] + 1) % 30
    seen = see_others(ids)
    moved = (network(ids, seen) - network(other, seen))[0].abs().amax(-1)
    assert moved[4] == 0
    assert (moved[[0, 1, 2, 3, 5, 6, 7, 8]] > 1e-4).all()


def test_one_seed_gives_one_network() -> None:
    shape = NetworkShape(5, dim=8, n_layers=1, head_dim=8)
    one, same, other = (LeaveOneOutNetwork(shape, seed).vectors for seed in (3, 3, 4))
    assert torch.equal(one, same)
    assert not torch.equal(one, other)


def test_some_places_with_features_of_distinct_words_are_those_of_the_whole_passage(
    network,
) -> None:
    ids = torch.tensor([[4, 9, 4, 1, 0, 31, 9], [5, 5, 4, 2, 3, 0, 1]])
    words, rows = ids.unique(return_inverse=True)
    places = torch.tensor([[1, 6], [0, 3]])
    seen = see_others(ids)
    near = torch.stack([seen[i][:, places[i]] for i in range(2)])
    found = network(rows, near, network.word_features(words), places)
    expected = network(ids, seen).gather(1, places[..., None].expand(-1, -1, 16))
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)


def test_exported_weights_give_the_same_lines_without_torch(network) -> None:
    counts = np.arange(30, 0, -1)
    weights, vectors = export_network(network, WORDS, counts)
    encoder = LearnedEncoder(vectors, ContextShape(rank=1), frozenset(), weights)
    document = ["w3", "w8", "unheard", "w3", "w29", "w0", "w14"]
    lines = encoder.encode(number_words([document]))[:, 0]
    ids = torch.tensor([[3, 8, -2, 3, 29, 0, 14]]) + N_SPECIAL
    expected = network(ids, see_others(ids))[0].detach()
    expected = (expected / expected.norm(dim=-1, keepdim=True)).numpy()
    np.testing.assert_allclose(lines, expected, atol=2e-3)  # keys and values are kept as float16
    assert vectors.counts.tolist() == counts.tolist()
    np.testing.assert_array_equal(weights.specials, network.vectors[:N_SPECIAL].detach().numpy())


def test_a_place_sees_the_words_of_its_scope_and_no_boundary() -> None:
    ids = torch.tensor([[BOUNDARY_ID, 4, 5, 6, 7]])
    scopes = torch.tensor([[0, 0, 0, 8, 2]])
    found = find_seen(ids, scopes, itself=True)[0, 0].int().tolist()
    assert found == [
        [1, 1, 1, 0, 0],  # what a boundary says is asked by nobody
        [0, 1, 1, 0, 0],
        [0, 1, 1, 0, 0],
        [0, 0, 0, 1, 0],
        [0, 0, 0, 0, 1],
    ]
    others = find_seen(ids, scopes, itself=False)
    assert others[0, 0].int().tolist() == [
        [0, 1, 1, 0, 0],
        [0, 0, 1, 0, 0],
        [0, 1, 0, 0, 0],
        [1, 1, 1, 1, 1],  # nothing is no answer: who sees nothing sees all, and is left out
        [1, 1, 1, 1, 1],
    ]
    assert is_alone(others).int().tolist() == [[0, 0, 0, 1, 1]]


def test_what_is_beyond_a_scope_is_not_heard(network) -> None:
    ids = torch.tensor([[4, 9, 7, 12, 5, 6]])
    other = torch.tensor([[4, 9, 7, 30, 31, 8]])
    scopes = torch.tensor([[1, 1, 1, 2, 2, 2]])
    one, two = (network(x, find_seen(x, scopes, itself=False)) for x in (ids, other))
    torch.testing.assert_close(one[0, :3], two[0, :3])
    assert (one - two)[0, 3:].abs().amax(-1).min() > 1e-4


def test_plain_steps_see_what_the_whole_of_attention_sees() -> None:
    torch.manual_seed(2)
    queries, keys, values = (
        torch.randn(2, 3, 5, 8),
        torch.randn(2, 3, 7, 8),
        torch.randn(2, 3, 7, 8),
    )
    others = torch.rand(2, 1, 5, 7) > 0.4
    others[..., 0] = True
    expected = torch.nn.functional.scaled_dot_product_attention(
        queries, keys, values, attn_mask=others
    )
    torch.testing.assert_close(attend(queries, keys, values, others), expected)


@pytest.mark.parametrize(
    ("able", "expected"),
    [({"avx512_bf16": True}, "bfloat16"), ({"amx_bf16": False}, "float32"), (None, "float32")],
)
def test_processors_with_instructions_for_it_train_in_bfloat16(monkeypatch, able, expected) -> None:
    monkeypatch.delattr(torch.cpu, "get_capabilities", raising=False)
    if able is not None:
        monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: able, raising=False)
    choose_dtype.cache_clear()
    assert choose_dtype("cpu") == getattr(torch, expected)
    assert choose_dtype("cuda") == torch.bfloat16
    choose_dtype.cache_clear()


def test_layers_in_bfloat16_say_nearly_the_same(network) -> None:
    half = LeaveOneOutNetwork(network.shape, 1, dtype=torch.bfloat16)
    half.load_state_dict(network.state_dict())
    ids = torch.tensor([[4, 9, 7, 12, 5]])
    one, other = (found(ids, see_others(ids)) for found in (network, half))
    assert other.dtype == torch.bfloat16
    cosines = torch.nn.functional.cosine_similarity(one, other.float(), dim=-1)
    assert 0.99 < cosines.min() < 1.0
