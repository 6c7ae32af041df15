"""How senses changed, as one HTML page: a ranked table, and small pictures of shares."""

from __future__ import annotations

import math
from html import escape

from grassmeans.change.comparing import Comparison, PairChange, WordChange
from grassmeans.pictures.page import html_page, html_table
from grassmeans.pictures.planes import sense_colour

MOST_ROWS = 200
COLUMNS = ("word", "from", "to", "JSD", "APD", "PRT", "q", "gained", "lost")
_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 220.0, 130.0, 34.0, 8.0, 24.0
_MOST_LABELS = 3
_STYLE = """<style>
.panels { display: grid; gap: .6rem; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)); }
.panels figure { margin: 0; border: 1px solid var(--edge); border-radius: 6px; padding: .4rem; }
.panels svg { background: none; width: 100%; } .panels figcaption { min-height: 0; }
.panels text { font: 11px system-ui, sans-serif; fill: var(--soft); }
.sides { display: grid; gap: .8rem; grid-template-columns: repeat(auto-fit, minmax(18rem, 1fr)); }
.sides ul { padding-left: 1.1rem; } .new { font-weight: 600; }
</style>
"""


def draw_change_page(found: Comparison, title: str) -> str:
    """The whole report."""
    shown = [word for word in found.words if word.examples]
    parts = [
        _STYLE,
        f"<h1>{escape(title)}</h1>\n",
        _describe(found),
        _draw_ranking(found, {word.word for word in shown}),
    ]
    parts += [_draw_word(word, found) for word in shown]
    return html_page(title, "".join(parts))


def _describe(found: Comparison) -> str:
    groups = ", ".join(
        f"{name} ({n:,} documents)" for name, n in zip(found.groups, found.n_documents, strict=True)
    )
    lines = [
        f"Documents are grouped by {found.by}: {groups}.",
        f"Words that occur: {len(found.words):,}; that changed: {found.n_changed:,}, at a rate of "
        f"{found.settings.level:.0%} false alarms among the changes, over {found.n_tested:,} "
        "tests. Groups in which a word has fewer than "
        f"{found.settings.fewest} occurrences with a sense are shown, and not compared.",
    ]
    if found.n_left_out:
        about = f", such as “{found.example_left_out}”" if found.example_left_out else ""
        lines.append(
            f"{found.n_left_out:,} documents belong to no group: the field is missing or cannot "
            f"be read{about}."
        )
    if found.absent:
        lines.append(f"In no group: {', '.join(found.absent)}.")
    return "".join(f"<p>{escape(line)}</p>\n" for line in lines)


def _draw_ranking(found: Comparison, linked: set[str]) -> str:
    rows = [
        (word.word, pair) for word in found.words for pair in word.pairs if not math.isnan(pair.jsd)
    ]
    rows.sort(key=lambda row: (not row[1].is_change, -row[1].jsd))
    cells = [format_row(word, pair) for word, pair in rows[:MOST_ROWS]]
    table = html_table(COLUMNS, cells, "Words by change; in brackets, occurrences with a sense")
    for word in linked:
        cell = f"<tr><td>{escape(word)}</td>"
        link = f'<tr><td><a href="#{_anchor(word)}">{escape(word)}</a></td>'
        table = table.replace(cell, link)
    more = len(rows) - MOST_ROWS
    note = f"<p class='soft'>{more:,} more rows are in the tables.</p>\n" if more > 0 else ""
    return f"<h2>Ranking</h2>\n{table}{note}"


def _anchor(word: str) -> str:
    return "word-" + "".join(c if c.isascii() and c.isalnum() else f"-{ord(c)}" for c in word)


def format_row(word: str, pair: PairChange, between: str = ", ") -> tuple[str, ...]:
    """A word in two groups as cells of `COLUMNS`; its chance has a star where it changed."""
    chance = "<0.001" if pair.q_value < 0.001 else _format_number(pair.q_value)
    return (
        word,
        f"{pair.first} ({pair.n_first:,})",
        f"{pair.second} ({pair.n_second:,})",
        *(_format_number(value) for value in (pair.jsd, pair.apd, pair.prt)),
        chance + (" *" if pair.is_change else ""),
        *(between.join(map(str, senses)) for senses in (pair.gained, pair.lost)),
    )


def _format_number(value: float) -> str:
    """A measure for people; a dash where there is none."""
    return "–" if math.isnan(value) else f"{value:.3f}"


def _draw_word(word: WordChange, found: Comparison) -> str:
    panels = "".join(_draw_panel(word, number) for number in range(1, len(word.names) + 1))
    columns = ["", *found.groups]
    counts = (f"{group.n:,}{' (few)' * group.is_few}" for group in word.groups)
    rows = [["occurrences with a sense", *counts]]
    if any(group.n_unknown for group in word.groups):
        rows.append(["“I don't know”", *(f"{group.n_unknown:,}" for group in word.groups)])
    return (
        f'<h2 id="{_anchor(word.word)}">{escape(word.word)}</h2>\n'
        f'<div class="panels">\n{panels}</div>\n{_tell(word)}{html_table(columns, rows)}'
        f"{_draw_examples(word, found)}"
    )


def _tell(word: WordChange) -> str:
    """What happened, in sentences: the changes, and how many pairs of groups show none."""
    compared = [pair for pair in word.pairs if not math.isnan(pair.jsd)]
    if not compared:
        return "<p>Too few occurrences in all but one group: nothing is compared.</p>\n"
    lines = []
    for pair in compared:
        if not pair.is_change:
            continue
        line = f"Changed from {pair.first} to {pair.second} (JSD {_format_number(pair.jsd)})"
        for what, numbers in (("gained", pair.gained), ("lost", pair.lost)):
            names = ", ".join(f"{k} ({word.names[k - 1]})" for k in numbers)
            line += f"; {what} {names}" if names else ""
        lines.append(f"<li>{escape(line)}.</li>")
    n_same = len(compared) - len(lines)
    if n_same:
        pairs = "one pair of groups" if n_same == 1 else f"{n_same} pairs of groups"
        lines.append(f"<li>No change beyond chance between {pairs}.</li>")
    return f"<ul>{''.join(lines)}</ul>\n"


def _draw_panel(word: WordChange, number: int) -> str:
    """The share of one sense over the groups, with intervals; groups with few are hollow."""
    colour = sense_colour(number)
    inner = _WIDTH - _LEFT - 10
    step = inner / max(len(word.groups) - 1, 1)
    tall = _HEIGHT - _TOP - _BOTTOM
    marks, points = [], []
    for i, group in enumerate(word.groups):
        if not group.n:
            continue
        x = _LEFT + i * step
        share, low, high = (float(v[number - 1]) for v in (group.shares, group.low, group.high))
        y, top, bottom = (_TOP + tall * (1 - value) for value in (share, high, low))
        fill = "none" if group.is_few else colour
        about = f"{group.group}: {share:.0%} ({low:.0%} to {high:.0%}) of {group.n:,}"
        about += ", too few to compare" if group.is_few else ""
        marks.append(
            f'<g><title>{escape(about)}</title><line x1="{x:.1f}" x2="{x:.1f}" y1="{top:.1f}" '
            f'y2="{bottom:.1f}" stroke="{colour}" stroke-width="2" opacity=".5"/>'
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{fill}" stroke="{colour}" '
            'stroke-width="1.5"/></g>'
        )
        if not group.is_few:
            points.append(f"{x:.1f},{y:.1f}")
    name = f"{word.word}.{number} {word.names[number - 1]}".strip()
    return (
        f'<figure><svg viewBox="0 0 {_WIDTH:.0f} {_HEIGHT:.0f}" role="img" '
        f'aria-label="{escape(f"Share of {name} over the groups")}">{_draw_axes(word, tall, step)}'
        f'<polyline points="{" ".join(points)}" fill="none" stroke="{colour}"/>{"".join(marks)}'
        f"</svg><figcaption>{escape(name)}</figcaption></figure>\n"
    )


def _draw_axes(word: WordChange, tall: float, step: float) -> str:
    lines = []
    for share in (0.0, 0.5, 1.0):
        y = _TOP + tall * (1 - share)
        lines.append(
            f'<line x1="{_LEFT}" x2="{_WIDTH - 6}" y1="{y:.1f}" y2="{y:.1f}" stroke="currentColor" '
            f'opacity=".15"/><text x="2" y="{y + 4:.1f}">{share:.0%}</text>'
        )
    n = len(word.groups)
    chosen = range(n) if n <= _MOST_LABELS else (0, n - 1)
    for i in chosen:
        anchor = "start" if i == 0 else "end" if i == n - 1 else "middle"
        lines.append(
            f'<text x="{_LEFT + i * step:.1f}" y="{_HEIGHT - 6}" text-anchor="{anchor}">'
            f"{escape(word.groups[i].group[:16])}</text>"
        )
    return "".join(lines)


def _draw_examples(word: WordChange, found: Comparison) -> str:
    sides = []
    for group in found.groups:
        own = [example for example in word.examples if example.group == group]
        if own:
            lines = "".join(
                f'<li>{escape(example.left)}<mark style="--sense:{sense_colour(example.sense)}">'
                f"{escape(example.word)}<sub>{example.sense}</sub></mark>{escape(example.right)} "
                f"<small>{escape(example.document)}</small></li>"
                for example in own
            )
            sides.append(f"<section><h3>{escape(group)}</h3><ul>{lines}</ul></section>")
    return (
        f'<details><summary>Examples</summary><div class="sides">{"".join(sides)}</div></details>\n'
    )
