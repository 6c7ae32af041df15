"""What the caller may choose about reading, handed to every reader."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Choices of the caller.

    Parameters
    ----------
    text_field : str
        The field (JSON lines) or column (Parquet) that holds the text.
    column : str, int or None
        Tokenised formats with columns: the one that gives the keys.
    encoding : str or None
        Of text files; None: UTF-8, or what a byte order mark says.
    max_document_chars : int
        Longer documents are split.
    keep_redirects : bool
        MediaWiki: yield redirect pages as well, with ``markup="redirect"``.
    """

    text_field: str = "text"
    column: str | int | None = None
    encoding: str | None = None
    max_document_chars: int = 4_000_000
    keep_redirects: bool = False
