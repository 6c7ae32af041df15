"""One small artifact of every kind, and what each of them answers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from grassmeans import Corpus, WordVectors, load
from grassmeans.contexts.attention.levelling import Levelling
from grassmeans.contexts.attention.stored import LearnedWeights, NetworkShape
from grassmeans.contexts.interface import ContextEncoder
from grassmeans.contexts.learned import LearnedEncoder
from grassmeans.contexts.subspaces import SubspaceEncoder
from grassmeans.corpus.ingest import IngestOptions
from grassmeans.geometry.windows import ContextShape
from grassmeans.labelling import label_corpus
from grassmeans.labelling.decoding import Decoding, decode_shard
from grassmeans.labelling.measuring import find_targets, make_measure, read_targets
from grassmeans.models.compacting import CompactSettings, compact_model
from grassmeans.models.model import SenseModel
from grassmeans.senses.compact_inventory import write_compact_inventory
from grassmeans.senses.entries import ExampleLine, Sense, SkippedWord, WordSenses
from grassmeans.senses.inventory import SenseInventory
from grassmeans.text.tokenizer import Tokenizer
from synthetic import FUNCTION_WORDS, make_topic_text

DIM = 8
SENTENCE = "The crane was in the birdba birdbe with a machineba, and the bank was riverbo."


def make_artifacts(folder: Path, seed: int = 0) -> dict[str, Path]:
    """Write a corpus, vectors, models of both kinds of context, a labelled corpus and others.

    Those of another seed have the same shapes and other numbers.
    """
    texts = make_topic_text(8, n_sentences=2, words_per_topic=8).documents
    options = IngestOptions(function_words=frozenset(FUNCTION_WORDS), shard_chars=600)
    corpus = Corpus.from_texts(texts, folder / "corpus", options=options)
    words = corpus.vocabulary.words
    rng = np.random.default_rng(seed)
    matrix = rng.standard_normal((len(words), DIM)).astype(np.float32)
    vectors = WordVectors(words, matrix, corpus.vocabulary.counts)
    vectors.save(folder / "vectors", output=matrix)
    vectors.save(folder / "compact vectors", bits=4)
    inventory = SenseInventory(
        [_make_entry(word, rng) for word in ("crane", "bank")], [SkippedWord("x", "is too rare")]
    )
    write_compact_inventory(folder / "compact inventory", inventory.to_compact(), bits=8)
    left_out = frozenset(FUNCTION_WORDS)
    plain = SubspaceEncoder(vectors, ContextShape(3, 2), left_out)
    _save_model(plain, inventory, folder / "model")
    shape = NetworkShape(len(words), dim=DIM, n_layers=1, head_dim=4, passage=16)
    weights = {n: 0.5 * rng.standard_normal(s) for n, s in shape.matrix_shapes().items()}
    d = shape.dim
    sizes = [(len(words), d), (len(words),), (d,), (d, d), (d,), (d, d), (2 * d, DIM)]
    learned = LearnedWeights(
        shape=shape,
        levelling=Levelling(*(rng.standard_normal(size).astype(np.float32) for size in sizes)),
        **{name: array.astype(np.float32) for name, array in weights.items()},
    )
    _save_model(
        LearnedEncoder(vectors, ContextShape(3, 1), left_out, learned),
        inventory,
        folder / "learned",
    )
    compact_model(
        load(folder / "learned"), folder / "compact learned", settings=CompactSettings(examples=1)
    )
    label_corpus(corpus, folder / "model", folder / "labelled", workers=1, show_progress=False)
    return {kind: folder / kind for kind in ANSWERS}


def _save_model(encoder: ContextEncoder, inventory: SenseInventory, folder: Path) -> None:
    SenseModel(encoder, inventory, Tokenizer(), {"language": "en"}).save(folder)


def _make_entry(word: str, rng: np.random.Generator) -> WordSenses:
    directions = rng.standard_normal((2, DIM))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    line = ExampleLine("a ", word, " in the water", "0", 0.25)
    senses = tuple(
        Sense(i, 0.5, 0.4, ("water", "wing"), ("nest",), (line,), f"{word} {i}") for i in (1, 2)
    )
    return WordSenses(word, 20, 20, directions.astype(np.float32), senses)


def ask_corpus(folder: Path) -> Any:
    """Everything that a corpus holds, and a kernel's way through it."""
    corpus = Corpus.open(folder)
    words = corpus.vocabulary.words
    rows = np.arange(len(words), dtype=np.int32)
    found: list[Any] = [list(words), corpus.vocabulary.counts.tolist(), corpus.n_documents]
    found += [sorted(corpus.function_words), corpus.tokenizer.to_dict()]
    for word in words[:12]:
        positions = corpus.positions(word)
        found.append([str(corpus.line_at(int(p), 12)) for p in positions[:4]])
        for _, occurrences in corpus.occurrences(positions):
            vectors = WordVectors(words, np.eye(len(words), DIM), check=False)
            encoder = SubspaceEncoder(vectors, ContextShape(3, 2), corpus.function_words)
            found.append(encoder.describing_words(occurrences).tolist())
    for shard in corpus.shards:
        found.append(rows[np.asarray(shard.tokens)].tolist())
        found.append([shard.document_text(i) for i in range(shard.sizes.n_documents)])
        found.append([shard.metadata, shard.pretokenised.tolist()])
    return found


def ask_vectors(folder: Path) -> Any:
    """Words, counts and neighbours."""
    vectors = WordVectors.load(folder)
    near = vectors.most_similar(vectors.words[0], 3)
    counts = None if vectors.counts is None else vectors.counts.tolist()
    return [vectors.words, counts, near, vectors.vectors.tolist()]


def ask_inventory(folder: Path) -> Any:
    """All entries."""
    inventory = SenseInventory.load(folder)
    entries = [(entry.senses, entry.directions.tolist()) for entry in inventory.values()]
    return [inventory.words, inventory.skipped, entries]


def ask_model(folder: Path) -> Any:
    """Tags and entries, and distances by compiled kernels."""
    model = load(folder)
    corpus = Corpus.open(folder.parent / "corpus")
    tagged = model.tag_many([SENTENCE] * 12)
    entries = [(e.senses, e.count, e.directions.tolist()) for e in map(model.senses, model.words)]
    targets = find_targets(corpus, model)
    measure = make_measure(corpus, model.encoder, model.inventory, targets)
    distances = [measure.find_distances(shard)[1].tolist() for shard in corpus.shards]
    # NaN is no equal of itself.
    return repr([tagged, entries, distances, model.settings, model.idk_threshold])


def ask_labelled(folder: Path) -> Any:
    """The labels, decoded again."""
    labelled = Corpus.open(folder)
    targets = read_targets(labelled)
    found = []
    for number, shard in enumerate(labelled.shards):
        decoded = decode_shard(shard, shard.folder, number, targets, Decoding())
        found.append([decoded.words.tolist(), decoded.senses.tolist(), shard.tokens.tolist()])
    return [found, list(targets.words), list(labelled.vocabulary.words)]


ANSWERS: dict[str, Callable[[Path], Any]] = {
    "corpus": ask_corpus,
    "vectors": ask_vectors,
    "compact vectors": ask_vectors,
    "compact inventory": ask_inventory,
    "model": ask_model,
    "learned": ask_model,
    "compact learned": ask_model,
    "labelled": ask_labelled,
}
