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
/** As in the index of those that have not ended. */
const UNDER_WAY = `ended_at is null`;

/** Begins one. */
export const insertTransferOut = defineStatement({
  params: { id: text, domain: text, userId: text, now: timestamptz },
  row: TRANSFER_OUT,
  text: `insert into transfers_out (id, domain, user_id, status, since, issue, issued_at, created_at)
    values (:id, :domain, :userId, 'code_requested', :now, 1, :now, :now) returning ${COLUMNS}`,
});

/** One by its id. */
export const selectTransferOut = defineStatement({
  params: { id: text },
  row: TRANSFER_OUT,
  text: `select ${COLUMNS} from transfers_out where id = :id`,
});

/** The same, locked until the transaction ends. */
export const selectTransferOutForUpdate = defineStatement({
  params: { id: text },
  row: TRANSFER_OUT,
  text: `select ${COLUMNS} from transfers_out where id = :id for update`,
});

/** The one of a domain that has not ended. */
export const selectUnderWay = defineStatement({
  params: { domain: text },
  row: TRANSFER_OUT,
  text: `select ${COLUMNS} from transfers_out where domain = :domain and ${UNDER_WAY}`,
});

/** Whether there is any that has not ended. */
export const selectAnyUnderWay = defineStatement({
  params: {},
  row: { found: boolean },
  text: `select exists (select from transfers_out where ${UNDER_WAY}) as found`,
});

/** The same, locked until the transaction ends. */
export const selectUnderWayForUpdate = defineStatement({
  params: { domain: text },
  row: TRANSFER_OUT,
  text: `select ${COLUMNS} from transfers_out where domain = :domain and ${UNDER_WAY} for update`,
});

/** Gives the next code its number. */
export const updateNextIssue = defineStatement({
  params: { id: text, now: timestamptz },
  row: TRANSFER_OUT,
  text: `update transfers_out set issue = issue + 1, issued_at = :now where id = :id
    returning ${COLUMNS}`,
});

/** Moves one from one of `from` to `to`; no row when it is in none of them. */
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
