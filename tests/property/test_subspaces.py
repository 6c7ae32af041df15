import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from grassmeans.geometry.subspaces import context_energies, principal_subspaces


@st.composite
def contexts(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    dim = draw(st.integers(1, 40))
    vectors = rng.standard_normal((draw(st.integers(1, 30)), dim)) * draw(
        st.sampled_from([0.1, 1, 50])
    )
    vectors += draw(st.sampled_from([0.0, 1.0])) * rng.standard_normal(dim)
    ids = rng.integers(-1, len(vectors), (draw(st.integers(1, 70)), draw(st.integers(1, 21))))
    return ids, vectors.astype(np.float32), draw(st.integers(1, min(dim, 6)))


@settings(max_examples=50, deadline=None)
@given(contexts())
def test_bases_are_those_of_a_double_precision_decomposition(case):
    ids, vectors, rank = case
    bases = principal_subspaces(ids, vectors, rank)
    for row, basis in zip(ids, bases, strict=True):
        _, sigma, right = np.linalg.svd(vectors[row[row >= 0]].astype(float), full_matrices=False)
        used = basis.any(axis=1)
        kept = int(used.sum())
        assert used[:kept].all()
        np.testing.assert_allclose(basis[:kept] @ basis[:kept].T, np.eye(kept), atol=1e-5)
        sigma = np.append(sigma, 0.0)
        first = max(sigma[0], 1e-30)
        gap = (sigma[kept - 1] ** 2 - sigma[kept] ** 2) / first**2 if kept else 1.0
        if gap > 1e-3:
            expected = right[:kept].T @ right[:kept]
            np.testing.assert_allclose(basis.T @ basis, expected, atol=1e-6 / min(gap, 0.1))
        if kept < rank:
            assert sigma[kept] <= 1e-4 * first


@settings(max_examples=25, deadline=None)
@given(contexts(), st.randoms(use_true_random=False))
def test_the_order_of_words_and_contexts_does_not_matter(case, random):
    ids, vectors, rank = case
    energies = context_energies(ids, vectors, rank)
    order = list(range(ids.shape[0]))
    columns = list(range(ids.shape[1]))
    random.shuffle(order)
    random.shuffle(columns)
    again = context_energies(ids[order][:, columns], vectors, rank)
    scale = np.maximum(energies.totals, 1e-30)[order][:, None]
    np.testing.assert_allclose(
        again.squared_singular_values / scale,
        energies.squared_singular_values[order] / scale,
        atol=1e-5,
    )
    assert (np.nan_to_num(energies.shares) <= 1.0).all()
