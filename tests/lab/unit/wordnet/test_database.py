from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from grassmeans.errors import InputError
from grassmeans_lab.wordnet.database import Pointer, WordNet
from wordnet_files import Entry, write_wordnet

ENTRIES = {
    "bird": Entry("n", 5, ("bird",), "animal with feathers"),
    "crane": Entry("n", 5, ("crane", "wading_bird"), "it wades", (("@", "bird"), ("+", "do"))),
    "Crane": Entry("n", 18, ("Crane",), "a writer"),
    "do": Entry("v", 29, ("crane",), 'stretch (the neck); "she craned"; "see"', (), 2),
    "asleep": Entry("a", 0, ("asleep(p)",), "sleeping"),
}


def test_senses_and_relations(tmp_path: Path) -> None:
    wordnet = WordNet.open(write_wordnet(tmp_path / "wordnet", ENTRIES))
    bird, writer, verb = wordnet.senses_of("crane")
    assert (bird.synset.lemmas, bird.number, bird.count) == (("crane", "wading_bird"), 1, 0)
    assert bird.synset.lexicographer_file == 5
    assert [one.lemmas for one in wordnet.related(bird.synset, "@")] == [("bird",)]
    assert bird.synset.pointers[1] == Pointer("+", "v", verb.synset.offset)
    assert writer.synset.lemmas == ("Crane",)
    assert (verb.synset.pos, verb.number, verb.count) == ("v", 1, 2)
    assert verb.synset.definition == "stretch (the neck)"
    assert verb.synset.examples == ("she craned", "see")
    assert wordnet.senses_of("asleep")[0].synset.lemmas == ("asleep",)
    assert wordnet.n_senses("crane") == 3
    assert wordnet.senses_of("absent") == []
    assert sum(1 for _ in wordnet.synsets()) == 5


@pytest.mark.parametrize(("counts", "found"), [("index.sense", 2), ("cntlist.rev", 2), ("", 1)])
def test_counts_from_any_file(tmp_path: Path, counts: str, found: int) -> None:
    wordnet = WordNet.open(write_wordnet(tmp_path, ENTRIES, counts=counts))
    assert [sense.count for sense in wordnet.senses_of("crane")] == [0, 0, found]


def test_zip_archive(tmp_path: Path) -> None:
    folder = write_wordnet(tmp_path / "wordnet", ENTRIES)
    with zipfile.ZipFile(tmp_path / "wordnet.zip", "w") as archive:
        for file in folder.iterdir():
            archive.write(file, f"wordnet/{file.name}")
    assert WordNet.open(tmp_path / "wordnet.zip").n_senses("crane") == 3


def test_base_forms(tmp_path: Path) -> None:
    wordnet = WordNet.open(write_wordnet(tmp_path, ENTRIES))
    words = ["birds", "bird", "craning", "craned", "swam", "unknowns"]
    bases = ["bird", "bird", "crane", "crane", "swim", "unknowns"]
    assert [wordnet.base_form(word) for word in words] == bases


def test_usual_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_wordnet(tmp_path / "corpora" / "wordnet", ENTRIES)
    monkeypatch.setenv("NLTK_DATA", str(tmp_path))
    assert WordNet.open().place == str(tmp_path / "corpora" / "wordnet")


def test_not_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grassmeans_lab.wordnet.database.usual_places", lambda: [])
    with pytest.raises(InputError, match=r"not found in the usual places.*nltk\.downloader"):
        WordNet.open()
    with pytest.raises(InputError, match="there is nothing there"):
        WordNet.open(tmp_path / "absent")
    write_wordnet(tmp_path, ENTRIES)
    (tmp_path / "data.verb").unlink()
    with pytest.raises(InputError, match=r"it has no data\.verb"):
        WordNet.open(tmp_path)
    (tmp_path / "broken.zip").write_text("no archive")
    with pytest.raises(InputError, match="cannot read WordNet at"):
        WordNet.open(tmp_path / "broken.zip")


def test_changed_line_ends(tmp_path: Path) -> None:
    folder = write_wordnet(tmp_path, ENTRIES)
    data = folder / "data.noun"
    data.write_bytes(data.read_bytes().replace(b"\n", b"\r\n"))
    with pytest.raises(InputError, match="its line ends were changed"):
        WordNet.open(folder).senses_of("crane")


def test_all_base_forms_of_a_word(tmp_path: Path) -> None:
    entries = {**ENTRIES, "craned": Entry("a", 0, ("craned",), "stretched")}
    wordnet = WordNet.open(write_wordnet(tmp_path, entries))
    assert wordnet.base_forms("craned") == ["craned", "crane"]
    assert wordnet.base_forms("crane") == ["crane"]
    assert wordnet.base_forms("unknowns") == []


def test_damaged_lines_are_named(tmp_path: Path) -> None:
    folder = write_wordnet(tmp_path, ENTRIES)
    index = (folder / "index.noun").read_text()
    (folder / "index.noun").write_text(index.replace("bird n 1", "bird n many"))
    with pytest.raises(InputError, match=r"index\.noun is damaged at 'bird n many"):
        WordNet.open(folder).senses_of("bird")
    data = (folder / "data.noun").read_text()
    (folder / "data.noun").write_text(data.replace(" 01 bird", " zz bird"))
    with pytest.raises(InputError, match=r"data\.noun is damaged at"):
        list(WordNet.open(folder).synsets())


def test_the_digest_tells_databases_apart(tmp_path: Path) -> None:
    one, same = (WordNet.open(write_wordnet(tmp_path / name, ENTRIES)) for name in "ab")
    other = WordNet.open(write_wordnet(tmp_path / "c", {"bird": ENTRIES["bird"]}))
    assert one.digest == same.digest != other.digest
