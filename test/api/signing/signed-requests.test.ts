import { createHash, createHmac, randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { publishCredentialChange } from '../../../shared/people/partners/credential-cache.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { givenCredential, type PartnerFixture } from '../../support/factories.ts';
import { type Forgery, sendByHand } from '../../support/send-by-hand.ts';

describe('signed requests', () => {
  let app: TestApp;
  let partner: PartnerFixture;
  beforeAll(async () => {
    // Credentials leave the cache early only when a change is announced.
    app = await startTestApp({ credentialCacheMs: 600_000 });
    partner = await app.partner();
  });
  afterAll(() => app.stop());

  const send = (forgery?: Forgery) => sendByHand(app.url, partner, forgery);

  it('are accepted when signed by hand', async () => {
    expect((await send()).status).toBe(200);
  });

  it('are checked in the documented order: key id, other headers, timestamp, signature', async () => {
    const without = (...names: string[]) => ({
      headers: Object.fromEntries(names.map((name) => [name, undefined])),
    });
    expect(await send(without('X-Service-Key-Id', 'X-Service-Nonce'))).toMatchObject({
      status: 401,
      code: 'missing_credentials',
    });
    for (const name of ['X-Service-Timestamp', 'X-Service-Nonce', 'X-Service-Signature']) {
      expect(await send(without(name))).toMatchObject({
        status: 401,
        code: 'missing_signature_headers',
      });
    }
    const wrongTwice = { timestamp: 'soon', secret: 'sk_sandbox_wrong' };
    expect(await send(wrongTwice)).toMatchObject({ status: 401, code: 'invalid_timestamp' });
  });

  it('need a timestamp in seconds within 300 s, not milliseconds or another format', async () => {
    const now = Math.floor(Date.now() / 1_000);
    for (const timestamp of [now - 295, now + 295]) {
      expect((await send({ timestamp: String(timestamp) })).status).toBe(200);
    }
    for (const timestamp of [
      String(now - 302),
      String(now + 302),
      String(Date.now()),
      `${now}.0`,
      `+${now}`,
      '1e9',
      '9'.repeat(13),
    ]) {
      expect(await send({ timestamp })).toMatchObject({ status: 401, code: 'invalid_timestamp' });
    }
  });

  it('are rejected with a wrong secret, prefix, query or key id, or an overlong nonce', async () => {
    const forgeries: Forgery[] = [
      { secret: 'sk_sandbox_wrong' },
      { secret: partner.keyId },
      { prefix: '' },
      { prefix: 'V1=' },
      { nonce: 'x'.repeat(129) },
      { canonicalQuery: 'domain=other.com' },
      { headers: { 'X-Service-Key-Id': 'pk_sandbox_000000000000000000000000' } },
    ];
    for (const forgery of forgeries) {
      expect(await send(forgery)).toMatchObject({ status: 401, code: 'invalid_signature' });
    }
  });

  it('are told when only the nonce is malformed', async () => {
    for (const nonce of ['x'.repeat(129), 'two words']) {
      const { body } = await send({ nonce });
      expect(body.error.message).toMatch(/^X-Service-Nonce must be 1 to 128 visible ASCII/);
    }
  });

  it('get the canonical string in sandbox errors, for unknown keys too, but never in LIVE', async () => {
    const known = await send({ secret: 'wrong', nonce: 'n-1' });
    expect(known.body.error.details.canonical_string).toContain(
      '/api/partner/v1/availability\ndomain=example.com\n',
    );
    const unknown = await send({ headers: { 'X-Service-Key-Id': 'pk_test_nobody' }, nonce: 'n-2' });
    expect(unknown.body.error.details.canonical_string).toContain('\nn-2\n');
    const live = await givenCredential(app.runtime, partner.partnerId, { environment: 'LIVE' });
    for (const keyId of [live.keyId, 'pk_live_nobody', 'rubbish']) {
      const answer = await send({ headers: { 'X-Service-Key-Id': keyId } });
      expect(answer).toMatchObject({ status: 401, code: 'invalid_signature' });
      expect(answer.body.error.details).toBeUndefined();
      expect(answer.body.error.message).toBe(known.body.error.message);
    }
  });

  it('can spell pk_sandbox_ as pk_test_', async () => {
    const spelled = partner.keyId.replace('pk_sandbox_', 'pk_test_');
    expect((await send({ headers: { 'X-Service-Key-Id': spelled } })).status).toBe(200);
  });

  it('cannot reuse a nonce, which is consumed only once the signature is verified', async () => {
    const nonce = randomUUID();
    expect((await send({ nonce, secret: 'wrong' })).code).toBe('invalid_signature');
    expect((await send({ nonce })).status).toBe(200);
    expect(await send({ nonce })).toMatchObject({ status: 401, code: 'replay_detected' });
    expect((await send({ nonce, query: 'domain=example.org' })).code).toBe('replay_detected');
    const other = await givenCredential(app.runtime, partner.partnerId);
    const sameNonceOtherKey = {
      nonce,
      secret: other.secret,
      headers: { 'X-Service-Key-Id': other.keyId },
    };
    expect((await send(sameNonceOtherKey)).status).toBe(200);
  });

  it('stay unrepeatable for longer than their timestamp is valid', async () => {
    const { redis, config, clock } = app.runtime;
    const seconds = Math.floor(clock.now().getTime() / 1_000);
    for (const skew of [-290, 0, 290]) {
      const nonce = randomUUID();
      expect((await send({ nonce, timestamp: String(seconds + skew) })).status).toBe(200);
      const [key = '', ...more] = await redis.keys(`${config.redisPrefix}*${nonce}`);
      expect([key.includes(partner.keyId), more]).toEqual([true, []]);
      // The timestamp is accepted until 300 s after it.
      expect(await redis.ttl(key)).toBeGreaterThan(Math.max(skew, 0) + 590);
    }
  });

  it('succeed only once when 20 share a nonce', async () => {
    const nonce = randomUUID();
    const answers = await Promise.all(Array.from({ length: 20 }, () => send({ nonce })));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
  });

  it('are verified with the query in canonical form', async () => {
    const cases: [string, string][] = [
      ['q=neon+wallet&tld=com', 'q=neon%20wallet&tld=com'],
      ['tld=com&q=neon%20wallet', 'q=neon%20wallet&tld=com'],
      ["q=it's(fine)*!&blank=", 'blank=&q=it%27s%28fine%29%2A%21'],
      ['q=neon&unknown=b&unknown=a', 'q=neon&unknown=a&unknown=b'],
      ['q=caf%C3%A9', 'q=caf%C3%A9'],
      ['q=a%3Db=c', 'q=a%3Db%3Dc'],
    ];
    for (const [query, canonicalQuery] of cases) {
      const answer = await send({ path: '/api/partner/v1/domains/search', query, canonicalQuery });
      expect([query, answer.status, answer.code]).toEqual([query, 200, undefined]);
    }
    const broken = await send({ query: 'domain=%zz' });
    expect(broken).toMatchObject({ status: 400, code: 'validation_error' });
  });

  it('sign only the path, even if the request line has an absolute URL', async () => {
    const path = '/api/partner/v1/availability?domain=example.com';
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const status = (target: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const nonce = randomUUID();
        const lines = ['GET', '/api/partner/v1/availability', 'domain=example.com'];
        const hash = createHash('sha256').update('').digest('hex');
        const text = [...lines, timestamp, nonce, hash].join('\n');
        const digest = createHmac('sha256', partner.secret).update(text).digest('hex');
        const headers = {
          'X-Service-Key-Id': partner.keyId,
          'X-Service-Timestamp': timestamp,
          'X-Service-Nonce': nonce,
          'X-Service-Signature': `v1=${digest}`,
        };
        const { hostname, port } = new URL(app.url);
        request({ hostname, port, path: target, headers, agent: false }, (response) => {
          response.resume();
          resolve(response.statusCode);
        })
          .on('error', reject)
          .end();
      });
    for (const target of [path, `${app.url}${path}`, `HTTPS://api.example:8443${path}`]) {
      expect([target, await status(target)]).toEqual([target, 200]);
    }
  });

  it('are verified over the exact bytes of the body before it is parsed', async () => {
    const path = '/api/partner/v1/quotes';
    const body = '{ "domain" : "never-listed-anywhere.com" }';
    expect((await send({ method: 'POST', path, query: '', body })).status).toBe(404);
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const reserialised = await send({
      method: 'POST',
      path,
      query: '',
      body,
      timestamp,
      headers: { 'X-Service-Signature': 'v1=00' },
    });
    expect(reserialised.code).toBe('invalid_signature');
    expect((await send({ method: 'POST', path, query: '', body: '{not json' })).code).toBe(
      'validation_error',
    );
    expect((await send({ method: 'POST', path, query: '', body: '[1]' })).code).toBe(
      'validation_error',
    );
    const typed = await send({
      method: 'POST',
      path,
      query: '',
      body,
      headers: { 'Content-Type': 'text/plain' },
    });
    expect(typed).toMatchObject({ status: 415, code: 'unsupported_media_type' });
    const huge = await send({ method: 'POST', path, query: '', body: `"${'x'.repeat(100_001)}"` });
    expect(huge).toMatchObject({ status: 413, code: 'payload_too_large' });
  });

  it('have a request id, which the caller can set if it is harmless', async () => {
    const own = await send({ headers: { 'X-Request-Id': 'partner-42' }, secret: 'wrong' });
    expect(own.headers.get('x-request-id')).toBe('partner-42');
    expect(own.body.error.request_id).toBe('partner-42');
    const odd = await send({ headers: { 'X-Request-Id': '<script>' } });
    expect(odd.headers.get('x-request-id')).toMatch(/^req_/);
  });

  it('return 404 for unknown paths and 405 with Allow for a wrong method', async () => {
    expect(await send({ path: '/api/partner/v1/nothing' })).toMatchObject({
      status: 404,
      code: 'not_found',
    });
    const wrong = await send({ path: '/api/partner/v1/quotes', query: '' });
    expect(wrong).toMatchObject({ status: 405, code: 'method_not_allowed' });
    expect(wrong.headers.get('allow')).toBe('POST');
  });

  it('reveal a revoked key or suspended partner only once the signature is verified', async () => {
    const mine = await app.partner();
    const call = (secret = mine.secret) =>
      send({ secret, headers: { 'X-Service-Key-Id': mine.keyId } });
    expect((await call()).status).toBe(200);
    await app.runtime.db
      .knex('credentials')
      .where({ key_id: mine.keyId })
      .update({ status: 'revoked' });
    await publishCredentialChange(app.runtime, mine.keyId);
    await eventually(
      async () => (await call()).code,
      (code) => code === 'credential_not_active',
    );
    expect((await call('wrong')).code).toBe('invalid_signature');
    await app.runtime.db
      .knex('credentials')
      .where({ key_id: mine.keyId })
      .update({ status: 'active' });
    await app.runtime.db
      .knex('partners')
      .where({ id: mine.partnerId })
      .update({ status: 'suspended' });
    await publishCredentialChange(app.runtime, '*');
    await eventually(
      async () => (await call()).code,
      (code) => code === 'partner_not_active',
    );
  });
});

describe('rate limits of signed requests', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({
      RATE_LIMITS: 'on',
      LIMIT_SEARCH: '5',
      LIMIT_WRITE: '3',
      LIMIT_FAILED_SIGNATURES: '4',
    });
  });
  afterAll(() => app.stop());

  it('count each group separately per credential, and return Retry-After', async () => {
    const { client } = await app.partner();
    const search = () => client.get('/v1/availability', { query: { domain: 'example.com' } });
    for (let i = 0; i < 5; i += 1) expect((await search()).status).toBe(200);
    const limited = await search();
    expect(limited.status).toBe(429);
    expect(limited.body.error.code).toBe('rate_limited');
    const seconds = Number(limited.headers.get('retry-after'));
    expect(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60).toBe(true);
    expect((await client.get('/v1/events')).status).toBe(200);
    const other = await app.partner();
    expect(
      (await other.client.get('/v1/availability', { query: { domain: 'example.com' } })).status,
    ).toBe(200);
  });

  it('are not used up by replayed requests', async () => {
    const overheard = await app.partner();
    const nonce = randomUUID();
    const send = (again: string) => sendByHand(app.url, overheard, { nonce: again });
    expect((await send(nonce)).status).toBe(200);
    for (let i = 0; i < 20; i += 1) expect((await send(nonce)).code).toBe('replay_detected');
    for (let i = 0; i < 4; i += 1) expect((await send(randomUUID())).status).toBe(200);
    expect((await send(randomUUID())).status).toBe(429);
  });

  it('block an address that keeps guessing signatures, but still serve its valid requests', async () => {
    const { client, keyId } = await app.partner();
    const guess = () =>
      fetch(`${app.url}/api/partner/v1/availability?domain=example.com`, {
        headers: {
          'X-Service-Key-Id': keyId,
          'X-Service-Timestamp': String(Math.floor(Date.now() / 1_000)),
          'X-Service-Nonce': randomUUID(),
          'X-Service-Signature': 'v1=guess',
        },
      });
    const statuses = [];
    for (let i = 0; i < 6; i += 1) statuses.push((await guess()).status);
    expect(statuses.at(-1)).toBe(429);
    expect(statuses).toContain(401);
    expect(
      (await client.get('/v1/availability', { query: { domain: 'example.com' } })).status,
    ).toBe(200);
  });
});
