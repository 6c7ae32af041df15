"""A model: contexts, word vectors and a sense inventory, ready to tag text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from grassmeans.artifacts.checking import MANIFEST, damaged
from grassmeans.artifacts.schema import (
    check_arguments,
    check_values,
    each,
    either,
    expect,
    flag,
    instance_of,
    nothing,
    number,
    optional,
    path,
    record,
    row,
    text,
    whole,
)
from grassmeans.artifacts.writing import (
    digest_of,
    digest_of_array,
    read_manifest,
    write_manifest,
)
from grassmeans.clustering.settings import InductionSettings
from grassmeans.contexts import (
    VECTORS_FOLDER,
    describe_context,
    describe_encoder,
    read_encoder,
)
from grassmeans.contexts.interface import ContextEncoder
from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.pooled_forms import PooledForms
from grassmeans.corpus.vocabulary import write_function_words
from grassmeans.engines import EngineChoice
from grassmeans.errors import InputError, warn_user
from grassmeans.models.placed_lexemes import place_lexemes
from grassmeans.models.places import KIND, find_model
from grassmeans.models.tagging_model import TaggingModel
from grassmeans.outputs.ownership import list_marks
from grassmeans.outputs.places import output_folder
from grassmeans.reading.given import check_words, spell_word
from grassmeans.senses.calibration import CALIBRATION
from grassmeans.senses.coarsening import TEXT, CoarseInventory, TextGrouping
from grassmeans.senses.entries import WordSenses
from grassmeans.senses.inventory import SenseInventory
from grassmeans.tagging.lemmas import (
    FORMS_POOLED,
    FindLemma,
    LemmaChoice,
    Lemmas,
    check_lemmas,
    read_lemmas,
    write_lemmas,
)
from grassmeans.tagging.marked_text import AnyTokenizer
from grassmeans.text.tokenizer import tokenizer_from_dict
from grassmeans.vectors.word_vectors import WordVectors

FORMAT_VERSION = 2
_FIRST_VERSION = 1  # of releases before 0.2.0
FIRST_READER = "0.2.0"
"""The first release that reads what this one writes."""
_WRITER = ("format_version", "grassmeans")  # of a manifest: what wrote it
INVENTORY_FOLDER = "inventory"
CHOSEN_WORDS = "chosen_words"
LEXEMES_FOLDER = "lexemes"
_SHOWN = 5  # words of a warning

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
    CHOSEN_WORDS: flag,
    FORMS_POOLED: record({"source": text, "n_forms": whole()}),
    "edited": record(
        {"hidden": each(row(text, whole(1)))},
        {"edits": each(record()), "earlier": each(record())},
    ),
}


class SenseModel(TaggingModel):
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
        Form -> lemma, of a model whose words are lemmas, or stand for all their forms; empty for
        others.
    find_lemma : callable or None
        A lemmatizer that was given (`with_lemmas`).
    is_as_stored : bool
        Whether the folder holds these senses.
    granularity : str or None
        At which the folder's senses are seen (`at_granularity`); None for as they are.
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
        inventory.function_words = encoder.function_words
        self.encoder = encoder
        self.inventory = inventory
        self.tokenizer = tokenizer
        self.manifest = manifest or {}
        self.folder = folder
        self.lemma_table = dict(lemma_table or {})
        self.find_lemma = find_lemma
        self.is_as_stored = folder is not None
        self.granularity = None

    def __repr__(self) -> str:
        return f"SenseModel({len(self.inventory):,} words with senses, {self.vectors!r})"

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
        language: str | None = "en",
        function_words: Iterable[str] | None = None,
        contexts: Any = None,
        column: str | None = None,
        min_count: int | None = None,
        settings: InductionSettings | None = None,
        calibrated: bool = True,
        lemmas: LemmaChoice = False,
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
            Without them: all content words that occur ``min_count`` times. A warning names those
            that have no senses here; ``model.inventory.skipped`` has all of them.
        output : path, optional
            Write the model into this folder, word by word as ``grassmeans induce`` does: started
            again after an interruption, it goes on from where it was. For whatever takes long.
        language : str or None
            Of the texts: its function words do not describe a context. None: of none that is known.
        function_words : iterable of str, optional
            In place of the language's list; none at all for an empty one.
        contexts : optional
            What contexts are made of: word vectors, an encoder or a model, or the path or name of
            one; "own" trains word vectors on the texts. By default the contexts of the model that
            is installed for the language ("en"), and "own" where there is none.
        column : str, optional
            The column or field of the texts.
        settings : InductionSettings, optional
            By default those that suit the kind of context, with as many senses as there are.
        calibrated : bool
            Learn from the texts how likely answers are right, unless the model whose contexts are
            taken knows it. False: the model has no confidence.
        lemmas : bool, "auto", mapping or callable
            Whether the forms of a word have one entry: "banks" the senses of "bank". True takes
            the dictionaries of simplemma for the texts' language (extra ``lemmas``), and leaves
            forms alone that mean something else ("goods"); "auto" does so where it can. Or a table
            ``{"banks": "bank"}``, or a function of a word, which are taken as they are.
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
        model = fit_model(
            read_corpus(texts, chosen or [], language, function_words, column),
            chosen,
            output=output,
            language=language,
            contexts=contexts,
            min_count=min_count,
            settings=settings,
            calibrated=calibrated,
            lemmas=lemmas,
            device=device,
            workers=workers,
            engine=engine,
            overwrite=overwrite,
            show_progress=show_progress,
            **changes,
        )
        if chosen:
            _tell_skipped(model)
        return model

    @classmethod
    @check_arguments()
    def load(cls, path_or_name: str | Path) -> SenseModel:
        """Open a model: its folder, or the name of one that is installed."""
        return load(path_or_name)

    def __deepcopy__(self, memo: object) -> SenseModel:
        return self  # a model does not change, and its arrays may be large

    @property
    def vectors(self) -> WordVectors:
        """The words' vectors."""
        return self.encoder.vectors

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

    @check_arguments(granularity=expect('"text"', lambda value: value == TEXT))
    def at_granularity(self, granularity: str) -> SenseModel:
        """The same model, whose answers are coarser; its senses stay what they are.

        It is a view, for tagging and evaluation: what is saved is the model itself. A number is for
        a new induction (`fit`): what a finished model has in one sense cannot be split.

        Parameters
        ----------
        granularity : {"text"}
            For running text, where most occurrences have the main sense: senses stay apart only
            where that is to be expected to raise B-cubed F (`grassmeans.senses.coarsening`). A
            group of senses (`sense_groups`) is answered by the number and the name of its first.

        Raises
        ------
        InputError
            For models of word vectors, whose senses tell too little of how alike they are.
        """
        if self.granularity == granularity:
            return self
        changed = self._change(inventory=CoarseInventory(self.inventory, self._text_grouping))
        changed.granularity = granularity
        changed.is_as_stored = self.is_as_stored
        return changed

    @check_arguments()
    def sense_groups(self, word: str) -> tuple[tuple[int, ...], ...]:
        """Which senses of a word are one at the granularity "text", by their numbers.

        Examples
        --------
        >>> model.sense_groups("crane")  # doctest: +SKIP
        ((1, 3), (2,))
        """
        groups = self._text_grouping.group(self.inventory[self.spell(word)])
        numbers = dict.fromkeys(groups[groups > 0].tolist())
        return tuple(tuple((np.flatnonzero(groups == n) + 1).tolist()) for n in numbers)

    @property
    def _text_grouping(self) -> TextGrouping:
        if self.sameness is None or not self.encoder.lines_have_ends:
            raise InputError(
                "this model does not know how alike two contexts of one sense are, so it cannot "
                "tell which senses are one: take a model of learned contexts, of more words"
            )
        return TextGrouping(self.sameness)

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
        changed.granularity = self.granularity if inventory is None else None
        for name in ("_strangers", "sameness"):  # some other senses do not change them
            if name in self.__dict__:
                setattr(changed, name, getattr(self, name))
        return changed

    @cached_property
    def lemmas(self) -> Lemmas | None:
        """Where inflected forms lead to; None where they stay what they are."""
        find = self.find_lemma or (self.lemma_table.get if self.lemma_table else None)
        return None if find is None else Lemmas(find, self.vectors)

    def pool_forms(self, corpus: Corpus) -> Corpus:
        """A corpus in which words have the occurrences of all forms that lead to them here.

        It stays as it is where its tokens are lemmas or lexemes already, and where forms lead
        nowhere. What has senses of its own is no form of another word.
        """
        find = self.find_lemma or (self.lemma_table.get if FORMS_POOLED in self.manifest else None)
        if find is None or corpus.is_labelled:
            return corpus
        pairs = ((word, find(word)) for word in corpus.vocabulary.words)
        known = self.inventory
        table = {w: key for w, key in pairs if key is not None and key in known and w not in known}
        return PooledForms(corpus, table) if table else corpus

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
            + ([] if self.granularity is None else [self.granularity])
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

        Those that are stored; or, where contexts have a space of their own, the places of senses
        and words in it. `grassmeans.lexemes.lexeme_vectors.open_lexemes` puts stored ones of
        subspaces together with the words that have no senses.
        """
        stored = self.stored_lexemes
        if stored is not None or not self.encoder.space_is_fixed or not self.words:
            return stored
        return place_lexemes(self.inventory, self.vectors)

    @cached_property
    def stored_lexemes(self) -> WordVectors | None:
        """The vectors of senses in the model's folder, which were trained; None without any."""
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
        from grassmeans.senses.describing import find_nearest_words

        left_out = self.encoder.function_words | {form for form, _ in entry.forms}
        nearest = find_nearest_words(entry.word, entry.directions, self.vectors, left_out)
        described = zip(entry.senses, nearest, strict=True)
        senses = tuple(replace(sense, nearest_words=words) for sense, words in described)
        return replace(entry, senses=senses)

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
        told = {name: v for name, v in self.manifest.items() if name not in _WRITER}
        write_model_head(folder, self.encoder, self.tokenizer, counts | told)


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


def _tell_skipped(model: SenseModel) -> None:
    """Warn of words that were named and have no senses."""
    skipped = [f"{found.word!r} {found.reason}" for found in model.inventory.skipped]
    if skipped:
        more = f"; and {len(skipped) - _SHOWN:,} more" if len(skipped) > _SHOWN else ""
        warn_user(f"no senses were found: {'; '.join(skipped[:_SHOWN])}{more}")


@check_arguments()
def load(path_or_name: str | Path, *, device: str = "cpu") -> SenseModel:
    """Open a model: its folder, or the name of one that is installed, ``"en"``.

    A model folder of that name in the working directory goes first.

    Parameters
    ----------
    device : {"cpu", "cuda"}
        Where contexts are computed; a GPU is for learned contexts, of many texts.
    """
    folder = find_model(path_or_name)
    manifest = describe_context(read_manifest(folder, KIND, _FIRST_VERSION, FORMAT_VERSION))
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
