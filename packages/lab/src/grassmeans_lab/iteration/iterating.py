"""Iterative decoding from the first labels to the last round, resumable (see `rounds`).

The output folder has one folder a round: ``round-0`` holds the ordinary labels, ``round-1`` and so
on lexeme vectors, inventory and new labels. ``round.json`` is written last in each: a round that
has it is not done again. ``rounds.json`` and ``exit-chart.svg`` follow every round. More rounds
than a finished folder has are built beside it, as every folder is, with its files shared.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from grassmeans.artifacts.checking import CHECKSUMS, MANIFEST, read_json
from grassmeans.artifacts.schema import check_values, either, nothing, number, whole
from grassmeans.artifacts.writing import (
    digest_of,
    share_file,
    write_bytes,
    write_json,
    write_manifest,
)
from grassmeans.corpus.corpus import Corpus
from grassmeans.errors import InputError
from grassmeans.labelling.decoding import Decoding
from grassmeans.labelling.labeller import label_corpus
from grassmeans.lexemes.lexeme_vectors import LexemeVectors
from grassmeans.lexemes.training import train_lexemes
from grassmeans.models.model import SenseModel, open_model
from grassmeans.outputs.places import Building, check_output, output_folder
from grassmeans.senses.decoding import (
    DEFAULT_SHARPNESS,
    MODEL_THRESHOLD,
    IdkRule,
    IdkThreshold,
    describe_rule,
)
from grassmeans.senses.inventory import SenseInventory
from grassmeans.vectors.skipgram import SkipGram
from grassmeans.vectors.word_vectors import WordVectors
from grassmeans_lab.iteration.reports import (
    RoundReport,
    draw_exit_chart,
    reason_to_stop,
    report_round,
)
from grassmeans_lab.iteration.rounds import decode_again, induce_again

Announce = Callable[[RoundReport, str | None], None]
KIND = "iteration"
FORMAT_VERSION = 1
_REPORT, _REPORTS, _CHART = "round.json", "rounds.json", "exit-chart.svg"
_REPORT_FIELDS = {
    "number": whole(),
    "n_occurrences": whole(),
    "idk_share": number(0, 1),
    "mean_entropy": number(0),
    "agreement": either(nothing, number(0, 1)),
}


@dataclass(frozen=True, slots=True)
class IterationSettings:
    """How rounds are done.

    Parameters
    ----------
    rounds : int
        At most so many after the first labels.
    decoding : {"hard", "soft"}
        What one round passes to the next: the labels, or the probabilities of all senses (lexemes
        are trained on senses drawn anew in every epoch, and context words are expected vectors).
        Stored labels are hard ones either way, so that rounds can be compared.
    idk_threshold : float, "model" or None
        Of the stored labels; "model" takes the model's own.
    sharpness : float
        Of the probabilities, in soft rounds and in the reported entropy.
    epochs, min_count : int
        Of each training of lexemes.
    start_from_vectors : bool
        Lexemes start at the vectors of the round before, in round 1 at the model's; or at random.
    stop_early : bool
        Whether `reason_to_stop` ends the rounds.
    random_state : int
        Of the training.
    """

    rounds: int = 3
    decoding: str = "hard"
    idk_threshold: IdkThreshold = MODEL_THRESHOLD
    sharpness: float = DEFAULT_SHARPNESS
    epochs: int = 5
    min_count: int = 5
    start_from_vectors: bool = True
    stop_early: bool = True
    random_state: int = 0

    def __post_init__(self) -> None:
        for name in ("rounds", "epochs", "min_count"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} must be 1 or more, got {getattr(self, name)}")
        # These check what they are given; a name of a threshold is for the model to know.
        number = None if isinstance(self.idk_threshold, str) else self.idk_threshold
        Decoding(self.decoding, number, self.sharpness, self.random_state)

    @property
    def is_soft(self) -> bool:
        """Whether probabilities are passed on."""
        return self.decoding == "soft"

    def what_rounds_depend_on(self) -> dict[str, Any]:
        """The settings without those that only say when to end."""
        values = asdict(self)
        return {name: values[name] for name in values if name not in ("rounds", "stop_early")}


@dataclass(frozen=True, slots=True)
class Round:
    """A finished round; round 0 is the ordinary labelling with word vectors."""

    report: RoundReport
    labelled: Corpus  # labelled by this round
    inventory: SenseInventory  # the senses of these labels
    # The vectors that this round's contexts are made of; None for round 0.
    lexemes: LexemeVectors | None = None
    reason: str | None = None  # why no further round follows


def iterate(
    corpus: Corpus,
    model: SenseModel | str | Path,
    output: str | Path,
    settings: IterationSettings | None = None,
    *,
    device: str = "cpu",
    workers: int | None = None,
    overwrite: bool = False,
    announce: Announce | None = None,
    show_progress: bool | None = None,
) -> list[Round]:
    """Label, train lexemes, induce and label again, round by round.

    Parameters
    ----------
    corpus : Corpus
        What the model's senses were induced on, or more text of its kind.
    model : SenseModel or path
        Its settings of induction are those of every round.
    output : path
        A new folder, or one of the same inputs and settings: its finished rounds are taken over,
        and it may get more rounds than before. Where it has as many, it is only read.
    device : {"cpu", "cuda"}
        Where contexts are encoded, grouped and measured, and lexemes trained. A finished round
        stays as it is, whichever device it was done on.
    overwrite : bool
        Begin anew where the folder holds finished work.
    announce : callable
        Told of every round when it is finished, and why no further one follows.

    Returns
    -------
    list of Round
        All rounds, those taken over too. The last one has a reason.
    """
    opened = open_model(model, device=device)
    chosen = settings or IterationSettings()
    threshold = opened.choose_threshold(chosen.idk_threshold)
    about = {name: corpus.manifest.get(name) for name in ("created", "digest", "n_tokens")}
    depends_on = chosen.what_rounds_depend_on() | {"idk_threshold": describe_rule(threshold)}
    identity = [about, opened.digest, depends_on]
    output = Path(output)
    digest = digest_of(identity)
    loop = _Loop(output, None, chosen, threshold, opened, digest, device, workers, show_progress)
    rules: dict[str, Any] = {
        "inputs": [corpus.path, opened.folder, opened.vectors.folder],
        "overwrite": overwrite,
        "grows": {"digest": digest},
    }
    check_output(output, KIND, **rules)  # a killed run may have left it between two places
    tell = announce or (lambda _report, _reason: None)
    rounds = [] if overwrite else loop.open_rounds()
    if rounds and rounds[-1].reason is not None:
        for done in rounds:
            tell(done.report, done.reason)
        return rounds
    with output_folder(output, KIND, identity, keep_failed=True, **rules) as building:
        _take_over(building)
        inside = replace(loop, output=building.folder, scratch=building.scratch)
        inside.run(corpus, model, tell)
    return loop.open_rounds()


def _take_over(building: Building) -> None:
    """Share all files of a finished folder that gets more rounds."""
    if building.earlier is None:
        return
    for path in sorted(building.earlier.iterdir()):
        place = building.folder / path.name
        if path.name in (MANIFEST, CHECKSUMS, _REPORTS, _CHART) or place.exists():
            continue
        # A folder comes to its place when it is whole: the report in it says that a round is.
        unfinished = building.scratch / path.name
        if path.is_dir():
            shutil.rmtree(unfinished, ignore_errors=True)
            shutil.copytree(
                path,
                unfinished,
                symlinks=True,
                copy_function=lambda given, place: share_file(Path(given), Path(place)),
            )
        else:
            share_file(path, unfinished)
        os.rename(unfinished, place)


@dataclass(frozen=True, slots=True)
class _Loop:
    output: Path
    scratch: Path | None  # where unfinished parts of a round are; None where nothing is to be done
    settings: IterationSettings
    idk_threshold: IdkRule
    model: SenseModel
    digest: str
    device: str
    workers: int | None
    show_progress: bool | None

    def run(self, corpus: Corpus, model: SenseModel | str | Path, announce: Announce) -> None:
        """Do the rounds that are missing."""
        rounds = self.open_rounds() or [self._label(corpus, model)]
        reports = [done.report for done in rounds]
        for report in reports[:-1]:
            announce(report, None)
        while True:
            reason = self._find_reason(reports)
            if len(reports) > 1:
                self._write_summary(reports, reason)
            announce(reports[-1], reason)
            if reason is not None:
                return
            rounds.append(self._do_round(len(rounds), rounds[-1]))
            reports.append(rounds[-1].report)

    def open_rounds(self) -> list[Round]:
        """The finished rounds, from the first on; nothing is written."""
        reports = self._read_reports()
        rounds: list[Round] = []
        for report in reports:
            folder = self.output / f"round-{report.number}"
            inventory, lexemes = self.model.inventory, None
            if report.number > 0:
                inventory = SenseInventory.load(folder / "inventory")
                lexemes = LexemeVectors.load(folder / "lexemes")
            reason = self._find_reason(reports) if report is reports[-1] else None
            labelled = Corpus.open(folder / "labelled")
            rounds.append(Round(report, labelled, inventory, lexemes, reason))
        return rounds

    def _find_reason(self, reports: list[RoundReport]) -> str | None:
        """Why no further round follows; None where one does."""
        number = len(reports) - 1
        reason = reason_to_stop(reports) if self.settings.stop_early else None
        if reason is None and number >= self.settings.rounds:
            reason = f"{number} rounds are done" if number > 1 else "1 round is done"
        return reason

    def _read_reports(self) -> list[RoundReport]:
        """The reports of the finished rounds, from the first on."""
        reports: list[RoundReport] = []
        while (path := self.output / f"round-{len(reports)}" / _REPORT).exists():
            values = read_json(path)
            check_values(path, values, _REPORT_FIELDS)
            reports.append(RoundReport(**{name: values[name] for name in _REPORT_FIELDS}))
        return reports

    def _write_summary(self, reports: list[RoundReport], reason: str | None) -> None:
        rows = [asdict(report) for report in reports]
        write_json(self.output / _REPORTS, {"rounds": rows, "stopped": reason})
        write_bytes(self.output / _CHART, draw_exit_chart(reports).encode())
        if reason is not None:
            fields: dict[str, Any] = {"digest": self.digest, "settings": asdict(self.settings)}
            fields["settings"]["idk_threshold"] = describe_rule(self.idk_threshold)
            fields |= {"n_rounds": reports[-1].number, "stopped": reason}
            write_manifest(self.output, KIND, FORMAT_VERSION, fields)

    def _label(self, corpus: Corpus, model: SenseModel | str | Path) -> Round:
        """Round 0."""
        folder = self.output / "round-0"
        if (folder / "labelled" / MANIFEST).exists():
            labelled = Corpus.open(folder / "labelled")
        else:
            labelled = label_corpus(
                corpus,
                model,
                folder / "labelled",
                idk_threshold=self.idk_threshold,
                sharpness=self.settings.sharpness,
                device=self.device,
                workers=self.workers,
                show_progress=self.show_progress,
            )
        return Round(self._report(0, labelled, None), labelled, self.model.inventory)

    def _do_round(self, number: int, before: Round) -> Round:
        """One round; what is finished of it is taken over."""
        folder = self.output / f"round-{number}"
        lexemes = self._train(folder / "lexemes", before)
        inventory = self._induce(folder / "inventory", before, lexemes)
        if (folder / "labelled" / MANIFEST).exists():
            labelled = Corpus.open(folder / "labelled")
        else:
            labelled = decode_again(
                before.labelled,
                lexemes,
                inventory,
                self.model.encoder.shape,
                folder / "labelled",
                soft_contexts=self.settings.is_soft,
                idk_threshold=self.idk_threshold,
                sharpness=self.settings.sharpness,
                device=self.device,
                workers=self.workers,
                show_progress=self.show_progress,
            )
        report = self._report(number, labelled, before.labelled)
        return Round(report, labelled, inventory, lexemes)

    def _train(self, folder: Path, before: Round) -> LexemeVectors:
        if (folder / MANIFEST).exists():
            return LexemeVectors.load(folder)
        start: WordVectors | None = None
        if self.settings.start_from_vectors:
            start = before.lexemes.vectors if before.lexemes else self.model.vectors
        return train_lexemes(
            before.labelled,
            folder,
            SkipGram(
                dim=self.model.vectors.dim,
                epochs=self.settings.epochs,
                min_count=self.settings.min_count,
                device=self.device,
                workers=self.workers,
                random_state=self.settings.random_state,
            ),
            start_from=start,
            soft_each_epoch=self.settings.is_soft,
            sharpness=self.settings.sharpness if self.settings.is_soft else None,
            keep_output=True,
            show_progress=self.show_progress,
        )

    def _induce(self, folder: Path, before: Round, lexemes: LexemeVectors) -> SenseInventory:
        if folder.exists():
            return SenseInventory.load(folder)
        assert self.scratch is not None  # only finished rounds are looked at elsewhere
        parts = self.scratch / f"{folder.parent.name}-parts"
        inventory = induce_again(
            before.labelled,
            lexemes,
            before.inventory,
            self.model.settings,
            self.model.encoder.shape,
            soft_contexts=self.settings.is_soft,
            sharpness=self.settings.sharpness,
            device=self.device,
            workers=self.workers,
            parts=parts,
            show_progress=self.show_progress,
        )
        # The folder appears when it is whole: an inventory has several files and no manifest.
        unfinished = self.scratch / f"{folder.parent.name}-inventory"
        shutil.rmtree(unfinished, ignore_errors=True)
        inventory.save(unfinished)
        os.rename(unfinished, folder)
        return inventory

    def _report(self, number: int, labelled: Corpus, previous: Corpus | None) -> RoundReport:
        report = report_round(number, labelled, previous, sharpness=self.settings.sharpness)
        write_json(self.output / f"round-{number}" / _REPORT, asdict(report))
        return report
