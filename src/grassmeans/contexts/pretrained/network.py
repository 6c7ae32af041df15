"""A pretrained transformer with its tokenizer: texts -> the vectors of words in them.

The vector of a word is the mean over its pieces, and over some layers. Texts go through the network
in batches of about the same length. What is never needed is not computed: layers above those asked
for are not even loaded.
"""

from __future__ import annotations

import contextlib
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
from numpy.typing import NDArray

from grassmeans.arrays import Floats, Indices
from grassmeans.artifacts.checking import read_json
from grassmeans.artifacts.digests import digest_of_file
from grassmeans.artifacts.writing import digest_of
from grassmeans.contexts.pretrained.layers import choose_layers
from grassmeans.corpus.occurrences import Span
from grassmeans.errors import ArtifactError, InputError, MissingExtraError
from grassmeans.kernels.devices import check_device, load_torch

EXTRA = "transformers"
PURPOSE = "a transformer as a kind of context"
CONFIG, WEIGHTS, TOKENIZER = "config.json", "*.safetensors", "tokenizer.json"

DEFAULT_BATCH, DEFAULT_BATCH_ON_GPU = 32, 512
_TEXTS_AT_ONCE = 8_192
"""Texts that are cut into pieces and sorted by their length together."""


@dataclass(frozen=True, slots=True)
class WordsInText:
    """A text, and the words of it whose vectors are wanted.

    Attributes
    ----------
    text : str
    spans : tuple of (int, int)
        The characters of each word.
    """

    text: str
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class PieceBatch:
    """Texts as pieces, and which pieces the wanted words are made of.

    Attributes
    ----------
    ids : (n_texts, length) int64
        Padded.
    lengths : (n_texts,) int64
    rows, places, words : (n,) int64
        The piece at ``places`` of the text ``rows`` belongs to the word ``words``.
    n_words : int
    """

    ids: Indices
    lengths: Indices
    rows: Indices
    places: Indices
    words: Indices
    n_words: int

    @property
    def mask(self) -> NDArray[np.int64]:
        """(n_texts, length) 1 where there is a piece."""
        return (np.arange(self.ids.shape[1]) < self.lengths[:, None]).astype(np.int64)


class Pieces:
    """The tokenizer of a model: texts -> pieces, and the pieces of every word."""

    def __init__(self, tokenizer: Any, most: int) -> None:
        if not getattr(tokenizer, "is_fast", False):
            raise InputError(
                f"the model's tokenizer ({type(tokenizer).__name__}) does not tell which "
                "characters its pieces stand for: take a model with a fast tokenizer "
                f"({TOKENIZER})"
            )
        self._backend = tokenizer.backend_tokenizer
        self._backend.no_padding()
        self._backend.enable_truncation(most)
        self.padding = int(tokenizer.pad_token_id or 0)
        self.unknown = int(-1 if tokenizer.unk_token_id is None else tokenizer.unk_token_id)
        self.mask_token: str | None = tokenizer.mask_token
        self.most = most

    def cut(self, texts: Sequence[str]) -> list[Any]:
        """The pieces of texts, at most so many as the model takes."""
        found: list[Any] = self._backend.encode_batch(list(texts))
        return found

    def count(self, texts: Sequence[str]) -> Indices:
        """(n,) numbers of pieces."""
        return np.array([len(pieces.ids) for pieces in self.cut(texts)], np.int64)

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
        rows: list[int] = []
        places: list[int] = []
        words: list[int] = []
        n_words = 0
        for row, (pieces, wanted) in enumerate(zip(cut, spans, strict=True)):
            ids[row, : lengths[row]] = pieces.ids
            for span in wanted:
                mine = self.locate(pieces, span)
                rows += [row] * len(mine)
                places += mine
                words += [n_words] * len(mine)
                n_words += 1
        index = [np.array(values, np.int64) for values in (rows, places, words)]
        return PieceBatch(ids, lengths, index[0], index[1], index[2], n_words)


class Network(ABC):
    """What computes the vectors, on whatever device.

    Attributes
    ----------
    source : str
        The folder or the hub's name of the model.
    layers : tuple of int
        From 1.
    pieces : Pieces
    dim : int
    batch_size : int
        Texts at once; falls where a GPU has too little memory.
    """

    def __init__(self, head: ModelHead, batch_size: int) -> None:
        self.source = head.source
        self.layers = head.layers
        self.pieces = head.pieces
        self.dim = head.dim
        self.batch_size = batch_size

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
        try:
            return self.run(batch)
        except MemoryError as error:
            if len(batch.ids) == 1:
                raise InputError(
                    "the GPU has too little memory for a single passage: take device='cpu', or a "
                    "smaller model"
                ) from error
        self.batch_size = max(len(batch.ids) // 2, 1)
        warnings.warn(
            f"the GPU has too little memory for {len(batch.ids)} passages at once: going on with "
            f"{self.batch_size}",
            stacklevel=2,
        )
        return None


@dataclass(frozen=True)
class ModelHead:
    """What is known of a model before its weights are loaded.

    Attributes
    ----------
    source : str
        Its folder, or its name on the hub.
    asked : str or None
        Layers as they were asked for.
    """

    source: str
    asked: str | None = None

    @cached_property
    def library(self) -> ModuleType:
        """Hugging Face's transformers."""
        return load_transformers()

    @property
    def options(self) -> dict[str, Any]:
        """How the library opens it: a folder without a look at the network."""
        return {"local_files_only": Path(self.source).is_dir()}

    @cached_property
    def config(self) -> Any:
        """Its shape."""
        check_source(self.source)
        with explain_hub_errors(self.source):
            return self.library.AutoConfig.from_pretrained(self.source, **self.options)

    @property
    def n_layers(self) -> int:
        """How many layers it has."""
        return int(self.config.num_hidden_layers)

    @property
    def dim(self) -> int:
        """Length of the vectors."""
        return int(self.config.hidden_size)

    @cached_property
    def layers(self) -> tuple[int, ...]:
        """The layers that are taken, from 1."""
        return choose_layers(self.asked, self.n_layers)

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


class TorchNetwork(Network):
    """The network in PyTorch: single precision on a CPU, bfloat16 on a GPU."""

    def __init__(self, head: ModelHead, device: str = "cpu", batch_size: int | None = None) -> None:
        check_device(device, PURPOSE, EXTRA)
        self._torch = load_torch(PURPOSE, EXTRA)
        usual = DEFAULT_BATCH if device == "cpu" else DEFAULT_BATCH_ON_GPU
        super().__init__(head, batch_size or usual)
        self.device = device
        dtype = self._torch.float32 if device == "cpu" else self._torch.bfloat16
        self._network = head.load(dtype).to(device)

    def run(self, batch: PieceBatch) -> Floats:
        """(n_words, dim) vectors of the words of a batch."""
        torch = self._torch
        try:
            with torch.inference_mode():
                found: Floats = self.run_layers(batch).mean(dim=0).cpu().numpy()
        except torch.cuda.OutOfMemoryError as error:
            torch.cuda.empty_cache()
            raise MemoryError from error
        return found

    def run_layers(self, batch: PieceBatch) -> Any:
        """(n_layers, n_words, dim) tensor of the words in each of the layers."""
        torch = self._torch
        ids, mask, rows, places, words = (
            torch.from_numpy(values).to(self.device)
            for values in (batch.ids, batch.mask, batch.rows, batch.places, batch.words)
        )
        states = self._network(
            input_ids=ids, attention_mask=mask, output_hidden_states=True
        ).hidden_states
        sizes = torch.bincount(words, minlength=batch.n_words).clamp(min=1)[:, None]
        found = []
        for layer in self.layers:
            own = states[layer][rows, places].float()
            summed = own.new_zeros((batch.n_words, self.dim)).index_add_(0, words, own)
            found.append(summed / sizes)
        return torch.stack(found)


def load_transformers() -> ModuleType:
    """Hugging Face's transformers; an error that names the extra where it is not installed."""
    load_torch(PURPOSE, EXTRA)
    try:
        return import_module("transformers")
    except ImportError as error:
        raise MissingExtraError("transformers", EXTRA, PURPOSE) from error


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
