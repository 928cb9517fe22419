import type { DocumentSummary } from '../../messaging/documents/document.ts';
import {
  type DocumentInRow,
  documentsColumn,
  documentsInRow,
} from '../../messaging/documents/read-documents.ts';
import type { DeliveryMethod } from '../../people/partners/partner.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { defineStatement } from '../../platform/database/sql-statement.ts';
import { json, nullable, type RowOf, text } from '../../platform/database/sql-types.ts';
import { ORDER, ORDER_COLUMNS, OWNER, toOrder } from './order.store.ts';
import type { Order, OrderOwner, TimelineEntry } from './order.ts';

/** The summary of an order's transfer. */
export interface TransferSummary {
  id: string;
  status: string;
  method: string;
  registrar: string | null;
  attempts: number;
  reason: string | null;
  /** The state of the cancellation that a refund is waiting for; shown to operators. */
  cancellation: 'requested' | 'too_late' | 'unanswered' | null;
  updatedAt: Date;
}

/** The summary of an order's delivery. The status is null while we do not have the domain. */
export interface DeliverySummary {
  method: DeliveryMethod;
  status: string | null;
  since: Date | null;
  /** When the claim link or the authorization code expires. */
  expiresAt: Date | null;
  /** The registry's id of the registrar that requested the domain. */
  requestedBy: string | null;
}

/** The summary of an order's refund. */
export interface RefundSummary {
  id: string;
  /** `pending` while the domain's push is being stopped, or until staff have decided. */
  status: 'pending' | 'completed' | 'declined';
  reason: string;
  createdAt: Date;
  completedAt: Date | null;
}

/** An order with its timeline (oldest first), its transfer and its refund. */
export interface OrderDetail {
  order: Order;
  timeline: TimelineEntry[];
  transfer: TransferSummary | null;
  delivery: DeliverySummary;
  /** The newest refund. */
  refund: RefundSummary | null;
  /** The buyer's documents, oldest first. */
  documents: DocumentSummary[];
}

// `concat` lets a generic plan prune at run time to the order's monthly partition. With `o.id` or the bare parameter,
// a generic plan would open every month of the timelines or would not be chosen.
const DETAIL_COLUMNS = `${ORDER_COLUMNS},
  (select coalesce(json_agg(json_build_object('at', t.at, 'status', t.status, 'event', t.event,
     'note', t.note) order by t.id), '[]') from order_timeline t where t.order_id = concat(:id::text, '')) as timeline,
  (select json_build_object('id', t.id, 'status', t.status, 'method', t.method,
     'registrar', t.registrar, 'attempts', t.attempts, 'reason', t.reason,
     'cancellation', t.cancellation, 'updatedAt', t.updated_at)
   from transfers t where t.order_id = o.id) as transfer,
  (select json_build_object('method', coalesce(t.delivery_method, o.delivery_method,
       case when o.environment = 'LIVE' then p.delivery_method else 'account' end),
     'status', d.status, 'since', d.since, 'expiresAt', d.expires_at, 'requestedBy', d.requested_by)
   from partners p left join transfers t on t.order_id = o.id left join deliveries d on d.order_id = o.id
   where p.id = o.partner_id) as delivery,
  (select json_build_object('id', r.id, 'status', r.status, 'reason', r.reason,
     'createdAt', r.created_at, 'completedAt', r.completed_at)
   from (
     select f.id, 'completed' as status, f.reason, coalesce(q.created_at, f.created_at) as created_at,
       f.created_at as completed_at
     from refunds f left join refund_requests q on q.id = f.id where f.order_id = o.id
     union all
     select q.id, q.status, q.reason, q.created_at, null from refund_requests q
     where q.order_id = o.id and q.status <> 'completed') r
   order by r.created_at desc limit 1) as refund,
  ${documentsColumn('o.id')} as documents`;
// Dates are strings in JSON.
const DETAIL = {
  ...ORDER,
  timeline: json<(Omit<TimelineEntry, 'at'> & { at: string })[]>(),
  transfer: nullable(json<Omit<TransferSummary, 'updatedAt'> & { updatedAt: string }>()),
  delivery: json<
    Omit<DeliverySummary, 'since' | 'expiresAt'> & {
      since: string | null;
      expiresAt: string | null;
    }
  >(),
  refund: nullable(
    json<
      Omit<RefundSummary, 'createdAt' | 'completedAt'> & {
        createdAt: string;
        completedAt: string | null;
      }
    >(),
  ),
  documents: json<DocumentInRow[]>(),
};

/** Selects a partner's order with its timeline, transfer, refund and documents. */
export const selectOwnDetail = defineStatement({
  params: { ...OWNER, id: text },
  row: DETAIL,
  text: `select ${DETAIL_COLUMNS} from orders o
    where id = :id and partner_id = :partnerId and environment = :environment`,
  plan: 'once',
});

/** Like {@link selectOwnDetail}, for any partner's order, with the fields that only staff see. */
export const selectDetail = defineStatement({
  params: { id: text },
  row: {
    ...DETAIL,
    partnerName: text,
    checks: json<{ name: string; by: string; at: string }[]>(),
  },
  text: `select ${DETAIL_COLUMNS},
      (select p.name from partners p where p.id = o.partner_id) as "partnerName",
      (select coalesce(json_agg(json_build_object('name', c.name, 'by', c.ticked_by,
         'at', c.ticked_at)), '[]') from delivery_checks c where c.order_id = o.id) as checks
    from orders o where id = :id`,
});

/** Reads a partner's order with its timeline, transfer, refund and documents, in one statement. */
export async function readOwnDetail(
  sql: Sql,
  { partnerId, environment }: OrderOwner,
  id: string,
): Promise<OrderDetail | undefined> {
  const row = await selectOwnDetail.first(sql, { id, partnerId, environment });
  return row && toDetail(row);
}

/** An order's details with the fields that only staff see. */
export interface OrderDetailForOps extends OrderDetail {
  partnerName: string;
  /** The ticked checks of its delivery by hand. */
  checks: { name: string; by: string; at: Date }[];
}

/** Like {@link readOwnDetail}, for any partner's order, with the fields that only staff see. */
export async function readDetail(sql: Sql, id: string): Promise<OrderDetailForOps | undefined> {
  const row = await selectDetail.first(sql, { id });
  if (!row) return undefined;
  const { partnerName, checks, ...detail } = row;
  return {
    ...toDetail(detail),
    partnerName,
    checks: checks.map((check) => ({ ...check, at: new Date(check.at) })),
  };
}

function toDetail({
  timeline,
  transfer,
  delivery,
  refund,
  documents,
  ...row
}: RowOf<typeof DETAIL>): OrderDetail {
  return {
    order: toOrder(row),
    timeline: timeline.map((entry) => ({ ...entry, at: new Date(entry.at) })),
    transfer: transfer && { ...transfer, updatedAt: new Date(transfer.updatedAt) },
    delivery: {
      ...delivery,
      status: delivery.status ?? (row.actionRequired && 'awaiting_registrant'),
      since: delivery.since === null ? null : new Date(delivery.since),
      expiresAt: delivery.expiresAt === null ? null : new Date(delivery.expiresAt),
    },
    refund: refund && {
      ...refund,
      createdAt: new Date(refund.createdAt),
      completedAt: refund.completedAt === null ? null : new Date(refund.completedAt),
    },
    documents: documentsInRow(documents),
  };
}
