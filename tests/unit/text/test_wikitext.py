import time
import unicodedata

import pytest

from grassmeans.text.wikitext import Link, clean_wikitext, is_dropped_link, normalize_title


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("'''Bold''' and ''italic'' text.", "Bold and italic text."),
        ("A [[bank]] and [[river bank|the bank]].", "A bank and the bank."),
        ('Before<ref name=a>cite</ref> after<ref name="a" />.', "Before after."),
        ("Text {{cite|a={{b|c}}}}here.", "Text here."),
        ("Before\n{| class=x\n|-\n| cell || {{t}}\n{|\n| inner\n|}\n|}\nAfter", "Before\nAfter"),
        ("One<!-- hidden [[x]] --> two", "One two"),
        ("[[File:A.jpg|thumb|A [[cat]] of [http://x y]]]Text", "Text"),
        ("[[Datei:A.jpg|mini|x]][[Kategorie:B]][[fr:Titre]]Text", "Text"),
        ("See [[:Category:Birds]] and [[:fr:Titre|titre]]", "See Category:Birds and titre"),
        ("E = <math>mc^2</math> and <code>x = 1</code>.", "E = and."),
        ("<gallery>\nA.jpg|x\n</gallery>Text<nowiki>[[</nowiki>", "Text"),
        ("H<sub>2</sub>O<br/>and <small>more</small>", "H2O and more"),
        ("== Heading ==\nText\n=== Sub ===\n", "Text"),
        ("* one\n** two\n# three\n: four\n;five", "one\ntwo\nthree\nfour\nfive"),
        ("[http://x.org the site] [http://x.org] http://x.org/a_b end", "the site end"),
        ("__NOTOC__Caf&eacute;&nbsp;&amp; bar &lt;b&gt;", "Café & bar <b>"),
        ("Paris ({{IPA|x}}; , {{lang|fr|y}}) is", "Paris is"),
        ("Paris ({{IPA|x}}; the city) is", "Paris (the city) is"),
        ("a\n\n\n  b \t c\n*.\n", "a\nb c"),
        ("cafe\u0301", "café"),
        ("[[A|b [c] d]] e", "b [c] d e"),
        ("<blockquote>One</blockquote>two", "One\ntwo"),
        ("5 < 6 and 7 > 6, x <y", "5 < 6 and 7 > 6, x <y"),
        ("", ""),
    ],
)
def test_cleaning(source: str, text: str) -> None:
    assert clean_wikitext(source).text == text
    assert clean_wikitext(source, keep_links=True).text == text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("{{Infobox\n| name = x\nText", "Infobox\nText"),
        ("Text }} more", "Text more"),
        ("A [[link without end\nnext", "A link without end\nnext"),
        ("A <ref>unclosed\nnext", "A unclosed\nnext"),
        ("{|\n| cell\n\nAfter the table", "After the table"),
        ("Text <!-- never closed", "Text"),
        ("[[a|b]] ]] '' x", "b x"),
    ],
)
def test_broken_markup_loses_little(source: str, text: str) -> None:
    assert clean_wikitext(source).text == text


def test_links_are_spans_of_the_cleaned_text() -> None:
    source = (
        "{{x}}The [[bank]]s of [[Danube#Course|the '''river''']] and [[new_York]], [[wikt:of|of]]."
    )
    clean = clean_wikitext(source, keep_links=True)
    assert clean.text == "The banks of the river and new York, of."
    assert clean.links == (Link(4, 9, "Bank"), Link(13, 22, "Danube"), Link(27, 35, "New York"))


def test_links_survive_what_is_removed_around_them() -> None:
    source = (
        "[[File:a|[[cat]] x]]&nbsp; [[a|&eacute;t&eacute;]] ( ) [[Å\u0323|c]] [[#here|h]] [[b|]]"
    )
    clean = clean_wikitext(source, keep_links=True)
    assert clean.text == "été c h b"
    assert [(clean.text[link.start : link.end], link.target) for link in clean.links] == [
        ("été", "A"),
        ("c", unicodedata.normalize("NFC", "Å\u0323")),
        ("b", "B"),
    ]


def test_without_keep_links_there_are_none() -> None:
    assert clean_wikitext("[[a]]").links == ()


@pytest.mark.parametrize(
    "source",
    [
        "{{" * 20_000,
        "[[" * 20_000,
        "{{a|" * 10_000 + "}}" * 10_000,
        "[[a|" * 10_000 + "]]" * 10_000,
        "<b>" * 20_000,
        "<ref>" * 20_000,
        "\n{|" * 20_000,
        "[http://a " * 20_000,
        " " * 100_000,
        "( " * 50_000,
        "<div><b>[[a|{{" * 3_000,
        "[[File:a|" * 90 + "x",
        "\ufdd0\ufdd1\ufdd2" * 1000,
    ],
)
def test_hostile_markup_takes_no_long_time(source: str) -> None:
    start = time.process_time()
    clean = clean_wikitext(source, keep_links=True)
    assert time.process_time() - start < 5
    assert len(clean.text) <= len(source)
    assert "[[" not in clean.text
    assert "{{" not in clean.text


@pytest.mark.parametrize(
    ("target", "title"),
    [
        ("new_York  city", "New York city"),
        ("Bank#History", "Bank"),
        (":Bank", "Bank"),
        ("w:Bank", "Bank"),
        ("2001: A Space Odyssey", "2001: A Space Odyssey"),
        ("CSI:NY", "CSI:NY"),
        ("élan", "Élan"),
        ("User talk:Me", ""),
        ("Wikipedia:Rules", ""),
        (":fr:Titre", ""),
        ("#Section", ""),
        ("/Subpage", ""),
        ("", ""),
    ],
)
def test_titles(target: str, title: str) -> None:
    assert normalize_title(target) == title


def test_links_that_show_nothing() -> None:
    dropped = ["File:a", "category:b", "Файл:а", "zh-min-nan:x", "Tập tin:a", " Image : a"]
    shown = [":File:a", "Star Trek: Voyager", "plain", "wikt:x", "", ":"]
    assert [is_dropped_link(target) for target in dropped] == [True] * len(dropped)
    assert [is_dropped_link(target) for target in shown] == [False] * len(shown)
