"""What people say to each other: recorded conversations, and dialogues written for machines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from english_texts.documents import Document
from english_texts.markdown import clean_inline
from english_texts.paragraphs import tidy
from english_texts.repositories import decode_text, read_files

_SHOWS = ("afk", "backstage", "brainscience", "founderstalk", "friends", "rfc", "spotlight")
_LARGE_SHOW = "podcast"
_EVERY = 5
_SPEAKER = re.compile(r"^\*\*[^*\n]{1,60}:?\*\*:?\s*")
_STAMP = re.compile(r"\\?\[[^\]]{0,60}\\?\]")


def read_changelog(folder: Path) -> Iterator[Document]:
    """Podcasts of the Changelog, without shows of others, and without news that are read out."""
    for number, (path, content) in enumerate(read_files(folder, _is_episode)):
        if path.startswith(_LARGE_SHOW) and number % _EVERY:
            continue
        name = Path(path).stem
        yield talk(name, name, clean_talk(decode_text(content)), "speech", "changelog")


def clean_talk(page: str) -> Iterator[str]:
    """Turns of a conversation without names, time stamps and breaks."""
    for block in re.split(r"\n\s*\n", page):
        if block.lstrip().startswith(("**Break", "#", "---")):
            continue
        turn = clean_inline(_STAMP.sub(" ", _SPEAKER.sub("", block.strip())))
        if turn:
            yield turn


def read_schema_guided(folder: Path) -> Iterator[Document]:
    """Dialogues of a person with an assistant that knows restaurants, doctors, buses, banks."""
    for _, content in read_files(folder, lambda path: "/dialogues_" in path):
        for dialogue in json.loads(content):
            turns = (turn["utterance"] for turn in dialogue["turns"])
            name = f"sgd-{dialogue['dialogue_id']}"
            yield talk(name, " and ".join(dialogue["services"]), turns, "dialogue", "sgd")


def read_taskmaster(folder: Path) -> Iterator[Document]:
    """Dialogues in which somebody orders coffee."""
    for _, content in read_files(folder, lambda path: path.startswith("TM-4-2024/data/")):
        for dialogue in json.loads(content):
            turns = (turn["text"] for turn in dialogue["utterances"])
            name = f"taskmaster-{dialogue['conversation_id']}"
            yield talk(name, dialogue["vertical"], turns, "dialogue", "taskmaster")


def read_topical_chat(folder: Path) -> Iterator[Document]:
    """Conversations of two people on sports, films, politics, what they have read."""
    for _, content in read_files(folder, lambda path: path.startswith("conversations/")):
        for name, dialogue in json.loads(content).items():
            turns = (turn["message"] for turn in dialogue["content"])
            yield talk(f"topical-{name}", "Chat", turns, "dialogue", "topical-chat")


def talk(name: str, title: str, turns: Iterable[str], kind: str, source: str) -> Document:
    """A document with a paragraph a turn."""
    kept = [turn for turn in map(tidy, turns) if any(map(str.isalpha, turn))]
    return Document(name, title, "\n".join(kept), kind, source)


def _is_episode(path: str) -> bool:
    return path.startswith((*_SHOWS, _LARGE_SHOW)) and path.endswith(".md") and "/" in path
