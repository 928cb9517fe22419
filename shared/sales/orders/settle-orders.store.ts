import type { Tx } from '../../platform/database/postgres.ts';
import { defineStatement } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  present,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import { Money } from '../../platform/money.ts';
import { OWNER } from './order.store.ts';
import type { Order, OrderMove, OrderOwner, OrderStatus, PaymentModel } from './order.ts';

/** Locks delivered orders that are in no statement, oldest delivery first, until the transaction ends. */
export const selectDeliveredForUpdate = defineStatement({
  params: { ...OWNER, currency: text, deliveredBy: timestamptz, limit: bigint },
  row: {
    id: text,
    domain: text,
    status: textOf<OrderStatus>(),
    paymentModel: textOf<PaymentModel>(),
    salePriceCents: bigint,
    commissionCents: bigint,
    currency: text,
    transferCompletedAt: present(timestamptz, 'the WHERE bounds it'),
  },
  text: `select id, domain, status, payment_model as "paymentModel", sale_price_cents as "salePriceCents",
      commission_cents as "commissionCents", currency, transfer_completed_at as "transferCompletedAt"
    from orders
    where partner_id = :partnerId and environment = :environment and settlement_id is null
      and transfer_completed_at <= :deliveredBy and currency = :currency
    order by transfer_completed_at, id limit :limit for update`,
});

/** Puts orders into a statement. Moves those with a `from` status to `to`, with a timeline entry, and returns them. */
export const updateSettled = defineStatement({
  params: {
    ids: arrayOf(text),
    from: arrayOf(textOf<OrderStatus>()),
    to: textOf<OrderStatus>(),
    event: text,
    settlementId: text,
    now: timestamptz,
  },
  row: { id: text },
  text: `with locked as (
      select id, status = any(:from) as moves from orders
      where id = any(:ids) and settlement_id is null),
    settled as (
      update orders o set settlement_id = :settlementId,
        status = case when l.moves then :to else o.status end,
        settled_at = case when l.moves then :now::timestamptz else o.settled_at end,
        updated_at = case when l.moves then :now::timestamptz else o.updated_at end
      from locked l where o.id = l.id
      returning o.id, l.moves),
    noted as (
      insert into order_timeline (order_id, at, status, event)
      select id, :now, :to, :event from settled where moves)
    select id from settled where moves`,
});

/** The fields of a delivered order that a statement needs. */
export type DeliveredOrder = Pick<
  Order,
  'id' | 'domain' | 'status' | 'paymentModel' | 'price' | 'commission'
> & { transferCompletedAt: Date };

/** Locks up to `limit` delivered orders that are in no statement, oldest delivery first. */
export async function lockDelivered(
  tx: Tx,
  { partnerId, environment }: OrderOwner,
  batch: { currency: string; deliveredBy: Date; limit: number },
): Promise<DeliveredOrder[]> {
  const rows = await selectDeliveredForUpdate.all(tx, { ...batch, partnerId, environment });
  return rows.map(({ salePriceCents, commissionCents, currency, ...rest }) => ({
    ...rest,
    price: new Money(salePriceCents, currency),
    commission: new Money(commissionCents, currency),
  }));
}

/** Puts orders into a statement. Moves those that the move allows, with a timeline entry, and returns their ids. */
export async function assignToSettlement(
  tx: Tx,
  ids: readonly string[],
  { from, to, event }: OrderMove,
  at: { settlementId: string; now: Date },
): Promise<Set<string>> {
  const moved = await updateSettled.all(tx, { ...at, ids, from, to, event });
  return new Set(moved.map(({ id }) => id));
}
