from __future__ import annotations

import pytest

from grassmeans.errors import InputError
from grassmeans_lab.rivals.context_means import KMeansSenses
from grassmeans_lab.rivals.grassmeans import GrassmeansSenses
from grassmeans_lab.rivals.registry import make_inducer, parse_method, varies_senses


def test_names_and_parameters() -> None:
    kmeans = make_inducer("kmeans-idf:n_init=2:normalise=false", 3)
    assert isinstance(kmeans, KMeansSenses)
    assert kmeans.parameters() == {
        "n_senses": 3,
        "idf": True,
        "normalise": False,
        "n_init": 2,
        "window": 10,
    }
    singular = make_inducer("grassmeans-singular:n_senses=4", 3)
    assert isinstance(singular, GrassmeansSenses)
    assert (singular.weighting, singular.n_senses) == ("singular", 4)
    assert make_inducer("one", 5).parameters() == {}


def test_values_are_json_or_text() -> None:
    name, options = parse_method("x:a=1:b=true:c=word:d=1e-3:e=null")
    assert name == "x"
    assert options == {"a": 1, "b": True, "c": "word", "d": 0.001, "e": None}


def test_which_methods_are_run_for_every_number_of_senses() -> None:
    assert varies_senses("kmeans")
    assert not varies_senses("kmeans:n_senses=7")
    assert not varies_senses("one")
    assert not varies_senses("huang")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kmean", "unknown method 'kmean': expected one of one, per-instance, random, kmeans"),
        ("kmeans:k=2", "kmeans has no parameter 'k': expected n_senses, idf"),
        ("one:k=2", "one has no parameter 'k': expected none"),
        ("kmeans:idf", "expected name:parameter=value, found 'idf'"),
    ],
)
def test_mistakes(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make_inducer(text)
