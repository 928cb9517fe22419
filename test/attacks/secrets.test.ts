import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createApp } from '../../api/app.ts';
import { createApiServer } from '../../api/http/server.ts';
import { createFleetMetrics } from '../../shared/operations/monitoring/fleet-metrics.ts';
import { loadConfig } from '../../shared/platform/config/config.ts';
import { createLogger } from '../../shared/platform/observability/logger.ts';
import { progressUrl } from '../../shared/sales/brokerage/progress-link.ts';
import { startWorkers, type WorkerProcess } from '../../workers/start-workers.ts';
import { PASSWORD } from '../support/accounts.ts';
import type { TestApp } from '../support/app.ts';
import { buyerWith, CARDS, fetchPage, givenSession, sendForm } from '../support/checkout.ts';
import { eventually } from '../support/eventually.ts';
import { givenCredential, givenListing, givenPartner } from '../support/factories.ts';

import { givenCode } from '../support/oauth-client.ts';
import { givenOps } from '../support/ops-client.ts';
import { publicClient } from '../support/public-client.ts';
import { readKey } from '../support/redis-values.ts';
import { BROWSER } from '../support/referrals.ts';
import {
  createRuntime,
  createTestRuntime,
  type Runtime,
  type TestRuntime,
} from '../support/runtime.ts';
import { orderBody } from '../support/sales.ts';
import { freePort } from '../support/service-process.ts';
import { signedClient } from '../support/signed-client.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

/** What must never be read anywhere but where it was given: what it is, and its text. */
const secrets: Record<string, string> = {
  'webhook secret': 'canary-webhook-secret-5b1f0c',
  'replaced webhook secret': 'canary-webhook-secret-77aa02',
  'card number': '4242424242424242',
  'declined card number': '4000000000000002',
  'card number as typed': CARDS.good,
  'security code': 'cvc-937-canary',
  password: PASSWORD,
  'mistyped password': 'canary-mistyped-password',
  'made-up bearer token': 'canary-bearer-token-000000000000000000000001',
};
/** Personal data: in its own columns, and nowhere else. */
const people: Record<string, string> = {
  'email of a buyer': 'canary.buyer@example.com',
  'name of a buyer': 'Canary Q. Buyer',
  'email at the checkout': 'canary.checkout@example.com',
  'email of a case': 'canary.case@example.com',
};

let first: TestRuntime;
let runtime: Runtime;
let fleet: WorkerProcess;
let receiver: WebhookReceiver;
let stopServer: () => Promise<void>;
let url: string;
let opsToken: string;
const lines: string[] = [];
const errors: string[] = [];

/** Answers as `handler` does, and keeps every answer that refuses something. */
function watched(handler: RequestListener): RequestListener {
  return (req, res) => {
    const chunks: Buffer[] = [];
    const keep = ([chunk]: readonly unknown[]) => {
      if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
    };
    const { write, end } = res;
    res.write = (...given: unknown[]) => {
      keep(given);
      return Reflect.apply(write, res, given);
    };
    res.end = (...given: unknown[]) => {
      keep(given);
      if (res.statusCode >= 400) errors.push(Buffer.concat(chunks).toString());
      return Reflect.apply(end, res, given);
    };
    handler(req, res);
  };
}

beforeAll(async () => {
  const port = await freePort();
  receiver = await startWebhookReceiver();
  first = await createTestRuntime({
    PORT: String(port),
    BASE_URL: `http://127.0.0.1:${port}`,
    outboxPollMs: 50,
    WEBHOOK_SCHEDULE_MS: '100,100,100',
    TRANSFER_POLICY_SANDBOX: 'manual',
    RATE_LIMITS: 'on',
  });
  const log = createLogger({ level: 'trace', name: 'scan' }, { write: (line) => lines.push(line) });
  runtime = createRuntime(loadConfig(first.env), { process: 'scan', clock: first.clock, log });
  await runtime.ready();
  const api = createApiServer(watched(createApp(runtime)));
  await new Promise<void>((resolve) => api.server.listen(port, '127.0.0.1', resolve));
  stopServer = () => api.stop(0);
  url = `http://127.0.0.1:${port}`;
  fleet = startWorkers(runtime);
  await aDayOfWork();
});
afterAll(async () => {
  await stopServer();
  await fleet.stop();
  await runtime.stop();
  await receiver.close();
  await first.stop();
});

/** Everything that handles a secret or a person, once done right and once done wrong. */
async function aDayOfWork(): Promise<void> {
  const partner = await givenPartner(runtime, { affiliate: true });
  const client = signedClient(url, partner, () => runtime.clock.now());
  const app: TestApp = {
    runtime: { ...runtime, clock: first.clock, env: first.env },
    url,
    public: publicClient(url),
    as: (keys) => signedClient(url, keys, () => runtime.clock.now()),
    partner: async () => ({ ...partner, client }),
    stop: async () => {},
  };
  secrets['key secret'] = partner.secret;

  let asked = 0;
  receiver.answer(() => {
    asked += 1;
    return { status: asked === 1 ? 500 : 200, body: 'thanks' };
  });
  for (const secret of ['replaced webhook secret', 'webhook secret']) {
    await client
      .put('/webhooks', { body: { url: receiver.url, secret: secrets[secret] } })
      .expect(200);
  }

  const listing = await givenListing(runtime);
  const quote = await client.post('/v1/quotes', { body: { domain: listing.domain } }).expect(201);
  secrets['quote token'] = quote.body.quote_id;
  const buyer = {
    email: people['email of a buyer'],
    name: people['name of a buyer'],
    country: 'DE',
  };
  const body = orderBody(listing, { buyer, quote_id: quote.body.quote_id });
  const key = randomUUID();
  for (let n = 0; n < 2; n += 1)
    await client.post('/v1/orders', { body, idempotencyKey: key }).expect(201);
  await client
    .post('/v1/orders', { body: { ...body, expected_price: 1 }, idempotencyKey: key })
    .expect(409);
  const cut = `{"buyer":{"email":"${buyer.email}"}`;
  await client.post('/v1/orders', { rawBody: cut, idempotencyKey: 'k' }).expect(400);
  await client
    .post('/v1/orders', {
      body: { ...body, buyer: { email: `${buyer.email}@x`, name: buyer.name } },
      idempotencyKey: 'l',
    })
    .expect(400);

  const session = await givenSession(
    app,
    client,
    {},
    { buyer_email: people['email at the checkout'] },
  );
  secrets['checkout link'] = new URL(session.url).searchParams.get('pt') ?? '';
  const typed = {
    ...buyerWith(CARDS.declined),
    email: people['email at the checkout'] as string,
    name: buyer.name as string,
  };
  await sendForm(session.url, 'pay', { ...typed, cvc: secrets['security code'] as string });
  await sendForm(session.url, 'pay', typed);
  await sendForm(session.url, 'pay', { ...typed, number: CARDS.good });
  await fetchPage(`${session.url}x`);

  const opened = await client
    .post('/v1/brokerage', {
      body: {
        domain: 'canary-wanted.com',
        tier: 'self_serve',
        buyer_email: people['email of a case'],
        budget: 500_000,
      },
    })
    .expect(201);
  const progress = new URL(await progressUrl(runtime, opened.body.case_id));
  secrets['progress link'] = progress.searchParams.get('pt') ?? '';
  await fetchPage(url + progress.pathname + progress.search);
  const link = await client.post('/v1/links', { body: { kind: 'generic' } }).expect(201);
  await fetchPage(url + new URL(link.body.url).pathname, { headers: { 'User-Agent': BROWSER } });

  const signedIn = await givenCode(app, { more: { scope: 'pricing:read domains:manage' } });
  people['email of a user'] = signedIn.owner.email;
  secrets.code = signedIn.code;
  for (const cookie of signedIn.visitor.cookies) {
    if (/session$/.test(cookie.name)) secrets[`cookie ${cookie.name}`] = cookie.value;
  }
  const { body: tokens } = await signedIn.redeem();
  secrets['access token'] = tokens.access_token;
  secrets['refresh token'] = tokens.refresh_token;
  await signedIn.redeem({ code_verifier: 'canary-verifier' });
  const again = await givenCode(app);
  const { body: more } = await again.redeem();
  secrets['refresh token in force'] = more.refresh_token;
  await app.public.post('/domain/search', { body: { q: 'canary' }, token: more.access_token });
  await app.public
    .get('/domains', { token: secrets['made-up bearer token'] as string })
    .expect(401);
  await fetch(`${url}/api/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: secrets['made-up bearer token'] as string,
    }),
  });

  const ops = await givenOps(app);
  opsToken = ops.token;
  secrets['session of ops'] = ops.token;
  people['email of ops'] = ops.email;
  await fetch(`${url}/ops/api/session`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email: ops.email, password: secrets['mistyped password'] }),
  });
  await ops.post('/users', { email: 'new@example.com', password: 'short' });
  const made = await ops.post(`/partners/${partner.partnerId}/credentials`, {
    environment: 'SANDBOX',
    scopes: ['search'],
  });
  secrets['secret made by ops'] = made.body.secret;
  const live = await givenCredential(runtime, partner.partnerId, { environment: 'LIVE' });
  secrets['live key secret'] = live.secret;
  for (const header of ['X-Service-Key-Id', 'Authorization', 'X-Service-Nonce', 'Cookie']) {
    await fetch(`${url}/api/partner/v1/orders`, { headers: { [header]: live.secret } });
  }
  await app.as(live).get('/v1/orders').expect(200);

  // What the database says of a row that it refused has the whole row in it.
  await runtime.db.knex.raw(
    'alter table orders add constraint never check (buyer_email is null) not valid',
  );
  const second = await givenListing(runtime);
  await client
    .post('/v1/orders', { body: orderBody(second, { buyer }), idempotencyKey: randomUUID() })
    .expect(500);

  await eventually(
    () => runtime.db.knex('webhook_deliveries').whereNot({ state: 'delivered' }),
    (rows) => rows.length === 0 && receiver.received.length > 1,
  );
}

const seenIn = (text: string, canaries: Record<string, string>) =>
  Object.entries(canaries)
    .filter(([, canary]) => canary !== '' && text.includes(canary))
    .map(([name]) => name);

/** Everything that Redis holds for this run, names of keys included. */
async function redisText(): Promise<string> {
  const { redis, config } = runtime;
  const keys = await redis.keys(`*${config.redisPrefix.replace(/[{}]/g, '')}*`);
  const values = await Promise.all(keys.map((key) => readKey(redis, key)));
  expect(keys.length).toBeGreaterThan(10);
  return JSON.stringify([keys, values]);
}

/** The columns of the database whose text has the canary in it; binary ones are read as text, too. */
async function columnsWith(canaries: Record<string, string>): Promise<string[]> {
  const { knex } = runtime.db;
  // A partitioned table has the rows of its partitions.
  const tables: string[] = await knex('pg_class')
    .whereRaw(
      `relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`,
    )
    .pluck('relname');
  const found = new Set<string>();
  for (const table of tables) {
    for (const row of await knex(table)) {
      for (const [column, value] of Object.entries(row)) {
        const text = Buffer.isBuffer(value) ? value.toString('latin1') : JSON.stringify(value);
        if (seenIn(text ?? '', canaries).length > 0) found.add(`${table}.${column}`);
      }
    }
  }
  return [...found].sort();
}

describe('secrets and personal data after a day of work', () => {
  it('were present, so that this test proves something', () => {
    expect(Object.values(secrets).every((secret) => secret.length > 5)).toBe(true);
    expect(lines.length).toBeGreaterThan(20);
    expect(errors.length).toBeGreaterThan(10);
    expect(seenIn(JSON.stringify([secrets, people]), { ...secrets, ...people })).toHaveLength(
      Object.keys({ ...secrets, ...people }).length,
    );
  });

  it('do not appear in any log line of the API or the workers', () => {
    const text = lines.join('');
    expect(seenIn(text, { ...secrets, ...people })).toEqual([]);
    expect(text).toContain('violates check constraint');
  });

  it('do not appear in any error response', () => {
    const given = { ...people };
    // A form that was refused is shown again to the person who filled it in.
    delete given['email at the checkout'];
    delete given['name of a buyer'];
    const text = errors.filter((error) => !error.startsWith('<!doctype html>')).join('');
    expect(seenIn(text, { ...secrets, ...given })).toEqual([]);
    expect(text).not.toMatch(/at \w+ \(|node_modules|select |insert into|SQLSTATE/i);
  });

  it('do not appear in Redis', async () => {
    expect(seenIn(await redisText(), { ...secrets, ...people })).toEqual([]);
  });

  it('do not appear in the queue dashboard', async () => {
    const headers = { Authorization: `Bearer ${opsToken}` };
    for (const { name } of runtime.queues.all()) {
      for (const status of ['latest', 'completed', 'failed', 'waiting', 'delayed', 'active']) {
        const answer = await fetch(
          `${url}/ops/queues/api/queues?activeQueue=${name}&status=${status}&page=1&jobsPerPage=50`,
          { headers },
        );
        expect(answer.status).toBe(200);
        expect([name, status, seenIn(await answer.text(), { ...secrets, ...people })]).toEqual([
          name,
          status,
          [],
        ]);
      }
    }
  });

  it('do not appear in the metrics', async () => {
    const texts = [runtime.metrics.registry.metrics(), createFleetMetrics(runtime).read()];
    const text = (await Promise.all(texts)).join('\n');
    expect(text).toContain('marketplace_http_seconds');
    expect(seenIn(text, { ...secrets, ...people })).toEqual([]);
    expect(text).not.toContain(first.env.SECRETS_KEY);
  });

  it('appear in no database column as readable secrets', async () => {
    // An order names its quote, which is used up with it.
    const { 'quote token': quote = '', ...kept } = secrets;
    expect(await columnsWith(kept)).toEqual([]);
    expect(await columnsWith({ quote })).toEqual(['idempotency_keys.body', 'orders.quote_id']);
  });

  it('appear in the database as personal data only in the expected columns', async () => {
    const { 'email of a user': user = '', 'email of ops': ops = '', ...buyers } = people;
    expect(await columnsWith(buyers)).toEqual([
      'brokerage_cases.buyer_email',
      'checkout_sessions.buyer_email',
      'checkout_sessions.buyer_name',
      'documents.content',
      // The answer that an order may be asked for again.
      'idempotency_keys.body',
      // What staff search orders by.
      'order_search.buyer_email',
      'orders.buyer_email',
      'orders.buyer_name',
    ]);
    // The audit trail says which account was made.
    expect(await columnsWith({ user, ops })).toEqual(['audit_log.after', 'users.email']);
  });

  it('do not appear in webhooks', () => {
    const text = receiver.received
      .map(({ headers, body }) => JSON.stringify(headers) + body)
      .join('');
    expect(receiver.received.length).toBeGreaterThan(1);
    expect(seenIn(text, { ...secrets, ...people })).toEqual([]);
  });

  it('stay on one log line when they contain control characters', async () => {
    const before = lines.length;
    const nasty = 'a\r\n{"level":60,"msg":"forged"}\u001b[31m\u2028\u0000';
    runtime.log.warn({ route: nasty, err: new Error(nasty) }, nasty);
    await fetch(`${url}/ops/%0d%0a%1b%5b31m`, { headers: { Accept: 'text/html' } });
    for (const line of lines.slice(before)) {
      expect(line.endsWith('\n')).toBe(true);
      expect(line.slice(0, -1)).not.toMatch(/\p{Cc}/u);
      expect(JSON.parse(line).msg).not.toBe('forged');
    }
  });
});
