"""Documents of the corpus: in groups, by what is known of them, and one to read."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from grassmeans.change.grouping import GroupedDocuments, group_documents
from grassmeans.errors import InputError
from grassmeans.explorer.caches import BoundedCache, Kept
from grassmeans.explorer.limits import ConflictError, NothingThereError
from grassmeans.explorer.open_model import OpenModel

_CHARACTERS_A_WORD = 6
"""About, with the space behind it: how far to go for the text before or after."""

_FEW = 8
_GROUPS: Kept[BoundedCache[GroupedDocuments]] = Kept(lambda _: BoundedCache(_FEW))


def find_groups(opened: OpenModel, by: str) -> GroupedDocuments:
    """The documents of the corpus in groups; `ConflictError` where they cannot be grouped so."""
    corpus = opened.require_corpus("grouping documents")
    try:
        return _GROUPS.of(opened).get_or_make(by, lambda: group_documents(corpus, by))
    except InputError as error:
        raise ConflictError(str(error)) from error


@dataclass(frozen=True, slots=True)
class DocumentView:
    """A stretch of a document around an occurrence.

    Attributes
    ----------
    text : str
        Line breaks part its paragraphs.
    start, end : int
        Characters of the occurrence in the text.
    cut_before, cut_after : bool
        Whether the document goes on beyond the text.
    earlier, later : int or None
        Positions to ask for, to read on there.
    fields : mapping of str to str
        What else is known of the document: a date, a source.
    """

    document: str
    title: str
    text: str
    start: int
    end: int
    cut_before: bool
    cut_after: bool
    earlier: int | None = None
    later: int | None = None
    fields: dict[str, str] = field(default_factory=dict)


def show_document(opened: OpenModel, position: int) -> DocumentView:
    """The text around the token at a position of the corpus."""
    corpus = opened.require_corpus("reading a document")
    if not 0 <= position < corpus.n_tokens:
        raise NothingThereError(
            f"position {position} is outside the corpus of {corpus.n_tokens:,} words"
        )
    width = opened.limits.request.document_characters
    line = corpus.line_at(position, width, keep_breaks=True)
    shard, local = corpus.locate(position)
    first, end = (
        shard.first_position + int(bound[0]) for bound in shard.document_bounds(np.array([local]))
    )
    step = 2 * width // _CHARACTERS_A_WORD
    start = len(line.left)
    cut_before, cut_after = len(line.left) >= width, len(line.right) >= width
    return DocumentView(
        document=line.document_id,
        title=line.document_title,
        text=f"{line.left}{line.word}{line.right}",
        start=start,
        end=start + len(line.word),
        cut_before=cut_before,
        cut_after=cut_after,
        earlier=max(first, position - step) if cut_before else None,
        later=min(end - 1, position + step) if cut_after else None,
        fields=dict(line.fields),
    )
