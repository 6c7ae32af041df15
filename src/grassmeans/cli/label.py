"""`grassmeans label`: corpus + model -> corpus whose words carry their senses."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grassmeans.terminal import options
from grassmeans.terminal.options import WRITTEN
from grassmeans.terminal.output import note, print_summary


def label(
    corpus: options.Corpus,
    model: options.Model,
    output: Annotated[Path, WRITTEN, options.output("Folder of the new, labelled corpus.")],
    decoding: Annotated[
        str, typer.Option(help="hard: the nearest sense or 'don't know'; soft: drawn at random.")
    ] = "hard",
    idk: options.Idk = None,
    confidence: options.Confidence = None,
    sharpness: options.Sharpness = None,
    seed: Annotated[int, typer.Option(min=0, help="Soft: of the random numbers.")] = 0,
    device: options.Device = "cpu",
    workers: options.Workers = None,
    engine: options.Engine = None,
    overwrite: options.Overwrite = False,
    as_json: options.Json = False,
) -> None:
    """Give every occurrence of the model's words its sense: crane becomes crane.2.

    The result is a corpus again: `grassmeans lexemes` trains vectors of senses on it, and
    `grassmeans export` writes it for other tools. crane.0 means "I don't know".

    Occurrences are read in their documents, and an only sense is always given; `grassmeans tag`
    reads sentence by sentence, and answers some of them otherwise.

    The distances to all senses stay in the result. Give the labelled corpus as CORPUS, with the
    same model and another --decoding, --idk or --sharpness, and only the labels are decided anew.
    Started again after an interruption, it goes on from where it was.

    [dim]grassmeans label corpus model -o labelled[/]

    [dim]grassmeans label labelled model --idk 0.7 -o labelled-0.7[/]
    """
    import time

    from grassmeans.corpus.corpus import Corpus
    from grassmeans.labelling.labeller import TAGGED_OTHERWISE, label_corpus
    from grassmeans.senses.decoding import MODEL_THRESHOLD

    source = Corpus.open(corpus)
    if source.is_labelled:
        note(f"{corpus} is labelled already: its stored distances are decoded anew")
    started = time.perf_counter()
    labelled = label_corpus(
        source,
        model,
        output,
        decoding=decoding,
        idk_threshold=MODEL_THRESHOLD if idk is None else idk,
        confidence=confidence,
        sharpness=sharpness,
        random_state=seed,
        device=device,
        workers=workers,
        engine=engine,
        overwrite=overwrite,
    )
    seconds = time.perf_counter() - started
    facts = labelled.manifest["labelled"]
    about = {"corpus": str(output), "n_tokens": labelled.n_tokens}
    unknown = facts["n_idk"] / max(facts["n_occurrences"], 1)
    print_summary(
        about | facts | {"seconds": round(seconds, 1)},
        f"[bold]{facts['n_occurrences']:,}[/] occurrences of {facts['n_words']:,} words labelled "
        f'in {seconds:.0f} s, {unknown:.1%} of them "don\'t know"\n'
        f"read in documents, an only sense always given: `grassmeans tag` answers some of "
        f"them otherwise, {TAGGED_OTHERWISE:.0%} with the English model and Wikipedia\n"
        f"next: [bold]grassmeans lexemes {output} -o lexemes[/], "
        f"[bold]grassmeans export {output}[/]",
        as_json,
    )
