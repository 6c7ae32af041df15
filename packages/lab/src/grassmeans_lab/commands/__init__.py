"""The commands of the laboratory: thin shells; `COMMANDS` adds them to those of the core."""

from __future__ import annotations

from grassmeans.plugins import CommandPanel
from grassmeans_lab.commands.build_dataset import lineup, links, pseudowords
from grassmeans_lab.commands.compare import compare
from grassmeans_lab.commands.iterate import iterate
from grassmeans_lab.commands.reproduce import reproduce
from grassmeans_lab.commands.wordnet import wordnet

COMMANDS = (
    CommandPanel("The paper and its rivals", (reproduce, compare, iterate, wordnet)),
    CommandPanel(
        "The paper and its rivals",
        (links, pseudowords, lineup),
        group="build-dataset",
        about="Make a test set: of linked words, of artificial words, or of WordNet's senses.",
    ),
)
