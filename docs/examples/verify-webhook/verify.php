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
    $key = str_starts_with($secret, 'whsec_') ? base64_decode(substr($secret, 6)) : $secret;
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$raw", $key, true));
    foreach (explode(' ', $signatures) as $each) {
        if (hash_equals($expected, $each)) {
            return true;
        }
    }
    return false;
}
