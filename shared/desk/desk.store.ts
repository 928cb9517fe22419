import type { Sql } from '../platform/db.ts';

/** How much waits for people, by queue. */
export interface WorkCounts {
  review: number;
  toPush: number;
  underWay: number;
  actionRequired: number;
  failed: number;
  toConfirm: number;
  openCases: number;
  agreedCases: number;
  pendingPayouts: number;
  failingEndpoints: number;
  /** Closed and not paid. */
  unpaidSettlements: number;
  /** Of those, past their date. */
  overdueSettlements: number;
  ledger: { at: Date; ok: boolean; entries: number; imbalances: number } | null;
}

/** Every count in one statement; each reads the open work only, by an index. */
export async function countWork(sql: Sql, now: Date): Promise<WorkCounts> {
  const { rows } = await sql.raw(
    `select o.*, b.*, s.*,
       (select count(*) from payouts where status = 'pending') as "pendingPayouts",
       (select count(*) from webhook_endpoints where (failing_since is not null or not active)
          and disabled_reason is distinct from 'removed') as "failingEndpoints",
       (select json_build_object('at', at, 'ok', ok, 'entries', entries,
          'imbalances', jsonb_array_length(imbalances)) from ledger_checks order by id desc limit 1) as ledger
     from (
       select count(*) filter (where o.status = 'MANUAL_REVIEW') as review,
         count(*) filter (where o.status in ('EXTERNALLY_PAID', 'PAID')) as "toPush",
         count(*) filter (where t.status in ('queued', 'pushing', 'pending_registry')) as "underWay",
         count(*) filter (where t.status = 'action_required') as "actionRequired",
         count(*) filter (where t.status = 'failed') as failed,
         count(*) filter (where t.status = 'awaiting_confirmation') as "toConfirm"
       from orders o
       left join transfers t on t.order_id = o.id and o.status = 'TRANSFER_IN_PROGRESS'
       where o.status in ('MANUAL_REVIEW', 'EXTERNALLY_PAID', 'PAID', 'TRANSFER_IN_PROGRESS')) o,
     (select count(*) as "openCases", count(*) filter (where status = 'AGREED') as "agreedCases"
      from brokerage_cases where closed_at is null) b,
     (select count(*) as "unpaidSettlements",
        count(*) filter (where due_at < :now and amount_owed_cents > 0) as "overdueSettlements"
      from settlements where status = 'closed') s`,
    { now },
  );
  const { ledger, ...counts } = rows[0];
  return { ...counts, ledger: ledger && { ...ledger, at: new Date(ledger.at) } };
}

export interface LedgerPaper {
  id: string;
  kind: string;
  at: Date;
  postings: { account: string; currency: string; amountCents: number }[];
}

export interface DeliveryPaper {
  id: string;
  eventType: string;
  state: string;
  attempts: number;
  at: Date;
}

/** What hangs on an order beyond its own story. */
export interface OrderPapers {
  refund: {
    id: string;
    kind: string;
    amountCents: number;
    currency: string;
    reason: string;
    note: string | null;
    requestedBy: string;
    at: Date;
  } | null;
  ledger: LedgerPaper[];
  /** The newest first. */
  deliveries: DeliveryPaper[];
  /** The newest first. */
  audit: { action: string; who: string; at: Date; before: unknown; after: unknown }[];
}

const MAX_PAPERS = 100;

/**
 * Refund, ledger entries, webhook deliveries and audit trail of an order, in one statement. Its events are
 * found by when they were made, since there is no index of their subject.
 */
export async function readOrderPapers(
  sql: Sql,
  orderId: string,
  events: { firsts: string[]; lasts: string[] },
): Promise<OrderPapers> {
  const { rows } = await sql.raw(
    `select
       (select json_build_object('id', r.id, 'kind', r.kind, 'amountCents', r.amount_cents,
          'currency', r.currency, 'reason', r.reason, 'note', r.note, 'requestedBy', r.requested_by,
          'at', r.created_at) from refunds r where r.order_id = :orderId) as refund,
       (select json_agg(json_build_object('id', e.id, 'kind', e.kind, 'at', e.created_at,
          'postings', (select json_agg(json_build_object('account', p.account, 'currency', p.currency,
             'amountCents', p.amount_cents) order by p.line)
             from ledger_postings p where p.entry_id = e.id)) order by e.id)
        from ledger_entries e where e.order_id = :orderId) as ledger,
       (select json_agg(d) from (
          select d.id, e.type as "eventType", d.state, d.attempts, d.created_at as at
          from unnest(:firsts::text[], :lasts::text[]) as made (first, last)
          join events e on e.id between made.first and made.last and e.subject = :orderId
          join webhook_deliveries d on d.event_id = e.id
          order by d.id desc limit ${MAX_PAPERS}) d) as deliveries,
       (select json_agg(a) from (
          select a.action, coalesce(u.email, a.actor) as who, a.at, a.before, a.after
          from audit_log a left join users u on u.id = a.actor
          where a.subject = :orderId order by a.id desc limit ${MAX_PAPERS}) a) as audit`,
    { orderId, ...events },
  );
  const { refund, ledger, deliveries, audit } = rows[0];
  return {
    refund: refund && dated(refund),
    ledger: (ledger ?? []).map(dated),
    deliveries: (deliveries ?? []).map(dated),
    audit: (audit ?? []).map(dated),
  };
}

/** Times inside of JSON arrive as text. */
function dated<T extends { at: string | Date }>(row: T): T & { at: Date } {
  return { ...row, at: new Date(row.at) };
}

export interface PartnerMatch {
  id: string;
  name: string;
  status: string;
}

export interface OrderMatch {
  id: string;
  domain: string;
  status: string;
  environment: string;
  partnerName: string;
  at: Date;
}

const MAX_MATCHES = 25;

/** Partners by a part of their name, and orders by their domain (A-labels). */
export async function findMatches(
  sql: Sql,
  wanted: { text: string; domain: string | null },
): Promise<{ partners: PartnerMatch[]; orders: OrderMatch[] }> {
  const { rows } = await sql.raw(
    `select
       (select json_agg(p) from (
          select id, name, status from partners
          where position(lower(:text) in lower(name)) > 0 order by id desc limit ${MAX_MATCHES}) p) as partners,
       (select json_agg(o) from (
          select o.id, o.domain, o.status, o.environment, p.name as "partnerName", o.created_at as at
          from orders o join partners p on p.id = o.partner_id
          where o.domain = :domain order by o.id desc limit ${MAX_MATCHES}) o) as orders`,
    wanted,
  );
  return { partners: rows[0].partners ?? [], orders: (rows[0].orders ?? []).map(dated) };
}
