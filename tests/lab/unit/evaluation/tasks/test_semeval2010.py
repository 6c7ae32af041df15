from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from grassmeans.errors import InputError
from grassmeans.evaluation.instances import read_key
from grassmeans_lab.evaluation.tasks.semeval2010 import locate_targets, read_semeval2010

SEMEVAL = Path(__file__).parents[6] / "shared" / "data" / "semeval-2010-task14"


def put(folder: Path, name: str, *instances: str) -> None:
    folder.mkdir(exist_ok=True)
    stem = name.removesuffix(".xml")
    body = "".join(
        f"<{stem}.{number}>{text}</{stem}.{number}>" for number, text in enumerate(instances, 1)
    )
    (folder / name).write_text(f"<{stem}.test>{body}</{stem}.test>", encoding="utf-8")


@pytest.mark.parametrize(
    ("sentence", "lemma", "pos", "word", "rule"),
    [
        ("They lie here .", "lie", "v", "lie", "exact"),
        ("Lie down .", "lie", "v", "Lie", "exact"),
        ("He lied and lies .", "lie", "v", "lied", "regular"),
        ("He lied about a lie .", "lie", "v", "lie", "exact"),
        ("It lay there , believe me .", "lie", "v", "lay", "irregular"),
        ("The U.S. house-to-house search .", "house", "n", "house", "exact"),
        ("The House passed it in the house .", "house", "n", "house", "exact"),
        ("A marketing man .", "market", "n", "marketing", "prefix"),
        ("I figger so .", "figure", "v", "figger", "prefix"),
    ],
)
def test_rules_that_find_a_target(sentence, lemma, pos, word, rule) -> None:
    (found,) = locate_targets(sentence, lemma, pos)
    assert sentence[found.start : found.end] == word
    assert found.rule == rule


def test_exact_form_is_preferred_at_its_own_place() -> None:
    (found,) = locate_targets("Houses near the house .", "house", "n")
    assert (found.start, found.end) == (16, 21)


def test_nothing_alike_is_not_found() -> None:
    assert locate_targets("A sweet boy to lah like that .", "lie", "v") == []


def test_several_targets_come_in_the_order_of_the_text() -> None:
    sentence = "DR. Chip put chips on a chip ."
    found = locate_targets(sentence, "chip", "n", n_targets=2)
    assert [sentence[place.start : place.end] for place in found] == ["chips", "chip"]
    assert len(locate_targets(sentence, "chip", "n", n_targets=5)) == 5


def test_context_before_and_after(tmp_path: Path) -> None:
    put(
        tmp_path / "verbs",
        "lie.v.xml",
        "Before it . <TargetSentence>He has lied &amp; left . </TargetSentence> After it .",
        "<TargetSentence>A lah .</TargetSentence>",
    )
    put(tmp_path / "nouns", "body.n.xml", "<TargetSentence>Two bodies .</TargetSentence>")
    body, lie, missing = read_semeval2010(tmp_path).instances
    assert (body.id, body.target, body.pos, body.key_word) == ("body.n.1", "body", "n", "body.n")
    assert (body.left, body.word, body.right) == ("Two ", "bodies", " .")
    assert (lie.left, lie.word) == ("Before it . He has ", "lied")
    assert lie.right == " & left . After it ."
    assert lie.located_by == "regular"
    assert (missing.left, missing.word, missing.right) == ("A lah .", "", "")
    assert missing.located_by == "not found"


def test_repeated_sentence_has_one_target_each(tmp_path: Path) -> None:
    sentence = "<TargetSentence>Happening now or happen later .</TargetSentence>"
    put(tmp_path, "happen.v.xml", sentence, sentence)
    instances = read_semeval2010(tmp_path).instances
    assert [instance.word for instance in instances] == ["Happening", "happen"]


def test_wrong_folders_and_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"holds no LEMMA.POS.xml files"):
        read_semeval2010(tmp_path)
    put(tmp_path, "lie.v.xml", "no sentence")
    with pytest.raises(InputError, match=r"lie\.v\.1 has no <TargetSentence>"):
        read_semeval2010(tmp_path)
    (tmp_path / "lie.v.xml").write_text("<lie.v.test>")
    with pytest.raises(InputError, match=r"lie\.v\.xml is not well-formed XML"):
        read_semeval2010(tmp_path)


@pytest.mark.shared
@pytest.mark.skipif(not SEMEVAL.is_dir(), reason="the test set is not here")
def test_published_test_set() -> None:
    instances = read_semeval2010(SEMEVAL / "test_data").instances
    gold = read_key(SEMEVAL / "gold.key")
    assert {instance.id for instance in instances} == {
        name for named in gold.labels.values() for name in named
    }
    rules = Counter(instance.located_by for instance in instances)
    assert rules.total() == 8915
    assert rules["not found"] <= 1
    assert rules["prefix"] <= 4
