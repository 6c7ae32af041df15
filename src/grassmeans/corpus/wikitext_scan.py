"""Linear scans that cut the parts of wikitext that hold no running text."""

from __future__ import annotations

import re

# Extension tags whose content is not prose.
_CONTENT_TAGS = (
    "ref|references|math|chem|ce|gallery|nowiki|code|source|syntaxhighlight|pre|timeline|imagemap|"
    "hiero|score|graph|mapframe|maplink|templatedata|includeonly|section|categorytree|inputbox"
)
_CONTENT_TAG = re.compile(rf"<(/?)({_CONTENT_TAGS})\b[^<>]*?(/?)>", re.IGNORECASE)
# A table begins and ends at the start of a line: "|}" elsewhere may be the end of a template.
# All four begin with a plain character and none is a group, which makes the search five times
# faster; the last two characters tell which one it is.
_BRACE = re.compile(r"\{\{|\}\}|\n[ \t:*#]*\{\||\n[ \t]*\|\}(?!\})")
_OPENING_OF = {"}}": "{{", "|}": "{|"}
_PARAGRAPH_END = re.compile(r"\n[ \t]*\n|\n(?==)|\Z")


def cut_content_tags(text: str) -> str:
    """Remove references, formulas, source code and the like, with what is inside."""
    tags = list(_CONTENT_TAG.finditer(text))
    if not tags:
        return text
    last_closing = {tag[2].lower(): tag.start() for tag in tags if tag[1]}
    pieces: list[str] = []
    position = 0
    inside = ""
    for tag in tags:
        name = tag[2].lower()
        if inside:
            if tag[1] and name == inside:
                inside, position = "", tag.end()
            continue
        pieces.append(text[position : tag.start()])
        position = tag.end()
        # Without a closing tag after it only the tag itself goes, not the rest of the page.
        if not tag[1] and not tag[3] and last_closing.get(name, -1) > tag.start():
            inside = name
    pieces.append(text[position:])
    return "".join(pieces)


def cut_braces(text: str) -> str:
    """Remove templates and tables, nested or not."""
    text = "\n" + text  # the first line begins like the others
    pieces: list[str] = []
    position = 0
    for start, end in _find_regions(text):
        if start > position:
            pieces.append(text[position:start])
        position = max(position, end)
    pieces.append(text[position:])
    return "".join(pieces).removeprefix("\n")


def _find_regions(text: str) -> list[tuple[int, int]]:
    """Spans of the outermost templates and tables, in order.

    An opening that has no end is left alone where it is a template, and reaches to the end of its
    paragraph where it is a table.
    """
    stack: list[tuple[str, int]] = []
    n_open = {"{{": 0, "{|": 0}
    regions: list[tuple[int, int]] = []
    for brace in _BRACE.finditer(text):
        kind = brace.group()[-2:]
        if kind in n_open:
            stack.append((kind, brace.start()))
            n_open[kind] += 1
            continue
        wanted = _OPENING_OF[kind]
        if not n_open[wanted]:
            continue
        found = ""
        while found != wanted:  # what was opened in between has no end of its own
            found, start = stack.pop()
            n_open[found] -= 1
        while regions and regions[-1][0] > start:
            regions.pop()
        regions.append((start, brace.end()))
    end = 0
    for kind, start in stack:
        if kind == "{|" and start >= end:
            paragraph_end = _PARAGRAPH_END.search(text, start + 1)
            end = paragraph_end.start() if paragraph_end else len(text)
            regions.append((start, end))
    return sorted(regions)
