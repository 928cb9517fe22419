import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTags } from '../../../shared/domains/owned-domains/manage-owned-domains.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { givenOwnerOf, type Owner } from '../../support/bulk.ts';
import { givenListing } from '../../support/factories.ts';
import { accessTokenFor } from '../../support/oauth.ts';
import { givenPurchaseOf } from '../../support/purchases.ts';
import { takeBack } from '../../support/take-back.ts';

const PATH = '/domains';

describe('GET /domains', () => {
  let app: TestApp;
  let owner: Owner;
  let token: string;
  beforeAll(async () => {
    app = await startTestApp();
    const { runtime } = app;
    owner = await givenOwnerOf(runtime, ['alpha.com', 'beta.net', 'gamma.com', 'münchen.de']);
    token = await tokenOf(owner);
    await givenOwnerOf(runtime, ['foreign.com']);
    await givenListing(runtime, { domain: 'alpha.com', environment: 'LIVE', priceCents: 700 });
    await givenListing(runtime, { domain: 'beta.net', environment: 'LIVE', status: 'delisted' });
    await givenListing(runtime, { domain: 'gamma.com', environment: 'SANDBOX' });
    await runtime.db.transact((uow) => setTags(uow, [{ domain: 'beta.net', tags: ['shop'] }]));
  });
  afterAll(() => app.stop());

  const tokenOf = ({ userId }: Owner) =>
    accessTokenFor(app.runtime, { userId, scopes: ['domains:manage'] });
  const names = async (query: Record<string, string | number | boolean> = {}) =>
    (await app.public.get(PATH, { token, query }).expect(200)).body.items.map(
      ({ domain }: { domain: string }) => domain,
    );

  it('says which domains were returned, as their purchase was refunded', async () => {
    const other = await givenOwnerOf(app.runtime, ['kept.com', 'returned.com']);
    const { id } = await givenPurchaseOf(app.runtime, 'returned.com');
    await takeBack(app.runtime, id);
    const { body } = await app.public.get(PATH, { token: await tokenOf(other) }).expect(200);
    expect(body.items).toMatchObject([
      { domain: 'kept.com', returned: false },
      { domain: 'returned.com', returned: true, listing: null },
    ]);
  });

  it('lists the caller’s domains by name, with registrar and listing data', async () => {
    const { body } = await app.public.get(PATH, { token }).expect(200);
    expect(body.page).toEqual({ limit: 25, has_more: false, next_cursor: null });
    expect(body.items).toHaveLength(4);
    expect(body.items[0]).toEqual({
      domain: 'alpha.com',
      unicode: 'alpha.com',
      tld: 'com',
      nameservers: ['ns1.registrar.example', 'ns2.registrar.example'],
      locked: true,
      auto_renew: false,
      privacy: true,
      dnssec: [],
      expires_at: expect.stringMatching(/^\d{4}-.*Z$/),
      tags: [],
      returned: false,
      listing: {
        status: 'listed',
        price_cents: 700,
        floor_price_cents: null,
        currency: 'USD',
        offers_accepted: false,
      },
    });
    expect(body.items[2]).toMatchObject({ domain: 'gamma.com', listing: null });
    expect(body.items[3]).toMatchObject({ domain: 'xn--mnchen-3ya.de', unicode: 'münchen.de' });
  });

  it('pages with cursors, which are bound to filters and user', async () => {
    const first = await app.public.get(PATH, { token, query: { limit: 3 } }).expect(200);
    const cursor = first.body.page.next_cursor;
    expect(await names({ limit: 3, cursor })).toEqual(['xn--mnchen-3ya.de']);
    await app.public.get(PATH, { token, query: { cursor, tld: 'com' } }).expect(400);
    const other = await tokenOf(await givenOwnerOf(app.runtime, 0));
    const foreign = await app.public.get(PATH, { token: other, query: { cursor } });
    expect(foreign.body.error.code).toBe('invalid_cursor');
  });

  it.each<[Record<string, string | boolean>, string[]]>([
    [{ tld: 'COM' }, ['alpha.com', 'gamma.com']],
    [{ tag: 'SHOP' }, ['beta.net']],
    [{ tag: 'none' }, []],
    [{ listed: true }, ['alpha.com']],
    [{ listed: false }, ['beta.net', 'gamma.com', 'xn--mnchen-3ya.de']],
    [{ expires_before: '2020-01-01' }, []],
    [{ expires_before: '2100-01-01', tld: 'net' }, ['beta.net']],
  ])('filters by %j', async (query, expected) => {
    expect(await names(query)).toEqual(expected);
  });

  it('does not show domains of other users', async () => {
    const other = await tokenOf(await givenOwnerOf(app.runtime, 0));
    const { body } = await app.public.get(PATH, { token: other }).expect(200);
    expect(body.items).toEqual([]);
  });

  it('requires sign-in and the domains:manage scope', async () => {
    expect((await app.public.get(PATH)).body.error.code).toBe('invalid_token');
    const weak = await accessTokenFor(app.runtime, { userId: owner.userId });
    expect((await app.public.get(PATH, { token: weak })).body.error.code).toBe('forbidden');
  });
});
