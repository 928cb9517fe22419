import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { MailKind } from '../../../shared/messaging/mail/mail.ts';
import {
  noticeEndpoints,
  noticeExpiringKeys,
  sendStaffDigest,
} from '../../../shared/people/notices/send-notices.ts';
import { addMs, DAY, HOUR } from '../../../shared/platform/clock.ts';
import type { Environment } from '../../../shared/platform/config/config.ts';
import {
  counterOffer as counterOwnersOffer,
  declineOffer as declineOwnersOffer,
} from '../../../shared/sales/brokerage/buyer-offers.ts';
import { moveCase } from '../../../shared/sales/brokerage/case-lifecycle.ts';
import { applyPaymentState } from '../../../shared/sales/checkout/apply-payment-state.ts';
import {
  counterOffer,
  makeOffer,
  setOfferFloor,
} from '../../../shared/sales/offers/offer-lifecycle.ts';
import { approveOrder } from '../../../shared/sales/orders/manual-review.ts';
import { holdOrder } from '../../../shared/sales/orders/screen-order.ts';
import { refundOrder } from '../../../shared/sales/refunds/refund-order.ts';
import { confirmDelivery } from '../../../shared/sales/transfers/deliver-domain.ts';
import { startTransfer } from '../../../shared/sales/transfers/start-transfer.ts';
import { transferActionMail } from '../../../shared/sales/transfers/transfer.mails.ts';
import {
  markPayoutFailed,
  markPayoutPaid,
} from '../../../shared/settlement/payouts/payout-outcome.ts';
import { closePartnerPeriods } from '../../../shared/settlement/statements/close-statement.ts';
import { composeStored } from '../../support/account-mail.ts';
import { bringTo, givenCase } from '../../support/brokerage.ts';
import { givenOwnerOf } from '../../support/bulk.ts';
import { givenListing, givenPartner } from '../../support/factories.ts';
import { givenOrder } from '../../support/orders.ts';
import { CARDS, card, givenSession, payFor, paymentsOf } from '../../support/payments.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { givenSale } from '../../support/transfers.ts';
import { givenEndpoint } from '../../support/webhooks.ts';

let runtime: TestRuntime;
beforeEach(async () => {
  runtime = await createTestRuntime({ MAIL: 'on', TRANSFER_POLICY_SANDBOX: 'manual' });
});
afterEach(() => runtime.stop());

async function contact(partnerId: string | null, email: string) {
  const created_at = runtime.clock.now();
  await runtime.db.knex('mail_contacts').insert({ partner_id: partnerId, email, created_at });
}

async function partner() {
  const { partnerId } = await givenPartner(runtime);
  await contact(partnerId, 'ops@partner.example');
  return { partnerId, environment: 'SANDBOX' as Environment };
}

/** The kinds of all mails so far to an address, in their order. */
async function told(recipient: string): Promise<MailKind[]> {
  const rows = await runtime.db.knex('mails').where({ recipient }).orderBy('id').select('kind');
  return rows.map(({ kind }) => kind);
}

describe('mail to a buyer', () => {
  it('is sent when the transfer starts, the domain is delivered and the order is refunded', async () => {
    const { order } = await givenSale(runtime);
    const { transact } = runtime.db;
    await transact((uow) => startTransfer(uow, order.id));
    await transact((uow) => confirmDelivery(uow, order.id));
    const refund = { orderId: order.id, kind: 'by_state', reason: 'other', note: null } as const;
    await transact((uow) => refundOrder(uow, { ...refund, requestedBy: 'test' }));
    expect(await told(order.buyerEmail)).toEqual([
      'transfer-started',
      'domain-delivered',
      'refund',
    ]);
  });

  it('is sent once when a late payment is refunded because the domain was sold', async () => {
    const session = await givenSession(runtime);
    await payFor(runtime, session, card(CARDS.confirms));
    const [payment] = await paymentsOf(runtime, session);
    await runtime.db.knex('listings').where({ domain: session.domain }).update({ status: 'sold' });
    const arrived = { status: 'succeeded', reference: payment?.provider_reference ?? '' } as const;
    for (let time = 0; time < 2; time += 1) {
      await applyPaymentState(runtime, payment?.id ?? '', arrived);
    }
    expect(await paymentsOf(runtime, session)).toMatchObject([{ status: 'refund_pending' }]);
    const mails = await runtime.db.knex('mails').where({ kind: 'checkout-ended' });
    expect(mails).toMatchObject([
      { data: { outcome: 'refunded', price: { amount: session.price.amount } } },
    ]);
  });

  it('is sent for every step of a brokerage case, with a receipt for the deal', async () => {
    const owner = await partner();
    const { id } = await givenCase(runtime, owner);
    await bringTo(runtime, id, 'COMPLETED');
    const kinds = await told('buyer@example.com');
    expect(kinds.filter((kind) => kind === 'brokerage-update')).toHaveLength(5);
    expect(kinds.filter((kind) => kind === 'receipt')).toHaveLength(1);
    const { id: last } = await runtime.db
      .knex('mails')
      .where({ kind: 'brokerage-update' })
      .orderBy('id', 'desc')
      .first();
    const { text } = await composeStored(runtime, last);
    expect(text).toMatch(/Price paid:?\s+\$4,500\.00/);
    expect(text).not.toContain('Latest offer');
  });

  it('names the agreed price of a brokerage case', async () => {
    const { id } = await givenCase(runtime, await partner());
    await bringTo(runtime, id, 'NEGOTIATING');
    const agreement = { caseId: id, to: 'AGREED', by: 'ops', offerCents: 430_033 } as const;
    await runtime.db.transact((uow) => moveCase(uow, runtime, agreement));
    const mails = runtime.db.knex('mails').where({ kind: 'brokerage-update' });
    const { text } = await composeStored(runtime, (await mails.orderBy('id', 'desc').first()).id);
    expect(text).toMatch(/Agreed price:?\s+\$4,300\.33/);
    expect(text).not.toContain('Latest offer');
  });

  it('is not sent when the partner writes to its buyers itself', async () => {
    const { order } = await givenSale(runtime);
    await runtime.db.knex('mail_brands').insert({ partner_id: order.partnerId, buyer_mail: false });
    await runtime.db.transact((uow) => startTransfer(uow, order.id));
    expect(await told(order.buyerEmail)).toEqual([]);
  });
});

describe('mail to a partner', () => {
  it.each([
    ['auth_code_needed', 'getting the authorization code from the previous owner'],
    ['registrant_confirmation_pending', 'Ask your buyer'],
  ])('says who acts when a transfer waits for %s', async (reason, says) => {
    const { order } = await givenSale(runtime);
    await contact(order.partnerId, 'ops@partner.example');
    const { id: orderId, domain } = order;
    const data = { orderId, transferId: 'trf_1', domain, attempt: 1, reason };
    await runtime.db.transact(async (uow) => {
      uow.mails.add(transferActionMail, { to: 'contacts', of: order, data });
    });
    const { id } = await runtime.db
      .knex('mails')
      .where({ kind: 'transfer-action-required' })
      .first();
    expect((await composeStored(runtime, id)).text).toContain(says);
  });

  it('is sent once per statement and payout, even if they are recorded repeatedly', async () => {
    const owner = await partner();
    for (const paymentModel of ['hosted_checkout', 'brokerage'] as const) {
      await givenOrder(runtime, owner, {
        paymentModel,
        deliveredAt: addMs(runtime.clock.now(), -40 * DAY),
      });
    }
    await closePartnerPeriods(runtime, { ...owner, until: runtime.clock.now() });
    const payouts = await runtime.db.knex('payouts').orderBy('id').select('id');
    expect(payouts).toHaveLength(2);
    const [paid, failed] = payouts.map(({ id }) => id);
    for (let time = 0; time < 2; time += 1) {
      await markPayoutPaid(runtime, 'test', { payoutId: paid, reference: 'BANK-1' });
      await markPayoutFailed(runtime, 'test', {
        payoutId: failed,
        reference: null,
        reason: 'closed',
      });
    }
    expect((await told('ops@partner.example')).sort()).toEqual([
      'payout-failed',
      'payout-sent',
      'statement-ready',
    ]);
  });

  it('is sent each time an order is put on hold', async () => {
    const { order } = await givenSale(runtime);
    await contact(order.partnerId, 'ops@partner.example');
    const { transact } = runtime.db;
    await transact((uow) => holdOrder(uow, order.id, 'screening'));
    await transact((uow) => holdOrder(uow, order.id, 'screening'));
    await transact((uow) => approveOrder(uow, runtime, order.id));
    await transact((uow) => holdOrder(uow, order.id, 'payment_disputed'));
    expect(await told('ops@partner.example')).toEqual(['order-held', 'order-held']);
  });

  it('is sent once when an endpoint has failed for an hour and once when it is disabled', async () => {
    const { partnerId, endpointId } = await givenEndpoint(
      runtime,
      'https://hooks.partner.example/x',
    );
    await contact(partnerId, 'ops@partner.example');
    const endpoint = () => runtime.db.knex('webhook_endpoints').where({ id: endpointId });
    await endpoint().update({ failing_since: runtime.clock.now() });
    await noticeEndpoints(runtime, 10);
    expect(await told('ops@partner.example')).toEqual([]);
    runtime.clock.advance(HOUR + 1_000);
    await noticeEndpoints(runtime, 10);
    expect(await noticeEndpoints(runtime, 10)).toBe(0);
    await endpoint().update({
      active: false,
      disabled_reason: 'gone',
      updated_at: runtime.clock.now(),
    });
    await noticeEndpoints(runtime, 10);
    expect(await noticeEndpoints(runtime, 10)).toBe(0);
    expect(await told('ops@partner.example')).toEqual(['endpoint-failing', 'endpoint-disabled']);
  });

  it('is sent once when a key expires within three days', async () => {
    const { partnerId } = await partner();
    const expires_at = addMs(runtime.clock.now(), 4 * DAY);
    await runtime.db.knex('credentials').where({ partner_id: partnerId }).update({ expires_at });
    expect(await noticeExpiringKeys(runtime, 10)).toBe(0);
    runtime.clock.advance(2 * DAY);
    expect(await noticeExpiringKeys(runtime, 10)).toBe(1);
    expect(await noticeExpiringKeys(runtime, 10)).toBe(0);
    expect(await told('ops@partner.example')).toEqual(['key-expiring']);
  });
});

describe('mail to staff', () => {
  it('is sent once a day if LIVE work has waited for more than a day, and not otherwise', async () => {
    await contact(null, 'staff@market.example');
    await sendStaffDigest(runtime);
    expect(await told('staff@market.example')).toEqual([]);
    const { partnerId } = await givenPartner(runtime, { environment: 'LIVE' });
    await givenCase(runtime, { partnerId, environment: 'LIVE' });
    runtime.clock.advance(2 * DAY);
    await sendStaffDigest(runtime);
    await sendStaffDigest(runtime);
    expect(await told('staff@market.example')).toEqual(['staff-digest']);
    const mail = await runtime.db.knex('mails').where({ kind: 'staff-digest' }).first('data');
    expect(mail.data.waiting).toEqual([{ what: 'Brokerage cases without news', count: 1 }]);
  });

  it('is sent for each answer of a buyer in a LIVE brokerage case', async () => {
    await contact(null, 'staff@market.example');
    for (const environment of ['SANDBOX', 'LIVE'] as const) {
      const { partnerId } = await givenPartner(runtime, { environment });
      const { id: caseId } = await givenCase(runtime, { partnerId, environment });
      await bringTo(runtime, caseId, 'CONTACTING_OWNER');
      const asked = { caseId, to: 'NEGOTIATING', by: 'ops', offerCents: 450_000 } as const;
      await runtime.db.transact((uow) => moveCase(uow, runtime, asked));
      await declineOwnersOffer(runtime, caseId, 450_000);
      runtime.clock.advance(HOUR);
      await counterOwnersOffer(runtime, caseId, 400_000);
      await counterOwnersOffer(runtime, caseId, 400_000);
    }
    expect(await told('staff@market.example')).toEqual(['buyer-answered', 'buyer-answered']);
    const mails = runtime.db.knex('mails').where({ kind: 'buyer-answered' }).orderBy('id');
    const [declined, countered] = await Promise.all(
      ((await mails.pluck('id')) as string[]).map((id) => composeStored(runtime, id)),
    );
    expect(declined?.subject).toMatch(/^\$4,500\.00 declined for wanted-/);
    expect(countered?.subject).toMatch(/^Counteroffer of \$4,000\.00 for wanted-/);
  });
});

describe('mail to the owner of a LIVE listing', () => {
  const buyer = { email: 'buyer@example.com', name: null, country: null };

  async function givenOffer(environment: Environment, floorCents: number | null = null) {
    const { domain } = await givenListing(runtime, { environment, offersAccepted: true });
    const user = await givenOwnerOf(runtime, [domain]);
    if (floorCents !== null) {
      await runtime.db.transact((uow) => setOfferFloor(uow, { environment, domain }, floorCents));
    }
    const { partnerId } = await givenPartner(runtime, { environment });
    const owner = { partnerId, environment };
    const offer = await makeOffer(runtime, owner, { domain, amountCents: 300_000, buyer });
    return { domain, user, owner, offer };
  }

  async function mailsOf(email: string) {
    const ids = runtime.db.knex('mails').where({ recipient: email }).orderBy('id').pluck('id');
    return Promise.all(((await ids) as string[]).map((id) => composeStored(runtime, id)));
  }

  it('says what was offered, that staff answer, and until when', async () => {
    const { domain, user, owner, offer } = await givenOffer('LIVE');
    await counterOffer(runtime, null, offer.id, 420_000);
    await counterOffer(runtime, owner, offer.id, 350_000);
    const [first, second, ...more] = await mailsOf(user.email);
    expect(more).toEqual([]);
    expect(first?.subject).toBe(`Offer of $3,000.00 for ${domain}`);
    expect(first?.text).toContain('Reply to this email to accept, decline or name your price');
    expect(first?.text).toContain('because of an offer on a domain in your account');
    expect(first?.text).not.toContain(buyer.email);
    expect(second?.text).toMatch(/raised their offer.*\$3,500\.00.*You asked for: \$4,200\.00/s);
  });

  it('says that an offer at the floor was accepted', async () => {
    const { domain, user } = await givenOffer('LIVE', 250_000);
    const [mail] = await mailsOf(user.email);
    expect(mail?.subject).toBe(`Offer of $3,000.00 for ${domain} accepted`);
    expect(mail?.text).toContain('The buyer can pay until');
  });

  it('is not sent for the sandbox, where the domain is nobody’s', async () => {
    const { user } = await givenOffer('SANDBOX');
    expect(await mailsOf(user.email)).toEqual([]);
  });
});
