<?php
declare(strict_types=1);

/** Checks X-Service-Signature. */
function is_genuine(string $secret, string $raw, string $signature): bool
{
    return hash_equals(hash_hmac('sha256', $raw, $secret), $signature);
}

/** Checks webhook-id, webhook-timestamp and webhook-signature, and that it is at most five minutes old. */
function is_genuine_and_fresh(
    string $secret,
    string $raw,
    string $id,
    string $timestamp,
    string $signatures,
): bool {
    if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > 300) {
        return false;
    }
    // Only padded base64 after whsec_ is decoded; any other secret is the key itself.
    $encoded = preg_match('~^whsec_([A-Za-z0-9+/]+={0,2})$~D', $secret, $found) ? $found[1] : '';
    $key = $encoded !== '' && strlen($encoded) % 4 === 0 ? base64_decode($encoded) : $secret;
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$raw", $key, true));
    foreach (explode(' ', $signatures) as $each) {
        if (hash_equals($expected, $each)) {
            return true;
        }
    }
    return false;
}
