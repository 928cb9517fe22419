import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClickBuffer } from '../../../shared/sales/referral/click-buffer.ts';
import { rollUpClicks } from '../../../shared/sales/referral/click-counts.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { givenCredential, givenListing, givenPartner } from '../../support/factories.ts';
import { runOps } from '../../support/ops-command.ts';
import { BROWSER, givenReferredOrder } from '../../support/referrals.ts';
import { takeBack } from '../../support/take-back.ts';

let app: TestApp;
type Partner = Awaited<ReturnType<TestApp['partner']>>;
let affiliate: Partner;

beforeAll(async () => {
  app = await startTestApp();
  affiliate = await app.partner({ affiliate: true });
});
afterAll(() => app.stop());

const make = (body: object, who: Partner = affiliate) =>
  who.client
    .post('/v1/links', { body })
    .expect(201)
    .then((answer) => answer.body);

describe('POST /links', () => {
  it('creates a link of each kind', async () => {
    expect(await make({ kind: 'generic' })).toEqual({
      id: expect.stringMatching(/^lnk_/),
      kind: 'generic',
      domain: null,
      product: null,
      label: null,
      sub_id: null,
      code: expect.stringMatching(/^[0-9A-Za-z]{10}$/),
      url: expect.stringMatching(/^http:\/\/localhost:3000\/r\/[0-9A-Za-z]{10}$/),
      created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    });
    await givenListing(app.runtime, { domain: 'xn--bcher-kva.de', status: 'sold' });
    expect(
      await make({ kind: 'domain', domain: 'BÜCHER.de.', label: 'Books', sub_id: 's1' }),
    ).toMatchObject({
      kind: 'domain',
      domain: 'xn--bcher-kva.de',
      product: null,
      label: 'Books',
      sub_id: 's1',
    });
    expect(await make({ kind: 'product', product: 'hosting-pro' })).toMatchObject({
      kind: 'product',
      domain: null,
      product: 'hosting-pro',
    });
  });

  it.each([
    [{}, '/kind'],
    [{ kind: 'banner' }, '/kind'],
    [{ kind: 'domain' }, '/domain'],
    [{ kind: 'domain', domain: 'com' }, '/domain'],
    [{ kind: 'product' }, '/product'],
    [{ kind: 'generic', domain: 'a.com' }, '/domain'],
    [{ kind: 'generic', label: '' }, '/label'],
    [{ kind: 'generic', sub_id: 'x'.repeat(101) }, '/sub_id'],
  ])('rejects %j', async (body, path) => {
    const answer = await affiliate.client.post('/v1/links', { body }).expect(400);
    expect(answer.body.error.code).toBe('validation_error');
    expect(answer.body.error.details[0].path).toBe(path);
  });
});

describe('a link to a domain', () => {
  it('needs one that was listed in the environment', async () => {
    const { domain } = await givenListing(app.runtime, { environment: 'LIVE' });
    for (const unknown of [domain, 'never-listed.com']) {
      const body = { kind: 'domain', domain: unknown };
      const answer = await affiliate.client.post('/v1/links', { body }).expect(404);
      expect(answer.body.error).toMatchObject({
        code: 'not_found',
        message: `${unknown} was never listed here. Use the name of a listed domain.`,
      });
    }
  });
});

describe('access to the referral API', () => {
  const PATHS = [
    '/v1/links',
    '/v1/me/clicks',
    '/v1/me/sales',
    '/v1/me/commissions',
    '/v1/me/payouts',
    '/v1/analytics',
  ];

  it('is forbidden without an affiliate account, and the message says so', async () => {
    const { client } = await app.partner();
    const answers = [
      await client.post('/v1/links', { body: { kind: 'generic' } }),
      ...(await Promise.all(PATHS.map((path) => client.get(path)))),
    ];
    for (const { status, body } of answers) {
      expect([status, body.error.code]).toEqual([403, 'forbidden']);
      expect(body.error.message).toContain('affiliate account');
    }
  });

  it('is granted once operators make the partner an affiliate', async () => {
    const { client, partnerId } = await app.partner();
    const link = () => client.post('/v1/links', { body: { kind: 'generic' } });
    expect((await link()).status).toBe(403);
    const make = () => runOps(app.runtime, ['partner:affiliate', '--partner', partnerId, '--json']);
    const { json: made } = await make();
    expect(made).toEqual({ partner_id: partnerId, affiliate_id: expect.stringMatching(/^aff_/) });
    expect((await make()).json).toEqual(made);
    await eventually(async () => (await link()).status === 201);
    const noted = await app.runtime.db.knex('audit_log').where({ action: 'partner:affiliate' });
    expect(noted.map(({ subject, after }) => [subject, after])).toEqual([
      [partnerId, { affiliateId: made.affiliate_id }],
    ]);
    const unknown = await runOps(app.runtime, [
      'partner:affiliate',
      '--partner',
      'ptr_none',
      '--json',
    ]);
    expect(unknown.error.code).toBe('not_found');
  });

  it('is forbidden without the scope, which the message names', async () => {
    const refer = app.as(
      await givenCredential(app.runtime, affiliate.partnerId, { scopes: ['refer'] }),
    );
    const report = app.as(
      await givenCredential(app.runtime, affiliate.partnerId, { scopes: ['report'] }),
    );
    await refer.post('/v1/links', { body: { kind: 'generic' } }).expect(201);
    await refer.get('/v1/links').expect(200);
    for (const path of PATHS.slice(1)) {
      await report.get(path).expect(200);
      expect((await refer.get(path).expect(403)).body.error.message).toContain('"report"');
    }
    const denied = await report.get('/v1/links').expect(403);
    expect(denied.body.error.message).toContain('"refer"');
  });
});

describe('GET /links', () => {
  it('returns the results of each link, newest first, without reversed sales', async () => {
    const who = await app.partner({ affiliate: true });
    const first = await make({ kind: 'generic', label: 'first' }, who);
    const second = await make({ kind: 'generic', label: 'second', sub_id: 'spring' }, who);
    for (let i = 0; i < 3; i += 1) {
      await fetch(`${app.url}/r/${first.code}`, {
        redirect: 'manual',
        headers: { 'User-Agent': BROWSER },
      });
    }
    await rollUpClicks(app.runtime, createClickBuffer(app.runtime.redis, app.runtime.config));
    const seller = await givenPartner(app.runtime);
    const sold = (options: object) => givenReferredOrder(app.runtime, seller, first.code, options);
    await sold({ priceCents: 100_000 });
    const undone = await sold({ priceCents: 700_000 });
    await takeBack(app.runtime, undone.id);
    await sold({ priceCents: 50_000, currency: 'EUR' });

    const { body } = await who.client.get('/v1/links').expect(200);
    expect(body).toEqual({
      links: [
        {
          ...second,
          clicks: 0,
          unique_clicks: 0,
          conversions: 0,
          gmv_cents: 0,
          commission_cents: 0,
          currency: 'USD',
        },
        {
          ...first,
          clicks: 3,
          unique_clicks: 1,
          conversions: 2,
          gmv_cents: 100_000,
          commission_cents: 5_000,
          currency: 'USD',
        },
      ],
      next_cursor: null,
    });
    const euros = await who.client.get('/v1/links', { query: { currency: 'EUR' } }).expect(200);
    expect(euros.body.links[1]).toMatchObject({ gmv_cents: 50_000, commission_cents: 2_500 });
    const spring = await who.client.get('/v1/links', { query: { sub_id: 'spring' } }).expect(200);
    expect(spring.body.links).toHaveLength(1);
  });

  it('pages through all links by cursor, each once', async () => {
    const who = await app.partner({ affiliate: true });
    const made: string[] = [];
    for (let i = 0; i < 7; i += 1) made.unshift((await make({ kind: 'generic' }, who)).id);
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: Record<string, string | number> = { limit: 3, ...(cursor && { cursor }) };
      const { body } = await who.client.get('/v1/links', { query }).expect(200);
      seen.push(...body.links.map((link: { id: string }) => link.id));
      cursor = body.next_cursor;
    }
    expect(seen).toEqual(made);
    const { body } = await who.client.get('/v1/links', { query: { limit: 1 } }).expect(200);
    const other = { cursor: body.next_cursor, kind: 'domain' };
    await who.client.get('/v1/links', { query: other }).expect(400);
  });
});
