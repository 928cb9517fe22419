import type { DomainRegistrant } from '../../domains/domain-registrants/domain-registrant.ts';
import type { ListingStatus } from '../../market/inventory/listing.ts';
import type { DeliveryStatus } from '../../messaging/webhooks/delivery.ts';
import type { Repayment } from '../../money/payments/repayment.ts';
import type { Environment } from '../../platform/config/config.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { defineStatement } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  boolean,
  integer,
  json,
  nullable,
  type RowOf,
  text,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import { type AsJson, parseAt } from './json-times.ts';

/** The open work for staff by queue, each up to {@link COUNT_UP_TO}. Only LIVE is real work; SANDBOX is practice. */
export type WorkByEnvironment = Record<Environment, WorkCounts>;

export interface WorkCounts {
  review: number;
  /** Purchases in review, before their payment. */
  checkoutsInReview: number;
  toPush: number;
  underWay: number;
  actionRequired: number;
  failed: number;
  toConfirm: number;
  /** Refunds whose push could not be stopped, or whose push state is unknown. */
  refundsToDecide: number;
  /** Registry messages that could not be processed; LIVE only. */
  registryMessages: number;
  /** Domains whose registry rejected setting or lifting a hold; LIVE only. */
  refusedHolds: number;
  /** Repayments to buyers that staff must make manually. */
  repaymentsOwed: number;
  /** Renewals paid more than an hour ago and not done; LIVE only. */
  renewalsToFinish: number;
  /** Domains granted by staff that the registry did not renew, such as premium ones; LIVE only. */
  domainsNotRenewed: number;
  /** Buyers' offers that the owners have not answered. */
  offersToAnswer: number;
  /** Disputes that need our evidence. */
  disputesToAnswer: number;
  openCases: number;
  agreedCases: number;
  /** Pending payouts, without those held because their partner is suspended. */
  pendingPayouts: number;
  failingEndpoints: number;
  /** Closed statements that have not been paid. */
  unpaidSettlements: number;
  /** How many of the unpaid statements are overdue. */
  overdueSettlements: number;
}

/** Counting stops at this number. */
const COUNT_UP_TO = 10_000;

/** SQL for the current time in the sandbox of statement `s`. */
const TIME_OF_SANDBOX = `:now::timestamptz + interval '1 millisecond' * coalesce(
           (select ahead_ms from sandbox_clocks k where k.partner_id = s.partner_id), 0)`;

function countsOf(environment: Environment): string {
  const upTo = (table: string, condition: string) =>
    `(select count(*) from (select 1 from ${table} where environment = '${environment}' and ${condition}
        limit ${COUNT_UP_TO}) counted)`;
  return `(
    select json_build_object(
      'review', ${upTo('orders', `status = 'MANUAL_REVIEW'`)},
      'checkoutsInReview', ${upTo('checkout_sessions', `status = 'open' and review_since is not null`)},
      'toPush', ${upTo('orders', `status in ('EXTERNALLY_PAID', 'PAID') and action_required is null`)},
      'underWay', count(*) filter (where t.status in ('queued', 'pushing', 'pending_registry')),
      'actionRequired', count(*) filter (where t.status = 'action_required'),
      'failed', count(*) filter (where t.status = 'failed'),
      'toConfirm', count(*) filter (where t.status = 'awaiting_confirmation' and t.cancellation is null),
      'refundsToDecide', (select count(*) from (select 1 from transfers c join orders o on o.id = c.order_id
        where c.cancellation in ('too_late', 'unanswered') and o.environment = '${environment}'
        limit ${COUNT_UP_TO}) counted),
      'registryMessages', ${
        environment === 'LIVE'
          ? `(select count(*) from (select 1 from registrar_messages
              where fault is not null and seen_at is null limit ${COUNT_UP_TO}) counted)`
          : '0'
      },
      'refusedHolds', ${
        environment === 'LIVE' ? upTo('domain_registrants', 'hold_refused_at is not null') : '0'
      },
      'renewalsToFinish', ${
        environment === 'LIVE'
          ? `(select count(*) from (select 1 from renewals
              where status = 'paid' and updated_at < :now::timestamptz - interval '1 hour'
              limit ${COUNT_UP_TO}) counted)`
          : '0'
      },
      'domainsNotRenewed', ${
        environment === 'LIVE'
          ? `(select count(*) from (select 1 from owned_domains d
              where :renews::boolean
                and d.expires_at > :now::timestamptz - interval '30 days'
                and d.expires_at < :now::timestamptz + interval '29 days'
                and (exists (select from orders b
                    where b.id = d.bought_with and b.status in ('REFUNDED', 'CANCELLED'))
                  or d.auto_renew and d.bought_with is null and not exists (select from listings l
                    where l.environment = 'LIVE' and l.domain = d.domain and l.status = 'sold'))
              limit ${COUNT_UP_TO}) counted)`
          : '0'
      },
      'repaymentsOwed', ${upTo('buyer_repayments', `status = 'owed'`)},
      'offersToAnswer', ${upTo('offers', `status = 'OPEN'`)},
      'disputesToAnswer', ${upTo('payment_disputes', `closed_at is null and status = 'needs_response'`)},
      'openCases', ${upTo('brokerage_cases', 'closed_at is null')},
      'agreedCases', ${upTo('brokerage_cases', `closed_at is null and status = 'AGREED'`)},
      'pendingPayouts', ${upTo(
        'payouts y',
        `status = 'pending' and not exists (
         select 1 from partners p where p.id = y.partner_id and p.status = 'suspended')`,
      )},
      'failingEndpoints', ${upTo(
        'webhook_endpoints',
        `(failing_since is not null or not active)
         and disabled_reason is distinct from 'removed'`,
      )},
      'unpaidSettlements', ${upTo('settlements', `status = 'closed' and amount_owed_cents <> 0`)},
      'overdueSettlements', ${upTo(
        'settlements s',
        `status = 'closed' and amount_owed_cents > 0
         and due_at < ${environment === 'LIVE' ? ':now' : TIME_OF_SANDBOX}`,
      )})
    from (select id from orders where environment = '${environment}'
      and status = 'TRANSFER_IN_PROGRESS' limit ${COUNT_UP_TO}) o
    join transfers t on t.order_id = o.id)`;
}

/** Selects all counts for both environments; each reads only the open work, by an index. */
export const selectOpenWork = defineStatement({
  params: { now: timestamptz, renews: boolean },
  row: { LIVE: json<WorkCounts>(), SANDBOX: json<WorkCounts>() },
  text: `select ${countsOf('LIVE')} as "LIVE", ${countsOf('SANDBOX')} as "SANDBOX"`,
});

const LEDGER_CHECK_SUMMARY = {
  at: timestamptz,
  ok: boolean,
  entries: bigint,
  imbalances: integer,
  /** When the whole ledger was last checked; null if never. */
  wholeAt: nullable(timestamptz),
};
/** The result of the latest ledger check, and of the latest full one. */
export type LedgerCheckSummary = RowOf<typeof LEDGER_CHECK_SUMMARY>;

/** Selects the result of the latest ledger check; no row before the first. */
export const selectLedgerCheckSummary = defineStatement({
  row: LEDGER_CHECK_SUMMARY,
  text: `select last.at, last.ok and coalesce(whole.ok, true) as ok, last.entries, whole.at as "wholeAt",
      greatest(jsonb_array_length(last.imbalances), jsonb_array_length(whole.imbalances)) as imbalances
    from (select * from ledger_checks order by id desc limit 1) last
    left join (select * from ledger_checks where since is null order by id desc limit 1) whole on true`,
});

interface OrderLedgerEntry {
  id: string;
  kind: string;
  at: Date;
  postings: { account: string; currency: string; amountCents: number }[];
}

interface OrderDelivery {
  id: string;
  eventType: string;
  endpointId: string;
  endpointName: string;
  state: DeliveryStatus;
  attempts: number;
  at: Date;
}

/** Data about an order from refunds, the market, the ledger, webhooks and the audit trail. */
export interface OrderHistory {
  refund: {
    id: string;
    kind: string;
    amountCents: number;
    currency: string;
    reason: string;
    note: string | null;
    /** Who requested the refund: the email address of a staff member, or another actor. */
    requestedBy: string;
    /** The part that staff repay manually, with its reference once repaid. */
    byHand: { status: Repayment['status']; reference: string | null } | null;
    at: Date;
  } | null;
  /** Whether the registrant's address is verified; null while the domain has no registrant with us. */
  registrant: Pick<DomainRegistrant, 'verification' | 'hold' | 'verifyBy'> | null;
  /** The listing of the order's domain; null if the domain was not on the market. */
  listing: { status: ListingStatus } | null;
  ledger: OrderLedgerEntry[];
  /** Newest first. */
  deliveries: OrderDelivery[];
  /** Audit entries for the order and its screening hits, newest first. */
  audit: { action: string; who: string; at: Date; before: unknown; after: unknown }[];
}

const MAX_HISTORY_ROWS = 100;

/**
 * Refund, registrant, listing, ledger entries, webhook deliveries and audit trail of an order, in one statement. Its events are
 * found by when they were made, since there is no index of their subject.
 */
export const selectOrderHistory = defineStatement({
  params: { orderId: text, firsts: arrayOf(text), lasts: arrayOf(text) },
  row: {
    refund: nullable(json<AsJson<NonNullable<OrderHistory['refund']>>>()),
    registrant: nullable(
      json<Pick<DomainRegistrant, 'verification' | 'hold'> & { verifyBy: string }>(),
    ),
    listing: nullable(json<NonNullable<OrderHistory['listing']>>()),
    ledger: nullable(json<AsJson<OrderLedgerEntry>[]>()),
    deliveries: nullable(json<AsJson<OrderDelivery>[]>()),
    audit: nullable(json<AsJson<OrderHistory['audit'][number]>[]>()),
  },
  text: `select
      (select json_build_object('id', r.id, 'kind', r.kind, 'amountCents', r.amount_cents,
         'currency', r.currency, 'reason', r.reason, 'note', r.note, 'requestedBy', coalesce(u.email, r.requested_by),
         'byHand', case when b.order_id is not null
           then json_build_object('status', b.status, 'reference', b.reference) end,
         'at', r.created_at)
       from refunds r left join users u on u.id = r.requested_by
       left join buyer_repayments b on b.order_id = r.order_id
       where r.order_id = :orderId) as refund,
      (select json_build_object('verification', d.verification, 'hold', d.hold, 'verifyBy', d.verify_by)
       from domain_registrants d where d.order_id = :orderId
       order by d.registered_at desc limit 1) as registrant,
      (select json_build_object('status', l.status) from orders o
         join listings l on l.id = o.listing_id and l.sale_number = o.sale_number
       where o.id = :orderId) as listing,
      (select json_agg(json_build_object('id', e.id, 'kind', e.kind, 'at', e.created_at,
         'postings', (select json_agg(json_build_object('account', p.account, 'currency', p.currency,
            'amountCents', p.amount_cents) order by p.line)
            from ledger_postings p where p.entry_id = e.id)) order by e.id)
       from ledger_entries e where e.order_id = :orderId) as ledger,
      (select json_agg(d) from (
         select d.id, e.type as "eventType", w.id as "endpointId", w.name as "endpointName",
           d.state, d.attempts, d.created_at as at
         from unnest(:firsts::text[], :lasts::text[]) as made (first, last)
         -- By itself for each moment: with several, all events would be read at once.
         cross join lateral (select id, type from events
           where id between made.first and made.last and subject = :orderId offset 0) e
         join webhook_deliveries d on d.event_id = e.id
         join webhook_endpoints w on w.id = d.endpoint_id
         order by d.id desc limit ${MAX_HISTORY_ROWS}) d) as deliveries,
      (select json_agg(a) from (
         select a.action, coalesce(u.email, a.actor) as who, a.at, a.before, a.after
         from (select :orderId as subject
             union all select id from screening_hits where order_id = :orderId) about
         -- By itself for each subject, so that its index is used.
         cross join lateral (select id, action, actor, at, before, after from audit_log
           where subject = about.subject order by id desc limit ${MAX_HISTORY_ROWS}) a
         left join users u on u.id = a.actor
         order by a.id desc limit ${MAX_HISTORY_ROWS}) a) as audit`,
});

/** Returns the data about an order from other tables, see {@link selectOrderHistory}. */
export async function readOrderHistory(
  sql: Sql,
  orderId: string,
  events: { firsts: readonly string[]; lasts: readonly string[] },
): Promise<OrderHistory> {
  const found = await selectOrderHistory.one(sql, { ...events, orderId });
  const { registrant } = found;
  return {
    refund: found.refund && parseAt(found.refund),
    registrant: registrant && { ...registrant, verifyBy: new Date(registrant.verifyBy) },
    listing: found.listing,
    ledger: (found.ledger ?? []).map(parseAt),
    deliveries: (found.deliveries ?? []).map(parseAt),
    audit: (found.audit ?? []).map(parseAt),
  };
}
