#!/usr/bin/env bash
# Whether a delivery is genuine: exits 0 or 1. For a look by hand; a service verifies in its own language.
#   SECRET=... SIGNATURE=<X-Service-Signature> bash verify.sh < body.json
set -euo pipefail
: "${SECRET:?}" "${SIGNATURE:?}"

expected=$(openssl dgst -sha256 -hmac "$SECRET" | sed 's/^.*= *//')
# The hashes of both are compared, so that the time it takes tells nothing of the signature.
digest() { printf '%s' "$1" | openssl dgst -sha256; }
[ "$(digest "$expected")" = "$(digest "$SIGNATURE")" ]
