import type { TransferMethod } from '../../domains/registrar/registrar.ts';
import type { DeliveryMethod } from '../../people/partners/partner.ts';
import type { Environment } from '../../platform/config/config.ts';
import { defineStatement } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  integer,
  nullable,
  outerJoined,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import type { Cancellation, TransferStatus } from './transfer.ts';

const COLUMNS = `id, order_id as "orderId", partner_id as "partnerId", environment, status, method,
  delivery_method as "deliveryMethod", registrar, attempts, reason, cancellation, created_at as "createdAt", updated_at as "updatedAt"`;
const BEGINNING = {
  id: text,
  orderId: text,
  partnerId: text,
  environment: textOf<Environment>(),
  status: textOf<TransferStatus>(),
  method: textOf<TransferMethod>(),
  registrar: nullable(text),
  attempts: integer,
  reason: nullable(text),
  createdAt: timestamptz,
  updatedAt: timestamptz,
};
const TRANSFER = {
  ...BEGINNING,
  deliveryMethod: textOf<DeliveryMethod>(),
  cancellation: nullable(textOf<Cancellation>()),
};

/** Inserts a new transfer. An order that names no delivery method gets its partner's, or `account` in the sandbox. */
export const insertTransfer = defineStatement({
  params: { ...BEGINNING, deliveryMethod: nullable(textOf<DeliveryMethod>()) },
  row: TRANSFER,
  text: `insert into transfers (id, order_id, partner_id, environment, status, method, delivery_method, registrar,
      attempts, reason, created_at, updated_at)
    select :id, :orderId, id, :environment, :status, :method,
      coalesce(:deliveryMethod, case when :environment = 'LIVE' then delivery_method else 'account' end),
      :registrar, :attempts, :reason, :createdAt, :updatedAt
    from partners where id = :partnerId returning ${COLUMNS}`,
  plan: 'once',
});

/** Locks an order's transfer until the transaction ends. */
export const selectForUpdate = defineStatement({
  params: { orderId: text },
  row: TRANSFER,
  text: `select ${COLUMNS} from transfers where order_id = :orderId for update`,
  plan: 'once',
});

/** Selects the orders of a partner's sandbox that are paid and not delivered, with their transfers. */
export const selectUndelivered = defineStatement({
  params: { partnerId: text, limit: bigint },
  row: { orderId: text, ...outerJoined({ transferId: text, attempts: integer, issue: integer }) },
  text: `select o.id as "orderId", t.id as "transferId", t.attempts, d.issue
    from orders o left join transfers t on t.order_id = o.id left join deliveries d on d.order_id = o.id
    where o.partner_id = :partnerId and o.environment = 'SANDBOX'
      and o.status in ('EXTERNALLY_PAID', 'PAID', 'TRANSFER_IN_PROGRESS')
    order by o.id limit :limit`,
});

/** Selects an order's transfer. */
export const selectTransfer = defineStatement({
  params: { orderId: text },
  row: TRANSFER,
  text: `select ${COLUMNS} from transfers where order_id = :orderId`,
  plan: 'once',
});

/** Selects the order of a transfer. */
export const selectOrderOf = defineStatement({
  params: { transferId: text },
  row: { orderId: text },
  text: 'select order_id as "orderId" from transfers where id = :transferId',
});

/** Sets the state of the cancellation that a refund is waiting for; null means that no refund is waiting. */
export const updateCancellation = defineStatement({
  params: { id: text, cancellation: nullable(textOf<Cancellation>()), now: timestamptz },
  text: 'update transfers set cancellation = :cancellation, updated_at = :now where id = :id',
});

/**
 * Moves a transfer from one of the `from` statuses to `to`. Returns no row if its status is not in `from`. Always sets
 * the reason; sets the registrar, attempts and method only if they are given.
 */
export const updateStatus = defineStatement({
  params: {
    id: text,
    from: arrayOf(textOf<TransferStatus>()),
    to: textOf<TransferStatus>(),
    now: timestamptz,
    reason: nullable(text),
    registrar: nullable(text),
    attempts: nullable(integer),
    method: nullable(textOf<TransferMethod>()),
  },
  row: TRANSFER,
  text: `update transfers set status = :to, updated_at = :now, reason = :reason,
      registrar = coalesce(:registrar, registrar), attempts = coalesce(:attempts, attempts),
      method = coalesce(:method, method)
    where id = :id and status = any(:from) returning ${COLUMNS}`,
  plan: 'once',
});

/** Selects which of these orders of a partner have a failed transfer that waits for staff. */
export const selectFailedOf = defineStatement({
  params: { partnerId: text, environment: textOf<Environment>(), orderIds: arrayOf(text) },
  row: { orderId: text },
  text: `select order_id as "orderId" from transfers
    where order_id = any(:orderIds) and partner_id = :partnerId and environment = :environment
      and status = 'failed'`,
});

/** Selects a partner's orders whose transfer failed, newest first. All of them are in progress. */
export const selectFailedOfPartner = defineStatement({
  params: { partnerId: text, environment: textOf<Environment>(), limit: bigint },
  row: { orderId: text, domain: text },
  text: `select o.id as "orderId", o.domain from orders o join transfers t on t.order_id = o.id
    where o.partner_id = :partnerId and o.environment = :environment and o.status = 'TRANSFER_IN_PROGRESS'
      and t.status = 'failed'
    order by o.id desc limit :limit`,
});
