from __future__ import annotations

from language_texts import (
    keep_prose,
    read_articles,
    read_common_voice,
    read_laws,
    read_novels,
    read_plays,
)

LONG = " ".join(["Das Haus steht am Fluss und ist alt."] * 11)


def test_headings_and_lists_are_no_prose():
    text = (
        "Geschichte\n\nDie Stadt wurde im Jahr 1200 von einem Grafen gegründet.\nOrte der Umgebung"
    )
    assert keep_prose(text) == "Die Stadt wurde im Jahr 1200 von einem Grafen gegründet."


def test_articles_with_too_little_prose_are_left_out(make_repository):
    doc = '<doc id="{}" url="x" title="{}">\n{}\n\n{}\n\n\n</doc>\n'
    short = "Der Ort liegt in einem Tal im Süden des Landes."
    text = doc.format(1, "Haus", "Haus", LONG) + doc.format(2, "Ort", "Ort", short)
    (found,) = read_articles(make_repository({"wiki_00": text, "other": text}), "wiki_")
    assert (found.id, found.title, found.text) == ("wikipedia-1", "Haus", LONG)


def test_a_chapter_of_a_novel_is_a_document(make_repository):
    text = """<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><title>Goldelse : ELTeC</title>
    <author>Marlitt, Eugenie (1825-1887)</author></teiHeader><text><body><div><head>1</head>
    <p>Es hatte <pb/>\n geschneit.</p><p>Es war kalt.</p></div></body></text></TEI>"""
    (found,) = read_novels(make_repository({"level1/DEU040.xml": text, "Orig/a.xml": "no"}))
    assert (found.id, found.title) == ("DEU040-0", "Marlitt, Eugenie: Goldelse")
    assert found.text == "Es hatte geschneit.\nEs war kalt."


def test_laws_have_no_heads_and_numbers(make_repository):
    text = f"---\nx\n---\n# Gesetz, das für alle alten Häuser im Land gilt (G)\n\n(1) {LONG}\n"
    (found,) = read_laws(make_repository({"g/gg/index.md": text}))
    assert (found.id, found.text) == ("law-gg", LONG)


def test_sentences_are_those_of_the_language(make_repository):
    files = {"de/a.txt": "Ist das Tor offen?\n", "de/wiki.de.txt": "Er war ein Graf.\n"}
    files["es/a.txt"] = "La puerta está abierta.\n"
    folder = make_repository({f"server/data/{name}": text for name, text in files.items()})
    assert [d.text for d in read_common_voice(folder, "de")] == ["Ist das Tor offen?"]


def make_play(year: int, licence: str, speech: str) -> str:
    return f"""<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc>
    <titleStmt><title>Der Wald</title><author><persName><forename>Ida</forename>
    <surname>Ruh</surname></persName></author></titleStmt>
    <publicationStmt><licence target="{licence}"/></publicationStmt></fileDesc>
    <standOff><event when="{year}"/></standOff></teiHeader><text><body><div>
    <sp><speaker>KARL.</speaker><p>Ich <stage>leise</stage>gehe {speech}.</p></sp>
    <sp><speaker>ANNA.</speaker><l>Ein Vers.</l></sp></div></body></text></TEI>"""


def test_a_scene_of_a_play_is_what_is_spoken_in_prose(make_repository):
    free, other = (
        "https://creativecommons.org/publicdomain/zero",
        "https://c.org/licenses/by-nc/4.0",
    )
    plays = {"new": (1810, free), "old": (1650, free), "closed": (1850, other)}
    files = {f"tei/{name}.xml": make_play(*given, name) for name, given in plays.items()}
    (found,) = read_plays(make_repository(files))
    assert (found.title, found.kind) == ("Ida Ruh: Der Wald", "plays")
    assert found.text == "Ich gehe new."
