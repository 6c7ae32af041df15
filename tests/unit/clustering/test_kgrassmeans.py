import numba
import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from grassmeans.clustering.kgrassmeans import KGrassmeans
from grassmeans.errors import InputError
from grassmeans.geometry.rules import GroupingRules
from grassmeans.geometry.subspaces import principal_subspaces


@parametrize_with_checks(
    [
        KGrassmeans(random_state=0),
        KGrassmeans("auto", rules=GroupingRules(3, 0.97), random_state=0),
    ]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def bases():
    rng = np.random.default_rng(0)
    topics = rng.standard_normal((3, 40))
    vectors = np.repeat(topics, 50, axis=0) + rng.standard_normal((150, 40))
    topic_of = np.repeat([0, 1, 2], [120, 90, 60])
    context_ids = rng.integers(0, 50, (270, 10)) + 50 * topic_of[:, None]
    return principal_subspaces(context_ids, vectors)


def test_distances_by_hand():
    model = KGrassmeans(n_senses=1, random_state=0).fit([[1.0, 0.0], [1.0, 0.0]])
    # d(u, S) = sqrt(1 - cos^2) = sin of the angle
    distances = model.transform([[2.0, 0.0], [0.0, 3.0], [1.0, 1.0], [3.0, 4.0], [0.0, 0.0]])
    np.testing.assert_allclose(distances[:, 0], [0, 1, np.sqrt(0.5), 0.8, 1], atol=1e-3)


def test_planted_topics_are_found_largest_first(bases):
    model = KGrassmeans(n_senses=3, random_state=0).fit(bases)
    np.testing.assert_array_equal(model.labels_, np.repeat([0, 1, 2], [120, 90, 60]))
    assert model.directions_.shape == (3, 40)
    np.testing.assert_allclose(np.linalg.norm(model.directions_, axis=1), 1.0, atol=1e-6)
    assert model.n_features_in_ == 40
    assert 1 <= model.n_iter_ <= 100


@pytest.mark.parametrize("n_senses", [1, 2, 5])
@pytest.mark.parametrize("init", ["random", "k-means++"])
def test_the_last_assignment_agrees_with_everything(bases, n_senses, init):
    model = KGrassmeans(n_senses=n_senses, init=init, random_state=1)
    labels = model.fit_predict(bases)
    distances = model.transform(bases)
    np.testing.assert_array_equal(labels, model.labels_)
    np.testing.assert_array_equal(labels, model.predict(bases))
    np.testing.assert_array_equal(labels, distances.argmin(axis=1))
    assert model.inertia_ == pytest.approx((distances.min(axis=1) ** 2).sum(), rel=1e-9)
    assert model.score(bases) == pytest.approx(-model.inertia_, rel=1e-9)
    assert model.objective_path_[-1] == pytest.approx(model.inertia_, rel=1e-5)
    assert (np.diff(np.bincount(labels, minlength=n_senses)) <= 0).all()


def test_the_same_seed_gives_the_same_result_on_any_number_of_threads(bases):
    many = np.concatenate([bases] * 6)
    before = numba.get_num_threads()
    models = []
    for n_threads in (1, min(2, numba.config.NUMBA_NUM_THREADS)):
        numba.set_num_threads(n_threads)
        models.append(KGrassmeans(n_senses=4, random_state=7).fit(many))
    numba.set_num_threads(before)
    np.testing.assert_array_equal(models[0].directions_, models[1].directions_)
    np.testing.assert_array_equal(models[0].labels_, models[1].labels_)


@pytest.fixture(scope="module")
def noise():
    """Lines without groups, on which every parameter of the search shows."""
    return np.random.default_rng(2).standard_normal((300, 6))


def test_every_parameter_of_the_search_has_a_say(noise):
    def fit(**options):
        return KGrassmeans(6, random_state=1, **{"n_init": 1} | options).fit(noise)

    usual = fit()
    assert usual.n_iter_ > 3
    assert fit(n_init=8).inertia_ < 0.999 * usual.inertia_
    assert [fit(max_iter=limit).n_iter_ for limit in (1, 3)] == [1, 3]
    assert fit(tol=0.05).n_iter_ < usual.n_iter_


def test_spread_out_starts_are_there_at_once_and_random_ones_are_not():
    axes = np.repeat(np.eye(6), 20, axis=0)
    begun = {
        init: KGrassmeans(6, init=init, n_init=1, random_state=1).fit(axes).objective_path_[0]
        for init in ("k-means++", "random")
    }
    assert begun["k-means++"] == pytest.approx(0.0, abs=1e-4)
    assert begun["random"] > 1.0


def test_the_ends_of_the_ranges_are_taken(noise):
    rules = GroupingRules(max_senses=2, merge_cosine=1.0, part_cosine=1.0, rare_ease=1.0)
    model = KGrassmeans("auto", random_state=0, tol=0.0, rules=rules).fit(noise)
    assert model.n_senses_ == 2  # only what is the same is merged


@pytest.mark.parametrize(
    "make",
    [lambda: 3, lambda: np.random.default_rng(3), lambda: np.random.RandomState(3)],
)
def test_random_states_of_every_kind(bases, make):
    first = KGrassmeans(n_senses=3, random_state=make()).fit(bases)
    second = KGrassmeans(n_senses=3, random_state=make()).fit(bases)
    np.testing.assert_array_equal(first.directions_, second.directions_)


def test_weighted_rows_are_accepted():
    rng = np.random.default_rng(5)
    vectors = rng.standard_normal((40, 12))
    ids = rng.integers(0, 40, (60, 8))
    weighted = principal_subspaces(ids, vectors, weighting="singular")
    distances = KGrassmeans(n_senses=2, random_state=0).fit_transform(weighted)
    assert distances.shape == (60, 2)
    assert ((distances >= 0) & (distances <= 1)).all()


def test_feature_names_out(bases):
    model = KGrassmeans(n_senses=2, random_state=0).fit(bases)
    assert model.get_feature_names_out().tolist() == ["kgrassmeans0", "kgrassmeans1"]


def test_prediction_needs_a_fit(bases):
    with pytest.raises(NotFittedError):
        KGrassmeans().predict(bases)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_senses": 0}, "n_senses must be a whole number"),
        ({"n_senses": 271}, "n_senses=271 .* n_samples=270"),
        ({"n_init": 1.5}, "n_init must be a whole number"),
        ({"max_iter": 0}, "max_iter"),
        ({"tol": -1e-3}, "tol"),
        ({"init": "best"}, "one of random, k-means"),
        ({"device": "abacus"}, "device"),
    ],
)
def test_wrong_parameters_are_explained(bases, options, message):
    with pytest.raises(InputError, match=message):
        KGrassmeans(**options).fit(bases)


def test_wrong_bases_are_explained(bases):
    model = KGrassmeans(n_senses=2, random_state=0).fit(bases)
    broken = bases.copy()
    broken[5, 1, 3] = np.nan
    for X, message in (
        (broken, "NaN"),
        (bases * 2, "orthogonal and of at most unit length"),
        (np.concatenate([bases[:, :1]] * 2, axis=1), "orthogonal"),
        (bases[:, :, :20], "20 features.*expecting 40"),
        (bases[:0], "at least one"),
    ):
        with pytest.raises(ValueError, match=message):
            model.predict(X)


def test_of_restarts_with_one_end_the_first_is_taken() -> None:
    """Which of them is lower by a rounding differs between processors; all find these groups."""
    rng = np.random.default_rng(0)
    centres = np.repeat(np.eye(2, 40), 50, axis=0)
    rows = (centres + 0.05 * rng.standard_normal(centres.shape))[:, None].astype(np.float32)
    bases = rows / np.linalg.norm(rows, axis=2, keepdims=True)
    for seed in range(12):
        one, many = (KGrassmeans(2, n_init=n, random_state=seed).fit(bases) for n in (1, 5))
        assert np.bincount(one.labels_).tolist() == [50, 50]
        np.testing.assert_array_equal(many.labels_, one.labels_)
