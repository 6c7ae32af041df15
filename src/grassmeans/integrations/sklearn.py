"""scikit-learn transformers for text pipelines: texts in, texts with senses out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import check_is_fitted

from grassmeans.clustering.settings import AUTO
from grassmeans.errors import InputError
from grassmeans.integrations.iterables import tag_iter
from grassmeans.models.model import SenseModel, load
from grassmeans.reading.tables import open_table
from grassmeans.senses.decoding import MODEL_THRESHOLD, IdkThreshold, decode_hard
from grassmeans.senses.keys import encode_key
from grassmeans.tagging.marked_text import blank_markup
from grassmeans.tagging.tagging import TaggedText, TaggedWord

OUTPUTS = ("text", "tokens")


class _SenseWriter(TransformerMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """What both transformers share: words of texts are replaced by the senses of a model."""

    output: str
    separator: str
    idk_threshold: IdkThreshold
    keep_idk: bool
    batch_size: int

    def transform(self, X: Any) -> Any:
        """Replace the words of texts by their senses.

        Parameters
        ----------
        X : iterable of str, or of lists of tokens
            A column of a table, too.

        Returns
        -------
        list of str, or list of list of str
            One for each text, by ``output``; a frame of one column of them after
            ``set_output(transform="pandas")`` or ``"polars"``.
        """
        check_is_fitted(self)
        model, words = self._fitted_model()
        table = open_table(X)
        pairs = tag_iter(
            X if table is None else table.values(),
            model,
            batch_size=self.batch_size,
            text_of=blank_tags,
            words=words,
            idk_threshold=self.idk_threshold,
        )
        written: list[Any]
        if self.output == "tokens":
            written = [self._list_tokens(item, tagged, model) for item, tagged in pairs]
        else:
            written = [self._write_text(tagged) for _, tagged in pairs]
        if _get_output_config("transform", self)["dense"] == "default":
            return written
        # Rows of one cell, of which scikit-learn makes a frame.
        return [(one,) for one in written] or np.empty((0, 1), object)

    def get_feature_names_out(self, input_features: object = None) -> NDArray[Any]:
        """The name of the one column of frames: that of the ``output``.

        Parameters
        ----------
        input_features : ignored
        """
        check_is_fitted(self)
        return np.array([self.output], dtype=object)

    @abstractmethod
    def _fitted_model(self) -> tuple[SenseModel, Sequence[str] | None]:
        """The model, and the words to be replaced where not all are."""

    def _check_parameters(self, model: SenseModel) -> None:
        """A mistake shows now, not at the first text."""
        decode_hard(np.empty((0, 1)), model.choose_threshold(self.idk_threshold))

    def _check_output(self) -> None:
        if self.output not in OUTPUTS:
            raise InputError(f"output must be one of {', '.join(OUTPUTS)}, got {self.output!r}")

    def _replaced_words(self, tagged: TaggedText) -> list[TaggedWord]:
        return [word for word in tagged if word.sense > 0 or self.keep_idk]

    def _write_text(self, tagged: TaggedText) -> str:
        parts: list[str] = []
        last = 0
        for word in self._replaced_words(tagged):
            parts += [tagged.text[last : word.start], f"{word.key}{self.separator}{word.sense}"]
            last = word.end
        return "".join(parts) + tagged.text[last:]

    def _list_tokens(self, item: Any, tagged: TaggedText, model: SenseModel) -> list[str]:
        lowercase = model.tokenizer.lowercase
        if isinstance(item, str):
            keys = model.tokenizer.tokenize(tagged.text)
        else:
            keys = [token.lower() if lowercase else token for token in item]
        senses = {word.position: word for word in self._replaced_words(tagged)}
        return [
            encode_key(senses[i].key, senses[i].sense) if i in senses else encode_key(key)
            for i, key in enumerate(keys)
        ]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.one_d_array = True
        tags.input_tags.string = True
        return tags


@dataclass(eq=False, repr=False)
class SenseTagger(_SenseWriter):
    """Replaces words by their senses, so that a bag of words becomes a bag of senses.

    Parameters
    ----------
    model : str, Path or SenseModel, default "en"
        A model, or the name or folder of one. That is opened by `fit`; pickles of this object hold
        the name only, and open it again when they are used.
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
    words : str or list of str, optional
        Replace only these.
    batch_size : int, default 256
        Texts that are tagged together.

    Attributes
    ----------
    model_name_ : str
        The model that `fit` opened; "" for one that was given as it is.

    Notes
    -----
    ``<b>`` is markup like any other tag here, and marks nothing.
    """

    model: str | Path | SenseModel = "en"
    _: KW_ONLY
    output: str = "text"
    separator: str = "_"
    idk_threshold: IdkThreshold = MODEL_THRESHOLD
    keep_idk: bool = True
    words: str | Sequence[str] | None = None
    batch_size: int = 256

    def fit(self, X: Any, y: object = None) -> Self:
        """Check the parameters and open the model; nothing is learnt from the texts.

        Parameters
        ----------
        X : iterable of str
            Not read.
        y : ignored
        """
        self._check_output()
        if not isinstance(self.model, (str, Path, SenseModel)):
            raise InputError(
                f"model must be a model, or the name or folder of one, got "
                f"{type(self.model).__name__}"
            )
        is_given = isinstance(self.model, SenseModel)
        self.model_name_ = "" if is_given else str(self.model)
        self._opened: SenseModel | None = None
        self._check_parameters(self._fitted_model()[0])
        return self

    def _fitted_model(self) -> tuple[SenseModel, Sequence[str] | None]:
        if isinstance(self.model, SenseModel):
            return self.model, self.words
        opened = getattr(self, "_opened", None)
        if opened is None:
            opened = self._opened = load(self.model_name_)
        return opened, self.words

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_opened"}


@dataclass(eq=False, repr=False)
class SenseInducer(_SenseWriter):
    """Learns the senses of words from the texts it is fitted on, then replaces words by senses.

    Parameters
    ----------
    words : str or list of str, optional
        Without them: all content words that occur ``min_count`` times.
    n_senses : int or "auto", default "auto"
        Senses a word; "auto" gives each word its own number.
    granularity : float, default 1.0
        With "auto": larger gives more senses.
    min_count : int, optional
        Without ``words``; by default 50, and more for more than ten million words.
    language : str, default "en"
        Of the texts.
    contexts : optional
        What contexts are made of; as for `grassmeans.SenseModel.fit`.
    random_state : int, default 0
    output, separator, idk_threshold, keep_idk, batch_size
        As for `SenseTagger`; ``idk_threshold`` is None by default, so that every occurrence whose
        context says something has a sense.

    Attributes
    ----------
    model_ : SenseModel
        The senses that were found: ``model_.senses("bank")``.
    """

    words: str | Sequence[str] | None = None
    _: KW_ONLY
    n_senses: int | str = AUTO
    granularity: float = 1.0
    min_count: int | None = None
    language: str = "en"
    contexts: Any = None
    random_state: int = 0
    output: str = "text"
    separator: str = "_"
    idk_threshold: IdkThreshold = None
    keep_idk: bool = True
    batch_size: int = 256

    def fit(self, X: Any, y: object = None) -> Self:
        """Find senses in texts.

        Parameters
        ----------
        X : iterable of str, or of lists of tokens
            Missing ones are passed over.
        y : ignored
        """
        self._check_output()
        self.model_ = SenseModel.fit(
            X,
            self.words,
            language=self.language,
            contexts=self.contexts,
            min_count=self.min_count,
            n_senses=self.n_senses,
            granularity=self.granularity,
            random_state=self.random_state,
        )
        self._check_parameters(self.model_)
        return self

    def _fitted_model(self) -> tuple[SenseModel, Sequence[str] | None]:
        return self.model_, None


def blank_tags(text: Any) -> Any:
    """A text without markup; anything else as it is."""
    return blank_markup(text) if isinstance(text, str) else text
