#!/usr/bin/env python3
"""A partner's client, from the first search to the paid statement. Needs only Python 3.8:

    BASE_URL=http://localhost:3000 KEY_ID=pk_sandbox_... SECRET=sk_sandbox_... python3 partner.py
"""
import hashlib, hmac, json, os, queue, random, signal, sys, threading, time, urllib.error, urllib.request, uuid
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import quote, urlsplit

BASE_URL, KEY_ID, SECRET = (os.environ.get(name) for name in ("BASE_URL", "KEY_ID", "SECRET"))
if not (BASE_URL and KEY_ID and SECRET):
    raise SystemExit("Set BASE_URL, KEY_ID and SECRET first. A marketplace on your machine keeps them in sandbox.env, in its data directory.")
if not KEY_ID.startswith("pk_"):
    raise SystemExit("KEY_ID is the key that starts with pk_")
WEBHOOK_SECRET, DEADLINE = uuid.uuid4().hex, 60  # seconds; no wait is longer
ATTEMPTS = 5  # of a call that is told to come back later
events = queue.Queue()


def call(method, path, body=None, query=None, **headers):
    """Makes a call. After a 429 or 503 with Retry-After, waits and signs a new request."""
    for attempt in range(ATTEMPTS):
        try:
            return send(method, path, body, query, headers)
        except urllib.error.HTTPError as error:
            wait = error.headers.get("Retry-After", "")
            if error.code not in (429, 503) or not wait.isdigit() or attempt == ATTEMPTS - 1:
                sys.exit(f"FAILED: {method} {path} answered {error.code}: {error.read().decode()}")
            print(f"wait        {wait} s: {method} {path} answered {error.code}", flush=True)
            time.sleep(min(int(wait), DEADLINE))
        except OSError as error:
            sys.exit(f"FAILED: {method} {path} got no answer from {BASE_URL}: {error}")


def send(method, path, body, query, headers):
    """Sends a signed request. The hash covers the exact bytes that are sent."""
    pairs = "&".join(f"{name}={quote(str(value), safe='')}" for name, value in sorted((query or {}).items()))
    url, raw = f"{BASE_URL.rstrip('/')}/api/partner{path}", json.dumps(body).encode() if body else b""
    timestamp, nonce, digest = str(int(time.time())), str(uuid.uuid4()), hashlib.sha256(raw).hexdigest()
    canonical = "\n".join([method, urlsplit(url).path, pairs, timestamp, nonce, digest])
    signature = "v1=" + hmac.new(SECRET.encode(), canonical.encode(), "sha256").hexdigest()
    signed = {**headers, "X-Service-Key-Id": KEY_ID, "X-Service-Timestamp": timestamp, "X-Service-Nonce": nonce,
              "X-Service-Signature": signature, "Content-Type": "application/json"}
    request = urllib.request.Request(url + ("?" + pairs if pairs else ""), raw or None, signed, method=method)
    with urllib.request.urlopen(request, timeout=DEADLINE) as answer:
        return json.loads(answer.read() or "null")


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        expected = hmac.new(WEBHOOK_SECRET.encode(), raw, "sha256").hexdigest()
        genuine = hmac.compare_digest(expected.encode(), self.headers.get("X-Service-Signature", "").encode())
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


def sell():
    word = random.choice(["coffee", "travel", "garden", "music", "fitness", "books", "pets", "design"])
    found = call("GET", "/v1/domains/search", query={"q": word, "max_price_cents": 1_000_000})["results"]
    domains = [each["domain"] for each in found if "-" not in each["domain"]]  # no reserved names
    if not domains:
        sys.exit(f"FAILED: nothing is for sale for {word}")
    domain = random.choice(domains)
    print(f"search      {word}: {', '.join(each['domain'] for each in found)}")
    price = call("POST", "/v1/quotes", {"domain": domain})
    print(f"quote       {domain} for {price['price_cents']} {price['currency']} (minor units) until {price['expires_at']}")

    sale = {"domain": domain, "quote_id": price["quote_id"], "expected_price": price["price_cents"],
            "currency": price["currency"], "buyer": {"email": "buyer@example.com", "name": "A. Buyer", "country": "DE"}}
    key = {"Idempotency-Key": str(uuid.uuid4())}  # one key a sale: a retry keeps it, and signs anew
    order = call("POST", "/v1/orders", sale, **key)
    assert call("POST", "/v1/orders", sale, **key) == order, "the retry was not replayed"
    print(f"order       {order['public_id']} is {order['status']}; a retry got the same answer")
    wait_for("order.recorded", order["public_id"], "EXTERNALLY_PAID")
    wait_for("order.transfer_started", order["public_id"], "TRANSFER_IN_PROGRESS")
    wait_for("order.transfer_completed", order["public_id"], "TRANSFER_COMPLETED")
    order = call("POST", f"/v1/sandbox/orders/{order['public_id']}/advance", {"to": "SETTLED"})
    wait_for("order.settled", order["public_id"], "SETTLED")

    path = f"/v1/settlements/{order['settlement_id']}"
    statement = page = call("GET", path)
    lines = statement["lines"]
    while page["next_cursor"]:
        page = call("GET", path, query={"cursor": page["next_cursor"]})
        lines += page["lines"]
    gross, kept, adjusted, owed = (statement[name] for name in (
        "gross_sold_cents", "commission_retained_cents", "adjustments_cents", "amount_owed_cents"))
    # You do not owe the prices that the marketplace collected on its checkout pages.
    sold = gross - sum(line["sale_price_cents"] for line in lines
                       if line["type"] == "sale" and line["payment_model"] != "merchant_of_record")
    assert owed == sold - kept + adjusted == sum(line["amount_owed_cents"] for line in lines), statement
    assert order["public_id"] in [line["order_id"] for line in lines], statement
    print(f"settlement  {statement['id']}: {sold} - {kept} + {adjusted} = {owed} cents owed")


def main():
    server, hook = HTTPServer(("127.0.0.1", 0), Receiver), None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        url = f"http://127.0.0.1:{server.server_port}/webhooks"
        hook = call("PUT", "/webhooks", {"url": url, "secret": WEBHOOK_SECRET})
        print(f"register    {hook['url']}")
        sell()
    except KeyboardInterrupt:
        sys.exit("\nInterrupted")
    finally:
        if hook:  # else the service would go on sending to an address where nobody listens
            call("DELETE", "/v1/webhooks")
            print(f"unregister  {hook['url']}")


main()
