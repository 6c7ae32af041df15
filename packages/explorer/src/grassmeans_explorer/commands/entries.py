"""`grassmeans entries`: the entries of a dictionary, out of a model and into other tools."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grassmeans.errors import InputError, check_choice
from grassmeans.terminal import options
from grassmeans.terminal.options import READ, WRITTEN_INTO
from grassmeans.terminal.output import note, print_summary
from grassmeans_explorer.commands.query import Grammar

if TYPE_CHECKING:
    from grassmeans.models.model import SenseModel
    from grassmeans_explorer.entries.proposals import Material

_SHOWN = 20


def entries(
    model: options.Model,
    output: options.Output | None = None,
    format: Annotated[str | None, typer.Option("--format", "-f")] = None,
    word: options.Words = None,
    words: options.WordsFile = None,
    corpus: options.ReadPath | None = None,
    grammar: Grammar = None,
    folder: Annotated[Path | None, WRITTEN_INTO, typer.Option("--entries")] = None,
    proposals: bool = False,
    weights: options.ReadPath | None = None,
    examples: options.Whole = 3,
    title: str | None = None,
    import_file: Annotated[Path | None, READ, typer.Option("--import")] = None,
    overwrite: options.OverwriteFile = False,
    as_json: options.Json = False,
) -> None:
    """Write the entries of a dictionary: what you wrote of senses, and proposals for the rest.

    Entries are what you have written in the explorer, or imported. With --proposals, what is still
    empty is filled from the model: names, collocates and examples; with --corpus also the sentence
    that defines a sense best, and good examples of all of its text, and with --grammar the part of
    speech.

    The format is that of the file's name: .tei.xml (TEI Lex-0), .ttl (OntoLex-Lemon),
    .lexonomy.xml, .dmlex.json, .csv, .html (to print) or .json (all that there is). Entries are
    read back from all but .html; from .ttl with the package rdflib.

    [dim]grassmeans entries en --word crane --proposals -o crane.html[/]

    [dim]grassmeans entries model --import lexicon.json[/]   what another has written

    Options
    -------
    output: File; standard output by default.
    format: tei, ontolex, lexonomy, dmlex, csv, html or json.
    corpus: Its corpus, or another: for proposals and examples.
    folder: Folder of your entries; beside the model by default.
    proposals: Fill what is empty from what is known of the senses.
    weights: JSON file: what makes a sentence a good example.
    examples: A sense, with --proposals.
    title: Of the lexicon; the model's name by default.
    import_file: Put the entries of this file in the place of yours.
    """
    from grassmeans.models.model import load
    from grassmeans.outputs.places import check_output_file
    from grassmeans_explorer.entries.formats import (
        FORMATS,
        encode_lexicon,
        find_format,
        save_lexicon,
    )
    from grassmeans_explorer.entries.lexicon import gather_lexicon

    if (corpus or weights or grammar) and not proposals:
        raise InputError("--corpus, --grammar and --weights are for proposals: add --proposals")
    if grammar is not None and corpus is None:
        raise InputError("--grammar is that of a corpus: name it with --corpus")
    if format is not None:
        check_choice("--format", format, FORMATS)
    if output is not None:
        find_format(output, format)
        check_output_file(output, overwrite=overwrite)
    elif import_file is None and format is None:
        raise InputError("name a file with -o, or a format with --format")
    if folder is not None and import_file is None and not folder.is_dir():
        raise InputError(f"there is no folder {folder} of entries")
    opened = load(model)
    chosen = options.choose_words(word, words)
    if import_file is not None:
        # The file's own ending tells its format: --format is that of the output.
        of_file = format if output is None else None
        _import(opened, import_file, of_file, folder, chosen, as_json)
        if output is None:
            return
    material = _gather_material(opened, corpus, grammar, weights, examples) if proposals else None
    lexicon = gather_lexicon(opened, chosen, folder, material, title)
    _tell(lexicon.remarks)
    if output is None:
        sys.stdout.buffer.write(encode_lexicon(lexicon, str(format)))
        sys.stdout.buffer.flush()
        return
    save_lexicon(lexicon, output, format, overwrite=overwrite)
    n_senses = sum(len(entry.senses) for entry in lexicon.entries)
    n_entries = len(lexicon.entries)
    print_summary(
        {"output": str(output), "n_entries": n_entries, "n_senses": n_senses},
        f"{n_entries:,} entr{'ies' if n_entries != 1 else 'y'} with {n_senses:,} senses written "
        f"to {output}",
        as_json,
    )


def _gather_material(
    model: SenseModel,
    corpus: Path | None,
    grammar: Path | None,
    weights: Path | None,
    n_examples: int,
) -> Material:
    from grassmeans.corpus.corpus import Corpus
    from grassmeans.labelling.measuring import find_targets
    from grassmeans_explorer.entries.good_examples import DICTIONARY_WEIGHTS, read_weights
    from grassmeans_explorer.entries.proposals import Material, open_glosses
    from grassmeans_explorer.grammar.layer import GrammarLayer

    chosen = DICTIONARY_WEIGHTS if weights is None else read_weights(weights)
    opened = None if corpus is None else Corpus.open(corpus)
    if opened is not None:
        find_targets(opened, model)  # refuses a corpus that does not fit the model
    layer = None if grammar is None else GrammarLayer.open(grammar, opened)
    glosses = open_glosses(model)
    return Material(model, opened, chosen, glosses, n_examples, layer=layer)


def _import(
    model: SenseModel,
    file: Path,
    format: str | None,
    folder: Path | None,
    words: Sequence[str] | None,
    as_json: bool,
) -> None:
    from grassmeans_explorer.entries.formats import load_lexicon
    from grassmeans_explorer.entries.lexicon import import_lexicon

    done = import_lexicon(model, load_lexicon(file, format), folder, words)
    _tell(done.remarks)
    fields = {"entries": str(done.path), "n_read": done.n_entries, "n_changed": done.n_changed}
    told = f"{done.n_entries:,} entries read, {done.n_changed:,} of them new or other"
    print_summary(fields, f"{told}: kept in {done.path}", as_json)


def _tell(remarks: Sequence[str]) -> None:
    for remark in remarks[:_SHOWN]:
        note(remark)
    if len(remarks) > _SHOWN:
        note(f"... and {len(remarks) - _SHOWN:,} more remarks")
