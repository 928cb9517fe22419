import type { DisputeStatus } from '../../shared/money/payments/dispute.ts';
import { createSession } from '../../shared/sales/checkout/checkout-lifecycle.ts';
import { applyDispute } from '../../shared/sales/disputes/apply-dispute.ts';
import type { Order } from '../../shared/sales/orders/order.ts';
import { getOrderById } from '../../shared/sales/orders/read-orders.ts';
import { givenListing, givenPartner } from './factories.ts';
import { CARDS, card, ordersOf, payFor } from './payments.ts';
import { deliver } from './referrals.ts';
import type { Runtime } from './runtime.ts';

/** Sells a LIVE domain on our page to the user who has it in their account, as if they had claimed it. */
export async function givenPurchaseOf(runtime: Runtime, domain: string): Promise<Order> {
  const environment = 'LIVE';
  const partner = { ...(await givenPartner(runtime, { environment })), commissionBps: 1_500 };
  await givenListing(runtime, { domain, environment });
  const input = { domain, returnUrl: null, cancelUrl: null, buyerEmail: null };
  const { session } = await createSession(runtime, partner, {
    ...input,
    clientReference: null,
    quote: null,
  });
  await payFor(runtime, session, card(CARDS.succeeds));
  const [order] = await ordersOf(runtime, session);
  const orderId = order?.id ?? '';
  await deliver(runtime, orderId);
  const bought = { bought_with: orderId, granted_at: runtime.clock.now() };
  const claimed = await runtime.db.knex('owned_domains').where({ domain }).update(bought);
  if (claimed === 0) throw new Error(`nobody has ${domain}`);
  return getOrderById(runtime, orderId);
}

/** Reports a dispute of the payment of a purchase. */
export async function disputePurchase(
  runtime: Runtime,
  { id: orderId, price }: Order,
  status: DisputeStatus,
): Promise<void> {
  const payment = await runtime.db.knex('payments').where({ order_id: orderId }).first('id');
  await applyDispute(runtime, payment.id, {
    reference: `du_${orderId}`,
    status,
    reason: 'product_not_received',
    amount: price,
    evidenceDueAt: null,
  });
}
