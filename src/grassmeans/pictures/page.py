"""Pages of one file: text, figures, tables, planes and senses, with nothing to fetch."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files

from grassmeans.errors import InputError
from grassmeans.models.model import SenseModel
from grassmeans.pictures.planes import PlanesScene, build_scene, sense_colour
from grassmeans.senses.entries import ExampleLine, Sense, WordSenses, shorten_sides
from grassmeans.tagging.tagging import TaggedText

VIEWER = ("drawing.js", "planes.js")
"""The scripts of the planes viewer, in their order."""


def read_asset(name: str) -> str:
    """The text of a style sheet or script of this package."""
    return (files("grassmeans.pictures") / "assets" / name).read_text(encoding="utf-8")


def html_page(title: str, body: str, *, interactive: bool = False) -> str:
    """A whole HTML document of an escaped body; interactive with the viewer of context planes."""
    scripts = [read_asset(name) for name in VIEWER] if interactive else []
    script = "".join(f"<script>\n{text}\n</script>\n" for text in scripts)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{read_asset('page.css')}\n</style>\n"
        f"{script}</head>\n<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def planes_figure(scene: PlanesScene, identifier: str) -> str:
    """A figure with the interactive planes of a word; needs a page that is ``interactive``.

    The identifier of its place in the page is letters, digits, ``-`` and ``_``.
    """
    # "</script" and "<!--" mean something to the HTML parser wherever they stand in a string.
    data = json.dumps(scene.to_dict(), ensure_ascii=False).replace("<", "\\u003c")
    name = escape(identifier)
    return (
        f'<figure class="planes" id="{name}"></figure>\n<script>'
        f"drawPlanes(document.getElementById({json.dumps(identifier)}), {data});</script>\n"
    )


def html_table(columns: Sequence[str], rows: Sequence[Sequence[str]], caption: str = "") -> str:
    """A table; all text is escaped."""
    head = "".join(f'<th scope="col">{escape(column)}</th>' for column in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>\n" for row in rows
    )
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    return (
        f'<div class="table"><table>{title}<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{body}</tbody></table></div>\n"
    )


_EXAMPLES = 3
_REACH = 200  # characters of an example on each side


def draw_senses_page(
    model: SenseModel,
    words: Sequence[str],
    tagged: Iterable[TaggedText] = (),
    *,
    title: str,
    introduction: str,
    next_steps: str = "",
) -> str:
    """A page with the planes and senses of words, tagged sentences, and commands to go on."""
    parts = [f"<h1>{escape(title)}</h1>\n<p>{escape(introduction)}</p>\n"]
    parts += [_draw_word(model, word, number) for number, word in enumerate(words)]
    sentences = [draw_tagged(text) for text in tagged]
    if sentences:
        parts.append(
            "<h2>New sentences</h2>\n<p>Every word with senses is underlined in the colour of the "
            "one it has here; grey is “I don't know”. Point at a word for the probabilities.</p>\n"
        )
        parts += [f"<p>{sentence}</p>\n" for sentence in sentences]
    if next_steps:
        parts.append(f"<h2>Your turn</h2>\n<pre>{escape(next_steps)}</pre>\n")
    return html_page(title, "".join(parts), interactive=True)


def draw_tagged(text: TaggedText) -> str:
    """A sentence in HTML, its words coloured by sense."""
    parts: list[str] = []
    end = 0
    for word in text:
        chances = ", ".join(f"{k}: {p:.2f}" for k, p in enumerate(word.probabilities, 1))
        answer = f"sense {word.sense}" if word.sense else "I don't know"
        parts.append(escape(text.text[end : word.start]))
        parts.append(
            f'<mark tabindex="0" style="--sense:{sense_colour(word.sense)}" '
            f'title="{escape(word.key)}: {answer} ({chances})">'
            f"{escape(text.text[word.start : word.end])}"
            f"<sub>{word.sense or '?'}</sub></mark>"
        )
        end = word.end
    return "".join([*parts, escape(text.text[end:])])


def draw_cards(entry: WordSenses) -> str:
    """The senses of a word as cards."""
    cards = "".join(_draw_card(entry.word, sense) for sense in entry.senses)
    return f'<div class="cards">\n{cards}</div>\n'


def _draw_word(model: SenseModel, word: str, number: int) -> str:
    entry = model.senses(word)
    try:
        figure = planes_figure(build_scene(model, word), f"planes-{number}")
    except InputError as reason:
        figure = f'<p class="soft">{escape(str(reason))}</p>\n'
    senses = "1 sense" if entry.n_senses == 1 else f"{entry.n_senses} senses"
    counts = f"{senses} from {escape(entry.counts_told)}"
    return f"<h2>{escape(word)}</h2>\n<p>{counts}.</p>\n{draw_cards(entry)}{figure}"


def _draw_card(word: str, sense: Sense) -> str:
    examples = "".join(f"<li>{_draw_example(line)}</li>" for line in sense.examples[:_EXAMPLES])
    words = ", ".join(sense.characteristic_words)
    return (
        f'<section class="card" style="--sense:{sense_colour(sense.number)}">\n'
        f"<h3>{escape(word)}.{sense.number} <span>{escape(sense.name)}</span></h3>\n"
        f"<small>{sense.share:.0%} of occurrences, mean distance {sense.mean_distance:.2f}</small>"
        f"<p>{escape(words)}</p>\n<ul>{examples}</ul>\n</section>\n"
    )


def _draw_example(line: ExampleLine) -> str:
    left, right = shorten_sides(line.left, line.right, _REACH)
    return f"{escape(left)}<b>{escape(line.word)}</b>{escape(right)}"
