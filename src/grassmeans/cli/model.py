"""`grassmeans model`: from text to a finished model, in one command."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from grassmeans.cli.encoder import Training, split_shares
from grassmeans.errors import InputError
from grassmeans.terminal import options
from grassmeans.terminal.options import READ
from grassmeans.terminal.output import note, print_summary


def model(
    texts: Annotated[list[options.ReadPath], typer.Argument(metavar="CORPUS...|TEXT...")],
    output: options.Output,
    language: str | None = None,
    senses_from: list[options.ReadPath] | None = None,
    lexemes_from: options.ReadPath | None = None,
    encoder: options.ReadPath | None = None,
    min_count: options.Count | None = None,
    max_contexts: options.Count | None = None,
    granularity: float = 1.0,
    lemmas: Annotated[bool | None, typer.Option("--lemmas/--no-lemmas")] = None,
    lexemes: bool = True,
    lexeme_epochs: options.Count | None = None,
    dimensions: options.Count | None = None,
    bits: int = 4,
    direction_bits: int = 6,
    examples: options.Whole = 6,
    example_width: options.Whole = 200,
    source: list[str] | None = None,
    about: options.ReadPath | None = None,
    test: Annotated[list[str] | None, READ] = None,
    keep: bool = False,
    seed: options.Seed = 0,
    device: Annotated[str, typer.Option(metavar="cpu|cuda")] = "cpu",
    *,
    training: Training,
    work: options.Work,
) -> None:
    """Make a model from text in one command: packed, calibrated, scored and described.

    Its steps: an encoder is trained, senses of all content words are found and answers calibrated,
    the text is labelled, vectors of senses are trained, all is packed, scored, and a card
    (MODEL_CARD.md) written. Before it starts it says what that takes, and after it how good the
    model is. Started again after an interruption, it goes on from where it was. Needs PyTorch:
    pip install 'grassmeans[encoder]'.

    Texts become one corpus. Of several corpora the encoder reads all; senses are sought in the last
    one, or in those of --senses-from.

    [dim]grassmeans model eswiki.jsonl.xz -o model --language es[/]

    [dim]grassmeans model novels wikipedia -o model --share 0.4 0.6 --senses-from novels
    --senses-from wikipedia --source "Wikipedia;CC BY-SA;62000000" --device cuda[/]

    Options
    -------
    texts: Corpora (from 'grassmeans ingest'), or files and folders of text.
    output: Folder of the new model.
    language: Of texts: en, es, fr, de, ...; en by default.
    senses_from: A corpus in which senses are sought; may be given again.
    lexemes_from: Label this corpus alone to learn vectors of senses: faster without a GPU.
    encoder: Take this encoder, and train none.
    min_count: Find the senses of all content words that occur so often; as induce does.
    max_contexts: Occurrences of a word that are looked at; 1,000.
    granularity: Larger gives more senses.
    lemmas: Forms of a word have one entry: banks the senses of bank (extra lemmas); so by default
        where simplemma is installed and knows the language.
    lexemes: Train vectors of senses, to go into the model.
    lexeme_epochs: Passes over the text for these.
    dimensions: Of these vectors, by projection; as they are by default.
    bits: Bits of a number: 4, 6 or 8.
    direction_bits: Bits of a number of a sense's direction: 4, 6 or 8.
    examples: Example lines a sense, at most.
    example_width: Characters of an example a side, at most.
    source: A text for the card: "NAME;LICENCE;WORDS"; may be given again.
    about: A file for the card (JSON, YAML): name, version, licence, sources, words, limits.
    test: Score the model on a test set, NAME=PATH: sentences=FILE; may be given again.
    keep: Leave the steps in a folder beside the model (model.steps), for another run.
    device: Where to compute: on the CPU, or on a GPU (extra gpu).
    """
    from grassmeans.models.compacting import CompactSettings
    from grassmeans.recipes.about import About, Source, count_bytes
    from grassmeans.recipes.making import Reading, Recipe, make_model
    from grassmeans.recipes.scoring import describe_scores
    from grassmeans.tagging.lemmas import AUTO_LEMMAS

    paths, shares = split_shares(texts, training.share)
    settings = training.settings(seed)
    packing = CompactSettings(None, dimensions, bits, direction_bits, examples, example_width)
    told = About() if about is None else About.read(about)
    made = make_model(
        paths,
        output,
        Recipe(
            settings,
            min_count,
            max_contexts,
            granularity,
            lexemes,
            lexeme_epochs,
            packing,
            seed,
            AUTO_LEMMAS if lemmas is None else lemmas,
        ),
        language=language,
        senses_from=senses_from or (),
        lexemes_from=lexemes_from,
        reading=Reading(
            encoder, shares, training.open_teacher(), training.base, training.find_start()
        ),
        about=replace(told, sources=(*told.sources, *map(Source.parse, source or ()))),
        tests=dict(map(_split_test, test or ())),
        device=device,
        keep=keep,
        tell=note,
        **work.passed,
    )
    n_bytes, scores = count_bytes(output), made.manifest["scores"]
    n_senses = sum(made.inventory.sense_counts.values())
    sizes = {"n_words": len(made.words), "n_senses": n_senses, "bytes": n_bytes}
    lines = [f"{len(made.words):,} words, {n_senses:,} senses, {n_bytes / 1e6:.1f} MB"]
    print_summary(
        {"model": str(output)} | sizes | {"scores": scores},
        "\n".join([*lines, *describe_scores(scores)]),
        work.as_json,
        [f"grassmeans show {output} {made.words[0]}", f"grassmeans tag {output}"],
    )


def _split_test(text: str) -> tuple[str, str]:
    name, equals, path = text.partition("=")
    if not (equals and path):
        raise InputError(f"--test must be NAME=PATH, such as sentences=FILE; got {text!r}")
    return name, path
