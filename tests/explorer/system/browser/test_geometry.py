"""Planes and maps: turned, zoomed, narrowed down to senses, opened and taken along."""

from __future__ import annotations

import json
import math
import re
import struct
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from grassmeans.pictures.page import html_page, planes_figure
from grassmeans.pictures.planes import ContextPlane, PlanesScene, SenseLine

expect = pytest.importorskip("playwright.sync_api").expect

SHOT = "canvas => canvas.toDataURL()"
BOXES = """names => names.map((name) => {
  const {left, top, right, bottom} = name.getBoundingClientRect();
  return [left, top + 2, right, bottom - 2];
})"""


def overlapping(boxes: list[list[float]]) -> list[tuple[int, int]]:
    """Pairs of boxes (left, top, right, bottom) that cover one another."""
    return [
        (i, j)
        for j, (left, top, right, bottom) in enumerate(boxes)
        for i in range(j)
        if left < boxes[i][2] and boxes[i][0] < right
        if top < boxes[i][3] and boxes[i][1] < bottom
    ]


def test_labels_lie_beside_their_points(open_page) -> None:
    page = open_page()
    place = "([labels, dots]) => placeLabels(labels, 200, 100, dots)"
    label = {"x": 50, "y": 50, "width": 40, "height": 20}
    (free,) = page.evaluate(place, [[label], []])
    assert free == {"x": 55, "y": 40, "width": 40, "height": 20, "away": 5}  # to the right
    (moved,) = page.evaluate(place, [[label], [[70, 50], [75, 52]]])
    assert (moved["x"], moved["y"]) == (5, 40)  # to the left, where no dot is
    (inside,) = page.evaluate(place, [[label | {"inside": True}], []])
    assert (inside["x"], inside["y"], inside["away"]) == (30, 40, 0)
    edge = page.evaluate(place, [[label | {"x": 199, "y": 99}], []])[0]
    assert edge["x"] + 40 <= 200
    assert edge["y"] + 20 <= 100
    assert page.evaluate(place, [[label | {"width": 201}], []]) == [None]


def test_no_label_covers_another_however_many_there_are(open_page) -> None:
    page = open_page()
    placed = page.evaluate(
        """() => {
          let seed = 7;
          const next = () => (seed = seed * 16807 % 2147483647) / 2147483647;
          const all = [];
          for (let run = 0; run < 20; run++) {
            // Half of the pictures have all their points in one corner.
            const spread = run % 2 ? 1 : 0.1;
            const labels = Array.from({length: 4 + run}, () => ({
              x: 400 * spread * next(), y: 300 * spread * next(),
              width: 40 + 100 * next(), height: 18}));
            all.push(placeLabels(labels, 400, 300, [], run % 3 ? Infinity : 30));
          }
          return all;
        }"""
    )
    for run, boxes in enumerate(placed):
        found = [[b["x"], b["y"], b["x"] + b["width"], b["y"] + b["height"]] for b in boxes if b]
        assert len(found) == len(boxes) if run < 12 and run % 3 else found
        assert overlapping(found) == []
        assert all(b[0] >= 0 and b[1] >= 0 and b[2] <= 400 and b[3] <= 300 for b in found)


def test_many_senses_have_names_that_do_not_collide(open_page) -> None:
    page = open_page()
    line = {"confidence": 0.9, "left": "a ", "word": "crane", "right": " b", "position": None}
    crowd = [(i % 6 + 1, i // 6 * 0.1 + i % 6 * 0.01, i % 7 * 0.1) for i in range(60)]
    points = [{"x": x, "y": y, "sense": sense} | line for sense, x, y in crowd]
    corners = [{"sense": k, "x": 0.1 * k, "y": 0.1} for k in range(1, 7)]
    drawn = {"layout": "ring", "points": points, "senses": corners}
    page.route("**/map?*", lambda route: route.fulfill(json=drawn))
    page.goto(page.url + "geometry/crane?k=6&senses=1,2,3,4,5,6")
    names = page.locator(".map-name")
    expect(names).to_have_count(6)
    assert overlapping(names.evaluate_all(BOXES)) == []
    told = page.locator(".choices .choice").all_inner_texts()
    assert sorted(names.all_text_contents()) == sorted(text.split(maxsplit=1)[1] for text in told)
    page.set_viewport_size({"width": 340, "height": 700})
    expect(names).to_have_count(6)
    assert overlapping(names.evaluate_all(BOXES)) == []


def test_one_sense_is_spread_over_the_map(open_page) -> None:
    page = open_page("#/geometry/crane?k=1")
    expect(page.locator(".map-reading")).to_contain_text("up and down has no meaning")
    heights = page.locator(".map .dot").evaluate_all(
        "dots => dots.map((dot) => dot.cy.baseVal.value)"
    )
    assert max(heights) - min(heights) > 50


def test_senses_have_corners_that_are_explained(open_page) -> None:
    page = open_page("#/geometry/crane?k=5")
    rings = page.locator(".map .anchor")
    expect(rings).to_have_count(5)
    expect(page.locator(".map-name")).to_have_count(5)
    expect(page.locator(".map-reading")).to_contain_text("between two corners it could have either")
    expect(page.locator(".view-geometry")).to_contain_text("Each disc is one line of text")
    places = rings.evaluate_all(
        "all => all.map((ring) => [ring.cx.baseVal.value, ring.cy.baseVal.value])"
    )
    width = page.locator(".map").evaluate("map => map.clientWidth")
    apart = [math.dist(a, b) for i, a in enumerate(places) for b in places[:i]]
    # Five corners of a ring that fills the picture, whose height is three quarters of its width.
    assert min(apart) > 0.3 * width
    # A corner and its dots have the colour that the sense has among the choices.
    shades = "all => all.map((one) => getComputedStyle(one).getPropertyValue('--sense'))"
    assert rings.evaluate_all(shades) == page.locator(".dial .choice").evaluate_all(shades)
    # The ring says whose it is, and no name lies over one.
    assert page.locator(".map .anchor-number").all_text_contents() == list("12345")
    boxes = page.locator(".map-name").evaluate_all(BOXES)
    frame = page.locator(".map").bounding_box()
    middles = [(x + frame["x"], y + frame["y"]) for x, y in places]
    covered = [(x, y) for x, y in middles for b in boxes if b[0] < x < b[2] and b[1] < y < b[3]]
    assert covered == []
    page.get_by_role("checkbox").first.uncheck(force=True)
    expect(page.locator(".map .anchor:not(.gone)")).to_have_count(4)
    expect(page.locator(".map .anchor-number:not(.gone)")).to_have_count(4)
    page.goto(page.url.split("?")[0])
    expect(page.locator(".map-reading")).to_contain_text("The two senses stand on the left")


def test_planes_turn_and_can_be_picked(open_page) -> None:
    page = open_page("#/geometry/crane")
    canvas = page.locator(".planes canvas")
    caption = page.locator(".planes-caption")
    expect(caption).to_contain_text("Each disc is one line of text")
    pictures = [canvas.evaluate(SHOT)]
    for key in ("ArrowRight", "ArrowUp", "ArrowDown", "ArrowLeft", "+", "-", "0"):
        canvas.press(key)
        pictures.append(canvas.evaluate(SHOT))
    assert all(one != other for one, other in pairwise(pictures[:-1]))
    canvas.press("n")
    expect(caption.locator("strong")).to_have_text("crane", ignore_case=True)
    assert "plane=1" in page.url
    canvas.press("p")
    expect(page.locator(".plane-list li")).not_to_have_count(0)
    last = page.locator(".plane-list li").count()
    assert f"plane={last}" in page.url
    page.reload()
    expect(caption.locator("strong")).to_have_text("crane", ignore_case=True)
    caption.get_by_role("button", name="Read its document").click()
    expect(page.get_by_role("dialog").locator("mark")).to_have_text("crane", ignore_case=True)
    page.keyboard.press("Escape")
    canvas.press("Escape")
    expect(caption).to_contain_text("Each disc is one line of text")


def test_planes_are_dragged_and_clicked(open_page) -> None:
    page = open_page("#/geometry/crane", viewport={"width": 1100, "height": 900})
    canvas = page.locator(".planes canvas")
    expect(page.locator(".planes-caption")).to_contain_text("Each disc")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    before = canvas.evaluate(SHOT)
    page.mouse.move(*middle)
    page.mouse.down()
    page.mouse.move(middle[0] + 60, middle[1] + 20, steps=3)
    page.mouse.up()
    assert canvas.evaluate(SHOT) != before
    expect(page.locator(".planes-caption strong")).to_have_count(0)  # a drag picks nothing
    page.mouse.click(*middle)
    expect(page.locator(".planes-caption strong")).to_have_text("crane", ignore_case=True)
    page.mouse.click(box["x"] + 2, box["y"] + 2)
    expect(page.locator(".planes-caption")).to_contain_text("Each disc")
    before = canvas.evaluate(SHOT)
    page.mouse.wheel(0, -200)  # the picture has the focus
    page.wait_for_function("([c, b]) => c.toDataURL() !== b", arg=[canvas.element_handle(), before])
    page.locator(".planes-place").get_by_role("button", name="Reset").click()
    page.wait_for_function("([c, b]) => c.toDataURL() === b", arg=[canvas.element_handle(), before])


def test_senses_to_show_are_those_of_both_pictures(open_page) -> None:
    page = open_page("#/geometry/crane")
    ones = page.locator('.map .dot[data-sense="1"]:not(.gone)')
    twos = page.locator('.map .dot[data-sense="2"]:not(.gone)')
    expect(page.locator(".map-name")).to_have_count(2)
    expect(ones).not_to_have_count(0)
    page.get_by_role("checkbox").first.uncheck(force=True)
    expect(page.locator(".plane-list li .badge", has_text="1")).to_have_count(0)
    expect(ones).to_have_count(0)
    expect(twos).not_to_have_count(0)
    expect(page.locator(".map-name")).to_have_count(1)
    assert "senses=2" in page.url
    page.get_by_role("link", name="Show those that differ most").click()
    expect(ones).not_to_have_count(0)
    assert page.url.endswith("#/geometry/crane")


def test_map_is_read_and_opened_by_keyboard(open_page) -> None:
    page = open_page("#/geometry/crane")
    expect(page.locator(".map .dot").nth(100)).to_be_attached()
    expect(page.locator(".map-name")).to_have_count(2)
    picture = page.locator(".map")
    picture.focus()
    line = page.locator(".map-line")
    expect(line).to_contain_text("confidence")
    current = page.locator(".dot.current")
    first = current.get_attribute("cx")
    places = set()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"):
        page.keyboard.press(key)
        assert current.count() == 1
        places.add((current.get_attribute("cx"), current.get_attribute("cy")))
    assert len(places) > 2
    assert first is not None
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog").locator("mark")).to_have_text("crane", ignore_case=True)


def test_click_on_a_dot_opens_its_line(open_page, explorer) -> None:
    page = open_page("#/geometry/crane")
    expect(page.locator(".map-name")).to_have_count(2)
    page.locator(".map .dot").nth(3).dispatch_event("click")
    said = page.locator(".map-line").inner_text()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator("mark")).to_have_text("crane", ignore_case=True)
    words = said.partition("…")[2].split()[1:4]
    expect(dialog.locator(".document")).to_contain_text(" ".join(words), ignore_case=True)
    expect(page).to_have_url(re.compile("doc="))
    page.reload()  # the address is enough
    expect(dialog.locator(".document")).to_contain_text(" ".join(words), ignore_case=True)
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(page).not_to_have_url(re.compile("doc="))
    expect(page.locator(".map-name")).to_have_count(2)
    # A finger reads first, and opens with the button.
    touch = "dot => dot.dispatchEvent(new PointerEvent('click', {pointerType: 'touch'}))"
    page.locator(".map .dot").nth(5).evaluate(touch)
    expect(dialog).to_have_count(0)
    page.locator(".map-line").get_by_role("button", name="Read its document").click()
    expect(dialog.locator("mark")).to_have_text("crane", ignore_case=True)
    page.goto(explorer + "#/words")
    expect(page.locator(".word-table")).to_be_visible()
    expect(dialog).to_have_count(0)


def test_map_is_zoomed_and_moved(open_page) -> None:
    page = open_page("#/geometry/crane", viewport={"width": 1100, "height": 900})
    picture = page.locator(".map")
    expect(page.locator(".map-name")).to_have_count(2)
    spread = """dots => {
      const xs = dots.map((dot) => Number(dot.getAttribute('cx')));
      return Math.max(...xs) - Math.min(...xs);
    }"""
    dots = page.locator(".map .dot")
    whole = dots.evaluate_all(spread)
    tools = page.locator(".map-place .zoom")
    tools.get_by_role("button", name="Zoom in").click()
    page.wait_for_url("**at=1.4,**".replace(",", "%2C"))
    assert dots.evaluate_all(spread) == pytest.approx(1.4 * whole, rel=0.01)
    picture.press("+")
    page.wait_for_url("**at=1.96%2C0.5%2C0.5")
    picture.press("Shift+ArrowRight")
    page.wait_for_url("**at=1.96%2C0.577%2C0.5")
    page.reload()  # the address is enough
    expect(page.locator(".map.zoomed")).to_be_visible()
    assert dots.evaluate_all(spread) == pytest.approx(1.96 * whole, rel=0.01)
    picture.scroll_into_view_if_needed()
    box = picture.bounding_box()
    corner = box["x"] + 30, box["y"] + 30
    page.mouse.move(*corner)
    page.mouse.down()
    page.mouse.move(corner[0] + 50, corner[1] + 40, steps=4)
    page.mouse.up()
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.wait_for_url(lambda url: "0.577" not in url)
    picture.focus()
    page.mouse.wheel(0, -100)
    page.wait_for_url(lambda url: "at=1.96" not in url)
    picture.press("-")
    picture.press("0")
    page.wait_for_url("**#/geometry/crane")
    tools.get_by_role("button", name="Zoom out").click()
    assert dots.evaluate_all(spread) == pytest.approx(whole, rel=0.01)


def test_two_fingers_zoom(open_page) -> None:
    page = open_page("#/geometry/crane")
    expect(page.locator(".map-name")).to_have_count(2)
    page.locator(".map").evaluate(
        """(map) => {
          const box = map.getBoundingClientRect();
          const send = (type, pointerId, x) => map.dispatchEvent(new PointerEvent(type, {
            pointerId, pointerType: 'touch', bubbles: true,
            clientX: box.left + x, clientY: box.top + 50}));
          send('pointerdown', 1, 100); send('pointerdown', 2, 150);
          send('pointermove', 2, 200); send('pointerup', 1, 100); send('pointerup', 2, 200);
        }"""
    )
    page.wait_for_url("**at=2%2C**")  # twice as far apart


def saved(page, name: str, within: str) -> Path:
    with page.expect_download() as found:
        page.locator(within).get_by_role("button", name=name).click()
    assert found.value.suggested_filename.endswith(f".{name.lower()}")
    return found.value.path()


@pytest.mark.parametrize(("place", "shapes"), [(".planes-place", 20), (".map-place", 100)])
def test_pictures_are_saved(open_page, place: str, shapes: int) -> None:
    page = open_page("#/geometry/crane")
    expect(page.locator(".map-name")).to_have_count(2)
    names = sorted(page.locator(".map-name").all_text_contents())
    tree = ElementTree.parse(saved(page, "SVG", place)).getroot()
    space = "{http://www.w3.org/2000/svg}"
    assert tree.tag == f"{space}svg"
    assert len(tree.findall(f"{space}path")) >= shapes
    numbers = ["1", "2"] if place == ".map-place" else []  # in the rings of the senses
    assert sorted({text.text for text in tree.findall(f"{space}text")}) == sorted(numbers + names)
    image = saved(page, "PNG", place).read_bytes()
    assert image.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", image[16:24])
    assert (width, height) == (2 * int(tree.get("width")), 2 * int(tree.get("height")))


def test_points_of_the_map_are_saved(open_page) -> None:
    page = open_page("#/geometry/crane")
    expect(page.locator(".map-name")).to_have_count(2)
    header, first, *rest = saved(page, "CSV", ".map-place").read_text("utf-8-sig").splitlines()
    assert header == "x,y,sense,confidence,left,word,right,document"
    assert first.split(",")[2] in "012"
    points = json.loads(saved(page, "JSON", ".map-place").read_text())["points"]
    assert len(points) == len(rest) + 1


def test_geometry_of_other_numbers_of_senses_shows_progress(open_page) -> None:
    page = open_page("#/geometry/crane", failures=True)
    expect(page.locator(".map-name")).to_have_count(2)
    state = {"state": "running", "progress": 0.4, "result": None}
    body = json.dumps(state)
    page.route("**/api/jobs/*", lambda route: route.fulfill(body=body))
    page.goto(page.url + "?k=5")
    expect(page.get_by_role("progressbar")).to_have_attribute("value", "0.4")
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator(".map-name")).to_have_count(2)
    page.route("**/map?*", lambda route: route.fulfill(body='{"points": []}'))
    page.route("**/planes*", lambda route: route.abort())
    page.reload()
    expect(page.get_by_role("heading", name="No contexts to map")).to_be_visible()
    expect(page.locator(".planes-place")).to_contain_text("does not answer")
    page.goto(page.url.partition("#")[0] + "#/geometry/crano")
    expect(page.get_by_role("heading", name="Nothing to draw")).to_be_visible()


def test_page_of_one_file_has_the_same_planes(browser, tmp_path) -> None:
    plane = ContextPlane(1, ((1, 0, 0), (0, 1, 0)), "left ", "crane", " right", ("wing",), 0.9)
    scene = PlanesScene("crane", (plane,), (SenseLine(1, (1, 0, 0), "bird"),))
    file = tmp_path / "page.html"
    file.write_text(html_page("Page", planes_figure(scene, "here"), interactive=True), "utf-8")
    page = browser.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(file.as_uri())
    page.locator("canvas").press("n")
    expect(page.locator(".planes-caption")).to_contain_text(
        "left crane right… (bird; lies along its sense by 0.90 of 1; words: wing"
    )
    expect(page.get_by_role("button")).to_have_count(0)  # no document to read
    page.close()
    assert errors == []
