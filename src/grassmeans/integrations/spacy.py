"""The spaCy pipeline component ``grassmeans``: senses on tokens.

>>> nlp = spacy.blank("en")  # doctest: +SKIP
>>> nlp.add_pipe("grassmeans", config={"model": "en"})  # doctest: +SKIP
>>> [(token.text, token._.sense) for token in nlp("...")]  # doctest: +SKIP

The model splits text by its own rule, and spaCy by another. A word that the model has tagged
belongs to the spaCy token in which it starts, and a token takes the first word that belongs to it.
Sentences are spaCy's own where a component before this one has found them.
"""

from __future__ import annotations

import json
import warnings
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from grassmeans.artifacts.writing import write_json
from grassmeans.errors import MissingExtraError
from grassmeans.models.model import SenseModel, load
from grassmeans.reading.documents import RawDocument
from grassmeans.reading.given import check_words
from grassmeans.senses.decoding import MODEL_THRESHOLD, IdkThreshold, decode_hard, decode_soft
from grassmeans.senses.language import LanguageCheck
from grassmeans.tagging.marked_text import blank_markup
from grassmeans.tagging.tagging import TaggedWord
from grassmeans.text.alignment import NormalizedText, normalize_with_positions

try:
    from spacy.language import Language
    from spacy.tokens import Doc, Token
    from spacy.util import minibatch
except ImportError as error:
    raise MissingExtraError("spacy", "spacy", "the spaCy component") from error

DEFAULT_CONFIG: dict[str, Any] = {
    "model": "en",
    "idk_threshold": MODEL_THRESHOLD,
    "sharpness": None,
    "words": None,
}
_CONFIG_FILE = "config.json"
_TOKEN_ATTRIBUTES = ("sense", "sense_scores", "sense_distances")
_MANY_LANGUAGES = ("", "xx", "mul")


class SenseComponent:
    """Sets ``token._.sense``, ``token._.sense_scores`` and ``token._.sense_distances``.

    Parameters
    ----------
    model : str
        The name or folder of a model; it is stored in the pipeline's configuration, the model
        itself is not.
    idk_threshold : float, "model" or None
        ``crane.0``, "I don't know", where the nearest sense is as far as this; "model" takes the
        model's own.
    sharpness : float or None
        Of the probabilities; None takes the model's own.
    words : list of str or None
        Tag only these.
    language : str
        Of the pipeline; a warning tells where the model has another.
    """

    def __init__(
        self,
        model: str = "en",
        *,
        idk_threshold: IdkThreshold = MODEL_THRESHOLD,
        sharpness: float | None = None,
        words: Sequence[str] | None = None,
        language: str = "",
    ) -> None:
        self._language = language
        self._configure(
            {
                "model": str(model),
                "idk_threshold": idk_threshold,
                "sharpness": sharpness,
                "words": None if words is None else check_words(words),
            }
        )

    def _configure(self, config: dict[str, Any]) -> None:
        """Take over a configuration; mistakes in it show now, not at the first text."""
        self.config = config
        nothing = np.empty((0, 1))
        self._opened: SenseModel | None = None
        model = self.model
        decode_soft(nothing, model.choose_sharpness(config["sharpness"]))
        decode_hard(nothing, model.choose_threshold(config["idk_threshold"]))
        for word in config["words"] or ():
            model.inventory.directions(model.spell(word))  # raises where the model has it not
        language = model.manifest.get("language")
        asked = self._language
        if language and asked not in _MANY_LANGUAGES and language != asked:
            warnings.warn(
                f"the pipeline's language is {asked!r}, but the model {config['model']!r} was made "
                f"from text in {language!r}: its senses will not fit",
                stacklevel=2,
            )

    @property
    def model(self) -> SenseModel:
        """The model, opened when it is first needed in this process."""
        if self._opened is None:
            self._opened = load(self.config["model"])
        return self._opened

    def __call__(self, doc: Doc) -> Doc:
        """Set the senses of a document's tokens."""
        self._set_senses([doc], self.model.check_language())
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Set the senses of many documents, a batch at a time."""
        check = self.model.check_language()
        for batch in minibatch(stream, batch_size):
            documents = list(batch)
            self._set_senses(documents, check)
            yield from documents

    def _set_senses(self, documents: Sequence[Doc], check: LanguageCheck) -> None:
        sources = [normalize_with_positions(document.text) for document in documents]
        # Marks are for people at a terminal; here <b> is markup like any other.
        texts = [
            RawDocument("", "", blank_markup(source.text), sentences=_find_starts(document, source))
            for document, source in zip(documents, sources, strict=True)
        ]
        tagged = self.model.tag_many(
            texts,
            words=self.config["words"],
            idk_threshold=self.config["idk_threshold"],
            sharpness=self.config["sharpness"],
            check=check,
        )
        check.warn()
        for document, source, result in zip(documents, sources, tagged, strict=True):
            starts = [token.idx for token in document]
            for word in reversed(result.words):  # the first word of a token comes last, and stays
                position = source.original_position(word.start)
                _set_token(document[bisect_right(starts, position) - 1], word)

    def __getstate__(self) -> dict[str, Any]:
        # A model is mapped from its folder; other processes map it themselves.
        return self.__dict__ | {"_opened": None}

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """The configuration as bytes; the model stays where it is."""
        return json.dumps(self.config, ensure_ascii=False).encode()

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> SenseComponent:
        """Take over a configuration that `to_bytes` gave, and open its model."""
        self._configure(json.loads(data))
        return self

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Write the configuration into a folder; the model stays where it is."""
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        write_json(folder / _CONFIG_FILE, self.config)

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> SenseComponent:
        """Take over a configuration that `to_disk` wrote, and open its model."""
        return self.from_bytes((Path(path) / _CONFIG_FILE).read_bytes())


def make_component(
    nlp: Language,
    name: str,
    model: str,
    idk_threshold: IdkThreshold,
    sharpness: float | None,
    words: list[str] | None,
) -> SenseComponent:
    """Make the component; spaCy calls this for ``nlp.add_pipe("grassmeans")``."""
    return SenseComponent(
        model, idk_threshold=idk_threshold, sharpness=sharpness, words=words, language=nlp.lang
    )


def _find_starts(document: Doc, source: NormalizedText) -> tuple[int, ...] | None:
    """Where the sentences of a document begin, where spaCy has found them."""
    if not document.has_annotation("SENT_START"):
        return None
    return tuple(source.normalized_position(sentence.start_char) for sentence in document.sents)


def _set_token(token: Token, word: TaggedWord) -> None:
    names = [f"{word.key}.{number}" for number in range(1, len(word.probabilities) + 1)]
    token._.sense = word.label
    token._.sense_scores = dict(zip(names, word.probabilities, strict=True))
    # Empty where the context was too poor to measure.
    token._.sense_distances = dict(zip(names, word.distances, strict=False))


def _tokens_with_senses(document: Doc) -> tuple[Token, ...]:
    return tuple(token for token in document if token._.sense is not None)


def _register() -> None:
    for attribute in _TOKEN_ATTRIBUTES:
        if not Token.has_extension(attribute):
            Token.set_extension(attribute, default=None)
    if not Doc.has_extension("senses"):
        Doc.set_extension("senses", getter=_tokens_with_senses)
    Language.factory(
        "grassmeans",
        default_config=DEFAULT_CONFIG,
        assigns=[f"token._.{attribute}" for attribute in _TOKEN_ATTRIBUTES],
        func=make_component,
    )


_register()
