"""New contexts of a word that has senses: what they add to these, and when they are a new one.

What no sense explains: the model says "I don't know", or the nearest sense is farther than its own
contexts are on average. Such contexts are grouped as those of a new word are. A group of enough
contexts is a sense of its own by the very rule by which groups are kept apart when senses are
induced: far enough from all others, the farther the rarer it is.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from grassmeans.arrays import Floats
from grassmeans.clustering.merging import is_apart
from grassmeans.clustering.settings import AUTO, InductionSettings
from grassmeans.contexts.interface import ContextEncoder
from grassmeans.senses.calibration import measure_inside
from grassmeans.senses.describing import describe_senses
from grassmeans.senses.entries import Sense, WordSenses
from grassmeans.senses.inflection import Groups, level_word
from grassmeans.senses.samples import EncodedWord, WordSample
from grassmeans.senses.word_induction import group_contexts
from grassmeans.vectors.word_vectors import WordVectors

FEWEST_NEW = 20
"""Contexts that a new sense needs."""


def find_new_senses(
    entry: WordSenses,
    sample: WordSample,
    unsure: NDArray[np.bool_],
    settings: InductionSettings,
    encoder: ContextEncoder,
) -> Floats:
    """(n_new, dim) directions of senses that new contexts show and the word does not have.

    ``unsure`` (n_contexts,) are those of which the model does not know the sense.
    """
    nothing = np.empty((0, sample.bases.shape[2]), np.float32)
    distances = sample.measure(entry.directions)
    usual = np.array([sense.mean_distance for sense in entry.senses])
    usual = np.where(np.isfinite(usual) & (usual > 0.0), usual, 1.0)
    far = distances.min(axis=1) > usual[distances.argmin(axis=1)]
    unexplained = np.flatnonzero(unsure | far)
    if len(unexplained) < FEWEST_NEW:
        return nothing
    part = sample[unexplained]
    encoded = EncodedWord(part.contexts.positions, part.bases)
    levelled = level_word(entry.word, encoded, sample.source, sample.lines_have_ends)
    total = entry.count + sample.count
    free = replace(settings, n_senses=AUTO)
    found = group_contexts(entry.word, levelled, free, encoder, total)
    directions = Groups.of(found, levelled is not part.bases).meet(part.bases)
    kept: list[Floats] = []
    is_taken = entry.directions.any(axis=1)
    taken = list(entry.directions[is_taken])
    inside = np.where(usual < 1.0, measure_inside(usual), 1.0)[is_taken].tolist()
    each = sample.count / len(sample.contexts) / total  # the share that a context stands for
    for k in np.argsort(-np.bincount(found.labels_, minlength=len(directions))).tolist():
        direction = directions[k]
        members = unexplained[found.labels_ == k]
        own = sample[members].measure(direction[None])[:, 0]
        nearer = own < distances[members].min(axis=1)
        size = int(nearer.sum())
        cosines = np.stack([*taken, direction])[:-1] @ direction
        cosines = cosines if encoder.lines_have_ends else np.abs(cosines)
        of_own = float(measure_inside([own[nearer].mean() if size else 1.0])[0])
        if found.turned_rules.by_pairs:
            cosines = cosines * np.array(inside) * of_own
        if size >= FEWEST_NEW and is_apart(cosines, size * each, found.turned_rules):
            kept.append(direction)
            taken.append(direction)
            inside.append(of_own)
    return np.stack(kept) if kept else nothing


def add_contexts(
    entry: WordSenses, sample: WordSample, new: Floats, vectors: WordVectors
) -> WordSenses:
    """The entry with the occurrences of new text, and with new senses at its end.

    The shares become those of all occurrences, old and new; the old senses are described as before.
    """
    directions = np.concatenate([entry.directions, new]).astype(np.float32)
    distances = sample.measure(directions)
    labels = distances.argmin(axis=1)
    sizes = np.bincount(labels, minlength=len(directions))
    shares = sizes / max(sizes.sum(), 1)
    total = entry.count + sample.count
    old = np.array([sense.share for sense in entry.senses] + [0.0] * len(new))
    joined = (entry.count * old + sample.count * shares) / max(total, 1)
    n_old = entry.n_contexts
    senses: list[Sense] = []
    for k, sense in enumerate(entry.senses):
        before, now = sense.share * n_old, float(sizes[k])
        mean = float(distances[labels == k, k].mean()) if now else 0.0
        known = before > 0.0 and np.isfinite(sense.mean_distance)
        weighted = (before * sense.mean_distance + now * mean) / max(before + now, 1e-12)
        distance = weighted if known else (mean if now else sense.mean_distance)
        senses.append(replace(sense, share=float(joined[k]), mean_distance=float(distance)))
    if len(new):
        described = describe_senses(sample, directions, vectors)[len(entry.senses) :]
        numbered = enumerate(described, len(senses) + 1)
        senses += [replace(s, number=n, share=float(joined[n - 1])) for n, s in numbered]
    seen = sample.source.forms_of(entry.word)
    forms: Counter[str] = Counter()
    if entry.forms or seen:
        forms.update(dict(entry.forms or [(entry.word, entry.count)]))
        forms.update(dict(seen or [(entry.word, sample.count)]))
    return replace(
        entry,
        forms=tuple(forms.most_common()),
        count=total,
        n_contexts=n_old + len(sample.contexts),
        directions=directions,
        senses=tuple(senses),
    )
