<?php
declare(strict_types=1);

/** Whether a delivery is genuine. $raw is the body as it came: file_get_contents('php://input'). */
function is_genuine(string $secret, string $raw, string $signature): bool
{
    return hash_equals(hash_hmac('sha256', $raw, $secret), $signature);
}
