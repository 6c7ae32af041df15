"""A model: contexts, word vectors and a sense inventory, ready to tag text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

from grassmeans.artifacts.checking import MANIFEST, damaged
from grassmeans.artifacts.schema import (
    check_arguments,
    check_values,
    each,
    either,
    flag,
    instance_of,
    nothing,
    number,
    optional,
    path,
    record,
    row,
    shorten,
    text,
    whole,
)
from grassmeans.artifacts.writing import (
    digest_of,
    digest_of_array,
    read_manifest,
    write_manifest,
)
from grassmeans.clustering.settings import AUTO, InductionSettings
from grassmeans.contexts import VECTORS_FOLDER, describe_encoder, read_encoder
from grassmeans.contexts.interface import ContextEncoder
from grassmeans.corpus.vocabulary import write_function_words
from grassmeans.engines import EngineChoice
from grassmeans.errors import InputError
from grassmeans.models.deciding import DecidingModel
from grassmeans.models.in_processes import cut_blocks, tag_blocks
from grassmeans.models.places import KIND, find_model
from grassmeans.outputs.ownership import list_marks
from grassmeans.outputs.places import output_folder
from grassmeans.reading.given import check_words, iterate_documents, spell_word
from grassmeans.senses.calibration import CALIBRATION
from grassmeans.senses.decoding import (
    MODEL_THRESHOLD,
    IdkThreshold,
)
from grassmeans.senses.entries import WordSenses
from grassmeans.senses.inventory import SenseInventory
from grassmeans.senses.language import LanguageCheck, warn_of_contexts
from grassmeans.tagging.explaining import ExplainedText, explain_text
from grassmeans.tagging.lemmas import FindLemma, Lemmas, check_lemmas, read_lemmas, write_lemmas
from grassmeans.tagging.marked_text import AnyTokenizer
from grassmeans.tagging.tagging import OnProgress, TaggedText, tag_texts
from grassmeans.text.tokenizer import tokenizer_from_dict
from grassmeans.vectors.word_vectors import WordVectors

FORMAT_VERSION = 2
INVENTORY_FOLDER = "inventory"
LEXEMES_FOLDER = "lexemes"

_MANIFEST_RULES = {"tokenizer": record()}
_OPTIONAL_RULES = {
    "settings": record(),
    CALIBRATION: record(
        dict.fromkeys(("intercept", "log_margin"), number(-1e6, 1e6)),
        {
            "strangers": record(dict.fromkeys(("mean", "spread", "own_spread"), number(-1.0, 1e6))),
            "same_sense": record(dict.fromkeys(("intercept", "slope"), number(-1e6, 1e6))),
        },
    ),
    "idk_threshold": either(number(0.0, 1.0), nothing),
    "language": either(text, nothing),
    "edited": record(
        {"hidden": each(row(text, whole(1)))},
        {"edits": each(record()), "earlier": each(record())},
    ),
}


class SenseModel(DecidingModel):
    """Tags text with senses; it is made by `fit`, or opened by `load`.

    ``model(text)`` tags, too. ``word in model`` tells whether a word has senses, ``model[word]``
    gives them, and iterating gives the words, of which there are ``len(model)``.

    Attributes
    ----------
    encoder : ContextEncoder
        What contexts are made of.
    inventory : SenseInventory
    tokenizer : Tokenizer or WhitespaceTokenizer
    manifest : dict
    folder : Path or None
        Where the model was read from.
    lemma_table : mapping of str to str
        Form -> lemma, of a model whose words are lemmas; empty for others.
    find_lemma : callable or None
        A lemmatizer that was given (`with_lemmas`).
    is_as_stored : bool
        Whether the folder holds these senses.
    """

    def __init__(
        self,
        encoder: ContextEncoder | None = None,
        inventory: SenseInventory | None = None,
        tokenizer: AnyTokenizer | None = None,
        manifest: dict[str, Any] | None = None,
        folder: Path | None = None,
        *,
        lemma_table: Mapping[str, str] | None = None,
        find_lemma: FindLemma | None = None,
    ) -> None:
        if encoder is None or inventory is None or tokenizer is None:
            raise InputError(
                "a model is made from texts by SenseModel.fit(texts, words=[...]), without "
                "SenseModel() before it, or opened by SenseModel.load(path)"
            )
        self.encoder = encoder
        self.inventory = inventory
        self.tokenizer = tokenizer
        self.manifest = manifest or {}
        self.folder = folder
        self.lemma_table = dict(lemma_table or {})
        self.find_lemma = find_lemma
        self.is_as_stored = folder is not None

    def __repr__(self) -> str:
        return f"SenseModel({len(self.inventory):,} words with senses, {self.vectors!r})"

    def __call__(self, text: str, **options: Any) -> TaggedText:
        """Tag a text, as `tag` does."""
        return self.tag(text, **options)

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self.spell(word) in self.inventory

    def __getitem__(self, word: str) -> WordSenses:
        return self.senses(word)

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __len__(self) -> int:
        return len(self.inventory)

    def __bool__(self) -> bool:
        return True  # a model without senses is a model, too

    @classmethod
    @check_arguments(
        output=optional(path),
        settings=optional(instance_of(InductionSettings)),
        device=optional(text),
    )
    def fit(
        cls,
        texts: Any,
        words: str | Iterable[str] | None = None,
        *,
        output: str | Path | None = None,
        language: str = "en",
        contexts: Any = None,
        column: str | None = None,
        min_count: int | None = None,
        settings: InductionSettings | None = None,
        calibrated: bool = True,
        device: str | None = None,
        workers: int | None = 1,
        engine: EngineChoice = None,
        overwrite: bool = False,
        show_progress: bool | None = False,
        **changes: Any,
    ) -> SenseModel:
        """Find the senses of words in texts.

        Parameters
        ----------
        texts : iterable, table or path
            Strings, lists of tokens, records, a column or a table, paths of files, a corpus or its
            folder: see `grassmeans.reading.given.iterate_documents`.
        words : str or iterable of str, optional
            Without them: all content words that occur ``min_count`` times.
        output : path, optional
            Write the model into this folder, word by word as ``grassmeans induce`` does: started
            again after an interruption, it goes on from where it was. For whatever takes long.
        language : str
            Of the texts: its function words do not describe a context.
        contexts : optional
            What contexts are made of: word vectors, an encoder or a model, or the path or name of
            one; "own" trains word vectors on the texts. By default the contexts of the model that
            comes with the package for the language ("en"), and "own" where there is none.
        column : str, optional
            The column or field of the texts.
        settings : InductionSettings, optional
            By default those that suit the kind of context, with as many senses as there are.
        calibrated : bool
            Learn from the texts how likely answers are right, unless the model whose contexts are
            taken knows it. False: the model has no confidence.
        device : {"cpu", "cuda"}, optional
            Where contexts are encoded and grouped; where the encoder given does by default. A GPU
            needs the extra ``gpu``.
        workers : int or None
            Processes; None takes all cores.
        engine : str, optional
            Where workers run, as for `grassmeans.engines.use_engine`; those of other machines need
            a corpus that they see.
        overwrite : bool
            Replace a model that is there already.
        **changes
            Single settings: ``n_senses=2``, ``granularity=1.3``, ``max_contexts=500``, ... (all of
            `grassmeans.clustering.settings.InductionSettings`); with word vectors those of
            contexts, too: ``window=10``, ``rank=3``, ...

        Raises
        ------
        InputError
            Where no senses could be found at all.
        """
        from grassmeans.models.building import fit_model
        from grassmeans.models.fitting import read_corpus

        chosen = None if words is None else check_words(words)
        if settings is None:
            changes = {"n_senses": AUTO} | changes
        return fit_model(
            read_corpus(texts, chosen or [], language, column),
            chosen,
            output=output,
            language=language,
            contexts=contexts,
            min_count=min_count,
            settings=settings,
            calibrated=calibrated,
            device=device,
            workers=workers,
            engine=engine,
            overwrite=overwrite,
            show_progress=show_progress,
            **changes,
        )

    @classmethod
    @check_arguments()
    def load(cls, path_or_name: str | Path) -> SenseModel:
        """Open a model: its folder, or the name of one that comes with the package."""
        return load(path_or_name)

    def __deepcopy__(self, memo: object) -> SenseModel:
        return self  # a model does not change, and its arrays may be large

    @property
    def vectors(self) -> WordVectors:
        """The words' vectors."""
        return self.encoder.vectors

    @property
    def is_on_cpu(self) -> bool:
        """Whether contexts are computed here, and not on a GPU."""
        return getattr(self.encoder, "device", "cpu") == "cpu"

    @property
    def settings(self) -> InductionSettings:
        """How the senses were induced; what the manifest does not tell is the default."""
        return InductionSettings.from_dict(self.manifest.get("settings", {}))

    @check_arguments(inventory=instance_of(SenseInventory))
    def with_inventory(self, inventory: SenseInventory) -> SenseModel:
        """The same model with other senses."""
        return self._change(inventory=inventory)

    def with_lemmas(self, lemmas: Mapping[str, str] | FindLemma) -> SenseModel:
        """The same model, for which inflected forms lead to their lemmas.

        Parameters
        ----------
        lemmas : mapping or callable
            ``{"cranes": "crane"}``, or a function that gives the lemma of a word, or None: a
            lemmatizer of your own. Forms are spelled as the model does, in lower case say. A lemma
            that has senses goes before the form itself.
        """
        return self._change(find_lemma=check_lemmas(lemmas))

    def _change(
        self, inventory: SenseInventory | None = None, find_lemma: FindLemma | None = None
    ) -> SenseModel:
        changed = SenseModel(
            self.encoder,
            self.inventory if inventory is None else inventory,
            self.tokenizer,
            self.manifest,
            self.folder,
            lemma_table=self.lemma_table,
            find_lemma=find_lemma or self.find_lemma,
        )
        changed.is_as_stored = self.is_as_stored and inventory is None
        for name in ("_strangers", "sameness"):  # some other senses do not change them
            if name in self.__dict__:
                setattr(changed, name, getattr(self, name))
        return changed

    @cached_property
    def lemmas(self) -> Lemmas | None:
        """Where inflected forms lead to; None where they stay what they are."""
        find = self.find_lemma or (self.lemma_table.get if self.lemma_table else None)
        return None if find is None else Lemmas(find, self.vectors)

    @cached_property
    def digest(self) -> str:
        """A short digest of what the model's answers depend on."""
        inventory, vectors = self.inventory, self.vectors
        lines = inventory.lines_of(inventory.words)
        return digest_of(
            [
                digest_of_array(vectors.vectors),
                digest_of(list(vectors.words)),
                list(inventory.words),
                digest_of_array(lines.directions),
                lines.offsets.tolist(),
                self.tokenizer.to_dict(),
                digest_of(self.lemma_table),
                sorted(self.encoder.function_words),
                [self.encoder.kind, self.encoder.shape.to_dict(), self.encoder.identity()],
            ]
        )

    @property
    def words(self) -> tuple[str, ...]:
        """The words that have senses."""
        return self.inventory.words

    @property
    def language(self) -> str | None:
        """The language of the model, "en" say; None where it is not known."""
        return self.manifest.get("language")

    @cached_property
    def lexemes(self) -> WordVectors | None:
        """The vectors of the senses, by keys such as ``crane.2``; None where the model has none.

        Read when first asked for. `grassmeans.lexemes.lexeme_vectors.open_lexemes` puts them
        together with the words that have no senses.
        """
        if self.folder is None or not (self.folder / LEXEMES_FOLDER).is_dir():
            return None
        return WordVectors.load(self.folder / LEXEMES_FOLDER)

    @check_arguments()
    def spell(self, word: str) -> str:
        """A word as the model spells it: in lower case, say."""
        if word in self.inventory:
            return word
        key = spell_word(word, self.tokenizer)
        return key if self.lemmas is None else self.lemmas.entry_of(key, self.inventory)

    @check_arguments()
    def senses(self, word: str) -> WordSenses:
        """The senses of a word."""
        entry = self.inventory[self.spell(word)]
        if not entry.senses or any(sense.nearest_words for sense in entry.senses):
            return entry
        # A compact model does not store what its vectors tell.
        from grassmeans.senses.samples import find_nearest_words

        nearest = find_nearest_words(
            entry.word, entry.directions, self.vectors, self.encoder.function_words
        )
        described = zip(entry.senses, nearest, strict=True)
        senses = tuple(replace(sense, nearest_words=words) for sense, words in described)
        return replace(entry, senses=senses)

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
        from grassmeans.models.streams import first_of_pair, tag_stream

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
            Of pandas or polars, a table of Arrow, or a data set of Hugging Face.
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
            As it came: of pandas, ... (for a data set that is streamed, one that is not). A row
            for each word that was found: ``label``, ``word``, ``key``, ``sense``, ``name``,
            ``confidence``, ``start``, ``end`` (characters of the text as it stands in the frame).
            A pandas frame has the index of the words' rows; others have the number of the row as
            ``row``, before all else; with ``id``, that column stands there instead.

        Examples
        --------
        >>> found = model.tag_frame(reviews, "body", ["bank", "crane"])  # doctest: +SKIP
        >>> reviews.join(found)  # doctest: +SKIP
        """
        from grassmeans.models.frames import tag_frame

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

    def check_language(self) -> LanguageCheck:
        """A check whether texts are in the model's language, and of words that it knows."""
        return LanguageCheck.of_model(self.encoder, self.language)

    @check_arguments()
    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write the model as a folder that `load` opens.

        Parameters
        ----------
        path : path
            A folder that does not exist yet, or a model when ``overwrite`` is set.
        """
        marks = list_marks(KIND, self.manifest)
        with output_folder(path, KIND, fields=marks, overwrite=overwrite) as building:
            self.fill(building.folder)

    def fill(self, folder: Path) -> None:
        """Write the model into a folder under construction, whose vectors may be there already."""
        if not (folder / VECTORS_FOLDER / MANIFEST).exists():
            self.vectors.save(folder / VECTORS_FOLDER)
        self.inventory.save(folder / INVENTORY_FOLDER)
        write_lemmas(folder, self.lemma_table)
        counts = {"n_words": len(self.inventory), "n_skipped": len(self.inventory.skipped)}
        write_model_head(folder, self.encoder, self.tokenizer, counts | self.manifest)


def write_model_head(
    folder: Path,
    encoder: ContextEncoder,
    tokenizer: AnyTokenizer,
    fields: Mapping[str, Any],
    *,
    bits: int | None = None,
) -> None:
    """Write what makes the folder a whole model beside vectors and inventory; call it last.

    Parameters
    ----------
    bits : {4, 6, 8}, optional
        Of what the encoder stores for each word, in a compact model.
    """
    write_function_words(folder, encoder.function_words)
    encoder.save(folder, bits)
    own = {"tokenizer": tokenizer.to_dict()} | describe_encoder(encoder)
    write_manifest(folder, KIND, FORMAT_VERSION, own | dict(fields))


@check_arguments()
def load(path_or_name: str | Path, *, device: str = "cpu") -> SenseModel:
    """Open a model: its folder, or the name of one that comes with the package, ``"en"``.

    A model folder of that name in the working directory goes before the package's.

    Parameters
    ----------
    device : {"cpu", "cuda"}
        Where contexts are computed; a GPU is for learned contexts, of many texts.
    """
    folder = find_model(path_or_name)
    manifest = read_manifest(folder, KIND, FORMAT_VERSION)
    check_values(folder / MANIFEST, manifest, _MANIFEST_RULES, _OPTIONAL_RULES)
    try:
        tokenizer = tokenizer_from_dict(manifest["tokenizer"])
        InductionSettings.from_dict(manifest.get("settings", {}))
    except InputError as error:
        raise damaged(folder / MANIFEST, str(error)) from error
    inventory = SenseInventory.load(folder / INVENTORY_FOLDER)
    encoder = read_encoder(folder, manifest)
    encoder.use_device(device)
    if len(inventory) and inventory.dim != encoder.vectors.dim:
        raise damaged(
            folder / INVENTORY_FOLDER,
            f"its directions have {inventory.dim} dimensions, the vectors {encoder.vectors.dim}",
        )
    return SenseModel(
        encoder, inventory, tokenizer, manifest, folder, lemma_table=read_lemmas(folder)
    )


@check_arguments(model=either(instance_of(SenseModel), path))
def open_model(model: SenseModel | str | Path, *, device: str = "cpu") -> SenseModel:
    """A model as it is, or the one of a folder or name: what every door takes that needs one."""
    return model if isinstance(model, SenseModel) else load(model, device=device)
