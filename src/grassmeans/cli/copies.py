"""`grassmeans compact`, `convert`, `copy`: results in another form, or at another place."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated

from grassmeans.errors import InputError
from grassmeans.terminal import options
from grassmeans.terminal.options import READ, WRITTEN
from grassmeans.terminal.output import note, print_summary


def compact(
    model: options.Model,
    output: options.Output,
    lexemes: options.ReadPath | None = None,
    vocabulary: options.Count | None = None,
    dimensions: options.Count | None = None,
    bits: int = 4,
    direction_bits: int = 6,
    examples: options.Whole = 6,
    example_width: options.Whole = 200,
    drop_single: bool = False,
    overwrite: options.Overwrite = False,
    as_json: options.Json = False,
) -> None:
    """Write a model in a compact form, about a tenth as large, which every command opens.

    Numbers get 4 (or 8) bits with one scale a row, entries are compressed. Where dimensions are to
    be fewer too, reduce the vectors before the induction (`grassmeans convert --to compact`): the
    senses then fit them exactly. A model of learned contexts keeps its dimensions and words.

    [dim]grassmeans compact model -o small --lexemes lexemes[/]

    Options
    -------
    output: Folder of the small model.
    lexemes: Lexeme vectors, trained with --freeze-words, to go into it.
    vocabulary: Keep only the most frequent words' vectors.
    dimensions: Fewer dimensions, by projection; with learned contexts, the lexemes alone.
    bits: Bits of a number: 4, 6 or 8.
    direction_bits: Bits of a number of a sense's direction: 4, 6 or 8.
    examples: Example lines a sense, at most.
    example_width: Characters of an example a side, at most.
    drop_single: Leave out words with one sense.
    """
    from grassmeans.models.compacting import CompactSettings, compact_model

    settings = CompactSettings(
        vocabulary, dimensions, bits, direction_bits, examples, example_width, drop_single
    )
    small = compact_model(model, output, lexemes=lexemes, settings=settings, overwrite=overwrite)
    n_bytes = sum(path.stat().st_size for path in output.rglob("*") if path.is_file())
    n_senses = sum(small.inventory.sense_counts.values())
    print_summary(
        {"model": str(output), "n_words": len(small.words), "n_senses": n_senses, "bytes": n_bytes},
        f"{len(small.words):,} words with senses, {len(small.vectors):,} vectors of "
        f"{small.vectors.dim} dimensions: {n_bytes / 1e6:.1f} MB",
        as_json,
        [f"grassmeans show {output} {small.words[0]}"],
    )


def convert(
    source: options.ReadPath,
    target: options.NewPath,
    to: str = "word2vec-text",
    vocabulary: options.Count | None = None,
    dimensions: options.Count | None = None,
    bits: int = 4,
    overwrite: options.Overwrite = False,
) -> None:
    """Write word vectors in another format: word2vec (text or binary), GloVe, or a folder.

    gensim reads both word2vec formats with `KeyedVectors.load_word2vec_format`. A compact folder
    has fewer words and dimensions where that is asked for, and numbers of 4 (or 8) bits; every
    command takes it.

    [dim]grassmeans convert vectors small --to compact --vocabulary 80000 --dimensions 200[/]

    Options
    -------
    source: A vectors folder, or a vector file.
    target: The new file, or folder.
    to: word2vec-text, word2vec-binary, glove, folder or compact.
    vocabulary: compact: only the most frequent words.
    dimensions: compact: project to so many dimensions.
    bits: compact: bits of a number, 4, 6 or 8.
    """
    from grassmeans.outputs.places import check_output, check_output_file
    from grassmeans.vectors import exchange
    from grassmeans.vectors.reducing import reduce_vectors
    from grassmeans.vectors.storage import KIND
    from grassmeans.vectors.word_vectors import WordVectors

    writers: dict[str, Callable[..., None]] = {
        "word2vec-text": exchange.write_word2vec_text,
        "word2vec-binary": exchange.write_word2vec_binary,
        "glove": exchange.write_glove,
        "folder": WordVectors.save,
        "compact": partial(WordVectors.save, bits=bits),
    }
    if to not in writers:
        raise InputError(f"--to must be one of {', '.join(writers)}, got {to!r}")
    if to != "compact" and (vocabulary is not None or dimensions is not None):
        raise InputError("--vocabulary and --dimensions are for --to compact")
    if to in ("folder", "compact"):
        check_output(target, KIND, overwrite=overwrite)
    else:
        check_output_file(target, overwrite=overwrite)
    vectors = WordVectors.load(source)
    if to == "compact":
        vectors = reduce_vectors(vectors, vocabulary=vocabulary, dimensions=dimensions, bits=bits)
    writers[to](vectors, target, overwrite=overwrite)
    note(f"wrote {len(vectors):,} vectors to {target}")


def copy(
    source: Annotated[str, READ],
    target: Annotated[str, WRITTEN],
    workers: options.Workers = None,
    overwrite: options.Overwrite = False,
    as_json: options.Json = False,
) -> None:
    """Copy a corpus, vectors or a model to an object store, or from it, and compare the digests.

    Addresses are those of fsspec: s3://, gs://, az:// ...; each kind has its extra (grassmeans[s3],
    grassmeans[gs], grassmeans[az]), and credentials come from its usual variables. A copy that was
    interrupted goes on with the files that are missing. The other commands read and write folders
    that are mounted or copied; `ingest` takes addresses of its inputs as well.

    With [bold]--overwrite[/] the files of the artifact at the address are replaced, those that its
    manifest and its checksums.txt name; others stay there and are named. Names that lead out of
    their folder, and chains of addresses (simplecache::file://...), are refused.

    [dim]grassmeans copy s3://bucket/corpus corpus[/]

    [dim]grassmeans copy model s3://bucket/model[/]

    Options
    -------
    source: A folder that grassmeans wrote, or its address.
    target: An address (s3://bucket/corpus), or a folder.
    """
    from grassmeans.outputs.stores import copy_artifact

    manifest = copy_artifact(source, target, overwrite=overwrite, workers=workers)
    print_summary(
        {"source": source, "target": target, "kind": manifest["kind"]},
        f"{target} holds the {manifest['kind']} of {source}",
        as_json,
    )
