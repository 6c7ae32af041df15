"""`grassmeans induce`: corpus + contexts -> model with the senses of words."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from grassmeans.artifacts.temporaries import temporary_folder
from grassmeans.errors import InputError
from grassmeans.terminal import options
from grassmeans.terminal.output import note, note_report, print_summary

_SHOWN = 20


def induce(
    inputs: Annotated[
        list[options.ReadPath],
        typer.Argument(metavar="CORPUS|TEXT... VECTORS|ENCODER|MODEL|transformer:NAME"),
    ],
    output: options.Output,
    word: options.Words = None,
    words: options.WordsFile = None,
    min_count: options.Count | None = None,
    senses: Annotated[str | None, typer.Option("--senses", "-k", metavar="N|auto")] = None,
    granularity: float = 1.0,
    max_senses: options.Count = 12,
    language: str | None = None,
    text_field: str | None = None,
    window: options.Count | None = None,
    rank: options.Count | None = None,
    weighting: str | None = None,
    restarts: options.Count = 5,
    max_contexts: options.Count | None = None,
    drop_repeats: bool = False,
    layers: str | None = None,
    passage: options.Count | None = None,
    batch_size: options.Count | None = None,
    cache: options.Cache = None,
    calibrated: Annotated[bool, typer.Option("--calibrate/--no-calibrate")] = True,
    lemmas: Annotated[bool, typer.Option("--lemmas/--no-lemmas")] = False,
    seed: options.Seed = 0,
    device: options.Device = "cpu",
    *,
    work: options.Work,
) -> None:
    """Find the senses of words (K-Grassmeans) and write a model that can tag text.

    Without --word or --words, all content words are induced that occur often enough: 10,000 times
    as in the paper, less on a corpus of under two billion words (one occurrence in 200,000, never
    fewer than 50). Unknown and too rare words are reported. Started again after an interruption,
    it goes on from where it was.

    [dim]grassmeans induce corpus vectors -o model --word crane --word bank --senses 2[/]

    [dim]grassmeans induce corpus vectors -o model --granularity 1.3[/]

    [dim]grassmeans induce corpus encoder -o model[/]

    [dim]grassmeans induce corpus en -o model --word crane[/] (the contexts of the English model)

    [dim]grassmeans induce corpus transformer:all-mpnet-base-v2 -o model --device cuda[/]

    [dim]grassmeans induce corpus en -o model --lemmas[/] (banks has the senses of bank)

    [dim]grassmeans induce notes.txt en -o model --word crane[/] (with no corpus to be made first)

    Options
    -------
    inputs: A corpus, or files and folders of text; and vectors, an encoder, a model whose
        contexts are taken (en), or a transformer: its folder or hub name.
    output: Folder of the new model.
    min_count: Without words: all that occur so often.
    senses: Senses a word; auto, the default: as many as it shows.
    granularity: Where their number is found: larger gives more senses.
    max_senses: Where their number is found: groups before near ones are merged.
    language: Function words, where text is given; en by default.
    text_field: Field or column of the text, where text is given; text by default.
    window: With vectors: context words a side; 10.
    rank: With vectors: dimension of a context's subspace; 3.
    weighting: With vectors: flat (the paper) or singular (weak directions less).
    restarts: Random restarts.
    max_contexts: Occurrences of a word; 10,000 with vectors, 1,000 with encoder.
    drop_repeats: Leave repeats of the word out of its contexts.
    layers: With a transformer: the mean of these layers, 7-9 say; from 7/12 on.
    passage: With a transformer: tokens of text that it reads; 64.
    batch_size: With a transformer: passages at once.
    calibrated: Learn how sure answers are.
    lemmas: Forms of a word have one entry: banks the senses of bank (extra lemmas).
    """
    from grassmeans.clustering.settings import AUTO
    from grassmeans.models.building import build_model

    if senses not in (None, AUTO) and not str(senses).isdecimal():
        raise InputError(f'--senses must be a whole number or "auto", got {senses!r}')
    given = {
        "n_senses": senses if senses in (None, AUTO) else int(str(senses)),
        "max_contexts": max_contexts,
        "window": window,
        "rank": rank,
        "weighting": weighting,
        "drop_repeats": drop_repeats or None,
        "layers": layers,
        "passage": passage,
        "batch_size": batch_size,
        "cache": cache,
        "n_init": restarts,
        "random_state": seed,
        "max_senses": max_senses,
        "granularity": granularity,
    }
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    chosen = options.choose_words(word, words)
    *sources, contexts = inputs
    if not sources:
        raise InputError(
            f"induce needs a corpus or texts, and contexts after them: grassmeans induce TEXT "
            f"{contexts}, say"
        )
    # Workers of other machines do not see the temporary folder of this one.
    beside = output.resolve().parent if work.engine is not None else None
    with temporary_folder(beside) as temporary:
        corpus = _open_sources(sources, language, text_field, temporary / "corpus")
        model = build_model(
            corpus,
            contexts,
            output,
            chosen,
            min_count=min_count,
            calibrated=calibrated,
            lemmas=lemmas,
            device=device,
            **work.passed,
            **changes,
        )
    skipped = {found.word: found.reason for found in model.inventory.skipped}
    for skipped_word, reason in list(skipped.items())[:_SHOWN]:
        note(f"no senses for {skipped_word!r}: it {reason}")
    if len(skipped) > _SHOWN:
        note(f"... and {len(skipped) - _SHOWN:,} more: grassmeans info {output}")
    print_summary(
        {"model": str(output), "n_words": len(model.words), "skipped": skipped},
        f"senses of {len(model.words):,} words",
        work.as_json,
        [f"grassmeans show {output} {model.words[0]}", f"grassmeans tag {output}"],
    )


def _open_sources(
    sources: list[Path], language: str | None, text_field: str | None, folder: Path
) -> Path:
    """The folder of a corpus: the one given, or a new one of the texts given."""
    from grassmeans.artifacts.writing import find_manifest
    from grassmeans.corpus.corpus import Corpus, default_options

    stored = [source for source in sources if find_manifest(source) is not None]
    if stored and len(sources) > 1:
        raise InputError(f"{stored[0]} is no text: give a corpus alone, or texts only")
    if stored and (language, text_field) != (None, None):
        unused = "--language" if language is not None else "--text-field"
        raise InputError(f"{unused} is for texts, but {stored[0]} is a corpus: leave it out")
    if stored:
        return stored[0]  # where it is no corpus, opening it says so
    rules = default_options(language or "en")
    corpus = Corpus.from_files(sources, folder, options=rules, text_field=text_field or "text")
    note_report(corpus.manifest)
    return folder
