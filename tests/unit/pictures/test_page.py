from __future__ import annotations

import json
import re
from dataclasses import replace

from grassmeans.pictures.page import (
    draw_cards,
    draw_senses_page,
    draw_tagged,
    html_page,
    html_table,
    planes_figure,
)
from grassmeans.pictures.planes import (
    IDK_COLOUR,
    SENSE_COLOURS,
    ContextPlane,
    PlanesScene,
    SenseLine,
    sense_colour,
)
from grassmeans.senses.entries import ExampleLine


def test_colours_repeat_and_idk_is_grey():
    assert sense_colour(1) == SENSE_COLOURS[0]
    assert sense_colour(len(SENSE_COLOURS) + 1) == SENSE_COLOURS[0]
    assert sense_colour(0) == IDK_COLOUR


def test_page_needs_nothing_else():
    page = html_page("A & B", "<p>text</p>", interactive=True)
    assert "<title>A &amp; B</title>" in page
    assert not re.search(r"""(src|href)=["']?(https?:)?//""", page)
    assert page.index("function placeLabels") < page.index("function drawPlanes")
    assert "function drawPlanes" not in html_page("a", "b")


def test_table_is_escaped():
    table = html_table(("<a>",), [("<script>",)], "x < y")
    assert "<script>" not in table
    assert "&lt;script&gt;" in table
    assert "x &lt; y" in table


def test_scene_cannot_end_its_script():
    tokens = "</script><b> <!--<script>"
    plane = ContextPlane(1, ((1, 0, 0), (0, 1, 0)), tokens, "w", "", ("w",), 1.0)
    scene = PlanesScene("w", (plane,), (SenseLine(1, (1, 0, 0), "n"),))
    figure = planes_figure(scene, "here")
    assert re.findall("<[/!a-z-]+", figure) == ["<figure", "</figure", "<script", "</script"]
    start, end = figure.index('"here"), ') + len('"here"), '), figure.rindex(");</script>")
    assert json.loads(figure[start:end]) == json.loads(json.dumps(scene.to_dict()))


def test_page_of_a_model(topic_model):
    tagged = topic_model.tag_many(["The <b>crane</b> of steel & concrete lifted the beams."])
    page = draw_senses_page(
        topic_model,
        ["crane"],
        tagged,
        title="Senses",
        introduction="Two of them.",
        next_steps="a<b",
    )
    assert page.count('class="card"') == 2
    assert page.count("drawPlanes(document") == 1
    assert "steel &amp; concrete" in page
    assert "a&lt;b" in page


def test_unknown_sense_is_shown_as_a_question(topic_model):
    tagged = topic_model.tag("<b>crane</b>")
    assert re.fullmatch(r"<mark .*I don't know.*>crane<sub>\?</sub></mark>", draw_tagged(tagged))


def test_long_examples_are_cut_between_words(topic_model):
    entry = topic_model.senses("bank")
    sense = replace(
        entry.senses[0], examples=(ExampleLine("wood " * 60, "bank", " stone" * 60, "d", 0.1),)
    )
    cards = draw_cards(replace(entry, senses=(sense,)))
    left, right = re.search(r"<li>(.*?)<b>bank</b>(.*?)</li>", cards).groups()
    assert set(left.removeprefix("…").split()) == {"wood"}
    assert set(right.removesuffix("…").split()) == {"stone"}
    assert len(left) <= 201


def test_senses_are_counted_in_words(topic_model):
    assert "2 senses from" in draw_senses_page(topic_model, ["bank"], title="t", introduction="i")
