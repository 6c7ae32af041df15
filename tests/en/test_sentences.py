from __future__ import annotations

from english_texts.sentences import clean_sentence, group_sentences, read_common_voice, spread


def test_a_sentence_ends_and_does_not_begin_with_a_mark():
    assert clean_sentence("- How big can\u00a0elephants be?") == "How big can elephants be?"
    assert clean_sentence("Next slide please,") == "Next slide please."
    assert clean_sentence("") == ""


def test_sentences_are_set_apart_in_a_fixed_order():
    sentences = [str(number) for number in range(70)]
    found = spread(sentences)
    assert found[:4] == ["0", "3", "6", "9"]
    assert sorted(found) == sorted(sentences)


def test_thirty_sentences_make_a_document_each_once():
    lines = [f"This is number {number}." for number in range(31)]
    documents = list(group_sentences([*lines, lines[0], "Too short.", "Это не по-английски."], "x"))
    assert [document.id for document in documents] == ["x-0", "x-1"]
    assert [len(document.paragraphs) for document in documents] == [30, 1]
    assert {document.kind for document in documents} == {"sentences"}


def test_sentences_of_wikipedia_and_single_words_are_left_out(make_repository):
    folder = make_repository(
        {
            "server/data/en/wiki.en.txt": "It was founded in 1900.\n",
            "server/data/en/singleword-benchmark.txt": "zero\n",
            "server/data/en/ann.txt": "Where is my hat?\n",
            "server/data/de/ann.txt": "Wo ist mein Hut?\n",
        }
    )
    [document] = read_common_voice(folder)
    assert (document.id, document.text) == ("common-voice-ann-0", "Where is my hat?")
