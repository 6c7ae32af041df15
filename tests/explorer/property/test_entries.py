"""Whatever a lexicon holds comes back from the formats that can be read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from entry_material import NUMBERINGS, lexicons
from grassmeans_explorer.entries.entry import KEEP, PROPOSED, EntrySense, Numbering, walk_senses
from grassmeans_explorer.entries.following import follow_number
from grassmeans_explorer.entries.formats import dmlex, lexonomy, ontolex, own, page, table, tei

HERE = Path("lexicon")
UNNUMBERED = st.just(Numbering())
few = settings(max_examples=60, deadline=None)


@few
@given(lexicons())
def test_our_json_has_everything(lexicon):
    assert own.read(own.write(lexicon), HERE) == lexicon


@few
@given(lexicons(numberings=UNNUMBERED))
def test_a_table_has_all_but_the_model(lexicon):
    assert table.read(table.write(lexicon), HERE) == replace(lexicon, model="", root="")


@few
@given(lexicons(numberings=UNNUMBERED, decisions=(KEEP, PROPOSED), proposed=False))
def test_tei_has_what_readers_see(lexicon):
    assert tei.read(tei.write(lexicon), HERE) == replace(lexicon, model="", root="")


@few
@given(lexicons(numberings=UNNUMBERED, decisions=(KEEP, PROPOSED), proposed=False))
def test_lexonomy_has_what_readers_see(lexicon):
    entries = tuple(
        replace(entry, senses=()) if entry.senses == (EntrySense(),) else entry
        for entry in lexicon.entries
    )
    expected = replace(lexicon, entries=entries, model="", root="")
    assert lexonomy.read(lexonomy.write(lexicon), HERE) == expected


@few
@given(lexicons())
def test_turtle_and_dmlex_have_words_senses_and_definitions(lexicon):
    pytest.importorskip("rdflib", reason="RDFLib reads Turtle, and is not installed")

    def tell(found):
        return {
            entry.word: [(p, s.key, s.name, s.definition) for p, s in walk_senses(entry.senses)]
            for entry in found.entries
        }

    assert tell(dmlex.read(dmlex.write(lexicon), HERE)) == tell(lexicon)
    assert tell(ontolex.read(ontolex.write(lexicon), HERE)) == tell(lexicon)


@few
@given(lexicons())
def test_a_page_has_no_tag_of_a_text(lexicon):
    written = page.write(lexicon)
    assert written.count("<article") == len(lexicon.entries)
    assert "<script" not in written


@few
@given(lexicons())
def test_turtle_is_read_whatever_the_texts_are(lexicon):
    rdflib = pytest.importorskip("rdflib", reason="RDFLib reads Turtle, and is not installed")
    graph = rdflib.Graph().parse(data=ontolex.write(lexicon), format="turtle")
    written = rdflib.URIRef(ontolex.PREFIXES["ontolex"] + "writtenRep")
    found = {str(value) for value in graph.objects(None, written)}
    assert found == {entry.word for entry in lexicon.entries}


@given(NUMBERINGS, st.integers(1, 60_000))
def test_a_number_that_is_followed_to_where_it_is_stays(numbering, number):
    expected = number if number <= numbering.n_senses else None
    assert follow_number(number, numbering, numbering) == expected
