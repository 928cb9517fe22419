#!/usr/bin/env python3
import hashlib
import hmac
import json
import os
import time
import urllib.error
import urllib.request
import uuid
from urllib.parse import quote as percent_encode

BASE_URL, KEY_ID, SECRET = (os.environ.get(name) for name in ("BASE_URL", "KEY_ID", "SECRET"))
if not (BASE_URL and KEY_ID and SECRET):
    raise SystemExit("Set BASE_URL, KEY_ID and SECRET first. A marketplace on your machine keeps them in sandbox.env, in its data directory.")
if not KEY_ID.startswith("pk_"):
    raise SystemExit("KEY_ID is the key that starts with pk_")


def call(method, path, query=None, body=None, idempotency_key=None):
    """Sends a signed request. The hash covers the exact bytes that are sent."""
    raw = b"" if body is None else json.dumps(body).encode()
    pairs = "&".join(
        f"{percent_encode(name, safe='')}={percent_encode(value, safe='')}"
        for name, value in sorted((query or {}).items())
    )
    timestamp, nonce = str(int(time.time())), str(uuid.uuid4())
    canonical = "\n".join([method, path, pairs, timestamp, nonce, hashlib.sha256(raw).hexdigest()])
    headers = {
        "Content-Type": "application/json",
        "X-Service-Key-Id": KEY_ID,
        "X-Service-Timestamp": timestamp,
        "X-Service-Nonce": nonce,
        "X-Service-Signature": "v1=" + hmac.new(SECRET.encode(), canonical.encode(), "sha256").hexdigest(),
    }
    if idempotency_key:
        headers["Idempotency-Key"] = idempotency_key
    url = BASE_URL.rstrip("/") + path + ("?" + pairs if pairs else "")
    request = urllib.request.Request(url, raw or None, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        raise SystemExit(f"{method} {path}: {error.code} {error.read().decode()}") from None


found = call("GET", "/api/partner/v1/domains/search", query={"q": "coffee"})["results"]
if not found:
    raise SystemExit("Nothing was found.")
domain = found[0]["domain"]
print(f"search  {domain}")

quote = call("POST", "/api/partner/v1/quotes", body={"domain": domain})
print(f"quote   {quote['quote_id']}: {quote['price_cents']} cents")

# Store the key with the sale: a retry sends the same key and body, with a new signature.
sale = {
    "domain": domain,
    "quote_id": quote["quote_id"],
    "expected_price": quote["price_cents"],
    "buyer": {"email": "buyer@example.com"},
}
order = call("POST", "/api/partner/v1/orders", body=sale, idempotency_key=str(uuid.uuid4()))
print(f"order   {order['public_id']}")

print(f"status  {call('GET', '/api/partner/v1/orders/' + order['public_id'])['status']}")
