"""The senses of words and the nearest lexemes of each, as a Markdown table.

    python packages/lab/scripts/lexeme_neighbours.py --model MODEL --lexemes LEXEMES \
        crane bank columbia

Neighbours are looked for among the 40,000 most frequent lexemes; those of the word itself and of
its plural are left out.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import grassmeans
from grassmeans.lexemes.lexeme_vectors import LexemeVectors
from grassmeans.senses.keys import decode_key, encode_key

AMONG = 40_000
N_NEIGHBOURS = 6
N_WORDS = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--lexemes", type=Path, required=True)
    parser.add_argument("words", nargs="+")
    arguments = parser.parse_args()
    model = grassmeans.load(arguments.model)
    vectors = LexemeVectors.load(arguments.lexemes).vectors
    print("| sense | share | characteristic words | nearest lexemes |\n|---|---|---|---|")
    for word in arguments.words:
        for sense in model.senses(word).senses:
            key = encode_key(word, sense.number)
            if key not in vectors:
                continue
            found = vectors.nearest(vectors[key][None], 20 * N_NEIGHBOURS, first=AMONG)
            names = [vectors.words[row] for row in found.ids[0]]
            others = [name for name in names if decode_key(name)[0] not in (word, f"{word}s")]
            print(
                f"| {key} | {sense.share:.0%} | {', '.join(sense.characteristic_words[:N_WORDS])} "
                f"| {', '.join(others[:N_NEIGHBOURS])} |"
            )


if __name__ == "__main__":
    main()
