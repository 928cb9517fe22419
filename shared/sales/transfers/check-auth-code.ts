import { createHash } from 'node:crypto';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { recordAudit } from '../../people/audit/audit-log.ts';
import { timingSafeEqualStrings } from '../../platform/crypto/secrets.ts';
import { lockOrderById } from '../orders/move-order.ts';
import { selectCodeHash } from './domain-delivery.store.ts';
import { isCodeOut } from './domain-delivery.ts';

/**
 * The result of checking a code that somebody says they got for an order. `valid`: the last code we issued, still
 * usable. `ended`: the last code, no longer usable. `other`: a replaced code, or never ours. `none`: none was issued.
 */
export type CodeCheck = 'valid' | 'ended' | 'other' | 'none';

/** Returns the hash of a code. We store only this hash. */
export function hashOfCode(authCode: string): Buffer {
  return createHash('sha256').update(authCode).digest();
}

/** Compares a code with the hash of an order's last code. The given code is not recorded. @throws not_found */
export async function checkAuthCode(
  uow: UnitOfWork,
  actor: string,
  { orderId, authCode }: { orderId: string; authCode: string },
): Promise<CodeCheck> {
  await lockOrderById(uow, orderId);
  const kept = await selectCodeHash.first(uow.sql, { orderId });
  const result = resultOf(kept, authCode);
  await recordAudit(uow, {
    actor,
    action: 'order:check-code',
    subject: orderId,
    after: { result },
  });
  return result;
}

function resultOf(
  kept: Awaited<ReturnType<typeof selectCodeHash.first>>,
  authCode: string,
): CodeCheck {
  if (!kept?.codeHash) return 'none';
  const given = hashOfCode(authCode).toString('hex');
  if (!timingSafeEqualStrings(given, kept.codeHash.toString('hex'))) return 'other';
  return isCodeOut(kept) ? 'valid' : 'ended';
}
