import type { Sql } from '../platform/db.ts';
import { selectStatus } from './partner.store.ts';

/** Whether a partner may sell: it exists and is not suspended. */
export async function isActivePartner(sql: Sql, partnerId: string): Promise<boolean> {
  return (await selectStatus(sql, partnerId)) === 'active';
}
