"""The commands of the explorer: thin shells; `COMMANDS` adds them to those of the core."""

from __future__ import annotations

from grassmeans.plugins import CommandPanel
from grassmeans_explorer.commands.entries import entries
from grassmeans_explorer.commands.explore import explore
from grassmeans_explorer.commands.merge import merge
from grassmeans_explorer.commands.serve import serve

COMMANDS = (CommandPanel("The explorer", (explore, serve, merge, entries)),)
