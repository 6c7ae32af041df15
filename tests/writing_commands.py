"""Every command that writes, with what it reads; run inside of the tests' process."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

from command_line import run_line
from grassmeans import Corpus, SkipGram, load
from grassmeans.clustering.settings import InductionSettings
from grassmeans.models.building import build_model
from grassmeans_explorer.editing.edited_words import Edit, EditedWord
from grassmeans_explorer.editing.saving import save_version
from synthetic import POLYSEMOUS, SyntheticCorpus

OUT = "OUT"


@dataclass(frozen=True)
class Command:
    """A command line with ``OUT`` for its output.

    Attributes
    ----------
    inputs : names of what it reads
    failing : what makes it fail after its inputs have been opened
    """

    line: str
    inputs: tuple[str, ...]
    failing: tuple[str, str]


COMMANDS = {
    "ingest": Command(f"ingest books -o {OUT}", ("books",), ("books", "numbers.txt")),
    "vectors": Command(
        f"vectors corpus -o {OUT} --dim 8 --epochs 1 --min-count 1 -j 1",
        ("corpus",),
        ("--min-count 1 ", "--min-count 100000 "),
    ),
    "encoder": Command(
        f"encoder corpus -o {OUT} --dim 64 --layers 1 --epochs 0.2 --vocabulary 99 -j 1",
        ("corpus",),
        ("encoder corpus", "encoder other-corpus"),
    ),
    "induce": Command(
        f"induce corpus vectors -o {OUT} --word crane -k 2 -j 1",
        ("corpus", "vectors"),
        ("--word crane", "--word xyzzy"),
    ),
    "model": Command(
        f"model corpus -o {OUT} --dim 64 --layers 1 --passage 32 --epochs 1 --min-count 150 "
        "--lexeme-epochs 1 -j 1",
        ("corpus",),
        ("--min-count 150", "--min-count 100000"),
    ),
    "label": Command(
        f"label corpus model -o {OUT} -j 1", ("corpus", "model"), ("corpus", "other-corpus")
    ),
    "lexemes": Command(
        f"lexemes labelled -o {OUT} --dim 8 --epochs 1 --min-count 1 -j 1",
        ("labelled",),
        ("--min-count 1 ", "--min-count 100000 "),
    ),
    "update": Command(
        f"update model books -o {OUT} --word crane -j 1",
        ("model", "books"),
        ("books", "numbers.txt"),
    ),
    "append": Command(
        f"ingest books --append corpus -o {OUT} -j 1",
        ("corpus", "books"),
        ("books", "numbers.txt"),
    ),
    "compact": Command(f"compact model -o {OUT} --bits 4", ("model",), ("--bits 4", "--bits 5")),
    "merge": Command(
        f"merge version-2 version-3 -o {OUT}",
        ("version-2", "version-3"),
        ("version-2", "model"),
    ),
    "annotation": Command(
        f"annotation make corpus crane -o {OUT} --model model -n 5 -a Ann",
        ("corpus", "model"),
        ("crane", "xyzzy"),
    ),
    "convert": Command(
        f"convert vectors {OUT} --to compact --bits 4", ("vectors",), ("--bits 4", "--bits 5")
    ),
    "build-dataset": Command(
        f"build-dataset pseudowords corpus -o {OUT} --group crane,bank",
        ("corpus",),
        ("crane,bank", "crane,xyzzy"),
    ),
    "iterate": Command(
        f"iterate corpus model -o {OUT} --rounds 1 --epochs 1 --min-count 1 -j 1",
        ("corpus", "model"),
        ("corpus", "other-corpus"),
    ),
}
if find_spec("torch") is None:
    del COMMANDS["encoder"], COMMANDS["model"]  # which need the extra of that name


def make_material(folder: Path, synthetic: SyntheticCorpus) -> Path:
    """Fill a folder with the inputs of every command."""
    (folder / "books").mkdir()
    (folder / "books" / "book.txt").write_text("the crane flew over the harbour")
    (folder / "numbers.txt").write_text("1 2 3")
    (folder / "test.jsonl").write_text(
        '{"id": "1", "target": "crane", "left": "a", "right": "flew over water", "label": "bird"}\n'
        '{"id": "2", "target": "crane", "left": "the", "right": "lifts it", "label": "machine"}\n'
    )
    corpus = Corpus.from_texts(synthetic.documents, folder / "corpus")
    Corpus.from_texts(["heron and stork"], folder / "other-corpus")
    trainer = SkipGram(dim=16, min_count=1, epochs=8, workers=1)
    trainer.fit(corpus).vectors_.save(folder / "vectors")
    build_model(
        folder / "corpus",
        folder / "vectors",
        folder / "model",
        list(POLYSEMOUS),
        settings=InductionSettings(n_senses=2),
        workers=1,
    )
    model = load(folder / "model")
    for name, word in (("version-2", "crane"), ("version-3", "bank")):
        hidden = EditedWord.start(model, word).apply(Edit(word, "hide", (1,)), model.vectors)
        save_version(model, {word: hidden}, name=name)
    grassmeans(folder, "label corpus model -o labelled -j 1")
    return folder


def grassmeans(material: Path, line: str, output: Path | str = "") -> int:
    """Run a command line in the folder of the inputs; returns its exit code."""
    words = [str(output) if word == OUT else word for word in line.split()]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(material)
        return run_line(*words)
