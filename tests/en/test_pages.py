from __future__ import annotations

from english_texts.pages import (
    join_sentences,
    read_addresses,
    read_answers,
    read_handbook,
    read_html,
    read_news,
    read_openstax,
    read_pages,
    read_stories,
    read_tatoeba,
    read_treebank,
)

SENTENCE = "It is said that they were in the house with all of their friends."


def test_pages_below_the_named_folders_are_read_if_they_are_long_enough(make_repository):
    long = f"---\ntitle: Long\n---\n\n{' '.join([SENTENCE] * 4)}\n"
    folder = make_repository(
        {"content/a.md": long, "content/b.md": SENTENCE, "docs/c.md": long, "content/d.txt": long}
    )
    [document] = read_pages(folder, "content/ other/", "web", "site")
    assert (document.id, document.title, document.kind) == ("site-content/a.md", "Long", "web")


def test_stories_are_read_if_their_licence_is_free(make_repository):
    story = (
        "# Feelings\n\n##\nMy heart feels a lot of\nthings.\n\n##\nI sing.\n\n##\n* License: [{}]\n"
    )
    folder = make_repository(
        {"en/1_a.md": story.format("CC-BY"), "en/2_b.md": story.format("CC-BY-NC")}
    )
    [document] = read_stories(folder, "storybook")
    assert (document.id, document.title) == ("storybook-1_a", "Feelings")
    assert document.text == "My heart feels a lot of things.\nI sing."


TREEBANK = """# newdoc id = x
# meta::title = A walk
# newpar
# text = We went out -- early.
1\tWe\twe
# text = It rained.
# newpar
# text = See www.a.org now.
"""


def test_sentences_of_a_treebank_are_joined_to_paragraphs():
    assert list(join_sentences(TREEBANK)) == ["We went out — early. It rained.", "See now."]


def test_only_free_parts_of_gum_are_read(make_repository):
    folder = make_repository(
        {"sources/GUM_vlog_a.conllu": TREEBANK, "sources/GUM_whow_b.conllu": TREEBANK}
    )
    [document] = read_treebank(folder, "gum")
    assert (document.id, document.title) == ("gum-GUM_vlog_a", "A walk")
    assert len(list(read_treebank(folder, "ewt"))) == 2


def test_chapters_of_a_textbook_lose_figures_and_titles(make_repository):
    chapter = f"""<document xmlns="http://cnx.rice.edu/cnxml"><title>Grit</title><content>
<para><emphasis>{SENTENCE}</emphasis> {SENTENCE}
{SENTENCE}</para><figure><caption>{SENTENCE}</caption></figure>
<section><title>Why?</title><list><item>How can you be so sure of it?</item></list></section>
</content></document>"""
    folder = make_repository({"modules/m1/index.cnxml": chapter})
    [document] = read_openstax(folder, "openstax-college")
    assert (document.id, document.title) == ("openstax-college-m1", "Grit")
    assert document.paragraphs == [" ".join([SENTENCE] * 3), "How can you be so sure of it?"]


def test_answers_stand_with_their_question(make_repository):
    posts = """<posts>
<row Id="1" PostTypeId="1" Title="What is a hop?" Body="&lt;p&gt;I want to know it.&lt;/p&gt;"/>
<row Id="2" PostTypeId="1" Title="Why?" Body=""/>
<row Id="3" PostTypeId="2" ParentId="1" Body="&lt;p&gt;It is a plant.&lt;/p&gt;"/>
</posts>"""
    documents = list(read_answers(make_repository({"Posts.xml": posts}), "Posts.xml", "beer"))
    assert [document.text for document in documents] == [
        "What is a hop?\nI want to know it.\nIt is a plant.",
        "Why?",
    ]


def test_a_post_has_no_code():
    body = "<p>Use <code>ls</code> for it, please.</p><pre><code>ls -l is good.</code></pre>"
    assert read_html(body) == ["Use for it, please."]


def test_news_have_a_paragraph_a_line(make_repository):
    rows = f'url,date,title,text\nu,d,Vote,"{SENTENCE}\n\n\nShort.\n{SENTENCE}"\n'
    [document] = read_news(make_repository({"data/wikinews_2020.csv": rows}))
    assert (document.id, document.title) == ("wikinews_2020-0", "Vote")
    assert document.text == f"{SENTENCE}\n{SENTENCE}"


def test_addresses_are_cut_after_six_sentences(make_repository):
    speech = "We hear you. [Laughter] " + "This is one. " * 6
    files = {
        "data/1995_ann_d.txt": speech,
        "data/1900_bob_r.txt": speech,
        "data/1995_ann_d.json": "{}",
    }
    [document] = read_addresses(make_repository(files))
    assert document.id == "sotu-1995_ann_d"
    assert document.paragraphs == ["We hear you. " + " ".join(["This is one."] * 5), "This is one."]


def test_the_english_side_of_translations_is_read(make_repository):
    lines = "I'll feed the dog.\t我要喂狗。\tCC-BY 2.0\nHi.\t嗨。\n"
    [document] = read_tatoeba(make_repository({"cmn.txt": lines}), "cmn.txt", "tatoeba")
    assert (document.id, document.text, document.source) == (
        "tatoeba-0",
        "I'll feed the dog.",
        "tatoeba",
    )


def test_a_handbook_is_read_from_one_of_its_files(make_repository):
    start = "*** START OF THIS PROJECT GUTENBERG EBOOK ***"
    text = f"Title: Cooking\n[EBook #12]\n{start}\n\n{SENTENCE}\n"
    folder = make_repository({"12-8.txt": text, "12.txt": text, "README.txt": text})
    [document] = read_handbook(folder)
    assert (document.id, document.title, document.text) == ("gutenberg-12", "Cooking", SENTENCE)
