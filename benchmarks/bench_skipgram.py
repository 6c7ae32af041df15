"""Skip-gram against gensim: same text, same settings, same threads, one after the other.

    python benchmarks/bench_skipgram.py                                # a made-up text, speed only
    python benchmarks/bench_skipgram.py --corpus CORPUS --tokens 20e6 --epochs 3 \
        --pairs WordSim-353=EN-WS-353-ALL.txt --scws scws/ratings.txt  # speed and quality

Words per second count every token of the text, as both programs read it, times the epochs.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from gensim.models import Word2Vec

from grassmeans import Corpus, SkipGram, WordVectors
from grassmeans_lab.evaluation.tasks.similarity_scores import (
    read_scws,
    read_word_pairs,
    score_word_pairs,
)
from measurement import write_result

MAX_SEQUENCE = 10_000  # gensim cuts sentences here, and so do we


def made_up_documents(n_tokens: int, n_words: int = 50_000) -> list[list[str]]:
    """Documents of Zipf-distributed words; the speed depends on nothing else of a text."""
    rng = np.random.default_rng(0)
    weights = 1.0 / (np.arange(n_words) + 2.7)
    ids = rng.choice(n_words, size=n_tokens, p=weights / weights.sum())
    words = np.array([f"w{i}" for i in range(n_words)])
    return [list(words[ids[i : i + 2_000]]) for i in range(0, n_tokens, 2_000)]


def corpus_documents(path: Path, n_tokens: int) -> list[list[str]]:
    """Read the first documents of a corpus, as lists of words."""
    corpus = Corpus.open(path)
    words = np.array(corpus.vocabulary.words, dtype=object)
    documents: list[list[str]] = []
    taken = 0
    for shard in corpus.shards:
        offsets = shard.document_offsets
        for start, end in pairwise(offsets.tolist()):
            documents.append(list(words[shard.tokens[start:end]]))
            taken += int(end - start)
            if taken >= n_tokens:
                return documents
    return documents


def train_ours(
    documents: Sequence[Sequence[str]], settings: dict[str, Any]
) -> tuple[WordVectors, float]:
    SkipGram(dim=settings["dim"], min_count=1, epochs=1, workers=1).fit([["compile", "first"] * 9])
    trainer = SkipGram(
        dim=settings["dim"],
        window=settings["window"],
        negative=settings["negative"],
        min_count=settings["min_count"],
        epochs=settings["epochs"],
        workers=settings["threads"],
    )
    started = time.perf_counter()
    trainer.fit(documents)  # counting and encoding the words is part of the time
    return trainer.vectors_, time.perf_counter() - started


def train_gensim(
    documents: Sequence[Sequence[str]], settings: dict[str, Any]
) -> tuple[WordVectors, float]:
    sentences = [
        document[i : i + MAX_SEQUENCE]
        for document in documents
        for i in range(0, len(document), MAX_SEQUENCE)
    ]
    model = Word2Vec(
        vector_size=settings["dim"],
        window=settings["window"],
        negative=settings["negative"],
        min_count=settings["min_count"],
        epochs=settings["epochs"],
        workers=settings["threads"],
        sg=1,
        sample=1e-3,
        seed=1,
    )
    started = time.perf_counter()
    model.build_vocab(sentences)
    model.train(sentences, total_examples=len(sentences), epochs=model.epochs)
    seconds = time.perf_counter() - started
    return WordVectors(model.wv.index_to_key, model.wv.vectors), seconds


def score(vectors: WordVectors, pairs: Sequence[str], scws: Path | None) -> dict[str, float]:
    scores = {}
    for item in pairs:
        name, path = item.split("=", 1)
        scores[name] = round(score_word_pairs(vectors, read_word_pairs(path)).spearman, 2)
    if scws is not None:
        scws_pairs = [pair.word_pair for pair in read_scws(scws)]
        scores["SCWS"] = round(score_word_pairs(vectors, scws_pairs).spearman, 2)
    return scores


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--tokens", type=float, default=2e6)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--dim", type=int, default=300)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--pairs", nargs="*", default=[], metavar="NAME=FILE")
    parser.add_argument("--scws", type=Path)
    parser.add_argument("--name", default="skipgram")
    arguments = parser.parse_args()
    n_tokens = int(arguments.tokens)
    documents = (
        corpus_documents(arguments.corpus, n_tokens)
        if arguments.corpus
        else made_up_documents(n_tokens)
    )
    total = sum(map(len, documents))
    settings = {
        "dim": arguments.dim,
        "window": 5,
        "negative": 5,
        "min_count": 5,
        "epochs": arguments.epochs,
        "threads": arguments.threads,
    }
    result: dict[str, Any] = {
        "text": "a corpus" if arguments.corpus else "made up",
        "tokens": total,
    }
    result |= settings
    for name, train in (("grassmeans", train_ours), ("gensim", train_gensim)):
        vectors, seconds = train(documents, settings)
        result[name] = {
            "seconds": round(seconds, 2),
            "words_per_second": round(total * arguments.epochs / seconds),
            "scores": score(vectors, arguments.pairs, arguments.scws),
        }
        print(name, result[name], flush=True)
    speeds = [result[name]["words_per_second"] for name in ("grassmeans", "gensim")]
    result["ratio"] = round(speeds[0] / speeds[1], 2)
    print("ratio", result["ratio"])
    write_result(arguments.name, result)


if __name__ == "__main__":
    main()
