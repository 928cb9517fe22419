import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { publishCredentialChange } from '../../shared/people/partners/credential-cache.ts';
import { randomBase62 } from '../../shared/platform/ids.ts';
import { progressUrl } from '../../shared/sales/brokerage/progress-link.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { givenCase } from '../support/brokerage.ts';
import { givenSession } from '../support/checkout.ts';
import { givenCredential, type PartnerFixture } from '../support/factories.ts';
import { countStatements } from '../support/inventory.ts';
import { type Forgery, sendByHand } from '../support/send-by-hand.ts';
import type { KeyPair } from '../support/signed-client.ts';

/** OWASP API4: what many requests cost us that we refuse. */
const LIMIT = 5;
const FLOOD = 40;

let app: TestApp;
let partner: PartnerFixture;
beforeAll(async () => {
  app = await startTestApp({
    RATE_LIMITS: 'on',
    // The address that a caller pretends to have stands in X-Forwarded-For.
    TRUST_PROXY: 'loopback',
    LIMIT_SEARCH: String(LIMIT),
    LIMIT_WRITE: String(LIMIT),
    LIMIT_FAILED_SIGNATURES: String(LIMIT),
    LIMIT_SIGN_IN: '2',
    limitCheckout: 2,
    limitProgressPage: 2,
    LIMIT_PUBLIC_READS: '2',
    LIMIT_CLIENT_REGISTRATION: '2',
  });
  partner = await app.partner();
});
afterAll(() => app.stop());

const send = (keys: KeyPair, forgery?: Forgery) => sendByHand(app.url, keys, forgery);

async function flood(keys: KeyPair, forgery?: Forgery) {
  const answers = await Promise.all(Array.from({ length: FLOOD }, () => send(keys, forgery)));
  const statuses: Record<string, number> = {};
  for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + 1;
  return statuses;
}

/** The keys that Redis has of a credential's nonces. */
async function noncesOf({ keyId }: KeyPair): Promise<string[]> {
  const { redis, config } = app.runtime;
  return redis.keys(`${config.redisPrefix}:*${keyId}:nonce:*`);
}

/** As a minute later: every window of this credential is a new one. */
async function nextMinute({ keyId }: KeyPair): Promise<void> {
  const { redis, config } = app.runtime;
  const counters = await redis.keys(`${config.redisPrefix}:*${keyId}:limit:*`);
  if (counters.length > 0) await redis.del(...counters);
}

describe('a flood of correctly signed but rejected requests', () => {
  const givenStanding = async (table: 'credentials' | 'partners', status: string) => {
    const mine = await app.partner();
    const where = table === 'partners' ? { id: mine.partnerId } : { key_id: mine.keyId };
    await app.runtime.db.knex(table).where(where).update({ status });
    await publishCredentialChange(app.runtime, mine.keyId);
    return mine;
  };

  it.each<[string, () => Promise<KeyPair>, number]>([
    ['over the limit', () => app.partner(), 200],
    ['without the scope', () => app.partner({ scopes: ['report'] }), 403],
    ['by a revoked key', () => givenStanding('credentials', 'revoked'), 403],
    ['of a suspended partner', () => givenStanding('partners', 'suspended'), 403],
  ])('%s is rate limited and stores no more nonces than the limit', async (_what, given, first) => {
    const keys = await given();
    expect(await flood(keys)).toEqual({ [first]: LIMIT, 429: FLOOD - LIMIT });
    expect(await noncesOf(keys)).toHaveLength(LIMIT);
  });

  it('does not allow replaying an earlier request', async () => {
    const keys = await app.partner();
    const nonce = randomUUID();
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const captured = { nonce, timestamp };
    expect((await send(keys, captured)).status).toBe(200);
    await flood(keys);
    expect((await send(keys, captured)).code).toBe('replay_detected');
    await nextMinute(keys);
    expect((await send(keys, captured)).code).toBe('replay_detected');
  });

  it('lets a rate-limited request run at most once later', async () => {
    const keys = await app.partner();
    await flood(keys);
    const refused = { nonce: randomUUID() };
    expect((await send(keys, refused)).status).toBe(429);
    await nextMinute(keys);
    const answers = await Promise.all([send(keys, refused), send(keys, refused)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
  });
});

describe('a flood of unknown key IDs', () => {
  const from = (address: string, keyId: string) => ({
    headers: { 'X-Forwarded-For': address, 'X-Service-Key-Id': keyId },
  });
  const madeUp = () => `pk_live_${randomBase62(24)}`;

  it('runs no queries for malformed key IDs', async () => {
    const guesses = ['rubbish', 'pk_live_short', `pk_live_${'*'.repeat(24)}`, `${madeUp()}0`];
    const statements = await countStatements(app.runtime, async () => {
      for (const keyId of guesses) {
        const answer = await send(partner, from('192.0.2.1', keyId));
        expect(answer.code).toBe('invalid_signature');
      }
    });
    expect(statements).toBe(0);
  });

  it('runs no queries once its address is over the limit, and valid requests still pass', async () => {
    const address = '192.0.2.2';
    expect((await send(partner, from(address, partner.keyId))).status).toBe(200);
    for (let i = 0; i <= LIMIT; i += 1) await send(partner, from(address, madeUp()));
    const statements = await countStatements(app.runtime, async () => {
      for (let i = 0; i < FLOOD; i += 1) {
        expect((await send(partner, from(address, madeUp()))).status).toBe(429);
      }
    });
    expect(statements).toBe(0);
    expect((await send(partner, from(address, partner.keyId))).status).toBe(200);
  });

  it('is batched into a few queries when it arrives at once', async () => {
    const guess = () => send(partner, from('192.0.2.3', madeUp()));
    const statements = await countStatements(app.runtime, () =>
      Promise.all(Array.from({ length: FLOOD }, guess)),
    );
    expect(statements).toBeLessThan(FLOOD / 2);
  });

  it('does not delay a new credential', async () => {
    for (let i = 0; i < LIMIT; i += 1) await send(partner, from('192.0.2.4', madeUp()));
    const fresh = await givenCredential(app.runtime, partner.partnerId);
    expect((await send(fresh, from('192.0.2.5', fresh.keyId))).status).toBe(200);
  });
});

describe('a caller with an entire IPv6 network', () => {
  let session: string;
  let progress: (action: string) => string;
  beforeAll(async () => {
    const { client } = await app.partner();
    session = (await givenSession(app, client)).url.replace('?', '/pay?');
    const { id } = await givenCase(app.runtime, partner);
    const link = new URL(await progressUrl(app.runtime, id));
    progress = (action) => `${app.url}${link.pathname}/${action}${link.search}`;
  });

  const post = (url: string, body: Record<string, string>) => (address: string) =>
    fetch(url, {
      method: 'POST',
      body: new URLSearchParams(body),
      redirect: 'manual',
      headers: { 'X-Forwarded-For': address },
    });

  it.each<[string, () => (address: string) => Promise<{ status: number }>]>([
    [
      'failed signatures',
      () => (address) =>
        send(partner, { secret: 'wrong', headers: { 'X-Forwarded-For': address } }),
    ],
    [
      'sign-in of ops',
      () => post(`${app.url}/ops/sign-in`, { email: 'a@b.example', password: 'x' }),
    ],
    ['checkout', () => post(session, {})],
    ['the progress page', () => post(progress('budget'), { budget: 'none' })],
    [
      'the public API',
      () => (address) => fetch(`${app.url}/api/tlds`, { headers: { 'X-Forwarded-For': address } }),
    ],
    ['registration', () => post(`${app.url}/api/oauth/register`, {})],
    [
      'authorization',
      () => (address) =>
        fetch(`${app.url}/oauth/authorize`, { headers: { 'X-Forwarded-For': address } }),
    ],
  ])('counts as one caller for the limit of %s', async (_what, given) => {
    const call = given();
    const network = `2001:db8:${randomUUID().slice(0, 4)}:1`;
    const statuses: number[] = [];
    for (let host = 1; host <= LIMIT + 1; host += 1) {
      statuses.push((await call(`${network}:${host}::${host}`)).status);
    }
    expect(statuses[0]).not.toBe(429);
    expect(statuses.at(-1)).toBe(429);
    const neighbor = await call(network.replace(/1$/, '2::1'));
    expect(neighbor.status).toBe(statuses[0]);
  });
});
