"""The small files and folders that the documentation's commands are run on.

Everything is made of the town's chronicle that comes with the package, under the names that the
pages use: books and dumps, a corpus with vectors and a model, and test sets in the formats of the
field.
"""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import re
from contextlib import suppress
from importlib.resources import files
from pathlib import Path

import zstandard

from grassmeans import Corpus, SkipGram, WordVectors
from grassmeans.clustering.settings import InductionSettings
from grassmeans.contexts.attention.training import EncoderSettings, train_encoder
from grassmeans.labelling import label_corpus
from grassmeans.models.building import build_model
from grassmeans.vectors import to_gensim, write_glove, write_word2vec_binary
from treebank import write_treebank
from wordnet_files import Entry, write_wordnet

WORDS = ("crane", "bank")
# Words of the chronicle that tell a sense: of crane the bird, of bank that of money.
_FIRST_SENSE = {"crane": {"nest", "wings", "reeds", "flock"}, "bank": {"money", "loan", "coins"}}
_GERMAN = (
    "Der Kran am Hafen hebt die schweren Kisten aus dem Schiff. Die Bank am Fluss ist aus altem "
    "Holz, und die Bank in der Stadt verleiht Geld an die Fischer."
)
_RUSSIAN = (
    "Журавль стоял у воды и смотрел на рыбу. Старый ключ от двери лежал на столе, а холодный "
    "ключ бил из земли у реки."
)
_CHINESE = "鹤站在水边的芦苇里。我们在银行工作，银行在上海的河边。\n"


def make_material(folder: Path) -> None:
    """Fill a folder with everything that the pages take as given."""
    text = files("grassmeans.corpus").joinpath("data", "demo", "town.txt").read_text("utf-8")
    paragraphs = text.strip().split("\n\n")
    _write_texts(folder, paragraphs)
    _write_tokenised(folder, paragraphs)
    _write_dumps(folder, paragraphs)
    _train(folder, paragraphs)
    _write_test_sets(folder, paragraphs)


def _write_texts(folder: Path, paragraphs: list[str]) -> None:
    for name in ("books", "my-books", "news", "texts"):
        (folder / name).mkdir()
        half = len(paragraphs) // 2
        for number, part in enumerate((paragraphs[:half], paragraphs[half:]), start=1):
            (folder / name / f"{number}.txt").write_text("\n\n".join(part) + "\n", encoding="utf-8")
    for name, chosen in (("letters-1850", _is_early), ("letters-2000", lambda text: True)):
        (folder / name).mkdir()
        kept = [text for text in paragraphs if chosen(text)]
        (folder / name / f"{name[-4:]}.txt").write_text("\n\n".join(kept), encoding="utf-8")
    (folder / "novels").mkdir()
    (folder / "novels" / "1.txt").write_bytes(_RUSSIAN.encode("cp1251"))
    (folder / "novels" / "2.txt").write_bytes(_RUSSIAN.replace("Старый", "Новый").encode())
    (folder / "chinese").mkdir()
    (folder / "chinese" / "1.txt").write_text(_CHINESE, encoding="utf-8")
    records = [{"id": i, "text": text, "body": text} for i, text in enumerate(paragraphs)]
    lines = "".join(json.dumps(record) + "\n" for record in records).encode()
    (folder / "posts.jsonl").write_bytes(lines)
    (folder / "posts.json").write_text(json.dumps(records))
    (folder / "notes.jsonl.gz").write_bytes(gzip.compress(lines))
    (folder / "extra.jsonl.zst").write_bytes(zstandard.ZstdCompressor().compress(lines))
    (folder / "eswiki.jsonl.xz").write_bytes(lzma.compress(lines))
    (folder / "articles.txt").write_text("\n".join(p.replace("\n", " ") for p in paragraphs))
    rows = [f'{i},"{text.replace(chr(34), chr(34) * 2)}"\n' for i, text in enumerate(paragraphs)]
    (folder / "posts.csv").write_text("id,body\n" + "".join(rows), encoding="utf-8")
    (folder / "function-words.txt").write_text("the\nof\nand\na\nto\nin\n")
    (folder / "words.txt").write_text("\n".join(WORDS) + "\n")


def _is_early(text: str) -> bool:
    """Whether a paragraph may be of the time before there were cranes of steel."""
    return not {"steel", "load", "cargo"} & set(re.findall(r"\w+", text))


def _write_tokenised(folder: Path, paragraphs: list[str]) -> None:
    sentences = [re.findall(r"\w+|[.,]", s) for p in paragraphs for s in p.split(". ")]
    conllu = "\n".join(
        "".join(
            f"{n}\t{form}\t{form.lower()}\t_\t_\t_\t_\t_\t_\t_\n"
            for n, form in enumerate(sentence, start=1)
        )
        for sentence in sentences
    )
    for name in ("treebank.conllu", "parsed.conllu"):
        (folder / name).write_text(conllu, encoding="utf-8")
    trees = write_treebank("lift see", "see lift see")
    (folder / "trees.conllu").write_text(trees, encoding="utf-8")
    vertical = "".join(f"{form}\tX\t{form.lower()}\n" for s in sentences for form in s)
    (folder / "web.vert").write_text(f"<doc>\n{vertical}</doc>\n", encoding="utf-8")
    (folder / "segmented").mkdir()
    tokens = "\n".join(" ".join(sentence) for sentence in sentences)
    for name in ("segmented/1.txt", "sentences.txt"):
        (folder / name).write_text(tokens, encoding="utf-8")


def _write_dumps(folder: Path, paragraphs: list[str]) -> None:
    """Wikipedia dumps; in the English one the words lead to a page for each of their senses."""
    linked = []
    for text in paragraphs:
        for word in WORDS:
            page = f"{word} ({_sense_of(word, text)})"
            text = re.sub(rf"\b{word}\b", f"[[{page}|{word}]]", text)  # noqa: PLW2901
        linked.append(text)
    for name, texts in (("enwiki-pages-articles.xml.bz2", linked), ("wiki-de.xml.bz2", [_GERMAN])):
        pages = "".join(
            f"<page><title>Page {i}</title><ns>0</ns><id>{i}</id>"
            f"<revision><text>{text}</text></revision></page>"
            for i, text in enumerate(texts)
        )
        dump = f"<mediawiki>{pages}</mediawiki>".encode()
        (folder / name).write_bytes(bz2.compress(dump))
    (folder / "pages.tsv").write_text("crane (bird)\tcrane bird\n")


def _sense_of(word: str, text: str) -> str:
    names = {"crane": ("bird", "machine"), "bank": ("money", "river")}[word]
    return names[0] if _FIRST_SENSE[word] & set(re.findall(r"\w+", text.lower())) else names[1]


def _train(folder: Path, paragraphs: list[str]) -> None:
    corpus = Corpus.from_texts(paragraphs, folder / "corpus")
    trainer = SkipGram(dim=40, window=8, min_count=2, epochs=30, workers=1)
    trainer.fit(corpus).vectors_.save(folder / "vectors")
    settings = InductionSettings(n_senses=2)
    build_model(
        folder / "corpus", folder / "vectors", folder / "model", WORDS, settings=settings, workers=1
    )
    labelled = label_corpus(corpus, folder / "model", folder / "labelled", workers=1)
    lexemes = SkipGram(dim=40, window=8, min_count=2, epochs=10, workers=1).fit(labelled).vectors_
    lexemes.save(folder / "lexemes", extra={"lexemes": {}})
    vectors = WordVectors.load(folder / "vectors")
    with suppress(ImportError):  # extras: the pages that need them are skipped without
        settings = EncoderSettings(dim=64, layers=1, passage=32, epochs=0.5, batch_tokens=1024)
        train_encoder(corpus, folder / "encoder", settings, device="cpu", workers=1)
    with suppress(ImportError):
        to_gensim(vectors).save(str(folder / "mine.kv"))
    write_glove(vectors, folder / "glove.6B.300d.txt")
    write_word2vec_binary(vectors, folder / "GoogleNews-vectors-negative300.bin.gz")


def _write_test_sets(folder: Path, paragraphs: list[str]) -> None:
    """The occurrences of the words, labelled by the words of their paragraphs."""
    found = [
        (word, f"{number}", paragraph[: match.start()], paragraph[match.end() :], sense)
        for word in WORDS
        for number, paragraph in enumerate(text.replace("\n", " ") for text in paragraphs)
        for sense in [_sense_of(word, paragraph)]
        for match in [re.search(rf"\b{word}\b", paragraph)]
        if match
    ]
    makes_sense, semeval10 = folder / "makes-sense-2016", folder / "semeval-2010-task14"
    semeval13 = folder / "SemEval-2013-Task-13"
    for place in (makes_sense / "contexts", semeval10, semeval13 / "keys" / "gold"):
        place.mkdir(parents=True)
    (semeval13 / "contexts").mkdir()
    lines = [
        {"id": f"{word}{n}", "target": word, "left": left, "right": right, "label": sense}
        for word, n, left, right, sense in found
    ]
    (folder / "mine.jsonl").write_text("\n".join(map(json.dumps, lines)))
    _write_pairs(folder, lines)
    _write_change(folder, lines)
    (makes_sense / "all.key").write_text(
        "".join(f"{word} {word}.{n} {sense}\n" for word, n, _, _, sense in found)
    )
    graded = "".join(f"{word}.n {word}.n.{n} {sense}/1\n" for word, n, _, _, sense in found)
    (semeval13 / "keys" / "gold" / "all.key").write_text(graded)
    (semeval10 / "gold.key").write_text(graded.replace("/1\n", "\n"))
    for word in WORDS:
        own = [row for row in found if row[0] == word]
        contexts = [f"{word}.n.{n}\t{left}<b>{word}</b>{right}\n" for _, n, left, right, _ in own]
        (makes_sense / "contexts" / word).write_text("".join(contexts))
        old = "".join(
            f"<{word}.n.{n}><TargetSentence>{left}{word}{right}</TargetSentence></{word}.n.{n}>"
            for _, n, left, right, _ in own
        )
        (semeval10 / f"{word}.n.xml").write_text(f"<{word}.n.test>{old}</{word}.n.test>")
        new = "".join(
            f'<instance id="{word}.n.{n}" lemma="{word}" partOfSpeech="n" token="{word}" '
            f'tokenStart="{len(left)}" tokenEnd="{len(left) + len(word)}">'
            f"{left}{word}{right}</instance>"
            for _, n, left, right, _ in own
        )
        head = f'<instances lemma="{word}" partOfSpeech="n">'
        (semeval13 / "contexts" / f"{word}.n.xml").write_text(f"{head}{new}</instances>")
    _write_similarities(folder)
    _write_lineup(folder)


def _write_pairs(folder: Path, lines: list[dict[str, str]]) -> None:
    """Every instance with the next one of its word, and with the one after that."""
    rows = ["word\ttext1\ttext2\tlabel"]
    for word in WORDS:
        own = [line for line in lines if line["target"] == word]
        texts = [f"{line['left']}<b>{word}</b>{line['right']}".replace('"', "") for line in own]
        for first, second in [(i, i + step) for step in (1, 2) for i in range(len(own) - step)]:
            same = int(own[first]["label"] == own[second]["label"])
            rows.append("\t".join([word, texts[first], texts[second], str(same)]))
    (folder / "my-pairs.tsv").write_text("\n".join(rows))


def _write_change(folder: Path, lines: list[dict[str, str]]) -> None:
    """The same occurrences as uses in two periods: a word each changes more than the one before."""
    place = folder / "dwug-en"
    place.mkdir()
    targets = list(dict.fromkeys(line["target"] for line in lines))
    uses = [
        line | {"id": f"{line['target']}_nn.{n}", "pos": "n", "period": 1 + n % 2}
        for n, line in enumerate(lines)
    ]
    (place / "uses.jsonl").write_text("\n".join(map(json.dumps, uses)))
    graded = "".join(f"{target}_nn\t{n / 10}\n" for n, target in enumerate(targets))
    (place / "change.tsv").write_text(f"lemma\tgraded\n{graded}")


def _write_similarities(folder: Path) -> None:
    pairs = [("crane", "bird", 8.0), ("crane", "bank", 1.0), ("harbour", "ship", 7.0)]
    (folder / "word-similarity").mkdir()
    (folder / "word-similarity" / "pairs.txt").write_text(
        "".join(f"{a} {b} {score}\n" for a, b, score in pairs)
    )
    (folder / "scws").mkdir()
    row = "{}\t{}\tn\t{}\tn\tIn the reeds a <b> {} </b> of the town\tA <b> {} </b> at the quay\t{}"
    (folder / "scws" / "ratings.txt").write_text(
        "".join(
            row.format(i, a, b, a, b, score) + f"\t{score}\n"
            for i, (a, b, score) in enumerate(pairs)
        )
    )


def _write_lineup(folder: Path) -> None:
    senses = {
        "crane": (["nest", "wings", "reeds", "marsh"], ["steel", "cargo", "cable", "quay"]),
        "bank": (["money", "loan", "coins", "vault"], ["river", "water", "grass", "mud"]),
    }
    # A lineup needs eighteen senses of other words.
    for word in [
        "harbour",
        "river",
        "market",
        "town",
        "ship",
        "marsh",
        "church",
        "morning",
        "school",
    ]:
        senses[word] = (["storm", "winter", "night", "sea"], ["people", "house", "street", "door"])
    lines = [
        {"word": word, "sense": f"{word}.{n}", "words": words, "source": "chronicle"}
        for word, both in senses.items()
        for n, words in enumerate(both, start=1)
    ]
    (folder / "lineup.jsonl").write_text("\n".join(map(json.dumps, lines)))
    nouns = sorted({noun for both in senses.values() for words in both for noun in words})
    entries = {word: Entry("n", 9, (word,), "-") for word in nouns} | {
        f"{word}.{n}": Entry("n", 5 + n, (word,), " ".join(words), (), n)
        for word, both in senses.items()
        for n, words in enumerate(both, start=1)
    }
    write_wordnet(folder / "wordnet", entries)
