"""`grassmeans copy`: an artifact to an object store, or from it."""

from __future__ import annotations

import warnings
from typing import Annotated

import typer

from grassmeans.terminal import options
from grassmeans.terminal.options import READ, WRITTEN
from grassmeans.terminal.output import note, print_summary


def copy(
    source: Annotated[str, READ, typer.Argument(help="A folder of ours, or its address.")],
    target: Annotated[
        str, WRITTEN, typer.Argument(help="An address (s3://bucket/corpus), or a folder.")
    ],
    workers: options.Workers = None,
    overwrite: options.Overwrite = False,
    as_json: options.Json = False,
) -> None:
    """Copy a corpus, vectors or a model to an object store, or from it, and compare the digests.

    Addresses are those of fsspec: s3://, gs://, az://, http:// ...; each kind has its own package
    (s3fs, gcsfs, adlfs), and all need pip install 'grassmeans[storage]'. The other commands read
    and write folders that are mounted or copied; `ingest` takes addresses of its inputs as well.

    With [bold]--overwrite[/] the files of the artifact at the address are replaced, those that its
    manifest and its checksums.txt name; others stay there and are told. Names that lead out of
    their folder, and chains of addresses (simplecache::file://...), are refused.

    [dim]grassmeans copy s3://bucket/corpus corpus[/]

    [dim]grassmeans copy model s3://bucket/model[/]
    """
    from grassmeans.outputs.copying import copy_artifact

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", UserWarning)
        manifest = copy_artifact(source, target, overwrite=overwrite, workers=workers)
    for warning in told:
        if warning.category is UserWarning:
            note(str(warning.message))
    print_summary(
        {"source": source, "target": target, "kind": manifest["kind"]},
        f"[bold]{target}[/] holds the {manifest['kind']} of {source}",
        as_json,
    )
