import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { repriceListing } from '../../../shared/market/inventory/change-listings.ts';
import { checkLedger } from '../../../shared/operations/ledger-check/ledger-check.ts';
import type { Caller } from '../../../shared/people/partners/credential.ts';
import { HOUR } from '../../../shared/platform/clock.ts';
import { ServiceError } from '../../../shared/platform/errors.ts';
import { createSession } from '../../../shared/sales/checkout/checkout-lifecycle.ts';
import type { Offer } from '../../../shared/sales/offers/offer.ts';
import {
  acceptOffer,
  counterOffer,
  declineOffer,
  expireOffers,
  makeOffer,
  setOfferFloor,
} from '../../../shared/sales/offers/offer-lifecycle.ts';
import { listOffers } from '../../../shared/sales/offers/read-offers.ts';
import { givenListing, givenPartner, type PartnerFixture } from '../../support/factories.ts';
import { CARDS, card, payFor } from '../../support/payments.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { givenQuote, recordSale } from '../../support/sales.ts';

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await createTestRuntime({ MAX_OPEN_HOLDS: '100000' });
});
afterAll(() => runtime.stop());

/** How many histories are played; set `OFFER_HISTORIES=10000` for a long run. */
const HISTORIES = Number(process.env.OFFER_HISTORIES ?? 150);
const SEED = Number(process.env.OFFER_SEED ?? 17);

/** Numbers from a seed (mulberry32), below `below`. */
function dice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4_294_967_296) * below);
  };
}

const BUYER = { name: null, country: null };
const nowhere = { returnUrl: null, cancelUrl: null, buyerEmail: null, clientReference: null };

/** Plays one domain's history of actions by buyers, partners, and the owner, some of them concurrent. */
async function live(roll: (below: number) => number, partners: readonly PartnerFixture[]) {
  const price = 2_000_000 + 2 * roll(500_000);
  // No price or offer is odd, so an odd number that shows up is the floor.
  const floor = 1_000_001 + 2 * roll(400_000);
  const { domain, id: listingId } = await givenListing(runtime, {
    priceCents: price,
    offersAccepted: true,
  });
  const listing = { environment: 'SANDBOX' as const, domain };
  if (roll(2) === 0) await runtime.db.transact((uow) => setOfferFloor(uow, listing, floor));
  const offers: Offer[] = [];
  const partner = () => partners[roll(partners.length)] as PartnerFixture;
  const one = () => offers[roll(Math.max(1, offers.length))];
  const even = () => 900_000 + 2 * roll(550_000);
  const note = (offer: Offer) => {
    const at = offers.findIndex(({ id }) => id === offer.id);
    if (at === -1) offers.push(offer);
    else offers[at] = offer;
  };
  const buyer = (email: string) => ({ email, ...BUYER });
  const sale = (quote: { token: string; read: { id: string; domain: string } } | null) => ({
    domain,
    quote,
    currency: 'USD',
    expectedPriceCents: null,
    buyer: buyer('now@example.com'),
  });
  const quoteOf = ({ quoteId }: Offer) => {
    const id = quoteId ?? 'qte_none';
    return { token: `quote-of-${id}`, read: { id, domain } };
  };
  const answer = async (whose: 'owner' | 'buyer', how: number) => {
    const offer = one();
    if (!offer) return;
    const who = whose === 'owner' ? null : offer;
    if (how === 0) note(await acceptOffer(runtime, who, offer.id));
    if (how === 1) note(await counterOffer(runtime, who, offer.id, even()));
    if (how === 2) note(await declineOffer(runtime, who, offer.id));
  };
  const acts: (() => Promise<unknown>)[] = [
    async () => {
      const email = `buyer-${roll(3)}@example.com`;
      note(
        await makeOffer(runtime, partner(), { domain, amountCents: even(), buyer: buyer(email) }),
      );
    },
    () => answer('owner', 0),
    () => answer('owner', roll(3)),
    () => answer('buyer', roll(3)),
    () => givenQuote(runtime, partner(), domain),
    () => recordSale(runtime, partner(), sale(null)),
    () => repriceListing(runtime, { ...listing, priceCents: 1_900_000 + 2 * roll(300_000) }),
    async () => {
      const offer = one();
      if (offer) await recordSale(runtime, offer, sale(quoteOf(offer)));
    },
    async () => {
      const offer = one();
      if (!offer) return;
      const caller = { ...offer, keyId: 'test', commissionBps: 1_500 } as unknown as Caller;
      const input = { ...nowhere, domain: null, quote: quoteOf(offer) };
      const { session } = await createSession(runtime, caller, input);
      await payFor(runtime, session, card(roll(4) === 0 ? CARDS.declined : CARDS.succeeds));
    },
    async () => {
      if (roll(6) > 0) return;
      runtime.clock.advance(49 * HOUR);
      await expireOffers(runtime, 100);
    },
  ];
  const refused = (error: unknown) => {
    // On a busy machine a transaction may wait too long for a lock, and is rolled back.
    const waited = error instanceof Error && 'code' in error && error.code === '55P03';
    if (!waited && (!(error instanceof ServiceError) || error.status >= 500)) throw error;
  };
  await acts[0]?.().catch(refused);
  for (let step = 4 + roll(5); step > 0; step -= 1) {
    const together = roll(3) === 0 ? 2 : 1;
    const chosen = Array.from({ length: together }, () => acts[roll(acts.length)]);
    await Promise.all(chosen.map((act) => act?.().catch(refused)));
  }
  return { listingId, domain, floor };
}

async function expectOneSale(listingId: number): Promise<boolean> {
  const { rows } = await runtime.db.knex.raw(
    `select o.id, o.sale_price_cents as price, o.quote_id as quote, o.checkout_session_id as session,
       (select coalesce(-sum(p.amount_cents), 0) from ledger_postings p
          join ledger_entries e on e.id = p.entry_id
          where e.order_id = o.id and p.account = 'sales') as booked,
       (select p.amount_cents from payments p where p.order_id = o.id) as charged,
       (select f.price_cents from offers f where o.quote_id = 'quote-of-' || f.quote_id) as agreed
     from orders o where o.listing_id = ?`,
    [listingId],
  );
  expect(rows.length).toBeLessThanOrEqual(1);
  const [order] = rows;
  if (!order) return false;
  expect(Number(order.booked)).toBe(Number(order.price));
  if (order.session) expect(Number(order.charged)).toBe(Number(order.price));
  const byOffer = order.quote?.startsWith('quote-of-') ?? false;
  if (byOffer) expect(Number(order.agreed)).toBe(Number(order.price));
  return byOffer;
}

it('random offers sell a domain once at the agreed price and never reveal the floor', async () => {
  const partners = [await givenPartner(runtime), await givenPartner(runtime)];
  let byOffer = 0;
  const floors: { domain: string; floor: number }[] = [];
  for (let at = 0; at < HISTORIES; at += 1) {
    const { listingId, domain, floor } = await live(dice(SEED * 1_000_003 + at), partners);
    if (await expectOneSale(listingId)) byOffer += 1;
    floors.push({ domain, floor });
  }
  // Without sales through accepted offers the test would prove nothing.
  expect(byOffer).toBeGreaterThan(HISTORIES / 20);
  const told = new Map<string, string>();
  const hear = (domain: string, text: string) => told.set(domain, (told.get(domain) ?? '') + text);
  for (const { body } of await runtime.db.knex('events').select('body')) {
    const { data } = JSON.parse(body);
    hear(data.offer?.domain ?? data.order?.domain, body);
  }
  for (const partner of partners) {
    const { rows } = await listOffers(runtime, partner, {
      status: null,
      before: null,
      limit: 1_000_000,
    });
    for (const offer of rows) hear(offer.domain, JSON.stringify(offer));
  }
  for (const { domain, floor } of floors) {
    expect(told.get(domain) ?? '').not.toContain(String(floor));
  }
  expect((await checkLedger(runtime)).imbalances).toEqual([]);
}, 3_600_000);
