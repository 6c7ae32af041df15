"""Character positions of a text before and after normalisation.

Tagging works on normalised text (`normalize_text`): composed letters, no invisible characters.
Other tools keep the text as it came, and want positions in that.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from grassmeans.text.tokenizer import normalize_text

# Normalisation never joins what white space separates.
_CHUNK = re.compile(r"\S+|\s+")
_LONGEST_CHUNK = 256


@dataclass(frozen=True, slots=True)
class NormalizedText:
    """A normalised text, and where its characters stand in the original."""

    text: str  # normalised
    original: str
    _anchors: tuple[tuple[int, int], ...]

    def original_position(self, position: int) -> int:
        """The place in the original of a position in the normalised text."""
        if not self._anchors:
            return position
        found = bisect_right(self._anchors, (position, len(self.original))) - 1
        normalized, original = self._anchors[found]
        return min(original + position - normalized, len(self.original))

    def normalized_position(self, position: int) -> int:
        """The place in the normalised text of a position in the original."""
        if not self._anchors:
            return position
        found = bisect_right(self._anchors, position, key=lambda anchor: anchor[1]) - 1
        normalized, original = self._anchors[found]
        return min(normalized + position - original, len(self.text))


def normalize_with_positions(text: str) -> NormalizedText:
    """Normalise a text and keep where its characters came from.

    Positions are exact, except inside runs of more than 256 characters without white space in
    which something changed.
    """
    whole = normalize_text(text)
    if whole == text:
        return NormalizedText(whole, text, ())
    anchors = [(0, 0)]
    length = 0
    for match in _CHUNK.finditer(text):
        chunk = match.group()
        normal = normalize_text(chunk)
        if normal != chunk:
            # The length of each normalised prefix says where each character begins.
            longest = len(chunk) if len(chunk) <= _LONGEST_CHUNK else 0
            anchors += [
                (length + len(normalize_text(chunk[:n])), match.start() + n) for n in range(longest)
            ]
            anchors.append((length + len(normal), match.end()))
        length += len(normal)
    # Of several prefixes of one length the longest counts: marks and invisible characters belong
    # to what stands before them.
    return NormalizedText(whole, text, tuple(dict(anchors).items()))
