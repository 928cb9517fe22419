#!/usr/bin/env python3
"""A partner's own client, from the first search to the settled statement. Python 3.8, nothing else:

    BASE_URL=http://localhost:3000 KEY_ID=pk_sandbox_... SECRET=sk_sandbox_... python3 partner.py
"""
import hashlib, hmac, json, os, queue, random, sys, threading, time, urllib.error, urllib.request, uuid
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import quote, urlsplit

BASE_URL, KEY_ID, SECRET = (os.environ[name] for name in ("BASE_URL", "KEY_ID", "SECRET"))
WEBHOOK_SECRET, DEADLINE = uuid.uuid4().hex, 60  # seconds; no wait is longer
events = queue.Queue()


def call(method, path, body=None, query=None, **headers):
    """One signed request. The hash covers the very bytes that are sent, so they are made once."""
    pairs = "&".join(f"{name}={quote(str(value), safe='')}" for name, value in sorted((query or {}).items()))
    url, raw = f"{BASE_URL}/api/partner{path}", json.dumps(body).encode() if body else b""
    timestamp, nonce, digest = str(int(time.time())), str(uuid.uuid4()), hashlib.sha256(raw).hexdigest()
    canonical = "\n".join([method, urlsplit(url).path, pairs, timestamp, nonce, digest])
    signature = "v1=" + hmac.new(SECRET.encode(), canonical.encode(), "sha256").hexdigest()
    headers.update({"X-Service-Key-Id": KEY_ID, "X-Service-Timestamp": timestamp, "X-Service-Nonce": nonce,
                    "X-Service-Signature": signature, "Content-Type": "application/json"})
    request = urllib.request.Request(url + ("?" + pairs if pairs else ""), raw or None, headers, method=method)
    try:
        return json.load(urllib.request.urlopen(request, timeout=DEADLINE))
    except urllib.error.HTTPError as error:
        sys.exit(f"FAILED: {method} {path} answered {error.code}: {error.read().decode()}")


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        expected = hmac.new(WEBHOOK_SECRET.encode(), raw, "sha256").hexdigest()
        genuine = hmac.compare_digest(expected, self.headers.get("X-Service-Signature", ""))
        self.send_response(200 if genuine else 401)
        self.end_headers()
        if genuine:
            events.put(json.loads(raw))

    def log_message(self, *_):
        pass


def wait_for(kind, order_id, status):
    deadline = time.time() + DEADLINE
    while True:
        try:
            event = events.get(timeout=max(0.1, deadline - time.time()))
        except queue.Empty:
            sys.exit(f"FAILED: no webhook {kind} within {DEADLINE} s")
        order = event["data"].get("order", {})
        if (event["type"], order.get("public_id")) == (kind, order_id):
            assert order["status"] == status, event
            return print(f"webhook     {kind}: {status}")


server = HTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()
hook = call("PUT", "/webhooks", {"url": f"http://127.0.0.1:{server.server_port}/webhooks", "secret": WEBHOOK_SECRET})
print(f"register    {hook['url']}")

word = random.choice(["coffee", "travel", "garden", "music", "fitness", "books", "pets", "design"])
found = call("GET", "/v1/domains/search", query={"q": word, "max_price_cents": 1_000_000})["results"]
domain = random.choice([each["domain"] for each in found if "-" not in each["domain"]])  # no reserved names
print(f"search      {word}: {', '.join(each['domain'] for each in found)}")
price = call("POST", "/v1/quotes", {"domain": domain})
print(f"quote       {domain} for {price['price_cents'] / 100:.2f} {price['currency']} until {price['expires_at']}")

sale = {"domain": domain, "quote_id": price["quote_id"], "expected_price": price["price_cents"],
        "buyer": {"email": "buyer@example.com", "name": "A. Buyer", "country": "DE"}}
key = {"Idempotency-Key": str(uuid.uuid4())}  # one key a sale: a retry keeps it, and signs anew
order = call("POST", "/v1/orders", sale, **key)
assert call("POST", "/v1/orders", sale, **key) == order, "the retry was not replayed"
print(f"order       {order['public_id']} is {order['status']}; a retry got the same answer")
wait_for("order.recorded", order["public_id"], "EXTERNALLY_PAID")
wait_for("order.transfer_started", order["public_id"], "TRANSFER_IN_PROGRESS")
wait_for("order.transfer_completed", order["public_id"], "TRANSFER_COMPLETED")
order = call("POST", f"/v1/sandbox/orders/{order['public_id']}/advance", {"to": "SETTLED"})
wait_for("order.settled", order["public_id"], "SETTLED")

statement = call("GET", f"/v1/settlements/{order['settlement_id']}")
gross, kept, adjusted, owed = (statement[name] for name in (
    "gross_sold_cents", "commission_retained_cents", "adjustments_cents", "amount_owed_cents"))
assert owed == gross - kept + adjusted == sum(line["amount_owed_cents"] for line in statement["lines"]), statement
assert order["public_id"] in [line["order_id"] for line in statement["lines"]], statement
print(f"settlement  {statement['id']}: {gross} - {kept} + {adjusted} = {owed} cents owed")
