/**
 * A program that tries what the package is for, by nothing but what Node has, so that any Node that the
 * package supports runs it. It prints the names of what held.
 */
export const CORE_PROGRAM = `
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConflictError, createClient, InvalidRequestError, ServiceError, verifyWebhook, WebhookVerificationError } from '@domain-marketplace/sdk';

const { BASE_URL: baseUrl = '', KEY_ID: keyId = '', SECRET: secret = '', DOMAIN: domain = '' } = process.env;
const client = createClient({ baseUrl, keyId, secret });

const quote = await client.quotes.create({ domain });
const sale = { domain, quote_id: quote.quote_id, expected_price: quote.price_cents, buyer: { email: 'buyer@example.com' } };
const order = await client.orders.create(sale, { idempotencyKey: 'sale-' + domain });
const again = await client.orders.create(sale, { idempotencyKey: 'sale-' + domain });
assert.equal(again.public_id, order.public_id);
console.log('sells once');

const refused = await client.orders.create({ ...sale, buyer: { email: 'other@example.com' } }, { idempotencyKey: 'sale-' + domain }).catch((error) => error);
assert(refused instanceof ConflictError && refused instanceof ServiceError);
assert.equal(refused.name, 'ConflictError');
assert.equal(typeof refused.requestId, 'string');
const wrong = await client.quotes.create({ domain: 'not a domain' }).catch((error) => error);
assert(wrong instanceof InvalidRequestError);
assert.equal(wrong.code, 'validation_error');
console.log('names refusals');

const seen: string[] = [];
for await (const each of client.orders.list.all({ domain })) seen.push(each.public_id);
assert.deepEqual(seen, [order.public_id]);
console.log('follows pages');

const asked: (string | undefined)[] = [];
const busyOnce = createServer((request, response) => {
  asked.push(String(request.headers['x-service-nonce']));
  if (asked.length === 1) response.writeHead(503, { 'Retry-After': '0' }).end();
  else response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"available":true}');
});
await new Promise<void>((resolve) => busyOnce.listen(0, '127.0.0.1', resolve));
const { port } = busyOnce.address() as AddressInfo;
const other = createClient({ baseUrl: 'http://127.0.0.1:' + port, keyId, secret });
assert.equal((await other.availability.get({ domain })).available, true);
assert.equal(new Set(asked).size, 2);
busyOnce.close();
console.log('tries again, signed anew');

const late = new AbortController();
late.abort(new Error('changed my mind'));
await assert.rejects(client.availability.get({ domain }, { signal: late.signal }), /changed my mind/);
console.log('can be stopped');

const body = JSON.stringify({ id: 'evt_1', type: 'webhook.ping', data: {} });
const signature = createHmac('sha256', secret).update(body).digest('hex');
assert.equal(verifyWebhook({ body, signature, secret }).id, 'evt_1');
assert.throws(() => verifyWebhook({ body: body + ' ', signature, secret }), WebhookVerificationError);
const timestamp = String(Math.floor(Date.now() / 1_000) - 400);
const digest = createHmac('sha256', secret).update('evt_1.' + timestamp + '.' + body).digest('base64');
const headers = new Headers({ 'webhook-id': 'evt_1', 'webhook-timestamp': timestamp, 'webhook-signature': 'v1,' + digest });
assert.throws(() => verifyWebhook({ body, headers, secret }), { reason: 'timestamp_out_of_range' });
assert.equal(verifyWebhook({ body, headers, secret, toleranceSeconds: 500 }).id, 'evt_1');
console.log('verifies webhooks');
process.exit(0);
`;

export const CORE_HELD = [
  'sells once',
  'names refusals',
  'follows pages',
  'tries again, signed anew',
  'can be stopped',
  'verifies webhooks',
];
