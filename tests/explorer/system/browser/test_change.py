"""The senses of a word over groups of documents, and the words that changed most."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from grassmeans import Corpus, WordVectors
from grassmeans.contexts.subspaces import SubspaceEncoder
from grassmeans.corpus.corpus import default_options
from grassmeans.geometry.windows import ContextShape
from grassmeans.models.model import SenseModel
from grassmeans.senses.entries import Sense, WordSenses
from grassmeans.senses.inventory import SenseInventory


@pytest.fixture(scope="module")
def dated(tmp_path_factory):
    """A crane that is a bird at first and a machine later: model, corpus and report."""
    place = tmp_path_factory.mktemp("dated")
    rows = np.array([(1, 0), (2, 0.1), (0, 1), (0.1, 3)], np.float32)
    vectors = WordVectors(["nest", "wing", "steel", "load"], rows)
    encoder = SubspaceEncoder(vectors, ContextShape(2, 1), frozenset({"the"}))
    senses = tuple(Sense(k, 0.5, 0.1, (), (), (), n) for k, n in ((1, "bird"), (2, "machine")))
    entry = WordSenses("crane", 40, 40, np.eye(2, dtype=np.float32), senses)
    tokenizer = default_options().tokenizer
    model = SenseModel(encoder, SenseInventory([entry]), tokenizer, {"idk_threshold": None})
    model.save(place / "model")
    records = [{"text": "the crane nest wing", "date": 1850 + i} for i in range(12)]
    records += [{"text": "the crane steel load", "date": 1950 + i} for i in range(12)]
    records += [{"text": "the crane load steel", "date": "2001"}]
    corpus = Corpus.from_texts(records, place / "corpus", meta=["date"])
    from grassmeans.change.comparing import compare_groups
    from grassmeans.change.grouping import group_documents
    from grassmeans.change.tables import write_json

    found = compare_groups(model, group_documents(corpus, "date:century"), "crane")
    (place / "changes.json").write_bytes(write_json(found))
    return place


@pytest.fixture(scope="module")
def address(dated, serve):
    with serve(dated / "model", dated / "corpus", dated / "changes.json") as found:
        yield found


def test_shares_over_groups_lead_to_their_lines(open_page, address):
    page = open_page("#/change/crane?by=date:century", address)
    points = page.locator(".change-panel").nth(1).locator("a")
    points.nth(2).wait_for()
    assert page.locator(".change-panel").count() == 2
    assert [points.nth(i).locator("title").text_content().split(" (")[0] for i in range(3)] == [
        "1800-1899: 0 %",
        "1900-1999: 100 %",
        "2000-2099: 100 %",
    ]
    assert points.nth(2).locator("path.few").count() == 1
    assert points.nth(2).locator("circle.point").count() == 0
    assert "(2000-2099)" in page.locator(".few-note").inner_text()
    told = page.locator(".change-overall")
    assert "from 1800-1899 (12 lines) to 1900-1999 (12 lines)" in told.inner_text()
    assert told.get_by_role("link").all_inner_texts() == ["2 machine", "1 bird"]
    assert "too few" in page.locator(".change-pairs").inner_text()
    points.nth(1).click()
    page.wait_for_url(re.compile(r"concordance/crane\?.*group=1900-1999"))
    page.locator("table.kwic tbody tr").nth(11).wait_for()
    assert page.locator("table.kwic tbody tr").count() == 12
    assert "195" in page.locator("table.kwic .about").first.inner_text()
    page.get_by_label("only 1900-1999").uncheck()
    page.locator("table.kwic tbody tr").nth(12).wait_for()


def places_of(page, kind: str = "circle.target") -> list[float]:
    marks = page.locator(".change-panel").first.locator(kind)
    return [float(mark.get_attribute("cx")) for mark in marks.all()]


def test_years_stand_in_proportion(open_page, address):
    page = open_page("#/change/crane?by=date:decade", address)
    page.locator(".change-panel a").nth(4).wait_for()
    # Middles of 1850-59, 1860-69, 1950-59, 1960-69 and 2000-09: 150 years in all.
    first, *others = places_of(page)
    width = others[-1] - first
    assert [(x - first) / width for x in others] == pytest.approx(
        [10 / 150, 100 / 150, 110 / 150, 1], abs=1e-6
    )
    labels = page.locator(".change-panel").first.locator("text").all_text_contents()
    assert labels[3:] == ["1850", "1900", "1950", "2000"]
    # The axis is from 1850 to 2010: the middle of the first decade is 5 of 160 years from its left.
    left, right = (
        float(page.locator(".change-panel").first.locator("line.grid").first.get_attribute(end))
        for end in ("x1", "x2")
    )
    assert (first - left) / (right - left) == pytest.approx(5 / 160, abs=1e-6)
    months = (
        "import('/static/js/change_axis.js').then((axis) => axis.yearOf('1850-07', 'date:month'))"
    )
    assert page.evaluate(months) == pytest.approx(1850 + 6.5 / 12)


def test_other_groups_have_a_label_each(open_page, address):
    page = open_page("#/change/crane?by=date", address, viewport={"width": 360, "height": 740})
    page.locator(".change-panel a").nth(24).wait_for()
    labels = page.locator(".change-panel").first.locator("text").all_text_contents()[3:]
    assert labels == [*map(str, range(1850, 1862)), *map(str, range(1950, 1962)), "2001"]
    assert "No two groups have enough lines" in page.locator(".change-overall").inner_text()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_long_names_of_groups_are_whole_and_inside_the_picture(open_page, address):
    page = open_page("#/change/crane?by=date", address, failures=True)
    answer = page.request.get(address + "api/words/crane/change?by=date:century").json()
    names = ["The Weekly Gazette of Cranes", "x" * 40, "Times"]
    renamed = dict(zip(answer["groups"], names, strict=True))
    for row in answer["shares"]:
        row["group"] = renamed[row["group"]]
    answer |= {"groups": names, "pairs": [], "overall": None}
    page.route("**/change?*", lambda route: route.fulfill(json=answer))
    page.reload()
    panel = page.locator(".change-panel svg").first
    page.get_by_text(names[0]).first.wait_for()
    labels = panel.locator("text").all_text_contents()[3:]
    assert labels[0] == names[0]
    assert labels[1] == "x" * 29 + "…" + names[1]  # with the whole name to point at
    inside = """svg => [...svg.querySelectorAll('text')].every((text) => {
      const [own, all] = [text.getBoundingClientRect(), svg.getBoundingClientRect()];
      return own.left >= all.left - 1 && own.bottom <= all.bottom + 1 && own.right <= all.right + 1;
    })"""
    assert panel.evaluate(inside)


def test_a_few_groups_with_short_names_stand_in_small_pictures(open_page, address):
    page = open_page("#/change/crane?by=date", address, failures=True)
    answer = page.request.get(address + "api/words/crane/change?by=date:century").json()
    renamed = dict(zip(answer["groups"], ["1", "2", "both"], strict=True))
    for row in answer["shares"]:
        row["group"] = renamed[row["group"]]
    answer |= {"groups": list(renamed.values()), "pairs": [], "overall": None}
    page.route("**/change?*", lambda route: route.fulfill(json=answer))
    page.reload()
    panels = page.locator(".change-panel")
    panels.nth(1).wait_for()
    one, other = (panels.nth(i).bounding_box() for i in range(2))
    assert (other["y"], other["x"] > one["x"] + one["width"]) == (one["y"], True)
    labels = panels.first.locator("text")
    assert labels.all_text_contents()[3:] == ["1", "2", "both"]
    assert panels.first.locator("text[transform]").count() == 0
    # In the middles of thirds, not on the edges, where the shares are written.
    left, right = (
        float(panels.first.locator("line.grid").first.get_attribute(end)) for end in ("x1", "x2")
    )
    places = [float(labels.nth(3 + i).get_attribute("x")) for i in range(3)]
    assert places == pytest.approx([left + (right - left) * part / 6 for part in (1, 3, 5)])


def test_change_is_taken_along(open_page, address):
    page = open_page("#/change/crane?by=date:century", address)
    page.locator(".change-panel a").nth(2).wait_for()
    with page.expect_download() as found:
        page.get_by_role("button", name="CSV", exact=True).click()
    header, *rows = found.value.path().read_text(encoding="utf-8-sig").splitlines()
    assert (header, len(rows)) == ("group,sense,name,count,share,low,high,n,unknown,few", 6)
    assert rows[0].startswith("1800-1899,1,bird,12,1,")
    with page.expect_download() as found:
        page.get_by_role("button", name="CSV of the distances").click()
    header, first, *_ = found.value.path().read_text(encoding="utf-8-sig").splitlines()
    assert header == "first,second,n_first,n_second,jsd,p,gained,lost"
    assert first.startswith("1800-1899,1900-1999,12,12,1,")
    assert first.endswith("2 machine,1 bird")
    with page.expect_download() as found:
        page.get_by_role("button", name="SVG").click()
    picture = found.value.path().read_text()
    assert "1 bird" in picture
    assert "<svg" in picture
    with page.expect_download() as found:
        page.get_by_role("button", name="PNG").click()
    assert found.value.path().read_bytes().startswith(b"\x89PNG")


def test_points_are_reached_by_keyboard(open_page, address):
    page = open_page("#/change/crane?by=date:century", address)
    page.locator(".change-panel a").nth(2).wait_for()
    page.locator(".change-panel a").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"concordance/crane\?.*group=1800-1899"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_barrier_in_change(open_page, address, find_barriers, scheme):
    page = open_page("#/change/crane?by=date:century", address, color_scheme=scheme)
    page.locator(".change-panel a").nth(2).wait_for()
    assert find_barriers(page) == []
    page.goto(address + "#/changes")
    page.locator("table.word-table tbody tr").first.wait_for()
    assert find_barriers(page) == []


def test_another_grouping_is_chosen(open_page, address):
    page = open_page("#/change/crane", address)
    page.get_by_label("Group by").select_option("date:decade")
    page.wait_for_url(re.compile("by=date%3Adecade"))
    page.locator(".change-panel a").nth(4).wait_for()


def test_words_that_changed_most_lead_to_their_change(open_page, address):
    page = open_page("#/", address)
    page.get_by_role("link", name="Most changed").click()
    row = page.locator("table.word-table tbody tr").first
    row.wait_for()
    assert "beyond chance" in row.inner_text()
    row.get_by_role("link", name="crane").click()
    page.locator(".change-panel").first.wait_for()


def test_list_without_words_and_list_that_fails_are_told(open_page, address):
    page = open_page("#/", address, failures=True)
    nothing = {"by": "date:century", "total": 0, "words": []}
    page.route("**/api/changes?*", lambda route: route.fulfill(json=nothing))
    page.get_by_role("link", name="Most changed").click()
    page.get_by_text("Nothing was compared").wait_for()
    page.route("**/api/changes?*", lambda route: route.abort())
    page.goto(address + "#/changes?page=2")
    page.get_by_text("does not answer").wait_for()


def test_without_fields_there_is_advice(open_page):
    page = open_page("#/change/crane")
    page.get_by_text("No groups to compare").wait_for()
    assert page.get_by_role("link", name="Most changed").count() == 0


def test_the_api_answers_with_what_is_drawn(dated):
    from fastapi.testclient import TestClient

    from grassmeans_explorer.server import create_app

    app = create_app(dated / "model", dated / "corpus", changes_path=dated / "changes.json")
    with TestClient(app, base_url="http://127.0.0.1", client=("127.0.0.1", 1)) as client:
        found = client.get("/api/words/crane/change", params={"by": "date:century"}).json()
        assert found["groups"] == ["1800-1899", "1900-1999", "2000-2099"]
        assert [(row["sense"], row["count"]) for row in found["shares"][:4]] == [
            (1, 12), (2, 0), (1, 0), (2, 12),
        ]  # fmt: skip
        assert found["pairs"][0]["jsd"] == 1.0
        # The third group has one line: the comparison over all is that of the other two.
        assert found["overall"] == found["pairs"][0]
        assert (found["overall"]["gained"], found["overall"]["lost"]) == ([2], [1])
        apart = client.get("/api/words/crane/change", params={"by": "date:year"}).json()
        assert apart["overall"] is None
        listed = client.get("/api/changes", params={"limit": 1}).json()
        assert listed["words"][0]["word"] == "crane"
        lines = client.get(
            "/api/concordance", params={"word": "crane", "by": "date:century", "group": "2000-2099"}
        ).json()
        assert [line["fields"] for line in lines["lines"]] == [{"date": "2001"}]
        for path, params, status in (
            ("/api/words/crane/change", {"by": "genre"}, 409),
            ("/api/words/crane/change", {"by": "date:week"}, 409),
            ("/api/words/crane/change", {"by": "x" * 300}, 422),
            ("/api/words/anvil/change", {"by": "date:century"}, 404),
            ("/api/concordance", {"word": "crane", "by": "date:year", "group": "1"}, 404),
            ("/api/changes", {"limit": 1000}, 413),
        ):
            answer = client.get(path, params=params)
            assert answer.status_code == status, (path, answer.text)
            assert json.loads(answer.text)["error"]["message"]


def test_a_report_is_needed_for_the_list(dated):
    from fastapi.testclient import TestClient

    from grassmeans.errors import ArtifactError
    from grassmeans_explorer.server import create_app

    with TestClient(
        create_app(dated / "model"), base_url="http://127.0.0.1", client=("127.0.0.1", 1)
    ) as client:
        answer = client.get("/api/changes")
        assert answer.status_code == 409
        assert "--changes REPORT" in answer.text
        assert client.get("/api/words/crane/change?by=date").status_code == 409
    with pytest.raises(ArtifactError, match="holds a model, but a change report is needed"):
        create_app(dated / "model", changes_path=dated / "model")
