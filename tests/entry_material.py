"""A small lexicon with one of everything, and strategies that make others."""

from __future__ import annotations

from hypothesis import strategies as st

from grassmeans_explorer.entries.entry import (
    DECISIONS,
    LABEL_KINDS,
    NEVER,
    PROPOSED,
    REFERENCE_KINDS,
    STATUSES,
    CrossReference,
    DictionaryEntry,
    EntryExample,
    EntrySense,
    Label,
    Lexicon,
    Numbering,
    Renumbering,
)

BIRD = EntrySense(
    key="crane.1",
    name="nest, wings",
    definition="a large bird with a long neck",
    labels=(Label("domain", "zoology"), Label("register", "neutral")),
    collocates=("nest", "flock"),
    examples=(
        EntryExample("The ", "crane", " flew north.", "A book"),
        EntryExample("No ", "crane", "!", decision=NEVER),
        EntryExample("A ", "crane", " rested.", decision=PROPOSED),
    ),
    references=(CrossReference("synonym", "bank.1"), CrossReference("see", "heron")),
    notes=("look at it again",),
    senses=(EntrySense(definition="its meat", references=(CrossReference("broader", "crane.1"),)),),
)
MACHINE = EntrySense(
    key="crane.2", definition="a machine that lifts", part_of_speech="verb", former=""
)
CRANE = DictionaryEntry(
    "crane",
    part_of_speech="noun",
    status="review",
    labels=(Label("region", "Britain"),),
    references=(CrossReference("see", "bank"),),
    notes=("an old word",),
    senses=(BIRD, MACHINE),
    numbering=Numbering((Renumbering("split", (1,)),), 2),
)
BANK = DictionaryEntry(
    "bank", senses=(EntrySense("bank.1", name="river"), EntrySense(former="bank.3", name="gone"))
)
LEXICON = Lexicon((CRANE, BANK), "en", "Birds & <machines>", "model", "ab" * 32)
EMPTY = Lexicon((DictionaryEntry("x"),))
HOSTILE = (
    "\"quoted\" 'and' \\back\\slashed",
    "<script>alert(1)</script> & <!-- --> ]]>",
    "two\nlines\r\nand\ra\ttab",
    "שלום עולם \u202e reversed",
    "crane 🏗️👩‍👩‍👧",
    "=HYPERLINK(1)",
    " spaces at both ends ",
    "a" * 10_000,
    "st.1\\",
    "\u0301combining",
)


def make_hostile(text: str) -> Lexicon:
    """A lexicon that has a text wherever one can be."""
    example = EntryExample(text, text, text, text)
    inner = EntrySense(
        key=f"{text}.1",
        name=text,
        definition=text,
        part_of_speech=text,
        labels=(Label("other", text),),
        collocates=(text,),
        examples=(example,),
        references=(CrossReference("see", text), CrossReference("synonym", f"{text}.1")),
        notes=(text,),
    )
    outer = EntrySense(former=f"{text}.2", senses=(inner,))
    entry = DictionaryEntry(
        text, text, labels=(Label("time", text),), notes=(text,), senses=(outer,)
    )
    return Lexicon((entry,), "en", text)


# What XML can hold, and JSON and CSV as well.
_ALLOWED = st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff")
TEXTS = st.text(st.one_of(_ALLOWED, st.sampled_from("\n\r\t\"'<>&\\=.,")), max_size=12)
WORDS = TEXTS.filter(bool)
_NUMBERS = st.integers(1, 60_000)
_STEPS = st.builds(
    Renumbering,
    st.sampled_from(("merge", "split", "add", "adopt")),
    st.lists(_NUMBERS, max_size=2).map(tuple),
)
NUMBERINGS = st.builds(Numbering, st.lists(_STEPS, max_size=3).map(tuple), _NUMBERS)
_LABELS = st.lists(st.builds(Label, st.sampled_from(LABEL_KINDS), TEXTS), max_size=2).map(tuple)
_TEXT_LISTS = st.lists(TEXTS, max_size=2).map(tuple)


def _references(numberings):
    made = st.builds(CrossReference, st.sampled_from(REFERENCE_KINDS), WORDS, numberings)
    return st.lists(made, max_size=2).map(tuple)


def _senses(word, numberings, decisions, proposed):
    key = st.one_of(st.just(""), _NUMBERS.map(lambda number: f"{word}.{number}"))
    examples = st.builds(EntryExample, TEXTS, TEXTS, TEXTS, TEXTS, st.sampled_from(decisions))

    def extend(inner):
        return st.lists(
            st.builds(
                EntrySense,
                key=key,
                former=key,
                name=TEXTS,
                definition=TEXTS,
                part_of_speech=TEXTS,
                labels=_LABELS,
                collocates=_TEXT_LISTS,
                examples=st.lists(examples, max_size=2).map(tuple),
                references=_references(numberings),
                notes=_TEXT_LISTS,
                senses=inner,
                proposed=_TEXT_LISTS if proposed else st.just(()),
            ),
            max_size=2,
        ).map(tuple)

    return extend(extend(st.just(())))


@st.composite
def lexicons(draw, *, numberings=NUMBERINGS, decisions=DECISIONS, proposed=True):
    """Any lexicon, of one or two words."""
    entries = [
        draw(
            st.builds(
                DictionaryEntry,
                st.just(word),
                TEXTS,
                st.sampled_from(STATUSES),
                _LABELS,
                _references(numberings),
                _TEXT_LISTS,
                _senses(word, numberings, decisions, proposed),
                numberings,
            )
        )
        for word in draw(st.lists(WORDS, min_size=1, max_size=2, unique=True))
    ]
    language = draw(st.sampled_from(("en", "pt-BR", "und")))
    return Lexicon(tuple(entries), language, draw(WORDS), draw(TEXTS), draw(TEXTS))
