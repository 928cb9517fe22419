import { describe, expect, it } from '@jest/globals';
import type { DeliveryMethod } from '../../../shared/people/partners/partner.ts';
import { Money } from '../../../shared/platform/money.ts';
import type { Order } from '../../../shared/sales/orders/order.ts';
import {
  type DeliveryReader,
  deliverySteps,
} from '../../../shared/sales/transfers/delivery-steps.ts';

const AT = new Date('2026-11-27T09:00:00Z');
const ORDER: Order = {
  id: 'ord_1',
  partnerId: 'ptr_1',
  environment: 'LIVE',
  listingId: 1,
  saleNumber: 1,
  domain: 'oakdeck.com',
  status: 'PAID',
  paymentModel: 'hosted_checkout',
  price: new Money(485_000, 'USD'),
  commissionBps: 0,
  commission: new Money(0, 'USD'),
  amountOwed: new Money(0, 'USD'),
  buyerEmail: 'buyer@example.com',
  buyerName: null,
  buyerCountry: null,
  quoteId: null,
  externalPaymentRef: null,
  returnUrl: null,
  cancelUrl: null,
  reviewReasons: [],
  createdAt: AT,
  updatedAt: AT,
  transferCompletedAt: null,
  settledAt: null,
  refundedAt: null,
  settlementId: null,
  checkoutSessionId: null,
  brokerageCaseId: null,
  referralLinkId: null,
  actionRequired: null,
  deliveryMethod: null,
  gainingRegistrar: null,
};

interface Case {
  order?: Partial<Order>;
  method?: DeliveryMethod;
  delivery?: string | null;
  transfer?: string | null;
  by?: 'manual' | 'epp';
}

function steps(
  { order, method = 'account', delivery = null, transfer = null, by = 'epp' }: Case,
  reader: DeliveryReader = 'buyer',
) {
  return deliverySteps(
    { registrarLive: by },
    {
      order: { ...ORDER, ...order },
      timeline: [],
      transfer: transfer === null ? null : { status: transfer },
      delivery: { method, status: delivery, since: null, expiresAt: null, requestedBy: null },
    },
    reader,
  );
}

const SIGNS = { done: '+', now: '>', later: '.', stopped: 'x' } as const;
const drawn = (given: Case) =>
  steps(given)
    .map(({ name, state, turn }) => `${SIGNS[state]}${name}${turn ? `(${turn})` : ''}`)
    .join(' ');

const MOVING = { status: 'TRANSFER_IN_PROGRESS' } as const;
const DONE = { status: 'TRANSFER_COMPLETED', transferCompletedAt: AT } as const;

describe('delivery steps', () => {
  it.each<[string, Case, string]>([
    [
      'that waits for its registrant',
      { order: { actionRequired: 'registrant_required' }, delivery: 'awaiting_registrant' },
      '+paid >registrant(buyer) .transfer .claim .delivered',
    ],
    [
      'that is reviewed first',
      { order: { status: 'MANUAL_REVIEW', reviewReasons: ['price'] } },
      '+paid >review(staff) .registrant .transfer .claim .delivered',
    ],
    ['that is about to start', {}, '+paid +registrant >transfer(staff) .claim .delivered'],
    [
      'that is on its way',
      { order: MOVING, transfer: 'pushing' },
      '+paid +registrant >transfer(registry) .claim .delivered',
    ],
    [
      'that staff must take care of',
      { order: MOVING, transfer: 'action_required' },
      '+paid +registrant >transfer(staff) .claim .delivered',
    ],
    [
      'that waits for its buyer',
      { order: MOVING, transfer: 'awaiting_confirmation', delivery: 'awaiting_claim' },
      '+paid +registrant +transfer >claim(buyer) .delivered',
    ],
    [
      'whose claim link has expired',
      { order: MOVING, transfer: 'awaiting_confirmation', delivery: 'expired' },
      '+paid +registrant +transfer >claim(staff) .delivered',
    ],
    [
      'by code that waits for its partner',
      {
        order: MOVING,
        method: 'partner_registrar',
        transfer: 'awaiting_confirmation',
        delivery: 'awaiting_claim',
      },
      '+paid +transfer >code(partner) .fetch .delivered',
    ],
    [
      'by code that a registrar requests',
      { order: MOVING, method: 'partner_registrar', delivery: 'pending_transfer' },
      '+paid +transfer +code >fetch(registry) .delivered',
    ],
    [
      'by people',
      { order: MOVING, transfer: 'awaiting_confirmation', by: 'manual' },
      '+paid +registrant +transfer >delivered(staff)',
    ],
    [
      'in the sandbox without a registrant',
      { order: { ...MOVING, environment: 'SANDBOX' }, transfer: 'queued' },
      '+paid >transfer(registry) .delivered',
    ],
    [
      'that is complete',
      { order: DONE, transfer: 'completed', delivery: 'delivered' },
      '+paid +registrant +transfer +claim +delivered',
    ],
    [
      'that was taken back',
      { order: { status: 'REFUNDED' }, transfer: 'cancelled', delivery: 'failed' },
      '+paid xregistrant xtransfer xclaim xdelivered',
    ],
  ])('are shown for a delivery %s', (_what, given, expected) => {
    expect(drawn(given)).toBe(expected);
  });

  it('are the same for buyer, partner, and staff, each in their own words', () => {
    const given = { order: MOVING, delivery: 'awaiting_claim' };
    const readers = ['buyer', 'partner', 'staff'] as const;
    const [buyer, ...others] = readers.map((reader) => steps(given, reader));
    for (const other of others) {
      expect(other.map(({ name, state, turn }) => [name, state, turn])).toEqual(
        buyer?.map(({ name, state, turn }) => [name, state, turn]),
      );
    }
    expect(buyer?.find(({ state }) => state === 'now')?.text).toContain('Claim the domain');
    expect(others[0]?.find(({ state }) => state === 'now')?.text).toContain('The buyer claims');
  });
});
