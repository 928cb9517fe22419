import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Type } from 'typebox';
import { bodyValidator, queryValidator } from '../../api/http/validate.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { givenListing } from '../support/factories.ts';
import { sell } from '../support/sales.ts';

let app: TestApp;
let client: Awaited<ReturnType<TestApp['partner']>>['client'];
beforeAll(async () => {
  app = await startTestApp();
  ({ client } = await app.partner());
});
afterAll(() => app?.stop());

describe('a blank query parameter', () => {
  it('is treated as missing', async () => {
    await client.get('/v1/orders', { query: { cursor: '', limit: '', status: '' } }).expect(200);
    await client.get('/v1/events', { query: { cursor: '', from: '' } }).expect(200);
    await app.public.get('/market/listings', { query: { cursor: '', tld: '' } }).expect(200);
  });

  it('is an error if the parameter is required', async () => {
    const { body } = await client.get('/v1/availability', { query: { domain: '' } }).expect(400);
    expect(body.error.details).toMatchObject([{ path: expect.stringContaining('domain') }]);
  });

  it('gets the default value if there is one', () => {
    const check = queryValidator(Type.Object({ limit: Type.Integer({ default: 20 }) }));
    expect(check({ limit: '' })).toEqual({ limit: 20 });
  });
});

describe('null in a body', () => {
  it('is the same as leaving the field out, including for idempotency', async () => {
    const listing = await givenListing(app.runtime);
    const idempotencyKey = randomUUID();
    const withNull = { idempotencyKey, more: { return_url: null } };
    const first = await sell(client, listing, withNull).expect(201);
    const again = await sell(client, listing, { idempotencyKey })
      .expect(201)
      .expect('Idempotent-Replayed', 'true');
    expect(again.body).toEqual(first.body);

    const { domain } = await givenListing(app.runtime);
    await client.post('/v1/checkout-session', { body: { domain, return_url: null } }).expect(201);
  });

  const check = bodyValidator(
    Type.Object(
      {
        name: Type.String(),
        note: Type.Optional(Type.String()),
        cleared: Type.Optional(Type.Union([Type.String(), Type.Null()])),
        buyer: Type.Optional(Type.Object({ email: Type.Optional(Type.String()) })),
        items: Type.Optional(Type.Array(Type.Object({ at: Type.Optional(Type.Integer()) }))),
      },
      { additionalProperties: false },
    ),
  );

  it('is dropped from optional fields at any depth, unless the schema allows null', () => {
    const given = {
      name: 'a',
      note: null,
      cleared: null,
      buyer: { email: null },
      items: [{ at: null }],
    };
    expect(check(given)).toEqual({ name: 'a', cleared: null, buyer: {}, items: [{}] });
  });

  it.each([{ name: null }, { name: 'a', unknown: null }])('is an error in %j', (given) => {
    expect(() => check(given)).toThrow();
  });
});
