"""Folders in which a method keeps what it learnt, and finds it again."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from grassmeans.artifacts import (
    MANIFEST,
    digest_of,
    digest_of_array,
    read_manifest,
    write_manifest,
)
from grassmeans.corpus.corpus import Corpus
from grassmeans.errors import InputError
from grassmeans.outputs import output_folder
from grassmeans.vectors.word_vectors import WordVectors

FORMAT_VERSION = 1


def digest_of_vectors(vectors: WordVectors) -> str:
    """A digest of words and vectors."""
    return digest_of([list(vectors.words), digest_of_array(vectors.vectors)])


def digest_of_corpus(corpus: Corpus) -> str:
    """A digest of what tells one corpus from another."""
    fields = ("digest", "created", "n_tokens", "n_documents")
    return digest_of([corpus.manifest.get(name) for name in fields])


def is_kept(folder: Path, kind: str, identity: Mapping[str, Any]) -> bool:
    """Whether a folder holds the finished work.

    Parameters
    ----------
    identity : mapping
        Plain values that tell one work from another: parameters, digests of the material.

    Raises
    ------
    InputError
        Where the folder holds the same method's work on other material.
    """
    if (folder / MANIFEST).exists():
        manifest = read_manifest(folder, kind, FORMAT_VERSION)
        if manifest.get("identity") != dict(identity):
            found = manifest.get("identity", {})
            names = sorted(name for name in identity if found.get(name) != identity[name])
            raise InputError(
                f"{folder} holds {kind} made with another {', '.join(names)}: "
                "delete it, or choose another folder"
            )
        return True
    return False


@contextlib.contextmanager
def keep_work(folder: Path, kind: str, identity: Mapping[str, Any]) -> Iterator[Path]:
    """Give a folder to work in, which takes its place when the block ends well.

    What an interrupted block has finished there is found again.
    """
    started = time.perf_counter()
    with output_folder(folder, kind, dict(identity), keep_failed=True) as building:
        yield building.folder
        fields = {"identity": dict(identity), "seconds": round(time.perf_counter() - started, 1)}
        write_manifest(building.folder, kind, FORMAT_VERSION, fields)
