import type { EndpointOwner } from '../../messaging/webhooks/endpoint.ts';
import type { Environment } from '../../platform/config/config.ts';
import { defineStatement } from '../../platform/database/sql-statement.ts';
import {
  bigint,
  boolean,
  integer,
  present,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';

const IS_FAILING = 'the statement asks for it';
/** The SQL for an instant in the format of mail causes. */
const iso = (column: string) =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const untold = (kind: string, subject: string, since: string) =>
  `(exists (select 1 from mail_contacts c where c.partner_id = e.partner_id)
      or exists (select 1 from partner_members p join users u on u.id = p.user_id
        where p.partner_id = e.partner_id and p.role in ('admin', 'developer') and u.disabled_at is null))
    and not exists (select 1 from mails m
      where m.cause = '${kind}:' || ${subject} || ':' || ${iso(since)})`;

const ENDPOINT = {
  endpointId: text,
  partnerId: text,
  environment: textOf<EndpointOwner['environment']>(),
  url: text,
  failingSince: present(timestamptz, IS_FAILING),
};
const ENDPOINT_COLUMNS = `e.id as "endpointId", e.partner_id as "partnerId", e.environment, e.url,
  e.failing_since as "failingSince"`;

/** Selects active endpoints that have only failed since before `before` and whose partner was not told yet. */
export const selectFailingEndpoints = defineStatement({
  params: { before: timestamptz, limit: bigint },
  row: ENDPOINT,
  text: `select ${ENDPOINT_COLUMNS} from webhook_endpoints e
    where e.active and e.failing_since < :before and ${untold('endpoint-failing', 'e.id', 'e.failing_since')}
    order by e.id limit :limit`,
});

/** Selects endpoints that were disabled for failures after `since` and whose partner was not told yet. */
export const selectDisabledEndpoints = defineStatement({
  params: { since: timestamptz, limit: bigint },
  row: { ...ENDPOINT, reason: present(textOf<'gone' | 'failing'>(), IS_FAILING) },
  text: `select ${ENDPOINT_COLUMNS}, e.disabled_reason as reason from webhook_endpoints e
    where not e.active and e.disabled_reason in ('gone', 'failing') and e.failing_since is not null
      and e.updated_at > :since and ${untold('endpoint-disabled', 'e.id', 'e.failing_since')}
    order by e.id limit :limit`,
});

/** Selects keys that expire between `now` and `until` and whose partner was not told yet. */
export const selectExpiringKeys = defineStatement({
  params: { now: timestamptz, until: timestamptz, limit: bigint },
  row: {
    keyId: text,
    partnerId: text,
    environment: textOf<Environment>(),
    expiresAt: present(timestamptz, IS_FAILING),
  },
  text: `select e.key_id as "keyId", e.partner_id as "partnerId", e.environment, e.expires_at as "expiresAt"
    from credentials e
    where e.status = 'active' and e.expires_at > :now and e.expires_at <= :until
      and ${untold('key-expiring', 'e.key_id', 'e.expires_at')}
    order by e.key_id limit :limit`,
});

const counted = (from: string) =>
  `(select count(*)::int from (select 1 from ${from} limit 10000) c)`;

/** Counts the LIVE work that has waited since before `before` or is past its date at `now`, up to 10,000 each. */
export const selectOverdueWork = defineStatement({
  params: { now: timestamptz, before: timestamptz, renews: boolean },
  row: {
    review: integer,
    checkouts: integer,
    transfers: integer,
    confirmations: integer,
    refunds: integer,
    messages: integer,
    holds: integer,
    disputes: integer,
    repayments: integer,
    renewals: integer,
    unrenewed: integer,
    payouts: integer,
    settlements: integer,
    cases: integer,
    offers: integer,
    hits: integer,
    jobs: integer,
  },
  text: `select
    ${counted(`orders where environment = 'LIVE' and status in ('MANUAL_REVIEW', 'EXTERNALLY_PAID', 'PAID')
      and updated_at < :before`)} as review,
    ${counted(`checkout_sessions where environment = 'LIVE' and status = 'open'
      and review_since < :before`)} as checkouts,
    ${counted(`transfers where environment = 'LIVE' and status in ('action_required', 'failed')
      and updated_at < :before`)} as transfers,
    ${counted(`transfers where environment = 'LIVE' and status = 'awaiting_confirmation'
      and updated_at < :before`)} as confirmations,
    ${counted(`transfers where environment = 'LIVE' and cancellation in ('too_late', 'unanswered')
      and updated_at < :before`)} as refunds,
    ${counted(`registrar_messages where fault is not null and seen_at is null
      and recorded_at < :before`)} as messages,
    ${counted(`domain_registrants where environment = 'LIVE' and hold_refused_at is not null`)} as holds,
    ${counted(`payment_disputes where environment = 'LIVE' and status = 'needs_response'`)} as disputes,
    ${counted(`buyer_repayments where environment = 'LIVE' and status = 'owed'`)} as repayments,
    ${counted(`renewals where status = 'paid' and updated_at < :before`)} as renewals,
    ${counted(`owned_domains d where :renews::boolean
      and d.expires_at > :now::timestamptz - interval '30 days'
      and d.expires_at < :now::timestamptz + interval '29 days'
      and (exists (select from orders b where b.id = d.bought_with and b.status in ('REFUNDED', 'CANCELLED'))
        or d.auto_renew and d.bought_with is null and not exists (select from listings l
          where l.environment = 'LIVE' and l.domain = d.domain and l.status = 'sold'))`)} as unrenewed,
    ${counted(`payouts where environment = 'LIVE' and status = 'pending' and created_at < :before`)} as payouts,
    ${counted(`settlements where environment = 'LIVE' and status = 'closed' and due_at < :now
      and amount_owed_cents > 0`)} as settlements,
    ${counted(`brokerage_cases where environment = 'LIVE' and closed_at is null
      and updated_at < :before`)} as cases,
    ${counted(`offers where environment = 'LIVE' and status = 'OPEN' and updated_at < :before`)} as offers,
    ${counted(`screening_hits where status in ('open', 'proposed') and created_at < :before`)} as hits,
    ${counted(`outbox where state = 'dead'`)} as jobs`,
});
