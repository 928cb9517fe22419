import type { Sql, Tx } from '../../platform/database/postgres.ts';
import type { Cancellation, Transfer, TransferMove } from './transfer.ts';

const COLUMNS = `id, order_id as "orderId", partner_id as "partnerId", environment, status, method, registrar,
  attempts, reason, cancellation, created_at as "createdAt", updated_at as "updatedAt"`;

export async function insertTransfer(tx: Tx, transfer: Transfer): Promise<void> {
  await tx.raw(
    `insert into transfers (id, order_id, partner_id, environment, status, method, registrar, attempts, reason,
       created_at, updated_at)
     values (:id, :orderId, :partnerId, :environment, :status, :method, :registrar, :attempts, :reason,
       :createdAt, :updatedAt)`,
    { ...transfer },
  );
}

/** An order's transfer, locked until the transaction ends. */
export async function lockTransfer(tx: Tx, orderId: string): Promise<Transfer | undefined> {
  const { rows } = await tx.raw(
    `select ${COLUMNS} from transfers where order_id = :orderId for update`,
    { orderId },
  );
  return rows[0];
}

export async function findTransfer(sql: Sql, orderId: string): Promise<Transfer | undefined> {
  const { rows } = await sql.raw(`select ${COLUMNS} from transfers where order_id = :orderId`, {
    orderId,
  });
  return rows[0];
}

/** Says that a refund waits for the end of the transfer's push, or, with null, that none does any more. */
export async function setCancellation(
  tx: Tx,
  id: string,
  cancellation: Cancellation | null,
  now: Date,
): Promise<void> {
  await tx.raw(
    'update transfers set cancellation = :cancellation, updated_at = :now where id = :id',
    {
      id,
      cancellation,
      now,
    },
  );
}

/** Fields that a move may set beside the status; the reason is always set, the registrar only when given. */
export interface TransferMoveFields {
  reason: string | null;
  registrar?: string;
  attempts?: number;
}

/** The conditional update of a move; undefined when the transfer is in none of its from-states. */
export async function updateTransfer(
  tx: Tx,
  id: string,
  move: TransferMove,
  at: { now: Date } & TransferMoveFields,
): Promise<Transfer | undefined> {
  const { rows } = await tx.raw(
    `update transfers set status = :to, updated_at = :now, reason = :reason,
       registrar = coalesce(:registrar, registrar), attempts = coalesce(:attempts, attempts)
     where id = :id and status = any(:from) returning ${COLUMNS}`,
    {
      id,
      from: [...move.from],
      to: move.to,
      now: at.now,
      reason: at.reason,
      registrar: at.registrar ?? null,
      attempts: at.attempts ?? null,
    },
  );
  return rows[0];
}
