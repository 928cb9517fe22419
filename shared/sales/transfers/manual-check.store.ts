import { defineStatement } from '../../platform/database/sql-statement.ts';
import { arrayOf, text, textOf, timestamptz } from '../../platform/database/sql-types.ts';
import type { ManualCheck } from './manual-checks.ts';

/** Selects the ticked checks of an order. */
export const selectChecks = defineStatement({
  params: { orderId: text },
  row: { name: textOf<ManualCheck>(), by: text, at: timestamptz },
  text: `select name, ticked_by as "by", ticked_at as "at" from delivery_checks
    where order_id = :orderId`,
});

/** Ticks checks. Those already ticked stay as they are. */
export const insertChecks = defineStatement({
  params: { orderId: text, names: arrayOf(textOf<ManualCheck>()), by: text, now: timestamptz },
  text: `insert into delivery_checks (order_id, name, ticked_by, ticked_at)
    select :orderId, name, :by, :now from unnest(:names::text[]) name
    on conflict do nothing`,
});

/** Unticks checks. */
export const deleteChecks = defineStatement({
  params: { orderId: text, names: arrayOf(textOf<ManualCheck>()) },
  text: 'delete from delivery_checks where order_id = :orderId and name = any(:names::text[])',
});
