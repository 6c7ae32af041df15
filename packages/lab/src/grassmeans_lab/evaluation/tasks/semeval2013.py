"""SemEval-2013 task 13: instances of nouns, verbs and adjectives, with graded gold senses.

Both formats of the official release are read: a file a lemma, whose instances name the characters
at which the target stands, and the single Senseval-2 file, where ``<head>`` marks it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from grassmeans.errors import InputError
from grassmeans.evaluation.instances import Instance, LabelledInstances
from grassmeans.evaluation.loading import InstanceFormat
from grassmeans_lab.evaluation.graded_scores import GradedScores


def read_semeval2013(folder: str | Path) -> LabelledInstances:
    """Read the instances below a folder (the release's ``contexts``, or all of it).

    Files a lemma are preferred to the Senseval-2 file, which holds the same. Where the characters
    named are not the target, the nearest place where it stands is taken (``located_by`` is
    ``"nearest"``); ``"not found"`` where there is none.

    `InputError` where there are no such files, one is not what it should be, or an instance comes
    twice.
    """
    folder = Path(folder)
    paths = sorted(folder.rglob("*.xml")) if folder.is_dir() else [folder]
    roots = [(path, _parse(path)) for path in paths]
    chosen = [entry for entry in roots if entry[1].tag == "instances"]
    chosen = chosen or [entry for entry in roots if entry[1].find(".//lexelt") is not None]
    if not chosen:
        raise InputError(
            f"{folder} holds no XML files with <instances> or <lexelt>: name the folder of "
            "SemEval-2013 task 13"
        )
    instances: dict[str, Instance] = {}
    for path, root in chosen:
        for instance in _read_root(path, root):
            if instance.id in instances:
                raise InputError(f"{path}: the instance {instance.id} comes twice")
            instances[instance.id] = instance
    return LabelledInstances(tuple(instances.values()))


def _parse(path: Path) -> ElementTree.Element:
    try:
        return ElementTree.parse(path).getroot()
    except ElementTree.ParseError as error:
        raise InputError(f"{path} is not well-formed XML: {error}") from error


def _read_root(path: Path, root: ElementTree.Element) -> Iterator[Instance]:
    if root.tag == "instances":
        for element in root.iter("instance"):
            yield _from_attributes(path, element)
        return
    for lexelt in root.iter("lexelt"):
        target, dot, pos = lexelt.get("item", "").rpartition(".")
        if not dot:
            raise InputError(f"{path}: <lexelt> needs item='lemma.pos', found {lexelt.attrib}")
        for element in lexelt.iter("instance"):
            yield _from_head(path, element, target, pos)


def _from_attributes(path: Path, element: ElementTree.Element) -> Instance:
    try:
        name, target, pos = (element.attrib[key] for key in ("id", "lemma", "partOfSpeech"))
        token = element.attrib["token"]
        start, end = int(element.attrib["tokenStart"]), int(element.attrib["tokenEnd"])
    except (KeyError, ValueError) as error:
        raise InputError(
            f"{path}: an <instance> needs id, lemma, partOfSpeech, token, and numbers as "
            f"tokenStart and tokenEnd; found {element.attrib}"
        ) from error
    text = "".join(element.itertext())
    located_by = "marked"
    if text[start:end] != token or not token:
        start, located_by = _find_nearest(text, token, start)
        end = start + len(token) if located_by == "nearest" else start
    return Instance(name, target, pos, text[:start], text[start:end], text[end:], located_by)


def _find_nearest(text: str, token: str, start: int) -> tuple[int, str]:
    places = [i for i in range(len(text)) if token and text.startswith(token, i)]
    if not places:
        return len(text), "not found"
    return min(places, key=lambda place: abs(place - start)), "nearest"


def _from_head(path: Path, element: ElementTree.Element, target: str, pos: str) -> Instance:
    name, context = element.get("id"), element.find("context")
    head = context.find(".//head") if context is not None else None
    if not name or context is None or head is None:
        raise InputError(
            f"{path}: an <instance> of {target!r} needs an id and a <context> with a <head>"
        )
    word = "".join(head.itertext())
    left, right = _text_around(context, head)
    return Instance(name, target, pos, left, word, right, "marked" if word else "not found")


def _text_around(context: ElementTree.Element, head: ElementTree.Element) -> tuple[str, str]:
    """The text before and after the first ``<head>``, whatever other elements there are."""
    before: list[str] = []
    after: list[str] = []

    def collect(element: ElementTree.Element, parts: list[str]) -> list[str]:
        if element is head:
            parts = after
        else:
            parts.append(element.text or "")
            for child in element:
                parts = collect(child, parts)
        if element is not context:
            parts.append(element.tail or "")
        return parts

    collect(context, before)
    return "".join(before), "".join(after)


SEMEVAL2013 = InstanceFormat(
    "semeval2013",
    read_semeval2013,
    gold_places=("keys/gold/all.key", "gold.key", "all.key"),
    scoring=GradedScores,
)
