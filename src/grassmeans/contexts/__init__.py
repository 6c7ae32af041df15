"""The kinds of context, one module each: what turns occurrences into bases.

A module here but `interface` has a class `Encoder`, a `ContextEncoder` whose ``kind`` is the
module's name. That is all it takes: models say in their manifest which kind they hold.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grassmeans.artifacts.checking import MANIFEST, damaged
from grassmeans.artifacts.schema import check_values, record, text
from grassmeans.artifacts.writing import read_manifest
from grassmeans.contexts.interface import ContextEncoder
from grassmeans.corpus.vocabulary import read_function_words
from grassmeans.errors import InputError
from grassmeans.geometry.windows import ContextShape
from grassmeans.lazy import give_names
from grassmeans.vectors.word_vectors import WordVectors

if TYPE_CHECKING:
    from grassmeans.contexts.learned import LearnedEncoder as LearnedEncoder
    from grassmeans.contexts.pretrained.fitting import Pretrained
    from grassmeans.contexts.subspaces import SubspaceEncoder as SubspaceEncoder
    from grassmeans.contexts.transformer import TransformerEncoder as TransformerEncoder

VECTORS_FOLDER = "vectors"

TRANSFORMER = "transformer:"
"""Before the folder or the hub's name of a transformer, wherever contexts are given by name."""

__getattr__ = give_names(
    __name__,
    {
        "learned": ("LearnedEncoder",),
        "subspaces": ("SubspaceEncoder",),
        "transformer": ("TransformerEncoder",),
    },
)[1]


def list_kinds() -> list[str]:
    """The kinds of context that there are."""
    modules = pkgutil.iter_modules(__path__)
    return sorted(m.name for m in modules if not m.ispkg and m.name != "interface")


def find_kind(kind: str) -> type[ContextEncoder]:
    """The class of a kind of context."""
    if kind not in list_kinds():
        raise InputError(f"there is no kind of context {kind!r}; there are {list_kinds()}")
    found: type[ContextEncoder] = importlib.import_module(f"{__name__}.{kind}").Encoder
    return found


def describe_encoder(encoder: ContextEncoder) -> dict[str, Any]:
    """What the manifest of a model or an encoder says of its kind of context."""
    return {"context": {"kind": encoder.kind, **encoder.shape.to_dict()}}


def describe_context(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """A manifest with what it says of its kind of context; releases before 0.2.0 had one kind."""
    told = dict(manifest)
    if manifest.get("format_version") == 1 and isinstance(manifest.get("rules"), dict):
        told["context"] = {"kind": "subspaces", **told.pop("rules")}
    return told


def read_encoder(folder: Path, manifest: Mapping[str, Any]) -> ContextEncoder:
    """The kind of context that a folder holds: a model's, or an encoder's own."""
    path = folder / MANIFEST
    manifest = describe_context(manifest)
    check_values(path, manifest, {"context": record({"kind": text})})
    try:
        kind = find_kind(manifest["context"]["kind"])
        shape = ContextShape.from_dict(manifest["context"])
    except InputError as error:
        raise damaged(path, str(error)) from error
    vectors = WordVectors.load(folder / VECTORS_FOLDER)
    return kind.open(folder, vectors, shape, read_function_words(folder))


def open_contexts(
    path: str | Path, device: str = "cpu"
) -> WordVectors | ContextEncoder | Pretrained:
    """What contexts can be made of: word vectors, an encoder, the encoder of a model.

    Parameters
    ----------
    path : str or Path
        A folder of any of these kinds, or a file of vectors; or ``transformer:`` and the folder or
        the hub's name of a transformer, which has to be fitted to a corpus.
    device : {"cpu", "cuda"}
        Where an encoder computes.
    """
    if str(path).startswith(TRANSFORMER):
        from grassmeans.contexts.pretrained.fitting import Pretrained

        return Pretrained(str(path).removeprefix(TRANSFORMER))
    path = Path(path)
    if path.is_dir() and (path / MANIFEST).exists():
        manifest = read_manifest(path)
        if "context" in describe_context(manifest):
            encoder = read_encoder(path, manifest)
            encoder.use_device(device)
            return encoder
    return WordVectors.load(path)
