"""Tables of DURel come in again as they went out; agreement does not depend on names and order."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from grassmeans_explorer.annotation.agreement import measure_alpha
from grassmeans_explorer.annotation.durel import export_project
from grassmeans_explorer.annotation.durel_reading import import_project
from grassmeans_explorer.annotation.project import make_project
from grassmeans_explorer.annotation.uses import Use, clean_text

texts = st.text(min_size=1, max_size=30)
units = st.lists(st.lists(st.integers(1, 4), max_size=4), max_size=8)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(texts, texts), min_size=2, max_size=4), texts, st.sampled_from("01234"))
def test_whatever_a_text_holds_its_characters_keep_their_places(pieces, comment, label):
    uses = []
    for number, (left, right) in enumerate(pieces):
        context = f"{left}crane{right}"
        target = (len(left), len(left) + 5)
        uses.append(Use(f"u{number}", "crane", context, target, (0, len(context))))
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        names = {"annotators": ["Ann"], "task": "relatedness", "n_pairs": 1}
        project = make_project(place / "project", uses, **names)
        (item,) = project.items
        project.judge("Ann", item, label, comment)
        export_project(project, place / "tables")
        found, report = import_project(place / "tables", place / "again")
        assert report.describe() == []
        assert found.judgments_of("Ann")[item].label == label
        assert found.judgments_of("Ann")[item].comment == clean_text(comment).strip()
        for use in uses:
            again = found.uses[use.identifier]
            assert again.word == "crane"
            assert again.context == clean_text(use.context)


@given(units, st.permutations([1, 2, 3, 4]))
def test_alpha_of_names_does_not_depend_on_the_names(values, names):
    renamed = [[names[value - 1] for value in unit] for unit in reversed(values)]
    first, second = measure_alpha(values), measure_alpha(renamed)
    assert (first is None) == (second is None)
    assert first is None or abs(first - second) < 1e-9
    assert first is None or first <= 1.0


@given(units)
def test_alpha_of_ranks_is_the_same_from_the_other_end(values):
    turned = [[5 - value for value in unit] for unit in values]
    first, second = measure_alpha(values, "ordinal"), measure_alpha(turned, "ordinal")
    assert (first is None) == (second is None)
    assert first is None or abs(first - second) < 1e-9
