#!/bin/sh
# Before the other processes of a release: the schema, then the search index where its version has changed.
set -e
node --import tsx db/migrate.ts
for environment in LIVE SANDBOX; do
  sh scripts/run.sh api/ops/cli.ts search:rebuild --environment "$environment" --json
done
