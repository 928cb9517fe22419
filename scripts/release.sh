#!/bin/sh
# Run before a release starts its other processes: migrates, then rebuilds the search index if its version has changed.
set -e
node --import tsx db/migrate.ts
for environment in LIVE SANDBOX; do
  sh scripts/run.sh api/ops/cli.ts search:rebuild --environment "$environment" --json
done
