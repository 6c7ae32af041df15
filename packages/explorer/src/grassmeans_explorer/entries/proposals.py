"""A first proposal of an entry, made from what is known of a word.

Of the model: its senses, their names, characteristic words and examples. Of a corpus, where there
is one: collocates, good examples, and the sentence that defines a sense best. Of other installed
distributions: glosses, WordNet's say, by the entry point ``grassmeans.glosses``.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np

from grassmeans.collocations.collocates import SenseCollocates, find_collocates
from grassmeans.corpus.corpus import Corpus
from grassmeans.errors import UnknownWordError, warn_user
from grassmeans.models.model import SenseModel
from grassmeans.plugins import GLOSSES, find_plugins, load_plugin
from grassmeans.senses.entries import Sense, WordSenses
from grassmeans.senses.examples import SentenceWeights
from grassmeans.senses.keys import decode_key, encode_key
from grassmeans_explorer.entries.definitions import FoundDefinition, find_definitions
from grassmeans_explorer.entries.entry import (
    UNIVERSAL_TAGS,
    DictionaryEntry,
    EntryExample,
    EntrySense,
    walk_senses,
)
from grassmeans_explorer.entries.following import ModelNumbers, follow_entry
from grassmeans_explorer.entries.good_examples import (
    DICTIONARY_WEIGHTS,
    ReadWord,
    add_examples,
    stored_examples,
)
from grassmeans_explorer.grammar.layer import GrammarLayer
from grassmeans_explorer.querying.keywords import SURE as NO_CHANCE

Gloss = tuple[str, str]
"""What a sense means, and its part of speech: both may be empty."""
FindGlosses = Callable[[WordSenses], Sequence[Gloss | None]]

SURE = 0.6
"""The score of a defining sentence that goes before a gloss."""
N_EXAMPLES = 3
N_COLLOCATES = 8
_MOST_RANKED = 10  # examples to choose from
_FEWEST_AGREEING, _SHARE_AGREEING = 3, 0.6  # lines of a sense that have its part of speech
_MOST_NEAR = 200  # collocates to choose from


@dataclass(frozen=True)
class Material:
    """What proposals are made from."""

    model: SenseModel
    corpus: Corpus | None = None
    weights: SentenceWeights = DICTIONARY_WEIGHTS
    find_glosses: FindGlosses | None = None
    n_examples: int = N_EXAMPLES
    n_collocates: int = N_COLLOCATES
    layer: GrammarLayer | None = None
    """Of the corpus: parts of speech."""


def open_glosses(model: SenseModel) -> FindGlosses | None:
    """The first source of glosses that is installed and ready for a model; None without one.

    One that cannot be loaded is told by a `grassmeans.errors.GrassmeansWarning`, and left.
    """
    for name in find_plugins(GLOSSES):
        try:
            found: FindGlosses | None = load_plugin(GLOSSES, name)(model)
        except Exception as error:  # another distribution's affair: all else can be proposed
            warn_user(f"the glosses of {name!r} cannot be loaded: {error}")
            continue
        if found is not None:
            return found
    return None


@dataclass(frozen=True, slots=True)
class SenseProposal:
    """What can be proposed for a sense, the best first."""

    name: str = ""
    collocates: tuple[str, ...] = ()
    definitions: tuple[FoundDefinition, ...] = ()
    """Of sentences of the corpus."""
    gloss: Gloss = ("", "")
    """Of another installed source."""
    examples: tuple[EntryExample, ...] = ()
    """Without those that a person has decided on."""
    part_of_speech: str = ""
    """Of the sense's lines, by a layer of grammar."""

    @property
    def definition(self) -> tuple[str, str]:
        """The best definition and a part of speech: a sure sentence, a gloss, a sentence.

        The part of speech is that of its lines, where grammar tells it.
        """
        found = [(one.text, one.part_of_speech) for one in self.definitions[:1]]
        is_sure = bool(found) and self.definitions[0].score >= SURE
        ranked = [*found, self.gloss] if is_sure else [self.gloss, *found]
        text, part_of_speech = next((one for one in ranked if one[0]), ("", ""))
        return text, self.part_of_speech or part_of_speech


class WordProposals:
    """What is known of a word, read once; then sense by sense."""

    def __init__(self, material: Material, word: str) -> None:
        self.material = material
        self.known = material.model.senses(word)
        self._read: ReadWord | None = None
        self._collocates: SenseCollocates | None = None
        if material.corpus is not None:
            # A corpus that does not have the word says nothing: the model's own is taken.
            with contextlib.suppress(UnknownWordError):
                self._read = ReadWord.of_corpus(material.model, material.corpus, self.known.word)
                self._collocates = find_collocates(material.model, material.corpus, self.known.word)
        find = material.find_glosses
        self._glosses: Sequence[Gloss | None] = [] if find is None else find(self.known)

    def propose(self, number: int, decided: Sequence[EntryExample] = ()) -> SenseProposal:
        """For a sense by its number; examples that were decided on are not proposed again."""
        sense = self.known.senses[number - 1]
        gloss = self._glosses[number - 1] if number <= len(self._glosses) else None
        collocates = self._list_collocates(sense)
        if self._read is None:
            examples = stored_examples(self.known, number, decided)
            definitions: tuple[FoundDefinition, ...] = ()
        else:
            most = max(_MOST_RANKED, self.material.n_examples)
            ranked = self._read.rank(number, collocates, decided, self.material.weights, most)
            examples = tuple(one.example for one in ranked)
            own = (*self._read.candidates[number - 1], *self._read.defining[number - 1])
            definitions = find_definitions(own, self.material.model.language)
        spoken = self._find_part_of_speech(number)
        return SenseProposal(
            sense.name, collocates, definitions, gloss or ("", ""), examples, spoken
        )

    def _find_part_of_speech(self, number: int) -> str:
        """What most lines of a sense have, by the layer; empty where they do not agree."""
        corpus, layer = self.material.corpus, self.material.layer
        if self._read is None or corpus is None or layer is None:
            return ""
        lines = self._read.candidates[number - 1]
        places = np.sort([one.line.position for one in lines]).astype(np.int64)
        counts = np.zeros(len(layer.values_of("pos")), np.int64)
        for _, shard, local in corpus.split_positions(places):
            tags = layer.numbers_of("pos", corpus.shards.index(shard))
            counts += np.bincount(tags[local], minlength=len(counts))
        best = int(counts.argmax())
        if counts[best] < max(_FEWEST_AGREEING, _SHARE_AGREEING * len(lines)):
            return ""
        tag = layer.values_of("pos")[best]
        return next((name for name, own in UNIVERSAL_TAGS.items() if own == tag), "")

    def _list_collocates(self, sense: Sense) -> tuple[str, ...]:
        """Of the corpus, filled up with the words that mark the sense in the model.

        Without forms of the word itself, numbers, what a single document alone has, and what chance
        may have put there.
        """
        ranked: list[str] = []
        if self._collocates is not None and self._read is not None:
            spread = self._read.find_spread(sense.number)
            near = self._collocates.rank(sense.number, limit=_MOST_NEAR)
            sure = (one.word for one in near if one.log_likelihood >= NO_CHANCE)
            ranked = [word for word in sure if word.casefold() in spread]
        words = dict.fromkeys((*ranked, *sense.characteristic_words))
        own = {form.casefold() for form, _ in (*self.known.forms, (self.known.word, 0))}
        spell = self.material.model.spell
        fitting = (
            word
            for word in words
            if not word.isdigit() and own.isdisjoint((word.casefold(), spell(word).casefold()))
        )
        return tuple(islice(fitting, self.material.n_collocates))


def propose_entry(
    material: Material,
    word: str,
    written: DictionaryEntry | None = None,
    numbers: ModelNumbers | None = None,
    proposals: WordProposals | None = None,
) -> DictionaryEntry:
    """An entry of a word with all that can be proposed; what was written stays as it is.

    Fields that are proposals are named by `EntrySense.proposed`. Senses of the model that the
    written entry does not have come at its end; hidden ones do not. ``proposals`` are those of the
    word where it was read before. `UnknownWordError` where the model has no senses of the word.
    """
    numbers = numbers or ModelNumbers.of_model(material.model)
    proposals = proposals or WordProposals(material, word)
    known = proposals.known
    entry = DictionaryEntry(known.word, numbering=numbers.find(known.word))
    if written is not None:
        entry = follow_entry(written, numbers).entry
    entry = add_missing_senses(entry, known)
    senses = tuple(_fill(sense, proposals) for sense in entry.senses)
    spoken = {sense.part_of_speech for _, sense in walk_senses(senses)}
    if not entry.part_of_speech and len(spoken) == 1:
        return replace(entry, senses=senses, part_of_speech=spoken.pop())
    return replace(entry, senses=senses)


def add_missing_senses(entry: DictionaryEntry, known: WordSenses) -> DictionaryEntry:
    """The entry with an empty sense for each of the model's that it does not have yet."""
    keys = {sense.key for _, sense in walk_senses(entry.senses)}
    wanted = (encode_key(known.word, sense.number) for sense in known.senses if not sense.hidden)
    new = tuple(EntrySense(key) for key in wanted if key not in keys)
    return replace(entry, senses=(*entry.senses, *new))


def _fill(sense: EntrySense, proposals: WordProposals) -> EntrySense:
    """A sense, and those in it, with proposals where nothing was written."""
    inner = tuple(_fill(one, proposals) for one in sense.senses)
    number = decode_key(sense.key)[1] if sense.key else None
    if not number or number > len(proposals.known.senses):
        return replace(sense, senses=inner)
    found = proposals.propose(number, sense.examples)
    definition, part_of_speech = found.definition
    values: dict[str, Any] = {
        "name": found.name,
        "definition": definition,
        "part_of_speech": part_of_speech,
        "collocates": found.collocates,
    }
    new = {name: value for name, value in values.items() if value and not getattr(sense, name)}
    wanted = proposals.material.n_examples
    examples = add_examples(sense.examples, found.examples, wanted)
    proposed = tuple(dict.fromkeys((*sense.proposed, *new)))
    return replace(sense, senses=inner, examples=examples, proposed=proposed, **new)
