"""New documents for a corpus, or several corpora as one: shards side by side, words counted anew.

The text of the old corpora is not read again: their shards keep their files, but for the numbers of
their tokens, which follow the order of the words by count. The old corpora are not touched.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from grassmeans.arrays import Integers
from grassmeans.artifacts.checking import MANIFEST, open_array
from grassmeans.artifacts.writing import digest_of, identify_file, write_manifest
from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.ingest import FORMAT_VERSION, KIND, Ingest
from grassmeans.corpus.shard import TOKENS, shard_folder
from grassmeans.corpus.shard_writing import rewrite_shard
from grassmeans.corpus.vocabulary import Vocabulary, write_function_words
from grassmeans.engines.parallel import map_tasks
from grassmeans.errors import InputError
from grassmeans.outputs.places import Building, output_folder
from grassmeans.progress import progress_bar
from grassmeans.reading.documents import ReadOptions, ReadReport, check_field_names
from grassmeans.reading.inputs import list_inputs
from grassmeans.text.tokenizer import mend_surrogates

_NEW = "corpus"
_ALL_WORDS = 2**31 - 1  # as many as have numbers


def append_files(
    corpus: str | Path,
    inputs: str | Path | Sequence[str | Path],
    output: str | Path,
    *,
    workers: int | None = None,
    overwrite: bool = False,
    show_progress: bool | None = None,
    **reading: Any,
) -> Corpus:
    """Read files or folders, and write a corpus of the old documents and the new ones.

    They are split into words by the rule of the old corpus, which stays as it is, and keep its
    fields. ``reading`` is for `ReadOptions`, as for `Corpus.from_files`. `InputError` where the old
    corpus is labelled, or other fields are asked for.
    """
    old = Corpus.open(corpus)
    if old.is_labelled:
        raise InputError(f"{corpus} is labelled: append to the corpus that it was made from")
    meta = check_field_names(reading.pop("meta", ()) or old.fields)
    if set(meta) != set(old.fields):
        known = ", ".join(old.fields) or "none"
        raise InputError(f"{corpus} keeps these fields of its documents: {known}; name no others")
    report = ReadReport()
    files = list_inputs(inputs, report)
    options = old.options
    read_options = ReadOptions(keep_redirects=options.keep_links, meta=meta, **reading)
    identity = [old.manifest["digest"], [identify_file(path) for path in files], list(meta)]
    with output_folder(
        output, KIND, identity, inputs=[corpus, *files], overwrite=overwrite
    ) as building:
        place = building.scratch / _NEW
        if not (place / MANIFEST).exists():
            # All of its words: what is rare in the new text may be frequent in the old one.
            every = replace(options, max_vocabulary=_ALL_WORDS)
            ingest = Ingest(place, every, report, workers=workers, show_progress=show_progress)
            ingest.take_files(files, read_options)
        step = {"to": old.manifest["digest"], "first_shard": len(old.shards)}
        more = {"appended": [*old.manifest.get("appended", []), step]}
        _join([old, Corpus.open(place)], building, more, workers, show_progress)
    return Corpus.open(output)


def join_corpora(
    corpora: Sequence[Corpus],
    output: str | Path,
    *,
    workers: int | None = None,
    overwrite: bool = False,
    show_progress: bool | None = None,
) -> Corpus:
    """Write one corpus of the documents of several, in their order; these stay as they are.

    `InputError` where they were cut into words by different rules, or one is labelled.
    """
    check_alike(corpora)
    if labelled := [corpus.path for corpus in corpora if corpus.is_labelled]:
        raise InputError(f"{labelled[0]} is labelled: give the corpus that it was made from")
    identity = [corpus.manifest["digest"] for corpus in corpora]
    inputs = [corpus.path for corpus in corpora]
    with output_folder(output, KIND, identity, inputs=inputs, overwrite=overwrite) as building:
        _join(corpora, building, {"joined": identity}, workers, show_progress)
    return Corpus.open(output)


def check_alike(corpora: Sequence[Corpus]) -> None:
    """Refuse corpora that cannot be read as one."""
    first = corpora[0]
    for other in corpora[1:]:
        if other.tokenizer.to_dict() != first.tokenizer.to_dict():
            raise InputError(
                f"{other.path} and {first.path} were cut into words by different rules: ingest "
                "them with the same options"
            )
    if len({corpus.path.resolve() for corpus in corpora}) < len(corpora):
        raise InputError("the same corpus is given twice: give it once, with a larger share")


def _join(
    parts: Sequence[Corpus],
    building: Building,
    more: dict[str, Any],
    workers: int | None,
    show_progress: bool | None,
) -> None:
    """Put the shards of all side by side, under the numbers of a common vocabulary."""
    counts: Counter[str] = Counter()
    for part in parts:
        words = part.vocabulary.words
        counts.update(dict(zip(words, part.vocabulary.counts.tolist(), strict=True)))
    known = tuple(dict.fromkeys(name for part in parts for name in part.fields))
    options = replace(parts[0].options, tokenizer=parts[-1].tokenizer, fields=known)
    vocabulary = Vocabulary.from_counts(counts, max_size=options.max_vocabulary)
    vocabulary.save(building.folder)
    left_out = frozenset[str]().union(*(part.function_words for part in parts))
    write_function_words(building.folder, left_out)
    tasks: list[tuple[Path, Path, Integers]] = []
    for part in parts:
        # One more: tokens beyond the vocabulary have the number -1, the last.
        ids = np.append(vocabulary.ids_of(part.vocabulary.words), np.int32(-1))
        for shard in part.shards:
            tasks.append((shard.folder, shard_folder(building.folder, len(tasks)), ids))
    with progress_bar("numbering", len(tasks), unit="shards", show=show_progress) as advance:
        for _ in map_tasks(_renumber, tasks, workers):
            advance()
    manifests = [part.manifest for part in parts]
    fields: dict[str, Any] = {
        name: sum(manifest[name] for manifest in manifests) for name in ("n_documents", "n_tokens")
    }
    for name in ("skipped", "remarks"):
        fields[name] = dict(sum((Counter(m[name]) for m in manifests), Counter[str]()))
    fields |= {
        "examples": {k: v for m in reversed(manifests) for k, v in m["examples"].items()},
        "n_types": len(vocabulary),
        "digest": digest_of([manifest["digest"] for manifest in manifests]),
        "options": options.to_dict(),
        "sources": [mend_surrogates(s) for m in manifests for s in m.get("sources", [])],
        "shards": [shard for manifest in manifests for shard in manifest["shards"]],
    }
    write_manifest(building.folder, KIND, FORMAT_VERSION, fields | more)


def _renumber(source: Path, target: Path, ids: Integers) -> None:
    """A shard with other numbers of its words; what does not depend on them is shared."""
    rewrite_shard(source, target, ids[open_array(source / TOKENS, np.int32, (None,))])
