"""Transformers as a kind of context: the vector of a word in its original text, as a line.

A pretrained network reads the text around an occurrence, the word itself included
(`grassmeans.contexts.pretrained`). Its vectors, centred and on the principal axes of a corpus's
contexts, are lines with ends: what they point away from means something else.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from grassmeans.arrays import Doubles, Floats, Indices
from grassmeans.artifacts.checking import damaged, read_json
from grassmeans.artifacts.schema import check_values, text, whole
from grassmeans.artifacts.writing import write_json
from grassmeans.contexts.interface import (
    ContextEncoder,
    OccurrenceSource,
    WordWeights,
    weigh_losses,
)
from grassmeans.contexts.pretrained.lines import LineCache, Projection, cut_texts, hide_words
from grassmeans.contexts.pretrained.network import ModelHead, Network, WordsInText
from grassmeans.contexts.pretrained.running import ONNX, open_network
from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.occurrences import Occurrences
from grassmeans.errors import InputError
from grassmeans.geometry.rules import GroupingRules
from grassmeans.geometry.windows import ContextShape
from grassmeans.kernels.devices import check_device
from grassmeans.vectors.word_vectors import WordVectors

FOLDER = "encoder"
_ABOUT = "transformer.json"
_RULES = {"source": text, "digest": text, "layers": text, "passage": whole(1)}
_AT_ONCE = 4_096  # occurrences whose texts are held at once, and after which a cache is written
_COST_SAMPLE = 32

HIDDEN = "_"  # in place of a word that must not be seen, where the model has no token for it


@dataclass(frozen=True, slots=True)
class TransformerSource:
    """Which network, and what of it is taken."""

    source: str  # its folder, or its name on the hub
    digest: str  # of its files: another network under the same name has other lines
    layers: str  # "7-9": the mean of these
    passage: int  # tokens of the text that is read

    def find(self, folder: Path | None) -> ModelHead:
        """The network, where it was or beside the folder of the model."""
        places = [Path(self.source)]
        if folder is not None:
            places.append(folder.parent / Path(self.source).name)
        found = next((str(place) for place in places if place.is_dir()), self.source)
        head = ModelHead(found, self.layers)
        if head.digest != self.digest:
            raise InputError(
                f"the transformer {found} is not the one that these contexts were made with: its "
                "files have changed, or it is another one; put that back, or induce again"
            )
        return head


class TransformerEncoder(ContextEncoder):
    """Lines from a pretrained transformer; its vectors are words by themselves, as it sees them."""

    kind = "transformer"
    grouping = GroupingRules(
        merge_cosine=0.93,
        rare_ease=0.05,
        part_cosine=0.95,
        few_contexts=900,
        by_tree=True,
        by_silhouette=True,
    )
    lines_have_ends = True
    space_is_fixed = True
    idk_distance = None
    uses_all_cores = True
    worth_keeping = True
    n_pseudowords = 20
    induction: ClassVar[Mapping[str, Any]] = {"max_contexts": 1_000}

    def __init__(
        self,
        vectors: WordVectors,
        shape: ContextShape,
        function_words: frozenset[str],
        source: TransformerSource,
        projection: Projection,
    ) -> None:
        super().__init__(vectors, shape, function_words)
        self.source = source
        self.projection = projection
        self.folder: Path | None = None
        self.batch_size: int | None = None
        self.cache: Path | None = None
        self.runner = "cpu"
        self._network: Network | None = None
        self._forms: Mapping[str, str] | None = None
        self._open_cache: tuple[OccurrenceSource, LineCache] | None = None

    @property
    def network(self) -> Network:
        """The network, loaded when it is first needed."""
        if self._network is None:
            head = self.source.find(self.folder)
            self._network = open_network(head, self.runner, self.batch_size, self.cache)
        return self._network

    def use_device(self, device: str) -> None:
        """Encode on a GPU ("cuda"), on the CPU, or there in 8 bits by ONNX Runtime ("onnx")."""
        if device != ONNX:
            check_device(device)
        if device != self.runner:
            self._network = None
        self.runner = device
        self.device = "cpu" if device == ONNX else device

    def keep_running(
        self, network: Network | None, device: str, batch_size: int | None, cache: Path | None
    ) -> None:
        """Go on with a network that is loaded already, and as it is run."""
        self.use_device(device)
        self.batch_size, self.cache, self._network = batch_size, cache, network

    def take_over(self, other: ContextEncoder) -> None:
        """Go on with the network that the same encoder has loaded."""
        if isinstance(other, TransformerEncoder):
            self.keep_running(other._network, other.runner, other.batch_size, other.cache)

    def writing_words_as(self, forms: Mapping[str, str]) -> TransformerEncoder:
        """The same, with another word in the place of these where their own context is read."""
        other = copy(self)
        other._forms, other._open_cache = dict(forms), None
        return other

    def encode(self, occurrences: Occurrences) -> Floats:
        """(n, 1, dim) unit lines."""
        return self.projection.project(self._embed([occurrences]))[:, None]

    def encode_at(self, source: OccurrenceSource, positions: Indices) -> Floats:
        """(n, 1, dim) lines of the occurrences at positions, those in the cache read from there."""
        cache = self._cache_of(source)
        known = np.zeros(len(positions), np.bool_)
        lines = np.zeros((len(positions), self.projection.n_axes), np.float32)
        if cache is not None:
            known, lines = cache.read(positions)
        missing = np.flatnonzero(~known)
        for start in range(0, len(missing), _AT_ONCE):
            rows = missing[start : start + _AT_ONCE]
            parts = [occurrences for _, occurrences in source.occurrences(positions[rows])]
            lines[rows] = self.projection.project(self._embed(parts))
            if cache is not None:
                cache.write(positions[rows], lines[rows])
        return lines[:, None]

    def measure_cost(self, source: OccurrenceSource, positions: Indices) -> float:
        """Seconds for one context, of a batch that is encoded for this alone."""
        parts = [occurrences for _, occurrences in source.occurrences(positions[:_COST_SAMPLE])]
        self._embed([part[:1] for part in parts[:1]])  # the first call of a network is slow
        began = time.perf_counter()
        self._embed(parts)
        return (time.perf_counter() - began) / max(sum(map(len, parts)), 1)

    def _cache_of(self, source: OccurrenceSource) -> LineCache | None:
        """What was kept of a corpus before; texts of other kinds are not kept."""
        if self.cache is None or not isinstance(source, Corpus):
            return None
        if self._open_cache is None or self._open_cache[0] is not source:
            forms = sorted((self._forms or {}).items())
            identity = [source.manifest["digest"], self.identity(), forms]
            self._open_cache = source, LineCache(self.cache, identity, self.projection.n_axes)
        return self._open_cache[1]

    def _embed(self, parts: Sequence[Occurrences]) -> Floats:
        """(n, size) vectors of the occurrences of some texts, one text after the other.

        A passage may be longer than the network reads, so that a word is cut off: it is read again
        in half as many words, and so on.
        """
        n = sum(map(len, parts))
        vectors = np.zeros((n, self.network.dim), np.float32)
        missing = np.arange(n)
        width = self.source.passage
        while len(missing) and width > 0:
            vectors[missing] = self._embed_passages(parts, missing, width)
            missing = missing[~vectors[missing].any(axis=1)]
            width //= 2
        return vectors

    def _embed_passages(self, parts: Sequence[Occurrences], rows: Indices, width: int) -> Floats:
        """(n_rows, size) vectors of some of the occurrences."""
        texts: list[WordsInText] = []
        order: list[Indices] = []
        first = 0
        for part in parts:
            mine = rows[(rows >= first) & (rows < first + len(part))] - first
            if len(mine):
                cut = cut_texts(part[mine], width, self._forms)
                texts += cut.texts
                order.append(cut.order + sum(map(len, order)))
            first += len(part)
        found = np.empty((len(rows), self.network.dim), np.float32)
        found[np.concatenate(order)] = self.network.embed(texts)
        return found

    def weigh_words(self, occurrences: Occurrences, directions: Floats) -> WordWeights:
        """How much each describing word, hidden in turn, brings the line to the direction."""
        mask = self.network.pieces.mask_token or HIDDEN
        found: WordWeights = []
        for i in range(len(occurrences)):
            one = occurrences[i : i + 1]
            places = self._describing_places(one)
            texts = hide_words(one, self.source.passage, places, mask)
            lines = self.projection.project(self.network.embed(texts))
            squares = np.square(np.maximum(lines @ directions[i], 0.0))
            found.append(weigh_losses(places, squares))
        return found

    def _describing_places(self, one: Occurrences) -> list[int]:
        """Positions of the words that describe a single occurrence, which are in its passage."""
        (start,), (end,) = one.document_bounds
        place, reach = int(one.positions[0]), min(self.shape.window, self.source.passage // 3)
        near = range(max(place - reach, int(start)), min(place + reach + 1, int(end)))
        rows = np.append(self.rows_of(one.words), -1)
        return [t for t in near if t != place and rows[one.tokens[t]] >= 0]

    def turn(self, turn: Doubles) -> TransformerEncoder:
        """The encoder of the same lines on turned axes."""
        other = copy(self)
        other.vectors = self._turn_vectors(turn)
        other.projection = self.projection.turn(turn)
        return other

    def identity(self) -> Any:
        """The network's digest, what of it is taken, and a digest of the projection."""
        about = self.source
        return [about.digest, about.layers, about.passage, self.projection.digest]

    def save(self, folder: Path, bits: int | None = None) -> None:
        """Write the projection, and where the network is: its weights stay there."""
        place = folder / FOLDER
        place.mkdir(exist_ok=True)
        self.projection.save(place)
        about, given = asdict(self.source), Path(self.source.source)
        if given.is_dir():
            about["source"] = str(given.resolve())
        write_json(place / _ABOUT, about)

    @classmethod
    def open(
        cls, folder: Path, vectors: WordVectors, shape: ContextShape, function_words: frozenset[str]
    ) -> TransformerEncoder:
        """Read what `save` wrote; the network is looked for when it is needed."""
        place = folder / FOLDER
        about = read_json(place / _ABOUT)
        check_values(place / _ABOUT, about, _RULES)
        projection = Projection.open(place)
        if projection.n_axes != vectors.dim:
            raise damaged(place, f"{projection.n_axes} axes for vectors of {vectors.dim}")
        source = TransformerSource(**{name: about[name] for name in _RULES})
        encoder = cls(vectors, shape, function_words, source, projection)
        encoder.folder = folder
        return encoder

    def __getstate__(self) -> dict[str, Any]:
        # Workers load the network again, where they need it.
        return super().__getstate__() | {"_network": None, "_open_cache": None}


Encoder = TransformerEncoder
