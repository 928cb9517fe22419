import type { Tx } from '../platform/db.ts';
import { conflict } from '../platform/errors.ts';
import { lockStatus } from './partner.store.ts';

/**
 * Refuses a payment to a suspended partner. Its standing cannot change until the transaction ends.
 * @throws conflict (`partner_suspended`)
 */
export async function assertPayable(tx: Tx, partnerId: string): Promise<void> {
  if ((await lockStatus(tx, partnerId)) !== 'suspended') return;
  throw conflict(
    'partner_suspended',
    'The partner is suspended, and what it is to be paid is held until it is resumed.',
  );
}
