"""Documents of the corpus: in groups, by what is known of them, and one to read."""

from __future__ import annotations

from dataclasses import dataclass

from grassmeans.change.grouping import GroupedDocuments, group_documents
from grassmeans.errors import InputError
from grassmeans.explorer.limits import ConflictError, NothingThereError
from grassmeans.explorer.open_model import OpenModel


def find_groups(opened: OpenModel, by: str) -> GroupedDocuments:
    """The documents of the corpus in groups; `ConflictError` where they cannot be grouped so."""
    corpus = opened.require_corpus("grouping documents")
    try:
        return opened.groups.get_or_make(by, lambda: group_documents(corpus, by))
    except InputError as error:
        raise ConflictError(str(error)) from error


@dataclass(frozen=True, slots=True)
class DocumentView:
    """A stretch of a document around an occurrence.

    Attributes
    ----------
    text : str
        Line breaks are spaces.
    start, end : int
        Characters of the occurrence in the text.
    cut_before, cut_after : bool
        Whether the document goes on beyond the text.
    """

    document: str
    title: str
    text: str
    start: int
    end: int
    cut_before: bool
    cut_after: bool


def show_document(opened: OpenModel, position: int) -> DocumentView:
    """The text around the token at a position of the corpus."""
    corpus = opened.require_corpus("reading a document")
    if not 0 <= position < corpus.n_tokens:
        raise NothingThereError(
            f"position {position} is outside the corpus of {corpus.n_tokens:,} words"
        )
    width = opened.limits.request.document_characters
    line = corpus.line_at(position, width)
    start = len(line.left)
    return DocumentView(
        document=line.document_id,
        title=line.document_title,
        text=f"{line.left}{line.word}{line.right}",
        start=start,
        end=start + len(line.word),
        cut_before=len(line.left) >= width,
        cut_after=len(line.right) >= width,
    )
