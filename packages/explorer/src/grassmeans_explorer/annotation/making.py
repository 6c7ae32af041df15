"""From a corpus to an annotation: lines are drawn, and labels are those of a model's senses."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from grassmeans.corpus.corpus import Corpus, open_corpus
from grassmeans.errors import InputError
from grassmeans.models.model import SenseModel, open_model
from grassmeans_explorer.annotation.project import (
    SENSES,
    UNDECIDED,
    AnnotationProject,
    list_senses,
    make_project,
)
from grassmeans_explorer.annotation.uses import find_lemmas, make_uses
from grassmeans_explorer.querying.samples import SampleWish, sample_lines


def draw_project(
    corpus: Corpus | str | Path,
    asked: str,
    output: str | Path,
    annotators: Iterable[str],
    *,
    task: str = SENSES,
    model: SenseModel | str | Path | None = None,
    labels: Iterable[str] | None = None,
    size: int = 50,
    n_pairs: int = 100,
    stratified: bool = False,
    random_state: int = 0,
    overwrite: bool = False,
) -> AnnotationProject:
    """Draw lines of a word, a phrase or a query, and write an annotation of them.

    Parameters
    ----------
    labels : iterable of str, optional
        In place of the senses of a model, which has to have the word.
    size, stratified, random_state
        As of `grassmeans_explorer.querying.samples.SampleWish`.
    n_pairs : int
        Of the task "relatedness".
    """
    opened = open_corpus(corpus)
    chosen = None if model is None else open_model(model)
    wish = SampleWish(size=size, stratified=stratified, random_state=random_state)
    sample = sample_lines(opened, asked, wish, model=chosen)
    uses = make_uses(opened, sample)
    named = None if labels is None else {label: label for label in labels}
    if named is not None:
        named.setdefault(UNDECIDED, "cannot decide")
    elif task == SENSES:
        lemmas = find_lemmas(uses)
        if chosen is None or len(lemmas) != 1 or chosen.spell(lemmas[0]) not in chosen.inventory:
            raise InputError(
                "the labels are not known: name a model that has senses of the word, or labels"
            )
        named = list_senses(chosen, lemmas[0])
    inputs = {"corpus": opened.manifest["digest"]}
    if chosen is not None:
        inputs["model"] = chosen.digest
    return make_project(
        output,
        uses,
        annotators,
        task=task,
        labels=named,
        n_pairs=n_pairs,
        random_state=random_state,
        inputs=inputs,
        sources=[opened.path, None if chosen is None else chosen.folder],
        overwrite=overwrite,
    )
