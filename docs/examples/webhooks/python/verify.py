import hashlib
import hmac


def is_genuine(secret: str, raw: bytes, signature: str) -> bool:
    """Whether a delivery is genuine. `raw` is the body as it came, before anything parsed it."""
    expected = hmac.new(secret.encode(), raw, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), signature.encode())
