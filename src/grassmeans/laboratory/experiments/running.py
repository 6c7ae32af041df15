"""Run experiments one after another into a folder; finished ones are not run again.

The folder holds ``report.html``, ``figures/`` (SVG and PNG), ``data/`` (CSV), and one folder for
each experiment with its findings and what it keeps on the way.
"""

from __future__ import annotations

import base64
import csv
import io
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from grassmeans.artifacts import (
    digest_of,
    digest_of_array,
    explain_write_errors,
    find_manifest,
    read_json,
    write_bytes,
    write_json,
)
from grassmeans.errors import ArtifactError, GrassmeansError, InputError, StorageError
from grassmeans.laboratory.experiments.findings import (
    DataTable,
    Figure,
    Findings,
    SkipExperimentError,
    findings_from_dict,
)
from grassmeans.laboratory.experiments.report import write_report
from grassmeans.laboratory.experiments.setup import Experiment, ExperimentSetup

FINDINGS = "findings.json"
REPORT = "report.html"


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
    announce: Callable[[str], None] = lambda message: None,
) -> list[Outcome]:
    """Run experiments, and write the report after each.

    Parameters
    ----------
    setup : ExperimentSetup
        Its folder is replaced by each experiment's own below ``output``.
    announce : callable
        Told what happens, a line at a time.
    """
    folder = Path(output)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file: choose a folder for the report")
    if find_manifest(folder) is not None:
        raise InputError(f"{folder} holds something else already: choose a folder for the report")
    with explain_write_errors(folder):
        for part in ("figures", "data"):
            (folder / part).mkdir(parents=True, exist_ok=True)
    identity = _identify(setup)
    outcomes: list[Outcome] = []
    for experiment in experiments:
        announce(f"{experiment.name}: {experiment.title}")
        outcome = _run_one(experiment, setup, folder, identity)
        outcomes.append(outcome)
        announce(_tell(outcome))
        if outcome.findings is not None:
            _store(outcome.findings, folder)
        write_report(folder / REPORT, outcomes, setup)
    return outcomes


def _run_one(
    experiment: Experiment, setup: ExperimentSetup, folder: Path, identity: dict[str, Any]
) -> Outcome:
    place = folder / experiment.name
    place.mkdir(exist_ok=True)
    digest = digest_of([identity, experiment.name, experiment.parameters()])
    kept = place / FINDINGS
    before = _find_kept(kept, digest)
    if before is not None:
        found = findings_from_dict(before["findings"])
        return Outcome(experiment, found, before["seconds"], from_before=True)
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
    write_json(kept, values)
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
        "test_sets": [str(value) for value in _test_sets(setup)],
        "model": str(setup.model),
        "lexemes": str(setup.lexemes),
        "random_state": setup.random_state,
    }


def _test_sets(setup: ExperimentSetup) -> list[Path | None]:
    sets = setup.test_sets
    return [sets.makes_sense, sets.semeval2010, sets.scws, sets.lineup, sets.wordnet]


def _tell(outcome: Outcome) -> str:
    if outcome.findings is None:
        return f"  skipped: {outcome.skipped}"
    values = "; ".join(f"{value.what} {value.ours}" for value in outcome.findings.values[:4])
    when = "found from before" if outcome.from_before else f"{outcome.seconds:.1f} s"
    return f"  {when}{': ' + values if values else ''}"


def _store(findings: Findings, folder: Path) -> None:
    for figure in findings.figures:
        _store_figure(figure, folder / "figures")
    for table in findings.tables:
        write_bytes(folder / "data" / f"{table.name}.csv", _to_csv(table).encode())


def _store_figure(figure: Figure, folder: Path) -> None:
    if figure.svg:
        write_bytes(folder / f"{figure.name}.svg", figure.svg.encode())
    if figure.png:
        write_bytes(folder / f"{figure.name}.png", base64.b64decode(figure.png))


def _to_csv(table: DataTable) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows(table.rows)
    return text.getvalue()
