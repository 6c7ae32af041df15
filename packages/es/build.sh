#!/bin/sh
# The Spanish model: `packages/en/scripts/build.sh` with its texts, sizes and card.
#
#     sh packages/es/build.sh pack texts-es corpora-es
#     sh packages/es/build.sh model corpora-es none es
#
# Both go on from where they were stopped. On two cores that multiply in bfloat16 it takes an hour.
set -eu
own=$(cd "$(dirname "$0")" && pwd)
export LANGUAGE=es ABOUT="$own/about.json" SENTENCES="${SENTENCES-$own/../../tests/data/es-sentences.jsonl}"
export PARTS="sentences fiction wikipedia" SHARES="0.02 0.28 0.70"
export TRAINING="${TRAINING-"--dim 256 --layers 4 --vocabulary 30000 --batch-tokens 8192 --minutes 30"}"
export OPTIONS="--min-count 330 --max-contexts 500 --examples 4"
exec sh "$own/../en/scripts/build.sh" "$@"
