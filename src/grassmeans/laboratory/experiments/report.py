"""Outcomes of experiments -> one HTML page with everything in it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from grassmeans.artifacts import write_bytes
from grassmeans.laboratory.experiments.findings import (
    Cell,
    ComparedValue,
    DataTable,
    Figure,
    Findings,
)
from grassmeans.laboratory.experiments.setup import ExperimentSetup
from grassmeans.pictures.page import html_page, html_table
from grassmeans.version import __version__

if TYPE_CHECKING:
    from grassmeans.laboratory.experiments.running import Outcome

TITLE = "The geometry of polysemy, on this corpus"


def write_report(path: Path, outcomes: Sequence[Outcome], setup: ExperimentSetup) -> None:
    """Write the report of experiments that ran or were skipped."""
    parts = [_draw_head(setup), _draw_summary(outcomes)]
    parts += [_draw_outcome(outcome) for outcome in outcomes]
    write_bytes(path, html_page(TITLE, "".join(parts), interactive=True).encode())


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
