"""SemEval-2010 task 14: instances of 50 nouns and 50 verbs, whose targets are not marked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, takewhile, zip_longest
from pathlib import Path
from xml.etree import ElementTree

from grassmeans.errors import InputError
from grassmeans.evaluation.instances import Instance, LabelledInstances
from grassmeans.evaluation.loading import InstanceFormat
from grassmeans_lab.evaluation.inflection import irregular_forms, regular_forms

_WORD = re.compile(r"[^\W_]+")
_SHORTEST_PREFIX = 3
_RULES = ("exact", "regular", "irregular")


@dataclass(frozen=True, slots=True)
class Occurrence:
    """Where a target was found in its sentence, and the rule that found it."""

    start: int
    end: int
    rule: str


def read_semeval2010(folder: str | Path) -> LabelledInstances:
    """Read every ``LEMMA.POS.xml`` below a folder (``test_data`` with ``nouns`` and ``verbs``).

    The instances come in the order of the file names, then as in the files. How each target was
    found is in ``Instance.located_by``, see `locate_targets`; ``"not found"`` where it was not.

    `InputError` where there are no such files, or one is not what it should be.
    """
    folder = Path(folder)
    paths = sorted(folder.rglob("*.[nv].xml"), key=lambda path: path.name)
    if not paths:
        raise InputError(
            f"{folder} holds no LEMMA.POS.xml files: name the test_data folder of SemEval-2010 "
            "task 14"
        )
    return LabelledInstances(tuple(i for path in paths for i in _read_file(path)))


def locate_targets(sentence: str, lemma: str, pos: str, n_targets: int = 1) -> list[Occurrence]:
    """Find the inflected lemma in its sentence, ``n_targets`` times, in the order of the text.

    Rules, in the order they are preferred: ``"exact"``, the lemma itself, in any case;
    ``"regular"``, a form made by rule; ``"irregular"``, a form from a table (see
    `grassmeans_lab.evaluation.inflection`). Where there are more occurrences than targets,
    capitalised ones are passed over first, as the task left out names. Only where none of these
    is found: ``"prefix"``, the word that shares the longest beginning with the lemma, at least
    three letters (spellings of dialects, derived words).

    Returns
    -------
    list of Occurrence
        ``n_targets`` of them, the last one repeated where there are too few; empty for none.
    """
    lemma = lemma.casefold()
    rule_of = dict.fromkeys(irregular_forms(lemma, pos), "irregular")
    rule_of |= dict.fromkeys(regular_forms(lemma, pos), "regular")
    rule_of[lemma] = "exact"
    found = [
        Occurrence(*match.span(), rule_of[match[0].casefold()])
        for match in _WORD.finditer(sentence)
        if match[0].casefold() in rule_of
    ]
    if len(found) > n_targets:
        in_lower_case = [place for place in found if sentence[place.start].islower()]
        found = in_lower_case if len(in_lower_case) >= n_targets else found
    preferred = sorted(found, key=lambda place: _RULES.index(place.rule))[:n_targets]
    chosen = sorted(preferred, key=lambda place: place.start) or _find_prefix(sentence, lemma)
    return chosen + chosen[-1:] * (n_targets - len(chosen))


def _find_prefix(sentence: str, lemma: str) -> list[Occurrence]:
    best: list[Occurrence] = []
    longest = _SHORTEST_PREFIX - 1
    for match in _WORD.finditer(sentence):
        pairs = zip(match[0].casefold(), lemma, strict=False)
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        if shared > longest:
            best, longest = [Occurrence(*match.span(), "prefix")], shared
    return best


def _read_file(path: Path) -> Iterator[Instance]:
    lemma, pos = path.name.removesuffix(".xml").rsplit(".", 1)
    try:
        root = ElementTree.parse(path).getroot()
    except ElementTree.ParseError as error:
        raise InputError(f"{path} is not well-formed XML: {error}") from error
    for element in root:
        if not _sentence_of(element):
            raise InputError(f"{path}: the instance {element.tag} has no <TargetSentence>")
    # A sentence with the target twice comes twice, once for each occurrence, in their order.
    for sentence, repeats in groupby(root, key=_sentence_of):
        elements = list(repeats)
        places = locate_targets(sentence, lemma, pos, len(elements))
        for element, place in zip_longest(elements, places):
            yield _make_instance(element, lemma, pos, place)


def _sentence_of(element: ElementTree.Element) -> str:
    return (element.findtext("TargetSentence") or "").strip()


def _make_instance(
    element: ElementTree.Element, lemma: str, pos: str, place: Occurrence | None
) -> Instance:
    sentence = _sentence_of(element)
    before = (element.text or "").strip()
    marked = element.find("TargetSentence")
    after = (marked.tail or "").strip() if marked is not None else ""
    # Where the target was not found, its context is still the end of its sentence.
    start, end = (place.start, place.end) if place else (len(sentence), len(sentence))
    return Instance(
        id=element.tag,
        target=lemma,
        pos=pos,
        left=(f"{before} " if before else "") + sentence[:start],
        word=sentence[start:end],
        right=sentence[end:] + (f" {after}" if after else ""),
        located_by=place.rule if place else "not found",
    )


SEMEVAL2010 = InstanceFormat(
    "semeval2010",
    read_semeval2010,
    gold_places=("gold.key", "all.key", "evaluation/unsup_eval/keys/all.key"),
)
