"""How a model tags: a text, several of them, a stream, a data frame."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from grassmeans.artifacts.schema import check_arguments, flag, optional, shorten, text
from grassmeans.corpus.vocabulary import is_function_word
from grassmeans.errors import InputError, warn_user
from grassmeans.models.deciding import DecidingModel
from grassmeans.models.frames import tag_frame
from grassmeans.models.in_processes import cut_blocks, tag_blocks
from grassmeans.models.streams import first_of_pair, tag_stream
from grassmeans.reading.given import check_words, iterate_documents
from grassmeans.senses.decoding import MODEL_THRESHOLD, IdkThreshold
from grassmeans.senses.language import LanguageCheck, warn_of_contexts
from grassmeans.tagging.explaining import ExplainedText, explain_text
from grassmeans.tagging.lemmas import FindLemma
from grassmeans.tagging.tagging import OnProgress, TaggedText, tag_texts

_SHOWN = 5


class TaggingModel(DecidingModel):
    """What `grassmeans.models.model.SenseModel` tags by; processes open it from its folder."""

    folder: Path | None
    find_lemma: FindLemma | None
    is_as_stored: bool  # in that folder
    granularity: str | None  # at which the senses of that folder are seen

    @property
    @abstractmethod
    def language(self) -> str | None:
        """The language of the model, "en" say; None where it is not known."""

    @abstractmethod
    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the model as a folder."""

    @property
    def is_on_cpu(self) -> bool:
        """Whether contexts are computed here, and not on a GPU."""
        return getattr(self.encoder, "device", "cpu") == "cpu"

    def __call__(self, text: str, **options: Any) -> TaggedText:
        """Tag a text, as `tag` does."""
        return self.tag(text, **options)

    @check_arguments()
    def tag(
        self,
        text: str | None = None,
        *,
        tokens: Iterable[str] | Iterable[Sequence[str]] | None = None,
        words: str | Iterable[str] | None = None,
        idk_threshold: IdkThreshold = MODEL_THRESHOLD,
        confidence: float | None = None,
        sharpness: float | None = None,
        marks: bool = True,
        on_progress: OnProgress | None = None,
        check: LanguageCheck | None = None,
    ) -> TaggedText:
        """Find the sense of every known word of a text, or of the ones marked ``<b>word</b>``.

        The sentence of a word decides, and those around it only where this says little
        (`grassmeans.tagging.widening`).

        Parameters
        ----------
        tokens : iterable of str, or of lists of str, optional
            The tokens of a sentence, or sentences of tokens, in place of the text: they are taken
            as they are, but for their case where the model is lower-cased. The text of the answer
            is the tokens with spaces between them, and the words' ``position`` tells which token
            they are.
        words : str or iterable of str, optional
            Tag only these, or only this one.
        idk_threshold : float, "model" or None
            Answer 0, "I don't know", where the nearest sense is as far as this; "model" takes the
            model's own rule (`idk_threshold`). None never does so: every word gets an answer, its
            most frequent sense where nothing is known around it.
        confidence : float, optional
            Answer 0 where the nearest sense is less likely to be right than this, 0 for never; in
            place of ``idk_threshold``, for models that are calibrated.
        sharpness : float, optional
            Of the soft probabilities; that of the model's kind of context by default.
        marks : bool
            Whether ``<b>word</b>`` asks for this word alone. Where not, ``<b>`` is a tag like any
            other, which is no word and stays in the text.
        on_progress : callable, optional
            Called between the steps of a long text with the share that is done, from 0 to 1; what
            it raises ends the work.
        check : LanguageCheck, optional
            Sees the first words of the text, for who tags in several calls. Without it, a
            `grassmeans.errors.GrassmeansWarning` where the text seems to be in another language
            than the model's, where most of its words are unknown, or where the model's encoder was
            trained too little.
        """
        if (text is None) == (tokens is None):
            raise InputError("tag needs a text, or its tokens (tokens=...): one of them")
        if not isinstance(text, str | None):
            raise InputError(f"tag needs a string, got {type(text).__name__}; see tag_many")
        if isinstance(tokens, str | bytes) or not isinstance(tokens, Iterable | None):
            raise InputError(f"tokens must be a list of strings, got {shorten(tokens)}: see text")
        (tagged,) = self.tag_many(
            [text if tokens is None else list(tokens)],
            words=words,
            idk_threshold=idk_threshold,
            confidence=confidence,
            sharpness=sharpness,
            marks=marks,
            on_progress=on_progress,
            check=check,
        )
        return tagged

    @check_arguments()
    def tag_many(
        self,
        texts: Any,
        *,
        column: str | None = None,
        words: str | Iterable[str] | None = None,
        idk_threshold: IdkThreshold = MODEL_THRESHOLD,
        confidence: float | None = None,
        sharpness: float | None = None,
        marks: bool = True,
        on_progress: OnProgress | None = None,
        check: LanguageCheck | None = None,
        workers: int | None = 1,
    ) -> list[TaggedText]:
        """Tag several texts at once, which is faster than one by one.

        Parameters
        ----------
        texts : iterable, table or path
            Strings, lists of tokens, records, a column or a table, paths of files: see
            `grassmeans.reading.given.iterate_documents`.
        column : str, optional
            The column or field of the texts.
        words, idk_threshold, confidence, sharpness, marks, on_progress, check
            As for `tag`; several workers tell no progress.
        workers : int or None
            Processes, for thousands of texts; None takes all cores. Answers are the same.
        """
        seen = self.check_language() if check is None else check
        chosen = None if words is None else check_words(words)
        if check is None:
            self.tell_unknown(chosen or ())
        if workers == 1:
            answering = self.answering(idk_threshold, confidence, sharpness)
            tagged = tag_texts(
                texts,
                self.inventory,
                self.encoder,
                self.tokenizer,
                answering,
                words=chosen,
                lemmas=self.lemmas,
                column=column,
                marks=marks,
                on_progress=on_progress,
                check=seen,
            )
        else:
            blocks = tag_blocks(
                self,
                cut_blocks(iterate_documents(texts, column=column)),
                workers,
                words=chosen,
                idk_threshold=idk_threshold,
                confidence=confidence,
                sharpness=sharpness,
                marks=marks,
                check=seen,
            )
            tagged = list(chain.from_iterable(blocks))
        if check is None:
            warn_of_contexts(self.encoder)
            seen.warn()
        return tagged

    @check_arguments(as_tuples=flag)
    def pipe(
        self,
        texts: Any,
        *,
        as_tuples: bool = False,
        batch_size: int = 256,
        column: str | None = None,
        words: str | Iterable[str] | None = None,
        idk_threshold: IdkThreshold = MODEL_THRESHOLD,
        confidence: float | None = None,
        sharpness: float | None = None,
        workers: int | None = 1,
    ) -> Iterator[Any]:
        """Tag a stream of texts, lazily and in order, a batch at a time; as spaCy's ``nlp.pipe``.

        Parameters
        ----------
        texts : iterable, table or path
            As for `tag_many`; may be endless.
        as_tuples : bool
            Texts come as pairs ``(text, anything)``, and go as pairs ``(tagged, anything)``.
        batch_size : int
            Texts that are tagged together. Larger is faster; 1 answers every text at once.
        column : str, optional
            The column or field of the texts.
        words, idk_threshold, confidence, sharpness
            As for `tag`.
        workers : int or None
            Processes that tag batches side by side; None takes all cores.

        Yields
        ------
        TaggedText
            Or a pair, with ``as_tuples``. `grassmeans.integrations.tag_iter` gives each item back
            beside its senses.
        """
        pairs = tag_stream(
            self,
            texts,
            first_of_pair if as_tuples else column,
            batch_size,
            workers,
            words=words,
            idk_threshold=idk_threshold,
            confidence=confidence,
            sharpness=sharpness,
        )
        if as_tuples:
            return ((tagged, item[1]) for item, tagged in pairs)
        return (tagged for _, tagged in pairs)

    @check_arguments(id=optional(text))
    def tag_frame(
        self,
        frame: Any,
        column: str | None = None,
        words: str | Iterable[str] | None = None,
        *,
        id: str | None = None,
        batch_size: int = 256,
        idk_threshold: IdkThreshold = MODEL_THRESHOLD,
        confidence: float | None = None,
        workers: int | None = 1,
    ) -> Any:
        """Tag the texts of a data frame; the answer is a frame that can be joined to it.

        Parameters
        ----------
        frame : frame
            Of pandas, polars or Dask, a table of Arrow, or a data set of Hugging Face.
        column : str, optional
            The column of the texts; "text" by default, or the only one. Missing texts have no
            words, and ``<b>`` marks nothing.
        words : str or iterable of str, optional
            Tag only these, or only this one.
        id : str, optional
            A column whose values tell which row a word stands in.
        batch_size, workers
            As for `pipe`.
        idk_threshold, confidence
            As for `tag`.

        Returns
        -------
        frame
            As it came: of pandas, ... (for a data set that is streamed, one that is not); Dask's
            are tagged part by part, when the answer is computed. A row for each word that was
            found: ``label``, ``word``, ``key``, ``sense``, ``name``, ``confidence``, ``start``,
            ``end`` (characters of the text as it stands in the frame). A pandas frame has the index
            of the words' rows; others have the number of the row as ``row``, before all else; with
            ``id``, that column stands there instead.

        Examples
        --------
        >>> found = model.tag_frame(reviews, "body", ["bank", "crane"])  # doctest: +SKIP
        >>> reviews.join(found)  # doctest: +SKIP
        """
        return tag_frame(
            self,
            frame,
            column,
            id,
            batch_size=batch_size,
            workers=workers,
            words=words,
            idk_threshold=idk_threshold,
            confidence=confidence,
        )

    @check_arguments(text=text)
    def explain(
        self,
        text: str,
        *,
        words: str | Iterable[str] | None = None,
        on_progress: OnProgress | None = None,
    ) -> ExplainedText:
        """Tag a text, and tell which words of its context decided for each sense.

        Parameters
        ----------
        words : str or iterable of str, optional
            Only these, or only this one.
        on_progress : callable, optional
            As for `tag`, for the second part of the work.

        Examples
        --------
        >>> for word, places in model.explain("The crane lifted steel."):  # doctest: +SKIP
        ...     print(word.label, [(place.word, place.weight) for place in places])
        """
        return explain_text(self, self.tag(text, words=words), on_progress=on_progress)

    def tell_unknown(self, words: Iterable[str]) -> None:
        """Warn of words that were asked for and have no senses here."""
        unknown = [word for word in words if self.spell(word) not in self.inventory]
        if unknown:
            shown = ", ".join(map(repr, unknown[:_SHOWN])) + (", ..." * (len(unknown) > _SHOWN))
            functional = [w for w in unknown if is_function_word(w, self.encoder.function_words)]
            why = f" ({functional[0]!r} is a function word)" if functional else ""
            warn_user(f"the model has no senses of {shown}: not tagged{why}")

    def check_language(self) -> LanguageCheck:
        """A check whether texts are in the model's language, and of words that it knows."""
        return LanguageCheck.of_model(self.encoder, self.language)
