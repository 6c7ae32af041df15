"""Running text -> where its sentences begin, by one rule for most languages; which are whole.

A sentence ends at a stop (``.``, ``!``, ``?``, ``…``, and those of other scripts) with the quotes
and brackets that close behind it, where white space and no small letter follow; at an empty line;
and at the end of a line, unless the next one begins with a small letter, as in text that was broken
to a width. Chinese and Japanese stops need no space. Initials, titles and other abbreviations that
stand before a name or a number end nothing, nor do decimals, addresses and the numbers of a list.

A rule without a dictionary errs now and then. It rather joins two sentences than cuts one: what is
left of a sentence that was cut may say nothing.
"""

from __future__ import annotations

import re

_SPACED = ".!?…‽؟۔।॥։።፧။"
_UNSPACED = "。！？｡"
_CLOSING = "\"'”’“»«›)\\]}」』〉》）】*_"
_OPENING = re.compile("[\"'“‘„‚«»‹(\\[{「『《（【¿¡*_–—-]*")
_BREAK = re.compile(
    rf"[{_SPACED}]+[{_CLOSING}]*\s+"
    rf"|[{_UNSPACED}][{_SPACED}{_UNSPACED}]*[{_CLOSING}]*\s*"
    r"|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]\s*"
)
_EMPTY_LINE = re.compile(r"\n[^\S\n]*\r?\n|\u2029")
_WHOLE_END = re.compile(rf"[{_SPACED}{_UNSPACED}][{_CLOSING}]*$|[\"”’“»«」』]$")
_LAST_RUN = re.compile(r"[^\s\"'“‘„«»(\[{]*$")
_LONGEST_RUN = 40


def _list_words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Before a name.
_TITLES = _list_words(
    "adm att attn bros capt cdr cmdr col cpl cpt dhr dipl doc dr dra drs ds esq fr frl gen "
    "gov herr hon hr hrn ing insp lic lt maj mevr messrs mgr mlle mme mmes mons mr mrs ms "
    "msgr mt mx ph pr pres prof profa pvt rep rer rev sen sgt sig sr sra srta st ste supt ud "
    "uds"
)
# In the middle of a sentence: "vs." and the like, in several languages.
_INSIDE = _list_words(
    "abb anm approx bspw bzw ca cf e.g eg esp evtl ggf i.e ie incl inkl int'l resp sog u.a v "
    "vgl viz vs z.b z.t им ок см т.е т.н ул"
)
# Before a number.
_COUNTED = _list_words(
    "abs apr art aug bd cap ch chap col dec dez eq fig figs feb jan jul jun kap mar mär n nos "
    "no nov nr núm num oct okt op p par pp s sec sect sep sept seq v vol vols гл п рис с стр"
)
_AT_THE_CLOCK = frozenset(("a.m", "p.m"))


def find_sentences(text: str) -> list[int]:
    """Where sentences begin, the first at 0; the time is linear in the length of the text."""
    starts = [0]
    for match in _BREAK.finditer(text):
        if match.end() < len(text) and _ends_sentence(text, starts[-1], match):
            starts.append(match.end())
    return starts


def is_complete(sentence: str, *, is_line: bool = False) -> bool:
    """Whether a sentence begins like one and ends with a stop or a closing quote.

    It begins with a letter that is not small, or with a digit; a whole line may begin anyhow. What
    opens a bracket closes it.
    """
    opened = _OPENING.match(sentence)
    first = sentence[opened.end() :][:1] if opened else ""
    begins = is_line or (first.isalnum() and not first.islower())
    closes = sentence.count("(") == sentence.count(")")
    return begins and closes and _WHOLE_END.search(sentence) is not None


def _ends_sentence(text: str, start: int, match: re.Match[str]) -> bool:
    """Whether a sentence that began at ``start`` ends at a break."""
    found = match.group()
    if _EMPTY_LINE.search(found):
        return True
    opened = _OPENING.match(text, match.end())
    after = match.end() if opened is None else opened.end()
    follower = text[after : after + 1]
    if found[0] in _UNSPACED:
        # What was said in brackets, and goes on: 「…。」と.
        return found[-1] not in _CLOSING
    if follower.islower():
        return False
    if not found.startswith(".") or found.startswith(".."):
        return True
    return "\n" in found or not _is_abbreviation(text, start, match.start(), follower)


def _is_abbreviation(text: str, start: int, stop: int, follower: str) -> bool:
    """Whether the run of characters before a full stop is one that ends no sentence."""
    run = _LAST_RUN.search(text[max(start, stop - _LONGEST_RUN) : stop])
    word = "" if run is None else run.group()
    small = word.lower()
    if follower.isdigit() and small in _COUNTED:
        return True
    if small in _TITLES or small in _INSIDE:
        return True
    if small in _AT_THE_CLOCK:
        return False
    if word.isdigit() and not text[start : stop - len(word)].strip():
        return True  # the number of a list
    # "J." of a name, "U.S." before what it belongs to; "I" is a word.
    letters = word.split(".")
    return word != "I" and all(len(part) == 1 and part.isupper() for part in letters)
