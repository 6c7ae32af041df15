"""Methods of sense induction by their names, for the command line.

A method is written ``kmeans``, or with parameters of its constructor, ``mssg:n_multi=6000``. Its
module is imported when it is asked for.
"""

from __future__ import annotations

import importlib
import inspect
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from grassmeans.errors import InputError
from grassmeans_lab.rivals.interface import RivalInducer

_PACKAGE = "grassmeans_lab.rivals"


@dataclass(frozen=True, slots=True)
class Method:
    """Where a method is, and how it is made."""

    class_name: str
    module: str
    # Parameters that make it this method and not another of the same class.
    defaults: Mapping[str, Any] = field(default_factory=dict)
    # Whether it is run for every number of senses that is asked for. The others have a number of
    # their own, as in their papers.
    varies_senses: bool = False
    # Whether what it learns of a word depends on the other words that it is asked for.
    depends_on_words: bool = False


METHODS: Mapping[str, Method] = {
    "one": Method("OneSense", "trivial"),
    "per-instance": Method("SensePerInstance", "trivial"),
    "random": Method("RandomSenses", "trivial", varies_senses=True),
    "kmeans": Method("KMeansSenses", "context_means", varies_senses=True),
    "kmeans-idf": Method("KMeansSenses", "context_means", {"idf": True}, varies_senses=True),
    "grassmeans": Method("GrassmeansSenses", "grassmeans", varies_senses=True),
    "grassmeans-singular": Method(
        "GrassmeansSenses", "grassmeans", {"weighting": "singular"}, varies_senses=True
    ),
    "reisinger-mooney": Method("PrototypeSenses", "reisinger_mooney"),
    # Its sense vectors are trained on a corpus in which all these words are relabelled.
    "huang": Method("HuangSenses", "huang", depends_on_words=True),
    "mssg": Method("MSSG", "mssg"),
    "np-mssg": Method("NPMSSG", "mssg"),
    "li-jurafsky": Method("RestaurantSenses", "li_jurafsky"),
    "atoms": Method("AtomSenses", "atoms"),
    "chen": Method("ChenSenses", "chen"),
    "autoextend": Method("AutoExtendSenses", "autoextend"),
    "skipgram": Method("PlainSkipGram", "trivial"),
}


def make_inducer(text: str, n_senses: int | None = None) -> RivalInducer:
    """Make a method of its name and parameters.

    Parameters
    ----------
    text : str
        ``name`` or ``name:parameter=value:...``; values are read as JSON, or else as they stand.
    n_senses : int, optional
        For methods that take any number of senses; the others do not look at it. A parameter of
        this name in ``text`` goes before it.

    `InputError` where the name or a parameter is unknown.
    """
    name, options = parse_method(text)
    method = find_method(name)
    module = importlib.import_module(f"{_PACKAGE}.{method.module}")
    factory: type[RivalInducer] = getattr(module, method.class_name)
    known = list(inspect.signature(factory).parameters)
    unknown = [option for option in options if option not in known]
    if unknown:
        raise InputError(
            f"{name} has no parameter {unknown[0]!r}: expected {', '.join(known) or 'none'}"
        )
    chosen = dict(method.defaults)
    if method.varies_senses and n_senses is not None:
        chosen["n_senses"] = n_senses
    return factory(**(chosen | options))


def varies_senses(text: str) -> bool:
    """Whether a method, as it is written, is to be run for every number of senses asked for."""
    name, options = parse_method(text)
    return find_method(name).varies_senses and "n_senses" not in options


def find_method(name: str) -> Method:
    """The method of a name; `InputError` for an unknown one, with those that there are."""
    method = METHODS.get(name)
    if method is None:
        raise InputError(f"unknown method {name!r}: expected one of {', '.join(METHODS)}")
    return method


def parse_method(text: str) -> tuple[str, dict[str, Any]]:
    """Split ``name:parameter=value:...`` into the name and the parameters."""
    name, *parts = text.split(":")
    options: dict[str, Any] = {}
    for part in parts:
        option, equals, value = part.partition("=")
        if not (option and equals):
            raise InputError(
                f"{text!r} is no method: expected name:parameter=value, found {part!r}"
            )
        options[option] = _read_value(value)
    return name, options


def _read_value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
