"""How good is the automatic number of senses? Mixtures with known K, dictionary words, test sets.

A mixture is the contexts of K words with one sense in WordNet, taken together; where one of these
words occurs inside a context, the mean of their vectors stands for it, as for one word with K
senses. K = 1 is a word with one sense as it is. No word of the test sets is used for it.

    python experiments/sense_number.py --corpus CORPUS --vectors VECTORS --wordnet FOLDER \
        --makes-sense FOLDER --semeval FOLDER --senses 2 5 auto --granularity 1.0 1.3
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import adjusted_rand_score, v_measure_score

from grassmeans import Corpus, KGrassmeans, WordVectors
from grassmeans.clustering.settings import InductionSettings
from grassmeans.contexts.subspaces import SubspaceEncoder
from grassmeans.evaluation.clustering_scores import ClusteringScores
from grassmeans.evaluation.grouping import ClusteringTask
from grassmeans.evaluation.running import evaluate
from grassmeans.evaluation.tasks.loading import open_task
from grassmeans.geometry.distances import usable_contexts
from grassmeans.geometry.windows import ContextExtractor, ContextShape
from grassmeans.models.model import SenseModel
from grassmeans.senses.induction import induce
from grassmeans_lab.datasets.pseudowords import find_candidates
from grassmeans_lab.wordnet.database import WordNet

TRUE_NUMBERS = (1, 2, 3, 5)
CONTEXTS = (300, 3000)
MIN_COUNT, MAX_COUNT = 500, 20_000
MANY_SENSES = 8


@dataclass(frozen=True, slots=True)
class Mixture:
    """Contexts as bases (n, rank, dim), and from which of the words each came."""

    bases: NDArray[np.float32]
    sources: NDArray[np.int64]


class Material:
    """Corpus, vectors and words of which the dictionary says how many senses they have."""

    def __init__(self, arguments: argparse.Namespace, left_out: set[str]) -> None:
        self.corpus = Corpus.open(arguments.corpus)
        self.vectors = WordVectors.load(arguments.vectors)
        self.extractor = ContextExtractor(self.corpus, self.vectors)
        self.shape = ContextShape(rank=arguments.rank, weighting=arguments.weighting)
        self.encoder = SubspaceEncoder(self.vectors, self.shape, self.corpus.function_words)
        wordnet = WordNet.open(arguments.wordnet)
        words = [
            word
            for word in find_candidates(self.corpus, MIN_COUNT, MAX_COUNT)
            if word in self.vectors and word not in left_out
        ]
        self.one_sense = [word for word in words if _is_plain_noun(word, wordnet)]
        self.many_senses = [word for word in words if wordnet.n_senses(word) >= MANY_SENSES]

    def mixtures(self, n_words: int, n_mixtures: int, seed: int) -> Iterator[Mixture]:
        """Mixtures of so many words, of unequal shares; the same for the same seed."""
        rng = np.random.default_rng([seed, n_words])
        count_of = self.corpus.vocabulary.count_of
        for _ in range(n_mixtures):
            total = np.exp(rng.uniform(*np.log(CONTEXTS)))
            sizes = np.maximum(rng.dirichlet(np.full(n_words, 3.0)) * total, 20).astype(int)
            words: list[str] = []
            while len(words) < n_words:
                word = self.one_sense[rng.integers(len(self.one_sense))]
                if word not in words and count_of(word) >= sizes[len(words)]:
                    words.append(word)
            yield self._mix(words, sizes)

    def _mix(self, words: Sequence[str], sizes: NDArray[np.int64]) -> Mixture:
        rows = self.vectors.ids_of(words)
        parts = [
            self.extractor.extract(word, max_contexts=int(size)).context_ids
            for word, size in zip(words, sizes, strict=True)
        ]
        contexts = np.concatenate(parts)
        used, numbers = np.unique(contexts, return_inverse=True)
        numbers = numbers.reshape(contexts.shape)
        table = self.vectors.vectors[used]
        table[np.isin(used, rows)] = (sizes / sizes.sum()) @ self.vectors.vectors[rows]
        numbers[contexts < 0] = -1
        sources = np.repeat(np.arange(len(words)), [len(part) for part in parts])
        mixed = WordVectors([str(row) for row in used], table, check=False)
        bases = SubspaceEncoder(mixed, self.shape, frozenset()).span(numbers.astype(np.int32))
        usable = usable_contexts(bases)
        return Mixture(bases[usable], sources[usable])

    def bases_of(self, word: str) -> NDArray[np.float32]:
        """(n, rank, dim) subspaces of a word's contexts."""
        contexts = self.extractor.extract(word, max_contexts=CONTEXTS[1])
        bases = self.encoder.span(contexts.context_ids)
        return bases[usable_contexts(bases)]


def _is_plain_noun(word: str, wordnet: WordNet) -> bool:
    """One sense, a noun, written in lower case: names have as many meanings as bearers."""
    senses = wordnet.senses_of(word)
    return len(senses) == 1 and senses[0].synset.pos == "n" and word in senses[0].synset.lemmas


def score_mixtures(material: Material, method: KGrassmeans, n: int, seed: int) -> list[dict]:
    rows = []
    for true_number in TRUE_NUMBERS:
        found, rand, v_measures = [], [], []
        for mixture in material.mixtures(true_number, n, seed):
            labels = method.fit_predict(mixture.bases)
            found.append(method.n_senses_)
            rand.append(adjusted_rand_score(mixture.sources, labels))
            v_measures.append(v_measure_score(mixture.sources, labels))
        errors = np.abs(np.array(found) - true_number)
        row = {
            "true_senses": true_number,
            "exact": round(float((errors == 0).mean()), 3),
            "mean_absolute_error": round(float(errors.mean()), 2),
            "mean_senses": round(float(np.mean(found)), 2),
        }
        if true_number > 1:
            row |= {
                "rand_index": round(float(np.mean(rand)), 3),
                "v_measure": round(100 * float(np.mean(v_measures)), 1),
            }
        rows.append(row)
    return rows


def score_dictionary(material: Material, method: KGrassmeans, n: int, seed: int) -> list[dict]:
    rows = []
    groups = {"1": material.one_sense, f"{MANY_SENSES} or more": material.many_senses}
    for senses, words in groups.items():
        chosen = np.random.default_rng(seed).permutation(words)[:n]
        found = np.array([method.fit(material.bases_of(word)).n_senses_ for word in chosen])
        rows.append(
            {
                "wordnet_senses": senses,
                "words": len(found),
                "one_sense": round(float((found == 1).mean()), 3),
                "mean_senses": round(float(found.mean()), 2),
            }
        )
    return rows


def score_test_sets(
    material: Material, settings: InductionSettings, tasks: Sequence[ClusteringTask]
) -> list[dict]:
    words = sorted({i.target for task in tasks for i in task.instances})
    started = time.process_time()
    corpus, encoder = material.corpus, material.encoder
    inventory = induce(corpus, encoder, words, settings=settings, show_progress=False)
    seconds = time.process_time() - started
    model = SenseModel(encoder, inventory, corpus.tokenizer, {"settings": settings.to_dict()})
    rows = []
    for task in tasks:
        scores = evaluate(task, model).scores
        assert isinstance(scores, ClusteringScores)
        rows += [
            {
                "task": task.name,
                "part": part,
                "v_measure": round(score.v_measure, 2),
                "f_score": round(score.f_score, 2),
                "n_clusters": round(score.n_clusters, 2),
                "induction_processor_seconds": round(seconds, 1),
            }
            for part, score in scores.groups.items()
        ]
    return rows


def main() -> None:
    arguments = _parse_arguments()
    tasks = []
    if arguments.makes_sense:
        tasks.append(open_task("makes-sense", arguments.makes_sense))
    if arguments.semeval:
        tasks.append(open_task("semeval2010", arguments.semeval))
    left_out = {i.target for task in tasks for i in task.instances}
    material = Material(arguments, left_out)
    print(
        f"{len(material.one_sense)} nouns with one sense, {len(material.many_senses)} words with "
        f"{MANY_SENSES} senses or more"
    )
    rows = []
    for senses, granularity in _methods(arguments):
        settings = InductionSettings(
            senses, max_contexts=arguments.max_contexts, granularity=granularity
        )
        method = KGrassmeans(n_senses=senses, granularity=granularity, random_state=0)
        found = score_mixtures(material, method, arguments.mixtures, arguments.seed)
        found += score_dictionary(material, method, arguments.dictionary, arguments.seed)
        if tasks:
            found += score_test_sets(material, settings, tasks)
        for row in found:
            named = {"senses": senses, "granularity": granularity} | row
            rows.append(named)
            print(json.dumps(named), flush=True)
    if arguments.output:
        arguments.output.write_text(json.dumps(rows, indent=2) + "\n")


def _methods(arguments: argparse.Namespace) -> list[tuple[int | str, float]]:
    fixed = [(int(senses), 1.0) for senses in arguments.senses if senses != "auto"]
    dials = arguments.granularity if "auto" in arguments.senses else []
    return [*fixed, *(("auto", dial) for dial in dials)]


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--vectors", type=Path, required=True)
    parser.add_argument("--wordnet", type=Path, help="folder with index.noun, data.noun, ...")
    parser.add_argument("--makes-sense", type=Path)
    parser.add_argument("--semeval", type=Path)
    parser.add_argument("--senses", nargs="+", default=["2", "5", "auto"])
    parser.add_argument("--granularity", type=float, nargs="+", default=[1.0])
    parser.add_argument("--rank", type=int, default=3)
    parser.add_argument("--weighting", default="flat")
    parser.add_argument("--max-contexts", type=int, default=10_000)
    parser.add_argument("--mixtures", type=int, default=60, help="of each true number")
    parser.add_argument("--dictionary", type=int, default=200, help="words of each kind")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, help="write all rows as JSON")
    return parser.parse_args()


if __name__ == "__main__":
    main()
