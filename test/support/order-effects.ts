import type { Runtime } from './runtime.ts';

/** How often each effect of an order was recorded; each must occur once. */
export interface OrderEffects {
  id: string;
  entries: number;
  transfers: number;
  /** As seen by the sandbox registrar. */
  pushes: number;
  recorded: number;
  completed: number;
}

/** Returns the effects of every order: in the ledger, at the registrar, in the history. */
export async function orderEffects({ db }: Runtime): Promise<OrderEffects[]> {
  const { rows } = await db.knex.raw(
    `select o.id,
       (select count(*) from ledger_entries e where e.order_id = o.id and e.kind = 'sale') as entries,
       (select count(*) from transfers t where t.order_id = o.id) as transfers,
       (select count(*) from sandbox_registrar_pushes p where p.domain = o.domain) as pushes,
       (select count(*) from events e where e.subject = o.id and e.type = 'order.recorded') as recorded,
       (select count(*) from events e where e.subject = o.id and e.type = 'order.transfer_completed') as completed
     from orders o`,
  );
  return rows;
}

/** Returns the orders for which some effect did not occur exactly once. */
export function notOnce(effects: readonly OrderEffects[]): OrderEffects[] {
  return effects.filter(({ id: _, ...counts }) =>
    Object.values(counts).some((count) => count !== 1),
  );
}
