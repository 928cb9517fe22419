#!/bin/sh
# Runs one of our programs from its build: `sh scripts/run.sh workers/main.ts --queues webhooks`.
# What answers requests keeps its memory small, for the goal of 200 MB through a million requests: less new space than Node
# gives (16 MB twice), the old space is collected when it has grown by 40 % since the last time, where Node would wait until
# it is several times as large, and glibc keeps free memory in two places, where it would have eight for each core.
# Workers keep Node's ways: there are few of them, and they are a third faster so.
case "$1" in
  *worker*) heap= ;;
  *)
    heap='--max-semi-space-size=8 --heap-growing-percent=40'
    export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-2}"
    ;;
esac
# shellcheck disable=SC2086 # several flags
exec "${NODE:-node}" $heap "$(dirname "$0")/lib/run-program.mjs" "$@"
