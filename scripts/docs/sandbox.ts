import type { RESERVED_LABELS } from '../../shared/market/inventory/sandbox-names.ts';
import type { RESERVED_SITES } from '../../shared/sales/brokerage/site-probe.ts';
import { ORDER_MOVES, type OrderStatus } from '../../shared/sales/orders/order.ts';
import { code, codes, table } from './markdown.ts';

const OUTCOMES: Record<keyof typeof RESERVED_LABELS, string> = {
  'hold-': 'The order is recorded as `MANUAL_REVIEW` and waits until it is cleared or canceled.',
  'screening-': 'The same, as when the buyer may be on a sanctions list.',
  'reprice-':
    'The price rises by a tenth as soon as a quote is out. The quote keeps its price; an order without it gets 422 `price_mismatch`.',
  'registrant-':
    'The order waits for its registrant, as every order in LIVE does: `action_required: registrant_required`. Once delivered, its address is to be verified.',
  'premium-':
    'A premium domain: its registry charges $500.00 a year and $540.00 for a restore. An order says so (`premium_renewal_fee_cents`), and its owner confirms the price each time.',
  'sold-':
    'An order gets 409 `conflict`, reason `domain_sold`; a checkout page says that the domain is gone.',
  'slow-transfer-': 'The registrar takes a minute; meanwhile the transfer is `pending_registry`.',
  'fail-transfer-':
    'The registrar rejects the push: `transfer.failed`, reason `registrar_rejected`. The order stays `TRANSFER_IN_PROGRESS`; a retry fails again, a refund ends it.',
};

const SITES: Record<keyof typeof RESERVED_SITES, [found: string, eligible: string]> = {
  'active-': ['A running site.', 'No: `active_site`.'],
  'parked-': ['A parked page.', 'Yes.'],
  'nosite-': ['Nothing, as with every other name.', 'Yes.'],
  'slowsite-': ['No answer in time.', 'Yes.'],
  'unregistered-': ['No owner.', 'No: `unregistered`.'],
};

type Reachable = (typeof ORDER_MOVES)[keyof typeof ORDER_MOVES]['to'];

const ADVANCES: Record<Reachable, string> = {
  EXTERNALLY_PAID: 'The order is approved.',
  PAID: 'The same, if the buyer paid us.',
  MANUAL_REVIEW: 'The order is held (`order.held`), as when a review begins after the sale.',
  TRANSFER_IN_PROGRESS: 'The transfer starts at once; the registrar’s steps follow by themselves.',
  TRANSFER_COMPLETED: 'Delivery is confirmed at once, unless the transfer has failed.',
  SETTLED: 'A settlement of all your delivered sandbox orders is closed at once.',
  REFUNDED:
    'A refund, or after delivery a clawback. During a push the refund is `pending` until the registrar has stopped it.',
  CANCELLED: 'The order is canceled.',
};

/** The tables in docs/sandbox.md. */
export const sandboxBlocks = {
  'reserved names': () =>
    table(
      ['Label starts with', 'Outcome'],
      Object.entries(OUTCOMES).map(([label, outcome]) => [code(label), outcome]),
    ),
  'reserved sites': () =>
    table(
      ['Label starts with', 'What is found', 'Can it be brokered?'],
      Object.entries(SITES).map(([label, cells]) => [code(label), ...cells]),
    ),
  'sandbox steps': () =>
    table(
      ['`to`', 'From', 'What happens'],
      Object.entries(ADVANCES).map(([to, what]) => [code(to), codes(statusesBefore(to)), what]),
    ),
};

function statusesBefore(status: string): OrderStatus[] {
  const moves = Object.values(ORDER_MOVES).filter(({ to }) => to === status);
  return [...new Set(moves.flatMap(({ from }) => from))];
}
