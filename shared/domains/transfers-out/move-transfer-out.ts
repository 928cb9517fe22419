import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import { recordAudit } from '../../people/audit/audit-log.ts';
import { readUserEmail } from '../../people/users/user-account.ts';
import { transferOutMail } from './transfer-out.mails.ts';
import { updateStatus } from './transfer-out.store.ts';
import { TRANSFER_OUT_MOVES, type TransferOut, type TransferOutMoveName } from './transfer-out.ts';

/**
 * Moves a transfer out to another status, records it in the audit trail and notifies the owner of important steps, unless
 * `isQuiet`. Does nothing and returns undefined if the current status does not allow the move.
 */
export async function moveTransferOut(
  uow: UnitOfWork,
  before: TransferOut,
  name: TransferOutMoveName,
  at: {
    actor: string;
    expiresAt?: Date | null;
    requestedBy?: string | null;
    /** Whether that registrar's request was rejected. */
    isRejected?: boolean;
    isQuiet?: boolean;
  },
): Promise<TransferOut | undefined> {
  const { from, to } = TRANSFER_OUT_MOVES[name];
  const moved = await updateStatus.first(uow.sql, {
    id: before.id,
    from: [...from],
    to,
    now: uow.now,
    expiresAt: at.expiresAt ?? null,
    requestedBy: at.requestedBy ?? null,
  });
  if (!moved) return undefined;
  const { id, domain, userId, requestedBy, issue, expiresAt } = moved;
  await recordAudit(uow, {
    actor: at.actor,
    action: `transfer-out:${name.replace('_', '-')}`,
    subject: userId,
    after: { transfer: id, domain, ...(requestedBy !== null && { registrar: requestedBy }) },
  });
  // No mail for a code that nobody saw, nor when a stop begins: the owner gets a mail when it is done.
  if (at.isQuiet || to === 'stopping' || (to === 'expired' && before.status === 'code_requested'))
    return moved;
  const email = await readUserEmail(uow.sql, userId);
  uow.mails.add(transferOutMail, {
    to: { email },
    of: null,
    data: {
      id,
      issue,
      step: to,
      domain,
      requestedBy,
      isRejected: at.isRejected ?? false,
      expiresAt: expiresAt?.toISOString() ?? null,
      at: uow.now.toISOString(),
    },
  });
  return moved;
}
