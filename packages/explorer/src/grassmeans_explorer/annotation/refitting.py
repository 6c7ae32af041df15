"""What annotators decided -> corrections of a model: lines given to their senses.

They are the corrections that a person makes in the explorer (`grassmeans_explorer.editing`), and
are saved as a new version of the model. Items that stay open are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from grassmeans.arrays import Indices
from grassmeans.corpus.corpus import Corpus, open_corpus
from grassmeans.errors import InputError
from grassmeans.models.model import SenseModel, open_model
from grassmeans.models.origin import OWN, name_corpus, relate_corpus
from grassmeans.senses.samples import EncodedWord, WordSample, complete_sample, sample_word
from grassmeans_explorer.annotation.project import NEW, SENSES, UNDECIDED, AnnotationProject
from grassmeans_explorer.editing.edited_words import Edit, EditedWord, Evidence
from grassmeans_explorer.editing.saving import save_version


@dataclass(frozen=True, slots=True)
class Refit:
    """A model whose senses were turned towards the lines that annotators gave them."""

    model: SenseModel
    """As it was."""
    edits: Mapping[str, EditedWord]
    n_lines: int
    """That were given to a sense."""
    n_open: int
    """Items that nobody has decided."""
    refused: tuple[str, ...]
    """What could not be done, for people: lines that fit their sense in no way."""

    def save(self, folder: str | Path | None = None, name: str | None = None) -> Path:
        """Save it as a new version, as `grassmeans_explorer.editing.saving.save_version` does.

        `InputError` with what was refused, where no line could be given to a sense.
        """
        if not self.edits:
            raise InputError(f"no line could be given to its sense: {'; '.join(self.refused)}")
        return save_version(self.model, self.edits, folder, name)


def refit_senses(
    project: AnnotationProject, model: SenseModel | str | Path, corpus: Corpus | str | Path
) -> Refit:
    """Give the lines of an annotation to the senses that were decided for them.

    `InputError` where `tell_why_not` says why not, or nothing is decided.
    """
    opened, read = open_model(model), open_corpus(corpus)
    if why_not := tell_why_not(project, opened, read):
        raise InputError(f"{project.path.name}: {why_not}")
    decided, n_open = _collect(project, opened)
    if not decided:
        raise InputError("no line is decided yet: judge some, or adjudicate")
    source = opened.pool_forms(read)
    edits: dict[str, EditedWord] = {}
    samples: dict[str, WordSample] = {}
    refused = []
    n_lines = 0
    for (word, label), positions in sorted(decided.items(), key=lambda pair: pair[0]):
        edited = edits.get(word) or EditedWord.start(opened, word)
        if word not in samples:  # of all its labels, each of which may take a while
            samples[word] = sample_word(word, source, opened.encoder, opened.settings)
        evidence = _gather(opened, source, samples[word], positions)
        senses = () if label == NEW else (int(label),)
        lines = tuple(positions.tolist())
        edit = Edit(word, "assign", senses, lines=lines, corpus=name_corpus(read).digest)
        try:
            edits[word] = edited.apply(edit, opened.vectors, evidence)
            n_lines += len(lines)
        except InputError as error:
            refused.append(f"{word}.{label}: {error}")
    return Refit(opened, edits, n_lines, n_open, tuple(refused))


def tell_why_not(project: AnnotationProject, model: SenseModel, corpus: Corpus) -> str:
    """Why the lines of an annotation cannot be given to a model's senses; empty where they can."""
    if project.task != SENSES:
        return "only labels of senses tell which lines a sense has"
    inputs = project.manifest.get("inputs", {})
    if inputs.get("corpus") != corpus.manifest["digest"]:
        return f"the lines were not drawn from the corpus {corpus.path.name}"
    if inputs.get("model", model.digest) != model.digest:
        return "the labels are senses of another model, or of another version of this one: open it"
    return ""


def _collect(
    project: AnnotationProject, model: SenseModel
) -> tuple[dict[tuple[str, str], Indices], int]:
    """The positions of decided lines by word and label, and how many items are open."""
    found: dict[tuple[str, str], list[int]] = {}
    n_open = 0
    for decision in project.decide():
        use = project.uses[decision.item]
        is_sense = decision.label == NEW or decision.label.isdecimal()
        if not decision.label or decision.label == UNDECIDED or not is_sense:
            n_open += 1
        elif use.position is not None:
            word = model.spell(use.lemma)
            found.setdefault((word, decision.label), []).append(use.position)
    return {key: np.unique(np.array(own, np.int64)) for key, own in found.items()}, n_open


def _gather(model: SenseModel, source: Corpus, sample: WordSample, positions: Indices) -> Evidence:
    """What the correction is made from: a sample of the word's contexts, and those of the lines."""
    word = sample.word
    if not np.isin(positions, source.positions(word)).all():
        raise InputError(f"{word!r} does not stand at all positions of the annotation")
    encoder = model.encoder
    encoded = EncodedWord(positions, encoder.encode_at(source, positions))
    return Evidence(
        sample=sample,
        counted_in=None if relate_corpus(model, source) == OWN else name_corpus(source),
        lines=complete_sample(word, encoded, source, encoder),
        rule=model.idk_threshold,
        lines_have_ends=encoder.lines_have_ends,
    )
