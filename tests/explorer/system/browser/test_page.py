"""What holds for every view: keyboard, small screens, dark colours, the page's policy."""

from __future__ import annotations

import pytest

from grassmeans.pictures.planes import SENSE_COLOURS

expect = pytest.importorskip("playwright.sync_api").expect

VIEWS = {
    "#/": ".chips li",
    "#/words": ".word-table tbody tr",
    "#/word/crane?edit=1": ".card .tools",
    "#/word/crane?k=8": ".tree .block",
    "#/word/Crane.2": ".card.sought",
    "#/word/crone": ".known",
    "#/word/seal": ".examples li",
    "#/words?page=99999": ".panel.empty",
    "#/concordance/crane": ".kwic tbody tr",
    "#/concordance/crane?sense=1&q=birdba&reach=30&sample=100&per=document": ".frequency-table",
    "#/concordance/crane?take=20&stratified=1": ".sample-note",
    "#/collocates/crane?sense=1": ".collocates tbody tr",
    "#/compare/crane": ".compared-words li",
    "#/document/100": ".document-page mark",
    "#/geometry/crane": ".map .dot",
    "#/geometry/crane?k=5": ".map .anchor",
    "#/map?words=crane,bank": ".map-name",
    "#/change/crane": ".panel.empty",
    "#/entry/crane": ".entry-sense .proposal",
    "#/entries": ".entry-import",
    "#/nowhere": ".panel.empty",
    "#/text?text=crane+" + "birdba+" * 8: ".tagged",
}


def test_no_view_is_wider_than_a_phone(open_page, explorer) -> None:
    page = open_page(viewport={"width": 320, "height": 640})
    for route, sign in VIEWS.items():
        page.goto(explorer + route)
        expect(page.locator(sign).first).to_be_attached()
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, route


def test_the_first_page_has_words_of_the_model(open_page, explorer) -> None:
    page = open_page()
    chips = page.locator(".chips li")
    expect(chips).to_have_count(2)
    # Words stand apart for who hears them too.
    assert sorted(chips.all_text_contents()) == ["bank 2 senses", "crane 2 senses"]
    said = page.locator(".showcase-example").text_content()
    assert said.startswith(("Around “bank” stand words", "Around “crane” stand words"))
    chips.get_by_text("bank").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("bank")


def test_a_model_of_another_language_shows_its_own_words(open_page, explorer) -> None:
    page = open_page()
    health = page.request.get(explorer + "healthz").json() | {"language": "es"}
    words = [{"word": "banco", "n_senses": 2, "names": ["crédito, dinero", "madera, asiento"]}]
    page.route("**/healthz", lambda route: route.fulfill(json=health))
    page.route("**/api/showcase", lambda route: route.fulfill(json={"words": words}))
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text("¿Qué puede significar una palabra?")
    expect(page.locator(".view-start")).to_have_attribute("lang", "es")
    expect(page.locator(".chips li")).to_have_text(["banco 2 sentidos"])
    expect(page.locator(".chips [lang=es]")).to_have_text("banco")
    text = page.get_by_role("main").inner_text()
    assert "“banco” hay palabras de un tipo cuando se trata de crédito, dinero" in text
    expect(page.get_by_role("combobox", name="Buscar una palabra")).to_be_visible()
    assert "crane" not in text
    page.get_by_role("link", name="Map", exact=True).click()
    expect(page.get_by_label("Words, with commas")).to_be_visible()
    assert page.get_by_label("Words, with commas").get_attribute("placeholder") is None


@pytest.mark.parametrize(
    ("language", "title", "lang"),
    [
        ("de-AT", "Was kann ein Wort bedeuten?", "de"),
        ("fr", "Que peut vouloir dire un mot ?", "fr"),
        ("xx", "What can a word mean?", "en"),
        (None, "What can a word mean?", "en"),
    ],
)
def test_the_first_page_speaks_the_language_of_the_model(
    open_page, explorer, language, title, lang
) -> None:
    page = open_page()
    health = page.request.get(explorer + "healthz").json() | {"language": language}
    page.route("**/healthz", lambda route: route.fulfill(json=health))
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text(title)
    expect(page.locator(".view-start")).to_have_attribute("lang", lang)


def test_the_first_page_works_without_its_words(open_page, explorer) -> None:
    page = open_page("#/words", failures=True)
    page.route("**/api/showcase", lambda route: route.abort())
    page.goto(explorer)
    expect(page.get_by_role("combobox").first).to_be_visible()
    expect(page.locator(".chips li")).to_have_count(0)


def test_the_first_page_asks_for_its_words_again_where_the_server_had_no_time(
    open_page, explorer
) -> None:
    page = open_page("#/words", failures=True)
    error = {"error": {"code": "timeout", "message": "the work took longer than 30 seconds"}}
    asked: list[int] = []

    def answer(route) -> None:
        asked.append(1)
        if len(asked) == 1:
            route.fulfill(status=503, headers={"Retry-After": "1"}, json=error)
        else:
            route.continue_()

    page.route("**/api/showcase", answer)
    page.goto(explorer)
    expect(page.locator(".chips li")).to_have_count(2)
    assert len(asked) == 2


def test_dark_and_light(open_page) -> None:
    shades = {}
    for scheme in ("light", "dark"):
        page = open_page("#/word/crane", color_scheme=scheme)
        expect(page.locator(".card")).to_have_count(2)
        shades[scheme] = [
            sum(map(int, colour.removeprefix("rgb(").removesuffix(")").split(",")))
            for colour in page.evaluate(
                "[document.body, document.querySelector('.card')].flatMap((element) => "
                "[getComputedStyle(element).backgroundColor, getComputedStyle(element).color])"
            )
        ]
    paper, ink, card, writing = shades["light"]
    assert min(paper, card) > 600
    assert max(ink, writing) < 200
    paper, ink, card, writing = shades["dark"]
    assert max(paper, card) < 200
    assert min(ink, writing) > 600


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_barrier_in_any_view(open_page, explorer, find_barriers, scheme) -> None:
    page = open_page(color_scheme=scheme, reduced_motion="reduce")
    found = {}
    for route, sign in VIEWS.items():
        page.goto(explorer + route)
        expect(page.locator(sign).first).to_be_attached()
        expect(page.locator(".busy")).to_have_count(0)  # what is pale is about to be replaced
        # Nothing but the colours is another one in the dark.
        found[route] = find_barriers(page, only_colours=scheme == "dark")
    assert {route: barriers for route, barriers in found.items() if barriers} == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_colour_of_a_sense_can_be_read(open_page, explorer, find_barriers, scheme) -> None:
    page = open_page(color_scheme=scheme)
    word = page.request.get(explorer + "api/words/crane").json()
    first = word["senses"][0]
    word["senses"] = [
        first | {"number": number, "colour": colour}
        for number, colour in enumerate(SENSE_COLOURS, 1)
    ]
    page.route("**/api/words/crane", lambda route: route.fulfill(json=word))
    page.goto(f"{explorer}#/word/crane")
    expect(page.locator(".card")).to_have_count(len(SENSE_COLOURS))
    assert find_barriers(page, only_colours=True) == []
    # The page has them too, for what the server leaves out.
    numbers = list(range(1, len(SENSE_COLOURS) + 1))
    own = f"import('/static/js/colours.js').then((own) => {numbers}.map((n) => own.senseColour(n)))"
    assert tuple(page.evaluate(own)) == SENSE_COLOURS


def test_axe_finds_no_barrier_in_what_opens(open_page, explorer, find_barriers) -> None:
    page = open_page("#/word/crano", failures=True, reduced_motion="reduce")
    expect(page.get_by_text("Spelt alike")).to_be_visible()
    assert find_barriers(page) == []
    page.goto(f"{explorer}#/geometry/crano")
    expect(page.get_by_role("alert")).to_be_visible()
    assert find_barriers(page) == []
    page.get_by_role("combobox").first.fill("cr")
    expect(page.get_by_role("option").first).to_be_visible()
    assert find_barriers(page) == []
    page.goto(f"{explorer}#/geometry/crane")
    expect(page.locator(".map-name").first).to_be_attached()
    for summary in page.locator("summary").all():
        summary.click()
    page.locator(".planes canvas").press("n")
    page.locator(".map").focus()
    assert find_barriers(page) == []
    page.locator(".map").press("Enter")
    expect(page.get_by_role("dialog").locator("mark").first).to_be_visible()
    assert find_barriers(page) == []
    page.goto(f"{explorer}docs")
    assert find_barriers(page) == []


def test_everything_is_reached_with_the_tab_key(open_page) -> None:
    page = open_page("#/word/crane")
    expect(page.locator(".card")).to_have_count(2)
    seen = []
    for _ in range(60):
        page.keyboard.press("Tab")
        name = page.evaluate(
            "(document.activeElement.getAttribute('aria-label') || document.activeElement.value ||"
            " document.activeElement.textContent).trim()"
        )
        seen.append(name)
        if name == "CSV":
            break
    order = ["Skip to the content", "Grassmeans", "Search a word", "Your own text", "Concordance"]
    order += ["Correct these senses", "More examples", "All lines of this sense", "CSV"]
    places = [seen.index(name) for name in order]
    assert places == sorted(places)
    page.locator(".toggle-editing").press("Enter")
    expect(page.locator(".tools")).to_have_count(2)
    expect(page.get_by_role("button", name="Finish correcting")).to_be_focused()


def test_dial_turns_with_the_arrow_keys(open_page) -> None:
    page = open_page("#/word/bank")
    expect(page.locator(".card")).to_have_count(2)
    page.get_by_role("radio").first.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".card")).to_have_count(1)
    assert page.url.endswith("k=1")
    expect(page.get_by_role("radio", checked=True)).to_be_focused()


def test_words_are_listed_and_filtered(open_page) -> None:
    page = open_page("#/words")
    expect(page.locator(".word-table tbody tr")).to_have_count(2)
    page.get_by_label("Filter").fill("ban")
    expect(page.locator(".word-table tbody tr")).to_have_count(1)
    page.get_by_role("link", name="bank", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("bank")


def test_unknown_address_leads_back(open_page) -> None:
    page = open_page("#/nowhere/%E0%A4%A")
    expect(page.get_by_role("heading", name="There is no such page")).to_be_visible()
    page.get_by_role("main").get_by_role("link", name="start").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("What can a word mean?")


def test_server_that_went_away_is_said(open_page) -> None:
    page = open_page("#/text", failures=True)
    page.route("**/api/tag", lambda route: route.abort())
    page.get_by_label("Text", exact=True).fill("a crane")
    page.get_by_role("button", name="Find the senses").click()
    expect(page.get_by_role("alert")).to_contain_text("still running")
    page.unroute("**/api/tag")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".tagged")).to_have_count(1)


def test_policy_lets_nothing_in_from_elsewhere(open_page, explorer) -> None:
    page = open_page()
    policy = page.request.get(explorer).headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
