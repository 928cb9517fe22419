#!/usr/bin/env bash
set -euo pipefail
[[ ${BASE_URL:-} && ${KEY_ID:-} && ${SECRET:-} ]] || {
  echo 'Set BASE_URL, KEY_ID and SECRET first. A marketplace on your machine keeps them in sandbox.env, in its data directory.' >&2
  exit 1
}
[[ $KEY_ID == pk_* ]] || { echo 'KEY_ID is the key that starts with pk_' >&2; exit 1; }

hex() { sed 's/^.*= *//'; } # openssl writes "SHA2-256(stdin)= 1f2e..."

# call METHOD PATH QUERY BODY [curl arguments]; the query must be in canonical form
call() {
  local method=$1 path=$2 query=$3 body=$4 timestamp nonce hash signature answer
  shift 4
  timestamp=$(date +%s)
  nonce=$(openssl rand -hex 16)
  hash=$(printf '%s' "$body" | openssl dgst -sha256 | hex)
  signature=$(printf '%s\n%s\n%s\n%s\n%s\n%s' "$method" "$path" "$query" "$timestamp" "$nonce" "$hash" |
    openssl dgst -sha256 -hmac "$SECRET" | hex)
  answer=$(curl --silent --show-error --fail-with-body -X "$method" "${BASE_URL%/}$path${query:+?$query}" \
    -H "X-Service-Key-Id: $KEY_ID" -H "X-Service-Timestamp: $timestamp" \
    -H "X-Service-Nonce: $nonce" -H "X-Service-Signature: v1=$signature" \
    ${body:+-H "Content-Type: application/json" --data-binary "$body"} "$@") || {
    echo "$method $path: $answer" >&2
    return 1
  }
  printf '%s' "$answer"
}

# Reads the first value of a field; a real client uses a JSON parser.
field() { grep -o "\"$1\":\"\?[^,\"}]*" | head -n 1 | sed 's/^[^:]*:"\?//'; }

found=$(call GET /api/partner/v1/domains/search q=coffee '')
domain=$(field domain <<<"$found") || { echo 'Nothing was found.' >&2; exit 1; }
echo "search  $domain"

quote=$(call POST /api/partner/v1/quotes '' "{\"domain\":\"$domain\"}")
quote_id=$(field quote_id <<<"$quote")
price=$(field price_cents <<<"$quote")
echo "quote   $quote_id: $price cents"

# Store the key with the sale: a retry sends the same key and body, with a new signature.
sale="{\"domain\":\"$domain\",\"quote_id\":\"$quote_id\",\"expected_price\":$price,\"buyer\":{\"email\":\"buyer@example.com\"}}"
order=$(call POST /api/partner/v1/orders '' "$sale" -H "Idempotency-Key: $(openssl rand -hex 16)")
order_id=$(field public_id <<<"$order")
echo "order   $order_id"

status=$(call GET "/api/partner/v1/orders/$order_id" '' '' | field status)
echo "status  $status"
