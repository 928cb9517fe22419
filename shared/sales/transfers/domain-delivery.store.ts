import type { DeliveryMethod } from '../../people/partners/partner.ts';
import { defineStatement } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  boolean,
  bytea,
  integer,
  nullable,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import type { DeliveryStatus } from './domain-delivery.ts';

const COLUMNS = `order_id as "orderId", method, status, since, expires_at as "expiresAt", issue,
  issued_at as "issuedAt", requested_by as "requestedBy", created_at as "createdAt"`;
const DELIVERY = {
  orderId: text,
  method: textOf<DeliveryMethod>(),
  status: textOf<DeliveryStatus>(),
  since: timestamptz,
  expiresAt: nullable(timestamptz),
  issue: integer,
  issuedAt: timestamptz,
  requestedBy: nullable(text),
  createdAt: timestamptz,
};

/** Inserts a delivery, once. Returns no row if it already exists. */
export const insertDelivery = defineStatement({
  params: {
    orderId: text,
    method: textOf<DeliveryMethod>(),
    now: timestamptz,
    expiresAt: timestamptz,
  },
  row: DELIVERY,
  text: `insert into deliveries (order_id, method, status, since, expires_at, issue, issued_at, created_at)
    values (:orderId, :method, 'awaiting_claim', :now, :expiresAt, 1, :now, :now)
    on conflict do nothing returning ${COLUMNS}`,
});

/** Selects the delivery of an order. */
export const selectDelivery = defineStatement({
  params: { orderId: text },
  row: DELIVERY,
  text: `select ${COLUMNS} from deliveries where order_id = :orderId`,
});

/** Like {@link selectDelivery}, and locks the row until the transaction ends. */
export const selectDeliveryForUpdate = defineStatement({
  params: { orderId: text },
  row: DELIVERY,
  text: `select ${COLUMNS} from deliveries where order_id = :orderId for update`,
  plan: 'once',
});

/** The condition of the index `deliveries_code_out`. */
const CODES_OUT = `from deliveries d join orders o on o.id = d.order_id
    where d.status in ('code_issued', 'pending_transfer') and o.environment = 'LIVE'`;

/** Selects whether the authorization code of any LIVE sale is out. */
export const selectAnyCodeOut = defineStatement({
  params: {},
  row: { found: boolean },
  text: `select exists (select ${CODES_OUT}) as found`,
});

/** Selects the outstanding code for a domain of a LIVE sale. */
export const selectCodeOutOf = defineStatement({
  params: { domain: text },
  row: { orderId: text, issue: integer },
  text: `select d.order_id as "orderId", d.issue ${CODES_OUT} and o.domain = :domain`,
});

/** Selects the hash of the last issued code, and the status that tells whether it can still be used. */
export const selectCodeHash = defineStatement({
  params: { orderId: text },
  row: { status: textOf<DeliveryStatus>(), codeHash: nullable(bytea) },
  text: `select status, code_hash as "codeHash" from deliveries where order_id = :orderId`,
});

/** Moves a delivery from one of the `from` statuses to `to`. Returns no row if its status is not in `from`. */
export const updateDelivery = defineStatement({
  params: {
    orderId: text,
    from: arrayOf(textOf<DeliveryStatus>()),
    to: textOf<DeliveryStatus>(),
    now: timestamptz,
    expiresAt: nullable(timestamptz),
    codeHash: nullable(bytea),
    requestedBy: nullable(text),
  },
  row: DELIVERY,
  text: `update deliveries set status = :to, since = :now, expires_at = :expiresAt,
      code_hash = coalesce(:codeHash, code_hash),
      requested_by = coalesce(:requestedBy, requested_by)
    where order_id = :orderId and status = any(:from) returning ${COLUMNS}`,
});

/** Assigns the number of the next code or claim link. */
export const updateNextIssue = defineStatement({
  params: { orderId: text, now: timestamptz },
  row: { issue: integer },
  text: `update deliveries set issue = issue + 1, issued_at = :now where order_id = :orderId
    returning issue`,
});
