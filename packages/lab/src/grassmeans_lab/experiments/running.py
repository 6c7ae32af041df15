"""Run experiments one after another into a folder; finished ones are not run again.

The folder holds ``report.html``, ``figures/`` (SVG and PNG), ``data/`` (CSV), and one folder for
each experiment with its findings and what it keeps on the way; ``written.txt`` lists what was
written.
"""

from __future__ import annotations

import base64
import csv
import io
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, replace
from html import escape
from pathlib import Path
from typing import Any

from grassmeans.artifacts.checking import read_json
from grassmeans.artifacts.writing import (
    digest_of,
    digest_of_array,
    encode_json,
    explain_write_errors,
    find_manifest,
)
from grassmeans.errors import ArtifactError, GrassmeansError, InputError, StorageError
from grassmeans.outputs.ownership import check_inputs
from grassmeans.pictures.page import html_page, html_table
from grassmeans.results import protect_cell
from grassmeans.version import __version__
from grassmeans_lab.experiments.ablations import Ablations
from grassmeans_lab.experiments.artificial_polysemy import ArtificialPolysemy
from grassmeans_lab.experiments.columbia import InductionExample
from grassmeans_lab.experiments.directions import Isotropy, MonosemousDirections
from grassmeans_lab.experiments.experiment import (
    Cell,
    ComparedValue,
    DataTable,
    Experiment,
    ExperimentSetup,
    Figure,
    Findings,
    SkipExperimentError,
    findings_from_dict,
)
from grassmeans_lab.experiments.granularity import Granularity
from grassmeans_lab.experiments.intersection import Intersection, Polysemy
from grassmeans_lab.experiments.linearity import Linearity
from grassmeans_lab.experiments.lineup_curve import LineupCurve
from grassmeans_lab.experiments.low_rank import LowRank
from grassmeans_lab.experiments.own_files import OwnFiles
from grassmeans_lab.experiments.scws_table import ContextualSimilarity
from grassmeans_lab.experiments.wsi_table import SenseInductionTable

FINDINGS = "findings.json"
REPORT = "report.html"
TITLE = "The geometry of polysemy, on this corpus"

EXPERIMENTS: tuple[type[Experiment], ...] = (
    LowRank,
    Intersection,
    Polysemy,
    InductionExample,
    ArtificialPolysemy,
    MonosemousDirections,
    Isotropy,
    SenseInductionTable,
    ContextualSimilarity,
    LineupCurve,
    Linearity,
    Ablations,
    Granularity,
)
"""All experiments, in the paper's order."""


def choose_experiments(names: Sequence[str], *, quick: bool = False) -> list[Experiment]:
    """The experiments of these names; ``all``, or none, means every one.

    `InputError` for a name that there is not.
    """
    known = {experiment.name: experiment for experiment in EXPERIMENTS}
    wanted = list(known) if not names or "all" in names else list(dict.fromkeys(names))
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise InputError(
            f"there is no experiment {unknown[0]!r}: choose from {', '.join(known)}, or all"
        )
    return [known[name].quick() if quick else known[name]() for name in wanted]


@dataclass(frozen=True, slots=True)
class Outcome:
    """An experiment that ran, or was skipped for a reason."""

    experiment: Experiment
    findings: Findings | None
    seconds: float
    skipped: str = ""
    from_before: bool = False


def run_experiments(
    experiments: Sequence[Experiment],
    setup: ExperimentSetup,
    output: str | Path,
    *,
    overwrite: bool = False,
    announce: Callable[[str], None] = lambda message: None,
) -> list[Outcome]:
    """Run experiments, and write the report after each.

    Parameters
    ----------
    setup : ExperimentSetup
        Its folder is replaced by each experiment's own below ``output``.
    overwrite : bool
        Replace also files of the report's names that were not written here, or were changed.
    announce : callable
        Told what happens, a line at a time.
    """
    folder = Path(output)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file: choose a folder for the report")
    if find_manifest(folder) is not None:
        raise InputError(f"{folder} holds something else already: choose a folder for the report")
    read = [setup.corpus.path, setup.vectors.folder, setup.model, setup.lexemes]
    check_inputs(folder, [*read, *astuple(setup.test_sets)], into=True)
    own = OwnFiles(folder, overwrite=overwrite)
    own.check([REPORT])
    for part in ("figures", "data"):
        own.check(f"{part}/{path.name}" for path in sorted((folder / part).glob("*")))
    with explain_write_errors(folder):
        for part in ("figures", "data"):
            (folder / part).mkdir(parents=True, exist_ok=True)
    identity = _identify(setup)
    outcomes: list[Outcome] = []
    for experiment in experiments:
        announce(f"{experiment.name}: {experiment.title}")
        outcome = _run_one(experiment, setup, own, identity)
        outcomes.append(outcome)
        announce(_tell(outcome))
        if outcome.findings is not None:
            _store(outcome.findings, own)
        own.write(REPORT, draw_report(outcomes, setup).encode())
    return outcomes


def _run_one(
    experiment: Experiment, setup: ExperimentSetup, own: OwnFiles, identity: dict[str, Any]
) -> Outcome:
    place = own.folder / experiment.name
    place.mkdir(exist_ok=True)
    digest = digest_of([identity, experiment.name, experiment.parameters()])
    kept = place / FINDINGS
    before = _find_kept(kept, digest)
    if before is not None:
        found = findings_from_dict(before["findings"])
        return Outcome(experiment, found, before["seconds"], from_before=True)
    own.check([f"{experiment.name}/{FINDINGS}"])
    started = time.perf_counter()
    try:
        findings = experiment.run(replace(setup, folder=place))
    except StorageError:
        raise  # a full disk ends the run: nothing after it could be kept
    except (SkipExperimentError, GrassmeansError) as reason:
        return Outcome(experiment, None, time.perf_counter() - started, skipped=str(reason))
    seconds = time.perf_counter() - started
    findings = replace(findings, parameters=experiment.parameters() | findings.parameters)
    values = {"digest": digest, "seconds": round(seconds, 2), "findings": findings.to_dict()}
    own.write(f"{experiment.name}/{FINDINGS}", encode_json(values, indent=2))
    return Outcome(experiment, findings_from_dict(read_json(kept)["findings"]), seconds)


def _find_kept(path: Path, digest: str) -> dict[str, Any] | None:
    """What is kept of the same experiment; None where there is nothing, or something damaged."""
    if not path.exists():
        return None
    try:
        stored = read_json(path)
    except ArtifactError:
        return None
    return stored if isinstance(stored, dict) and stored.get("digest") == digest else None


def _identify(setup: ExperimentSetup) -> dict[str, Any]:
    """What results depend on besides the experiment's own parameters."""
    return {
        "corpus": setup.corpus.manifest.get("created"),
        "n_tokens": setup.corpus.n_tokens,
        "vectors": [digest_of(list(setup.vectors.words)), digest_of_array(setup.vectors.vectors)],
        "test_sets": [str(place) for place in astuple(setup.test_sets)],
        "model": str(setup.model),
        "lexemes": str(setup.lexemes),
        "random_state": setup.random_state,
    }


def _tell(outcome: Outcome) -> str:
    if outcome.findings is None:
        return f"  skipped: {outcome.skipped}"
    values = "; ".join(f"{value.what} {value.ours}" for value in outcome.findings.values[:4])
    when = "found from before" if outcome.from_before else f"{outcome.seconds:.1f} s"
    return f"  {when}{': ' + values if values else ''}"


def _store(findings: Findings, own: OwnFiles) -> None:
    for figure in findings.figures:
        if figure.svg:
            own.write(f"figures/{figure.name}.svg", figure.svg.encode())
        if figure.png:
            own.write(f"figures/{figure.name}.png", base64.b64decode(figure.png))
    for table in findings.tables:
        own.write(f"data/{table.name}.csv", _to_csv(table).encode())


def _to_csv(table: DataTable) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for row in (table.columns, *table.rows):
        writer.writerow([protect_cell(cell) for cell in row])
    return text.getvalue()


def draw_report(outcomes: Sequence[Outcome], setup: ExperimentSetup) -> str:
    """The report of experiments that ran or were skipped, as a page."""
    parts = [_draw_head(setup), _draw_summary(outcomes)]
    parts += [_draw_outcome(outcome) for outcome in outcomes]
    return html_page(TITLE, "".join(parts), interactive=True)


def _draw_head(setup: ExperimentSetup) -> str:
    corpus, vectors = setup.corpus, setup.vectors
    return (
        f"<h1>{TITLE}</h1>\n<p>The experiments of <i>Geometry of Polysemy</i> (Mu, Bhat and "
        f"Viswanath, 2016) on {corpus.n_tokens:,} words of text in {corpus.n_documents:,} "
        f"documents, with {len(vectors):,} word vectors of {vectors.dim} dimensions. "
        "The paper's corpus was the whole English Wikipedia, about two billion words. "
        f"Made by <code>grassmeans reproduce</code>, version {escape(__version__)}.</p>\n"
    )


def _draw_summary(outcomes: Sequence[Outcome]) -> str:
    rows = [
        (outcome.experiment.paper, value.what, value.paper, value.ours)
        for outcome in outcomes
        if outcome.findings is not None
        for value in outcome.findings.values
        if value.paper
    ]
    links = "".join(
        f'<li><a href="#{escape(outcome.experiment.name)}">{escape(outcome.experiment.title)}</a>'
        f"{' (skipped)' if outcome.findings is None else ''}</li>\n"
        for outcome in outcomes
    )
    table = html_table(("paper's", "value", "paper", "here"), rows) if rows else ""
    return f"<ul>\n{links}</ul>\n<h2>At a glance</h2>\n{table}"


def _draw_outcome(outcome: Outcome) -> str:
    experiment = outcome.experiment
    head = (
        f'<h2 id="{escape(experiment.name)}">{escape(experiment.title)}</h2>\n'
        f'<p class="soft">{escape(experiment.paper)}</p>\n'
    )
    if outcome.findings is None:
        return f"{head}<p><b>Skipped:</b> {escape(outcome.skipped)}</p>\n"
    findings = outcome.findings
    return head + _draw_findings(findings) + _draw_record(outcome, findings)


def _draw_findings(findings: Findings) -> str:
    parts = [f"<p>{escape(paragraph)}</p>\n" for paragraph in findings.text]
    if findings.values:
        parts.append(_draw_values(findings.values))
    parts += [_draw_figure(figure) for figure in findings.figures]
    parts += [_draw_table(table) for table in findings.tables if table.shown]
    return "".join(parts)


def _draw_values(values: Sequence[ComparedValue]) -> str:
    if not any(value.paper for value in values):
        return html_table(("", "here"), [(value.what, value.ours) for value in values])
    rows = [(value.what, value.paper or "–", value.ours) for value in values]
    return html_table(("", "paper", "here"), rows)


def _draw_figure(figure: Figure) -> str:
    # Pixels in the page: dozens of SVG figures would share ids and weigh more.
    image = ""
    if figure.png:
        image = f'<img alt="{escape(figure.caption)}" src="data:image/png;base64,{figure.png}">\n'
    return (
        f"<figure>\n{image}{figure.html}"
        f"<figcaption>{escape(figure.caption)}</figcaption>\n</figure>\n"
    )


def _draw_table(table: DataTable) -> str:
    rows = [[_show(cell) for cell in row] for row in table.rows]
    return html_table(table.columns, rows, table.caption)


def _draw_record(outcome: Outcome, findings: Findings) -> str:
    parameters = escape(json.dumps(findings.parameters, ensure_ascii=False, default=str))
    data = ", ".join(f"data/{table.name}.csv" for table in findings.tables)
    return (
        f'<details class="soft"><summary>{outcome.seconds:.1f} s; parameters and data</summary>'
        f"<p><code>grassmeans reproduce {escape(outcome.experiment.name)}</code></p>"
        f"<p><code>{parameters}</code></p><p>{escape(data)}</p></details>\n"
    )


def _show(cell: Cell) -> str:
    if cell is None:
        return "–"
    return f"{cell:.4g}" if isinstance(cell, float) else str(cell)
