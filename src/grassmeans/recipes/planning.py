"""What a model will take, told before it is made: enough text, time, disk and memory."""

from __future__ import annotations

import shutil
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from grassmeans.artifacts.temporaries import temporary_folder
from grassmeans.artifacts.writing import read_manifest
from grassmeans.contexts.attention.training import EncoderSettings, train_encoder
from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.vocabulary import is_function_word
from grassmeans.engines import count_workers
from grassmeans.errors import InputError, warn_user
from grassmeans.models.building import ENOUGH_TOKENS, fit_model
from grassmeans.senses.language import LanguageCheck
from grassmeans.senses.pseudowords import FEWEST_CONTEXTS, FEWEST_PSEUDOWORDS, SIZES

WORTH_PROBING = 1_000_000
"""Tokens from which on the time is worth a probe; fewer take some minutes."""

PROBE_MINUTES = 0.2
_WARMING, _PROBED = 2, 12  # words
BYTES_A_TOKEN = 40  # of a labelled corpus, with its distances
JOINED_BYTES_A_TOKEN = 16  # of corpora put together, whose text is shared
_DIM, _MOST_LEXEMES, _RAREST = 300, 300_000, 5  # of vectors and lexemes
_KEPT_FREE, _LEAST_MEMORY = 1.1, 500_000_000


@dataclass(frozen=True)
class Plan:
    """What is made from what: corpora of an encoder, where none is given, and those of senses."""

    corpora: Sequence[Corpus]
    sought: Sequence[Corpus]
    settings: EncoderSettings
    encoder: str | Path | None = None
    shares: Sequence[float] | None = None

    @property
    def n_tokens(self) -> int:
        """Words in which senses are sought."""
        return sum(corpus.n_tokens for corpus in self.sought)

    @property
    def is_long(self) -> bool:
        """Whether the time is worth a probe."""
        return max(self.n_tokens, sum(c.n_tokens for c in self.corpora)) >= WORTH_PROBING

    def count_sought(self, min_count: int) -> int:
        """Words of which senses are sought, about; warns of too little text, or a foreign one.

        `InputError` where there is no such word.
        """
        largest = max(self.sought, key=lambda corpus: corpus.n_tokens)
        fewest = max(1, min_count * largest.n_tokens // max(self.n_tokens, 1))
        n_words = len(_list_content(largest, fewest))
        if not n_words:
            raise InputError(
                f"no content word occurs {min_count:,} times in the {self.n_tokens:,} words of the "
                "text: give more text, or lower min_count=..."
            )
        if self.n_tokens < ENOUGH_TOKENS:
            warn_user(
                f"the text has {self.n_tokens:,} words, and a model of fewer than "
                f"{ENOUGH_TOKENS:,} is poor: give more text"
            )
        needed = FEWEST_PSEUDOWORDS * min(SIZES)
        if len(_list_content(largest, FEWEST_CONTEXTS)) < needed:
            warn_user(
                f"fewer than {needed} words occur {FEWEST_CONTEXTS} times: too few to learn how "
                "sure answers are, and to tell how often they are right; give more text"
            )
        LanguageCheck(largest.function_words).add_corpus(largest).warn("name it (language=...)")
        return n_words

    def describe_room(self, folder: Path, *, lexemes: bool) -> str:
        """About how much disk and memory the steps take; refuses where the disk has less."""
        rows = min(2 * sum(c.vocabulary.size_at(_RAREST) for c in self.sought), _MOST_LEXEMES)
        matrices = 2 * rows * _DIM * 4 * lexemes  # of both sides
        a_token = BYTES_A_TOKEN * lexemes + JOINED_BYTES_A_TOKEN * (len(self.sought) > 1)
        # Vectors and lexemes, and the checkpoint of one of them.
        needed = a_token * self.n_tokens + 3 * matrices
        place = next(place for place in (folder, *folder.absolute().parents) if place.is_dir())
        free = shutil.disk_usage(place).free
        if needed * _KEPT_FREE > free:
            raise InputError(
                f"the steps need about {_name_bytes(needed)}, and {place} has {_name_bytes(free)} "
                "free: choose another place, or leave the lexemes out (lexemes=False)"
            )
        memory = max(2 * matrices, _LEAST_MEMORY)
        return f"steps on disk: about {_name_bytes(needed)}; memory: about {_name_bytes(memory)}"

    def describe_time(
        self, n_words: int, device: str, workers: int | None, induction: Mapping[str, Any]
    ) -> str:
        """About how long training and induction take, by a little of both."""
        told, encoder = [], self.encoder
        with temporary_folder() as temporary, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it is trained too little
            if encoder is None:
                encoder = temporary / "encoder"
                seconds = self._probe_training(encoder, device, workers)
                told.append(f"{_name_time(seconds)} to train the encoder")
            content = _list_content(self.sought[-1], FEWEST_CONTEXTS)
            words = content[:: max(1, len(content) // (_WARMING + _PROBED))]
            # The first ones wait for compilers.
            for some in (words[:_WARMING], words[_WARMING:][:_PROBED]):
                started = time.perf_counter()
                how: dict[str, Any] = {"contexts": encoder, "device": device, **induction}
                if some:
                    fit_model(self.sought[-1], some, calibrated=False, **how)
                seconds = (time.perf_counter() - started) / max(len(some), 1)
        induction_seconds = seconds * n_words / count_workers(workers)
        told.append(f"{_name_time(induction_seconds)} to find the senses of {n_words:,} words")
        return f"time: about {', '.join(told)} (by a probe of some seconds)"

    def _probe_training(self, folder: Path, device: str, workers: int | None) -> float:
        """Seconds that a training takes, by the speed of a short one."""
        n_tokens = sum(corpus.n_tokens for corpus in self.corpora)
        whole = self.settings.complete(n_tokens, device)
        brief = replace(whole, epochs=None, minutes=PROBE_MINUTES)
        given: dict[str, Any] = {"shares": self.shares, "device": device, "workers": workers}
        train_encoder(self.corpora, folder, brief, show_progress=False, **given)
        if whole.epochs is None:
            return 60 * float(whole.minutes or 0.0)
        return float(whole.epochs * n_tokens / max(read_manifest(folder)["tokens_per_second"], 1))


def _list_content(corpus: Corpus, min_count: int) -> list[str]:
    """The content words of a corpus that occur so often, the most frequent ones first."""
    words = corpus.vocabulary.words[: corpus.vocabulary.size_at(min_count)]
    return [w for w in words if w.isalpha() and not is_function_word(w, corpus.function_words)]


def _name_bytes(n_bytes: float) -> str:
    return f"{n_bytes / 1e9:.1f} GB" if n_bytes >= 1e9 else f"{n_bytes / 1e6:.0f} MB"


def _name_time(seconds: float) -> str:
    hours, minutes = divmod(max(round(seconds / 60), 1), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"
