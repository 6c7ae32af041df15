"""The English model of the package: from the articles to the folder, with one command.

    python packages/lab/scripts/english_model.py enwiki.jsonl.xz --work run --device cuda \
        --output packages/en/src/grassmeans_en/model --scws scws/ratings.txt \
        --makes-sense makes-sense-2016 --semeval semeval-2010-task14 \
        --sentences tests/data/english-sentences.jsonl

Steps, each in a place of its own under ``--work``: articles (without headings, and without what the
extraction of their text has left of markup), corpus, encoder (learned contexts), model (senses of
all content words), labelled corpus (soft), vectors (skip-gram), lexemes (words held fixed), compact
model, scores, card.
A step that is whole is not done again, and long steps go on from where they were stopped. What is
done when goes into ``log.txt``.
"""

from __future__ import annotations

import argparse
import json
import lzma
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from model_card import write_card

from grassmeans import Corpus, SkipGram, WordVectors, load
from grassmeans.artifacts.checking import MANIFEST
from grassmeans.contexts.attention.training import EncoderSettings, train_encoder
from grassmeans.corpus.corpus import default_options
from grassmeans.evaluation.loading import open_task
from grassmeans.evaluation.running import evaluate
from grassmeans.evaluation.systems import ModelSystem
from grassmeans.labelling.labeller import label_corpus
from grassmeans.lexemes.lexeme_vectors import LexemeVectors, open_lexemes
from grassmeans.lexemes.training import train_lexemes
from grassmeans.models.building import build_model
from grassmeans.models.compacting import CompactSettings, compact_model
from grassmeans.models.model import SenseModel
from grassmeans.vectors.skipgram import train_vectors

SOURCE = "20,376 articles of the English Wikipedia (dumps of 2014 to 2021)"
LICENCE = "CC BY-SA, as the text it was trained on (Wikipedia contributors)"


@dataclass(frozen=True)
class Recipe:
    """Everything that decides the model, apart from the text."""

    dim: int = 384
    layers: int = 6
    passes: int = 5
    min_count: int = 100
    max_contexts: int = 2_000
    vector_epochs: int = 6
    lexeme_epochs: int = 6
    lexeme_dimensions: int = 160
    bits: int = 4
    examples: int = 6
    example_width: int = 40


# WikiExtractor's stand-ins for code and formulas, tags, and ends of templates and links.
MARKUP = re.compile(r"\b(?:codice|formula)_\d+|</?[a-zA-Z][^<>]{0,200}>|\{\{|\}\}|\[\[|\]\]")


HEADING = 8
"""Paragraphs of so many words or fewer are headings or parts of tables: they say what follows, not
what a word means."""


@dataclass(frozen=True)
class TestSets:
    """Where the test sets are; those without a path are not scored."""

    scws: Path | None
    makes_sense: Path | None
    semeval: Path | None
    sentences: Path | None


def build(
    texts: Sequence[Path],
    work: Path,
    output: Path,
    recipe: Recipe,
    *,
    device: str = "cpu",
    workers: int | None = None,
) -> SenseModel:
    """Run all steps; ``output`` is written anew."""
    log = open_log(work)
    folders = {name: work / name for name in ("corpus", "encoder", "model", "labelled")}
    if is_missing(folders["corpus"]):
        articles = work / "articles.jsonl"
        log(f"articles: {clean_articles(texts, articles):,}")
        Corpus.from_files(
            [articles], folders["corpus"], options=default_options("en"), workers=workers
        )
    corpus = Corpus.open(folders["corpus"])
    log(f"corpus: {corpus.n_tokens:,} tokens")
    if is_missing(folders["encoder"]):
        chosen = EncoderSettings(dim=recipe.dim, layers=recipe.layers, epochs=recipe.passes)
        train_encoder(corpus, folders["encoder"], chosen, device=device)
    about = json.loads((folders["encoder"] / MANIFEST).read_text(encoding="utf-8"))
    log(f"encoder: loss {about['held_out_loss']} on held-out text, {about['seconds']} s")
    if is_missing(folders["model"]):
        build_model(
            folders["corpus"],
            folders["encoder"],
            folders["model"],
            min_count=recipe.min_count,
            max_contexts=recipe.max_contexts,
            device=device,
            workers=workers,
        )
    model = load(folders["model"], device=device)
    log(f"model: {len(model.inventory):,} words")
    if is_missing(folders["labelled"]):
        label_corpus(corpus, model, folders["labelled"], decoding="soft", workers=workers)
    log("labelled")
    lexemes = train_lexeme_vectors(corpus, folders["labelled"], work, recipe, workers, device)
    log(f"lexemes: {len(lexemes):,} words and lexemes")
    small = compact_model(
        load(folders["model"]),
        output,
        lexemes=lexemes,
        settings=CompactSettings(
            dimensions=recipe.lexeme_dimensions,
            bits=recipe.bits,
            direction_bits=recipe.bits,
            examples=recipe.examples,
            example_width=recipe.example_width,
        ),
        extra={
            "name": output.name,
            "source": SOURCE,
            "licence": LICENCE,
            "recipe": asdict(recipe),
        },
        overwrite=True,
    )
    size = sum(path.stat().st_size for path in output.rglob("*") if path.is_file())
    log(f"compact model: {size / 1e6:.1f} MB")
    return small


def open_log(work: Path) -> Callable[[str], None]:
    """What writes a line to the screen and the log, with the seconds since the start."""
    work.mkdir(parents=True, exist_ok=True)
    start = time.perf_counter()

    def log(line: str) -> None:
        text = f"{time.perf_counter() - start:6.0f} s  {line}"
        print(text, flush=True)
        with (work / "log.txt").open("a", encoding="utf-8") as file:
            file.write(text + "\n")

    return log


def clean_articles(texts: Sequence[Path], output: Path) -> int:
    """Write the articles without headings and markup; how many there are."""
    n_articles = 0
    with output.open("w", encoding="utf-8") as file:
        for article in read_articles(texts):
            paragraphs = MARKUP.sub(" ", article["text"]).split("\n")
            kept = [part for part in paragraphs if len(part.split()) > HEADING]
            article["text"] = "\n".join(kept)
            file.write(json.dumps(article, ensure_ascii=False) + "\n")
            n_articles += 1
    return n_articles


def read_articles(texts: Sequence[Path]) -> Iterator[dict[str, Any]]:
    """The articles of files with one JSON object a line, packed by xz or not."""
    for path in texts:
        unpack = lzma.open if path.suffix == ".xz" else open
        with unpack(path, "rt", encoding="utf-8") as lines:
            yield from map(json.loads, lines)


def train_lexeme_vectors(
    corpus: Corpus, labelled: Path, work: Path, recipe: Recipe, workers: int | None, device: str
) -> WordVectors:
    """Vectors of words, and with these held fixed, of lexemes."""
    vectors, lexemes = work / "vectors", work / "lexemes"
    if is_missing(vectors):
        trainer = SkipGram(epochs=recipe.vector_epochs, workers=workers, device=device)
        train_vectors(corpus, vectors, trainer, keep_output=True)
    if is_missing(lexemes):
        start = WordVectors.load(vectors)
        trainer = SkipGram(
            dim=start.dim, epochs=recipe.lexeme_epochs, workers=workers, device=device
        )
        train_lexemes(Corpus.open(labelled), lexemes, trainer, start_from=start, freeze_words=True)
    return WordVectors.load(lexemes)


def score(model: SenseModel, lexemes: LexemeVectors | None, tests: TestSets) -> dict[str, Any]:
    """The scores of a model on the test sets that are there."""
    system = ModelSystem(model, lexemes)
    tasks = {
        "makes-sense": tests.makes_sense,
        "semeval2010": tests.semeval,
        "scws": tests.scws,
        "sentences": tests.sentences,
    }
    return {
        name: evaluate(open_task(name, path), system).to_dict()
        for name, path in tasks.items()
        if path is not None
    }


def is_missing(folder: Path) -> bool:
    """Whether a step is still to be done (or to be continued)."""
    return not (folder / MANIFEST).exists()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "texts", type=Path, nargs="+", help="articles: one {id, title, text} a line"
    )
    parser.add_argument("--work", type=Path, required=True, help="folder of the steps")
    parser.add_argument("--output", type=Path, required=True, help="folder of the model")
    parser.add_argument("--scws", type=Path)
    parser.add_argument("--makes-sense", type=Path)
    parser.add_argument("--semeval", type=Path)
    parser.add_argument("--sentences", type=Path)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--workers", type=int)
    for name, value in asdict(Recipe()).items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=value)
    arguments = parser.parse_args()

    recipe = Recipe(**{name: getattr(arguments, name) for name in asdict(Recipe())})
    tests = TestSets(arguments.scws, arguments.makes_sense, arguments.semeval, arguments.sentences)
    model = build(
        arguments.texts,
        arguments.work,
        arguments.output,
        recipe,
        device=arguments.device,
        workers=arguments.workers,
    )
    scores = {"score": score(model, open_lexemes(model), tests)}
    (arguments.work / "scores.json").write_text(json.dumps(scores, indent=2) + "\n")
    write_card(model, arguments.output, scores)
    print(json.dumps(scores, indent=2))


if __name__ == "__main__":
    main()
