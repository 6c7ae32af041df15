"""A model: word vectors and a sense inventory, ready to tag text."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts import read_manifest, write_bytes, write_manifest
from grassmeans.corpus.tokenizer import tokenizer_from_dict
from grassmeans.errors import ArtifactError, InputError
from grassmeans.senses.decoding import DEFAULT_IDK_THRESHOLD, DEFAULT_SHARPNESS
from grassmeans.senses.entries import WordSenses
from grassmeans.senses.inventory import SenseInventory
from grassmeans.senses.settings import InductionSettings
from grassmeans.senses.tagging import TaggedText, TaggingRules, passage_distances, tag_texts
from grassmeans.vectors.word_vectors import WordVectors

KIND = "model"
FORMAT_VERSION = 1
VECTORS_FOLDER = "vectors"
INVENTORY_FOLDER = "inventory"


class SenseModel:
    """Tags text with senses.

    Attributes
    ----------
    vectors : WordVectors
    inventory : SenseInventory
    rules : TaggingRules
    manifest : dict
    """

    def __init__(
        self,
        vectors: WordVectors,
        inventory: SenseInventory,
        rules: TaggingRules,
        manifest: dict[str, Any] | None = None,
    ) -> None:
        self.vectors = vectors
        self.inventory = inventory
        self.rules = rules
        self.manifest = manifest or {}

    def __repr__(self) -> str:
        return f"SenseModel({len(self.inventory):,} words with senses, {self.vectors!r})"

    @property
    def words(self) -> tuple[str, ...]:
        """The words that have senses."""
        return self.inventory.words

    def senses(self, word: str) -> WordSenses:
        """The senses of a word."""
        return self.inventory[word]

    def tag(
        self,
        text: str,
        *,
        words: Collection[str] | None = None,
        idk_threshold: float | None = DEFAULT_IDK_THRESHOLD,
        sharpness: float = DEFAULT_SHARPNESS,
    ) -> TaggedText:
        """Find the sense of every known word of a text, or of the ones marked ``<b>word</b>``.

        Parameters
        ----------
        words : collection of str, optional
            Tag only these.
        idk_threshold : float or None
            Answer 0, "I don't know", where the nearest sense is as far as this; None never does
            so, except where a context has too few known words.
        sharpness : float
            Of the soft probabilities.
        """
        if not isinstance(text, str):
            raise InputError(f"tag needs a string, got {type(text).__name__}; see tag_many")
        return self.tag_many([text], words=words, idk_threshold=idk_threshold, sharpness=sharpness)[
            0
        ]

    def tag_many(
        self,
        texts: Iterable[str],
        *,
        words: Collection[str] | None = None,
        idk_threshold: float | None = DEFAULT_IDK_THRESHOLD,
        sharpness: float = DEFAULT_SHARPNESS,
    ) -> list[TaggedText]:
        """Tag several texts at once, which is faster than one by one."""
        return tag_texts(
            texts,
            self.inventory,
            self.vectors,
            self.rules,
            words=words,
            idk_threshold=idk_threshold,
            sharpness=sharpness,
        )

    def distances(self, word: str, passages: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """(n_passages, n_senses) distances of occurrences to the senses of a word.

        Parameters
        ----------
        passages : sequence of (left, right)
            The text before and after each occurrence; the occurrence itself, which may be an
            inflected form, is left out. `decode_hard` and `decode_soft` turn the result into
            senses or probabilities; a row of NaN has too few known words around it.
        """
        return passage_distances(word, passages, self.inventory, self.vectors, self.rules)

    def save(self, path: str | Path) -> None:
        """Write the model into a folder whose vectors may be there already."""
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / VECTORS_FOLDER / "manifest.json").exists():
            self.vectors.save(folder / VECTORS_FOLDER)
        self.inventory.save(folder / INVENTORY_FOLDER)
        words = "\n".join(sorted(self.rules.function_words))
        write_bytes(folder / "function_words.txt", words.encode())
        fields = {
            "tokenizer": self.rules.tokenizer.to_dict(),
            "rules": {
                "window": self.rules.window,
                "rank": self.rules.rank,
                "weighting": self.rules.weighting,
                "drop_repeats": self.rules.drop_repeats,
            },
            "n_words": len(self.inventory),
            "n_skipped": len(self.inventory.skipped),
        }
        write_manifest(folder, KIND, FORMAT_VERSION, fields | self.manifest)


def rules_for(
    tokenizer: Any, function_words: frozenset[str], settings: InductionSettings
) -> TaggingRules:
    """The rules by which text is tagged with senses induced under these settings."""
    return TaggingRules(
        tokenizer,
        function_words,
        settings.window,
        settings.rank,
        settings.weighting,
        settings.drop_repeats,
    )


def load(path_or_name: str | Path) -> SenseModel:
    """Open a model folder; arrays are mapped and read when they are used."""
    folder = Path(path_or_name)
    if not folder.exists():
        raise ArtifactError(
            f"there is no model at {folder}: give the folder that `grassmeans induce` wrote"
        )
    manifest = read_manifest(folder, KIND, FORMAT_VERSION)
    vectors = WordVectors.load(folder / VECTORS_FOLDER)
    inventory = SenseInventory.load(folder / INVENTORY_FOLDER)
    try:
        rules = TaggingRules(
            tokenizer_from_dict(manifest["tokenizer"]),
            _read_words(folder / "function_words.txt"),
            **manifest["rules"],
        )
    except (KeyError, TypeError) as error:
        raise ArtifactError(f"{folder} has a damaged manifest ({error}): build it again") from error
    return SenseModel(vectors, inventory, rules, manifest)


def _read_words(path: Path) -> frozenset[str]:
    if not path.exists():
        raise ArtifactError(f"{path} is missing: the model is incomplete, build it again")
    text = path.read_text(encoding="utf-8")
    lines: Sequence[str] = text.split("\n") if text else ()
    return frozenset(lines)
