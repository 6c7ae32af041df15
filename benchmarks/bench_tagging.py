"""How fast text is tagged: one sentence at a time (p50, p99) and in batches.

    python benchmarks/bench_tagging.py                    # a model of the demo text
    python benchmarks/bench_tagging.py --model MODEL --text sentences.txt

The peer is the straightforward procedure for one occurrence at a time: gather the context's
vectors, `numpy.linalg.svd`, project the senses (`plain_tag`).
"""

from __future__ import annotations

import argparse
import re
import tempfile
import time
from importlib.resources import as_file, files
from pathlib import Path

import numpy as np

import grassmeans
from grassmeans import Corpus, SenseModel, SkipGram
from grassmeans.clustering.settings import InductionSettings
from grassmeans.models.building import build_model
from measurement import write_result

THRESHOLD = 0.6  # the plain loop and the model go by the same rule
DEMO = files("grassmeans.corpus") / "data" / "demo" / "town.txt"


def build_demo_model(folder: Path) -> SenseModel:
    with as_file(DEMO) as text:
        corpus = Corpus.from_files([text], folder / "corpus", workers=1)
    trainer = SkipGram(dim=300, window=8, min_count=2, epochs=30, workers=1).fit(corpus)
    trainer.vectors_.save(folder / "vectors")
    settings = InductionSettings(n_senses=2)
    paths = (folder / "corpus", folder / "vectors", folder / "model")
    return build_model(*paths, min_count=10, settings=settings, workers=1)


def plain_tag(model: SenseModel, sentence: str) -> list[int]:
    """Tag by the definition, word by word."""
    shape, vectors = model.encoder.shape, model.vectors
    keys = model.tokenizer.tokenize(sentence)
    kept = [key in vectors and key not in model.encoder.function_words for key in keys]
    senses = []
    for i, key in enumerate(keys):
        if key not in model.inventory:
            continue
        left = [k for k, keep in zip(keys[:i], kept[:i], strict=True) if keep][-shape.window :]
        right = [k for k, keep in zip(keys[i + 1 :], kept[i + 1 :], strict=True) if keep]
        words = left + right[: shape.window]
        if len(words) < shape.fewest_words:
            senses.append(0)
            continue
        matrix = np.array([vectors[word] for word in words])
        _, sizes, rows = np.linalg.svd(matrix, full_matrices=False)
        basis = rows[: shape.rank]
        if shape.weighting == "singular":
            basis = basis * (sizes[: shape.rank, None] / sizes[0])
        kept_share = np.square(basis @ model.inventory.directions(key).T).sum(axis=0)
        distances = np.sqrt(np.clip(1 - kept_share, 0, 1))
        senses.append(int(np.argmin(distances)) + 1 if distances.min() < THRESHOLD else 0)
    return senses


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--text", type=Path)
    parser.add_argument("--sentences", type=int, default=1000)
    parser.add_argument("--name", default="tagging")
    arguments = parser.parse_args()
    text = (arguments.text or DEMO).read_text(encoding="utf-8")
    sentences = [s for s in re.split(r"(?<=[.!?])\s+", text) if s.strip()][: arguments.sentences]
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        model = (
            grassmeans.load(arguments.model) if arguments.model else build_demo_model(Path(folder))
        )
        opened = time.perf_counter() - started
        for _ in range(2):  # compiles, and maps the files
            model.tag_many(sentences, idk_threshold=THRESHOLD)
        seconds = []
        for sentence in sentences:
            started = time.perf_counter()
            model.tag(sentence, idk_threshold=THRESHOLD)
            seconds.append(time.perf_counter() - started)
        started = time.perf_counter()
        tagged = model.tag_many(sentences, idk_threshold=THRESHOLD)
        batch = time.perf_counter() - started
        started = time.perf_counter()
        # The definition is that of subspaces; what a network learned has no other.
        is_defined = model.encoder.kind == "subspaces"
        plain = [plain_tag(model, sentence) for sentence in sentences] if is_defined else []
        plain_seconds = time.perf_counter() - started
    ours = [[word.sense for word in result] for result in tagged]
    n_words = sum(map(len, ours))
    result = {
        "sentences": len(sentences),
        "tagged_words": n_words,
        "milliseconds_p50": round(1e3 * float(np.percentile(seconds, 50)), 3),
        "milliseconds_p99": round(1e3 * float(np.percentile(seconds, 99)), 3),
        "sentences_per_second_one_by_one": round(len(sentences) / sum(seconds)),
        "sentences_per_second_in_batches": round(len(sentences) / batch),
    }
    if is_defined:
        pairs = [
            (a, b) for x, y in zip(ours, plain, strict=True) for a, b in zip(x, y, strict=True)
        ]
        result |= {
            "plain_numpy_sentences_per_second": round(len(sentences) / plain_seconds),
            "times_plain_numpy": round(plain_seconds / batch, 1),
            "same_senses": round(sum(a == b for a, b in pairs) / max(n_words, 1), 5),
        }
    if arguments.model:
        result["seconds_to_open"] = round(opened, 3)
    write_result(arguments.name, result)


if __name__ == "__main__":
    main()
