"""Inflected forms lead to their lemmas, where a table or a function of the user's gives them.

A model of a corpus whose tokens are lemmas (CoNLL-U with ``column="lemma"``) knows lemmas only.
Which forms they had stands in the corpus, and goes into the model as a table; text that is to be
tagged comes in forms. A model of forms takes a table, or a lemmatizer, from its user.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grassmeans.artifacts.checking import damaged, has_file, read_text
from grassmeans.artifacts.writing import write_bytes
from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.shard import Shard
from grassmeans.errors import InputError
from grassmeans.text.tokenizer import WhitespaceTokenizer

FindLemma = Callable[[str], str | None]

_FILE = "lemmas.tsv"


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
