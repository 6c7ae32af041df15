"""Settings that the paper leaves open: one at a time is changed, and the score is watched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np

from grassmeans.engines.parallel import map_tasks
from grassmeans.pictures.planes import SENSE_COLOURS
from grassmeans_lab.datasets.pseudowords import find_candidates
from grassmeans_lab.evaluation.tasks.coarse_senses import MAKES_SENSE
from grassmeans_lab.experiments.ablation_scores import (
    SCORES,
    WordScores,
    measure_decoding,
    score_words,
)
from grassmeans_lab.experiments.ablation_words import (
    DecodedWord,
    GoldWords,
    PseudoWords,
    TaskWords,
    Variant,
)
from grassmeans_lab.experiments.drawing import finish, new_canvas
from grassmeans_lab.experiments.experiment import (
    Cell,
    ComparedValue,
    DataTable,
    Experiment,
    ExperimentSetup,
    Figure,
    Findings,
    SkipExperimentError,
)

Scored = Mapping[tuple[str, Variant], WordScores]
"""By the name of the words' source, and the setting."""

_PAIR = 2
_SIDESTEP = 0.12
_WORDS_PER_TASK = 10
_TRIED: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("window", (2, 5, 10, 20, 40)),
    ("rank", (1, 2, 3, 4, 5, 8)),
    ("n_senses", (2, 3, 4, 5, 8)),
    ("n_contexts", (50, 150, 500, 1_500, 5_000)),
    ("centring", ("none", "vectors", "contexts")),
    ("drop_repeats", (False, True)),
)
_LABELS = {
    "window": "window",
    "rank": "rank",
    "n_senses": "number of senses K",
    "n_contexts": "contexts to learn from",
    "centring": "mean subtracted from",
    "drop_repeats": "repeats of the target",
}
_NAMES = {False: "kept", True: "removed", "none": "nothing", "vectors": "all vectors"}
_NAMES |= {"contexts": "each context"}
_TITLES = {"makes-sense": "Make-Sense", PseudoWords.name: "pseudo-words"}


@dataclass(frozen=True)
class Ablations(Experiment):
    """Window, rank, K, contexts, centring, repeats; then sharpness and theta, which only decode.

    Parameters
    ----------
    tried : pairs of a field of `Variant` and its values
    base : Variant
        What the other settings are meanwhile.
    n_test_words, n_pseudo_words : int
        Words of Make-Sense, where it is given, and merged pairs of words.
    n_tested : int
        Contexts of each member that are tested.
    min_count, max_count : int
        How often the members occur.
    """

    name: ClassVar[str] = "ablations"
    title: ClassVar[str] = "What the settings do"
    paper: ClassVar[str] = "not in the paper, which gives W = 10, N = 3, K = 2 and 5, theta = 0.6"

    tried: tuple[tuple[str, tuple[Any, ...]], ...] = _TRIED
    base: Variant = field(default_factory=Variant)
    sharpnesses: tuple[float, ...] = (1, 2, 4, 7, 10, 15, 25, 50)
    thresholds: tuple[float, ...] = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.9, 1.0)
    n_test_words: int = 50
    n_pseudo_words: int = 50
    n_tested: int = 250
    min_count: int = 3_000
    max_count: int = 30_000

    @classmethod
    def quick(cls) -> Self:
        """Few words, few values."""
        tried = (
            ("window", (5, 10)),
            ("rank", (1, 3)),
            ("n_senses", (2, 3)),
            ("n_contexts", (10, 20)),
            ("centring", ("none", "vectors", "contexts")),
            ("drop_repeats", (False, True)),
        )
        return cls(
            tried=tried,
            base=Variant(n_contexts=20, n_init=2),
            n_test_words=3,
            n_pseudo_words=4,
            n_tested=5,
            min_count=15,
        )

    def run(self, setup: ExperimentSetup) -> Findings:
        """Decode everything under every setting, then score."""
        sources = self._collect_sources(setup)
        decoded = self._decode(sources, setup)
        scored = {key: score_words(words) for key, words in decoded.items()}
        pairs = decoded[PseudoWords.name, replace(self.base, n_senses=_PAIR)]
        decoding = measure_decoding(pairs, self.sharpnesses, self.thresholds)
        names = [source.name for source in sources]
        return Findings(
            values=(*self._list_values(scored, names), *decoding.list_values()),
            figures=(self._draw_settings(scored, names), decoding.draw()),
            tables=(self._tabulate(scored, names), *decoding.tabulate()),
            text=(
                _explain_sources(sources),
                *(self._explain_changes(scored, name) for name in names),
                decoding.explain(),
            ),
        )

    def _collect_sources(self, setup: ExperimentSetup) -> list[GoldWords]:
        found = find_candidates(setup.corpus, self.min_count, self.max_count)
        pool = [word for word in found if word in setup.vectors]
        needed = _PAIR * self.n_pseudo_words
        if len(pool) < needed:
            raise SkipExperimentError(
                f"only {len(pool)} words occur {self.min_count:,} to {self.max_count:,} times, "
                f"{needed} are needed for {self.n_pseudo_words} pseudo-words"
            )
        rng = np.random.default_rng(setup.random_state)
        drawn = [pool[i] for i in rng.permutation(len(pool))[:needed].tolist()]
        pairs = list(zip(drawn[::2], drawn[1::2], strict=True))
        sources: list[GoldWords] = []
        if setup.test_sets.makes_sense is not None:
            task = MAKES_SENSE(setup.test_sets.makes_sense)
            sources.append(
                TaskWords(task, setup.corpus, setup.vectors, self.n_test_words, setup.random_state)
            )
        sources.append(
            PseudoWords(pairs, setup.corpus, setup.vectors, self.n_tested, setup.random_state)
        )
        return [source for source in sources if source.words]

    def _decode(
        self, sources: Sequence[GoldWords], setup: ExperimentSetup
    ) -> dict[tuple[str, Variant], list[DecodedWord]]:
        """All words under all settings; each word and setting is one piece of work."""
        variants = dict.fromkeys(
            [self.base, replace(self.base, n_senses=_PAIR)]
            + [
                replace(self.base, **{name: value})
                for name, values in self.tried
                for value in values
            ]
        )
        work = [
            (source, source.words[start : start + _WORDS_PER_TASK], variant)
            for variant in variants
            for source in sources
            for start in range(0, len(source.words), _WORDS_PER_TASK)
        ]
        found: dict[tuple[str, Variant], list[DecodedWord]] = {}
        for (source, _, variant), words in zip(
            work, map_tasks(_decode_words, work, setup.workers), strict=True
        ):
            found.setdefault((source.name, variant), []).extend(words)
        return found

    def _scores_of(self, scored: Scored, source: str, name: str) -> list[tuple[Any, WordScores]]:
        """Values of a setting, and the scores of each."""
        values = dict(self.tried)[name]
        return [(value, scored[source, replace(self.base, **{name: value})]) for value in values]

    def _list_values(self, scored: Scored, names: Sequence[str]) -> list[ComparedValue]:
        return [
            ComparedValue(
                f"{_LABELS[name]} {', '.join(_show(value) for value in values)}: "
                f"{_TITLES[source]} {score}",
                "",
                ", ".join(
                    f"{found.mean(score):.1f}" for _, found in self._scores_of(scored, source, name)
                ),
            )
            for name, values in self.tried
            for source in names
            for score in _shown_scores(source, name)
        ]

    def _tabulate(self, scored: Scored, names: Sequence[str]) -> DataTable:
        rows: list[tuple[Cell, ...]] = []
        for name, _ in self.tried:
            for source in names:
                main, base = _shown_scores(source, name)[0], scored[source, self.base]
                for value, found in self._scores_of(scored, source, name):
                    means = [round(found.mean(score), 2) for score in SCORES]
                    change = found.compare(base, main)
                    cells = [round(one, 2) for one in (change.mean, change.low, change.high)]
                    rows.append(
                        (_LABELS[name], _show(value), _TITLES[source], *means, main, *cells)
                    )
        columns = ("setting", "value", "words", *SCORES, "compared", "change", "low", "high")
        caption = "Scores, x100, and the change from the default with its 95% interval over words"
        return DataTable("ablations", columns, tuple(rows), caption, True)

    def _explain_changes(self, scored: Scored, source: str) -> str:
        """Which settings matter by more than chance, on the first source of words."""
        noticed = []
        for name, _ in self.tried:
            score, base = _shown_scores(source, name)[0], scored[source, self.base]
            for value, found in self._scores_of(scored, source, name):
                change = found.compare(base, score)
                if change.low * change.high > 0:
                    noticed.append(f"{_LABELS[name]} {_show(value)} {score} {change.mean:+.1f}")
        if not noticed:
            return f"On {_TITLES[source]}, nothing changes the score by more than chance."
        return f"On {_TITLES[source]}, more than chance against the default: {'; '.join(noticed)}."

    def _draw_settings(self, scored: Scored, names: Sequence[str]) -> Figure:
        canvas, axes = new_canvas((9.6, 5.4), nrows=2, ncols=-(-len(self.tried) // 2))
        for panel, (name, values) in zip(axes.flat, self.tried, strict=False):
            panel.axhline(0, color="#bbbbbb", lw=1, zorder=0)
            shown = [(source, score) for source in names for score in _shown_scores(source, name)]
            for number, (source, score) in enumerate(shown):
                base = scored[source, self.base]
                changes = [
                    found.compare(base, score) for _, found in self._scores_of(scored, source, name)
                ]
                heights = np.array([change.mean for change in changes])
                lows = heights - [change.low for change in changes]
                highs = [change.high for change in changes] - heights
                panel.errorbar(
                    # Side by side, so that the bars do not hide each other.
                    np.arange(len(values)) + _SIDESTEP * (number - (len(shown) - 1) / 2),
                    heights,
                    yerr=[lows, highs],
                    fmt="o-",
                    ms=4,
                    capsize=2,
                    color=SENSE_COLOURS[number],
                    label=f"{_TITLES[source]} {score} ({base.mean(score):.1f})",
                )
            panel.set_xticks(range(len(values)), [_show(value) for value in values])
            panel.set_xlabel(_LABELS[name])
            panel.margins(x=0.12)
            panel.legend(frameon=False, fontsize=6.5)
        axes.flat[0].set_ylabel("change of the score x100")
        caption = (
            "What changes with one setting at a time, with 95% intervals over the same words; in "
            "brackets the score of the default"
        )
        return finish(canvas, "ablations", caption)


def _decode_words(source: GoldWords, words: Sequence[str], variant: Variant) -> list[DecodedWord]:
    return source.decode(words, variant)


def _shown_scores(source: str, setting: str) -> tuple[str, ...]:
    """Groups beyond the members of a pseudo-word would all count as wrong: V, where K changes."""
    if source != PseudoWords.name:
        return ("V", "F")
    return ("V",) if setting == "n_senses" else ("accuracy",)


def _show(value: Any) -> str:
    return _NAMES[value] if isinstance(value, bool | str) else f"{value:,}"


def _explain_sources(sources: Sequence[GoldWords]) -> str:
    counts = " and ".join(f"{_TITLES[source.name]} ({len(source.words)})" for source in sources)
    return (
        f"One setting at a time differs from the default, on the words of {counts}. Pseudo-words "
        "are pairs of words merged into one; the accuracy is that of the best one-to-one mapping "
        "of groups to members. Where the merged word stands again in a context, the mean of the "
        "members' vectors stands for it. Intervals are of the change on the same words."
    )
