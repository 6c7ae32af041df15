"""How good a model is that was made from a text, with no labels at hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from grassmeans.artifacts.writing import write_json
from grassmeans.contexts.attention.reading import HELD_OUT_EVERY, MOST_HELD_OUT
from grassmeans.corpus.corpus import Corpus
from grassmeans.errors import InputError
from grassmeans.evaluation.reliability import PSEUDOWORDS, report_reliability, score_reliability
from grassmeans.evaluation.running import Task, evaluate
from grassmeans.evaluation.systems import ModelSystem
from grassmeans.lexemes.lexeme_vectors import open_lexemes
from grassmeans.models.model import SenseModel, load
from grassmeans.reading.documents import RawDocument
from grassmeans.senses.pseudowords import answer_pseudowords, make_pseudowords

SCORES = "scores.json"


def score_model(
    folder: Path,
    encoder: Mapping[str, Any],
    corpus: Corpus,
    sources: Sequence[Corpus],
    tasks: Mapping[str, Task[Any]],
    output: Path,
    *,
    device: str = "cpu",
    workers: int | None = None,
    show_progress: bool | None = None,
    overwrite: bool = False,
) -> None:
    """Write the scores of a model, and tables of its test sets; ``overwrite`` as for a step.

    The encoder is told by its manifest. The corpus is the one in which senses were sought, and the
    sources those that it is made of.
    """
    model = load(folder, device=device)
    held_out = [document for source in sources for document in sample_held_out(source)]
    system = ModelSystem(model, open_lexemes(model))
    results = {name: evaluate(task, system) for name, task in tasks.items()}
    scores = {name: encoder.get(name) for name in ("held_out_loss", "frequency_loss", "voices")} | {
        "pseudowords": ask_pseudowords(model, corpus, workers, show_progress),
        "held_out_text": measure_answered(model, held_out),
        "tests": {name: result.to_dict() for name, result in results.items()},
    }
    tables = {name: result.to_table().to_markdown() for name, result in results.items()}
    output.mkdir(exist_ok=True)
    write_json(output / SCORES, {"scores": scores, "tables": tables})


def ask_pseudowords(
    model: SenseModel, corpus: Corpus, workers: int | None, show_progress: bool | None
) -> dict[str, Any] | None:
    """How many occurrences of pseudo-words are answered, and right, in percent.

    They are others than those of the calibration, where the corpus has enough words; None where
    the model is not calibrated, for it has too few words even for that.
    """
    how: dict[str, Any] = {"workers": workers, "show_progress": show_progress}
    curve, encoder, settings = model.calibration, model.encoder, model.settings
    if curve is None:
        return None
    try:
        found, apart = report_reliability(model, corpus, **how).groups[PSEUDOWORDS], True
    except InputError:  # no words are left for others
        groups = make_pseudowords(corpus, encoder, settings, encoder.n_pseudowords)
        known = answer_pseudowords(corpus, encoder, settings, groups, **how)
        if known is None:
            return None
        sure = curve.confidence_of_margins(known.log_margins)
        found, apart = score_reliability(sure, known.right), False
    return {k: v for k, v in found.to_dict().items() if k != "bins"} | {"held_apart": apart}


def sample_held_out(corpus: Corpus) -> list[RawDocument]:
    """Documents of a corpus that an encoder of it is not trained on; not many more words."""
    numbers = range(HELD_OUT_EVERY - 1, corpus.n_documents, HELD_OUT_EVERY)
    n_tokens = len(numbers) * corpus.n_tokens / max(corpus.n_documents, 1)
    return [corpus.document(n) for n in numbers[:: max(1, round(n_tokens / MOST_HELD_OUT))]]


def measure_answered(
    model: SenseModel, documents: Sequence[RawDocument]
) -> dict[str, float | int] | None:
    """How many words with senses get an answer, in percent; None where there are none."""
    tagged = model.tag_many(documents, marks=False, check=model.check_language())
    senses = [word.sense for text in tagged for word in text]
    if not senses:
        return None
    return {"n_words": len(senses), "answered": 100 * sum(s > 0 for s in senses) / len(senses)}


def describe_scores(scores: Mapping[str, Any]) -> list[str]:
    """How good a model is, for people, a line each."""
    asked, sample = scores["pseudowords"], scores["held_out_text"]
    loss, usual = scores["held_out_loss"], scores["frequency_loss"]
    lines = ["pseudo-words: the text has too few words to make some"]
    if asked is not None:
        right = asked["accuracy"]  # None where nothing was answered
        told = f"{asked['answered']:.1f}% answered"
        told += "" if right is None else f", {right:.1f}% of these right"
        whose = "that the calibration has not seen" if asked["held_apart"] else "of the calibration"
        lines = [f"pseudo-words {whose}: {told}"]
    if voices := scores["voices"]:
        near = f"{voices['line']:.3f}, with the teacher {voices['deviation']:.3f}"
        lines.append(f"1 - cosine with the leave-one-out lines on held-out documents {near}")
    elif loss is not None:
        frequencies = "" if usual is None else f", of word frequencies {usual:.3f}"
        lines.append(f"loss on held-out documents: {loss:.3f} nats a word{frequencies}")
    if sample is not None:
        told = f"{sample['answered']:.1f}% of {sample['n_words']:,} words with senses answered"
        lines.append(f"documents that the encoder was not trained on: {told}")
    return lines
