# is_genuine SECRET SIGNATURE < body.json
is_genuine() {
  same "$(openssl dgst -sha256 -hmac "$1" | sed 's/^.*= *//')" "$2"
}

# is_genuine_and_fresh SECRET ID TIMESTAMP SIGNATURES < body.json
is_genuine_and_fresh() {
  local key expected each
  expr "$3" : '[1-9][0-9]*$' >/dev/null || return 1
  [ $(($(date +%s) - $3)) -le 300 ] && [ $(($3 - $(date +%s))) -le 300 ] || return 1
  # Only padded base64 after whsec_ is decoded; any other secret is the key itself.
  key=${1#whsec_}
  if [ "$key" != "$1" ] && expr "$key" : '[A-Za-z0-9+/]*=\{0,2\}$' = "${#key}" '&' "${#key}" % 4 = 0 >/dev/null; then
    key=$(printf %s "$key" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n')
  else
    key=$(printf %s "$1" | od -An -v -tx1 | tr -d ' \n')
  fi
  expected=v1,$({ printf '%s.%s.' "$2" "$3" && cat; } |
    openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A)
  for each in $4; do
    if same "$expected" "$each"; then return 0; fi
  done
  return 1
}

# Compares hashes, so that the time it takes reveals nothing about the signature.
same() {
  [ "$(printf %s "$1" | openssl dgst -sha256)" = "$(printf %s "$2" | openssl dgst -sha256)" ]
}
