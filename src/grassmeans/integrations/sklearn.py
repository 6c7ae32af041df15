"""A scikit-learn transformer for text pipelines: texts in, texts with senses out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from grassmeans.errors import InputError
from grassmeans.integrations.iterables import tag_iter
from grassmeans.labelling.keys import encode_key
from grassmeans.senses.decoding import MODEL_THRESHOLD, IdkThreshold, decode_hard
from grassmeans.senses.model import SenseModel, load
from grassmeans.senses.tagging import TaggedText, TaggedWord, blank_markup

OUTPUTS = ("text", "tokens")


@dataclass(eq=False, repr=False)
class SenseTagger(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Replaces words by their senses, so that a bag of words becomes a bag of senses.

    Parameters
    ----------
    model : str or Path, default "en"
        The name or folder of a model. It is opened by `fit`; pickles of this object hold the name
        only, and open it again when they are used.
    output : {"text", "tokens"}, default "text"
        ``"text"``: strings as they came, the tagged words in them replaced
        (``"the crane_2 lifted the cargo"``). ``"tokens"``: lists of the model's tokens, lower-cased
        as the model does it, with lexeme keys (``["the", "crane.2", "lifted", ...]``).
    separator : str, default "_"
        Between word and number in texts. scikit-learn's vectorizers cut words at a dot; for
        ``"."`` give them a ``token_pattern``.
    idk_threshold : float, "model" or None, default "model"
        Sense 0, "I don't know", where the nearest sense is as far as this.
    keep_idk : bool, default True
        Whether "I don't know" stands as sense 0 (``crane_0``); False leaves the word as it is.
    words : list of str, optional
        Replace only these.
    batch_size : int, default 256
        Texts that are tagged together.

    Attributes
    ----------
    model_name_ : str
        The model that `fit` opened.

    Notes
    -----
    ``<b>`` is markup like any other tag here, and marks nothing.
    """

    model: str | Path = "en"
    _: KW_ONLY
    output: str = "text"
    separator: str = "_"
    idk_threshold: IdkThreshold = MODEL_THRESHOLD
    keep_idk: bool = True
    words: Sequence[str] | None = None
    batch_size: int = 256

    def fit(self, X: Iterable[str], y: object = None) -> SenseTagger:
        """Check the parameters and open the model; nothing is learnt from the texts.

        Parameters
        ----------
        X : iterable of str
            Not read.
        y : ignored
        """
        if self.output not in OUTPUTS:
            raise InputError(f"output must be one of {', '.join(OUTPUTS)}, got {self.output!r}")
        if not isinstance(self.model, (str, Path)):
            raise InputError(
                f"model must be the name or folder of a model, got {type(self.model).__name__}"
            )
        self._opened = load(self.model)
        # A mistake shows now, not at the first text.
        decode_hard(np.empty((0, 1)), self._opened.choose_threshold(self.idk_threshold))
        self.model_name_ = str(self.model)
        return self

    def transform(self, X: Iterable[str]) -> list[str] | list[list[str]]:
        """Replace the words of texts by their senses.

        Parameters
        ----------
        X : iterable of str

        Returns
        -------
        list of str, or list of list of str
            One for each text, by ``output``.
        """
        check_is_fitted(self)
        if isinstance(X, (str, bytes)):
            raise InputError("expected an iterable of texts, got a single one: put it into a list")
        model = self._open_model()
        pairs = tag_iter(
            X,
            model,
            batch_size=self.batch_size,
            text_of=blank_tags,
            words=self.words,
            idk_threshold=self.idk_threshold,
        )
        if self.output == "tokens":
            return [self._list_tokens(tagged, model) for _, tagged in pairs]
        return [self._write_text(tagged) for _, tagged in pairs]

    def _open_model(self) -> SenseModel:
        opened = getattr(self, "_opened", None)
        if opened is None:
            opened = self._opened = load(self.model_name_)
        return opened

    def _replaced_words(self, tagged: TaggedText) -> list[TaggedWord]:
        return [word for word in tagged if word.sense > 0 or self.keep_idk]

    def _write_text(self, tagged: TaggedText) -> str:
        parts: list[str] = []
        last = 0
        for word in self._replaced_words(tagged):
            parts += [tagged.text[last : word.start], f"{word.key}{self.separator}{word.sense}"]
            last = word.end
        return "".join(parts) + tagged.text[last:]

    def _list_tokens(self, tagged: TaggedText, model: SenseModel) -> list[str]:
        tokenizer = model.tokenizer
        senses = {word.start: word.sense for word in self._replaced_words(tagged)}
        keys = tokenizer.tokenize(tagged.text)
        starts = (start for start, _ in tokenizer.spans(tagged.text))
        return [encode_key(key, senses.get(start)) for key, start in zip(keys, starts, strict=True)]

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_opened"}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.one_d_array = True
        tags.input_tags.string = True
        return tags


def blank_tags(text: Any) -> Any:
    """A text without markup; anything else as it is, for the error message."""
    return blank_markup(text) if isinstance(text, str) else text
