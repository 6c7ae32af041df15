"""Corpus -> corpus in which some words are one: artificial polysemous words (section 3).

Only the tokens change. The copy shares the text and everything else with its source, positions are
the same, and a concordance of a merged word shows the words that stood there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts import digest_of, write_manifest
from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.ingest import FORMAT_VERSION, KIND, shard_folder
from grassmeans.corpus.shard import Shard
from grassmeans.corpus.vocabulary import UNKNOWN, Vocabulary
from grassmeans.errors import InputError
from grassmeans.labelling.writing import share_file, write_tokens
from grassmeans.outputs import check_output, output_folder
from grassmeans.parallel import map_tasks
from grassmeans.progress import progress_bar

_FUNCTION_WORDS = "function_words.txt"
_FIELDS = ("merged",)  # a corpus without it is never replaced by one of merged words


def merge_words(
    corpus: Corpus,
    groups: Mapping[str, Sequence[str]],
    output: str | Path,
    *,
    workers: int | None = None,
    overwrite: bool = False,
    show_progress: bool | None = None,
) -> Corpus:
    """Write a corpus in which every occurrence of the words of a group is the group's name.

    Parameters
    ----------
    corpus : Corpus
        Of words, not of lexemes.
    groups : mapping
        Name of the new word -> the words that it stands for; see `check_groups`.
    output : path
        Folder of the new corpus; its manifest's field ``merged`` holds ``groups``.
    """
    check_groups(corpus, groups)
    source = corpus.manifest.get("digest")
    merged = {name: list(words) for name, words in groups.items()}
    with output_folder(
        output,
        KIND,
        [source, merged],
        inputs=[corpus.path],
        fields=_FIELDS,
        overwrite=overwrite,
    ) as building:
        folder = building.folder
        vocabulary, new_ids = _merge_vocabulary(corpus.vocabulary, groups)
        vocabulary.save(folder)
        if (corpus.path / _FUNCTION_WORDS).exists():
            share_file(corpus.path / _FUNCTION_WORDS, folder / _FUNCTION_WORDS)
        tasks = (
            (shard.folder, shard_folder(folder, number), new_ids)
            for number, shard in enumerate(corpus.shards)
        )
        n_shards = len(corpus.shards)
        with progress_bar("merging", n_shards, unit="shards", show=show_progress) as advance:
            for _ in map_tasks(_write_shard, tasks, workers):
                advance()
        head = ("kind", "format_version", "grassmeans", "created")
        fields = {name: value for name, value in corpus.manifest.items() if name not in head}
        fields |= {"digest": digest_of([source, merged]), "n_types": len(vocabulary)}
        write_manifest(folder, KIND, FORMAT_VERSION, fields | {"merged": merged})
    return Corpus.open(output)


def check_merged_output(corpus: Corpus, output: str | Path, *, overwrite: bool) -> None:
    """Refuse early, before long work, a folder that cannot hold the merged corpus."""
    check_output(output, KIND, inputs=[corpus.path], fields=_FIELDS, overwrite=overwrite)


def check_groups(corpus: Corpus, groups: Mapping[str, Sequence[str]]) -> None:
    """Check that words can be merged: they occur, each in one group only, under a new name.

    Raises
    ------
    InputError, UnknownWordError
    """
    if "labelled" in corpus.manifest:
        raise InputError(
            f"{corpus.path} is a labelled corpus: merge words of the corpus that it was made from"
        )
    seen: dict[str, str] = {}
    for name, words in groups.items():
        if len(set(words)) < 2:
            raise InputError(f"a merged word needs two different words or more, got {list(words)}")
        if name in corpus.vocabulary and name not in words:
            raise InputError(f"{name!r} is a word of the corpus already: choose another name")
        for word in words:
            corpus.word_id(word)
            if word in seen:
                raise InputError(f"{word!r} is in two groups: a word can be merged once only")
            seen[word] = name


def _merge_vocabulary(
    vocabulary: Vocabulary, groups: Mapping[str, Sequence[str]]
) -> tuple[Vocabulary, NDArray[np.int32]]:
    """The new words, and (n_types + 1,) the new id of every old one; the last is for unknowns."""
    name_of = {word: name for name, words in groups.items() for word in words}
    keys = [name_of.get(word, word) for word in vocabulary.words]
    counts: dict[str, int] = {}
    for key, count in zip(keys, np.asarray(vocabulary.counts).tolist(), strict=True):
        counts[key] = counts.get(key, 0) + count
    merged = Vocabulary.from_counts(counts)
    return merged, np.append(merged.ids_of(keys), np.int32(UNKNOWN))


def _write_shard(source: Path, folder: Path, new_ids: NDArray[np.int32]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    write_tokens(source, folder, new_ids[np.asarray(Shard(source).tokens)])
