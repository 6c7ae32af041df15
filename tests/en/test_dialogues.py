from __future__ import annotations

import json

from english_texts.dialogues import (
    clean_talk,
    read_changelog,
    read_schema_guided,
    read_taskmaster,
    read_topical_chat,
)


def test_a_talk_has_no_names_stamps_and_breaks():
    turns = (
        "**Ann Lee:** \\[00:12\\] It's *so* good...",
        "Right?",
        "**Break:** \\[12:00\\]",
        "**Bob:** No.",
    )
    assert list(clean_talk("\n\n".join(turns))) == ["It's so good...", "Right?", "No."]


def test_shows_of_others_are_left_out_and_of_the_large_one_every_fifth_episode_is_taken(
    make_repository,
):
    files = {f"podcast/p-{n}.md": f"**Ann:** Number {n}." for n in range(6)}
    files |= {"afk/afk-1.md": "**Ann:** Hello.", "bigtent/b-1.md": "**Ann:** No.", "README.md": "x"}
    documents = list(read_changelog(make_repository(files)))
    assert [(document.id, document.text) for document in documents] == [
        ("afk-1", "Hello."),
        ("p-4", "Number 4."),
    ]


def test_dialogues_of_three_data_sets(make_repository):
    sgd = [
        {
            "dialogue_id": "1_0",
            "services": ["Banks_1"],
            "turns": [{"utterance": "Hi\u00a0there."}, {"utterance": "--"}],
        }
    ]
    tm4 = [{"conversation_id": "d1", "vertical": "Coffee", "utterances": [{"text": "A latte."}]}]
    chat = {"t_1": {"content": [{"message": "Are you a fan? "}, {"message": "Yes"}]}}
    folder = make_repository(
        {
            "train/dialogues_001.json": json.dumps(sgd),
            "TM-4-2024/data/data_00.json": json.dumps(tm4),
            "conversations/test_freq.json": json.dumps(chat),
        }
    )
    [first] = read_schema_guided(folder)
    assert (first.id, first.title, first.text) == ("sgd-1_0", "Banks_1", "Hi there.")
    [second] = read_taskmaster(folder)
    assert (second.id, second.text) == ("taskmaster-d1", "A latte.")
    [third] = read_topical_chat(folder)
    assert (third.id, third.text, third.kind) == ("topical-t_1", "Are you a fan?\nYes", "dialogue")
