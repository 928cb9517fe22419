import { Money } from '../../shared/platform/money.ts';
import type { Order } from '../../shared/sales/orders/order.ts';
import { insertSale, newOrder } from '../../shared/sales/orders/record-order.ts';
import { encodeClick } from '../../shared/sales/referral/click-cookie.ts';
import { attributeSale } from '../../shared/sales/referral/commission-lifecycle.ts';
import { createLink, type NewLink } from '../../shared/sales/referral/create-referral-link.ts';
import type { ReferralLink } from '../../shared/sales/referral/referral-link.ts';
import { confirmDelivery } from '../../shared/sales/transfers/deliver-domain.ts';
import { startTransfer } from '../../shared/sales/transfers/start-transfer.ts';
import { givenListing, givenPartner, type PartnerFixture } from './factories.ts';
import type { Runtime } from './runtime.ts';
import { nameRegistrant } from './sales.ts';

/** The user agent of a person's browser. */
export const BROWSER =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36';

/** An affiliate, as a caller of commands. */
export interface Affiliate extends PartnerFixture {
  affiliateId: string;
  commissionBps: number;
}

export async function givenAffiliate(
  runtime: Runtime,
  options: Parameters<typeof givenPartner>[1] = {},
): Promise<Affiliate> {
  const partner = await givenPartner(runtime, { ...options, affiliate: true });
  const { affiliate_id: affiliateId } = await runtime.db
    .knex('partners')
    .where({ id: partner.partnerId })
    .first();
  return { ...partner, affiliateId, commissionBps: 1_500 };
}

export function givenLink(
  runtime: Runtime,
  affiliate: Affiliate,
  input: NewLink = { kind: 'generic' },
): Promise<ReferralLink> {
  return createLink(runtime, affiliate, input);
}

export interface ReferredOrder {
  priceCents?: number;
  currency?: string;
  email?: string;
  clickedAt?: Date;
}

/** Creates a checkout sale of `seller` from a click on the link with this code, by default now. */
export async function givenReferredOrder(
  runtime: Runtime,
  seller: PartnerFixture,
  code: string,
  options: ReferredOrder = {},
): Promise<Order> {
  const now = runtime.clock.now();
  const listing = await givenListing(runtime, {
    environment: seller.environment,
    status: 'sold',
    ...(options.priceCents !== undefined && { priceCents: options.priceCents }),
    ...(options.currency !== undefined && { currency: options.currency }),
  });
  const order = newOrder(
    {
      partnerId: seller.partnerId,
      environment: seller.environment,
      commissionBps: 1_500,
      listing: { id: listing.id, saleNumber: 1 },
      domain: listing.domain,
      status: 'PAID',
      paymentModel: 'hosted_checkout',
      price: new Money(listing.priceCents, options.currency ?? 'USD'),
      buyer: { email: options.email ?? 'jane@example.com', name: null, country: null },
    },
    now,
  );
  await runtime.db.transact(async (uow) => {
    const click = encodeClick({ code, clickedAt: options.clickedAt ?? now });
    await insertSale(uow, runtime.config, order);
    await attributeSale(uow, { order, click });
  });
  return order;
}

/** Moves an order to its delivery, so that a settlement includes it. */
export async function deliver(runtime: Runtime, orderId: string): Promise<void> {
  await nameRegistrant(runtime, orderId);
  await runtime.db.transact((uow) => startTransfer(uow, orderId));
  await runtime.db.transact((uow) => confirmDelivery(uow, orderId));
}

/** Returns the commission history of an affiliate, oldest first. */
export async function historyOf(
  runtime: Runtime,
  { partnerId, environment }: Pick<Affiliate, 'partnerId' | 'environment'>,
): Promise<[type: string, amount: number, balance: number][]> {
  const rows = await runtime.db
    .knex('referral_commissions')
    .where({ partner_id: partnerId, environment })
    .orderBy('position');
  return rows.map((row) => [row.type, row.amount_cents, row.balance_cents]);
}
