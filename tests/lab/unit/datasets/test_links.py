"""Test sets of linked words, on a dump that is written here."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from damage import make_old
from grassmeans import Corpus
from grassmeans.corpus.corpus import default_options
from grassmeans.corpus.ingest import IngestOptions
from grassmeans.errors import InputError, UnknownWordError
from grassmeans.evaluation.instances import read_key
from grassmeans.evaluation.loading import open_task
from grassmeans.text.tokenizer import Tokenizer
from grassmeans_lab.datasets.link_table import collect_links, read_merges, resolve_page
from grassmeans_lab.datasets.links import LinkSettings, build_links
from grassmeans_lab.datasets.shard_links import read_links, read_redirects
from grassmeans_lab.datasets.writing import Sampling, make_label, sample_senses, text_around

ARTICLES = {
    "Harbour": "The [[crane (machine)|crane]] stood high. A [[Crane (machine)|Crane]] fell.",
    "Marsh": "One [[Crane (bird)|crane]], two [[Crane (bird)|cranes]] ate. [[crane bird]]s sang.",
    "Lake": "A [[Crane_bird#Food|crane]] flew over a [[gruidae|crane]].",
    "Film": "[[Frasier Crane|Crane]] met [[Frasier Crane|Doctor Crane]]. See [[Crane 9|Crane 9]].",
    "Town": "The [[river]] and the [[Bank|river bank]], the [[the|the]] end.",
}
REDIRECTS = {"Crane bird": "Gruidae", "Gruidae": "Crane (bird)", "Crane machine": "Crane (machine)"}


def write_dump(path: Path) -> Path:
    pages = [
        f"<page><title>{title}</title><ns>0</ns><id>{i}</id>"
        f"<revision><text>{text}</text></revision></page>"
        for i, (title, text) in enumerate(ARTICLES.items())
    ]
    for i, (title, target) in enumerate(REDIRECTS.items()):
        tag = f'<redirect title="{target}" />' if i else ""  # old dumps have the text alone
        pages.append(
            f"<page><title>{title}</title><ns>0</ns><id>9{i}</id>{tag}"
            f"<revision><text>#REDIRECT [[{target}]]</text></revision></page>"
        )
    path.write_text(f"<mediawiki>{''.join(pages)}</mediawiki>", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp("links")
    options = IngestOptions(
        keep_links=True, function_words=default_options().function_words, shard_chars=100
    )
    return Corpus.from_files(
        [write_dump(folder / "dump.xml")], folder / "corpus", options=options, workers=1
    )


def settings(**changes: object) -> LinkSettings:
    return LinkSettings(**({"min_instances": 1} | changes))  # type: ignore[arg-type]


def read_lines(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_the_corpus_keeps_redirects_and_has_several_shards(corpus) -> None:
    assert len(corpus.shards) > 2
    kept = {source: to for shard in corpus.shards for source, to in read_redirects(shard).items()}
    assert kept == REDIRECTS
    assert corpus.n_documents == len(ARTICLES)


def test_only_links_of_one_word_alone_count(corpus) -> None:
    table = collect_links(corpus)
    words = [corpus.vocabulary.words[i] for i in table.words]
    pages = [table.titles[i] for i in table.pages]
    # Not "Doctor Crane" and "river bank", two words, and not "Crane 9", whose number is no token.
    assert list(zip(words, pages, strict=True)) == [
        ("crane", "Crane (machine)"),
        ("crane", "Crane (machine)"),
        ("crane", "Crane (bird)"),
        ("cranes", "Crane (bird)"),
        ("crane", "Crane (bird)"),  # by a section of a redirect to a redirect
        ("crane", "Crane (bird)"),
        ("crane", "Frasier Crane"),
        ("river", "River"),
        ("the", "The"),
    ]
    tokens = np.concatenate([shard.tokens for shard in corpus.shards])
    assert tokens[table.positions].tolist() == table.words.tolist()


def test_senses_are_pages_and_the_task_reads_them(corpus, tmp_path) -> None:
    summary = build_links(corpus, tmp_path / "set", settings())
    assert summary.senses == {
        "crane": {"Crane_(bird)": 3, "Crane_(machine)": 2, "Frasier_Crane": 1}
    }
    assert (summary.n_words, summary.n_senses, summary.n_instances) == (1, 3, 6)
    task = open_task("jsonl", tmp_path / "set" / "instances.jsonl")
    assert task.gold == read_key(tmp_path / "set" / "instances.key")
    assert task.gold.best_labels("crane") == {
        "crane.1": "Crane_(machine)",
        "crane.2": "Crane_(machine)",
        "crane.3": "Crane_(bird)",
        "crane.4": "Crane_(bird)",
        "crane.5": "Crane_(bird)",
        "crane.6": "Frasier_Crane",
    }
    second = task.instances[1]
    assert (second.target, second.word) == ("crane", "Crane")
    assert (second.left, second.right) == ("The crane stood high. A ", " fell.")
    lines = read_lines(tmp_path / "set" / "instances.jsonl")
    assert lines[1]["document"] == "Harbour"
    assert corpus.line_at(lines[4]["position"]).right == "."


def test_rare_pages_and_words_with_few_senses_are_left_out(corpus, tmp_path) -> None:
    summary = build_links(corpus, tmp_path / "two", settings(min_instances=2))
    assert summary.senses == {"crane": {"Crane_(bird)": 3, "Crane_(machine)": 2}}
    summary = build_links(
        corpus,
        tmp_path / "words",
        settings(min_instances=3, min_senses=1),
        words=["Crane", "river"],
    )
    assert summary.senses == {"crane": {"Crane_(bird)": 3}}
    assert summary.skipped == {"river": "fewer than 1 senses with 3 links"}
    with pytest.raises(InputError, match="no word is linked to 2 pages or more, 3 times each"):
        build_links(corpus, tmp_path / "none", settings(min_instances=3))
    assert not (tmp_path / "none").exists()


def test_words_with_most_instances_come_first(corpus, tmp_path) -> None:
    summary = build_links(corpus, tmp_path / "all", settings(min_senses=1))
    assert list(summary.senses) == ["crane", "cranes", "river"]  # "the" is a function word
    summary = build_links(corpus, tmp_path / "two", settings(min_senses=1, max_words=2))
    assert list(summary.senses) == ["crane", "cranes"]


def test_plurals_can_count_as_their_singular(corpus, tmp_path) -> None:
    summary = build_links(corpus, tmp_path / "all", settings(inflected=True))
    assert summary.senses["crane"]["Crane_(bird)"] == 4
    lines = read_lines(tmp_path / "all" / "instances.jsonl")
    assert [(line["target"], line["word"]) for line in lines][3] == ("crane", "cranes")
    summary = build_links(
        corpus, tmp_path / "own", settings(inflected=True, min_senses=1), words=["crane", "cranes"]
    )
    assert summary.senses["cranes"] == {"Crane_(bird)": 1}


def test_more_pages_can_be_counted_as_one(corpus, tmp_path) -> None:
    table = tmp_path / "merges.tsv"
    table.write_text("frasier_Crane\tGruidae\n", encoding="utf-8")
    merges = read_merges(table)
    assert merges == {"Frasier Crane": "Gruidae"}
    summary = build_links(corpus, tmp_path / "set", settings(), merges=merges)
    assert summary.senses == {"crane": {"Crane_(bird)": 4, "Crane_(machine)": 2}}


def test_a_table_of_merges_names_its_wrong_line(tmp_path) -> None:
    table = tmp_path / "merges.tsv"
    table.write_text("A\tB\nC\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"line 2: expected 'page<TAB>page that it counts as'"):
        read_merges(table)


def test_circles_of_redirects_end() -> None:
    circle = {"C": "B", "B": "A", "A": "B"}
    assert [resolve_page(page, circle) for page in "ABC"] == ["A", "A", "A"]
    assert resolve_page("D", circle) == "D"


def test_balance_and_split_depend_on_the_seed_alone(corpus, tmp_path) -> None:
    chosen = settings(
        min_instances=2, sampling=Sampling(balance=True, test_share=0.5, random_state=3)
    )
    summary = build_links(corpus, tmp_path / "a", chosen)
    assert summary.senses == {"crane": {"Crane_(bird)": 2, "Crane_(machine)": 2}}
    assert summary.parts == {"train.jsonl": 2, "test.jsonl": 2}
    build_links(corpus, tmp_path / "b", chosen)
    for name in ("train.jsonl", "train.key", "test.jsonl", "test.key"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    parts = [read_key(tmp_path / "a" / f"{part}.key") for part in ("train", "test")]
    labels = [sorted(part.best_labels("crane").values()) for part in parts]
    assert labels == [["Crane_(bird)", "Crane_(machine)"]] * 2
    ids = [set(part.labels["crane"]) for part in parts]
    assert not ids[0] & ids[1]


def test_sampling_keeps_one_of_each_sense_on_both_sides() -> None:
    senses = {"many": np.arange(10), "two": np.arange(20, 22), "one": np.array([30])}
    drawn = sample_senses("w", senses, Sampling(max_per_sense=8, test_share=0.1))
    sizes = {part: {k: len(v) for k, v in chosen.items()} for part, chosen in drawn.items()}
    assert sizes == {
        "train": {"many": 7, "two": 1, "one": 1},
        "test": {"many": 1, "two": 1, "one": 0},
    }
    assert set(drawn["train"]["two"]) | set(drawn["test"]["two"]) == {20, 21}


def test_text_is_cut_at_words(corpus) -> None:
    position = int(corpus.positions("fell")[0])
    line = text_around(corpus, position, 12)
    assert (line.left, line.word, line.right) == ("A Crane ", "fell", ".")


@pytest.mark.parametrize(
    ("title", "label"),
    [("AC/DC", "AC%2FDC"), ("!!! (band)", "%21!!_(band)"), ("100% (song)", "100%25_(song)")],
)
def test_labels_fit_into_key_files(title, label, tmp_path) -> None:
    assert make_label(title) == label
    (tmp_path / "key").write_text(f"w w.1 {label}\n", encoding="utf-8")
    assert read_key(tmp_path / "key").best_labels("w") == {"w.1": label}


def test_a_corpus_in_capitals_keeps_its_form(tmp_path) -> None:
    text = "<page><title>T</title><ns>0</ns><id>1</id><revision><text>{}</text></revision></page>"
    dump = tmp_path / "dump.xml"
    words = "[[Paris]] is old. [[Paris (myth)|Paris]] is older."
    dump.write_text(f"<mediawiki>{text.format(words)}</mediawiki>", encoding="utf-8")
    options = IngestOptions(keep_links=True, tokenizer=Tokenizer(lowercase=False))
    cased = Corpus.from_files([dump], tmp_path / "corpus", options=options, workers=1)
    summary = build_links(cased, tmp_path / "set", settings(), words=["paris"])
    assert summary.senses == {"Paris": {"Paris": 1, "Paris_(myth)": 1}}


def test_corpora_of_older_releases_are_read(corpus, tmp_path) -> None:
    make_old(shutil.copytree(corpus.path, tmp_path / "old"))
    for name in ("links_exact.npy", "redirects.json"):
        for path in (tmp_path / "old").glob(f"shards/*/{name}"):
            path.unlink()
    old = Corpus.open(tmp_path / "old")
    assert all(read_links(shard).exact.all() for shard in old.shards)
    assert sum(len(read_links(shard).exact) for shard in old.shards) > 0
    titles = collect_links(old).titles
    assert "Crane 9" in titles  # what cannot be known is kept
    assert "Crane bird" in titles


def test_mistakes_are_explained(corpus, tmp_path) -> None:
    plain = Corpus.from_texts(["a crane"])
    with pytest.raises(InputError, match=r"has no links: .*keep_links=True"):
        build_links(plain, tmp_path / "set")
    with pytest.raises(UnknownWordError, match="does not have 'heron'"):
        build_links(corpus, tmp_path / "set", words=["heron", "crane"])
    with pytest.raises(InputError, match="min_senses must be 1 or more, got 0"):
        LinkSettings(min_senses=0)
    with pytest.raises(InputError, match="test_share must lie between 0 and 1"):
        Sampling(test_share=1.0)


def test_only_a_test_set_is_overwritten(corpus, tmp_path) -> None:
    build_links(corpus, tmp_path / "set", settings())
    with pytest.raises(InputError, match="exists already: choose another, or pass overwrite=True"):
        build_links(corpus, tmp_path / "set", settings())
    build_links(corpus, tmp_path / "set", settings(min_instances=2), overwrite=True)
    assert open_task("jsonl", tmp_path / "set" / "instances.jsonl").gold.n_instances == 5
    other = Corpus.from_texts(["a b c"], tmp_path / "other")
    with pytest.raises(InputError, match=r"another kind \(corpus\) and is never replaced"):
        build_links(corpus, other.path, settings(), overwrite=True)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="is not empty and not a grassmeans dataset"):
        build_links(corpus, tmp_path / "notes", settings(), overwrite=True)
