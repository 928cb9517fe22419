import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { bringTo, givenCase, unlistedDomain } from '../../support/brokerage.ts';
import { givenCredential, givenListing, type PartnerFixture } from '../../support/factories.ts';
import type { SignedClient } from '../../support/signed-client.ts';

let app: TestApp;
let partner: PartnerFixture & { client: SignedClient };

beforeAll(async () => {
  app = await startTestApp();
  partner = await app.partner();
});
afterAll(() => app.stop());

const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const body = (more: object = {}) => ({
  domain: unlistedDomain(),
  tier: 'self_serve',
  buyer_email: 'buyer@example.com',
  budget: 500_000,
  ...more,
});

const eligibility = async (domain: string, client = partner.client) =>
  (await client.get('/v1/brokerage/eligibility', { query: { domain } }).expect(200)).body;

describe('GET /v1/brokerage/eligibility', () => {
  it('returns eligible for a domain without a listing or an active site', async () => {
    expect(await eligibility(' WANTED-by-somebody.COM. ')).toEqual({
      domain: 'wanted-by-somebody.com',
      eligible: true,
      reasons: [],
    });
  });

  it.each([
    ['active-shop.com', ['active_site']],
    ['unregistered-shop.com', ['unregistered']],
    ['parked-shop.com', []],
    ['nosite-shop.com', []],
    ['slowsite-shop.com', []],
    ['parliament.gov', ['unsupported_tld']],
    ['college.ac.uk', ['unsupported_tld']],
    ['island.ac', []],
    ['sandbox.example', []],
  ])('decides %s by its name alone: %j', async (domain, reasons) => {
    expect(await eligibility(domain)).toMatchObject({ eligible: reasons.length === 0, reasons });
  });

  it('reports listings and open cases, and both when both apply', async () => {
    const { domain } = await givenListing(app.runtime);
    expect((await eligibility(domain)).reasons).toEqual(['listed']);
    const opened = await givenCase(app.runtime, partner);
    expect((await eligibility(opened.domain)).reasons).toEqual(['open_case']);
    await givenListing(app.runtime, { domain: opened.domain });
    expect((await eligibility(opened.domain)).reasons).toEqual(['open_case', 'listed']);
  });

  it('returns eligible for a domain that was sold or delisted here', async () => {
    for (const status of ['sold', 'delisted'] as const) {
      const { domain } = await givenListing(app.runtime, { status });
      expect((await eligibility(domain)).eligible).toBe(true);
    }
  });

  it('considers only listings and cases of the caller’s environment', async () => {
    const live = app.as(
      await givenCredential(app.runtime, partner.partnerId, { environment: 'LIVE' }),
    );
    app.runtime.siteProbes.LIVE = async () => ({ state: 'no_site' });
    const { domain } = await givenListing(app.runtime);
    const opened = await givenCase(app.runtime, partner);
    expect((await eligibility(domain, live)).eligible).toBe(true);
    expect((await eligibility(opened.domain, live)).eligible).toBe(true);
    expect((await eligibility('sandbox.example', live)).reasons).toEqual(['unsupported_tld']);
  });

  it('probes a live site once and caches the result', async () => {
    const live = app.as(
      await givenCredential(app.runtime, partner.partnerId, { environment: 'LIVE' }),
    );
    const looked: string[] = [];
    app.runtime.siteProbes.LIVE = async (domain) => {
      looked.push(domain);
      return { state: 'active' };
    };
    const domain = unlistedDomain();
    expect((await eligibility(domain, live)).reasons).toEqual(['active_site']);
    expect((await eligibility(domain, live)).reasons).toEqual(['active_site']);
    const refused = await live.post('/v1/brokerage', { body: body({ domain }) }).expect(422);
    expect(refused.body.error.details).toEqual([{ reason: 'active_site' }]);
    expect(looked).toEqual([domain]);
  });

  it('requires the broker scope and a valid domain', async () => {
    const { client } = await app.partner({ scopes: ['search', 'report'] });
    await client.get('/v1/brokerage/eligibility', { query: { domain: 'a.com' } }).expect(403);
    await partner.client.get('/v1/brokerage/eligibility').expect(400);
    await partner.client.get('/v1/brokerage/eligibility', { query: { domain: 'x' } }).expect(400);
  });
});

describe('POST /v1/brokerage', () => {
  it('opens a case and returns the buyer’s progress URL', async () => {
    const input = body({ domain: 'Bücher-Wanted.de', tier: 'managed', currency: 'EUR' });
    const { body: opened } = await partner.client
      .post('/v1/brokerage', { body: input })
      .expect(201);
    expect(opened).toEqual({
      case_id: expect.stringMatching(/^brk_[0-9a-z]{26}$/),
      domain: 'xn--bcher-wanted-dlb.de',
      tier: 'managed',
      status: 'OPEN',
      progress_url: expect.stringMatching(
        new RegExp(`^http://localhost:3000/brokerage/${opened.case_id}\\?pt=[\\w.-]+$`),
      ),
      created_at: INSTANT,
    });
  });

  it('rejects a second open case for a domain from any partner, and allows one once it is closed', async () => {
    const { client: other } = await app.partner();
    const input = body();
    const { body: first } = await partner.client.post('/v1/brokerage', { body: input }).expect(201);
    for (const client of [partner.client, other]) {
      const { body: answer } = await client.post('/v1/brokerage', { body: input }).expect(409);
      expect(answer.error).toMatchObject({ code: 'conflict', details: { reason: 'open_case' } });
    }
    await bringTo(app.runtime, first.case_id, 'CLOSED_NO_DEAL');
    await other.post('/v1/brokerage', { body: input }).expect(201);
  });

  it('opens one case when the same request arrives several times at once', async () => {
    const input = body();
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => partner.client.post('/v1/brokerage', { body: input })),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, 409, 409, 409, 409, 409]);
  });

  it.each([
    ['active-shop.net', 'active_site'],
    ['unregistered-shop.net', 'unregistered'],
    ['school.edu', 'unsupported_tld'],
  ])('rejects %s as not eligible: %s', async (domain, reason) => {
    const { body: answer } = await partner.client
      .post('/v1/brokerage', { body: body({ domain }) })
      .expect(422);
    expect(answer.error).toMatchObject({ code: 'not_eligible', details: [{ reason }] });
  });

  it('rejects a listed domain as not eligible', async () => {
    const { domain } = await givenListing(app.runtime);
    const { body: answer } = await partner.client
      .post('/v1/brokerage', { body: body({ domain }) })
      .expect(422);
    expect(answer.error.details).toEqual([{ reason: 'listed' }]);
  });

  it.each([
    ['tier', 'gold'],
    ['tier', undefined],
    ['buyer_email', 'nobody'],
    ['budget', 0],
    ['budget', 10.5],
    ['budget', '5000'],
    ['currency', 'usd'],
    ['currency', 'ZZZ'],
    ['domain', 'not a domain'],
    ['domain', undefined],
  ])('rejects %s = %j and names the field', async (field, value) => {
    const { body: answer } = await partner.client
      .post('/v1/brokerage', { body: body({ [field]: value }) })
      .expect(400);
    expect(answer.error.code).toBe('validation_error');
    expect(JSON.stringify(answer.error)).toContain(field);
  });

  it('requires the broker scope', async () => {
    const { client } = await app.partner({ scopes: ['buy', 'report'] });
    await client.post('/v1/brokerage', { body: body() }).expect(403);
  });
});

describe('GET /v1/brokerage/{case_id}', () => {
  it('returns a case with its timeline', async () => {
    const { body: opened } = await partner.client
      .post('/v1/brokerage', { body: body() })
      .expect(201);
    await bringTo(app.runtime, opened.case_id, 'COMPLETED');
    const { body: found } = await partner.client.get(`/v1/brokerage/${opened.case_id}`).expect(200);
    expect(found).toEqual({
      ...opened,
      status: 'COMPLETED',
      budget_cents: 500_000,
      latest_offer_cents: null,
      deal_price_cents: 450_000,
      commission_cents: 67_500,
      currency: 'USD',
      order_id: expect.stringMatching(/^ord_/),
      environment: 'SANDBOX',
      updated_at: INSTANT,
      closed_at: INSTANT,
      buyer_email: 'buyer@example.com',
      timeline: [
        { at: INSTANT, status: 'OPEN', event: 'open', by: 'partner', amount_cents: 500_000 },
        ...[
          ['CONTACTING_OWNER', 'contact_owner'],
          ['NEGOTIATING', 'negotiate'],
          ['AGREED', 'agree'],
        ].map(([status, event]) => ({ at: INSTANT, status, event, by: 'ops', amount_cents: null })),
        { at: INSTANT, status: 'COMPLETED', event: 'complete', by: 'ops', amount_cents: 450_000 },
      ],
    });
    const { body: order } = await partner.client.get(`/v1/orders/${found.order_id}`).expect(200);
    expect(order).toMatchObject({
      domain: opened.domain,
      payment_model: 'brokerage',
      sale_price_cents: 450_000,
      commission_cents: 67_500,
      amount_owed_cents: 0,
      buyer: { email: 'buyer@example.com' },
    });
  });

  it('returns 404 for an unknown case', async () => {
    await partner.client.get('/v1/brokerage/brk_01k6q0v1a2e3rs8h9m4n5p6q7w').expect(404);
    await partner.client.get('/v1/brokerage/nonsense').expect(404);
  });
});

describe('GET /v1/brokerage', () => {
  it('lists cases newest first, with pages and filters, without buyer details', async () => {
    const { client, ...owner } = await app.partner();
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.push((await givenCase(app.runtime, owner)).id);
    await bringTo(app.runtime, ids[1] ?? '', 'COMPLETED');
    await bringTo(app.runtime, ids[3] ?? '', 'CANCELLED');

    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const query: Record<string, string | number> = { limit: 2, ...(cursor && { cursor }) };
      const { body: page } = await client.get('/v1/brokerage', { query }).expect(200);
      expect(page.cases.length).toBeLessThanOrEqual(2);
      seen.push(...page.cases.map((each: { case_id: string }) => each.case_id));
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(seen).toEqual([...ids].reverse());

    const filtered = await client
      .get('/v1/brokerage', { query: { status: 'COMPLETED, CANCELLED' } })
      .expect(200);
    expect(filtered.body.cases.map((each: { status: string }) => each.status)).toEqual([
      'CANCELLED',
      'COMPLETED',
    ]);
    expect(filtered.text).not.toMatch(/buyer|progress_url/);
    const future = await client.get('/v1/brokerage', { query: { from: '2100-01-01' } }).expect(200);
    expect(future.body).toEqual({ cases: [], next_cursor: null });
  });

  it('binds cursors to their filters and rejects unknown statuses', async () => {
    const { client, ...owner } = await app.partner();
    for (let n = 0; n < 2; n += 1) await givenCase(app.runtime, owner);
    const { body: page } = await client.get('/v1/brokerage', { query: { limit: 1 } }).expect(200);
    const query = { cursor: page.next_cursor, status: 'OPEN' };
    const { body: answer } = await client.get('/v1/brokerage', { query }).expect(400);
    expect(answer.error.code).toBe('invalid_cursor');
    await client.get('/v1/brokerage', { query: { status: 'DONE' } }).expect(400);
  });

  it('requires the report scope', async () => {
    const { client } = await app.partner({ scopes: ['broker'] });
    await client.get('/v1/brokerage').expect(403);
  });
});
