#!/usr/bin/env python3
"""A partner's own client, from the first search to the settled statement.

Needs nothing but Python 3.8. With the marketplace running (`npm start`):

    BASE_URL=http://localhost:3000 KEY_ID=pk_sandbox_... SECRET=sk_sandbox_... python3 partner.py
"""
import hashlib, hmac, json, os, random, secrets, sys, threading, time, urllib.error, urllib.request, uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import quote, urlsplit

BASE_URL, KEY_ID, SECRET = (os.environ.get(name, "") for name in ("BASE_URL", "KEY_ID", "SECRET"))
WEBHOOK_SECRET = secrets.token_hex(32)
DEADLINE = 60  # seconds; no wait is longer


def check(truth, failure):
    if not truth:
        sys.exit(f"FAILED: {failure}")


def call(method, path, query=None, body=None, expect=200, **extra_headers):
    """One signed request. The hash covers the very bytes that are sent, so they are made once."""
    url = f"{BASE_URL}/api/partner{path}"
    pairs = sorted((query or {}).items())
    canonical_query = "&".join(f"{quote(name, safe='')}={quote(str(value), safe='')}" for name, value in pairs)
    raw = b"" if body is None else json.dumps(body).encode()
    timestamp, nonce = str(int(time.time())), str(uuid.uuid4())
    digest = hashlib.sha256(raw).hexdigest()
    canonical = "\n".join([method, urlsplit(url).path, canonical_query, timestamp, nonce, digest])
    headers = {
        "X-Service-Key-Id": KEY_ID,
        "X-Service-Timestamp": timestamp,
        "X-Service-Nonce": nonce,
        "X-Service-Signature": "v1=" + hmac.new(SECRET.encode(), canonical.encode(), "sha256").hexdigest(),
        **({"Content-Type": "application/json"} if raw else {}),
        **{name.replace("_", "-"): value for name, value in extra_headers.items()},
    }
    address = f"{url}?{canonical_query}" if canonical_query else url
    request = urllib.request.Request(address, raw or None, headers, method=method)
    try:
        response = urllib.request.urlopen(request, timeout=DEADLINE)
    except urllib.error.HTTPError as answered:
        response = answered
    except OSError as lost:
        sys.exit(f"FAILED: {method} {path}: {lost}")
    text = response.read().decode()
    check(response.code == expect, f"{method} {path} answered {response.code}, not {expect}: {text}")
    return json.loads(text), response.headers


# --- Webhooks: verify first, then remember by event id, so that a repeated delivery changes nothing.
arrived, news = {}, threading.Condition()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        expected = hmac.new(WEBHOOK_SECRET.encode(), raw, "sha256").hexdigest()
        genuine = hmac.compare_digest(expected, self.headers.get("X-Service-Signature", ""))
        self.send_response(200 if genuine else 401)
        self.end_headers()
        if genuine:
            event = json.loads(raw)
            with news:
                arrived[event["id"]] = event
                news.notify_all()

    def log_message(self, *_):
        pass


def wait_until(what, find):
    """The first true answer of `find`, which is asked again at every webhook."""
    with news:
        return news.wait_for(find, DEADLINE) or check(False, f"{what} did not come within {DEADLINE} s")


def wait_for_event(kind, order_id, status):
    def of_order(event):
        return event["type"] == kind and event["data"]["order"]["public_id"] == order_id

    event = wait_until(f"the webhook {kind}", lambda: next(filter(of_order, list(arrived.values())), None))
    check(event["data"]["order"]["status"] == status, f"{kind} says {event['data']['order']['status']}")
    print(f"webhook     {kind}: {status}")


def pages(path, name, cursor_name, cursor=None):
    """Every row of a list, page by page."""
    while True:
        page, _ = call("GET", path, {"limit": 100, **({cursor_name: cursor} if cursor else {})})
        yield from page[name]
        cursor = page["next_cursor"]
        if not cursor:
            return


# --- The walk.
check(BASE_URL and KEY_ID and SECRET, "set BASE_URL, KEY_ID and SECRET (see the first lines of this file)")
server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()
hook = {"url": f"http://127.0.0.1:{server.server_port}/webhooks", "secret": WEBHOOK_SECRET}
call("PUT", "/webhooks", body=hook)
print(f"register    {hook['url']}")
last_seen = None
for event in pages("/v1/events", "events", "after_id"):
    last_seen = event["id"]

# A domain sells once, so every run takes another one; names with a fixed outcome (docs/sandbox.md) are left.
RESERVED = ("hold-", "reprice-", "sold-", "slow-transfer-", "fail-transfer-")
domain = None
for query in random.sample(["coffee", "travel", "garden", "music", "fitness", "books", "pets", "design"], 8):
    found, _ = call("GET", "/v1/domains/search", {"q": query, "max_price_cents": 1_000_000})
    fitting = [result["domain"] for result in found["results"] if not result["domain"].startswith(RESERVED)]
    if fitting:
        domain = random.choice(fitting)
        break
check(domain, "no search found a domain to buy")
print(f"search      {query}: {', '.join(result['domain'] for result in found['results'])}")

price, _ = call("POST", "/v1/quotes", body={"domain": domain}, expect=201)
print(f"quote       {domain} for {price['price_cents'] / 100:.2f} {price['currency']} until {price['expires_at']}")

sale = {
    "domain": domain,
    "quote_id": price["quote_id"],
    "expected_price": price["price_cents"],
    "currency": price["currency"],
    "buyer": {"email": "buyer@example.com", "name": "A. Buyer", "country": "DE"},
    "external_payment_ref": "inv-" + uuid.uuid4().hex[:8],
}
key = str(uuid.uuid4())  # one key a sale; a retry of the same sale keeps it and signs anew
order, _ = call("POST", "/v1/orders", body=sale, expect=201, Idempotency_Key=key)
order_id = order["public_id"]
print(f"order       {order_id} is {order['status']}")
again, headers = call("POST", "/v1/orders", body=sale, expect=201, Idempotency_Key=key)
check(again == order and headers.get("Idempotent-Replayed") == "true", "the retry was not replayed")
print("retry       answered with the stored order, nothing was sold twice")

wait_for_event("order.recorded", order_id, "EXTERNALLY_PAID")
wait_for_event("order.transfer_started", order_id, "TRANSFER_IN_PROGRESS")
wait_for_event("order.transfer_completed", order_id, "TRANSFER_COMPLETED")

call("POST", f"/v1/sandbox/orders/{order_id}/advance", body={"to": "SETTLED"})
wait_for_event("order.settled", order_id, "SETTLED")
order, _ = call("GET", f"/v1/orders/{order_id}")
statements = {row["id"]: row for row in pages("/v1/settlements", "settlements", "cursor")}
check(order["settlement_id"] in statements, "the order's settlement is not in the list")
statement = statements[order["settlement_id"]]
lines = list(pages(f"/v1/settlements/{statement['id']}", "lines", "cursor"))
check(order_id in [line["order_id"] for line in lines], "the order is not in its settlement")
sales = [line for line in lines if line["type"] == "sale"]
gross, commission = statement["gross_sold_cents"], statement["commission_retained_cents"]
owed, adjustments = statement["amount_owed_cents"], statement["adjustments_cents"]
check(gross == sum(line["sale_price_cents"] for line in sales), "the lines do not add up to the gross")
check(commission == sum(line["commission_cents"] for line in sales), "nor to the commission")
check(owed == sum(line["amount_owed_cents"] for line in lines), "the lines do not add up to the amount owed")
check(owed == gross - commission + adjustments, "the statement does not add up")
print(f"settlement  {statement['id']}: {gross} - {commission} + {adjustments} = {owed} cents owed")

events = [event["id"] for event in pages("/v1/events", "events", "after_id", last_seen)]
wait_until("a webhook for every event", lambda: arrived.keys() >= set(events))
print(f"events      {len(events)} in the history, each arrived as a webhook")
