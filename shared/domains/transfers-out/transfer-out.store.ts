import { defineStatement } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  boolean,
  integer,
  nullable,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import type { TransferOutStatus } from './transfer-out.ts';

const COLUMNS = `id, domain, user_id as "userId", status, since, expires_at as "expiresAt", issue,
  issued_at as "issuedAt", requested_by as "requestedBy", created_at as "createdAt"`;
const TRANSFER_OUT = {
  id: text,
  domain: text,
  userId: text,
  status: textOf<TransferOutStatus>(),
  since: timestamptz,
  expiresAt: nullable(timestamptz),
  issue: integer,
  issuedAt: timestamptz,
  requestedBy: nullable(text),
  createdAt: timestamptz,
};
/** Matches the partial index of transfers that have not ended. */
const UNDER_WAY = `ended_at is null`;

/** Inserts a new transfer out. */
export const insertTransferOut = defineStatement({
  params: { id: text, domain: text, userId: text, now: timestamptz },
  row: TRANSFER_OUT,
  text: `insert into transfers_out (id, domain, user_id, status, since, issue, issued_at, created_at)
    values (:id, :domain, :userId, 'code_requested', :now, 1, :now, :now) returning ${COLUMNS}`,
});

/** Selects a transfer out by ID. */
export const selectTransferOut = defineStatement({
  params: { id: text },
  row: TRANSFER_OUT,
  text: `select ${COLUMNS} from transfers_out where id = :id`,
});

/** Like {@link selectTransferOut}, but locks the row until the transaction ends. */
export const selectTransferOutForUpdate = defineStatement({
  params: { id: text },
  row: TRANSFER_OUT,
  text: `select ${COLUMNS} from transfers_out where id = :id for update`,
});

/** Selects a domain's transfer out that has not ended. */
export const selectUnderWay = defineStatement({
  params: { domain: text },
  row: TRANSFER_OUT,
  text: `select ${COLUMNS} from transfers_out where domain = :domain and ${UNDER_WAY}`,
});

/** Selects whether any transfer out has not ended. */
export const selectAnyUnderWay = defineStatement({
  params: {},
  row: { found: boolean },
  text: `select exists (select from transfers_out where ${UNDER_WAY}) as found`,
});

/** Like {@link selectUnderWay}, but locks the row until the transaction ends. */
export const selectUnderWayForUpdate = defineStatement({
  params: { domain: text },
  row: TRANSFER_OUT,
  text: `select ${COLUMNS} from transfers_out where domain = :domain and ${UNDER_WAY} for update`,
});

/** Increments the code number. */
export const updateNextIssue = defineStatement({
  params: { id: text, now: timestamptz },
  row: TRANSFER_OUT,
  text: `update transfers_out set issue = issue + 1, issued_at = :now where id = :id
    returning ${COLUMNS}`,
});

/** Moves a transfer out from one of the `from` statuses to `to`; no row if it has none of them. */
export const updateStatus = defineStatement({
  params: {
    id: text,
    from: arrayOf(textOf<TransferOutStatus>()),
    to: textOf<TransferOutStatus>(),
    now: timestamptz,
    expiresAt: nullable(timestamptz),
    requestedBy: nullable(text),
  },
  row: TRANSFER_OUT,
  text: `update transfers_out set status = :to, since = :now, expires_at = :expiresAt,
      requested_by = coalesce(:requestedBy, requested_by),
      ended_at = case when :to in ('left', 'expired', 'stopped') then :now::timestamptz end
    where id = :id and status = any(:from) returning ${COLUMNS}`,
});
