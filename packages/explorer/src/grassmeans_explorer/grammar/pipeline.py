"""The grammar by a spaCy pipeline, put onto the corpus's own tokens.

spaCy splits text by another rule. A token of the corpus belongs to the spaCy token in which it
begins, and the first one of each has its lemma, tag and relation; the others ("s" of "U.S.") lean
on the first, without a relation. The head is the first token that belongs to spaCy's head. Where
none does (punctuation, which the corpus leaves out), the way goes on to the head of that.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.shard import Shard
from grassmeans.errors import InputError, import_extra
from grassmeans_explorer.grammar.making import DocumentGrammar

_MOST_STEPS = 100


def load_pipeline(name: str) -> Any:
    """A spaCy pipeline by its name; `InputError` where it is not installed."""
    spacy = import_extra("spacy", "spacy", "a layer of grammar by spaCy")
    try:
        return spacy.load(name)
    except OSError as error:
        raise InputError(
            f"there is no spaCy pipeline {name!r}: install it with python -m spacy download {name}"
        ) from error


class PipelineGrammar:
    """A spaCy pipeline as a `GrammarSource`."""

    def __init__(self, pipeline: Any, name: str = "") -> None:
        self._pipeline = pipeline
        self._name = name or str(getattr(pipeline, "meta", {}).get("name", "pipeline"))

    @property
    def name(self) -> str:
        """For the manifest."""
        return f"spaCy {self._name}"

    def describe(self, shard: Shard, corpus: Corpus) -> Iterator[DocumentGrammar | None]:
        """The grammar of each document of a shard."""
        texts = (shard.document_text(number) for number in range(shard.sizes.n_documents))
        for number, text in enumerate(texts):
            longest = getattr(self._pipeline, "max_length", None)
            if longest is not None and len(text) >= longest:
                self._pipeline.max_length = len(text) + 1
            rule = shard.token_rule(number, corpus.tokenizer)
            spans = list(rule.spans(text))
            yield align_tokens(self._pipeline(text), [start for start, _ in spans])


def align_tokens(document: Any, starts: list[int]) -> DocumentGrammar:
    """The grammar of a spaCy document on tokens that begin at given characters."""
    begins = [token.idx for token in document]
    owners = [max(bisect_right(begins, start) - 1, 0) for start in starts]
    first_of: dict[int, int] = {}
    for place, owner in enumerate(owners):
        first_of.setdefault(owner, place)
    empty = [""] * len(starts)
    lemma, pos, tag, relation = (list(empty) for _ in range(4))
    head = [0] * len(starts)
    for place, owner in enumerate(owners):
        token = document[owner]
        if first_of[owner] != place:
            head[place] = first_of[owner] - place
            continue
        lemma[place], pos[place] = token.lemma_ or token.text.lower(), token.pos_
        tag[place] = token.tag_ or token.pos_
        target = _find_head(token, first_of)
        if target is not None and target != place:
            head[place], relation[place] = target - place, token.dep_
    sentences = [
        place
        for place, owner in enumerate(owners)
        if place
        and _number_sentence(document, owner) != _number_sentence(document, owners[place - 1])
    ]
    return DocumentGrammar(lemma, pos, tag, relation, head, [0, *sentences] if starts else [])


def _find_head(token: Any, first_of: dict[int, int]) -> int | None:
    """The token of the corpus that a token leans on; None for the root."""
    for _ in range(_MOST_STEPS):
        if token.head.i == token.i:
            return None
        token = token.head
        if token.i in first_of:
            return first_of[token.i]
    return None


def _number_sentence(document: Any, number: int) -> int:
    """Where the sentence of a token begins; all are one where nobody has found any."""
    if not document.has_annotation("SENT_START"):
        return 0
    return int(document[number].sent.start)
