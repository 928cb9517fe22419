import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createClient } from '../../sdk/src/client.ts';
import type { ClientOptions } from '../../sdk/src/options.ts';
import { type FlakyServer, startFlakyServer } from '../support/flaky-server.ts';
import { freePort } from '../support/service-process.ts';

let server: FlakyServer;
beforeAll(async () => {
  server = await startFlakyServer();
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(() => server.close());

const client = (options: Partial<ClientOptions> = {}) =>
  createClient({
    baseUrl: server.url,
    keyId: 'pk_sandbox_example',
    secret: 'sk_sandbox_example',
    maxRetries: 0,
    ...options,
  });

describe('the base URL', () => {
  it.each(['', '/', '/api/partner', '/api/partner/', '/api/partner/v1'])(
    'can end in %j',
    async (end) => {
      server.react({ status: 200 });
      await client({ baseUrl: server.url + end }).pricing.get({ domain: 'a.com' });
      expect(server.requests[0]?.url).toBe('/api/partner/v1/pricing?domain=a.com');
    },
  );

  it('can have a path prefix', async () => {
    server.react({ status: 200 });
    await client({ baseUrl: `${server.url}/market/api/partner/` }).webhookEndpoints.get();
    expect(server.requests[0]?.url).toBe('/market/api/partner/v1/webhooks');
  });

  it('is in the error, without the query, when nothing answers', async () => {
    const nowhere = `http://127.0.0.1:${await freePort()}`;
    const calling = client({ baseUrl: nowhere }).orders.list({ domain: 'a.com' });
    await expect(calling).rejects.toThrow(
      `GET ${nowhere}/api/partner/v1/orders: the service could not be reached, or did not finish its answer (ECONNREFUSED).`,
    );
  });

  it('is in the error when the answer times out or is not from the service', async () => {
    server.react('hang');
    const late = client({ timeoutMs: 50 }).orders.list();
    await expect(late).rejects.toThrow(
      `GET ${server.url}/api/partner/v1/orders: no complete answer within 50 ms.`,
    );
    server.react({ status: 404, text: '<html>', headers: { 'Content-Type': 'text/html' } });
    await expect(client().orders.list({ domain: 'a.com' })).rejects.toThrow(
      `The answer of ${server.url}/api/partner/v1/orders is not one of the service: 404, text/html.`,
    );
  });
});

describe('parameters that the service ignored', () => {
  const ignoring = { status: 200, headers: { 'X-Service-Ignored-Parameters': 'sort,offset' } };

  it('are reported once per client', async () => {
    server.react(ignoring);
    const told: string[] = [];
    const one = client({ onWarning: (message) => told.push(message) });
    await one.orders.list();
    await one.orders.list();
    await one.pricing.get({ domain: 'a.com' });
    expect(told).toEqual([
      'GET /v1/orders: the service does not know and ignored these parameters: sort,offset. Is this package newer than the service?',
    ]);
  });

  it('emit a process warning by default', async () => {
    const emitted = jest.spyOn(process, 'emitWarning').mockReturnValue();
    server.react({ status: 200 }, ignoring);
    const one = client();
    await one.orders.list();
    expect(emitted).not.toHaveBeenCalled();
    await one.orders.list();
    await one.orders.list();
    expect(emitted).toHaveBeenCalledTimes(1);
    expect(emitted).toHaveBeenCalledWith(expect.stringContaining('sort,offset'));
  });
});

describe('fields unknown to the SDK', () => {
  it('are not sent, and reported once per client', async () => {
    server.react({ status: 200 });
    const told: string[] = [];
    const one = client({ onWarning: (message) => told.push(message) });
    const misspelled = { domain: 'a.com', stats: 'SETTLED', limt: 5 };
    await one.orders.list(misspelled);
    await one.orders.list(misspelled);
    expect(server.requests[0]?.url).toBe('/api/partner/v1/orders?domain=a.com');
    expect(told).toEqual([
      'GET /v1/orders: this package does not know and did not send these fields: stats,limt. Are they spelled right?',
    ]);
  });

  it('are not reported when a whole object is passed for its ID', async () => {
    server.react({ status: 200 });
    const told: string[] = [];
    const order = { public_id: 'ord_1', domain: 'a.com' };
    await client({ onWarning: (message) => told.push(message) }).orders.get(order);
    expect(told).toEqual([]);
  });
});

describe('renamed resources', () => {
  it('keep their former names', () => {
    const { endpoints, webhookEndpoints, sessions, checkoutSessions } = client();
    expect([endpoints, sessions]).toEqual([webhookEndpoints, checkoutSessions]);
    expect(Object.keys(webhookEndpoints)).toEqual(
      expect.arrayContaining(['get', 'register', 'remove', 'test']),
    );
    expect(Object.keys(checkoutSessions).sort()).toEqual(['create', 'get']);
  });
});
