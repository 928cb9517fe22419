import { describe, expect, it } from '@jest/globals';
import type { BulkItem } from '../../../shared/domains/bulk/bulk-job.ts';
import type { BulkAction } from '../../../shared/domains/bulk/bulk-operations.ts';
import { checkItem, costOf, previewMessage } from '../../../shared/domains/bulk/bulk-operations.ts';
import { dryRunMessage, itemsOf } from '../../../shared/domains/bulk/check-items.ts';
import { tagsAfter } from '../../../shared/domains/bulk/market-operations.ts';
import type { OwnedDomain } from '../../../shared/domains/owned-domains/owned-domain.ts';
import type { Tld } from '../../../shared/market/tlds/tld.ts';
import { Money } from '../../../shared/platform/money.ts';

const NOW = new Date('2026-11-21T00:00:00Z');
const OWNED: OwnedDomain = {
  domain: 'mine.ai',
  unicode: 'mine.ai',
  tld: 'ai',
  nameservers: ['ns1.example.net', 'ns2.example.net'],
  locked: true,
  autoRenew: false,
  privacy: true,
  held: false,
  signers: [],
  registeredAt: null,
  transferredAt: null,
  expiresAt: new Date('2027-02-28T12:00:00Z'),
  tags: ['brand', 'shop'],
  legalHold: false,
  isBought: false,
  purchaseFault: null,
  buyerHoldUntil: null,
  leaving: false,
  takenAt: null,
  listing: null,
};
const LISTED = {
  status: 'listed' as const,
  price: new Money(700, 'EUR'),
  floorPrice: null,
  offersAccepted: false,
};
const ITEM: BulkItem = {
  position: 0,
  domain: 'mine.ai',
  state: 'started',
  code: null,
  message: null,
};

function tld(rules: {
  minYears?: number;
  maxYears?: number;
  lock?: boolean;
  servers?: number;
  dnssec?: boolean;
}): Tld {
  return {
    tld: 'ai',
    minYears: rules.minYears ?? 1,
    maxYears: rules.maxYears ?? 10,
    rules: {
      transfer: { lock_supported: rules.lock ?? true },
      nameservers: { max: rules.servers ?? 13 },
      dnssec: rules.dnssec ?? true,
    },
  } as Tld;
}

function check(action: BulkAction, owned: Partial<OwnedDomain> = {}, rules?: Tld) {
  const checked = checkItem(action, ITEM, {
    owned: new Map([[ITEM.domain, { ...OWNED, ...owned }]]),
    tlds: new Map(rules ? [[rules.tld, rules]] : []),
    now: NOW,
  });
  return 'refusal' in checked ? checked.refusal : 'good';
}

it('explains in whole sentences why a text is no domain', () => {
  expect(itemsOf(['www.mine.com', 'not a domain']).map(({ message }) => message)).toEqual([
    'The name must be a registrable domain, not a subdomain: did you mean mine.com?',
    'The name must not contain spaces.',
  ]);
});

describe('checking a domain for a bulk operation', () => {
  const renew = (years: number): BulkAction => ({ op: 'renew', params: { years } });
  const lock: BulkAction = { op: 'lock', params: { enabled: true } };

  it('lists a domain that was bought here, unless its purchase was refunded or is disputed', () => {
    const list: BulkAction = { op: 'list', params: { price_cents: 500_000 } };
    expect(check(list)).toBe('good');
    expect(check(list, { isBought: true })).toBe('good');
    for (const purchaseFault of ['refunded', 'disputed'] as const) {
      expect(check(list, { isBought: true, purchaseFault })).toMatchObject({
        code: 'conflict',
        message: expect.stringContaining(purchaseFault),
      });
    }
  });

  it('limits a renewal to the terms that the TLD allows', () => {
    expect(check(renew(1), {}, tld({ minYears: 2 }))).toEqual({
      code: 'validation_error',
      message: '.ai is renewed for 2 to 10 years.',
    });
    expect(check(renew(2), {}, tld({ minYears: 2 }))).toBe('good');
    expect(check(renew(2), {}, tld({ maxYears: 1 }))).toMatchObject({ code: 'validation_error' });
    expect(check(renew(9))).toBe('good');
    expect(check(renew(10))).toEqual({
      code: 'validation_error',
      message: '.ai runs for 10 years at most; it expires 2027-02-28 now.',
    });
  });

  it('knows whether a TLD has a lock and how many name servers it allows', () => {
    expect(check(lock, {}, tld({ lock: false }))).toMatchObject({ code: 'validation_error' });
    expect(check(lock, {}, tld({}))).toBe('good');
    const nameservers = ['a', 'b', 'c'].map((host) => `${host}.example.net`);
    const action: BulkAction = { op: 'nameservers', params: { nameservers } };
    expect(check(action, {}, tld({ servers: 2 }))).toMatchObject({ code: 'validation_error' });
    expect(check(action, {}, tld({ servers: 3 }))).toBe('good');
  });

  it('refuses new nameservers in the domain itself, which would have no address', () => {
    const set = (...nameservers: string[]): BulkAction => ({
      op: 'nameservers',
      params: { nameservers },
    });
    const own = set('ns1.example.net', 'ns1.mine.ai');
    expect(check(own)).toMatchObject({
      code: 'validation_error',
      message: expect.stringContaining('The nameserver ns1.mine.ai is in mine.ai itself'),
    });
    expect(check(own, { nameservers: ['ns1.mine.ai', 'ns2.mine.ai'] })).toBe('good');
    expect(check(set('ns1.notmine.ai', 'ns2.notmine.ai'))).toBe('good');
  });

  it('refuses DS records if the TLD has no DNSSEC but lets them be removed', () => {
    const signer = { key_tag: 1, algorithm: 13, digest_type: 2, digest: 'AB'.repeat(32) };
    const dnssec = (signers: (typeof signer)[]): BulkAction => ({
      op: 'dnssec',
      params: { signers },
    });
    const without = tld({ dnssec: false });
    expect(check(dnssec([signer]), {}, tld({}))).toBe('good');
    expect(check(dnssec([signer]), {}, without)).toEqual({
      code: 'validation_error',
      message: '.ai has no DNSSEC.',
    });
    expect(check(dnssec([]), {}, without)).toBe('good');
  });

  it('refuses every operation on a sold domain', () => {
    const sold = { listing: { ...LISTED, status: 'sold' as const } };
    for (const action of [lock, renew(1), { op: 'unlist', params: {} } as BulkAction]) {
      expect(check(action, sold)).toMatchObject({ code: 'conflict' });
    }
  });

  it('requires a listing where the operation needs one', () => {
    const price: BulkAction = { op: 'price', params: { price_cents: 5 } };
    const unlist: BulkAction = { op: 'unlist', params: {} };
    const delisted = { listing: { ...LISTED, status: 'delisted' as const } };
    expect(check(price)).toMatchObject({ code: 'not_found' });
    expect(check(unlist)).toMatchObject({ code: 'not_found' });
    expect(check(price, delisted)).toMatchObject({ code: 'conflict' });
    expect(check(unlist, delisted)).toBe('good');
    expect(check(price, { listing: LISTED })).toBe('good');
  });

  it('reprices only in the currency of the listing', () => {
    const price = (currency: string): BulkAction => ({
      op: 'price',
      params: { price_cents: 5, currency },
    });
    expect(check(price('EUR'), { listing: LISTED })).toBe('good');
    expect(check(price('USD'), { listing: LISTED })).toEqual({
      code: 'conflict',
      message: 'It is listed in EUR. To change its currency, delist it and list it again.',
    });
  });
});

describe('previewing a bulk operation', () => {
  it.each<[BulkAction, Partial<OwnedDomain>, string]>([
    [{ op: 'renew', params: { years: 2 } }, {}, 'Would expire 2029-02-28 instead of 2027-02-28.'],
    [
      { op: 'lock', params: { enabled: true } },
      {},
      'Nothing would change: the transfer lock is on.',
    ],
    [{ op: 'privacy', params: { enabled: false } }, {}, 'Would turn WHOIS privacy off.'],
    [{ op: 'list', params: { price_cents: 5 } }, {}, 'Would go on the market for $0.05 USD.'],
    [
      { op: 'list', params: { price_cents: 500, currency: 'JPY' } },
      { listing: LISTED },
      'Would stay on the market, for ¥500 JPY.',
    ],
    [
      { op: 'price', params: { price_cents: 5 } },
      { listing: LISTED },
      'Would cost €0.05 EUR instead of €7.00 EUR.',
    ],
    [{ op: 'unlist', params: {} }, { listing: LISTED }, 'Would go off the market.'],
    [{ op: 'tags', params: { remove: ['Brand', 'shop'] } }, {}, 'Would have the tags: none.'],
  ])('describes what %j would do', (action, owned, said) => {
    expect(previewMessage(action, { ...OWNED, ...owned })).toBe(said);
  });
});

describe('the cost of a renewal', () => {
  const renew = (years: number): BulkAction => ({ op: 'renew', params: { years } });
  const sold = (minYears: number, cents: number | null) =>
    new Map([['ai', { ...tld({ minYears }), priceCents: { ...NO_PRICES, renew: cents } } as Tld]]);
  const NO_PRICES = { register: null, renew: null, transfer: null, restore: null };

  it.each([
    [1, 1, 1_299, 1_299],
    [3, 1, 1_299, 3_897],
    [4, 2, 16_540, 33_080],
  ])('for %i years with a minimum term of %i at %i cents is %i', (years, min, cents, cost) => {
    const tlds = sold(min, cents);
    expect(costOf(renew(years), OWNED, tlds)).toEqual(new Money(cost, 'USD'));
    expect(dryRunMessage(renew(years), OWNED, tlds)).toContain(' Price: $');
  });

  it.each([
    ['a TLD that is not sold here', 1, new Map()],
    ['a TLD without a renewal price', 1, sold(1, null)],
    ['a term without a price', 3, sold(2, 16_540)],
  ])('is unknown for %s', (_which, years, tlds) => {
    expect(costOf(renew(years), OWNED, tlds)).toBeNull();
    expect(dryRunMessage(renew(years), OWNED, tlds)).toContain('The price is unknown.');
  });

  it('is undefined for every other operation', () => {
    const action: BulkAction = { op: 'lock', params: { enabled: false } };
    expect(costOf(action, OWNED, sold(1, 1_299))).toBeUndefined();
    expect(dryRunMessage(action, OWNED, new Map())).toBe('Would turn the transfer lock off.');
  });
});

describe('tags of a domain', () => {
  it('are sorted and unique, and a tag both added and removed stays', () => {
    expect(tagsAfter({ add: ['Zoo', 'brand', 'a'], remove: ['shop', 'zoo'] }, OWNED)).toEqual([
      'a',
      'brand',
      'zoo',
    ]);
    expect(tagsAfter({}, OWNED)).toEqual(OWNED.tags);
  });
});
