import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { partnerRoutes } from '../../api/partner/partner-router.ts';
import { ConflictError, NotFoundError, UnprocessableError } from '../../sdk/src/errors.ts';
import { OPERATIONS } from '../../sdk/src/generated/operations.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { callPartnerApi } from '../support/example-calls.ts';
import { givenListing } from '../support/factories.ts';
import { checkedFetch } from '../support/public-client.ts';
import { type Call, filled } from '../support/recorded-examples.ts';
import { inputOf, methodOf, sdkClient } from '../support/sdk.ts';
import { type ClientAnswer, readAnswer } from '../support/signed-client.ts';

const BUYER = { email: 'buyer@example.com', name: 'A. Buyer', country: 'DE' };

describe('SDK methods', () => {
  let app: TestApp;
  let partner: Awaited<ReturnType<TestApp['partner']>>;
  const called = new Set<string>();
  beforeAll(async () => {
    app = await startTestApp();
    partner = await app.partner({ affiliate: true });
  });
  afterAll(() => app.stop());

  /** Calls operations by the methods of the SDK, and sees what they send and what they get. */
  function callsBySdk(): Call {
    let sent: object;
    let answer: ClientAnswer;
    const client = sdkClient(app, partner, {
      async fetch(input, init = {}) {
        const { pathname: path, searchParams } = new URL(String(input));
        const body = typeof init.body === 'string' ? JSON.parse(init.body) : undefined;
        sent = { method: init.method, path, query: Object.fromEntries(searchParams), body };
        const response = await checkedFetch(String(input), init);
        answer = await readAnswer(response.clone());
        return response;
      },
    }) as unknown as Record<string, Record<string, (input: object) => Promise<unknown>>>;
    return async (operationId, request = {}) => {
      const route = partnerRoutes.find((each) => each.operationId === operationId);
      const { params, query, body = route?.body && {} } = request;
      const [resource, verb] = methodOf(operationId);
      const given = await client[resource]?.[verb]?.(inputOf(request));
      called.add(`${resource}.${verb}`);
      expect([operationId, sent]).toEqual([
        operationId,
        {
          method: route?.method,
          path: `/api/partner${filled(route?.path ?? '', params)}`,
          query: Object.fromEntries(
            Object.entries(query ?? {}).map(([name, value]) => [name, String(value)]),
          ),
          body,
        },
      ]);
      expect([operationId, given]).toEqual([operationId, answer.body ?? undefined]);
      return answer;
    };
  }

  it('send the requests and return the answers of every operation', async () => {
    await callPartnerApi(app, partner, callsBySdk());
    const all = Object.entries(OPERATIONS).flatMap(([resource, verbs]) =>
      Object.keys(verbs).map((verb) => `${resource}.${verb}`),
    );
    expect([...called].sort()).toEqual(all.sort());
  });

  it('read statements and documents as PDF and reports as CSV', async () => {
    const client = sdkClient(app, partner);
    const [statement] = (await client.settlements.list({ status: 'closed' })).settlements;
    const { id, documents, lines } = await client.settlements.get({ id: String(statement?.id) });
    const pdf = await client.settlements.get.pdf({ id });
    expect(new TextDecoder().decode(pdf.slice(0, 5))).toBe('%PDF-');
    expect(await client.documents.get.pdf({ id: String(documents[0]?.id) })).toEqual(pdf);
    let csv = '';
    for await (const text of client.transactions.list.csv({ status: 'SETTLED' })) csv += text;
    expect(csv.split('\n')[1]).toContain(lines[0]?.order_id);
  });

  it('page through a list, returning every item once and in order', async () => {
    const fresh = await app.partner();
    const client = sdkClient(app, fresh);
    const recorded: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      const { domain, priceCents } = await givenListing(app.runtime);
      const sale = { domain, expected_price: priceCents, buyer: BUYER };
      recorded.push((await client.orders.create(sale)).public_id);
    }
    const listed: string[] = [];
    for await (const { public_id } of client.orders.list.all({ limit: 2 })) listed.push(public_id);
    expect(listed).toEqual([...recorded].reverse());
    const sizes: number[] = [];
    for await (const { orders } of client.orders.list.pages({ limit: 2 }))
      sizes.push(orders.length);
    expect(sizes).toEqual([2, 2, 1]);
    const told: string[] = [];
    for await (const event of client.events.list.all({ limit: 2 })) {
      if (event.type === 'order.recorded') told.push(event.data.order.public_id);
    }
    expect(told).toEqual(recorded);
  });

  it('fetch no page that the loop does not need', async () => {
    const attempts: string[] = [];
    const client = sdkClient(app, partner, { onAttempt: ({ path }) => attempts.push(path) });
    for await (const _ of client.orders.list.all({ limit: 1 })) break;
    expect(attempts).toHaveLength(1);
  });

  it('return the same order for the same idempotency key and report the replay', async () => {
    const replays: boolean[] = [];
    const client = sdkClient(app, partner, { onAttempt: ({ replayed }) => replays.push(replayed) });
    const { domain, priceCents } = await givenListing(app.runtime);
    const sale = { domain, expected_price: priceCents, buyer: BUYER };
    const order = await client.orders.create(sale, { idempotencyKey: 'sale-1001' });
    expect(await client.orders.create(sale, { idempotencyKey: 'sale-1001' })).toEqual(order);
    expect(replays).toEqual([false, true]);
  });

  it('throw errors by type with code, details and request ID', async () => {
    const client = sdkClient(app, partner);
    const { domain } = await givenListing(app.runtime);
    const sale = { domain, expected_price: 1, buyer: BUYER };
    const mismatch = await client.orders.create(sale).catch((error: unknown) => error);
    expect(mismatch).toBeInstanceOf(UnprocessableError);
    expect(mismatch).toMatchObject({
      name: 'UnprocessableError',
      status: 422,
      code: 'price_mismatch',
      details: { sale_price_cents: 485_000, currency: 'USD' },
      requestId: expect.stringMatching(/^req_/),
    });
    await expect(client.orders.get({ public_id: 'ord_x/../y' })).rejects.toBeInstanceOf(
      NotFoundError,
    );
    const other = await app.partner();
    await sdkClient(app, other).quotes.create({ domain });
    const held = await client.quotes.create({ domain }).catch((error: unknown) => error);
    expect(held).toBeInstanceOf(ConflictError);
    expect((held as ConflictError).reason).toBe('domain_reserved');
    const bad = { domain, expected_price: 485_000, buyer: { email: 'nobody' } };
    await expect(client.orders.create(bad)).rejects.toMatchObject({
      code: 'validation_error',
      faults: [{ path: '/buyer/email' }],
    });
  });
});
