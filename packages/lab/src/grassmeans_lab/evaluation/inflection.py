"""Inflected forms of English lemmas, to find a target word that a test set does not mark.

Rules make more forms than there are (``happenned``): a form that nobody writes does no harm when
a text is searched for it, a missing one does.
"""

from __future__ import annotations

import re

_SIBILANT = re.compile(r"(s|x|z|ch|sh|o)$")
_CONSONANT_Y = re.compile(r"[^aeiou]y$")
_DOUBLING = re.compile(r"[^aeiou][aeiou][bcdfgklmnprstvz]$")

_IRREGULAR_VERBS = """
arise arose arisen; awake awoke awoken; be am is are was were been; bear bore borne born;
beat beaten; become became; begin began begun; bend bent; bet; bid bade bidden; bind bound;
bite bit bitten; bleed bled; blow blew blown; break broke broken; breed bred; bring brought;
build built; burn burnt; burst; buy bought; cast; catch caught; choose chose chosen; cling clung;
come came; cost; creep crept; cut; deal dealt; dig dug; do does did done; draw drew drawn;
dream dreamt; drink drank drunk; drive drove driven; eat ate eaten; fall fell fallen; feed fed;
feel felt; fight fought; find found; flee fled; fling flung; fly flew flown; forbid forbade
forbidden; forget forgot forgotten; forgive forgave forgiven; freeze froze frozen; get got gotten;
give gave given; go goes went gone; grind ground; grow grew grown; hang hung; have has had;
hear heard; hide hid hidden; hit; hold held; hurt; keep kept; kneel knelt; know knew known;
lay laid; lead led; lean leant; leap leapt; learn learnt; leave left; lend lent; let; lie lay lain;
light lit; lose lost; make made; mean meant; meet met; mow mown; pay paid; prove proven; put; quit;
read; ride rode ridden; ring rang rung; rise rose risen; run ran; saw sawn; say said; see saw seen;
seek sought; sell sold; send sent; set; sew sewn; shake shook shaken; shave shaven;
shed; shine shone; shoot shot; show shown; shrink shrank shrunk; shut; sing sang sung;
sink sank sunk; sit sat; sleep slept; slide slid; smell smelt; sow sown; speak spoke spoken;
speed sped; spell spelt; spend spent; spill spilt; spin spun; spit spat; split; spoil spoilt;
spread; spring sprang sprung; stand stood; steal stole stolen; stick stuck; sting stung;
stink stank stunk; stride strode stridden; strike struck stricken; string strung;
strive strove striven; swear swore sworn; sweep swept; swell swollen; swim swam swum;
swing swung; take took taken; teach taught; tear tore torn; tell told; think thought;
throw threw thrown; thrust; tread trod trodden; understand understood; undertake undertook
undertaken; wake woke woken; wear wore worn; weave wove woven; weep wept; win won; wind wound;
withdraw withdrew withdrawn; write wrote written
"""
_IRREGULAR_NOUNS = """
analysis analyses; axis axes; basis bases; calf calves; child children; crisis crises;
criterion criteria; datum data; foot feet; goose geese; half halves; hypothesis hypotheses;
knife knives; leaf leaves; life lives; loaf loaves; louse lice; man men; medium media; mouse mice;
ox oxen; person people; phenomenon phenomena; self selves; shelf shelves; thesis theses;
thief thieves; tooth teeth; wife wives; wolf wolves; woman women
"""


def _parse_table(table: str) -> dict[str, frozenset[str]]:
    entries = (entry.split() for entry in table.split(";"))
    return {lemma: frozenset(forms) for lemma, *forms in entries}


_IRREGULAR = {"v": _parse_table(_IRREGULAR_VERBS), "n": _parse_table(_IRREGULAR_NOUNS)}


def irregular_forms(lemma: str, pos: str) -> frozenset[str]:
    """Look up the forms of a lemma that follow no rule; none for most lemmas.

    Parameters
    ----------
    lemma : str
        In lower case.
    pos : str
        ``"v"`` or ``"n"``; nothing is inflected otherwise.
    """
    return _IRREGULAR.get(pos, {}).get(lemma, frozenset())


def regular_forms(lemma: str, pos: str) -> frozenset[str]:
    """Make the forms of a lemma by rule.

    Nouns: -s, -es, consonant + y -> -ies. Verbs: these, and -ed and -ing with the last consonant
    doubled (``committed``), -e dropped (``dividing``), consonant + y -> -ied, -ie -> -ying. For
    lemmas in -ize and -yze the spelling with s counts as well, and the other way round. Parameters
    are those of `irregular_forms`.
    """
    if pos == "n":
        return frozenset(_add_s(lemma))
    if pos != "v":
        return frozenset()
    spellings = {lemma, re.sub(r"(?<=[iy])z(?=e$)", "s", lemma)}
    spellings.add(re.sub(r"(?<=[iy])s(?=e$)", "z", lemma))
    forms = spellings - {lemma}
    for spelling in spellings:
        forms |= _add_s(spelling) | _add_ed(spelling) | _add_ing(spelling)
    return frozenset(forms)


def _add_s(lemma: str) -> set[str]:
    if _CONSONANT_Y.search(lemma):
        return {lemma[:-1] + "ies"}
    forms = {lemma + "s"}
    if _SIBILANT.search(lemma):
        forms.add(lemma + "es")
    if lemma[-1:] in ("s", "z"):
        forms.add(lemma + lemma[-1] + "es")  # gasses, quizzes
    return forms


def _add_ed(lemma: str) -> set[str]:
    if lemma.endswith("e"):
        return {lemma + "d"}
    if _CONSONANT_Y.search(lemma):
        return {lemma[:-1] + "ied"}
    return {stem + "ed" for stem in _double_last(lemma)}


def _add_ing(lemma: str) -> set[str]:
    if lemma.endswith("ie"):
        return {lemma[:-2] + "ying"}
    if lemma.endswith("e"):
        return {lemma[:-1] + "ing", lemma + "ing"}
    return {stem + "ing" for stem in _double_last(lemma)}


def _double_last(lemma: str) -> set[str]:
    return {lemma, lemma + lemma[-1]} if _DOUBLING.search(lemma) else {lemma}
