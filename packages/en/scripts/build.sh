#!/bin/sh
# The English model: the files of texts.py -> corpora -> a model, by `grassmeans model`.
#
#     sh packages/en/scripts/build.sh pack texts corpora
#     sh packages/en/scripts/build.sh model corpora TEACHER en --device cuda
#
# The first command is for where the texts are, and the second for where a GPU is: it needs the
# folder of corpora and that of a transformer, and no network. Both go on from where they were
# stopped, so that they can run in pieces: timeout 580 sh packages/en/scripts/build.sh model ...
# An encoder that is trained already may stand for TEACHER, or none. In the environment LANGUAGE, PARTS,
# SHARES, TRAINING, OPTIONS, ABOUT and SENTENCES name another language, its texts, sizes, what its card
# tells and what it is scored on (packages/es/build.sh). Further options are those of `grassmeans model`:
# --keep, --test NAME=PATH, --minutes, ...
set -eu

own=$(cd "$(dirname "$0")/.." && pwd)
# Which text the encoder reads, and how much of each kind. The first may teach, not be quoted: no
# senses are sought in it (SOURCES.md).
PARTS=${PARTS:-"chat sentences simple everyday fiction wikipedia"}
SHARES=${SHARES:-"0.02 0.02 0.14 0.18 0.28 0.36"}
# How large it is, and how long it learns; TRAINING= leaves that to further options.
TRAINING=${TRAINING-"--dim 384 --layers 9 --vocabulary 32000 --minutes 8.5"}
OPTIONS=${OPTIONS-"--min-count 440 --max-contexts 700"}

pack() { # texts corpora
    texts=$1 corpora=$2
    mkdir -p "$corpora"
    for part in $PARTS; do
        [ -e "$corpora/$part/manifest.json" ] && continue
        file=$texts/$part.jsonl.xz
        case $part in
        chat | everyday) # one file holds both
            file=$corpora/$part.jsonl
            same=$([ "$part" = chat ] || echo -v)
            xz -dc "$texts/everyday.jsonl.xz" | grep $same '"source": *"topical-chat"' >"$file"
            ;;
        esac
        {
            grassmeans ingest "$file" -o "$corpora/$part" --language "${LANGUAGE:-en}"
            rm -f "$corpora/$part.jsonl"
        } &
    done
    wait
    for part in $PARTS; do
        [ -e "$corpora/$part/manifest.json" ] || { echo "$part was not packed" >&2 && exit 1; }
    done
}

model() { # corpora teacher output ...
    corpora=$1 teacher=$2 output=$3
    shift 3
    for part in $PARTS; do
        set -- "$@" "$corpora/$part"
        [ "$part" = chat ] || set -- "$@" --senses-from "$corpora/$part"
    done
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
pack | model) "$@" ;;
*) sed -n '2,14s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
esac
