from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from grassmeans import WordVectors
from grassmeans_lab.wordnet.database import WordNet
from grassmeans_lab.wordnet.linking import SynsetLinker
from wordnet_files import Entry, write_wordnet

GOLD = Path(__file__).parents[3] / "data" / "wordnet-senses.jsonl"
ENTRIES = {
    "bird": Entry("n", 5, ("crane",), "wader of the marsh"),
    "lift": Entry("n", 6, ("crane",), "hoist made of steel"),
    "past": Entry("a", 0, ("craned",), "bent like a neck"),
    "empty": Entry("n", 6, ("mute",), "zzz"),
}
# Every word shares the first dimension; birds, machines and necks have one each of their own.
WORDS = {
    "crane": [9, 1, 1, 0],
    "marsh": [9, 2, 0, 0],
    "wader": [9, 2, 0, 0],
    "reed": [9, 2, 0, 0],
    "steel": [9, 0, 2, 0],
    "hoist": [9, 0, 2, 0],
    "cable": [9, 0, 2, 0],
    "neck": [9, 0, 0, 2],
    "throat": [9, 0, 0, 2],
    "mute": [9, 0, 0, 0],
}


@pytest.fixture
def linker(tmp_path: Path) -> SynsetLinker:
    wordnet = WordNet.open(write_wordnet(tmp_path / "wordnet", ENTRIES))
    return SynsetLinker(wordnet, WordVectors(list(WORDS), list(WORDS.values())))


def test_senses_have_the_synset_with_the_nearest_gloss(linker: SynsetLinker) -> None:
    links = linker.link("crane", [["cable", "unheard"], ["reed"], ["throat"]])
    assert [link and str(link) for link in links] == [
        "crane (n): hoist made of steel",
        "crane (n): wader of the marsh",
        None,  # no gloss is near
    ]
    assert links[0].cosine > 0.7
    assert links[0].to_dict() == {
        "synset": links[0].synset.name,
        "lemmas": ["crane"],
        "definition": "hoist made of steel",
        "cosine": round(links[0].cosine, 4),
    }


def test_synonyms_tell_a_synset_too(tmp_path: Path) -> None:
    # Glosses say nothing; of crane and reed, reed is nearer to marsh.
    entries = {
        "bird": Entry("n", 5, ("crane", "reed"), "zzz"),
        "lift": Entry("n", 6, ("crane", "steel"), "zzz"),
    }
    wordnet = WordNet.open(write_wordnet(tmp_path / "wordnet", entries))
    linker = SynsetLinker(wordnet, WordVectors(list(WORDS), list(WORDS.values())))
    bird, lift = linker.extend_synsets(linker.find_synsets("crane"))
    assert bird @ linker.place_words(["marsh"]) > 0.7 > lift @ linker.place_words(["marsh"])
    assert [link.synset.lemmas[1] for link in linker.link("crane", [["marsh"], ["cable"]])] == [
        "reed",
        "steel",
    ]


def test_what_words_have_in_common_says_nothing(linker: SynsetLinker) -> None:
    # Raw cosines are all above 0.9.
    glosses = linker.place_glosses("crane", linker.find_synsets("crane"))
    assert glosses @ linker.place_words(["reed"]) == pytest.approx([1.0, -0.5], abs=0.35)


def test_all_lemmas_of_a_form_are_looked_at(linker: SynsetLinker) -> None:
    links = linker.link("Craned", [["throat"], ["reed"]])
    assert [link and link.synset.pos for link in links] == ["a", "n"]


def test_words_without_synsets_and_senses_without_words(linker: SynsetLinker) -> None:
    assert linker.link("throat", [["neck"], ["reed"]]) == [None, None]
    assert linker.link("crane", [[], ["unheard"]]) == [None, None]
    assert linker.link("mute", [["neck"]]) == [None]  # a gloss without known words


def test_gold_links_are_of_a_hundred_senses() -> None:
    lines = [json.loads(line) for line in GOLD.read_text().splitlines()]
    assert len({(line["word"], line["sense"]) for line in lines}) == 100
    assert all(line["words"] for line in lines)
    names = [name for line in lines for name in line["synsets"]]
    assert all(name[0] in "nvar" and len(name) == 9 and name[1:].isdigit() for name in names)
    assert np.mean([bool(line["synsets"]) for line in lines]) == pytest.approx(0.86)
