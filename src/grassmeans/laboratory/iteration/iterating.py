"""Iterative decoding from the first labels to the last round, resumable (see `rounds`).

The output folder has one folder a round: ``round-0`` holds the ordinary labels, ``round-1`` and so
on lexeme vectors, inventory and new labels. ``round.json`` is written last in each: a round that
has it is not done again. ``rounds.json`` and ``exit-chart.svg`` follow every round. A finished
folder grows in its place when more rounds are asked for: what it holds is not touched.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from grassmeans.artifacts import digest_of, find_manifest, write_bytes, write_json, write_manifest
from grassmeans.checked import MANIFEST, TEMPORARY, read_json
from grassmeans.corpus.corpus import Corpus
from grassmeans.errors import ArtifactError, InputError
from grassmeans.labelling.decoding import Decoding
from grassmeans.labelling.labeller import label_corpus
from grassmeans.laboratory.iteration.reports import (
    RoundReport,
    draw_exit_chart,
    reason_to_stop,
    report_round,
)
from grassmeans.laboratory.iteration.rounds import decode_again, induce_again
from grassmeans.lexemes.lexeme_vectors import LexemeVectors
from grassmeans.lexemes.training import train_lexemes
from grassmeans.outputs import output_folder, remove_leftovers
from grassmeans.senses.decoding import (
    DEFAULT_SHARPNESS,
    MODEL_THRESHOLD,
    IdkRule,
    IdkThreshold,
    describe_rule,
)
from grassmeans.senses.inventory import SenseInventory
from grassmeans.senses.model import SenseModel, load
from grassmeans.vectors.skipgram import SkipGram
from grassmeans.vectors.word_vectors import WordVectors

Announce = Callable[[RoundReport, str | None], None]
KIND = "iteration"
FORMAT_VERSION = 1
_REPORT = "round.json"


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
        and it may get more rounds than before.
    overwrite : bool
        Begin anew where the folder holds finished work.
    announce : callable
        Told of every round when it is finished, and why no further one follows.

    Returns
    -------
    list of Round
        All rounds, those taken over too. The last one has a reason.
    """
    opened = model if isinstance(model, SenseModel) else load(model)
    chosen = settings or IterationSettings()
    threshold = opened.choose_threshold(chosen.idk_threshold)
    about = {name: corpus.manifest.get(name) for name in ("created", "digest", "n_tokens")}
    depends_on = chosen.what_rounds_depend_on() | {"idk_threshold": describe_rule(threshold)}
    identity = [about, opened.digest, depends_on]
    output = Path(output)
    loop = _Loop(output, chosen, threshold, opened, digest_of(identity), workers, show_progress)
    manifest = find_manifest(output) or {}
    if overwrite or (manifest.get("kind"), manifest.get("digest")) != (KIND, loop.digest):
        inputs = [corpus.path, opened.folder, opened.vectors.folder]
        with output_folder(
            output, KIND, identity, inputs=inputs, overwrite=overwrite, keep_failed=True
        ) as building:
            replace(loop, output=building.folder).run(corpus, model, announce)
        announce = None  # it has been told
    remove_leftovers(output.rglob(f"*{TEMPORARY}*"))
    return loop.run(corpus, model, announce)


@dataclass(frozen=True, slots=True)
class _Loop:
    output: Path
    settings: IterationSettings
    idk_threshold: IdkRule
    model: SenseModel
    digest: str
    workers: int | None
    show_progress: bool | None

    def run(
        self, corpus: Corpus, model: SenseModel | str | Path, announce: Announce | None
    ) -> list[Round]:
        """Go through the rounds; finished ones are opened."""
        rounds = [self._label(corpus, model)]
        reports = [rounds[0].report]
        while True:
            reason = self._find_reason(reports)
            if len(reports) > 1:
                self._write_summary(reports, reason)
            if announce is not None:
                announce(reports[-1], reason)
            if reason is not None:
                return [*rounds[:-1], replace(rounds[-1], reason=reason)]
            rounds.append(self._do_round(len(rounds), rounds[-1]))
            reports.append(rounds[-1].report)

    def _find_reason(self, reports: list[RoundReport]) -> str | None:
        """Why no further round follows; None where one does."""
        number = reports[-1].number
        reason = reason_to_stop(reports) if self.settings.stop_early and number else None
        if reason is None and number == self.settings.rounds:
            reason = f"{number} rounds are done" if number > 1 else "1 round is done"
        return reason

    def _write_summary(self, reports: list[RoundReport], reason: str | None) -> None:
        rows = [asdict(report) for report in reports]
        write_json(self.output / "rounds.json", {"rounds": rows, "stopped": reason})
        write_bytes(self.output / "exit-chart.svg", draw_exit_chart(reports).encode())
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
        parts = folder.with_name("parts")
        inventory = induce_again(
            before.labelled,
            lexemes,
            before.inventory,
            self.model.settings,
            self.model.encoder.shape,
            soft_contexts=self.settings.is_soft,
            sharpness=self.settings.sharpness,
            workers=self.workers,
            parts=parts,
            show_progress=self.show_progress,
        )
        # The folder appears when it is whole: an inventory has several files and no manifest.
        unfinished = folder.with_name(f"{folder.name}.partial")
        shutil.rmtree(unfinished, ignore_errors=True)
        inventory.save(unfinished)
        os.replace(unfinished, folder)
        shutil.rmtree(parts, ignore_errors=True)
        return inventory

    def _report(self, number: int, labelled: Corpus, previous: Corpus | None) -> RoundReport:
        path = self.output / f"round-{number}" / _REPORT
        if path.exists():
            try:
                return RoundReport(**read_json(path))
            except TypeError as error:
                raise ArtifactError(
                    f"{path} is no report of a round: delete it and start the same command again"
                ) from error
        report = report_round(number, labelled, previous, sharpness=self.settings.sharpness)
        write_json(path, asdict(report))
        return report
