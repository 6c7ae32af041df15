"""Corpus + model -> labelled corpus: every occurrence of a word with senses becomes a lexeme.

First pass: the distances of all occurrences, which stay with the labelled corpus. Second pass: the
labels are decoded and counted, and the vocabulary of lexeme keys is ordered. Third pass: the
shards' tokens become ids of lexeme keys. All three are parallel over shards, and what a shard gives
depends on the shard alone.

Senses are chosen by the rule of tagging, from other distances, for a corpus is labelled at millions
of words a second: an occurrence is measured in its document, once, and not in its sentence first
and more widely where that says little; an only sense is always the label, since learned contexts do
not measure it; and where nothing is known around a word it is "I don't know", never the most
frequent sense. `TAGGED_OTHERWISE` says how much that changes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from grassmeans.artifacts.checking import has_file
from grassmeans.artifacts.schema import check_arguments
from grassmeans.artifacts.writing import digest_of, digest_of_array, share_file, write_manifest
from grassmeans.corpus.corpus import Corpus, open_corpus
from grassmeans.corpus.ingest import FORMAT_VERSION, KIND
from grassmeans.corpus.shard import shard_folder
from grassmeans.corpus.vocabulary import FUNCTION_WORDS
from grassmeans.engines import EngineChoice, use_engine
from grassmeans.engines.parallel import map_tasks
from grassmeans.errors import InputError
from grassmeans.labelling.decoding import Decoding, count_shard, order_lexemes, write_shard
from grassmeans.labelling.measuring import (
    DISTANCES,
    POSITIONS,
    ShardMeasure,
    Targets,
    find_targets,
    make_measure,
    measure_corpus,
    read_targets,
    require_labels,
)
from grassmeans.models.model import SenseModel, open_model
from grassmeans.outputs.ownership import Paths, list_marks
from grassmeans.outputs.places import output_folder
from grassmeans.progress import progress_bar
from grassmeans.senses.calibration import ConfidenceRule
from grassmeans.senses.decoding import (
    DEFAULT_IDK_THRESHOLD,
    MODEL_THRESHOLD,
    IdkThreshold,
    check_threshold,
)
from grassmeans.senses.language import warn_of_contexts

TAGGED_OTHERWISE = 0.04
"""Of 81,419 occurrences in 36 articles of Wikipedia, as the English model labels and tags them;
other text and other models differ."""


@check_arguments()
def label_corpus(
    corpus: Corpus | str | Path,
    model: SenseModel | str | Path,
    output: str | Path,
    *,
    decoding: str = "hard",
    idk_threshold: IdkThreshold = MODEL_THRESHOLD,
    confidence: float | None = None,
    sharpness: float | None = None,
    random_state: int = 0,
    device: str = "cpu",
    workers: int | None = None,
    engine: EngineChoice = None,
    overwrite: bool = False,
    show_progress: bool | None = None,
) -> Corpus:
    """Label every occurrence of every word of a model's inventory (section 4 of the paper).

    Labels are not always what `SenseModel.tag` answers to the same text: it reads sentences, and
    labelling documents (see the module).

    Parameters
    ----------
    corpus : Corpus or path
        The corpus to label. One that is already labelled by this very model is decoded anew from
        its stored distances (`relabel`).
    model : SenseModel, path or name
    output : path
        Folder of the labelled corpus: a corpus whose tokens are lexeme keys (`encode_key`).
    decoding : {"hard", "soft"}
        The nearest sense, or 0 where even that is as far as ``idk_threshold``; or a sense drawn
        from the probabilities exp(-sharpness d). An occurrence with fewer known words around it
        than the model's rank is 0 under hard decoding, and any of its senses under soft.
    idk_threshold : float, "model" or None
        "model" takes the model's own rule; None never answers 0 for distance.
    confidence : float, optional
        The smallest probability to be right, in place of a threshold.
    sharpness : float, optional
        Of soft decoding; that of the model's kind of context by default.
    random_state : int
        Of soft decoding.
    device : {"cpu", "cuda"}
        Where distances are measured, for a model that is given by its folder or name.
    engine : str, optional
        Where workers run, as for `grassmeans.engines.use_engine`.

    Returns
    -------
    Corpus
        Its manifest's field ``labelled`` tells how it was made.

    Raises
    ------
    InputError
        Where the model and the corpus do not fit.
    """
    corpus, opened = open_corpus(corpus), open_model(model, device=device)
    threshold = opened.choose_threshold(idk_threshold, confidence)
    chosen = Decoding(decoding, threshold, opened.choose_sharpness(sharpness), random_state)
    measure, facts = None, {}
    if corpus.is_labelled:
        facts = _tell_model(corpus)
        if facts["model_digest"] != opened.digest:
            raise InputError(
                f"{corpus.path} is labelled already, by another model "
                f"({facts['model'] or 'unnamed'}): label the corpus that it was made from"
            )
        targets = read_targets(corpus)
    else:
        targets = find_targets(corpus, opened)
        warn_of_contexts(opened.encoder)
        opened.check_language().add_corpus(corpus).warn()
        measure = make_measure(corpus, opened.encoder, opened.inventory, targets)
        name = "" if isinstance(model, SenseModel) else Path(model).name
        facts = {"model": name, "model_digest": opened.digest}
    with use_engine(engine, workers):
        return label_by_measure(
            corpus,
            output,
            targets,
            measure,
            chosen,
            facts,
            inputs=[opened.folder, opened.vectors.folder],
            workers=workers,
            overwrite=overwrite,
            show_progress=show_progress,
        )


def _tell_model(labelled: Corpus) -> dict[str, Any]:
    return {name: labelled.manifest["labelled"][name] for name in ("model", "model_digest")}


def label_by_measure(
    corpus: Corpus,
    output: str | Path,
    targets: Targets,
    measure: ShardMeasure | None,
    decoding: Decoding,
    facts: dict[str, Any],
    *,
    inputs: Paths = (),
    workers: int | None = None,
    overwrite: bool = False,
    show_progress: bool | None = None,
) -> Corpus:
    """Label a corpus by any way of measuring distances; `label_corpus` has the ordinary one.

    A corpus of lexemes, labelled before, gets new labels; targets are by its token ids, and the
    measure is of them. Without a measure its own distances are decoded anew.

    ``facts`` go into the manifest's field ``labelled``; ``model_digest`` must tell whatever
    distances depend on: finished shards of an interrupted run are taken over where it is the same.
    ``inputs`` are read besides the corpus: the output never takes their place.
    """
    source = {name: corpus.manifest.get(name) for name in ("created", "n_tokens", "labelled")}
    beginning = output_folder(
        output,
        KIND,
        # Not the decoding: distances of an interrupted run serve any.
        [facts["model_digest"], source, digest_of_array(corpus.vocabulary.counts)],
        inputs=[corpus.path, *inputs],
        fields={"labelled", *list_marks(KIND, corpus.manifest)},
        overwrite=overwrite,
    )
    with beginning as building:
        if measure is not None:
            measure_corpus(corpus, building, measure, workers, show_progress)
        else:
            for number, shard in enumerate(corpus.shards):
                folder = shard_folder(building.folder, number)
                folder.mkdir(parents=True, exist_ok=True)
                for name in (POSITIONS, DISTANCES):
                    share_file(shard.folder / name, folder / name)
        _write_labelled(corpus, building.folder, targets, decoding, facts, workers, show_progress)
    return Corpus.open(output)


def relabel(
    labelled: Corpus,
    output: str | Path,
    *,
    decoding: str = "hard",
    idk_threshold: IdkThreshold = MODEL_THRESHOLD,
    sharpness: float | None = None,
    random_state: int = 0,
    workers: int | None = None,
    overwrite: bool = False,
    show_progress: bool | None = None,
) -> Corpus:
    """Decode a labelled corpus anew from its stored distances; the model is not needed.

    The result is exactly what `label_corpus` would have given with these settings; "model" for the
    threshold, and None for the sharpness, take those that the corpus was labelled with.
    """
    require_labels(labelled)
    before = labelled.manifest["labelled"]
    if isinstance(idk_threshold, str) and idk_threshold == MODEL_THRESHOLD:
        rule = before.get("idk_threshold", DEFAULT_IDK_THRESHOLD)
        idk_threshold = ConfidenceRule.from_dict(rule) if isinstance(rule, dict) else rule
    if sharpness is None:
        sharpness = float(before["sharpness"])
    chosen = Decoding(decoding, check_threshold(idk_threshold), sharpness, random_state)
    return label_by_measure(
        labelled,
        output,
        read_targets(labelled),
        None,
        chosen,
        _tell_model(labelled),
        workers=workers,
        overwrite=overwrite,
        show_progress=show_progress,
    )


def _write_labelled(
    corpus: Corpus,
    output: Path,
    targets: Targets,
    decoding: Decoding,
    facts: dict[str, Any],
    workers: int | None,
    show_progress: bool | None,
) -> None:
    """Second and third pass, and everything that makes the folder a corpus."""
    tasks = [
        (shard, shard_folder(output, number), number, targets, decoding)
        for number, shard in enumerate(corpus.shards)
    ]
    lexeme_counts = np.zeros((len(targets.words), targets.max_senses + 1), np.int64)
    n_without_context = 0
    with progress_bar("decoding", len(tasks), unit="shards", show=show_progress) as advance:
        for counts, n_poor in map_tasks(count_shard, tasks, workers):
            lexeme_counts += counts
            n_without_context += n_poor
            advance()
    vocabulary, ids = order_lexemes(corpus, targets, lexeme_counts)
    vocabulary.save(output)
    targets.save(output)
    if has_file(corpus.path / FUNCTION_WORDS):
        share_file(corpus.path / FUNCTION_WORDS, output / FUNCTION_WORDS)
    writing = ((*task, ids) for task in tasks)
    with progress_bar("writing", len(tasks), unit="shards", show=show_progress) as advance:
        for _ in map_tasks(write_shard, writing, workers):
            advance()
    labelled = facts | decoding.to_dict()
    labelled |= {
        "n_words": int((lexeme_counts.sum(axis=1) > 0).sum()),
        "n_lexemes": int((lexeme_counts[:, 1:] > 0).sum()),
        "n_occurrences": int(lexeme_counts.sum()),
        "n_idk": int(lexeme_counts[:, 0].sum()),
        "n_without_context": n_without_context,
    }
    head = ("kind", "format_version", "grassmeans", "created")
    fields = {name: value for name, value in corpus.manifest.items() if name not in head}
    fields |= {
        "digest": digest_of([corpus.manifest.get("digest"), labelled]),
        "n_types": len(vocabulary),
        "labelled": labelled,
    }
    write_manifest(output, KIND, FORMAT_VERSION, fields)
