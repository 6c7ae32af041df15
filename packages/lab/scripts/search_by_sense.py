"""How much better a search for a word in one sense is than a search for the word.

Every sentence of a set with labelled senses is a document of an index (SQLite's FTS5). A word is
searched for as it is, and as the sense that a sentence of that sense has: the query's own sentence
is left out. Precision is the share of found sentences in the query's sense, recall the share of
those in the sense that are found; means over all queries.

    python packages/lab/scripts/search_by_sense.py en tests/data/english-sentences.jsonl
"""

from __future__ import annotations

import json
import sqlite3
import sys
from pathlib import Path

import numpy as np

import grassmeans

TOKENIZER = "unicode61 tokenchars '|'"


def index(sentences: list[dict[str, str]], labels: list[str]) -> sqlite3.Connection:
    engine = sqlite3.connect(":memory:")
    engine.execute(f'CREATE VIRTUAL TABLE texts USING fts5(terms, tokenize = "{TOKENIZER}")')
    pairs = zip(sentences, labels, strict=True)
    rows = [(f"{x['text']} {x['word']} {label}",) for x, label in pairs]
    engine.executemany("INSERT INTO texts VALUES (?)", rows)
    return engine


def main(name: str, path: str) -> None:
    model = grassmeans.load(name)
    sentences = [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]
    texts = [x["text"] for x in sentences]
    always, sure = model.tag_many(texts, confidence=0.0), model.tag_many(texts)
    queries, labels = [], []
    for x, answered, kept in zip(sentences, always, sure, strict=True):
        key = model.spell(x["word"])
        senses = [word.sense for word in answered if word.key == key]
        queries.append(f"{x['word']}|{senses[0]}" if senses else x["word"])
        known = [word.sense for word in kept if word.key == key and word.sense]
        labels.append(f"{x['word']}|{known[0]}" if known else "")
    engine = index(sentences, labels)
    scores: dict[str, list[tuple[float, float]]] = {"word": [], "word and sense": []}
    for number, (x, query) in enumerate(zip(sentences, queries, strict=True)):
        same_word = {i for i, y in enumerate(sentences) if y["word"] == x["word"]} - {number}
        wanted = {i for i in same_word if sentences[i]["sense"] == x["sense"]}
        for kind, term in (("word", x["word"]), ("word and sense", query)):
            hits = engine.execute("SELECT rowid - 1 FROM texts WHERE texts MATCH ?", (f'"{term}"',))
            found = {i for (i,) in hits} & same_word
            right = len(found & wanted)
            if wanted:
                scores[kind].append((right / len(found) if found else np.nan, right / len(wanted)))
    for kind, values in scores.items():
        precision, recall = np.nanmean(np.array(values), axis=0)
        print(f"{kind:16} precision {precision:.1%}  recall {recall:.1%}  queries {len(values)}")


if __name__ == "__main__":
    main(*sys.argv[1:3])
