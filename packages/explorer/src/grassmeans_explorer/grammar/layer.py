"""A layer of grammar: what is known of every token of a corpus, in a folder of its own.

``lemma``, ``pos`` and ``tag`` of every token, its head (how many tokens away, 0 for none) and the
relation to it, and where sentences begin. A shard's arrays are aligned to those of the corpus's
shard of the same number; values are numbers of lists, in which 0 is nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from grassmeans.arrays import Indices, Integers
from grassmeans.artifacts.checking import MANIFEST, check_range, open_array, read_text
from grassmeans.artifacts.schema import check_values, each, text, whole
from grassmeans.artifacts.writing import read_manifest, write_array, write_bytes
from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.shard import shard_folder
from grassmeans.errors import InputError

KIND, FORMAT_VERSION = "grammar", 1
VALUES = ("lemma", "pos", "tag", "relation")
HEAD, SENTENCES = "head.npy", "sentences.npy"
_RULES = {
    "corpus": text,
    "source": text,
    "shards": each(whole()),
    "n_described": whole(),
    "n_relations": whole(),
}


@dataclass(frozen=True, slots=True)
class ShardGrammar:
    """The grammar of the tokens of a shard."""

    values: dict[str, Integers]
    """(n_tokens,) numbers of each token's lemma, pos, tag and relation."""
    head: Integers
    """(n_tokens,) where the head stands, from the token; 0 for none."""
    sentences: Indices
    """(n_sentences,) positions at which sentences begin."""


class GrammarLayer:
    """A layer on disk; open one with `open`."""

    def __init__(self, path: Path, manifest: dict[str, Any]) -> None:
        self.path = path
        self.manifest = manifest
        self._shards: dict[int, ShardGrammar] = {}

    @classmethod
    def open(cls, path: str | Path, corpus: Corpus | None = None) -> GrammarLayer:
        """Open a folder; `InputError` where it does not belong to the corpus."""
        folder = Path(path)
        manifest = read_manifest(folder, KIND, FORMAT_VERSION)
        check_values(folder / MANIFEST, manifest, _RULES)
        if corpus is not None and manifest["corpus"] != corpus.manifest["digest"]:
            raise InputError(
                f"{folder.name} is the grammar of another corpus than {corpus.path.name}: make it "
                "anew with `grassmeans annotate-grammar`"
            )
        return cls(folder, manifest)

    def __repr__(self) -> str:
        return f"GrammarLayer({str(self.path)!r}: {self.manifest['n_described']:,} tokens)"

    @property
    def attributes(self) -> Sequence[str]:
        """What queries may ask for."""
        return ("lemma", "pos", "tag")

    @property
    def has_relations(self) -> bool:
        """Whether tokens have heads."""
        return bool(self.manifest["n_relations"])

    @cached_property
    def _values(self) -> dict[str, list[str]]:
        return {name: read_text(self.path / f"{name}.txt").split("\n") for name in VALUES}

    def values_of(self, attribute: str) -> Sequence[str]:
        """The values that an attribute has, the first one for nothing."""
        return self._values[attribute]

    def numbers_of(self, attribute: str, shard: int) -> Integers:
        """(n_tokens,) the number of each token's value, in a shard."""
        return self.shard(shard).values[attribute]

    def sentence_starts(self, shard: int) -> Indices:
        """(n_sentences,) the positions in a shard at which sentences begin."""
        return self.shard(shard).sentences

    def shard(self, number: int) -> ShardGrammar:
        """Everything about a shard; its arrays are mapped, and checked when they are opened."""
        if number not in self._shards:
            self._shards[number] = self._open_shard(number)
        return self._shards[number]

    def _open_shard(self, number: int) -> ShardGrammar:
        folder, n_tokens = shard_folder(self.path, number), self.manifest["shards"][number]
        values = {}
        for name in VALUES:
            path = folder / f"{name}.npy"
            values[name] = open_array(path, np.int32, (n_tokens,))
            check_range(path, values[name], 0, len(self._values[name]))
        head = open_array(folder / HEAD, np.int32, (n_tokens,))
        places = np.arange(n_tokens) + head
        check_range(folder / HEAD, places, 0, max(n_tokens, 1))
        sentences = open_array(folder / SENTENCES, np.int64, (None,))
        check_range(folder / SENTENCES, sentences, 0, max(n_tokens, 1))
        return ShardGrammar(values, head, np.asarray(sentences))


def write_shard(folder: Path, number: int, grammar: ShardGrammar) -> None:
    """Write the arrays of a shard into the folder of a layer."""
    place = shard_folder(folder, number)
    place.mkdir(parents=True, exist_ok=True)
    for name in VALUES:
        write_array(place / f"{name}.npy", np.asarray(grammar.values[name], np.int32))
    write_array(place / HEAD, np.asarray(grammar.head, np.int32))
    write_array(place / SENTENCES, np.asarray(grammar.sentences, np.int64))


def write_values(folder: Path, values: dict[str, Sequence[str]]) -> None:
    """Write the lists of values."""
    for name in VALUES:
        write_bytes(folder / f"{name}.txt", "\n".join(values[name]).encode())
