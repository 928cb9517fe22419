import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { recordAudit } from '../../people/audit/audit-log.ts';
import type { Config } from '../../platform/config/config.ts';
import { conflict } from '../../platform/errors.ts';
import { lockOrderById } from '../orders/move-order.ts';
import { isOpenOrder, type Order } from '../orders/order.ts';
import { deleteChecks, insertChecks, selectChecks } from './manual-check.store.ts';

/** The checklist for delivering a domain by hand, in order, with the delivery step that each check belongs to. */
export const MANUAL_CHECKS = {
  unlocked: { step: 'transfer', text: 'Unlocked at its current registrar' },
  code: { step: 'transfer', text: 'Authorization code received' },
  moved: { step: 'transfer', text: 'Transfer or push requested and approved' },
  name_servers: { step: 'transfer', text: 'Nameservers kept, or set for the buyer' },
  contact: { step: 'transfer', text: 'Registrant entered as in the order' },
  buyer_told: { step: 'delivered', text: 'Buyer told where the domain is, and how to manage it' },
} as const;

export type ManualCheck = keyof typeof MANUAL_CHECKS;

export const MANUAL_CHECK_NAMES = Object.keys(MANUAL_CHECKS) as readonly ManualCheck[];

/** A ticked check. */
export interface TickedCheck {
  name: ManualCheck;
  /** A user id, or `cli:<account>`. */
  by: string;
  at: Date;
}

/** Returns whether people deliver this order by hand, so that it has a checklist. */
export function isDeliveredByHand(
  { registrarLive }: Pick<Config, 'registrarLive'>,
  { environment }: Pick<Order, 'environment'>,
): boolean {
  return environment === 'LIVE' && registrarLive === 'manual';
}

/** Returns the ticked checks of an order, in the order of the checklist. */
export async function listTickedChecks(
  { db }: { db: Database },
  orderId: string,
): Promise<TickedCheck[]> {
  const ticked = await selectChecks.all(db.knex, { orderId });
  return MANUAL_CHECK_NAMES.flatMap((name) => ticked.find((each) => each.name === name) ?? []);
}

/**
 * Ticks or unticks checks of an order. A check that is already ticked keeps the person who ticked it first. Checks
 * block nothing: staff confirm the delivery when they are sure.
 * @throws not_found, conflict (invalid_state) for an order that has ended or that people don't deliver
 */
export async function tickChecks(
  uow: UnitOfWork,
  { config, actor }: { config: Config; actor: string },
  { orderId, names, undo }: { orderId: string; names: readonly ManualCheck[]; undo: boolean },
): Promise<Order> {
  const order = await lockOrderById(uow, orderId);
  if (!isDeliveredByHand(config, order)) {
    throw conflict('invalid_state', 'The service delivers this order, so there is no checklist.');
  }
  if (!isOpenOrder(order.status)) {
    throw conflict('invalid_state', `The order is ${order.status}; its checklist is closed.`);
  }
  if (undo) await deleteChecks.run(uow.sql, { orderId, names });
  else await insertChecks.run(uow.sql, { orderId, names, by: actor, now: uow.now });
  const action = undo ? 'order:uncheck' : 'order:check';
  await recordAudit(uow, { actor, action, subject: orderId, after: { checks: names } });
  return order;
}
