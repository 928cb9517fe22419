import { defineStatement } from '../../platform/database/sql-statement.ts';
import { arrayOf, bigint, bytea, text, timestamptz } from '../../platform/database/sql-types.ts';

/** Sets the sealed registrant of an order. */
export const upsertRegistrant = defineStatement({
  params: { orderId: text, sealed: bytea, now: timestamptz },
  text: `insert into order_registrants (order_id, sealed, updated_at) values (:orderId, :sealed, :now)
    on conflict (order_id) do update set sealed = excluded.sealed, updated_at = excluded.updated_at`,
  plan: 'once',
});

/** Selects the sealed registrant of an order. */
export const selectRegistrant = defineStatement({
  params: { orderId: text },
  row: { sealed: bytea },
  text: 'select sealed from order_registrants where order_id = :orderId',
});

/** Selects the sealed registrants of these orders. */
export const selectRegistrantsOf = defineStatement({
  params: { orderIds: arrayOf(text) },
  row: { orderId: text, sealed: bytea },
  text: `select order_id as "orderId", sealed from order_registrants where order_id = any(:orderIds)`,
});

/** Deletes the registrant of an order once it is stored with the domain. */
export const deleteRegistrant = defineStatement({
  params: { orderId: text },
  text: 'delete from order_registrants where order_id = :orderId',
});

/** Selects the sealed registrants of a page of orders. */
export const selectRegistrants = defineStatement({
  params: { after: text, limit: bigint },
  row: { orderId: text, sealed: bytea },
  text: `select order_id as "orderId", sealed from order_registrants
    where order_id > :after order by order_id limit :limit`,
});

/** Replaces resealed registrants. Skips a registrant that was changed meanwhile. */
export const updateRegistrantsSealed = defineStatement({
  params: { ids: arrayOf(text), befores: arrayOf(bytea), afters: arrayOf(bytea) },
  text: `update order_registrants o set sealed = r.after
    from unnest(:ids::text[], :befores::bytea[], :afters::bytea[]) as r (id, before, after)
    where o.order_id = r.id and o.sealed = r.before`,
});
