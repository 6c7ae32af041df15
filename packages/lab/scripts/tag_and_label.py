"""How often the labels of a corpus are not what tagging answers to the same text.

python experiments/tag_and_label.py part.jsonl en --documents 60
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from itertools import islice
from pathlib import Path

import numpy as np

from grassmeans import Corpus, load
from grassmeans.labelling import label_corpus
from grassmeans.senses.keys import decode_key


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", type=Path, help="JSON lines with a text each.")
    parser.add_argument("model")
    parser.add_argument("--documents", type=int, default=60)
    chosen = parser.parse_args()
    with chosen.texts.open(encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line in islice(lines, chosen.documents)]
    model = load(chosen.model)
    with tempfile.TemporaryDirectory() as place:
        corpus = Corpus.from_texts(texts, Path(place) / "corpus")
        labelled = label_corpus(corpus, model, Path(place) / "labelled", workers=1)
        print(json.dumps(compare(model, labelled, texts)))


def compare(model, labelled, texts) -> dict[str, float]:
    """Shares of the occurrences, of words with several senses and with one."""
    keys = labelled.vocabulary.words
    tokens = np.concatenate([np.asarray(shard.tokens) for shard in labelled.shards])
    starts = np.concatenate(
        [[0], *(np.diff(np.asarray(shard.document_offsets)) for shard in labelled.shards)]
    ).cumsum()
    counts: Counter[str] = Counter()
    for text, start in zip(texts, starts.tolist(), strict=False):
        tagged = model.tag(text, marks=False)
        labels = [decode_key(keys[tokens[start + word.position]]) for word in tagged]
        if [key for key, _ in labels] != [word.key for word in tagged]:
            counts["documents left out"] += 1  # tagging reads markup, ingestion does not
            continue
        for word, (_, sense) in zip(tagged, labels, strict=True):
            kind = "only" if word.only_sense else "several"
            counts[kind] += 1
            if sense != word.sense:
                unknown = 0 in (sense, word.sense)
                counts[f"{kind}: {'one of them IDK' if unknown else 'another sense'}"] += 1
    total = counts["only"] + counts["several"]
    left_out = counts.pop("documents left out", 0)
    shares = {name: round(count / total, 4) for name, count in sorted(counts.items())}
    return {"occurrences": total, "documents left out": left_out} | shares


if __name__ == "__main__":
    main()
