import { createHash } from 'node:crypto';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { recordAudit } from '../../people/audit/audit-log.ts';
import { timingSafeEqualStrings } from '../../platform/crypto/secrets.ts';
import { lockOrderById } from '../orders/move-order.ts';
import { selectCodeHash } from './domain-delivery.store.ts';
import { isCodeOut } from './domain-delivery.ts';

/**
 * What a code is that somebody says they got for an order: the last one that we gave, while it can be used (`valid`) or
 * afterwards (`ended`); or another one (`other`), which was replaced or never ours. `none` when no code was given.
 */
export type CodeCheck = 'valid' | 'ended' | 'other' | 'none';

/** The hash of a code, all that is kept of it. */
export function hashOfCode(authCode: string): Buffer {
  return createHash('sha256').update(authCode).digest();
}

/** Compares a code with the hash of the last one of an order; what was compared goes nowhere. @throws not_found */
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
