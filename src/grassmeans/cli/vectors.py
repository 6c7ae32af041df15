"""`grassmeans vectors`, `lexemes`, `similar`: vectors of words and of senses, and what is near."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from grassmeans.errors import InputError
from grassmeans.terminal import options
from grassmeans.terminal.output import draw_table, print_json, print_summary, wants_json

if TYPE_CHECKING:
    from pathlib import Path

    from grassmeans.vectors.skipgram import SkipGram
    from grassmeans.vectors.word_vectors import WordVectors

_DEFAULT_DIM = 300
_MaxVocabulary = Annotated[
    int | None, typer.Option(min=1, help="Keep only the most frequent words.")
]


@dataclass(frozen=True)
class Training:
    """The options of skip-gram."""

    dim: Annotated[int | None, typer.Option(min=1, help="Length of the vectors.")] = _DEFAULT_DIM
    window: Annotated[int, typer.Option(min=1, help="Largest distance of a word pair.")] = 5
    min_count: Annotated[int, typer.Option(min=1, help="Rarer words get no vector.")] = 5
    negative: Annotated[int, typer.Option(min=1, help="Negative samples.")] = 5
    epochs: Annotated[int | None, typer.Option(min=1, help="Passes over the corpus.")] = 5
    sample: Annotated[float, typer.Option(help="Subsampling of frequent words; 0: none.")] = 1e-3
    learning_rate: Annotated[float, typer.Option(help="Falls linearly to 0.")] = 0.025
    max_vocabulary: _MaxVocabulary = 200_000
    seed: options.Seed = 0
    keep_output: Annotated[
        bool, typer.Option("--keep-output", help="Store the output (context) vectors as well.")
    ] = False
    parts: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=10_000,
            help="Train in so many parts that are put together; with --engine one a machine.",
        ),
    ] = None
    device: Annotated[
        str,
        typer.Option(
            metavar="cpu|cuda",
            help="Where to train: on the CPU with --workers threads, or on a GPU (extra gpu), "
            "where no two trainings are exactly alike.",
        ),
    ] = "cpu"

    def make_trainer(self, workers: int | None, **chosen: int) -> SkipGram:
        """The trainer, with some of the options as they are chosen."""
        from grassmeans.vectors.skipgram import SkipGram

        given = asdict(self) | {"workers": workers} | chosen
        del given["keep_output"]
        return SkipGram(random_state=given.pop("seed"), **given)


@dataclass(frozen=True)
class LexemeTraining(Training):
    """The same, where some of it depends on what is given."""

    dim: Annotated[
        int | None, typer.Option(min=1, help="Length; 300, or that of --start-from.")
    ] = None
    epochs: Annotated[
        int | None, typer.Option(min=1, help="Passes over the corpus; 5, more where it is short.")
    ] = None
    max_vocabulary: _MaxVocabulary = 300_000


def vectors(
    corpus: options.Corpus, output: options.Output, *, training: Training, work: options.Work
) -> None:
    """Train word vectors: skip-gram with negative sampling, with word2vec's defaults.

    With one worker the result is exactly repeatable, on a GPU it is not. Started again after an
    interruption, it goes on from the last checkpoint. Vectors trained elsewhere (word2vec, GloVe,
    fastText) can be used in the next step instead; `grassmeans convert` writes these formats.

    On several machines (--engine) each trains on its part of the text, and the parts are put
    together some hundred times; the loss of quality is small and measured (docs/how-to/scale.md).

    [dim]grassmeans vectors corpus -o vectors[/]

    [dim]grassmeans vectors corpus -o vectors --engine dask://scheduler:8786[/]

    Options
    -------
    output: Folder of the new vectors.
    """
    from grassmeans.corpus.corpus import Corpus
    from grassmeans.vectors.skipgram import train_vectors

    trained = train_vectors(
        Corpus.open(corpus),
        output,
        training.make_trainer(work.workers),
        keep_output=training.keep_output,
        engine=work.engine,
        overwrite=work.overwrite,
    )
    told = {name: trained.manifest[name] for name in ("seconds", "words_per_second")}
    print_summary(
        {"vectors": str(output), "n_words": len(trained), "dim": trained.dim} | told,
        f"{len(trained):,} vectors of {trained.dim} dimensions in {told['seconds']:.0f} s "
        f"({told['words_per_second']:,} words/s)",
        work.as_json,
        [f"grassmeans induce {corpus} {output} -o model"],
    )


def lexemes(
    labelled: options.ReadPath,
    output: options.Output,
    start_from: options.ReadPath | None = None,
    freeze_words: bool = False,
    soft_each_epoch: bool = False,
    sharpness: Annotated[float | None, typer.Option(min=0.0)] = None,
    *,
    training: LexemeTraining,
    work: options.Work,
) -> None:
    """Train lexeme vectors: one vector for every sense of a word, by the skip-gram of `vectors`.

    The labels of the corpus are taken as they are, or drawn anew in every epoch. The result is an
    ordinary vectors folder whose words are crane.1, crane.2, crane.0 ("I don't know") and harbour:
    `grassmeans similar` and `grassmeans convert` take it. Started again after an interruption, it
    goes on from the last checkpoint.

    [dim]grassmeans lexemes labelled -o lexemes --start-from vectors[/]

    Options
    -------
    labelled: A labelled corpus folder.
    output: Folder of the new vectors.
    start_from: Word vectors: every lexeme starts at its word's.
    freeze_words: Move senses only; words stay where --start-from has them.
    soft_each_epoch: Draw every occurrence's sense anew each epoch.
    sharpness: For --soft-each-epoch; the labelled corpus's by default.
    """
    from grassmeans.corpus.corpus import Corpus
    from grassmeans.lexemes.training import MOST_EPOCHS, train_lexemes
    from grassmeans.vectors.skipgram import choose_epochs
    from grassmeans.vectors.word_vectors import WordVectors

    if sharpness is not None and not soft_each_epoch:
        raise InputError(
            "--sharpness is for --soft-each-epoch: the labels of the corpus are drawn already"
        )
    source = Corpus.open(labelled)
    start = None if start_from is None else WordVectors.load(start_from)
    trainer = training.make_trainer(
        work.workers,
        dim=training.dim or (start.dim if start is not None else _DEFAULT_DIM),
        epochs=training.epochs or choose_epochs(source.n_tokens, MOST_EPOCHS),
    )
    trained = train_lexemes(
        source,
        output,
        trainer,
        start_from=start,
        freeze_words=freeze_words,
        soft_each_epoch=soft_each_epoch,
        sharpness=sharpness,
        keep_output=training.keep_output,
        engine=work.engine,
        overwrite=work.overwrite,
    )
    counts, manifest = trained.counts_by_kind(), trained.vectors.manifest
    speed = {name: manifest[name] for name in ("seconds", "words_per_second")}
    n_vectors = {"n_vectors": len(trained.vectors), "dim": trained.vectors.dim}
    example = next(iter(trained.words_with_senses), trained.vectors.words[0])
    print_summary(
        {"lexemes": str(output)} | n_vectors | counts | speed,
        f"{len(trained.vectors):,} vectors of {trained.vectors.dim} dimensions in "
        f"{manifest['seconds']:.0f} s ({manifest['words_per_second']:,} words/s): "
        f"{counts['n_senses']:,} senses of {counts['n_words_with_senses']:,} words, "
        f'{counts["n_idk"]:,} for "I don\'t know", {counts["n_plain"]:,} words without senses',
        work.as_json,
        [f"grassmeans similar {output} {example}"],
    )


def similar(
    vectors: options.ReadPath,
    word: str,
    n: Annotated[int, typer.Option("-n", min=1)] = 10,
    as_json: options.Json = False,
) -> None:
    """Show the words whose vectors are nearest to a word's.

    With lexeme vectors, or a model that has some: crane.2 shows the lexemes nearest to that sense,
    crane those of every sense of the word, and of crane.0, its "I don't know" occurrences.

    Options
    -------
    vectors: A vectors folder, a model (or its name), or a vector file.
    word: The word, or a lexeme such as crane.2.
    n: How many.
    """
    from grassmeans.evaluation.reports import ResultTable

    opened = _open_vectors(vectors)
    as_lines = wants_json(as_json)
    for key in _keys_to_show(opened, word):
        neighbours = opened.most_similar(key, n)
        if as_lines:
            asked = {} if key == word else {"lexeme": key}
            for neighbour in neighbours:
                found = {"word": neighbour.word, "similarity": round(neighbour.similarity, 4)}
                print_json(asked | found)
            continue
        rows = tuple((found.word, f"{found.similarity:.3f}") for found in neighbours)
        draw_table(ResultTable(("word", "cosine"), rows), f"nearest to {key}")


def _open_vectors(path: Path) -> WordVectors:
    """The vectors of a folder, a file or a model; a model's lexemes where it has them."""
    from grassmeans.artifacts.writing import read_manifest
    from grassmeans.contexts import VECTORS_FOLDER
    from grassmeans.lexemes.lexeme_vectors import open_lexemes
    from grassmeans.models.model import load
    from grassmeans.models.places import resolve_name
    from grassmeans.vectors.word_vectors import WordVectors

    place = resolve_name(path)
    if not (place / VECTORS_FOLDER).is_dir():
        return WordVectors.load(place)
    read_manifest(place)  # which part is missing, if one is
    model = load(place)
    lexemes = open_lexemes(model)
    return model.vectors if lexemes is None else lexemes.vectors


def _keys_to_show(opened: WordVectors, word: str) -> list[str]:
    """The word itself where it has a vector, else all its lexemes; an error names what there is."""
    from grassmeans.lexemes.lexeme_vectors import LexemeVectors
    from grassmeans.senses.keys import decode_key

    if word in opened:
        return [word]
    lexemes = LexemeVectors(opened)
    if keys := lexemes.keys(word):
        return keys
    base, sense = decode_key(word)
    if base in lexemes:
        lexemes.vector(base, sense)  # raises, and names the senses that there are
    return [word]  # most_similar raises, and suggests words that are written alike
