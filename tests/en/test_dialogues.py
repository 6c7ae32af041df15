from __future__ import annotations

import json

import pytest
from english_texts.dialogues import (
    clean_meeting,
    clean_talk,
    read_casino,
    read_changelog,
    read_meetings,
    read_schema_guided,
    read_self_dialogues,
    read_star,
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


def test_self_dialogues_are_read_in_order_without_rejected_ones_and_blocked_people(make_repository):
    rows = (
        "WorkerId,Answer.sentence1,Answer.sentence10,Answer.sentence2,Reject",
        "A1,Who won?,Bye.,The home team.,",
        "A2,Spam.,,,",
        "A1,Late.,,,too late",
    )
    folder = make_repository(
        {"blocked_workers.txt": "A2\n", "corpus/ice_hockey/b1.csv": "\n".join(rows)}
    )
    [document] = read_self_dialogues(folder)
    assert (document.id, document.title) == ("self-ice_hockey-b1-0", "ice hockey")
    assert document.paragraphs == ["Who won?", "The home team.", "Bye."]


@pytest.mark.parametrize(
    ("turn", "clean"),
    [
        ("Um , I 'm {vocalsound} not sure , uh , really .", "I'm not sure, really."),
        ("The L_C_D_ is uh {disfmarker} dear .", "The LCD is dear."),
        ("No . Um . So it 's red .", "No. So it's red."),
        ("Er .", ""),
    ],
)
def test_a_turn_of_a_meeting_has_no_noise_and_no_hesitation(turn, clean):
    assert clean_meeting(turn) == clean


def test_meetings_of_parliaments_and_short_turns_are_left_out(make_repository):
    turns = [{"content": "Mm-hmm ."}, {"content": "I like that button ."}]
    meeting = json.dumps({"meeting_transcripts": turns})
    folder = make_repository(
        {"data/Product/all/ES1.json": meeting, "data/Committee/all/x.json": meeting}
    )
    [document] = read_meetings(folder)
    assert (document.id, document.text) == ("meeting-ES1", "I like that button.")


def test_what_was_picked_or_instructed_is_not_said(make_repository):
    events = [
        {"Action": "instruct", "Text": "Be rude."},
        {"Action": "utter", "Text": "Get me a cab."},
        {"Action": "pick_suggestion", "Text": "Where to?"},
        {"Action": "query"},
    ]
    dialogue = {"Scenario": {"Domains": ["ride", None]}, "Events": events}
    [document] = read_star(make_repository({"dialogues/7.json": json.dumps(dialogue)}))
    assert (document.id, document.title, document.text) == ("star-7", "ride", "Get me a cab.")


def test_campers_are_heard_without_the_deal_itself(make_repository):
    logs = [
        {"text": "I need more water.", "task_data": {}},
        {"text": "Submit-Deal", "task_data": {"data": "accept"}},
    ]
    dialogues = json.dumps([{"dialogue_id": 3, "chat_logs": logs}])
    folder = make_repository({"data/split/casino_test.json": dialogues, "data/x.json": "[]"})
    [document] = read_casino(folder)
    assert (document.id, document.text) == ("casino-3", "I need more water.")
