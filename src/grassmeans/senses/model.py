"""A model: word vectors and a sense inventory, ready to tag text."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts import MANIFEST, read_manifest, write_bytes, write_manifest
from grassmeans.corpus.tokenizer import tokenizer_from_dict
from grassmeans.errors import ArtifactError, InputError
from grassmeans.outputs import output_folder
from grassmeans.senses.decoding import (
    DEFAULT_IDK_THRESHOLD,
    DEFAULT_SHARPNESS,
    MODEL_THRESHOLD,
    IdkThreshold,
)
from grassmeans.senses.entries import WordSenses
from grassmeans.senses.inventory import SenseInventory
from grassmeans.senses.settings import InductionSettings
from grassmeans.senses.shipped import find_model
from grassmeans.senses.tagging import TaggedText, TaggingRules, passage_distances, tag_texts
from grassmeans.vectors.word_vectors import WordVectors

KIND = "model"
FORMAT_VERSION = 1
VECTORS_FOLDER = "vectors"
INVENTORY_FOLDER = "inventory"
LEXEMES_FOLDER = "lexemes"


class SenseModel:
    """Tags text with senses.

    Attributes
    ----------
    vectors : WordVectors
    inventory : SenseInventory
    rules : TaggingRules
    manifest : dict
    folder : Path or None
        Where the model was read from.
    """

    def __init__(
        self,
        vectors: WordVectors,
        inventory: SenseInventory,
        rules: TaggingRules,
        manifest: dict[str, Any] | None = None,
        folder: Path | None = None,
    ) -> None:
        self.vectors = vectors
        self.inventory = inventory
        self.rules = rules
        self.manifest = manifest or {}
        self.folder = folder

    def __repr__(self) -> str:
        return f"SenseModel({len(self.inventory):,} words with senses, {self.vectors!r})"

    @property
    def words(self) -> tuple[str, ...]:
        """The words that have senses."""
        return self.inventory.words

    @property
    def language(self) -> str | None:
        """The language of the model, "en" say; None where it is not known."""
        return self.manifest.get("language")

    @cached_property
    def lexemes(self) -> WordVectors | None:
        """The vectors of the senses, by keys such as ``crane.2``; None where the model has none.

        Read when first asked for. `grassmeans.lexemes.lexeme_vectors.open_lexemes` puts them
        together with the words that have no senses.
        """
        if self.folder is None or not (self.folder / LEXEMES_FOLDER).is_dir():
            return None
        return WordVectors.load(self.folder / LEXEMES_FOLDER)

    def senses(self, word: str) -> WordSenses:
        """The senses of a word."""
        entry = self.inventory[word]
        if not entry.senses or any(sense.nearest_words for sense in entry.senses):
            return entry
        # A compact model does not store what its vectors tell.
        from grassmeans.senses.description import find_nearest_words

        nearest = find_nearest_words(word, entry.directions, self.vectors)
        described = zip(entry.senses, nearest, strict=True)
        senses = tuple(replace(sense, nearest_words=words) for sense, words in described)
        return replace(entry, senses=senses)

    def tag(
        self,
        text: str,
        *,
        words: Collection[str] | None = None,
        idk_threshold: IdkThreshold = MODEL_THRESHOLD,
        sharpness: float = DEFAULT_SHARPNESS,
    ) -> TaggedText:
        """Find the sense of every known word of a text, or of the ones marked ``<b>word</b>``.

        Parameters
        ----------
        words : collection of str, optional
            Tag only these.
        idk_threshold : float, "model" or None
            Answer 0, "I don't know", where the nearest sense is as far as this; "model" takes the
            model's own (`idk_threshold`). None never does so, except where a context has too few
            known words.
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
        idk_threshold: IdkThreshold = MODEL_THRESHOLD,
        sharpness: float = DEFAULT_SHARPNESS,
    ) -> list[TaggedText]:
        """Tag several texts at once, which is faster than one by one."""
        return tag_texts(
            texts,
            self.inventory,
            self.vectors,
            self.rules,
            words=words,
            idk_threshold=self.choose_threshold(idk_threshold),
            sharpness=sharpness,
        )

    @property
    def idk_threshold(self) -> float:
        """From which distance on this model says "I don't know": its own, or the paper's 0.6."""
        return float(self.manifest.get("idk_threshold", DEFAULT_IDK_THRESHOLD))

    def choose_threshold(self, idk_threshold: IdkThreshold) -> float | None:
        """A threshold as a number (or None): the model's own for "model"."""
        if isinstance(idk_threshold, str):
            if idk_threshold != MODEL_THRESHOLD:
                raise InputError(
                    f"idk_threshold must be a number, None or {MODEL_THRESHOLD!r}, "
                    f"got {idk_threshold!r}"
                )
            return self.idk_threshold
        return idk_threshold

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

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the model as a folder that `load` opens.

        Parameters
        ----------
        path : path
            A folder that does not exist yet, or a model when ``overwrite`` is set.
        """
        with output_folder(path, KIND, overwrite=overwrite) as building:
            self.fill(building.folder)

    def fill(self, folder: Path) -> None:
        """Write the model into a folder under construction, whose vectors may be there already."""
        if not (folder / VECTORS_FOLDER / MANIFEST).exists():
            self.vectors.save(folder / VECTORS_FOLDER)
        self.inventory.save(folder / INVENTORY_FOLDER)
        counts = {"n_words": len(self.inventory), "n_skipped": len(self.inventory.skipped)}
        write_model_head(folder, self.rules, counts | self.manifest)


def write_model_head(folder: Path, rules: TaggingRules, fields: Mapping[str, Any]) -> None:
    """Write the rules and the manifest, which makes the folder a whole model; call it last."""
    words = "\n".join(sorted(rules.function_words))
    write_bytes(folder / "function_words.txt", words.encode())
    own = {
        "tokenizer": rules.tokenizer.to_dict(),
        "rules": {
            "window": rules.window,
            "rank": rules.rank,
            "weighting": rules.weighting,
            "drop_repeats": rules.drop_repeats,
        },
    }
    write_manifest(folder, KIND, FORMAT_VERSION, own | dict(fields))


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
    """Open a model: its folder, or the name of one that comes with the package, ``"en"``.

    A model folder of that name in the working directory goes before the package's.
    """
    folder = find_model(path_or_name)
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
    return SenseModel(vectors, inventory, rules, manifest, folder)


def _read_words(path: Path) -> frozenset[str]:
    if not path.exists():
        raise ArtifactError(f"{path} is missing: the model is incomplete, build it again")
    text = path.read_text(encoding="utf-8")
    lines: Sequence[str] = text.split("\n") if text else ()
    return frozenset(lines)
