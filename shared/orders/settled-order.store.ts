import type { Tx } from '../platform/db.ts';
import { Money } from '../platform/money.ts';
import type { Order, OrderOwner } from './order.ts';
import type { OrderMove } from './order-states.ts';

/** What a statement needs of a delivered order. */
export type DeliveredOrder = Pick<
  Order,
  'id' | 'domain' | 'status' | 'paymentModel' | 'price' | 'commission'
> & { transferCompletedAt: Date };

type DeliveredRow = Omit<DeliveredOrder, 'price' | 'commission'> & {
  salePriceCents: number;
  commissionCents: number;
  currency: string;
};

/** Up to `limit` delivered orders that are in no statement, oldest delivery first, locked. */
export async function lockDelivered(
  tx: Tx,
  owner: OrderOwner,
  batch: { currency: string; deliveredBy: Date; limit: number },
): Promise<DeliveredOrder[]> {
  const { rows } = await tx.raw(
    `select id, domain, status, payment_model as "paymentModel", sale_price_cents as "salePriceCents",
       commission_cents as "commissionCents", currency, transfer_completed_at as "transferCompletedAt"
     from orders
     where partner_id = :partnerId and environment = :environment and settlement_id is null
       and transfer_completed_at <= :deliveredBy and currency = :currency
     order by transfer_completed_at, id limit :limit for update`,
    { partnerId: owner.partnerId, environment: owner.environment, ...batch },
  );
  return rows.map(({ salePriceCents, commissionCents, currency, ...rest }: DeliveredRow) => ({
    ...rest,
    price: new Money(salePriceCents, currency),
    commission: new Money(commissionCents, currency),
  }));
}

/** Puts orders into a statement; those that `move` allows are moved, with their timeline entry, and returned. */
export async function assignToSettlement(
  tx: Tx,
  ids: readonly string[],
  move: OrderMove,
  at: { settlementId: string; now: Date },
): Promise<Set<string>> {
  const { rows } = await tx.raw(
    `with locked as (
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
    { ids: [...ids], from: [...move.from], to: move.to, event: move.event, ...at },
  );
  return new Set(rows.map((row: { id: string }) => row.id));
}
