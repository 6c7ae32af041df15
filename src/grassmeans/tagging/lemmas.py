"""Inflected forms lead to their lemmas, where a table or a function of the user's gives them.

A model of a corpus whose tokens are lemmas (CoNLL-U with ``column="lemma"``) knows lemmas only.
Which forms they had stands in the corpus, and goes into the model as a table; text that is to be
tagged comes in forms. A model of forms takes a table, or a lemmatizer, from its user; or its senses
were induced with the forms of a word together, by a table that was made before (`choose_forms`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from grassmeans.arrays import Floats
from grassmeans.artifacts.checking import damaged, has_file, read_text
from grassmeans.artifacts.writing import write_bytes
from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.pooled_forms import PooledForms
from grassmeans.corpus.shard import Shard
from grassmeans.corpus.vocabulary import is_function_word
from grassmeans.errors import InputError, import_extra
from grassmeans.reading.given import spell_word
from grassmeans.text.tokenizer import WhitespaceTokenizer
from grassmeans.vectors.similarity import unit_rows
from grassmeans.vectors.word_vectors import WordVectors

FindLemma = Callable[[str], str | None]
LemmaChoice = bool | str | Mapping[str, str] | FindLemma
"""Whether the forms of a word have its senses, and which are its forms: as for `choose_forms`."""

AUTO_LEMMAS = "auto"
FORMS_POOLED = "lemmas"
"""Field of a model's manifest: its senses were induced with the forms of a word together."""

NEARNESS = 0.95
"""Of the usual nearness of forms and lemmas, above that of any two words: what a form needs."""
MOST_OFTEN = 10
"""A form that occurs so many times as often as all else of its lemma is a word by itself."""

CAPITALISED_NOUNS = frozenset({"de", "lb"})
"""Languages that capitalise nouns."""

_MOST_LOOKED_AT = 5_000_000  # tokens, to find capitalised words
_INSIDE_SENTENCES = re.compile(r"(?:(?<=[^\W\d_] )|(?<=, ))[^\W\d_]+")
_FILE = "lemmas.tsv"
_PACKAGE = "simplemma"
_N_ANY = 2000


@dataclass(frozen=True, slots=True)
class Lemmas:
    """Where forms lead to."""

    find: FindLemma  # form, as the model spells it -> lemma, or None
    known: Container[str]  # the words that have a vector

    def entry_of(self, key: str, entries: Container[str]) -> str:
        """The lemma of a word where that has an entry; else the word itself."""
        lemma = self.find(key)
        return lemma if lemma is not None and lemma in entries else key

    def context_of(self, key: str) -> str:
        """A word that has a vector as it is; in place of any other its lemma."""
        return key if key in self.known else self.entry_of(key, self.known)


def check_lemmas(lemmas: Any) -> FindLemma:
    """A function that gives lemmas, from a table or a function."""
    if isinstance(lemmas, Mapping):
        return lemmas.get
    if callable(lemmas):
        found: FindLemma = lemmas
        return found
    raise InputError(
        "lemmas must be a table such as {'cranes': 'crane'}, or a function of a word, got "
        f"{type(lemmas).__name__}"
    )


@dataclass(frozen=True, slots=True)
class FormTable:
    """Forms that have the senses of their lemmas, and where that is known from."""

    lemma_of: dict[str, str]
    source: str = ""  # empty where the tokens of the corpus are lemmas already

    def pool(self, corpus: Corpus) -> Corpus:
        """The corpus, in which lemmas have the occurrences of their forms."""
        return PooledForms(corpus, self.lemma_of) if self.source and self.lemma_of else corpus

    def of_entries(self, entries: Container[str]) -> FormTable:
        """The forms of lemmas that have senses alone."""
        if not self.source:
            return self
        own = {form: lemma for form, lemma in self.lemma_of.items() if lemma in entries}
        return FormTable(own, self.source)

    def describe(self) -> dict[str, Any]:
        """What the manifest of a model tells."""
        if not (self.source and self.lemma_of):
            return {}
        return {FORMS_POOLED: {"source": self.source, "n_forms": len(self.lemma_of)}}


def choose_forms(choice: Any, corpus: Corpus, vectors: WordVectors) -> FormTable:
    """The forms in a corpus whose occurrences are those of their lemmas.

    Where its tokens are lemmas already, these are known, and nothing is to be chosen.

    Parameters
    ----------
    choice : bool, "auto", mapping or callable
        True: as the dictionaries of simplemma tell for the corpus's language, but for forms that
        mean something else (`tell_forms`); "auto": the same where they are installed and know the
        language. A table or a function is taken as it is.
    """
    is_auto = isinstance(choice, str) and choice == AUTO_LEMMAS
    find = None if isinstance(choice, bool) or is_auto else check_lemmas(choice)
    stored = collect_forms(corpus)
    if stored or choice is False or (is_auto and find_spec(_PACKAGE) is None):
        return FormTable(stored)
    if find is not None:
        return FormTable(_ask_all(find, corpus), "given")
    language = corpus.manifest["options"]["language"]
    try:
        find = open_dictionary(language, corpus)
    except InputError:
        if is_auto:
            return FormTable({})
        raise
    return FormTable(tell_forms(find, corpus, vectors), f"{_PACKAGE} ({language})")


def _ask_all(find: FindLemma, corpus: Corpus) -> dict[str, str]:
    """Form -> lemma of all words of a corpus; what is a lemma itself is no form."""
    found = {word: find(word) or word for word in corpus.vocabulary.words}
    heads = {lemma for form, lemma in found.items() if lemma != form}
    return {form: lemma for form, lemma in found.items() if lemma != form and form not in heads}


def open_dictionary(language: str, corpus: Corpus | None = None) -> FindLemma:
    """The lemmas of a language's forms by simplemma; `InputError` where it has no such language.

    Where nouns are capitalised the dictionary has them so, and verbs beside them that are spelled
    alike: a corpus tells which of its words are nouns.
    """
    strategies = import_extra(f"{_PACKAGE}.strategies", "lemmas", "lemmas of a language's words")
    # What stands in no dictionary may be a verb with pronouns behind it: "dándole", of "dar".
    ways = [strategies.DictionaryLookupStrategy(), strategies.CliticDecompositionStrategy()]
    is_cased = language in CAPITALISED_NOUNS
    nouns = find_capitalised(corpus) if is_cased and corpus is not None else frozenset[str]()

    def find(form: str) -> str | None:
        spellings = [form, form.capitalize()] if is_cased else [form]
        if form in nouns:
            spellings.reverse()
        found = (way.get_lemma(spelling, language) for way in ways for spelling in spellings)
        return next((lemma for lemma in found if lemma is not None), None)

    try:
        find("a")
    except ValueError as error:
        raise InputError(
            f"{_PACKAGE} has no lemmas of the language {language!r}: give a table or a function "
            "of yours (lemmas=... in Python), or leave lemmas out"
        ) from error
    return find


def find_capitalised(corpus: Corpus) -> frozenset[str]:
    """The words, in lower case, that mostly are capitalised inside of sentences.

    In a part of the documents, from all over the corpus, that is large enough for its words.
    """
    step = -(-corpus.n_tokens // _MOST_LOOKED_AT)
    counts: Counter[str] = Counter()
    capitals: Counter[str] = Counter()
    for shard in corpus.shards:
        for document in range(0, shard.sizes.n_documents, step):
            words = Counter(_INSIDE_SENTENCES.findall(shard.document_text(document)))
            for word, count in words.items():
                key = word.lower()
                counts[key] += count
                capitals[key] += count * word[0].isupper()
    return frozenset(word for word, count in capitals.items() if 2 * count > counts[word])


def tell_forms(find: FindLemma, corpus: Corpus, vectors: WordVectors) -> dict[str, str]:
    """Form -> lemma, of the content words of a corpus; forms that mean something else are left out.

    A form that has forms of its own is a word by itself ("saw", for "saws"), and so is one that is
    far more frequent than the rest of its lemma ("united"). One whose vector is far from those of
    the lemma and its other forms has a meaning of its own ("goods", "customs").
    """
    words, left_out = corpus.vocabulary, corpus.function_words

    def find_content(form: str) -> str | None:
        found = None if is_function_word(form, left_out) else find(form)
        lemma = form if found is None else spell_word(found, corpus.tokenizer)
        usable = lemma in words and lemma in vectors and not is_function_word(lemma, left_out)
        return lemma if usable else None

    forms_of: dict[str, list[str]] = {}
    for form, lemma in _ask_all(find_content, corpus).items():
        forms_of.setdefault(lemma, []).append(form)
    smallest = _find_threshold(forms_of, vectors)
    table = {}
    for lemma, forms in forms_of.items():
        near = _keep_near(lemma, forms, vectors, smallest)
        total = sum(map(words.count_of, [lemma, *near]))
        for form in near:
            count = words.count_of(form)
            if count <= MOST_OFTEN * (total - count):
                table[form] = lemma
    return table


def _find_threshold(forms_of: Mapping[str, list[str]], vectors: WordVectors) -> float:
    """The cosine that a form needs: other vectors lie in other spaces, which are denser or not."""
    pairs = [(f, lemma) for lemma, forms in forms_of.items() for f in forms if f in vectors]
    if not pairs:
        return 0.0
    usual = float(np.median(_compare(vectors, *map(list, zip(*pairs, strict=True)))))
    rng = np.random.default_rng(0)
    first, second = rng.integers(0, len(vectors), (2, _N_ANY))
    words = vectors.words
    any_two = _compare(vectors, [words[i] for i in first], [words[i] for i in second])
    base = float(any_two.mean())
    return base + NEARNESS * (usual - base)


def _compare(vectors: WordVectors, first: list[str], second: list[str]) -> Floats:
    """(n,) cosines of pairs of words that have vectors."""
    rows = (unit_rows(vectors.vectors[vectors.ids_of(words)]) for words in (first, second))
    cosines: Floats = np.multiply(*rows).sum(axis=1)
    return cosines


def _keep_near(lemma: str, forms: list[str], vectors: WordVectors, smallest: float) -> list[str]:
    """The forms near the lemma, or near one that is; and those that have no vector."""
    kept = [form for form in forms if form not in vectors]
    left = [form for form in forms if form in vectors]
    near = [lemma]
    while near and left:
        added = [f for f in left if _compare(vectors, [f] * len(near), near).max() >= smallest]
        kept += added
        left = [form for form in left if form not in added]
        near = added
    return kept


def collect_forms(corpus: Corpus) -> dict[str, str]:
    """The lemma that each form of a corpus has most often, where form and token differ.

    Only documents that came tokenised can have such; shard after shard is looked at while there
    are any.
    """
    counts: Counter[tuple[str, str]] = Counter()
    rule = WhitespaceTokenizer(lowercase=corpus.tokenizer.lowercase)
    for shard in corpus.shards:
        found = _count_forms(shard, corpus.vocabulary.words, rule)
        if not any(form != key for form, key in found):
            break
        counts += found
    best: dict[str, tuple[int, str]] = {}
    for (form, key), count in counts.items():
        best[form] = max(best.get(form, (0, "")), (count, key))
    return {form: key for form, (_, key) in sorted(best.items()) if form != key}


def _count_forms(
    shard: Shard, words: list[str] | Any, rule: WhitespaceTokenizer
) -> Counter[tuple[str, str]]:
    counts: Counter[tuple[str, str]] = Counter()
    for document in shard.pretokenised.nonzero()[0].tolist():
        start, end = shard.document_offsets[document : document + 2]
        forms = rule.tokenize(shard.document_text(document))
        tokens = shard.tokens[start:end].tolist()
        pairs = zip(forms, tokens, strict=True)
        counts.update((form, words[token]) for form, token in pairs if token >= 0)
    return counts


def write_lemmas(folder: Path, table: Mapping[str, str]) -> None:
    """Write a table into the folder of a model; nothing where it is empty."""
    if table:
        lines = (f"{form}\t{lemma}\n" for form, lemma in table.items())
        write_bytes(folder / _FILE, "".join(lines).encode())


def read_lemmas(folder: Path) -> dict[str, str]:
    """The table of a model; empty where it has none."""
    path = folder / _FILE
    if not has_file(path):
        return {}
    try:
        return dict(line.split("\t") for line in read_text(path).split("\n") if line)
    except ValueError as error:
        raise damaged(path, "a line is no pair of words") from error
