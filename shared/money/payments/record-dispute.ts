import type { Database } from '../../messaging/unit-of-work/database.ts';
import type { UnitOfWork } from '../../messaging/unit-of-work/unit-of-work.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { newId } from '../../platform/ids.ts';
import { idOf, type ListPage, type Page, readPage } from '../../platform/page.ts';
import {
  type DisputeFilter,
  readDispute,
  readDisputes,
  readOfOrder,
  selectIsDisputed,
  selectLost,
  updateDispute,
  writeDispute,
} from './dispute.store.ts';
import {
  type Dispute,
  type DisputeState,
  type DisputeStatus,
  OPEN_DISPUTE_STATUSES,
} from './dispute.ts';
import type { Payment } from './payment.ts';
import { endRefundByDispute } from './payment-lifecycle.ts';

/** What a dispute update changed. A dispute first reported after it ended counts as opened and closed. */
export interface DisputeChange {
  dispute: Dispute;
  opened: boolean;
  closed: boolean;
}

function isOpen(status: DisputeStatus): boolean {
  return OPEN_DISPUTE_STATUSES.some((open) => open === status);
}

/**
 * Records a dispute's state; undefined if nothing changed. A closed dispute stays closed. A lost dispute over the
 * full payment ends a pending refund. The caller locks the order, session or renewal, so that
 * updates of one payment are serialized.
 */
export async function recordDispute(
  uow: UnitOfWork,
  payment: Payment,
  state: DisputeState,
): Promise<DisputeChange | undefined> {
  const { realNow: now } = uow;
  const closedAt = isOpen(state.status) ? null : now;
  const opened = await writeDispute(uow.sql, {
    ...state,
    id: newId('dispute', now),
    paymentId: payment.id,
    partnerId: payment.partnerId,
    environment: payment.environment,
    orderId: payment.orderId,
    openedAt: now,
    updatedAt: now,
    closedAt,
  });
  const { reference, status, evidenceDueAt } = state;
  const news = { reference, status, evidenceDueAt, closedAt, now };
  if (!opened && (await updateDispute.run(uow.sql, news)) === 0) return undefined;
  const dispute = await readDispute(uow.sql, reference);
  if (!dispute) throw new Error(`dispute ${reference} was not written`);
  if (dispute.status === 'lost') await endRefundByDispute(uow, payment.id);
  return { dispute, opened, closed: closedAt !== null };
}

/** Returns the disputes of an order, newest first. */
export function listOrderDisputes({ db }: { db: Database }, orderId: string): Promise<Dispute[]> {
  return readOfOrder(db.knex, orderId);
}

/** A payment, identified by its order's ID or its own ID. */
type PaymentNamed = { orderId: string } | { paymentId: string };

/** Returns whether a payment has an open dispute, during which its provider may refuse a refund. */
export async function isDisputed(sql: Sql, of: PaymentNamed): Promise<boolean> {
  const { found } =
    'orderId' in of
      ? await selectIsDisputed.order_id.one(sql, { value: of.orderId })
      : await selectIsDisputed.payment_id.one(sql, { value: of.paymentId });
  return found;
}

/** Returns the provider's reference of the dispute with which the bank returned a full payment; undefined if none. */
export async function findLostDispute(sql: Sql, of: PaymentNamed): Promise<string | undefined> {
  const lost =
    'orderId' in of
      ? await selectLost.order_id.first(sql, { value: of.orderId })
      : await selectLost.payment_id.first(sql, { value: of.paymentId });
  return lost?.reference;
}

/** Returns a page of disputes with the domains of their orders. The open ones are the operators' work list. */
export function listDisputes(
  { db }: { db: Database },
  filter: DisputeFilter,
  page: ListPage,
): Promise<Page<Dispute & { domain: string | null }>> {
  const read = (limit: number) => readDisputes(db.knex, filter, { ...page, limit });
  return readPage(page.limit, read, idOf);
}
