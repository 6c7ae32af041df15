"""The commands of the explorer: thin shells; `COMMANDS` adds them to those of the core."""

from __future__ import annotations

from grassmeans.plugins import CommandPanel
from grassmeans_explorer.commands.annotation import agreement, export, import_, make, refit, tokens
from grassmeans_explorer.commands.entries import entries
from grassmeans_explorer.commands.explore import explore
from grassmeans_explorer.commands.merge import merge
from grassmeans_explorer.commands.query import keywords, ngrams, query, sample
from grassmeans_explorer.commands.serve import serve
from grassmeans_explorer.commands.sketch import annotate_grammar, sketch

_ASK = (query, sample, ngrams, keywords, sketch, annotate_grammar)
COMMANDS = (
    CommandPanel("The explorer", (explore, serve, merge, entries)),
    CommandPanel("Ask a corpus", _ASK),
    CommandPanel(
        "Ask a corpus",
        (make, export, import_, agreement, refit, tokens),
        group="annotation",
        about="Let several people judge lines of a word: draw them, exchange them, compare.",
    ),
)
