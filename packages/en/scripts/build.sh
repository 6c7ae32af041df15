#!/bin/sh
# The English model: the files of texts.py -> corpora -> an encoder -> a model, by `grassmeans`.
#
#     sh packages/en/scripts/build.sh pack texts corpora
#     sh packages/en/scripts/build.sh encoder corpora TEACHER encoder --device cuda
#     sh packages/en/scripts/build.sh model corpora encoder en
#
# The first command is for where the texts are, and the second for where a GPU is: it needs the
# folder of corpora and that of a transformer, and no network. The third makes all that is left, on
# a GPU (--device cuda) or on a CPU; with a transformer in place of the encoder, or none, it trains
# one first. All go on from where they were stopped, so that they can run in pieces:
# timeout 580 sh packages/en/scripts/build.sh model ...
# In the environment LANGUAGE, PARTS, SOUGHT, SHARES, TRAINING, OPTIONS, ABOUT and SENTENCES name
# another language, its texts, sizes, what its card tells and what it is scored on
# (packages/es/build.sh). Further options are those of `grassmeans encoder` (--start, ...) and of
# `grassmeans model`: --keep, --test NAME=PATH, --minutes, ...
set -eu

own=$(cd "$(dirname "$0")/.." && pwd)
# Which text the encoder reads, NAME/2 every second document of it, and how much of each kind. The
# first may teach, not be quoted: no senses are sought in it (SOURCES.md).
SOUGHT=${SOUGHT-$([ -n "${PARTS:-}" ] || echo "sentences simple everyday fiction/4 wikipedia/3")}
PARTS=${PARTS:-"chat sentences simple everyday fiction/2 wikipedia/2"}
SHARES=${SHARES:-"0.03 0.02 0.13 0.28 0.20 0.34"}
# How large it is, and how long it learns; TRAINING= leaves that to further options.
TRAINING=${TRAINING-"--dim 384 --layers 9 --vocabulary 32000 --teacher-disk 13 --minutes 5.2"}
OPTIONS=${OPTIONS-"--min-count 150 --max-contexts 700"}

name() { echo "${1%/*}"; }

ingest() { # texts part output
    texts=$1 part=$(name "$2") output=$3 file=$1/$(name "$2").jsonl.xz
    every=$(case $2 in */*) echo "${2#*/}" ;; *) echo 1 ;; esac)
    [ -e "$output/manifest.json" ] && return
    mkdir -p "$(dirname "$output")"
    plain=$output.jsonl
    case $part in
    chat | everyday) # one file holds both
        same=$([ "$part" = chat ] || echo -v)
        xz -dc "$texts/everyday.jsonl.xz" | grep $same '"source": *"topical-chat"' >"$plain"
        file=$plain
        ;;
    *)
        if [ "$every" != 1 ]; then
            xz -dc "$file" | awk "NR % $every == 1" >"$plain"
            file=$plain
        fi
        ;;
    esac
    grassmeans ingest "$file" -o "$output" --language "${LANGUAGE:-en}"
    rm -f "$plain"
}

pack() { # texts corpora
    for part in $PARTS; do ingest "$1" "$part" "$2/$(name "$part")" & done
    for part in $SOUGHT; do ingest "$1" "$part" "$2/sought/$(name "$part")" & done
    wait
    for part in $PARTS $(for part in $SOUGHT; do echo "sought/$part"; done); do
        part=$(echo "$part" | sed 's|/[0-9]*$||')
        [ -e "$2/$part/manifest.json" ] || { echo "$part was not packed" >&2 && exit 1; }
    done
}

encoder() { # corpora teacher output ...
    corpora=$1 teacher=$2 output=$3
    shift 3
    for part in $PARTS; do set -- "$@" "$corpora/$(name "$part")"; done
    # shellcheck disable=SC2086
    exec grassmeans encoder -o "$output" --share "$SHARES" --teacher "transformer:$teacher" \
        $TRAINING "$@"
}

model() { # corpora teacher output ...
    corpora=$1 teacher=$2 output=$3
    shift 3
    for part in $PARTS; do
        part=$(name "$part")
        set -- "$@" "$corpora/$part"
        [ -n "$SOUGHT" ] || [ "$part" = chat ] || set -- "$@" --senses-from "$corpora/$part"
    done
    for part in $SOUGHT; do set -- "$@" --senses-from "$corpora/sought/$(name "$part")"; done
    if [ -e "$teacher/manifest.json" ]; then # an encoder that is trained already
        set -- "$@" --encoder "$teacher"
    elif [ "$teacher" = none ]; then
        # shellcheck disable=SC2086
        set -- "$@" --share "$SHARES" $TRAINING
    else
        # shellcheck disable=SC2086
        set -- "$@" --share "$SHARES" --teacher "transformer:$teacher" $TRAINING
    fi
    [ -z "${SENTENCES:-}" ] || set -- --test "sentences=$SENTENCES" "$@"
    # Senses have their places among words and contexts: no vectors are trained for them.
    # shellcheck disable=SC2086
    exec grassmeans model -o "$output" $OPTIONS --no-lexemes \
        --direction-bits 4 --about "${ABOUT:-$own/about.json}" "$@"
}

case ${1:-} in
pack | encoder | model) "$@" ;;
*) sed -n '2,18s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
esac
