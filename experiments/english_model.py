"""The English model of the package: from the articles to the folder, with one command.

    python experiments/english_model.py enwiki.jsonl.xz --work run \
        --output src/grassmeans/models/en --scws scws/ratings.txt --makes-sense makes-sense-2016 \
        --semeval semeval-2010-task14

Steps, each in a folder of its own under ``--work``: corpus, vectors (300 dimensions), reduced
vectors (fewer words and dimensions, 4 bits), model (senses induced with the reduced vectors),
labelled corpus (soft), lexemes (words held fixed), compact model, scores, model card. A step whose
folder is whole is not done again, and long steps go on from where they were stopped.

``--uncompressed`` does the same without reduction, to measure what it costs.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from grassmeans import Corpus, SkipGram, WordVectors, load
from grassmeans.checked import MANIFEST
from grassmeans.corpus.corpus import default_options
from grassmeans.evaluation.running import evaluate
from grassmeans.evaluation.systems import ModelSystem
from grassmeans.evaluation.tasks.loading import open_task
from grassmeans.geometry.contexts import ContextShape
from grassmeans.labelling.labeller import label_corpus
from grassmeans.lexemes.compacting import CompactSettings, compact_model, drop_single_senses
from grassmeans.lexemes.lexeme_vectors import LexemeVectors, open_lexemes
from grassmeans.lexemes.training import train_lexemes
from grassmeans.senses.building import build_model
from grassmeans.senses.model import SenseModel
from grassmeans.senses.settings import InductionSettings
from grassmeans.vectors.reducing import reduce_vectors
from grassmeans.vectors.skipgram import train_vectors
from model_card import write_card

SOURCE = "20,376 articles of the English Wikipedia (dumps of 2014 to 2021)"
LICENCE = "CC BY-SA, as the text it was trained on (Wikipedia contributors)"


@dataclass(frozen=True)
class Recipe:
    """Everything that decides the model, apart from the text."""

    vocabulary: int = 80_000
    dimensions: int = 200
    bits: int = 4
    senses: int | str = "auto"
    granularity: float = 1.3
    max_senses: int = 5
    rank: int = 5
    weighting: str = "singular"
    min_count: int = 200
    max_contexts: int = 2_000
    epochs: int = 5
    lexeme_epochs: int = 3
    shipped_vocabulary: int = 55_000
    examples: int = 2
    example_width: int = 60
    idk_threshold: float = 0.75


@dataclass(frozen=True)
class TestSets:
    """Where the test sets are; those without a path are not scored."""

    scws: Path | None
    makes_sense: Path | None
    semeval: Path | None


def build(
    texts: Sequence[Path],
    work: Path,
    output: Path,
    recipe: Recipe,
    *,
    reduced: bool = True,
    workers: int | None = None,
) -> SenseModel:
    """Run all steps; ``output`` is written anew."""
    suffix = "" if reduced else "-uncompressed"
    corpus_folder, full_folder = work / "corpus", work / "vectors"
    model_folder, labelled_folder = work / f"model{suffix}", work / f"labelled{suffix}"
    lexemes_folder = work / f"lexemes{suffix}"
    if is_missing(corpus_folder):
        Corpus.from_files(texts, corpus_folder, options=default_options("en"), workers=workers)
    corpus = Corpus.open(corpus_folder)
    if is_missing(full_folder):
        trainer = SkipGram(epochs=recipe.epochs, workers=workers)
        train_vectors(corpus, full_folder, trainer, keep_output=True)
    vectors_folder = reduce(full_folder, work / "reduced", recipe) if reduced else full_folder
    if is_missing(model_folder):
        settings = InductionSettings(
            n_senses=recipe.senses,
            granularity=recipe.granularity,
            max_senses=recipe.max_senses,
            max_contexts=recipe.max_contexts,
        )
        build_model(
            corpus_folder,
            vectors_folder,
            model_folder,
            min_count=recipe.min_count,
            settings=settings,
            shape=ContextShape(rank=recipe.rank, weighting=recipe.weighting),
            workers=workers,
        )
    if is_missing(lexemes_folder):
        if is_missing(labelled_folder):
            # A word with one sense stays the word that it is.
            several = drop_single_senses(load(model_folder))
            label_corpus(corpus, several, labelled_folder, decoding="soft", workers=workers)
        start = WordVectors.load(vectors_folder)
        train_lexemes(
            Corpus.open(labelled_folder),
            lexemes_folder,
            SkipGram(dim=start.dim, epochs=recipe.lexeme_epochs, workers=workers),
            start_from=start,
            freeze_words=True,
        )
    if not reduced:
        return drop_single_senses(load(model_folder))
    return compact_model(
        load(model_folder),
        output,
        lexemes=WordVectors.load(lexemes_folder),
        settings=CompactSettings(
            vocabulary=recipe.shipped_vocabulary,
            bits=recipe.bits,
            direction_bits=recipe.bits,
            examples=recipe.examples,
            example_width=recipe.example_width,
            drop_single=True,
        ),
        extra={
            "name": output.name,
            "source": SOURCE,
            "licence": LICENCE,
            "idk_threshold": recipe.idk_threshold,
            "recipe": asdict(recipe),
        },
        overwrite=True,
    )


def reduce(full: Path, folder: Path, recipe: Recipe) -> Path:
    """Vectors with fewer words and dimensions, rounded, in a folder of their own."""
    if is_missing(folder):
        small = reduce_vectors(
            WordVectors.load(full),
            vocabulary=recipe.vocabulary,
            dimensions=recipe.dimensions,
            bits=recipe.bits,
        )
        small.save(folder, bits=recipe.bits)
    return folder


def score(model: SenseModel, lexemes: LexemeVectors | None, tests: TestSets) -> dict[str, Any]:
    """The scores of a model on the test sets that are there."""
    system = ModelSystem(model, lexemes)
    tasks = {"makes-sense": tests.makes_sense, "semeval2010": tests.semeval, "scws": tests.scws}
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
    parser.add_argument("texts", type=Path, nargs="+", help="what `grassmeans ingest` takes")
    parser.add_argument("--work", type=Path, required=True, help="folder of the steps")
    parser.add_argument("--output", type=Path, required=True, help="folder of the model")
    parser.add_argument("--scws", type=Path)
    parser.add_argument("--makes-sense", type=Path)
    parser.add_argument("--semeval", type=Path)
    parser.add_argument("--uncompressed", action="store_true", help="measure without reduction too")
    parser.add_argument("--workers", type=int)
    for name, value in asdict(Recipe()).items():
        kind = _number_or_auto if name == "senses" else type(value)
        parser.add_argument(f"--{name.replace('_', '-')}", type=kind, default=value)
    arguments = parser.parse_args()

    recipe = Recipe(**{name: getattr(arguments, name) for name in asdict(Recipe())})
    tests = TestSets(arguments.scws, arguments.makes_sense, arguments.semeval)
    model = build(
        arguments.texts, arguments.work, arguments.output, recipe, workers=arguments.workers
    )
    scores = {"compact": score(model, open_lexemes(model), tests)}
    if arguments.uncompressed:
        full = build(
            arguments.texts,
            arguments.work,
            arguments.output,
            recipe,
            reduced=False,
            workers=arguments.workers,
        )
        lexemes = LexemeVectors.load(arguments.work / "lexemes-uncompressed")
        scores["uncompressed"] = score(full, lexemes, tests)
    (arguments.work / "scores.json").write_text(json.dumps(scores, indent=2) + "\n")
    write_card(model, arguments.output, scores)
    print(json.dumps(scores, indent=2))


def _number_or_auto(text: str) -> int | str:
    return text if text == "auto" else int(text)


if __name__ == "__main__":
    main()
