"""`grassmeans demo`: the whole way from text to senses, on a text that comes with the package."""

from __future__ import annotations

import shutil
import tempfile
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated

import typer

from grassmeans.cli.output import terminal
from grassmeans.cli.show import print_entry
from grassmeans.cli.tag import print_tagged

TARGETS = ("crane", "bank", "bass", "seal", "plant")
SHOWN = ("crane", "bank")


def demo(
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Keep corpus, vectors and model here.")
    ] = None,
) -> None:
    """Find the senses of some words in a small text of our own, and tag new sentences.

    The text is the chronicle of an invented harbour town. Everything is computed here and now:
    tokens, word vectors, contexts, senses.
    """
    from grassmeans.corpus.corpus import Corpus
    from grassmeans.senses.building import build_model
    from grassmeans.senses.settings import InductionSettings
    from grassmeans.vectors.skipgram import SkipGram

    console = terminal()
    folder = Path(tempfile.mkdtemp(prefix="grassmeans-demo-")) if output is None else output
    data = files("grassmeans.corpus") / "data" / "demo"
    try:
        with as_file(data / "town.txt") as text:
            console.rule("1. raw text → tokens")
            corpus = Corpus.from_files([text], folder / "corpus", workers=1, overwrite=True)
        console.print(
            f"{corpus.n_tokens:,} words in {corpus.n_documents} documents, "
            f"{len(corpus.vocabulary):,} different ones"
        )
        console.rule("2. tokens → word vectors")
        # A text this small needs many passes and few dimensions; one worker repeats exactly.
        trainer = SkipGram(dim=50, window=8, min_count=2, epochs=60, workers=1)
        trainer.fit(corpus)
        trainer.vectors_.save(folder / "vectors", overwrite=True)
        neighbours = ", ".join(n.word for n in trainer.vectors_.most_similar("river", 6))
        console.print(f"{len(trainer.vectors_):,} vectors; nearest to 'river': {neighbours}")
        console.rule("3. contexts → subspaces → senses")
        model = build_model(
            folder / "corpus",
            folder / "vectors",
            folder / "model",
            TARGETS,
            settings=InductionSettings(n_senses=2),
            workers=1,
            overwrite=True,
        )
        for word in SHOWN:
            print_entry(model.senses(word), examples=2)
        console.rule("4. the senses of words in new sentences")
        sentences = (data / "new_sentences.txt").read_text(encoding="utf-8").splitlines()
        for tagged in model.tag_many(line for line in sentences if line):
            print_tagged(tagged, "hard")
        console.print("\n[dim]\\[1], \\[2]: the sense; \\[?]: I don't know (too little context)[/]")
        console.rule("your turn")
        if output is None:
            console.print("[bold]grassmeans demo -o demo-output[/] keeps the model; then:")
        place = output or Path("demo-output")
        console.print(
            f"[bold]grassmeans show {place}/model crane[/]\n"
            f'[bold]echo "The <b>crane</b> lifted the heavy crates." | '
            f"grassmeans tag {place}/model[/]\n"
            f"[bold]grassmeans ingest YOUR_TEXT -o corpus[/]",
            soft_wrap=True,
        )
    finally:
        if output is None:
            shutil.rmtree(folder, ignore_errors=True)
