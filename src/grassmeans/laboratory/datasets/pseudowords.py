"""Artificial polysemous words (section 3 of the paper): several words merged into one.

Their senses are known for certain: the sense of an occurrence is the word that stood there. So
they show how well senses are found, in any language and without anybody's labels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import count
from pathlib import Path

from grassmeans.corpus.corpus import Corpus
from grassmeans.corpus.shard import ConcordanceLine
from grassmeans.corpus.tokenizer import Tokenizer, WhitespaceTokenizer
from grassmeans.errors import InputError
from grassmeans.laboratory.datasets.merging import check_groups, check_merged_output, merge_words
from grassmeans.laboratory.datasets.monosemous import WordChoice, choose_groups
from grassmeans.laboratory.datasets.sampling import Sampling, sample_senses
from grassmeans.laboratory.datasets.wordnet import WordNet
from grassmeans.laboratory.datasets.writing import (
    KIND,
    DatasetSummary,
    LabelledInstance,
    make_instance,
    make_label,
    order_occurrences,
    text_around,
    write_dataset,
)
from grassmeans.outputs import check_output
from grassmeans.progress import progress_bar

_NAME = "pseudoword"


@dataclass(frozen=True, slots=True)
class PseudowordSettings:
    """What goes into a test set of artificial words.

    Parameters
    ----------
    choice : WordChoice
        Which words are drawn, where none are given.
    context_chars : int
        Characters of text on either side.
    sampling : Sampling
        How many instances of a word, and the split.
    """

    choice: WordChoice = field(default_factory=WordChoice)
    context_chars: int = 500
    sampling: Sampling = field(default_factory=lambda: Sampling(max_per_sense=200))

    def __post_init__(self) -> None:
        if self.context_chars < 1:
            raise InputError(f"context_chars must be 1 or more, got {self.context_chars}")


def build_pseudowords(
    corpus: Corpus,
    output: str | Path,
    settings: PseudowordSettings | None = None,
    *,
    groups: Sequence[Sequence[str]] | None = None,
    wordnet: str | Path | None = None,
    corpus_out: str | Path | None = None,
    workers: int | None = None,
    overwrite: bool = False,
    show_progress: bool | None = None,
) -> DatasetSummary:
    """Write a test set of artificial words, and the corpus that has them.

    Parameters
    ----------
    output : path
        Folder of the test set: ``instances.jsonl`` and ``instances.key``, or ``train`` and
        ``test`` with a split. The label of an instance is the word that stood there; in its text
        the merged words are replaced, too.
    groups : sequence of sequences of str, optional
        The words to merge; by default they are drawn (`choose_groups`).
    wordnet : path, optional
        Draw words that have one sense in this WordNet only.
    corpus_out : path, optional
        Folder of a corpus in which the words are merged (`merge_words`), to train vectors and to
        induce senses.

    Raises
    ------
    InputError, UnknownWordError
        Where words do not occur, come twice, or are too few.
    """
    chosen = settings or PseudowordSettings()
    folder = Path(output)
    if corpus_out is not None:
        if Path(corpus_out).resolve() == folder.resolve():
            raise InputError("the test set and the merged corpus need two folders")
        check_merged_output(corpus, corpus_out, overwrite=overwrite)
    inputs = [corpus.path, corpus_out, wordnet]
    check_output(folder, KIND, inputs=inputs, overwrite=overwrite)
    if groups is None:
        database = None if wordnet is None else WordNet.open(wordnet)
        groups = choose_groups(corpus, chosen.choice, database)
    named = name_groups(corpus, groups)
    check_groups(corpus, named)
    parts = _make_instances(corpus, named, chosen, show_progress)
    if corpus_out is not None:
        merge_words(
            corpus,
            named,
            corpus_out,
            workers=workers,
            overwrite=overwrite,
            show_progress=show_progress,
        )
    facts = {
        "made_by": "pseudowords",
        "corpus": corpus.path.name,
        "corpus_digest": corpus.manifest.get("digest"),
        "parameters": asdict(chosen),
        "merged": {name: list(words) for name, words in named.items()},
    }
    return write_dataset(folder, parts, facts, inputs=inputs, overwrite=overwrite)


def name_groups(corpus: Corpus, groups: Sequence[Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Names for artificial words, ``pseudoword1`` and so on, that are no words of the corpus.

    A name is one token, so that the replaced text of an instance is read as it was meant.
    """
    names = (f"{_NAME}{i}" for i in count(1))
    free = (name for name in names if name not in corpus.vocabulary)
    return {name: tuple(words) for name, words in zip(free, groups, strict=False)}


def _make_instances(
    corpus: Corpus,
    groups: Mapping[str, Sequence[str]],
    settings: PseudowordSettings,
    show_progress: bool | None,
) -> dict[str, list[LabelledInstance]]:
    name_of = {word: name for name, words in groups.items() for word in words}
    parts: dict[str, list[LabelledInstance]] = {part: [] for part in settings.sampling.parts}
    with progress_bar("writing", len(groups), unit="words", show=show_progress) as advance:
        for name, words in groups.items():
            senses = {make_label(word): corpus.positions(word) for word in words}
            number = 0
            for part, drawn in sample_senses(name, senses, settings.sampling).items():
                for position, label in order_occurrences(drawn):
                    number += 1
                    line = text_around(corpus, position, settings.context_chars)
                    hidden = _hide_words(corpus, line, name, name_of)
                    parts[part].append(make_instance(hidden, name, number, label))
            advance()
    return parts


def _hide_words(
    corpus: Corpus, line: ConcordanceLine, name: str, name_of: Mapping[str, str]
) -> ConcordanceLine:
    """Replace the occurrence, and the merged words in the text around it."""
    rule = _token_rule(corpus, line.position)
    left, right = (_replace_words(text, rule, name_of) for text in (line.left, line.right))
    return replace(line, left=left, word=name, right=right)


def _token_rule(corpus: Corpus, position: int) -> Tokenizer | WhitespaceTokenizer:
    shard, local = corpus.locate(position)
    return shard.token_rule(shard.document_at(local), corpus.tokenizer)


def _replace_words(
    text: str, rule: Tokenizer | WhitespaceTokenizer, name_of: Mapping[str, str]
) -> str:
    pieces: list[str] = []
    end = 0
    for start, stop in rule.spans(text):
        name = name_of.get(rule.key_of(text[start:stop]) or "")
        if name is not None:
            pieces += [text[end:start], name]
            end = stop
    return "".join([*pieces, text[end:]])
