"""A student with PyTorch, against the same student with the CPU's kernels."""

from __future__ import annotations

import numpy as np
import pytest

from grassmeans.contexts import open_contexts
from grassmeans.contexts.taught import TaughtEncoder
from grassmeans.corpus.occurrences import Occurrences, number_words
from grassmeans.geometry.distances import SenseLines

torch = pytest.importorskip("torch", reason="needs PyTorch (the extra gpu)")

DEVICES = [
    "torch-cpu",
    pytest.param(
        "cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
    ),
]


def open_taught(folder, device: str = "cpu") -> TaughtEncoder:
    found = open_contexts(folder, device)
    assert isinstance(found, TaughtEncoder)
    return found


@pytest.fixture(scope="module")
def occurrences(synthetic) -> Occurrences:
    """Passages of all lengths, of known and unknown words, some of them alone."""
    rng = np.random.default_rng(0)
    words = [word for topic in synthetic.topic_words for word in topic[:10]]
    words += ["the", "of", "crane", "unheard"]
    texts = [rng.choice(words, rng.integers(1, 70)).tolist() for _ in range(40)]
    everything = number_words([*texts, ["crane"]])
    return everything[np.flatnonzero(rng.random(len(everything)) < 0.5)]


@pytest.mark.parametrize("device", DEVICES)
def test_lines_are_those_of_the_kernels(taught_folder, occurrences, device, monkeypatch) -> None:
    from grassmeans.contexts.attention import inference

    monkeypatch.setattr(inference, "_TOKENS_A_PASS", 256)  # many passes
    expected = open_taught(taught_folder).encode(occurrences)[:, 0]
    found = open_taught(taught_folder, device).encode(occurrences)[:, 0]
    said = expected.any(axis=1)
    assert (~said).any()  # words that stand alone
    np.testing.assert_array_equal(found.any(axis=1), said)
    np.testing.assert_allclose(np.linalg.norm(found[said], axis=1), 1.0, atol=1e-3)
    assert (found * expected).sum(axis=1)[said].min() > 0.999


def test_few_occurrences_are_those_of_many(taught_folder, occurrences) -> None:
    few = occurrences[np.arange(20)]  # which plain NumPy encodes
    encoder, on_torch = open_taught(taught_folder), open_taught(taught_folder, "torch-cpu")
    plain = encoder.encode(few)[:, 0]
    said = plain.any(axis=1)
    # Both round alike, so that an answer does not change with the company it is in.
    assert (plain * encoder.encode(occurrences)[:20, 0]).sum(axis=1)[said].min() > 0.9999
    assert (plain * on_torch.encode(few)[:, 0]).sum(axis=1)[said].min() > 0.999


@pytest.mark.parametrize("device", DEVICES)
def test_distances_are_those_of_the_kernels(taught_folder, occurrences, device) -> None:
    encoder = open_taught(taught_folder)
    rng = np.random.default_rng(4)
    words = rng.integers(0, 3, len(occurrences))
    drawn = [rng.standard_normal((n, encoder.weights.n_axes)) for n in (1, 4, 2)]
    lines = SenseLines.collect(d / np.linalg.norm(d, axis=1, keepdims=True) for d in drawn)
    expected = encoder.measure(occurrences, words, lines)
    found = open_taught(taught_folder, device).measure(occurrences, words, lines)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
    np.testing.assert_allclose(found, expected, atol=2e-2)


def test_words_that_are_read_as_others_are_so_on_a_device(taught_folder) -> None:
    encoder = open_taught(taught_folder, "torch-cpu").writing_words_as({"crane": "bank"})
    assert encoder.device == "torch-cpu"
    lines = encoder.encode(number_words([["the", "crane", "of"], ["the", "bank", "of"]]))
    np.testing.assert_array_equal(lines[1], lines[4])
