from __future__ import annotations

import json

import pytest

from grassmeans.artifacts.writing import building_place, write_manifest
from grassmeans.errors import InputError
from grassmeans.recipes.steps import Steps


class Maker:
    """Writes folders, and remembers which, and whether it might replace them."""

    def __init__(self):
        self.made = []

    def __call__(self, output, overwrite):
        self.made.append((output.name, overwrite))
        output.mkdir(exist_ok=True)
        write_manifest(output, "corpus", 1, {})


@pytest.fixture
def make():
    return Maker()


def take(folder, make, inputs, **options):
    """Take the steps a and b."""
    given = {"overwrite": False, "tell": lambda line: None} | options
    steps = Steps(folder, **given)
    return [steps.take(name, given, make) for name, given in zip("ab", inputs, strict=True)]


def test_what_is_done_is_not_done_again(tmp_path, make):
    told = []
    first = take(tmp_path / "s", make, [1, 2])
    assert take(tmp_path / "s", make, [1, 2], tell=told.append) == first
    assert first == [tmp_path / "s" / "a", tmp_path / "s" / "b"]
    assert make.made == [("a", False), ("b", False)]
    assert told == ["a: is there", "b: is there"]


def test_a_step_depends_on_those_before_it(tmp_path, make):
    take(tmp_path / "s", make, [1, 2])
    with pytest.raises(InputError, match=r"step 'a' in .* other inputs or options.*overwrite=True"):
        take(tmp_path / "s", make, [7, 2])
    with pytest.raises(InputError, match="step 'b'"):
        take(tmp_path / "s", make, [1, 7])
    assert len(make.made) == 2
    take(tmp_path / "s", make, [7, 2], overwrite=True)
    assert make.made[2:] == [("a", True), ("b", True)]
    take(tmp_path / "s", make, [7, 2])
    assert len(make.made) == 4


def test_a_step_that_was_killed_while_it_was_taken_anew_is_not_whole(tmp_path, make):
    take(tmp_path / "s", make, [1, 2])

    def die(output, overwrite):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        take(tmp_path / "s", die, [1, 7], overwrite=True)
    assert (tmp_path / "s" / "b").is_dir()  # the old one
    take(tmp_path / "s", make, [1, 7])
    assert make.made[2:] == [("b", True)]


def test_a_step_whose_end_was_not_noted_is_whole(tmp_path, make):
    take(tmp_path / "s", make, [1, 2])
    path = tmp_path / "s" / "steps.json"
    record = json.loads(path.read_text())
    record["b"] |= {"seconds": None}
    path.write_text(json.dumps(record))
    take(tmp_path / "s", make, [1, 2])
    assert len(make.made) == 2


def test_a_folder_that_a_person_took_away_is_made_again(tmp_path, make):
    _, second = take(tmp_path / "s", make, [1, 2])
    second.rename(tmp_path / "elsewhere")
    take(tmp_path / "s", make, [1, 2])
    assert make.made[2:] == [("b", False)]


def test_bad_input_leaves_nothing_where_nothing_was_begun(tmp_path, make):
    def refuse(output, overwrite):
        raise InputError("no")

    with pytest.raises(InputError, match="no"):
        take(tmp_path / "s", refuse, [1, 2])
    assert not (tmp_path / "s").exists()
    take(tmp_path / "s", make, [3, 4])  # other options are welcome


def test_unfinished_work_of_other_options_is_not_thrown_away(tmp_path, make):
    def begin(output, overwrite):
        building_place(output).mkdir(parents=True)
        raise InputError("no")

    with pytest.raises(InputError, match="no"):
        take(tmp_path / "s", begin, [1, 2])
    with pytest.raises(InputError, match="step 'a'"):
        take(tmp_path / "s", make, [3, 4])


def test_a_folder_of_other_things_is_let_be(tmp_path, make):
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "letter.txt").write_text("dear")
    with pytest.raises(InputError, match="other things than steps"):
        take(tmp_path / "s", make, [1, 2])
    (tmp_path / "f").write_text("")
    with pytest.raises(InputError, match="in the way"):
        take(tmp_path / "f", make, [1, 2])


def test_steps_are_new_until_one_but_the_corpus_was_begun(tmp_path, make):
    steps = Steps(tmp_path / "s", overwrite=False, tell=lambda line: None)
    assert steps.is_new
    steps.take("corpus", 1, make)
    assert steps.is_new
    steps.take("encoder", 1, make)
    assert not steps.is_new
