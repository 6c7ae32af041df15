"""`grassmeans change`: how the senses of words differ between groups of documents."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grassmeans.errors import InputError
from grassmeans.results import write_csv
from grassmeans.terminal import options
from grassmeans.terminal.output import draw_table, name_some, note, print_json, wants_json

if TYPE_CHECKING:
    from grassmeans.change.comparing import Comparison

_SHOWN = 20
_SUFFIXES = (".html", ".csv", ".json", ".parquet")


def change(
    model: options.Model,
    corpora: list[options.ReadPath],
    by: str | None = None,
    words: options.Words = None,
    words_file: options.WordsFile = None,
    everything: Annotated[bool, typer.Option("--all")] = False,
    output: options.Output | None = None,
    fewest: options.Count = 10,
    level: float = 0.05,
    permutations: Annotated[int, typer.Option(min=1, max=10000000)] = 20_000,
    max_contexts: options.Count = 5_000,
    examined: options.Whole = 50,
    control: bool = False,
    seed: options.Seed = 0,
    device: options.Device = "cpu",
    overwrite: options.Overwrite = False,
    as_json: options.Json = False,
) -> None:
    """Compare the senses of words between times, sources or corpora, and rank the words by change.

    For each word and pair of groups: the shares of its senses with 95% intervals, three distances
    (Jensen-Shannon of the senses, average pairwise distance and distance of prototypes of the
    contexts), the chance of so large a difference, corrected for all words, senses gained and lost,
    and examples of each side. A labelled corpus (`grassmeans label`) ranks all words in minutes;
    without labels, name words.

    [dim]grassmeans change en letters --by date:decade --word lane --word record -o report[/]

    [dim]grassmeans change model labelled --by source --all -o report[/]

    [dim]grassmeans change en old-books new-books --word engine -o report.html[/]

    Options
    -------
    corpora: A corpus folder, labelled or not; or several, side by side.
    by: Group documents by a field: date:decade, date:year, date:25 (years), source; without it
        corpora are compared.
    everything: All words of the model; needs a labelled corpus.
    output: A file .html, .csv, .json or .parquet; or a folder for all of them.
    fewest: Occurrences that a group needs to be compared.
    level: Share of false alarms among the reported changes.
    permutations: Chance divisions tried for each change.
    max_contexts: Occurrences of a word and group measured where no labels are.
    examined: With --all: words from the top with APD, PRT and examples.
    control: Divide the documents by chance: nothing should change.
    """
    from grassmeans.change.comparing import ChangeSettings, compare_groups
    from grassmeans.change.grouping import group_documents
    from grassmeans.change.tables import REPORT_KIND
    from grassmeans.models.model import load
    from grassmeans.outputs.places import check_output, check_output_file

    chosen = options.choose_words(words, words_file)
    if (chosen is None) != everything:
        raise InputError("name words with --word or --words, or take --all: one of them")
    settings = ChangeSettings(fewest, level, permutations, max_contexts, examined, seed)
    if output is not None:
        if _is_file(output):
            check_output_file(output, overwrite=overwrite)
        else:
            check_output(output, REPORT_KIND, overwrite=overwrite)
    documents = group_documents(corpora, by)
    if control:
        documents = documents.shuffle(seed)
    found = compare_groups(
        load(model, device=device), documents, chosen, settings=settings, show_progress=None
    )
    _note(found)
    if output is not None:
        _write(found, output, overwrite, f"Change of senses, by {found.by}")
    _show(found, output, as_json)


def _is_file(output: Path) -> bool:
    if output.suffix in _SUFFIXES:
        return True
    if output.suffix and not output.is_dir():
        raise InputError(
            f"{output}: a report is a file {', '.join(_SUFFIXES)}, or a folder for all of them"
        )
    return False


def _note(found: Comparison) -> None:
    if found.n_left_out:
        about = f", {found.example_left_out!r} say" if found.example_left_out else ""
        note(
            f"documents in no group, as their field is missing or cannot be read: "
            f"{found.n_left_out:,}{about}"
        )
    if found.absent:
        note(f"words that occur in no group: {name_some(list(found.absent))}")


def _write(found: Comparison, output: Path, overwrite: bool, title: str) -> None:
    from grassmeans.artifacts.writing import write_bytes, write_manifest
    from grassmeans.change import tables
    from grassmeans.outputs.places import output_file, output_folder
    from grassmeans.pictures.change_page import draw_change_page

    changes = found.rows()
    if _is_file(output):
        with output_file(output, overwrite=overwrite) as place:
            if output.suffix == ".parquet":
                tables.write_parquet(changes, place)
            elif output.suffix == ".csv":
                place.write_bytes(write_csv(changes))
            elif output.suffix == ".json":
                place.write_bytes(tables.write_json(found))
            else:
                place.write_text(draw_change_page(found, title), encoding="utf-8")
        return
    with output_folder(output, tables.REPORT_KIND, overwrite=overwrite) as building:
        folder = building.folder
        write_bytes(folder / "report.html", draw_change_page(found, title).encode())
        write_bytes(folder / "changes.csv", write_csv(changes))
        write_bytes(folder / "shares.csv", write_csv(found.shares))
        write_bytes(folder / tables.REPORT, tables.write_json(found))
        if find_spec("pyarrow") is not None:
            tables.write_parquet(changes, folder / "changes.parquet")
        fields = {"by": found.by, "groups": list(found.groups), "n_words": len(found.words)}
        write_manifest(folder, tables.REPORT_KIND, tables.REPORT_VERSION, fields)


def _show(found: Comparison, output: Path | None, as_json: bool) -> None:
    from grassmeans.change import tables
    from grassmeans.evaluation.reports import ResultTable
    from grassmeans.pictures.change_page import COLUMNS, format_row

    if not wants_json(as_json):
        rows = [format_row(word.word, pair, " ") for word in found.words for pair in word.pairs]
        more = f"{len(rows) - _SHOWN:,} more rows" if len(rows) > _SHOWN else ""
        draw_table(ResultTable(COLUMNS, tuple(rows[:_SHOWN]), more))
        if output is not None:
            note(f"the report is in {output}")
        return
    about = {
        "report": str(output),
        "groups": list(found.groups),
        "n_words": len(found.words),
        "n_tested": found.n_tested,
        "n_changed": found.n_changed,
        "n_documents_left_out": found.n_left_out,
        "absent": list(found.absent),
    }
    print_json(tables.to_dict(found) if output is None else about)
