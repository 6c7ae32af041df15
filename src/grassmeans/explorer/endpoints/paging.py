"""Bounds of pages."""

from __future__ import annotations

from grassmeans.explorer.failures import TooMuchError
from grassmeans.explorer.limits import Limits

MAX_OFFSET = 2**53 - 1
"""The largest whole number that every JSON reader keeps exactly."""


def check_page(limits: Limits, limit: int, kind: str = "json", *, most: int | None = None) -> None:
    """Refuse a page that is too large; tables to download may be longer than pages."""
    bound = limits.request.table_rows if kind == "csv" else limits.request.page
    bound = bound if most is None else most
    if limit > bound:
        raise TooMuchError(f"limit is at most {bound:,} here, got {limit:,}: ask for several pages")
