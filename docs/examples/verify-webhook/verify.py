import base64
import hashlib
import hmac
import re
import time


def is_genuine(secret: bytes, raw: bytes, signature: str) -> bool:
    """Checks X-Service-Signature."""
    expected = hmac.new(secret, raw, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), signature.encode())


def is_genuine_and_fresh(
    secret: bytes, raw: bytes, event_id: str, timestamp: str, signatures: str
) -> bool:
    """Checks webhook-id, webhook-timestamp and webhook-signature, and that it is at most five minutes old."""
    if not re.fullmatch(r"\d{1,12}", timestamp) or abs(time.time() - int(timestamp)) > 300:
        return False
    # Only padded base64 after whsec_ is decoded; any other secret is the key itself.
    encoded = re.fullmatch(rb"whsec_([A-Za-z0-9+/]+={0,2})", secret)
    key = base64.b64decode(encoded[1]) if encoded and len(encoded[1]) % 4 == 0 else secret
    digest = hmac.new(key, f"{event_id}.{timestamp}.".encode() + raw, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    return any(hmac.compare_digest(expected, each.encode()) for each in signatures.split(" "))
