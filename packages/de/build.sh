#!/bin/sh
# The German model: `packages/en/scripts/build.sh` with its texts, sizes and card.
#
#     sh packages/de/build.sh pack texts-de corpora-de
#     sh packages/de/build.sh model corpora-de none de
#
# Both go on from where they were stopped. On two cores that multiply in bfloat16 it takes an hour.
set -eu
own=$(cd "$(dirname "$0")" && pwd)
export LANGUAGE=de ABOUT="$own/about.json" SENTENCES="${SENTENCES-$own/../../tests/data/de-sentences.jsonl}"
export PARTS="laws plays sentences fiction wikipedia" SHARES="0.08 0.14 0.04 0.32 0.42"
export TRAINING="${TRAINING-"--dim 256 --layers 4 --vocabulary 30000 --batch-tokens 8192 --minutes 26"}"
export OPTIONS="--min-count 200 --max-contexts 500 --examples 5"
exec sh "$own/../en/scripts/build.sh" "$@"
