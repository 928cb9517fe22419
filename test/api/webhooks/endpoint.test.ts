import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { givenEvents } from '../../support/webhooks.ts';

const URL = 'https://partner.example/hooks';
const SECRET = 'a-secret-of-enough-length';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const endpointRow = (partnerId: string) =>
  app.runtime.db.knex('webhook_endpoints').where('partner_id', partnerId).first();

describe('PUT /webhooks', () => {
  it('registers an endpoint and returns url, active and created_at', async () => {
    const { client } = await app.partner();
    const answer = await client.put('/webhooks', { body: { url: URL, secret: SECRET } });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      url: URL,
      active: true,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
  });

  it('serves former paths as they were signed, and announces that they will go', async () => {
    const { client } = await app.partner();
    const former = async (method: string, path: string, status: number, more = {}) => {
      const answer = await client.request(method, path, more).expect(status);
      expect(answer.headers.get('Deprecation')).toBe('@1795737600');
      expect(answer.headers.get('Sunset')).toBe('Sat, 27 Nov 2027 00:00:00 GMT');
      expect(answer.headers.get('Link')).toContain('/docs/versioning#moved-paths');
      return answer;
    };
    await former('PUT', '/v1/webhooks', 200, { body: { url: URL, secret: SECRET } });
    const current = await client.get('/v1/webhooks').expect(200);
    expect(current.headers.get('Deprecation')).toBeNull();
    expect((await former('GET', '/webhooks', 200)).body).toEqual(current.body);
    await former('GET', '/webhooks/deliveries', 200, { query: { limit: 2 } });
    await former('POST', '/webhooks/test', 202);
    await former('POST', '/webhooks/endpoints/whe_1/test', 404);
    await former('DELETE', '/webhooks', 204);
    const post = await former('POST', '/webhooks', 405);
    expect(post.headers.get('Allow')).toBe('GET, DELETE, PUT, HEAD');
    const versioned = await client.request('POST', '/v1/webhooks').expect(405);
    expect(versioned.headers.get('Allow')).toBe('GET, DELETE, PUT, HEAD');
  });

  it('replaces the endpoint, keeps created_at, and reactivates a disabled one', async () => {
    const { client, partnerId } = await app.partner();
    const body = { url: URL, secret: SECRET };
    const first = await client.put('/webhooks', { body }).expect(200);
    await app.runtime.db
      .knex('webhook_endpoints')
      .where('partner_id', partnerId)
      .update({ active: false, disabled_reason: 'gone', failing_since: new Date() });
    const second = await client.put('/webhooks', { body: { ...body, url: `${URL}/2` } });
    expect(second.body).toEqual({ ...first.body, url: `${URL}/2` });
    const state = (await client.get('/v1/webhooks')).body;
    expect(state).toMatchObject({ active: true, disabled_reason: null, failing_since: null });
  });

  it('sends no event that was recorded before, neither at first nor after a replacement', async () => {
    const partner = await app.partner();
    const { client } = partner;
    const types = async () => {
      const { deliveries } = (await client.get('/v1/webhooks/deliveries').expect(200)).body;
      return deliveries.map((each: { event_type: string }) => each.event_type);
    };
    await givenEvents(app.runtime, partner, 2);
    await client.put('/webhooks', { body: { url: URL, secret: SECRET } }).expect(200);
    expect(await types()).toEqual([]);
    await givenEvents(app.runtime, partner, 1);
    expect(await types()).toEqual(['order.recorded']);
    await client.put('/webhooks', { body: { url: `${URL}/2`, secret: SECRET } }).expect(200);
    expect(await types()).toEqual(['order.recorded']);
    const { events } = (await client.get('/v1/events').expect(200)).body;
    expect(events).toHaveLength(3);
  });

  it('stores the secret encrypted and never returns it', async () => {
    const { client, partnerId } = await app.partner();
    await client.put('/webhooks', { body: { url: URL, secret: SECRET } });
    expect((await client.get('/v1/webhooks')).text).not.toContain(SECRET);
    const row = await endpointRow(partnerId);
    expect(row.secret_ciphertext.toString('latin1')).not.toContain(SECRET);
    expect(app.runtime.secrets.open(row.secret_ciphertext, row.id)).toBe(SECRET);
  });

  it('keeps a replaced secret for a day', async () => {
    const { client } = await app.partner();
    const put = (secret: string) =>
      client.put('/webhooks', { body: { url: URL, secret } }).expect(200);
    const until = async () => (await client.get('/v1/webhooks')).body.previous_secret_until;
    await put(SECRET);
    expect(await until()).toBeNull();
    await put(SECRET);
    expect(await until()).toBeNull();
    const before = app.runtime.clock.now().getTime();
    await put(`${SECRET}-2`);
    const first = await until();
    expect(Date.parse(first)).toBeGreaterThanOrEqual(before + 24 * 3_600_000);
    await put(`${SECRET}-2`);
    expect(await until()).toBe(first);
  });

  it('registers one endpoint per environment of a partner', async () => {
    const sandbox = await app.partner();
    const live = await app.partner({ environment: 'LIVE' });
    await sandbox.client.put('/webhooks', { body: { url: URL, secret: SECRET } }).expect(200);
    expect((await live.client.get('/v1/webhooks')).status).toBe(404);
  });

  it('accepts simultaneous first registrations', async () => {
    const { client } = await app.partner();
    const answers = await Promise.all(
      [1, 2, 3, 4].map((n) =>
        client.put('/webhooks', { body: { url: `${URL}/${n}`, secret: SECRET } }),
      ),
    );
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200]);
  });

  it.each([
    ['no URL', 'partner.example/hooks', '/url'],
    ['another scheme', 'ftp://partner.example/', '/url'],
    ['credentials in it', 'https://user:pass@partner.example/', '/url'],
    ['a metadata address', 'http://169.254.169.254/latest', '/url'],
    ['a metadata address as a number', 'http://2852039166/', '/url'],
    ['a mail port', 'http://partner.example:25/', '/url'],
    ['a line break', 'https://partner.example/\nhooks', '/url'],
    ['too long', `https://partner.example/${'a'.repeat(2_048)}`, '/url'],
  ])('rejects a url with %s', async (_what, url, path) => {
    const { client } = await app.partner();
    const answer = await client.put('/webhooks', { body: { url, secret: SECRET } }).expect(400);
    expect(answer.body.error.code).toBe('validation_error');
    expect(answer.body.error.details[0].path).toBe(path);
  });

  it.each([
    ['too short', 'x'.repeat(15)],
    ['too long', 'x'.repeat(257)],
  ])('rejects a secret that is %s', async (_what, secret) => {
    const { client } = await app.partner();
    const answer = await client.put('/webhooks', { body: { url: URL, secret } }).expect(400);
    expect(answer.body.error.details[0].path).toBe('/secret');
  });

  it('takes any text of 16 to 256 characters as the secret', async () => {
    const { client } = await app.partner();
    for (const secret of [
      'x'.repeat(16),
      'é'.repeat(256),
      'whsec_test_secret',
      'whsec_MDEyMzQ1Njc4',
    ]) {
      await client.put('/webhooks', { body: { url: URL, secret } }).expect(200);
    }
  });

  it('names every missing field', async () => {
    const { client } = await app.partner();
    const answer = await client.put('/webhooks', { body: {} }).expect(400);
    const paths = answer.body.error.details.map((fault: { path: string }) => fault.path);
    expect(paths).toEqual(['/url', '/secret']);
  });

  it('requires https in LIVE', async () => {
    const { client } = await app.partner({ environment: 'LIVE' });
    const body = { url: 'http://partner.example/hooks', secret: SECRET };
    const answer = await client.put('/webhooks', { body }).expect(400);
    expect(answer.body.error.details).toEqual([
      { path: '/url', message: expect.stringContaining('https') },
    ]);
  });

  it('rejects loopback and private targets if the configuration forbids them', async () => {
    const strict = await startTestApp({ WEBHOOK_ALLOW_PRIVATE: 'false' });
    try {
      const { client } = await strict.partner();
      for (const host of ['127.0.0.1', 'localhost', '10.0.0.7', '[::1]', '192.168.1.1', '0x7f.1']) {
        const body = { url: `http://${host}/hooks`, secret: SECRET };
        const answer = await client.put('/webhooks', { body });
        expect([host, answer.status]).toEqual([host, 400]);
      }
    } finally {
      await strict.stop();
    }
  });

  it('requires the webhook scope', async () => {
    const { client } = await app.partner({ scopes: ['buy', 'search'] });
    for (const call of [
      client.put('/webhooks', { body: { url: URL, secret: SECRET } }),
      client.get('/v1/webhooks'),
      client.delete('/v1/webhooks'),
      client.post('/v1/webhooks/test'),
      client.get('/v1/webhooks/deliveries'),
    ]) {
      const answer = await call;
      expect(answer.status).toBe(403);
      expect(answer.body.error.message).toContain('webhook');
    }
  });
});

describe('GET /webhooks', () => {
  it('returns the state of the endpoint', async () => {
    const { client } = await app.partner();
    expect((await client.get('/v1/webhooks')).status).toBe(404);
    await client.put('/webhooks', { body: { url: URL, secret: SECRET } });
    expect((await client.get('/v1/webhooks').expect(200)).body).toEqual({
      url: URL,
      active: true,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      disabled_reason: null,
      failing_since: null,
      last_success_at: null,
      last_failure_at: null,
      previous_secret_until: null,
    });
  });
});

describe('DELETE /webhooks', () => {
  it('removes the endpoint, and a later registration starts fresh', async () => {
    const { client, partnerId } = await app.partner();
    await client.put('/webhooks', { body: { url: URL, secret: SECRET } });
    await client.post('/v1/webhooks/test').expect(202);
    expect((await client.delete('/v1/webhooks')).status).toBe(204);
    expect((await client.get('/v1/webhooks')).status).toBe(404);
    expect((await client.delete('/v1/webhooks')).status).toBe(404);
    expect((await endpointRow(partnerId)).secret_ciphertext).toHaveLength(0);
    const { deliveries } = (await client.get('/v1/webhooks/deliveries').expect(200)).body;
    expect(deliveries).toMatchObject([{ event_type: 'webhook.ping', status: 'cancelled' }]);
    await client.put('/webhooks', { body: { url: URL, secret: `${SECRET}-2` } }).expect(200);
    expect((await client.get('/v1/webhooks')).body).toMatchObject({
      active: true,
      previous_secret_until: null,
    });
  });
});
