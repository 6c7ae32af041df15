"""Arora et al. 2016: the senses of a word are the atoms that its vector is a sum of.

All word vectors are coded by one dictionary of atoms ("discourses"), each as a sum of a few. Where
the paper says that a word's vector is a positive sum of its senses' vectors, the pursuit also gives
negative coefficients: those atoms only correct the sum and are no senses.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from grassmeans.artifacts import open_array, write_array
from grassmeans.errors import InputError
from grassmeans.kernels import SparseCodes, get_kernels
from grassmeans.laboratory.rivals.cosine_senses import CosineSenses, SenseDirections
from grassmeans.laboratory.rivals.dictionary import learn_dictionary
from grassmeans.laboratory.rivals.interface import ContextRule, Material, SenseInducer
from grassmeans.laboratory.rivals.keeping import digest_of_vectors, is_kept, keep_work
from grassmeans.laboratory.rivals.word_contexts import check_at_least_one
from grassmeans.vectors.word_vectors import WordVectors

_KIND = "atoms"
_ATOMS, _IDS, _COEFFICIENTS = "atoms.npy", "atom_ids.npy", "coefficients.npy"


@dataclass(frozen=True, slots=True)
class CodedWords:
    """Atoms (n_atoms, dim), unit rows, and the codes of all words of the vectors."""

    atoms: NDArray[np.float32]
    codes: SparseCodes


class AtomSenses(SenseInducer):
    """Discourse atoms by sparse coding of the word vectors; a context goes to its nearest atom.

    Parameters
    ----------
    n_atoms, sparsity, n_iterations : int
        Size of the dictionary, atoms a word at most, rounds of learning; the paper's by default.
    n_words : int or None
        Learn the atoms from the first so many words, usually the most frequent ones, and code all
        words with them. None learns from all, as in the paper.
    max_share : float
        An atom in the codes of more than this share of all words stands for no sense: it holds
        what the vectors have in common.
    smoothing : float or None
        A context is the mean of its words' vectors weighted by a / (a + frequency), with this a
        (Arora et al. 2017). None weighs all words alike.
    window : int
        Kept words a side in a context.

    Notes
    -----
    One dictionary is learnt, where the paper merges several. A word whose atoms are all left out
    keeps the one with the largest coefficient. Senses are in order of falling coefficient.
    """

    name: ClassVar[str] = "atoms"

    def __init__(
        self,
        n_atoms: int = 2000,
        sparsity: int = 5,
        n_iterations: int = 25,
        *,
        n_words: int | None = None,
        max_share: float = 0.01,
        smoothing: float | None = 1e-3,
        window: int = 10,
    ) -> None:
        self.n_atoms = n_atoms
        self.sparsity = sparsity
        self.n_iterations = n_iterations
        self.n_words = n_words
        self.max_share = max_share
        self.smoothing = smoothing
        self.window = window

    def induce(self, material: Material) -> CosineSenses:
        """Learn the atoms, or open them where the folder has them, and look the words up."""
        self._check()
        coded = self._keep_coded_words(material)
        common = find_common_atoms(coded, self.max_share)
        senses = {
            word: coded.atoms[atom_ids]
            for word, atom_ids in _atoms_of_words(material.words, material.vectors, coded, common)
        }
        return CosineSenses(
            SenseDirections.collect(senses, material.vectors.dim),
            material.vectors,
            smooth_inverse_frequencies(material.vectors, self.smoothing),
            ContextRule(window=self.window),
        )

    def _check(self) -> None:
        check_at_least_one(
            n_atoms=self.n_atoms,
            sparsity=self.sparsity,
            n_iterations=self.n_iterations,
            window=self.window,
        )
        if not 0.0 < self.max_share <= 1.0:
            raise InputError(f"max_share must be above 0 and at most 1, got {self.max_share}")
        if self.smoothing is not None and not self.smoothing > 0.0:
            raise InputError(f"smoothing must be above 0, or None; got {self.smoothing}")

    def _keep_coded_words(self, material: Material) -> CodedWords:
        folder = material.folder
        if folder is None:
            return self._code_words(material)
        # Not the words that were asked for: the atoms serve all words of the vectors.
        identity = {
            "n_atoms": self.n_atoms,
            "sparsity": self.sparsity,
            "n_iterations": self.n_iterations,
            "n_words": self.n_words,
            "random_state": material.random_state,
            "vectors": digest_of_vectors(material.vectors),
        }
        if not is_kept(folder, _KIND, identity):
            with keep_work(folder, _KIND, identity) as building:
                _save(self._code_words(material), building)
        return _load(folder)

    def _code_words(self, material: Material) -> CodedWords:
        signals = material.vectors.vectors
        learnt = learn_dictionary(
            signals[: self.n_words],
            self.n_atoms,
            self.sparsity,
            n_iterations=self.n_iterations,
            random_state=material.random_state,
        )
        rest = get_kernels().code_signals(
            signals[len(learnt.codes.ids) :], learnt.atoms, self.sparsity
        )
        codes = SparseCodes(
            np.concatenate([learnt.codes.ids, rest.ids]),
            np.concatenate([learnt.codes.coefficients, rest.coefficients]),
        )
        return CodedWords(learnt.atoms, codes)


def find_common_atoms(coded: CodedWords, max_share: float) -> NDArray[np.bool_]:
    """(n_atoms,) whether an atom is used by more than this share of the words."""
    ids = coded.codes.ids
    n_users = np.bincount(ids[ids >= 0], minlength=len(coded.atoms))
    common: NDArray[np.bool_] = n_users > max_share * len(ids)
    return common


def smooth_inverse_frequencies(
    vectors: WordVectors, smoothing: float | None
) -> NDArray[np.float32]:
    """(n_words,) weights a / (a + frequency); 1 without smoothing, or where counts are unknown."""
    if smoothing is None or vectors.counts is None:
        return np.ones(len(vectors), np.float32)
    frequencies = vectors.counts / max(int(vectors.counts.sum()), 1)
    weights: NDArray[np.float32] = (smoothing / (smoothing + frequencies)).astype(np.float32)
    return weights


def _atoms_of_words(
    words: Iterable[str], vectors: WordVectors, coded: CodedWords, common: NDArray[np.bool_]
) -> Iterable[tuple[str, NDArray[np.int32]]]:
    """Words with the ids of their atoms; not those without a vector, or with a vector of zeros."""
    for word in dict.fromkeys(words):
        row = vectors.id_of(word)
        if row is None or coded.codes.ids[row, 0] < 0:
            continue
        ids, coefficients = coded.codes.ids[row], coded.codes.coefficients[row]
        order = np.argsort(-coefficients, kind="stable")
        order = order[(ids[order] >= 0) & (coefficients[order] > 0.0)]
        chosen = ids[order][~common[ids[order]]]
        if len(chosen) == 0:
            chosen = ids[[np.argmax(np.where(ids >= 0, coefficients, -np.inf))]]
        yield word, chosen


def _save(coded: CodedWords, folder: Path) -> None:
    write_array(folder / _ATOMS, coded.atoms)
    write_array(folder / _IDS, coded.codes.ids)
    write_array(folder / _COEFFICIENTS, coded.codes.coefficients)


def _load(folder: Path) -> CodedWords:
    codes = SparseCodes(open_array(folder / _IDS), open_array(folder / _COEFFICIENTS))
    return CodedWords(np.asarray(open_array(folder / _ATOMS)), codes)
