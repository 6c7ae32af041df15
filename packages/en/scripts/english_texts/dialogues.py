"""What people say to each other: recorded conversations, and dialogues written for machines."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from english_texts.documents import Document
from english_texts.markdown import clean_inline
from english_texts.paragraphs import strip_markup, tidy
from english_texts.repositories import decode_text, read_files

_SHOWS = ("afk", "backstage", "brainscience", "founderstalk", "friends", "rfc", "spotlight")
_LARGE_SHOW = "podcast"
_EVERY = 5
_SPEAKER = re.compile(r"^\*\*[^*\n]{1,60}:?\*\*:?\s*")
_NOISE = re.compile(r"\{\w+\}|(?:,\s*)?\b(?:[Uu]h|[Uu]m|[Ee]rm?)\b|_")
_APART = re.compile(r"(?<=\w)\s+(?='(?:s|re|ve|ll|d|m|t)\b)|(?:\s*[,.])+\s*(?=[,.])")
_FEWEST = 3
"""Turns of a meeting with fewer words only tell that somebody listens."""
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


def read_self_dialogues(folder: Path) -> Iterator[Document]:
    """Conversations on films, music and sports, both sides by one person, who was not blocked."""
    blocked: set[str] = set()
    for path, content in read_files(folder, lambda path: path.endswith((".csv", "workers.txt"))):
        if path.endswith(".txt"):
            blocked.update(decode_text(content).split())
            continue
        _, topic, file = path.split("/")
        for number, row in enumerate(csv.DictReader(io.StringIO(decode_text(content)))):
            if row["WorkerId"] in blocked or row.get("Reject"):
                continue
            name = f"self-{topic}-{Path(file).stem}-{number}"
            yield talk(name, topic.replace("_", " "), _answers(row), "dialogue", "self-dialogue")


def _answers(row: dict[str, str]) -> Iterator[str]:
    """The sentences of a form, by their numbers (its columns are sorted by letters)."""
    columns = [column for column in row if re.fullmatch(r"Answer\.sentence\d+", column or "")]
    for column in sorted(columns, key=lambda column: int(column.removeprefix("Answer.sentence"))):
        yield row[column] or ""


def read_meetings(folder: Path) -> Iterator[Document]:
    """Meetings that were recorded: of teams that design a thing, and of a research group."""
    rooms = ("data/Product/all/", "data/Academic/all/")
    for path, content in read_files(folder, lambda path: path.startswith(rooms)):
        turns = json.loads(content)["meeting_transcripts"]
        said = (clean_meeting(turn["content"]) for turn in turns)
        said = (turn for turn in said if len(turn.split()) >= _FEWEST)
        yield talk(f"meeting-{Path(path).stem}", "Meeting", said, "speech", "qmsum")


def clean_meeting(turn: str) -> str:
    """A turn without noises and hesitation, its marks joined to words."""
    return strip_markup(_APART.sub("", _NOISE.sub("", turn))).lstrip(" ,.")


def read_star(folder: Path) -> Iterator[Document]:
    """What two people wrote who played customer and assistant; not what was picked from lists."""
    for path, content in read_files(folder, lambda path: path.startswith("dialogues/")):
        dialogue = json.loads(content)
        said = (event["Text"] for event in dialogue["Events"] if event["Action"] == "utter")
        about = " and ".join(filter(None, dialogue["Scenario"]["Domains"]))
        yield talk(f"star-{Path(path).stem}", about, said, "dialogue", "star")


def read_casino(folder: Path) -> Iterator[Document]:
    """Two campers share out food, water and firewood."""
    for _, content in read_files(folder, lambda path: path.startswith("data/split/casino_")):
        for dialogue in json.loads(content):
            turns = (turn["text"] for turn in dialogue["chat_logs"] if not turn["task_data"])
            yield talk(f"casino-{dialogue['dialogue_id']}", "Camping", turns, "dialogue", "casino")


def talk(name: str, title: str, turns: Iterable[str], kind: str, source: str) -> Document:
    """A document with a paragraph a turn."""
    kept = [turn for turn in map(tidy, turns) if any(map(str.isalpha, turn))]
    return Document(name, title, "\n".join(kept), kind, source)


def _is_episode(path: str) -> bool:
    return path.startswith((*_SHOWS, _LARGE_SHOW)) and path.endswith(".md") and "/" in path
