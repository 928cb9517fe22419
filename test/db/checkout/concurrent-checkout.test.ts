import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { reconcilePayments } from '../../../shared/money/payments/payment-updates.ts';
import { checkLedger } from '../../../shared/operations/ledger-check/ledger-check.ts';
import { MINUTE } from '../../../shared/platform/clock.ts';
import { ServiceError } from '../../../shared/platform/errors.ts';
import { applyPaymentState } from '../../../shared/sales/checkout/apply-payment-state.ts';
import {
  cancelSession,
  createSession,
  expireCheckoutSessions,
} from '../../../shared/sales/checkout/checkout-lifecycle.ts';
import type { CheckoutSession } from '../../../shared/sales/checkout/checkout-session.ts';
import { confirmPayment } from '../../../shared/sales/checkout/pay-checkout.ts';
import { recordOrder } from '../../../shared/sales/orders/record-order.ts';
import { createQuote } from '../../../shared/sales/quotes/quote-lifecycle.ts';
import { givenListing, givenPartner } from '../../support/factories.ts';
import { CARDS, card, payFor } from '../../support/payments.ts';
import { KEPT_REGISTRANT } from '../../support/registrants.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { takeBack } from '../../support/take-back.ts';

let runtime: TestRuntime;
beforeAll(async () => {
  runtime = await createTestRuntime();
});
afterAll(() => runtime.stop());

/** Two partners with two sessions each, all for one domain. */
async function givenRivals() {
  const { domain, id: listingId } = await givenListing(runtime);
  const partners = [await givenPartner(runtime), await givenPartner(runtime)].map((each) => ({
    ...each,
    commissionBps: 1_500,
  }));
  const sessions: CheckoutSession[] = [];
  for (const partner of [...partners, ...partners]) {
    const input = { domain, returnUrl: null, cancelUrl: null, buyerEmail: null };
    const created = await createSession(runtime, partner, {
      ...input,
      clientReference: null,
      quote: null,
    });
    sessions.push(created.session);
  }
  return { domain, listingId, partners, sessions };
}

type Rivals = Awaited<ReturnType<typeof givenRivals>>;

/** What buyers, partners, the provider, and the clock may do concurrently. */
function act({ domain, partners, sessions, listingId }: Rivals, what: number, who: number) {
  const session = sessions[who % sessions.length] as CheckoutSession;
  const partner = partners[who % partners.length] as Rivals['partners'][0];
  const acts: (() => Promise<unknown>)[] = [
    () => payFor(runtime, session, card(CARDS.succeeds)),
    () => payFor(runtime, session, card(CARDS.confirms)),
    () => payFor(runtime, session, card(CARDS.declined)),
    () => confirmPayment(runtime, session.id, true),
    () => confirmPayment(runtime, session.id, false),
    () => cancelSession(runtime, session.id),
    () => expireCheckoutSessions(runtime, 100),
    () => reconcilePayments(runtime, applyPaymentState, new AbortController().signal),
    () => createQuote(runtime, partner, domain),
    () =>
      runtime.db.transact((uow) =>
        recordOrder(uow, runtime, partner, {
          domain,
          expectedPriceCents: null,
          currency: 'USD',
          buyer: { email: 'other@example.com', name: null, country: null },
          quote: null,
          externalPaymentRef: null,
          returnUrl: null,
          cancelUrl: null,
          registrant: KEPT_REGISTRANT,
        }),
      ),
    async () => {
      const order = await runtime.db.knex('orders').where({ listing_id: listingId }).first('id');
      await takeBack(runtime, order?.id ?? 'ord_none');
    },
  ];
  return (acts[what % acts.length] as () => Promise<unknown>)();
}

const step = fc.record({ what: fc.nat(10), who: fc.nat(3) });
const rounds = fc.array(
  fc.record({
    steps: fc.array(step, { minLength: 2, maxLength: 10 }),
    waitMinutes: fc.constantFrom(0, 0, 0, 11, 60),
  }),
  { minLength: 2, maxLength: 5 },
);

describe('concurrent buyers, partners, provider callbacks, and timeouts', () => {
  it('sell each domain once and keep no payment without an order', async () => {
    await fc.assert(
      fc.asyncProperty(rounds, async (played) => {
        const rivals = await givenRivals();
        for (const { steps, waitMinutes } of played) {
          const done = await Promise.allSettled(
            steps.map(({ what, who }) => act(rivals, what, who)),
          );
          for (const each of done) {
            if (each.status === 'rejected') expect(each.reason).toBeInstanceOf(ServiceError);
          }
          runtime.clock.advance(waitMinutes * MINUTE);
        }
        const { knex } = runtime.db;
        const orders = await knex('orders').where({ listing_id: rivals.listingId });
        const kept = orders.filter(({ status }) => status !== 'REFUNDED');
        expect(kept.length).toBeLessThanOrEqual(1);
        const listing = await knex('listings').where({ id: rivals.listingId }).first();
        expect(listing.status).toBe(kept.length === 1 ? 'sold' : 'listed');

        for (const session of rivals.sessions) {
          const payments = await knex('payments').where({ checkout_session_id: session.id });
          const own = orders.filter((each) => each.checkout_session_id === session.id);
          expect(own.length).toBeLessThanOrEqual(1);
          const succeeded = payments.filter(({ status }) => status === 'succeeded');
          expect(succeeded.map((each) => each.order_id)).toEqual(
            own.filter(({ status }) => status !== 'REFUNDED').map(({ id }) => id),
          );
          // Every amount that the provider took is either the price of an order or being refunded.
          const taken = await knex('sandbox_payments')
            .whereIn(
              'payment_id',
              payments.map(({ id }) => id),
            )
            .where({ status: 'succeeded' });
          const accounted = payments.filter(({ status }) =>
            ['succeeded', 'refund_pending', 'refunded'].includes(status),
          );
          expect(taken.map((each) => each.payment_id).sort()).toEqual(
            accounted.map(({ id }) => id).sort(),
          );
        }
      }),
      { numRuns: 25 },
    );
    expect((await checkLedger(runtime)).imbalances).toEqual([]);
  });
});
