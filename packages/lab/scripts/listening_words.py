"""Draw which words of a sentence a model's contexts listen to.

python packages/lab/scripts/listening_words.py --model MODEL -o docs/figures/listening-words.svg

With a file of one sentence a line, each with one marked <b>word</b>: ``--sentences FILE``.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import grassmeans
from grassmeans.outputs.places import output_file
from grassmeans_lab.experiments.listening import draw_listening

SENTENCES = (
    "She plays <b>bass</b> and drums in a jazz band from Chicago.",
    "In the cold water of the lake he caught a large striped <b>bass</b>.",
    "You can move the cursor with the <b>mouse</b> or with the keyboard.",
    "The scientists deleted the gene in a <b>mouse</b> and studied its cells.",
    "The station is near a nuclear power <b>plant</b> on the coast.",
    "The leaves of the <b>plant</b> are green, and its flowers are white.",
    "The <b>python</b> killed its prey and swallowed it whole.",
    "The library is written in <b>Python</b> and runs on every system.",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="en")
    parser.add_argument("--sentences", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    arguments = parser.parse_args()
    sentences = SENTENCES
    if arguments.sentences is not None:
        sentences = tuple(arguments.sentences.read_text(encoding="utf-8").splitlines())
    picture = draw_listening(grassmeans.load(arguments.model), sentences)
    with output_file(arguments.output, overwrite=True) as place:
        place.write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
