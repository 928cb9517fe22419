import { ID_PAGE, idPageSql } from '../../platform/database/id-page.ts';
import { defineStatement, variantsOf } from '../../platform/database/sql-statement.ts';
import {
  nullable,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import { LIST_SORTS } from '../../platform/page.ts';
import type { TransferOutStatus } from './transfer-out.ts';

const TRANSFER_OUT = {
  id: text,
  domain: text,
  userId: text,
  email: text,
  status: textOf<TransferOutStatus>(),
  since: timestamptz,
  expiresAt: nullable(timestamptz),
  requestedBy: nullable(text),
  createdAt: timestamptz,
};
export type ConsoleTransferOut = RowOf<typeof TRANSFER_OUT>;

/** Selects transfers out of all owners, for domains with a given prefix, by primary key. */
export const selectTransfersOut = variantsOf(LIST_SORTS, (sort) =>
  defineStatement({
    params: {
      status: nullable(textOf<TransferOutStatus>()),
      userId: nullable(text),
      beginning: text,
      ...ID_PAGE,
    },
    row: TRANSFER_OUT,
    text: `select t.id, t.domain, t.user_id as "userId", u.email, t.status, t.since,
        t.expires_at as "expiresAt", t.requested_by as "requestedBy", t.created_at as "createdAt"
      from transfers_out t join users u on u.id = t.user_id
      where (:status::text is null or t.status = :status)
        and (:userId::text is null or t.user_id = :userId)
        and t.domain like :beginning and ${idPageSql('t.id', sort)}`,
  }),
);
