from __future__ import annotations

from grassmeans.evaluation.tasks.instances import Instance, split_marked_text


def test_marked_text_is_split() -> None:
    assert split_marked_text("on the <b> bank </b> of it") == ("on the  ", "bank", "  of it")
    assert split_marked_text("<b>bank</b>") == ("", "bank", "")
    assert split_marked_text("a <b>b</b> c <b>d</b> e") == ("a ", "b", " c d e")
    assert split_marked_text("two\nlines <b>b</b>\nc") == ("two\nlines ", "b", "\nc")


def test_text_without_a_mark() -> None:
    assert split_marked_text("no mark") is None
    assert split_marked_text("an empty <b> </b> one") is None
    assert split_marked_text("an open <b> one") is None


def test_names_and_text_of_an_instance() -> None:
    instance = Instance("crane.n.1", "crane", "n", "the ", "cranes", " flew")
    assert instance.key_word == "crane.n"
    assert instance.text == "the cranes flew"
    assert Instance("crane.1", "crane", "", "", "crane", "").key_word == "crane"
