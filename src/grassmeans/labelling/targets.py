"""Which tokens of a corpus get a sense: the inventory's words, by their token ids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts.checking import MANIFEST, check_range, open_array, read_text
from grassmeans.artifacts.schema import (
    check_values,
    either,
    nothing,
    number,
    one_of,
    record,
    text,
    whole,
)
from grassmeans.artifacts.writing import write_array, write_bytes
from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.vocabulary import UNKNOWN
from grassmeans.errors import ArtifactError, InputError
from grassmeans.models.model import SenseModel
from grassmeans.senses.decoding import DECODINGS
from grassmeans.senses.entries import MOST_SENSES
from grassmeans.senses.keys import decode_key

_WORDS = "sense_words.txt"
_LABELLED_RULES = {
    "model": either(text, nothing),
    "model_digest": text,
    "decoding": one_of(*DECODINGS),
    "idk_threshold": either(number(0.0, 1.0), nothing, record({"confidence": number(0.0, 1.0)})),
    "sharpness": number(0.0),
} | dict.fromkeys(("n_words", "n_lexemes", "n_occurrences", "n_idk", "n_without_context"), whole())
_N_SENSES = "sense_counts.npy"


@dataclass(frozen=True, slots=True)
class Targets:
    """The words that have senses, and where they are in a corpus's vocabulary."""

    # Target words; their positions here are the "word numbers" of all other arrays.
    words: Sequence[str]
    n_senses: NDArray[np.int64]  # (n_words,)
    # (n_types + 1,) number of the target that a token id is, -1 for none. The last entry is -1: it
    # belongs to tokens beyond the vocabulary, whose id is -1.
    word_of_token: NDArray[np.int32]

    @property
    def max_senses(self) -> int:
        """The largest number of senses of a word."""
        return int(self.n_senses.max(initial=1))

    def save(self, folder: Path) -> None:
        """Write what `read_targets` needs into a labelled corpus."""
        write_bytes(folder / _WORDS, "\n".join(self.words).encode())
        write_array(folder / _N_SENSES, self.n_senses)


def find_targets(corpus: Corpus, model: SenseModel) -> Targets:
    """The words of a model in a corpus; an error where the two do not fit."""
    _check_tokenizers(corpus, model)
    sense_counts = model.inventory.sense_counts
    words = list(sense_counts)
    ids = corpus.vocabulary.ids_of(words)
    known = ids != UNKNOWN
    if not known.any():
        examples = ", ".join(map(repr, words[:3])) or "none at all"
        raise InputError(
            f"no word of the model ({examples}) occurs in the corpus {corpus.path.name}: "
            "are they of the same language?"
        )
    word_of_token = np.full(len(corpus.vocabulary) + 1, -1, np.int32)
    word_of_token[ids[known]] = np.flatnonzero(known)
    return Targets(words, np.fromiter(sense_counts.values(), np.int64), word_of_token)


def read_targets(labelled: Corpus) -> Targets:
    """The words that have senses in a labelled corpus, by its own (lexeme) token ids."""
    require_labels(labelled)
    words = read_text(labelled.path / _WORDS).split("\n")
    n_senses = open_array(labelled.path / _N_SENSES, np.int64, (len(words),), mapped=False)
    check_range(labelled.path / _N_SENSES, n_senses, 0, MOST_SENSES + 1)
    numbers = {word: i for i, word in enumerate(words)}
    word_of_token = np.full(len(labelled.vocabulary) + 1, -1, np.int32)
    for i, key in enumerate(labelled.vocabulary.words):
        word, sense = decode_key(key)
        if sense is not None:
            number = numbers.get(word, -1)
            if number < 0 or sense > n_senses[number]:
                raise ArtifactError(
                    f"{labelled.path} is damaged: {key!r} is a sense of none of its words; "
                    "label the corpus again"
                )
            word_of_token[i] = number
    return Targets(words, n_senses, word_of_token)


def require_labels(corpus: Corpus) -> None:
    """Refuse a corpus that has no labels."""
    if not corpus.is_labelled:
        raise InputError(
            f"{corpus.path} is a corpus without labels: run `grassmeans label` on it first"
        )
    check_values(corpus.path / MANIFEST, corpus.manifest["labelled"], _LABELLED_RULES)


def _check_tokenizers(corpus: Corpus, model: SenseModel) -> None:
    expected, found = model.tokenizer.to_dict(), corpus.tokenizer.to_dict()
    if expected != found:
        names = sorted(set(expected) | set(found))
        different = [name for name in names if expected.get(name) != found.get(name)]
        pairs = ", ".join(
            f"{name} is {found.get(name)!r}, the model's {expected.get(name)!r}"
            for name in different
        )
        raise InputError(
            f"the corpus {corpus.path.name} was split into words by another rule than the model's "
            f"({pairs}): ingest the text again with the model's options"
        )
