"""A testbed for the police lineup, made from WordNet: the original one is not public any more.

WordNet tells more senses apart than people do. These are taken:

- nouns first, then verbs and adjectives that were seen in tagged text, the frequent ones first;
- no proper names, and no sense whose definition uses the word itself ("enclose with a bank"):
  it is derived from another one;
- only one sense of each broad class (a lexicographer file: animal, artifact, ...), one of the
  verbs and one of the adjectives;
- no sense that WordNet relates to one taken already, or that shares a content word with it, in
  definition, examples, synonyms or hypernyms;
- only senses that have as many related words as wanted, none of them shared.

Words are drawn at random from those that are in use: at least two of the noun senses were seen in
tagged text, one of those taken is a thing that can be touched (an animal, an artifact, a part of
the body, food, a natural object, a plant, a substance), and, where vectors are given, the word is
among their first 20,000.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from grassmeans.errors import InputError
from grassmeans.outputs.places import check_output_file
from grassmeans.progress import progress_bar
from grassmeans.reading.given import check_words
from grassmeans.vectors.word_vectors import WordVectors
from grassmeans_lab.evaluation.tasks.lineup.task import LineupSense, write_lineup
from grassmeans_lab.wordnet.database import Synset, WordNet, WordSense
from grassmeans_lab.wordnet.related_words import CONCRETE_FILES, RelatedWords

MIN_SENSES = 2
MAX_SENSES = 6
_MAX_ROW = 20_000
_MIN_LETTERS = 3
_NAMED_RELATIONS = frozenset({"+", "@", "~", "\\", "&", "^", "$", ">", "*"})


@dataclass(frozen=True, slots=True)
class LineupSummary:
    """What was written."""

    path: Path
    n_words: int
    n_senses: int
    wordnet: str  # where WordNet was found
    # Words that were asked for and have fewer than two senses that are clearly distinct.
    words_without_senses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Candidate:
    sense: WordSense
    content: frozenset[str]
    words: tuple[str, ...]


def build_lineup(
    output: str | Path,
    wordnet: str | Path | None = None,
    *,
    vectors: WordVectors | None = None,
    words: str | Sequence[str] | None = None,
    n_words: int = 200,
    n_related: int = 8,
    random_state: int = 0,
    overwrite: bool = False,
) -> LineupSummary:
    """Write a testbed of polysemous words, each sense told by related words.

    `InputError` where WordNet is not found, or fewer than ``n_words`` words can be had.

    Parameters
    ----------
    output : path
        A file of JSON lines, see `grassmeans_lab.evaluation.tasks.lineup.task`.
    wordnet : path, optional
        The folder or the zip archive of WordNet's database; looked for where NLTK keeps it by
        default.
    vectors : WordVectors, optional
        Only words that are frequent there are taken.
    words : sequence of str, optional
        These words instead of a random choice.
    n_words : int
        How many words to choose.
    n_related : int
        Related words a sense.
    overwrite : bool
        Replace a file that is there.
    """
    if n_words < 1 or n_related < 1:
        raise InputError(f"n_words and n_related must be 1 or more, got {n_words} and {n_related}")
    inputs = [wordnet, None if vectors is None else vectors.folder]
    check_output_file(output, inputs=inputs, overwrite=overwrite)
    database = WordNet.open(wordnet)
    builder = _SenseChooser(database, RelatedWords(database, vectors), n_related)
    if words is not None:
        wanted = list(dict.fromkeys(word.lower() for word in check_words(words)))
        chosen = {word: builder.choose(word) for word in wanted}
    else:
        chosen = _draw_words(builder, vectors, n_words, random_state)
    kept = {word: senses for word, senses in sorted(chosen.items()) if len(senses) >= MIN_SENSES}
    if not kept:
        raise InputError(f"none of the words has {MIN_SENSES} clearly distinct senses in WordNet")
    senses = [
        LineupSense(word, f"{word}.{number}", one.words, f"wordnet:{one.sense.synset.name}")
        for word, candidates in kept.items()
        for number, one in enumerate(candidates, start=1)
    ]
    write_lineup(output, senses, inputs=inputs, overwrite=overwrite)
    return LineupSummary(
        path=Path(output),
        n_words=len(kept),
        n_senses=len(senses),
        wordnet=database.place,
        words_without_senses=tuple(word for word in chosen if word not in kept),
    )


@dataclass(frozen=True, slots=True)
class _SenseChooser:
    """Chooses the senses of a word that are clearly distinct."""

    wordnet: WordNet
    related: RelatedWords
    n_related: int

    def choose(self, word: str) -> list[_Candidate]:
        """At most six senses, the frequent ones first."""
        accepted: list[_Candidate] = []
        for sense in sorted(self._usable_senses(word), key=_preference):
            candidate = self._describe(word, sense)
            if len(candidate.words) == self.n_related and not any(
                _are_close(candidate, other) for other in accepted
            ):
                accepted.append(candidate)
        accepted.sort(key=lambda one: (-one.sense.count, _preference(one.sense)))
        return accepted[:MAX_SENSES]

    def _usable_senses(self, word: str) -> Iterator[WordSense]:
        for sense in self.wordnet.senses_of(word):
            synset = sense.synset
            in_use = synset.pos == "n" or (synset.pos in ("v", "a") and sense.count > 0)
            is_name = word not in synset.lemmas  # written in capitals there
            if in_use and not is_name and not self.related.mentions(word, synset.definition):
                yield sense

    def _describe(self, word: str, sense: WordSense) -> _Candidate:
        return _Candidate(
            sense,
            self.related.content(word, sense.synset),
            self.related.find(word, sense.synset, self.n_related),
        )


def _preference(sense: WordSense) -> tuple[int, int, int]:
    """Nouns first: a verb of the same form is often made from the noun."""
    return "nva".index(sense.synset.pos), -sense.count, sense.number


def _are_close(first: _Candidate, second: _Candidate) -> bool:
    one, other = first.sense.synset, second.sense.synset
    same_class = one.lexicographer_file == other.lexicographer_file or (
        one.pos == other.pos and one.pos != "n"
    )
    return (
        same_class
        or _is_related(one, other)
        or _is_related(other, one)
        or not first.content.isdisjoint(second.content)
        or not set(first.words).isdisjoint(second.words)
    )


def _is_related(one: Synset, other: Synset) -> bool:
    return any(
        pointer.symbol in _NAMED_RELATIONS
        and (pointer.pos, pointer.offset) == (other.pos, other.offset)
        for pointer in one.pointers
    )


def _draw_words(
    builder: _SenseChooser, vectors: WordVectors | None, n_words: int, random_state: int
) -> dict[str, list[_Candidate]]:
    """Look at words in use in random order until enough have distinct senses."""
    eligible = sorted(_words_in_use(builder.wordnet, vectors))
    order = np.random.default_rng(random_state).permutation(len(eligible))
    found: dict[str, list[_Candidate]] = {}
    with progress_bar("choosing words", n_words, unit="words") as advance:
        for row in order.tolist():
            senses = builder.choose(eligible[row])
            if _is_clear(senses):
                found[eligible[row]] = senses
                advance(1)
            if len(found) == n_words:
                return found
    raise InputError(
        f"only {len(found):,} words have {MIN_SENSES} clearly distinct senses, {n_words:,} were "
        "asked for: ask for fewer words or fewer related words, or give vectors of more words"
    )


def _is_clear(senses: Sequence[_Candidate]) -> bool:
    """Two senses as a noun, one of them a thing that can be touched."""
    files = [one.sense.synset.lexicographer_file for one in senses if one.sense.synset.pos == "n"]
    return len(files) >= MIN_SENSES and not CONCRETE_FILES.isdisjoint(files)


def _words_in_use(wordnet: WordNet, vectors: WordVectors | None) -> Iterator[str]:
    for lemma, offsets in wordnet.index["n"].items():
        is_plain = lemma.isascii() and lemma.isalpha() and len(lemma) >= _MIN_LETTERS
        if not is_plain or len(offsets) < MIN_SENSES:
            continue
        row = 0 if vectors is None else vectors.id_of(lemma)
        counts = [wordnet.count_of(lemma, "n", number) for number in range(1, len(offsets) + 1)]
        if row is not None and row < _MAX_ROW and sum(c > 0 for c in counts) >= MIN_SENSES:
            yield lemma
