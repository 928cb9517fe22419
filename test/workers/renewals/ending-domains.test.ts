import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TOLD_DAYS } from '../../../shared/domains/owned-domains/ending-domains.ts';
import { countOwnedDomains } from '../../../shared/domains/owned-domains/manage-owned-domains.ts';
import type { Registrar, Registrars } from '../../../shared/domains/registrar/registrar.ts';
import { readMail } from '../../../shared/messaging/mail/mail-settings.ts';
import { addMs, DAY, HOUR } from '../../../shared/platform/clock.ts';
import { Money } from '../../../shared/platform/money.ts';
import { tellEnding } from '../../../shared/sales/renewals/tell-ending.ts';
import { composeStored } from '../../support/account-mail.ts';
import { givenOwnerOf, type Owner } from '../../support/bulk.ts';
import { givenListing } from '../../support/factories.ts';
import { disputePurchase, givenPurchaseOf } from '../../support/purchases.ts';
import { givenKeptCard } from '../../support/renewals.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { takeBack } from '../../support/take-back.ts';
import { givenSale } from '../../support/transfers.ts';

const PREMIUM = {
  isPremium: true,
  feeClass: 'premium',
  create: null,
  renew: new Money(50_000, 'USD'),
  transfer: null,
  restore: null,
};

let runtime: TestRuntime;
let owner: Owner;
let domain: string;

beforeEach(async () => {
  runtime = await createTestRuntime({ MAIL: 'on' });
  owner = await givenOwnerOf(runtime, 1);
  domain = owner.domains[0] ?? '';
});
afterEach(() => runtime.stop());

const set = (row: object) => runtime.db.knex('owned_domains').where({ domain }).update(row);
const endsIn = (ms: number) => set({ expires_at: addMs(runtime.clock.now(), ms) });
async function told() {
  const mails = runtime.db.knex('mails').where({ kind: 'domain-ending', recipient: owner.email });
  const found = await Promise.all(
    (await mails.orderBy('id').pluck('id')).map((id) => readMail(runtime, id)),
  );
  return found.map(({ data }) => data as { days: number; renewsItself: boolean });
}
const days = async () => (await told()).map((each) => each.days);

describe('expiry reminders to domain owners', () => {
  it('are sent 60, 30, 7 and 1 days before expiry and once after it', async () => {
    await endsIn(90 * DAY);
    for (let hour = 0; hour < 95 * 24; hour += 7) {
      await tellEnding(runtime, 10);
      await tellEnding(runtime, 10);
      runtime.clock.advance(7 * HOUR);
    }
    expect(await days()).toEqual([...TOLD_DAYS]);
  });

  it('are sent only for the nearest date when earlier ones were missed', async () => {
    await endsIn(5 * DAY);
    await tellEnding(runtime, 10);
    expect(await days()).toEqual([7]);
  });

  it('start again for the next expiry after a renewal', async () => {
    await endsIn(5 * DAY);
    await tellEnding(runtime, 10);
    await endsIn(370 * DAY);
    await tellEnding(runtime, 10);
    runtime.clock.advance(320 * DAY);
    await tellEnding(runtime, 10);
    expect(await days()).toEqual([7, 60]);
  });

  it('say whether the domain renews automatically', async () => {
    await endsIn(20 * DAY);
    await set({ auto_renew: true });
    await tellEnding(runtime, 10);
    await set({ auto_renew: false });
    runtime.clock.advance(15 * DAY);
    await tellEnding(runtime, 10);
    expect((await told()).map(({ renewsItself }) => renewsItself)).toEqual([true, false]);
  });

  const asking = (prices: Registrar['prices']): Registrars => {
    const registrar = { ...runtime.registrars('LIVE'), prices };
    return () => registrar;
  };
  const letter = async () => {
    const [id = ''] = await runtime.db.knex('mails').where({ kind: 'domain-ending' }).pluck('id');
    return (await composeStored(runtime, id)).text.replace(/\s+/g, ' ');
  };

  it.each([['granted'], ['bought, with a good card']])(
    'ask to renew a premium domain by hand even if auto-renew is on (%s)',
    async (how) => {
      await endsIn(60 * DAY);
      const order = how === 'granted' ? null : (await givenSale(runtime)).order.id;
      await set({ auto_renew: true, bought_with: order });
      await givenKeptCard(runtime, owner.userId);
      const asked: string[] = [];
      const registrars = asking(async (domains) => {
        asked.push(...domains);
        return domains.map((each) => ({ ...PREMIUM, domain: each }));
      });
      await tellEnding({ ...runtime, registrars }, 10);
      expect(asked).toEqual([domain]);
      expect(await told()).toEqual([
        expect.objectContaining({ days: 60, renewsItself: false, isPremium: true }),
      ]);
      const text = await letter();
      expect(text).toContain('does not renew automatically even though auto-renew is on');
      expect(text).toContain(`/account/domains/${domain}/renew`);
      expect(text).not.toContain('you don’t need to do anything');
    },
  );

  it('go out on time with wording that fits premium domains while the registry is down', async () => {
    await endsIn(60 * DAY);
    await set({ auto_renew: true });
    const registrars = asking(() => Promise.reject(new Error('the registry is silent')));
    await tellEnding({ ...runtime, registrars }, 10);
    expect(await letter()).toContain('Premium domains are different');
  });

  it('are not sent for domains that were sold or expired long ago', async () => {
    await endsIn(5 * DAY);
    await givenListing(runtime, { domain, environment: 'LIVE', status: 'sold' });
    expect(await tellEnding(runtime, 10)).toBe(0);
    await runtime.db.knex('listings').where({ domain }).update({ status: 'delisted' });
    await endsIn(-40 * DAY);
    expect(await tellEnding(runtime, 10)).toBe(0);
  });

  it('are not sent once the purchase of the domain is refunded', async () => {
    await endsIn(5 * DAY);
    const order = await givenPurchaseOf(runtime, domain);
    await takeBack(runtime, order.id);
    expect(await tellEnding(runtime, 10)).toBe(0);
    const { ending, expired } = await countOwnedDomains(runtime, owner.userId);
    expect([ending, expired]).toEqual([0, 0]);
  });

  it('ask for a renewal by hand while the payment of the purchase is disputed', async () => {
    await givenKeptCard(runtime, owner.userId);
    const order = await givenPurchaseOf(runtime, domain);
    await endsIn(60 * DAY);
    await set({ auto_renew: true });
    await disputePurchase(runtime, order, 'needs_response');
    expect(await tellEnding(runtime, 10)).toBe(1);
    expect(await told()).toMatchObject([{ days: 60, renewsItself: false }]);
  });

  it('are sent for a domain that was bought here until it is sold again', async () => {
    await endsIn(5 * DAY);
    await set({ bought_with: (await givenSale(runtime)).order.id });
    await givenListing(runtime, { domain, environment: 'LIVE', status: 'sold' });
    const listing = runtime.db.knex('listings').where({ domain });
    await listing.clone().update({ sale_number: 2 });
    expect(await tellEnding(runtime, 10)).toBe(0);
    await listing.clone().update({ sale_number: 1 });
    expect(await tellEnding(runtime, 10)).toBe(1);
  });
});

it('expiry reminders are sent in batches', async () => {
  const many = await givenOwnerOf(runtime, 25);
  await runtime.db
    .knex('owned_domains')
    .whereIn('domain', many.domains)
    .update({ expires_at: addMs(runtime.clock.now(), 3 * DAY) });
  const counts: number[] = [];
  for (let round = 0; round < 4; round += 1) counts.push(await tellEnding(runtime, 10));
  expect(counts).toEqual([10, 10, 5, 0]);
});
