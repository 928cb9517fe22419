#!/bin/sh
# Runs one of our programs from its build: `sh scripts/run.sh workers/main.ts --queues webhooks`.
# The API has to stay within 200 MB through a million requests. So all programs but workers get less new space than
# Node's default (16 MB twice), collect old space once it has grown by 40% (Node would wait until it is several times as
# large), and make glibc use two memory arenas instead of eight per core.
# Workers keep Node's defaults: there are few of them, and that makes them a third faster.
case "$1" in
  *worker*) heap= ;;
  *)
    heap='--max-semi-space-size=8 --heap-growing-percent=40'
    export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-2}"
    ;;
esac
# shellcheck disable=SC2086 # several flags
exec "${NODE:-node}" $heap "$(dirname "$0")/lib/run-program.mjs" "$@"
