import type { Tx } from '../platform/db.ts';
import { fail } from '../platform/errors.ts';
import { selectCommissionBps } from './partner.store.ts';

/** A partner's share of a sale in basis points, as it is today. @throws not_found */
export async function getCommissionRate(tx: Tx, partnerId: string): Promise<number> {
  const rate = await selectCommissionBps(tx, partnerId);
  if (rate === undefined) throw fail('not_found', { message: 'No partner has this id.' });
  return rate;
}
