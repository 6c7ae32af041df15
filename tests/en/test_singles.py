from __future__ import annotations

import gzip
import json

from english_texts.singles import read_captions, read_customers, read_requests, read_translations


def pairs(*sentences: str) -> str:
    return "".join(f"deu\teng\tSatz.\t{sentence}\n" for sentence in sentences)


def test_of_translated_sentences_that_differ_in_people_one_is_read_and_named_people_come_last(
    make_repository,
):
    release = "data/release/dev/v2023-09-26/tatoeba-dev-v2023-09-26"
    folder = make_repository(
        {
            "data/test/deu-eng/test.txt": pairs(
                "Tom went to the shop yesterday.", "She went to the shop yesterday.", "I am here."
            ),
            "data/dev/eng-fra/dev.txt": "eng\tfra\tThe kettle is on the stove.\tLa bouilloire.\n",
            "data/dev/deu-fra/dev.txt": pairs("This pair is of two other languages."),
            f"{release}.eng-ita.txt.gz": gzip.compress(
                b"eng\tita\tArms I sing, / and the man.\tArma.\n"
                b"eng\tita\tDid you mend my old bike?\tx\n"
            ),
            f"{release}.deu-ita.txt.gz": gzip.compress(
                pairs("Nobody reads this one, either.").encode()
            ),
        }
    )
    others, named = read_translations(folder)
    assert others.paragraphs == ["The kettle is on the stove.", "Did you mend my old bike?"]
    assert (named.text, named.kind, named.source) == (
        "Tom went to the shop yesterday.",
        "sentences",
        "tatoeba",
    )


def test_captions_get_an_end(make_repository):
    captions = {"annotations": [{"caption": "A cat on a sink "}, {"caption": "A cat on a sink."}]}
    folder = make_repository({"a/val.json": json.dumps(captions), "b/val.json": "{}"})
    [document] = read_captions(folder, "a/val.json")
    assert (document.id, document.text, document.source) == ("coco-0", "A cat on a sink.", "coco")


def test_customers_of_a_bank_and_of_a_restaurant_are_heard(make_repository):
    said = [{"userInput": {"text": "A table for two, please."}}, {"userInput": {"text": "13"}}]
    folder = make_repository(
        {
            "banking_data/train.csv": "text,category\nWhere is my card?,card_arrival\n",
            "banking_data/categories.json": '["card_arrival"]',
            "span_extraction/restaurant8k/test.json": json.dumps(said),
            "span_extraction/dstc8/Homes_1/test.json": json.dumps(said),
        }
    )
    bank, restaurant = read_customers(folder)
    assert (bank.id, bank.text) == ("bank-train-0", "Where is my card?")
    assert (restaurant.id, restaurant.text) == ("restaurant-test-0", "A table for two, please.")


def test_requests_of_all_parts_are_read_once(make_repository):
    requests = {"train": [["jump start a car", "jump"]], "val": [["jump start a car", "jump"]]}
    files = {"data/data_full.json": json.dumps(requests), "data/data_small.json": "{}"}
    [document] = read_requests(make_repository(files))
    assert (document.text, document.source) == ("jump start a car.", "clinc")
