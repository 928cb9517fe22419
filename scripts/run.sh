#!/bin/sh
# Runs one of our programs from its build: `sh scripts/run.sh workers/main.ts --queues webhooks`.
# How large its heap may become by garbage alone: less new space than Node gives (16 MB twice), and the old space is
# collected when it has grown by 30 % since the last time, where Node would wait until it is several times as large.
exec "${NODE:-node}" --max-semi-space-size=8 --heap-growing-percent=30 \
  "$(dirname "$0")/lib/run-program.mjs" "$@"
