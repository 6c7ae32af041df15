"""How the lines of a text belong together: whether each is to be read by itself."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from grassmeans.text.sentences import find_sentences, is_complete

LINES, PARAGRAPHS, WRAPPED = "lines", "paragraphs", "wrapped"
_LONGEST = 300  # characters; a longer line is a paragraph
_WIDTHS = range(40, 201)  # to which texts are broken
_LONGEST_WORD = 12  # a script without spaces has one word a line


def tell_layout(text_lines: Iterable[str]) -> str:
    """Whether lines are texts of their own, paragraphs, or one text that was broken to a width.

    "wrapped": more than half of the lines end without a stop where the next word had no room. Of
    two lines, the first begins with a capital too, and the second with a small letter. "lines": two
    or more, none longer than 300 characters, more than half of them a single sentence.
    "paragraphs": anything else. Empty lines are not looked at.
    """
    lines = [stripped for line in text_lines if (stripped := line.strip())]
    width = max(map(len, lines), default=0)
    full = [
        len(line) + min(len(following.split()[0]), _LONGEST_WORD) >= width
        and not is_complete(line, is_line=True)
        for line, following in pairwise(lines)
    ]
    goes_on = len(full) > 1 or (len(full) == 1 and lines[0][0].isupper() and lines[1][0].islower())
    if width in _WIDTHS and goes_on and 2 * sum(full) > len(full):
        return WRAPPED
    n_single = sum(len(find_sentences(line)) == 1 for line in lines)
    is_list = len(lines) > 1 and width <= _LONGEST and 2 * n_single > len(lines)
    return LINES if is_list else PARAGRAPHS
