import { salePostings } from '../../shared/money/ledger/ledger-entry.ts';
import { postEntry } from '../../shared/money/ledger/post-entry.ts';
import type { Environment } from '../../shared/platform/config/config.ts';
import { newId } from '../../shared/platform/ids.ts';
import { Money, shareOf } from '../../shared/platform/money.ts';
import type { PaymentModel } from '../../shared/sales/orders/order.ts';
import { givenListing } from './factories.ts';
import type { Runtime } from './runtime.ts';
import { runIn } from './transaction.ts';

export interface OrderFixture {
  /** Null for an order that is not delivered yet. */
  deliveredAt?: Date | string | null;
  priceCents?: number;
  commissionBps?: number;
  currency?: string;
  paymentModel?: PaymentModel;
}

/** Creates an order with its sale in the ledger, by default delivered now; returns its id. */
export async function givenOrder(
  runtime: Runtime,
  owner: { partnerId: string; environment: Environment },
  options: OrderFixture = {},
): Promise<string> {
  const now = runtime.clock.now();
  const deliveredAt = options.deliveredAt === undefined ? now : options.deliveredAt;
  const delivered = deliveredAt === null ? null : new Date(deliveredAt);
  const commissionBps = options.commissionBps ?? 1_500;
  const paymentModel = options.paymentModel ?? 'merchant_of_record';
  const currency = options.currency ?? 'USD';
  const listing = await givenListing(runtime, {
    environment: owner.environment,
    status: 'sold',
    currency,
    ...(options.priceCents !== undefined && { priceCents: options.priceCents }),
  });
  const id = newId('order', now);
  const commissionCents = shareOf(listing.priceCents, commissionBps);
  await runtime.db.transact(async (uow) => {
    const row = {
      id,
      partner_id: owner.partnerId,
      environment: owner.environment,
      listing_id: listing.id,
      domain: listing.domain,
      status: delivered ? 'TRANSFER_COMPLETED' : 'TRANSFER_IN_PROGRESS',
      payment_model: paymentModel,
      sale_price_cents: listing.priceCents,
      commission_bps: commissionBps,
      commission_cents: commissionCents,
      amount_owed_cents:
        paymentModel === 'merchant_of_record' ? listing.priceCents - commissionCents : 0,
      currency,
      buyer_email: 'buyer@example.com',
      created_at: delivered ?? now,
      updated_at: delivered ?? now,
      transfer_completed_at: delivered,
    };
    await runIn(uow.sql, runtime.db.knex('orders').insert(row));
    const sale = {
      paymentModel,
      price: new Money(listing.priceCents, currency),
      commission: new Money(commissionCents, currency),
    };
    await postEntry(uow, {
      kind: 'sale',
      reference: id,
      partnerId: owner.partnerId,
      environment: owner.environment,
      orderId: id,
      postings: salePostings(sale),
    });
  });
  return id;
}
