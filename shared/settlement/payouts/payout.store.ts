import type { DocumentSummary } from '../../messaging/documents/document.ts';
import {
  type DocumentInRow,
  documentsColumn,
  documentsInRow,
} from '../../messaging/documents/read-documents.ts';
import type { Environment } from '../../platform/config/config.ts';
import { ID_PAGE, idPage, idPageSql } from '../../platform/database/id-page.ts';
import type { Sql, Tx } from '../../platform/database/postgres.ts';
import { defineStatement, variantsOf } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  boolean,
  integer,
  json,
  nullable,
  numeric,
  outerJoined,
  present,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import { TIME_PAGE, timePage, timePageSql } from '../../platform/database/time-page.ts';
import { Money } from '../../platform/money.ts';
import { LIST_SORTS, type ListPage } from '../../platform/page.ts';
import type { Payout, PayoutMove, PayoutOwner, PayoutSource, PayoutStatus } from './payout.ts';

const COLUMNS = `id, partner_id as "partnerId", environment, source, amount_cents as "amountCents", currency,
  status, settlement_id as "settlementId", reference, reversal_reference as "reversalReference", failure_reason as "failureReason",
  file_id as "fileId", sent_to as "sentTo", approved_by as "approvedBy", approved_at as "approvedAt",
  approved_bank as "approvedBank", approved_provider as "approvedProvider", created_at as "createdAt", paid_at as "paidAt",
  failed_at as "failedAt"`;
const PAYOUT = {
  id: text,
  partnerId: text,
  environment: textOf<Environment>(),
  source: textOf<PayoutSource>(),
  amountCents: bigint,
  currency: text,
  status: textOf<PayoutStatus>(),
  settlementId: nullable(text),
  reference: nullable(text),
  reversalReference: nullable(text),
  failureReason: nullable(text),
  fileId: nullable(text),
  sentTo: nullable(text),
  approvedBy: nullable(text),
  approvedAt: nullable(timestamptz),
  approvedBank: nullable(integer),
  approvedProvider: nullable(integer),
  createdAt: timestamptz,
  paidAt: nullable(timestamptz),
  failedAt: nullable(timestamptz),
};
const OWNER = { partnerId: text, environment: textOf<Environment>() };

/** A disputed order whose partner or affiliate commission is paid by the payout `y`. */
const DISPUTED = `from (
    select l.order_id from settlement_payables b
      join settlement_lines l on l.settlement_id = b.settlement_id and l.payment_model = b.source
      where b.payout_id = y.id
    union all select s.order_id from referral_sales s where s.payout_id = y.id) l
  join payment_disputes d on d.order_id = l.order_id
  where d.closed_at is null`;

/** An unreleased sanctions match of the payee of a payout `y`. */
const LISTED = `from screening_hits h where y.environment = 'LIVE' and h.partner_id = y.partner_id
  and h.order_id is null and h.checkout_session_id is null and h.status <> 'released'`;

/** Inserts a payout. */
export const insertPayout = defineStatement({
  params: {
    id: text,
    ...OWNER,
    source: textOf<PayoutSource>(),
    amountCents: bigint,
    currency: text,
    status: textOf<PayoutStatus>(),
    settlementId: nullable(text),
    createdAt: timestamptz,
  },
  text: `insert into payouts (id, partner_id, environment, source, amount_cents, currency, status,
      settlement_id, created_at)
    values (:id, :partnerId, :environment, :source, :amountCents, :currency, :status, :settlementId,
      :createdAt)`,
});

/** Selects a payout of any partner. */
export const selectPayout = defineStatement({
  params: { id: text },
  row: PAYOUT,
  text: `select ${COLUMNS} from payouts where id = :id`,
});

/** Selects a payout of one partner. */
export const selectOwnPayout = defineStatement({
  params: { id: text, ...OWNER },
  row: PAYOUT,
  text: `select ${COLUMNS} from payouts
    where id = :id and partner_id = :partnerId and environment = :environment`,
});

/** Selects a payout of any partner, locked until the transaction ends. */
export const selectPayoutForUpdate = defineStatement({
  params: { id: text },
  row: PAYOUT,
  text: `select ${COLUMNS} from payouts where id = :id for update`,
});

/** Moves a payout from one of the `from` statuses to `to`, or returns no row. A null `reference` keeps the old one. */
export const updatePayout = defineStatement({
  params: {
    id: text,
    from: arrayOf(textOf<PayoutStatus>()),
    to: textOf<PayoutStatus>(),
    now: timestamptz,
    reference: nullable(text),
    reversalReference: nullable(text),
    failureReason: nullable(text),
  },
  row: PAYOUT,
  text: `update payouts set status = :to, reference = coalesce(:reference, reference),
      reversal_reference = :reversalReference, failure_reason = :failureReason,
      paid_at = case when :to = 'paid' then :now::timestamptz end,
      failed_at = case when :to = 'failed' then :now::timestamptz end
    where id = :id and status = any(:from) returning ${COLUMNS}`,
});

/** Records the approver of a payout, and the approved revisions of the partner's accounts. */
export const updateApproved = defineStatement({
  params: {
    id: text,
    approvedBy: text,
    approvedBank: nullable(integer),
    approvedProvider: nullable(integer),
    now: timestamptz,
  },
  text: `update payouts set approved_by = :approvedBy, approved_at = :now, approved_bank = :approvedBank,
      approved_provider = :approvedProvider where id = :id`,
});

/** Voids the approvals of a partner's LIVE payouts not yet sent to a bank or provider; returns their IDs. */
export const updateApprovalsVoid = defineStatement({
  params: { partnerId: text },
  row: { id: text },
  text: `update payouts set approved_by = null, approved_at = null, approved_bank = null, approved_provider = null
    where partner_id = :partnerId and environment = 'LIVE' and status = 'pending' and approved_by is not null
      and file_id is null and sent_to is null returning id`,
});

/** Selects the approvers of a currency's pending LIVE payouts that are in no file yet. */
export const selectApprovers = defineStatement({
  params: { currency: text },
  row: { approvedBy: present(text, 'the statement asks for it') },
  text: `select distinct approved_by as "approvedBy" from payouts
    where status = 'pending' and environment = 'LIVE' and currency = :currency
      and file_id is null and sent_to is null and approved_by is not null`,
});

/**
 * Selects and locks a currency's pending LIVE payouts, oldest first, that are in no file yet, not held, and to a usable
 * account. Payouts over `approvalOver`, unless null, must be approved for this account by one of `approvers`.
 */
export const selectPayableForUpdate = defineStatement({
  params: {
    currency: text,
    approvalOver: nullable(bigint),
    approvers: arrayOf(text),
    now: timestamptz,
    limit: bigint,
  },
  row: PAYOUT,
  text: `select ${COLUMNS} from payouts y
    where status = 'pending' and environment = 'LIVE' and currency = :currency
      and file_id is null and sent_to is null
      and not exists (select 1 from partners p where p.id = y.partner_id and p.status = 'suspended')
      and not exists (select 1 ${DISPUTED})
      and not exists (select 1 ${LISTED})
      and exists (select 1 from payout_accounts a where a.partner_id = y.partner_id
        and (a.usable_from is null or a.usable_from <= :now)
        and (:approvalOver::bigint is null or a.usable_from is null or a.approved_by is not null)
        and (:approvalOver::bigint is null or y.amount_cents <= :approvalOver
          or (y.approved_by = any(:approvers) and y.approved_bank = a.revision)))
    order by id limit :limit for update of y`,
});

/** Selects the pending payouts of a partner's sandbox created after an instant, oldest first. */
export const selectPendingSandbox = defineStatement({
  params: { partnerId: text, after: timestamptz, limit: bigint },
  row: { id: text, createdAt: timestamptz },
  text: `select id, created_at as "createdAt" from payouts
    where partner_id = :partnerId and environment = 'SANDBOX' and status = 'pending' and created_at > :after
    order by created_at, id limit :limit`,
});

/** Records the account to which the payment provider was asked to send a payout. */
export const updateSent = defineStatement({
  params: { id: text, sentTo: text },
  text: 'update payouts set sent_to = :sentTo where id = :id',
});

/** Adds payouts to a file. */
export const updateFile = defineStatement({
  params: { fileId: text, ids: arrayOf(text) },
  text: 'update payouts set file_id = :fileId where id = any(:ids)',
});

/** Selects the payouts of a file and their recorded outcomes. */
export const selectOfFile = defineStatement({
  params: { fileId: text },
  row: { id: text, status: textOf<PayoutStatus>(), reference: nullable(text) },
  text: 'select id, status, reference from payouts where file_id = :fileId order by id',
});

/** Selects a page of a partner's payouts, newest first. */
export const selectPayouts = defineStatement({
  params: { ...OWNER, ...TIME_PAGE, statuses: nullable(arrayOf(textOf<PayoutStatus>())) },
  row: PAYOUT,
  text: `select ${COLUMNS} from payouts
    where partner_id = :partnerId and environment = :environment
      and (:statuses::text[] is null or status = any(:statuses)) and ${timePageSql()}`,
  plan: 'once',
});

/** Selects a disputed order that holds a payout; no row if there is none. */
export const selectDisputedOrder = defineStatement({
  params: { id: text },
  row: { orderId: text },
  text: `select o."orderId" from payouts y,
      lateral (select l.order_id as "orderId" ${DISPUTED} limit 1) o where y.id = :id`,
});

/**
 * Selects payouts of all partners, or of one, in one status. `held` selects only those that may not be paid now, or
 * only the others; null selects both.
 */
export const selectByStatus = variantsOf(LIST_SORTS, (sort) =>
  defineStatement({
    params: {
      status: textOf<PayoutStatus>(),
      partnerId: nullable(text),
      environment: nullable(textOf<Environment>()),
      held: nullable(boolean),
      ...ID_PAGE,
    },
    row: { ...PAYOUT, isConnected: boolean, documents: json<DocumentInRow[]>() },
    text: `select ${COLUMNS}, ${documentsColumn('y.id')} as documents,
        exists (select 1 from connected_accounts c where c.partner_id = y.partner_id) as "isConnected"
      from payouts y
      where status = :status and (:partnerId::text is null or partner_id = :partnerId)
        and (:environment::text is null or environment = :environment)
        and (:held::boolean is null or :held = (exists (
          select 1 from partners p where p.id = y.partner_id and p.status = 'suspended')
          or exists (select 1 ${DISPUTED}) or exists (select 1 ${LISTED})))
        and ${idPageSql('y.id', sort)}`,
  }),
);

const COMMISSION_PAYOUT = {
  id: text,
  amountCents: bigint,
  currency: text,
  status: textOf<PayoutStatus>(),
  reference: nullable(text),
  createdAt: timestamptz,
  paidAt: nullable(timestamptz),
};

/**
 * Selects a page of an affiliate's payouts, newest first, each with the total ever paid in one currency; a single row
 * with only the total if the page is empty.
 */
export const selectCommissionPayouts = defineStatement({
  params: { ...OWNER, ...TIME_PAGE, currency: text },
  row: { totalPaidCents: numeric, ...outerJoined(COMMISSION_PAYOUT) },
  text: `with total as (
      select coalesce(sum(amount_cents), 0) as paid from payouts
      where partner_id = :partnerId and environment = :environment and source = 'referral'
        and status = 'paid' and currency = :currency),
    page as (
      select id, amount_cents, currency, status, reference, created_at, paid_at from payouts
      where partner_id = :partnerId and environment = :environment and source = 'referral'
        and ${timePageSql()})
    select t.paid as "totalPaidCents", p.id, p.amount_cents as "amountCents", p.currency, p.status,
      p.reference, p.created_at as "createdAt", p.paid_at as "paidAt"
    from total t left join page p on true order by p.created_at desc, p.id desc`,
});

function toPayout({ amountCents, currency, ...rest }: RowOf<typeof PAYOUT>): Payout {
  return { ...rest, amount: new Money(amountCents, currency) };
}

/** Inserts a payout; its outcome fields stay empty. */
export async function writePayout(tx: Tx, { amount, ...payout }: Payout): Promise<void> {
  await insertPayout.run(tx, {
    ...payout,
    amountCents: amount.amount,
    currency: amount.currency,
  });
}

/** Returns a payout of any partner, locked until the transaction ends. */
export async function lockPayout(tx: Tx, id: string): Promise<Payout | undefined> {
  const row = await selectPayoutForUpdate.first(tx, { id });
  return row && toPayout(row);
}

/** Returns a payout of one partner. */
export async function readOwnPayout(
  sql: Sql,
  { partnerId, environment }: PayoutOwner,
  id: string,
): Promise<Payout | undefined> {
  const row = await selectOwnPayout.first(sql, { id, partnerId, environment });
  return row && toPayout(row);
}

export async function readPayout(sql: Sql, id: string): Promise<Payout | undefined> {
  const row = await selectPayout.first(sql, { id });
  return row && toPayout(row);
}

/** Applies a move if the payout's status allows it; otherwise returns undefined. */
export async function changeStatus(
  tx: Tx,
  id: string,
  { from, to }: PayoutMove,
  at: {
    now: Date;
    /** Null keeps the old one. */
    reference: string | null;
    reversalReference: string | null;
    failureReason: string | null;
  },
): Promise<Payout | undefined> {
  const row = await updatePayout.first(tx, { id, from, to, ...at });
  return row && toPayout(row);
}

/** Locks up to `limit` payouts that may go into a file, see {@link selectPayableForUpdate}. */
export async function lockPayable(
  tx: Tx,
  given: {
    currency: string;
    approvalOver: number | null;
    approvers: readonly string[];
    now: Date;
    limit: number;
  },
): Promise<Payout[]> {
  return (await selectPayableForUpdate.all(tx, given)).map(toPayout);
}

export interface PayoutFilter {
  from: Date | null;
  to: Date | null;
  statuses: readonly PayoutStatus[] | null;
  /** The last row of the previous page. */
  before: { createdAt: Date; id: string } | null;
  limit: number;
}

/** Returns a page of a partner's payouts, newest first. */
export async function readPayouts(
  sql: Sql,
  { partnerId, environment }: PayoutOwner,
  { statuses, limit, ...period }: PayoutFilter,
): Promise<Payout[]> {
  const wanted = { partnerId, environment, statuses, ...timePage(period, limit) };
  const rows = await selectPayouts.all(sql, wanted);
  return rows.map(toPayout);
}

/** Filters the payouts of all partners; null means all. */
export interface OpsPayoutFilter {
  partnerId: string | null;
  environment: Environment | null;
}

/** A payout with its documents (the advice, once paid), and whether the provider can send it. */
export type OpsPayout = Payout & { documents: DocumentSummary[]; isConnected: boolean };

/** Returns a page of the payouts in one status, see {@link selectByStatus}. */
export async function readByStatus(
  sql: Sql,
  status: PayoutStatus,
  filter: OpsPayoutFilter & { held: boolean | null },
  page: ListPage,
): Promise<OpsPayout[]> {
  const given = { ...filter, status, ...idPage('payout', page, page.limit) };
  const rows = await selectByStatus[page.sort].all(sql, given);
  return rows.map(({ documents, isConnected, ...row }) => ({
    ...toPayout(row),
    isConnected,
    documents: documentsInRow(documents),
  }));
}

/** A payout of referral commissions. */
export interface CommissionPayout {
  id: string;
  amount: Money;
  status: PayoutStatus;
  reference: string | null;
  createdAt: Date;
  paidAt: Date | null;
}

export interface CommissionPayoutFilter {
  /** The currency of the total; the list contains all currencies. */
  currency: string;
  from: Date | null;
  to: Date | null;
  before: { createdAt: Date; id: string } | null;
  limit: number;
}

/** Returns a page of an affiliate's payouts, newest first, and the total ever paid in one currency. */
export async function readCommissionPayouts(
  sql: Sql,
  { partnerId, environment }: PayoutOwner,
  { currency, limit, ...period }: CommissionPayoutFilter,
): Promise<{ payouts: CommissionPayout[]; totalPaidCents: number }> {
  const wanted = { partnerId, environment, currency, ...timePage(period, limit) };
  const rows = await selectCommissionPayouts.all(sql, wanted);
  const payouts = rows
    .filter(isCommissionPayout)
    .map(({ amountCents, currency, totalPaidCents: _, ...rest }) => ({
      ...rest,
      amount: new Money(amountCents, currency),
    }));
  return { payouts, totalPaidCents: rows[0]?.totalPaidCents ?? 0 };
}

type CommissionPayoutRow = { totalPaidCents: number } & RowOf<typeof COMMISSION_PAYOUT>;

function isCommissionPayout(
  row: {
    [K in keyof CommissionPayoutRow]: CommissionPayoutRow[K] | null;
  },
): row is CommissionPayoutRow {
  return row.id !== null;
}
