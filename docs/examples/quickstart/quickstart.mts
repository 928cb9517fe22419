import { createHash, createHmac, randomUUID } from 'node:crypto';

const { BASE_URL = '', KEY_ID = '', SECRET = '' } = process.env;
if (!BASE_URL || !KEY_ID || !SECRET) {
  console.error(
    'Set BASE_URL, KEY_ID and SECRET first. A marketplace on your machine keeps them in sandbox.env, in its data directory.',
  );
  process.exit(1);
}
if (!KEY_ID.startsWith('pk_')) throw new Error('KEY_ID is the key that starts with pk_');

interface Call {
  query?: Record<string, string>;
  body?: object;
  idempotencyKey?: string;
}

/** Sends a signed request. The hash covers the exact bytes that are sent. */
async function call<T>(method: string, path: string, options: Call = {}): Promise<T> {
  const raw = options.body ? JSON.stringify(options.body) : '';
  const query = canonicalQuery(options.query ?? {});
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const nonce = randomUUID();
  const hash = createHash('sha256').update(raw).digest('hex');
  const canonical = [method, path, query, timestamp, nonce, hash].join('\n');
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    'X-Service-Key-Id': KEY_ID,
    'X-Service-Timestamp': timestamp,
    'X-Service-Nonce': nonce,
    'X-Service-Signature': `v1=${createHmac('sha256', SECRET).update(canonical).digest('hex')}`,
  };
  if (options.idempotencyKey) headers['Idempotency-Key'] = options.idempotencyKey;
  const answer = await fetch(
    `${BASE_URL.replace(/\/$/, '')}${path}${query === '' ? '' : `?${query}`}`,
    {
      method,
      headers,
      body: raw === '' ? null : raw,
    },
  );
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

/** Sorts by name, and percent-encodes all but letters, digits and -_.~ */
function canonicalQuery(query: Record<string, string>): string {
  const encode = (text: string) =>
    encodeURIComponent(text).replace(
      /[!'()*]/g,
      (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  return Object.entries(query)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .join('&');
}

const found = await call<{ results: { domain: string }[] }>(
  'GET',
  '/api/partner/v1/domains/search',
  { query: { q: 'coffee' } },
);
const domain = found.results[0]?.domain;
if (!domain) throw new Error('Nothing was found.');
console.log(`search  ${domain}`);

const quote = await call<{ quote_id: string; price_cents: number }>(
  'POST',
  '/api/partner/v1/quotes',
  { body: { domain } },
);
console.log(`quote   ${quote.quote_id}: ${quote.price_cents} cents`);

// Store the key with the sale: a retry sends the same key and body, with a new signature.
const order = await call<{ public_id: string }>('POST', '/api/partner/v1/orders', {
  body: {
    domain,
    quote_id: quote.quote_id,
    expected_price: quote.price_cents,
    buyer: { email: 'buyer@example.com' },
  },
  idempotencyKey: randomUUID(),
});
console.log(`order   ${order.public_id}`);

const { status } = await call<{ status: string }>(
  'GET',
  `/api/partner/v1/orders/${order.public_id}`,
);
console.log(`status  ${status}`);
