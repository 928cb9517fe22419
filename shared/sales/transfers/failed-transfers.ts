import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { Environment } from '../../platform/config/config.ts';
import { selectFailedOf, selectFailedOfPartner } from './transfer.store.ts';

// An order whose transfer failed stays in progress until staff retry or refund it. Partner views show the failure.

interface TransferOwner {
  partnerId: string;
  environment: Environment;
}

/** Returns which of these orders of a partner have a failed transfer. */
export async function findFailedTransfers(
  { db }: { db: Database },
  { partnerId, environment }: TransferOwner,
  orderIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (orderIds.length === 0) return new Set();
  const rows = await selectFailedOf.all(db.knex, { partnerId, environment, orderIds });
  return new Set(rows.map(({ orderId }) => orderId));
}

/** Returns up to `limit` orders of a partner whose transfer has failed, newest first. */
export function listFailedTransfers(
  { db }: { db: Database },
  { partnerId, environment }: TransferOwner,
  limit: number,
): Promise<{ orderId: string; domain: string }[]> {
  return selectFailedOfPartner.all(db.knex, { partnerId, environment, limit });
}
