#!/bin/sh
# Signs a user in, reads with the access token, refreshes it, and signs out.
set -eu
BASE_URL=${BASE_URL:-http://localhost:3000}
BASE_URL=${BASE_URL%/}

# Prints the response; stops at an error.
call() { answer=$(curl -sS --fail-with-body "$@") || { echo "$answer" >&2; return 1; }; printf '%s\n' "$answer"; }

# 1. Discover. GET $BASE_URL/.well-known/oauth-protected-resource names the same server.
call $BASE_URL/.well-known/oauth-authorization-server

# 2. Register once. Anyone may; there is no approval and no secret.
CLIENT=$(call $BASE_URL/api/oauth/register -H 'Content-Type: application/json' \
  -d '{"client_name": "My agent", "redirect_uris": ["http://127.0.0.1/callback"]}' |
  grep -o 'cli_[0-9a-z]*')

# 3. Open this in the user's browser. On loopback the port may differ from the registered one.
VERIFIER=$(openssl rand -hex 32)
CHALLENGE=$(printf %s "$VERIFIER" | openssl dgst -sha256 -binary | base64 | tr '+/' '-_' | tr -d '=')
echo "$BASE_URL/oauth/authorize?response_type=code&client_id=$CLIENT&redirect_uri=http://127.0.0.1:8090/callback&code_challenge=$CHALLENGE&state=$(openssl rand -hex 8)"

# 4. The user signs in and approves; the browser returns to the redirect address with code, state and iss.
#    Check that state is yours and iss is $BASE_URL. The code works once, for 60 seconds.
echo 'The code:'
read -r CODE
TOKENS=$(call $BASE_URL/api/oauth/token -d grant_type=authorization_code -d "client_id=$CLIENT" \
  -d redirect_uri=http://127.0.0.1:8090/callback -d "code=$CODE" -d "code_verifier=$VERIFIER")
member() { printf %s "$TOKENS" | sed "s/.*\"$1\":\"\([^\"]*\)\".*/\1/"; }

# 5. Use the access token.
call $BASE_URL/api/market/listings -H "Authorization: Bearer $(member access_token)"

# 6. Refresh. Each refresh token works once and returns the next one.
TOKENS=$(call $BASE_URL/api/oauth/token -d grant_type=refresh_token -d "client_id=$CLIENT" \
  -d "refresh_token=$(member refresh_token)")

# 7. Sign out.
call $BASE_URL/api/oauth/revoke -d "client_id=$CLIENT" -d "token=$(member refresh_token)"
