"""WordNet's glosses of induced senses, for whoever asks for glosses by `grassmeans.plugins`."""

from __future__ import annotations

from collections.abc import Callable

from grassmeans.errors import InputError
from grassmeans.models.model import SenseModel
from grassmeans.senses.entries import WordSenses
from grassmeans_lab.wordnet.database import WordNet
from grassmeans_lab.wordnet.linking import SynsetLinker

_NAMES = {"n": "noun", "v": "verb", "a": "adjective", "r": "adverb"}


def open_glosses(
    model: SenseModel,
) -> Callable[[WordSenses], list[tuple[str, str] | None]] | None:
    """What finds the glosses of a model's senses; None where there is no WordNet for it.

    WordNet is looked for in the usual places, and is of English words.
    """
    if (model.language or "en").partition("-")[0] != "en":
        return None
    try:
        wordnet = WordNet.open()
    except InputError:
        return None
    linker = SynsetLinker.of_model(wordnet, model)

    def find(entry: WordSenses) -> list[tuple[str, str] | None]:
        return [
            None if link is None else (link.synset.definition, _NAMES[link.synset.pos])
            for link in linker.link_entry(entry)
        ]

    return find
