"""`grassmeans demo`: the whole way from text to senses, on a text that comes with the package."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from grassmeans.cli.show import print_entry
from grassmeans.cli.tag import print_tagged
from grassmeans.terminal import options
from grassmeans.terminal.output import terminal

if TYPE_CHECKING:
    from rich.console import Console

    from grassmeans.models.model import SenseModel
    from grassmeans.tagging.tagging import TaggedText

TARGETS = ("crane", "bank", "bass", "seal", "plant")
SHOWN = ("crane", "bank")
SOFT = 4
PAGE = "senses.html"
_KIND, _VERSION = "demo", 1
_INTRODUCTION = (
    "The senses of some words in the chronicle of an invented harbour town, found by `grassmeans "
    "demo` with no dictionary and no labels. The words around a word span a plane; the planes of "
    "one sense meet along a line."
)


def demo(
    output: options.Output | None = None,
    page: options.NewPath = Path(f"grassmeans-demo-{PAGE}"),
    overwrite: bool = False,
) -> None:
    """Find the senses of some words in a small text that comes along, and tag new sentences.

    The text is the chronicle of an invented harbour town. Everything is computed here and now:
    tokens, word vectors, contexts, senses. A page with the picture of the planes is written too.

    Options
    -------
    output: Keep corpus, vectors and model here.
    page: Where to write the HTML page.
    overwrite: Replace an earlier demo, and the page.
    """
    from grassmeans.outputs.places import check_output_file

    check_output_file(page, overwrite=overwrite)
    console = terminal()
    data = files("grassmeans.corpus") / "data" / "demo"
    with _open_folder(output, overwrite) as folder, as_file(data / "town.txt") as text:
        model = _find_senses(text, folder, console)
        sentences = (data / "new_sentences.txt").read_text(encoding="utf-8").splitlines()
        tagged = model.tag_many(line for line in sentences if line)
        _show_answers(tagged, console)
        _write_page(model, tagged, page, overwrite)
    console.rule("5. to look at")
    told = ": the planes and senses in three dimensions; open it"
    console.print(Text.assemble((str(page), "bold"), told))
    _tell_what_is_next(output, console)


@contextlib.contextmanager
def _open_folder(output: Path | None, overwrite: bool) -> Iterator[Path]:
    """Where corpus, vectors and model are made: what becomes the output, or a temporary folder."""
    from grassmeans.artifacts.temporaries import temporary_folder
    from grassmeans.artifacts.writing import write_manifest
    from grassmeans.outputs.places import output_folder

    if output is None:
        with temporary_folder() as temporary:
            yield temporary
        return
    with output_folder(output, _KIND, overwrite=overwrite) as building:
        yield building.folder
        write_manifest(building.folder, _KIND, _VERSION, {})


def _find_senses(text: Path, folder: Path, console: Console) -> SenseModel:
    from grassmeans.clustering.settings import InductionSettings
    from grassmeans.corpus.corpus import Corpus
    from grassmeans.models.building import build_model
    from grassmeans.vectors.skipgram import SkipGram

    console.rule("1. raw text → tokens")
    corpus = Corpus.from_files([text], folder / "corpus", workers=1)
    console.print(
        f"{corpus.n_tokens:,} words in {corpus.n_documents} documents, "
        f"{len(corpus.vocabulary):,} different ones"
    )
    console.rule("2. tokens → word vectors")
    # A text this small needs many passes and few dimensions; one worker repeats exactly.
    trainer = SkipGram(dim=50, window=8, min_count=2, epochs=60, workers=1)
    trainer.fit(corpus)
    trainer.vectors_.save(folder / "vectors")
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
    )
    for word in SHOWN:
        print_entry(model.senses(word), examples=2)
    others = Table("word", "sense", "share", "what it is about", box=None)
    for word in TARGETS[len(SHOWN) :]:
        for sense in model.senses(word).senses:
            label = f"{word}.{sense.number}"
            words = ", ".join(sense.characteristic_words[:6])
            others.add_row(word, label, f"{sense.share:.0%}", words)
    console.print(others)
    return model


def _show_answers(tagged: list[TaggedText], console: Console) -> None:
    console.rule("4. the senses of words in new sentences")
    for answer in tagged:
        print_tagged(answer, "hard")
    console.print("[1], [2]: the sense; [?]: I don't know (too little context)\n", style="dim")
    for answer in tagged[:SOFT]:
        print_tagged(answer, "soft")
    console.print("the same, soft: the probability of each sense", style="dim")


def _write_page(model: SenseModel, tagged: list[TaggedText], page: Path, overwrite: bool) -> None:
    from grassmeans.outputs.places import output_file
    from grassmeans.pictures.page import draw_senses_page

    text = draw_senses_page(
        model,
        TARGETS,
        tagged,
        title="Senses of a harbour town",
        introduction=_INTRODUCTION,
        next_steps="\n".join(_list_next(Path("demo-output"))),
    )
    with output_file(page, overwrite=overwrite) as place:
        place.write_bytes(text.encode())


def _list_next(place: Path) -> dict[str, str]:
    """Commands to go on with, and what they are for."""
    return {
        "grassmeans show en crane": "the English model: pip install grassmeans-en",
        'echo "The <b>crane</b> lifted the steel beams onto the pier." | grassmeans tag en': (
            "and finds senses in your own sentences"
        ),
        f"grassmeans demo -o {place}": "keeps corpus, vectors and model",
        f"grassmeans show {place}/model seal": "to look at more words",
        "grassmeans ingest YOUR_TEXT -o corpus": "your own text: then `vectors`, `induce`",
        "grassmeans explore": (
            "see and try the senses of words in a browser: pip install grassmeans-explorer"
        ),
    }


def _tell_what_is_next(output: Path | None, console: Console) -> None:
    console.rule("your turn")
    for command, remark in _list_next(output or Path("demo-output")).items():
        if command.startswith("grassmeans demo") and output is not None:
            continue
        console.print(f"# {remark}", style="dim", soft_wrap=True)
        console.print(command, style="bold", soft_wrap=True)
