"""A model of learned contexts as the package ships it: compact, with its card.

    python packages/lab/scripts/ship_model.py run/model --lexemes run/lexemes \
        --output packages/en/src/grassmeans_en/model --scores \
        run/makes-sense.json run/semeval.json run/scws.json

The scores are what `grassmeans evaluate ... --json` printed for the model. With ``--card-only`` a
folder that is there gets its card again, when scores of the compact model itself are known.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from english_model import LICENCE, SOURCE
from model_card import write_card

from grassmeans import WordVectors, load
from grassmeans.models.compacting import CompactSettings, compact_model


def read_scores(paths: Sequence[Path]) -> dict[str, Any]:
    """Results of evaluations by the name of their task."""
    found = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
    return {result["task"]: result for result in found}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", type=Path, help="folder of the whole model")
    parser.add_argument("--output", type=Path, required=True, help="folder of the compact one")
    parser.add_argument("--lexemes", type=Path, help="lexeme vectors of the model's senses")
    parser.add_argument("--lexeme-dimensions", type=int, default=160)
    parser.add_argument("--bits", type=int, default=4)
    parser.add_argument("--examples", type=int, default=6)
    parser.add_argument("--example-width", type=int, default=34)
    parser.add_argument("--scores", type=Path, nargs="*", default=[])
    parser.add_argument("--card-only", action="store_true")
    arguments = parser.parse_args()

    if arguments.card_only:
        small = load(arguments.output)
    else:
        small = compact_model(
            load(arguments.model),
            arguments.output,
            lexemes=None if arguments.lexemes is None else WordVectors.load(arguments.lexemes),
            settings=CompactSettings(
                dimensions=arguments.lexeme_dimensions,
                bits=arguments.bits,
                direction_bits=arguments.bits,
                examples=arguments.examples,
                example_width=arguments.example_width,
            ),
            extra={"name": arguments.output.name, "source": SOURCE, "licence": LICENCE},
            overwrite=True,
        )
    write_card(small, arguments.output, {"score": read_scores(arguments.scores)})


if __name__ == "__main__":
    main()
