import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { givenCredential } from '../../support/factories.ts';
import type { SignedClient } from '../../support/signed-client.ts';

const URL = 'https://partner.example/hooks';
const PATH = '/v1/webhooks/endpoints';

let app: TestApp;
let client: SignedClient;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const given = async (body = {}, as = client) =>
  (await as.post(PATH, { body: { url: URL, ...body } }).expect(201)).body;
const reasons = (answer: { body: { error: { details: { path: string }[] } } }) =>
  answer.body.error.details.map(({ path }) => path);

describe('named webhook endpoints', () => {
  beforeAll(async () => {
    client = (await app.partner()).client;
  });

  it('are created with the requested settings, defaults, and a secret that is shown once', async () => {
    const made = await given({
      name: 'orders',
      event_types: ['order.*', 'transfer.completed'],
      payload: 'thin',
      ordering: 'per_subject',
      max_per_second: 20,
      headers: { 'X-Tenant': 'blue-team' },
    });
    expect(made.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const { secret: _, ...shown } = made;
    expect(shown).toMatchObject({
      id: expect.stringMatching(/^whe_/),
      name: 'orders',
      event_types: ['order.*', 'transfer.completed'],
      payload: 'thin',
      ordering: 'per_subject',
      max_per_second: 20,
      headers: { 'x-tenant': null },
      active: true,
      disabled_reason: null,
      health: { status: 'healthy', failing_since: null },
    });
    const read = await client.get(`${PATH}/${made.id}`).expect(200);
    expect(read.body).toEqual(shown);
    expect(read.text).not.toContain('blue-team');
    const plain = await given();
    expect(plain).toMatchObject({
      name: plain.id,
      event_types: null,
      payload: 'full',
      ordering: 'none',
      max_per_second: null,
      headers: {},
    });
    const row = await app.runtime.db.knex('webhook_endpoints').where('id', made.id).first();
    expect(row.headers_ciphertext.toString('latin1')).not.toContain('blue-team');
  });

  it('exist beside the endpoint of PUT /webhooks, which is named default', async () => {
    const { client } = await app.partner();
    await given({ name: 'other' }, client);
    const none = await client.get('/v1/webhooks');
    expect([none.status, none.body.error.message]).toEqual([
      404,
      'No webhook endpoint is registered for this environment.',
    ]);
    const unknown = await client.get(`${PATH}/whe_01k6q0v1a2e3rs8h9m4n5p6q7w`);
    expect([unknown.status, unknown.body.error.message]).toEqual([
      404,
      'No webhook endpoint in this environment has this ID.',
    ]);
    await client
      .put('/webhooks', { body: { url: URL, secret: 'sixteen-or-more-of-it' } })
      .expect(200);
    const { endpoints, next_cursor } = (await client.get(PATH).expect(200)).body;
    expect(endpoints.map(({ name }: { name: string }) => name)).toEqual(['default', 'other']);
    expect(next_cursor).toBeNull();
    await client
      .patch(`${PATH}/${endpoints[0].id}`, { body: { event_types: ['order.*'] } })
      .expect(200);
    await client
      .put('/webhooks', { body: { url: `${URL}/2`, secret: 'sixteen-or-more-of-it' } })
      .expect(200);
    expect((await client.get(`${PATH}/${endpoints[0].id}`)).body).toMatchObject({
      url: `${URL}/2`,
      event_types: ['order.*'],
    });
    const renamed = await client
      .patch(`${PATH}/${endpoints[0].id}`, { body: { name: 'x' } })
      .expect(400);
    expect(reasons(renamed)).toEqual(['/name']);
    await client.delete('/v1/webhooks').expect(204);
    expect((await client.get(PATH)).body.endpoints).toHaveLength(1);
  });

  it('are limited to ten besides the default, even under concurrent requests', async () => {
    const { client } = await app.partner();
    const asked = await Promise.all(
      Array.from({ length: 12 }, () => client.post(PATH, { body: { url: URL } })),
    );
    const made = asked.filter(({ status }) => status === 201);
    expect(made).toHaveLength(10);
    const refused = asked.filter(({ status }) => status === 409);
    expect(refused.map(({ body }) => body.error.details.reason)).toEqual([
      'too_many_endpoints',
      'too_many_endpoints',
    ]);
    const put = { body: { url: URL, secret: 'sixteen-or-more-of-it' } };
    await client.put('/webhooks', { ...put }).expect(200);
    expect((await client.get(PATH)).body.endpoints).toHaveLength(11);
    await client.post(PATH, { body: { url: URL } }).expect(409);
    await client.delete(`${PATH}/${made[0]?.body.id}`).expect(204);
    await client.post(PATH, { body: { url: URL } }).expect(201);
  });

  it('have unique names, which can be reused after removal', async () => {
    const { id } = await given({ name: 'audit log' });
    const again = await client.post(PATH, { body: { url: URL, name: 'audit log' } }).expect(409);
    expect(again.body.error.details.reason).toBe('already_exists');
    const other = await given();
    await client.patch(`${PATH}/${other.id}`, { body: { name: 'audit log' } }).expect(409);
    await client.delete(`${PATH}/${id}`).expect(204);
    await client.get(`${PATH}/${id}`).expect(404);
    await client.patch(`${PATH}/${other.id}`, { body: { name: 'audit log' } }).expect(200);
  });

  it('reject invalid settings and name the fields', async () => {
    for (const [body, paths] of [
      [{ url: 'ftp://partner.example' }, ['/url']],
      [{ event_types: ['order.*', 'order.vanished', '*'] }, ['/event_types/1', '/event_types/2']],
      [{ event_types: [] }, ['/event_types']],
      [{ event_types: ['webhook.ping'] }, ['/event_types/0']],
      [{ name: 'whe_mine' }, ['/name']],
      [{ secret: 'only-nineteen-chars' }, ['/secret']],
      [{ secret: 'whsec_c2hvcnQ=shortshort' }, ['/secret']],
      [{ max_per_second: 0 }, ['/max_per_second']],
      [{ payload: 'slim' }, ['/payload']],
      [{ headers: { Host: 'a' } }, ['/headers/Host']],
      [
        { headers: { 'Webhook-Id': 'a', 'x-service-signature': 'b' } },
        ['/headers/Webhook-Id', '/headers/x-service-signature'],
      ],
      [{ headers: { Connection: 'close' } }, ['/headers/Connection']],
      [{ headers: { 'Transfer-Encoding': 'chunked' } }, ['/headers/Transfer-Encoding']],
      [{ headers: { 'X-A': 'one\r\nX-B: two' } }, ['/headers/X-A']],
      [{ headers: { 'X A': 'a' } }, ['/headers/X A']],
      [{ headers: { 'X-A': 'a', 'x-a': 'b' } }, ['/headers/x-a']],
      [{ headers: { 'X-A': null } }, ['/headers/X-A']],
      // Property names of every object are not existing headers.
      [{ headers: { constructor: null } }, ['/headers/constructor']],
      [{ headers: { toString: null } }, ['/headers/toString']],
      [{ headers: JSON.parse('{"__proto__": "a"}') }, ['/headers/__proto__']],
      [{ headers: JSON.parse('{"__PROTO__": null}') }, ['/headers/__PROTO__']],
      [{ headers: { a: '1', b: '2', c: '3', d: '4', e: '5', f: '6' } }, ['/headers']],
    ] as [object, string[]][]) {
      const answer = await client.post(PATH, { body: { url: URL, ...body } }).expect(400);
      expect([...new Set(reasons(answer))]).toEqual(paths);
    }
  });

  it('keep the value of a header that is null, and remove headers that are missing', async () => {
    const { id } = await given({ headers: { 'X-A': 'first', 'X-B': 'second' } });
    const stored = async () => {
      const row = await app.runtime.db.knex('webhook_endpoints').where('id', id).first();
      return (
        row.headers_ciphertext && JSON.parse(app.runtime.secrets.open(row.headers_ciphertext, id))
      );
    };
    await client
      .patch(`${PATH}/${id}`, { body: { headers: { 'x-a': null, 'X-C': 'c' } } })
      .expect(200);
    expect(await stored()).toEqual({ 'x-a': 'first', 'x-c': 'c' });
    await client.patch(`${PATH}/${id}`, { body: { payload: 'thin' } }).expect(200);
    expect(await stored()).toEqual({ 'x-a': 'first', 'x-c': 'c' });
    await client.patch(`${PATH}/${id}`, { body: { headers: {} } }).expect(200);
    expect(await stored()).toBeNull();
  });

  it('can be paused and activated again', async () => {
    const { id } = await given();
    const paused = await client.patch(`${PATH}/${id}`, { body: { active: false } }).expect(200);
    expect(paused.body).toMatchObject({ active: false, disabled_reason: 'paused' });
    expect((await client.post(`${PATH}/${id}/test`)).status).toBe(409);
    await client.patch(`${PATH}/${id}`, { body: { url: `${URL}/new` } }).expect(200);
    expect((await client.get(`${PATH}/${id}`)).body.active).toBe(false);
    const back = await client.patch(`${PATH}/${id}`, { body: { active: true } }).expect(200);
    expect(back.body).toMatchObject({ active: true, disabled_reason: null });
    await client.post(`${PATH}/${id}/test`).expect(202);
  });

  it('never return a secret that the partner chose', async () => {
    const secret = 'a-secret-of-my-own-of-24-bytes';
    const made = await client.post(PATH, { body: { url: URL, secret } }).expect(201);
    const { id } = made.body;
    const rotated = await client.post(`${PATH}/${id}/rotate-secret`, { body: { secret } });
    const put = await client.put('/webhooks', { body: { url: URL, secret } });
    expect([made.body.secret, rotated.body.secret]).toEqual([null, null]);
    for (const { text } of [made, rotated, put]) expect(text).not.toContain(secret);
  });

  it('rotate their secret with the requested overlap', async () => {
    const { id } = await given();
    const rotate = async (body = {}) =>
      (await client.post(`${PATH}/${id}/rotate-secret`, { body }).expect(200)).body;
    const first = await rotate();
    expect(first.secret).toMatch(/^whsec_/);
    expect(Date.parse(first.previous_secret_until)).toBeGreaterThan(Date.now() + 23 * 3_600_000);
    const own = await rotate({ secret: 'a-secret-of-my-own-of-24-bytes', overlap_hours: 0 });
    expect(own).toMatchObject({ secret: null, previous_secret_until: null });
  });

  it('return 404 to another partner and in the other environment', async () => {
    const owner = await app.partner();
    const { id } = await given({}, owner.client);
    const replay = await owner.client
      .post(`${PATH}/${id}/replay`, { body: { from: '2026-01-01', to: '2026-01-02' } })
      .expect(202);
    const live = app.as(
      await givenCredential(app.runtime, owner.partnerId, { environment: 'LIVE' }),
    );
    for (const stranger of [(await app.partner()).client, live]) {
      for (const { status } of [
        await stranger.get(`${PATH}/${id}`),
        await stranger.patch(`${PATH}/${id}`, { body: { payload: 'thin' } }),
        await stranger.delete(`${PATH}/${id}`),
        await stranger.post(`${PATH}/${id}/test`),
        await stranger.post(`${PATH}/${id}/rotate-secret`, { body: {} }),
        await stranger.post(`${PATH}/${id}/replay`, {
          body: { from: '2026-01-01', to: '2026-01-02' },
        }),
        await stranger.get(`/v1/webhooks/replays/${replay.body.id}`),
        await stranger.post(`/v1/webhooks/replays/${replay.body.id}/cancel`),
      ]) {
        expect(status).toBe(404);
      }
      expect((await stranger.get(PATH)).body.endpoints).toEqual([]);
    }
  });
});
