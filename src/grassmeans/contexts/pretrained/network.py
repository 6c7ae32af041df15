"""A pretrained transformer with its tokenizer: texts -> the vectors of words in them.

The vector of a word is the mean over its pieces, and over some layers. Texts go through the network
in batches of about the same length. What is never needed is not computed: layers above those asked
for are not even loaded.
"""

from __future__ import annotations

import contextlib
import re
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from grassmeans.arrays import Floats, Indices
from grassmeans.artifacts.checking import read_json
from grassmeans.artifacts.digests import digest_of_file
from grassmeans.artifacts.writing import digest_of
from grassmeans.corpus.occurrences import Span
from grassmeans.errors import ArtifactError, InputError, import_extra
from grassmeans.kernels.devices import load_torch

EXTRA = "transformers"
PURPOSE = "a transformer as a kind of context"
CONFIG, WEIGHTS, TOKENIZER = "config.json", "*.safetensors", "tokenizer.json"

FIRST_SHARE, LAST_SHARE = 7 / 12, 9 / 12
"""Of the layers, where nothing else is said: 7 to 9 of 12 (docs/adr/0022-transformers.md)."""

_RANGE = re.compile(r"(\d+)(?:-(\d+))?")
_HUB_SECONDS = 10.0
_TEXTS_AT_ONCE = 8_192  # texts that are cut into pieces and sorted by their length together


@dataclass(frozen=True, slots=True)
class WordsInText:
    """A text, and the characters of the words of it whose vectors are wanted."""

    text: str
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class PieceBatch:
    """Texts as pieces, and which pieces the wanted words are made of.

    The piece at ``places`` of the text ``rows`` belongs to the word ``words``, all (n,).
    """

    ids: Indices  # (n_texts, length), padded
    lengths: Indices  # (n_texts,)
    rows: Indices
    places: Indices
    words: Indices
    n_words: int

    @property
    def mask(self) -> Indices:
        """(n_texts, length) 1 where there is a piece."""
        return (np.arange(self.ids.shape[1]) < self.lengths[:, None]).astype(np.int64)


class Pieces:
    """The tokenizer of a model: texts -> pieces, and the pieces of every word."""

    def __init__(self, tokenizer: Any, most: int) -> None:
        if not getattr(tokenizer, "is_fast", False):
            lack = "does not tell which characters its pieces stand for"
            advice = f"take a model with a fast tokenizer ({TOKENIZER})"
            raise InputError(f"the model's tokenizer ({type(tokenizer).__name__}) {lack}: {advice}")
        self._backend = tokenizer.backend_tokenizer
        self._backend.no_padding()
        self._backend.enable_truncation(most)
        self.padding = int(tokenizer.pad_token_id or 0)
        self.unknown = int(-1 if tokenizer.unk_token_id is None else tokenizer.unk_token_id)
        self.mask_token: str | None = tokenizer.mask_token

    def cut(self, texts: Sequence[str]) -> list[Any]:
        """The pieces of texts, at most so many as the model takes."""
        return list(self._backend.encode_batch(list(texts)))

    @staticmethod
    def locate(pieces: Any, span: Span) -> range:
        """Which pieces stand for the characters of a word; none where it was cut off.

        A character may have no piece of its own (a mark that the tokenizer drops), and a piece may
        stand for some characters more than the word's: it is the word's all the same.
        """
        found = [pieces.char_to_token(i) for i in range(*span)]
        known = [number for number in found if number is not None]
        return range(min(known), max(known) + 1) if known else range(0)

    def batch(self, cut: Sequence[Any], spans: Sequence[Sequence[Span]]) -> PieceBatch:
        """Put cut texts together; words are numbered text by text."""
        lengths = np.array([len(pieces.ids) for pieces in cut], np.int64)
        ids = np.full((len(cut), int(lengths.max(initial=1))), self.padding, np.int64)
        found: list[tuple[int, int, int]] = []
        n_words = 0
        for row, (pieces, wanted) in enumerate(zip(cut, spans, strict=True)):
            ids[row, : lengths[row]] = pieces.ids
            for span in wanted:
                found += [(row, place, n_words) for place in self.locate(pieces, span)]
                n_words += 1
        rows, places, words = np.array(found, np.int64).reshape(-1, 3).T.copy()
        return PieceBatch(ids, lengths, rows, places, words, n_words)


class Network(ABC):
    """What computes the vectors, on whatever device."""

    def __init__(self, head: ModelHead, batch_size: int) -> None:
        self.layers = head.layers
        self.pieces = head.pieces
        self.dim = head.dim
        self.batch_size = batch_size  # texts at once; falls where a GPU has too little memory

    @abstractmethod
    def run(self, batch: PieceBatch) -> Floats:
        """(n_words, dim) vectors of the words of a batch."""

    def embed(
        self, texts: Sequence[WordsInText], advance: Callable[[int], None] | None = None
    ) -> Floats:
        """(n_words, dim) vectors of the words of texts, in their order; zeros where cut off."""
        ends = np.cumsum([0, *(len(text.spans) for text in texts)])
        found = np.zeros((int(ends[-1]), self.dim), np.float32)
        for first in range(0, len(texts), _TEXTS_AT_ONCE):
            block = texts[first : first + _TEXTS_AT_ONCE]
            cut = self.pieces.cut([text.text for text in block])
            order = np.argsort([len(pieces.ids) for pieces in cut], kind="stable")[::-1]
            start = 0
            while start < len(order):
                rows = order[start : start + self.batch_size]
                batch = self.pieces.batch([cut[i] for i in rows], [block[i].spans for i in rows])
                vectors = self._try(batch)
                if vectors is None:
                    continue  # again, with half as many
                places = [range(ends[first + i], ends[first + i + 1]) for i in rows]
                found[[place for some in places for place in some]] = vectors
                start += len(rows)
                if advance is not None:
                    advance(batch.n_words)
        return found

    def _try(self, batch: PieceBatch) -> Floats | None:
        """The vectors of a batch; None where the device has too little memory for it."""
        n, lack = len(batch.ids), "the GPU has too little memory for"
        try:
            return self.run(batch)
        except MemoryError as error:
            if n == 1:
                advice = "take device='cpu', or a smaller model"
                raise InputError(f"{lack} a single passage: {advice}") from error
        self.batch_size = max(n // 2, 1)
        told = f"{lack} {n} passages at once: going on with {self.batch_size}"
        warnings.warn(told, stacklevel=2)
        return None


@dataclass(frozen=True)
class ModelHead:
    """What is known of a model before its weights are loaded."""

    source: str  # its folder, or its name on the hub
    asked: str | None = None  # layers as they were asked for

    @cached_property
    def library(self) -> ModuleType:
        """Hugging Face's transformers; an error names the extra where it is not installed."""
        load_torch(PURPOSE, EXTRA)
        library: ModuleType = import_extra("transformers", EXTRA, PURPOSE)
        return library

    @property
    def options(self) -> dict[str, Any]:
        """How the library opens it: what is on this machine without a look at the network."""
        return {"local_files_only": self._is_here}

    @cached_property
    def _is_here(self) -> bool:
        """Whether it is a folder, or was fetched from the hub before; else the hub must have it."""
        return Path(self.source).is_dir() or not needs_hub(self.source)

    @cached_property
    def config(self) -> Any:
        """Its shape."""
        check_source(self.source)
        with explain_hub_errors(self.source):
            return self.library.AutoConfig.from_pretrained(self.source, **self.options)

    @property
    def dim(self) -> int:
        """Length of the vectors."""
        return int(self.config.hidden_size)

    @cached_property
    def layers(self) -> tuple[int, ...]:
        """The layers that are taken, from 1."""
        return choose_layers(self.asked, int(self.config.num_hidden_layers))

    @cached_property
    def pieces(self) -> Pieces:
        """Its tokenizer."""
        with explain_hub_errors(self.source):
            tokenizer = self.library.AutoTokenizer.from_pretrained(self.source, **self.options)
        # Some models count positions from behind the padding's number on.
        positions = int(getattr(self.config, "max_position_embeddings", 0) or 512)
        padding = int(tokenizer.pad_token_id or 0)
        return Pieces(tokenizer, min(int(tokenizer.model_max_length), positions - padding - 1))

    @cached_property
    def digest(self) -> str:
        """Of what its vectors depend on: the files of a folder, or what the hub says it is."""
        folder = Path(self.source)
        if not folder.is_dir():
            return digest_of([self.source, getattr(self.config, "_commit_hash", None)])
        names = sorted([*folder.glob(WEIGHTS), folder / CONFIG, folder / TOKENIZER])
        return digest_of([[path.name, digest_of_file(path)] for path in names if path.exists()])

    def load(self, dtype: Any) -> Any:
        """The network, without the layers above the highest that is taken."""
        config = self.library.AutoConfig.from_pretrained(
            self.source, num_hidden_layers=self.layers[-1], **self.options
        )
        with explain_hub_errors(self.source), quiet_library(self.library):
            network = self.library.AutoModel.from_pretrained(
                self.source, config=config, dtype=dtype, use_safetensors=True, **self.options
            )
        return network.eval()


def choose_layers(asked: str | None, n_layers: int) -> tuple[int, ...]:
    """Numbers of layers, from 1, asked for as "7-9", "8" or "4,7-9"; by default the middle ones."""
    if asked is None:
        first = max(round(FIRST_SHARE * n_layers), 1)
        return tuple(range(first, max(round(LAST_SHARE * n_layers), first) + 1))
    found: set[int] = set()
    for part in asked.split(","):
        match = _RANGE.fullmatch(part.strip())
        if match is None:
            raise InputError(f"layers must be numbers such as 7-9 or 4,8; got {asked!r}")
        first, last = int(match[1]), int(match[2] or match[1])
        if not 1 <= first <= last <= n_layers:
            raise InputError(
                f"the model has the layers 1 to {n_layers}, layers={asked!r} are not among them"
            )
        found |= set(range(first, last + 1))
    return tuple(sorted(found))


def check_source(source: str) -> None:
    """Refuse a folder that is no model, and a path that is no folder."""
    folder = Path(source)
    expected = f"expected a folder with {CONFIG}, {WEIGHTS} and {TOKENIZER}, or a name on the hub"
    if folder.is_dir():
        if not (folder / CONFIG).exists():
            raise InputError(f"{source} is no transformer, it has no {CONFIG}: {expected}")
        try:
            read_json(folder / CONFIG)
        except ArtifactError as error:
            raise InputError(f"{source} is no transformer: {error}") from error
    elif folder.exists() or folder.is_absolute() or source.startswith(".") or not source:
        raise InputError(f"there is no transformer at {source!r}: {expected}")


def needs_hub(source: str) -> bool:
    """Whether a model of the hub has to be fetched; refuses what cannot be, asking once.

    The library would ask five times, and wait longer each time.
    """
    hub = import_module("huggingface_hub")
    try:
        if isinstance(hub.try_to_load_from_cache(source, CONFIG), str):
            return False
        hub.HfApi().model_info(source, timeout=_HUB_SECONDS)
    except Exception as error:  # of the library, and of the one that it calls by
        reason = " ".join(str(error).split(". ")[0].split())[:120]
        raise InputError(
            f"there is no transformer {source}: it is no folder, not in this machine's cache, and "
            f"the hub does not give it ({reason})"
        ) from error
    return True


@contextlib.contextmanager
def explain_hub_errors(source: str) -> Iterator[None]:
    """One line in place of the library's many."""
    try:
        yield
    except (OSError, ValueError, ImportError, KeyError) as error:
        if isinstance(error, InputError):
            raise
        reason = " ".join(str(error).split())[:200]
        raise InputError(f"the transformer {source} cannot be opened: {reason}") from error


@contextlib.contextmanager
def quiet_library(library: ModuleType) -> Iterator[None]:
    """Keep the library from remarking the weights that are left out on purpose."""
    logging = library.utils.logging
    level = logging.get_verbosity()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        logging.enable_progress_bar()
