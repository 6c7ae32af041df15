"""The documents of a (labelled) corpus with their text, and a key for every word in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.shard import Shard
from grassmeans.corpus.tokenizer import Tokenizer, WhitespaceTokenizer
from grassmeans.errors import ArtifactError
from grassmeans.labelling.decoding import read_distances, sense_probabilities
from grassmeans.labelling.keys import decode_key
from grassmeans.labelling.measuring import open_distances
from grassmeans.labelling.targets import Targets, read_targets


class KeyedWord(NamedTuple):
    """A word of a document.

    Attributes
    ----------
    start, end : int
        Characters ``start:end`` of the document's text.
    form : str
        As it stands there.
    key : str
        Lexeme key, or the word itself.
    word : str
        The word as the corpus counts it (lower-cased, say).
    sense : int or None
        From 1; 0 for "I don't know"; None where the word has no senses.
    probabilities : tuple of float or None
        Of the word's senses, in a corpus that was labelled by soft decoding.
    """

    start: int
    end: int
    form: str
    key: str
    word: str
    sense: int | None
    probabilities: tuple[float, ...] | None = None


@dataclass(frozen=True, slots=True)
class KeyedDocument:
    """A document: its number in the corpus, the position of its first word, text and words."""

    is_labelled: bool
    number: int
    first_position: int
    id: str
    title: str
    text: str
    words: list[KeyedWord]

    def is_listed(self, word: KeyedWord) -> bool:
        """Whether lists of labelled words show it: one with a sense, or any without labels."""
        return word.sense is not None or not self.is_labelled


def read_keyed_documents(corpus: Corpus) -> Iterator[KeyedDocument]:
    """Go through the documents of a corpus, in order, one in memory at a time."""
    reader = _Reader(corpus)
    for number, shard in enumerate(corpus.shards):
        first_document = int(corpus.document_starts[number])
        first_position = int(corpus.shard_starts[number])
        yield from reader.read_shard(shard, first_document, first_position)


class _Reader:
    def __init__(self, corpus: Corpus) -> None:
        labelled = corpus.manifest.get("labelled")
        self._is_labelled = labelled is not None
        self._tokenizer = corpus.tokenizer
        keys = corpus.vocabulary.words
        decoded = map(decode_key, keys) if labelled else ((word, None) for word in keys)
        self._entries = [
            (key, word, sense) for key, (word, sense) in zip(keys, decoded, strict=True)
        ]
        self._targets: Targets | None = None
        if labelled and labelled["decoding"] == "soft":
            self._targets = read_targets(corpus)
            self._sharpness = float(labelled["sharpness"])

    def read_shard(
        self, shard: Shard, first_document: int, first_position: int
    ) -> Iterator[KeyedDocument]:
        offsets, text_offsets = shard.document_offsets, shard.text_offsets
        probabilities = self._probability_reader(shard)
        for i, (identifier, title) in enumerate(shard.metadata):
            start, end = int(offsets[i]), int(offsets[i + 1])
            text = bytes(shard.text[text_offsets[i] : text_offsets[i + 1]]).decode()
            tokenizer: Tokenizer | WhitespaceTokenizer = self._tokenizer
            if shard.pretokenised[i]:
                tokenizer = WhitespaceTokenizer(lowercase=tokenizer.lowercase)
            spans = list(tokenizer.spans(text))
            tokens = shard.tokens[start:end].tolist()
            if len(spans) != len(tokens):
                raise ArtifactError(
                    f"{shard.folder} is damaged: text and tokens do not fit; build it again"
                )
            words = [
                self._word(text, span, token, tokenizer)
                for span, token in zip(spans, tokens, strict=True)
            ]
            if probabilities is not None:
                for place, row in probabilities(start, end):
                    words[place] = words[place]._replace(probabilities=row)
            yield KeyedDocument(
                self._is_labelled,
                first_document + i,
                first_position + start,
                identifier,
                title,
                text,
                words,
            )

    def _word(
        self,
        text: str,
        span: tuple[int, int],
        token: int,
        tokenizer: Tokenizer | WhitespaceTokenizer,
    ) -> KeyedWord:
        form = text[span[0] : span[1]]
        if token < 0:  # beyond the vocabulary's limit: the text still has it
            word = tokenizer.key_of(form) or form
            return KeyedWord(*span, form, word, word, None)
        key, word, sense = self._entries[token]
        return KeyedWord(*span, form, key, word, sense)

    def _probability_reader(
        self, shard: Shard
    ) -> Callable[[int, int], Iterator[tuple[int, tuple[float, ...]]]] | None:
        """Tells for the positions ``start:end`` which words have which probabilities."""
        if self._targets is None:
            return None
        targets = self._targets
        stored = open_distances(shard.folder, len(shard.tokens), targets.max_senses)

        def read(start: int, end: int) -> Iterator[tuple[int, tuple[float, ...]]]:
            first, last = (int(i) for i in np.searchsorted(stored.positions, (start, end)))
            places = stored.positions[first:last]
            n_senses: NDArray[np.int64] = targets.n_senses[
                targets.word_of_token[shard.tokens[places]]
            ]
            distances = read_distances(stored, slice(first, last), n_senses, shard.folder)
            rows = sense_probabilities(distances, n_senses, self._sharpness)
            for place, row, n in zip(
                places.tolist(), rows.tolist(), n_senses.tolist(), strict=True
            ):
                yield place - start, tuple(row[:n])

        return read
