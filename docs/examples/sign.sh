#!/usr/bin/env sh
# A signed GET with only openssl and curl:
#   BASE_URL=http://localhost:3000 KEY_ID=pk_sandbox_... SECRET=sk_sandbox_... \
#     sh sign.sh /api/partner/v1/domains/search 'q=coffee%20shop'
# A query must be in canonical form: percent-encoded, sorted by name.
# Any further arguments go to curl.
set -eu
[ "${BASE_URL:-}" ] && [ "${KEY_ID:-}" ] && [ "${SECRET:-}" ] || {
  echo 'Set BASE_URL, KEY_ID and SECRET first. A marketplace on your machine keeps them in sandbox.env, in its data directory.' >&2
  exit 1
}
case $KEY_ID in pk_*) ;; *) echo 'KEY_ID is the key that starts with pk_' >&2; exit 1 ;; esac
[ $# -gt 0 ] || { echo "Give a path, then the query: sh sign.sh /api/partner/v1/domains/search 'q=coffee%20shop'" >&2; exit 1; }
path=$1
query=${2:-}
[ $# -gt 2 ] && shift 2 || shift $#

hex() { sed 's/^.*= *//'; } # openssl writes "SHA2-256(stdin)= 1f2e..."

timestamp=$(date +%s)
nonce=$(openssl rand -hex 16)
body_sha256=$(printf '' | openssl dgst -sha256 | hex)
signature=$(printf 'GET\n%s\n%s\n%s\n%s\n%s' "$path" "$query" "$timestamp" "$nonce" "$body_sha256" |
  openssl dgst -sha256 -hmac "$SECRET" | hex)

curl --silent --show-error --fail-with-body --write-out "\n" "$@" "${BASE_URL%/}$path${query:+?$query}" \
  -H "X-Service-Key-Id: $KEY_ID" -H "X-Service-Timestamp: $timestamp" \
  -H "X-Service-Nonce: $nonce" -H "X-Service-Signature: v1=$signature"
