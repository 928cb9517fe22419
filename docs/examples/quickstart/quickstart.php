<?php
declare(strict_types=1);

if (!getenv('BASE_URL') || !getenv('KEY_ID') || !getenv('SECRET')) {
    fwrite(STDERR, "Set BASE_URL, KEY_ID and SECRET first. A marketplace on your machine keeps them in sandbox.env, in its data directory.\n");
    exit(1);
}
if (!str_starts_with((string) getenv('KEY_ID'), 'pk_')) {
    throw new RuntimeException('KEY_ID is the key that starts with pk_');
}

/** Sends a signed request. The hash covers the exact bytes that are sent. */
function call(
    string $method,
    string $path,
    array $query = [],
    ?array $body = null,
    ?string $idempotencyKey = null,
): array {
    $raw = $body === null ? '' : json_encode($body, JSON_THROW_ON_ERROR);
    ksort($query, SORT_STRING);
    $pairs = http_build_query($query, '', '&', PHP_QUERY_RFC3986);
    $timestamp = (string) time();
    $nonce = bin2hex(random_bytes(16));
    $canonical = implode("\n", [$method, $path, $pairs, $timestamp, $nonce, hash('sha256', $raw)]);
    $headers = [
        'Content-Type: application/json',
        'X-Service-Key-Id: ' . getenv('KEY_ID'),
        'X-Service-Timestamp: ' . $timestamp,
        'X-Service-Nonce: ' . $nonce,
        'X-Service-Signature: v1=' . hash_hmac('sha256', $canonical, (string) getenv('SECRET')),
    ];
    if ($idempotencyKey !== null) {
        $headers[] = 'Idempotency-Key: ' . $idempotencyKey;
    }
    $context = stream_context_create(['http' => [
        'method' => $method,
        'header' => $headers,
        'content' => $raw,
        'timeout' => 30,
        'ignore_errors' => true,
    ]]);
    $url = rtrim((string) getenv('BASE_URL'), '/') . $path . ($pairs === '' ? '' : '?' . $pairs);
    $text = file_get_contents($url, false, $context);
    if ($text === false) {
        throw new RuntimeException("$method $path: no answer");
    }
    if (!preg_match('~^HTTP/\S+ 2~', $http_response_header[0])) {
        throw new RuntimeException("$method $path: $http_response_header[0] $text");
    }
    return json_decode($text, true, 512, JSON_THROW_ON_ERROR);
}

$found = call('GET', '/api/partner/v1/domains/search', ['q' => 'coffee']);
$domain = $found['results'][0]['domain'] ?? throw new RuntimeException('Nothing was found.');
echo "search  $domain\n";

$quote = call('POST', '/api/partner/v1/quotes', [], ['domain' => $domain]);
echo "quote   {$quote['quote_id']}: {$quote['price_cents']} cents\n";

// Store the key with the sale: a retry sends the same key and body, with a new signature.
$order = call('POST', '/api/partner/v1/orders', [], [
    'domain' => $domain,
    'quote_id' => $quote['quote_id'],
    'expected_price' => $quote['price_cents'],
    'buyer' => ['email' => 'buyer@example.com'],
], bin2hex(random_bytes(16)));
echo "order   {$order['public_id']}\n";

$status = call('GET', '/api/partner/v1/orders/' . $order['public_id'])['status'];
echo "status  $status\n";
