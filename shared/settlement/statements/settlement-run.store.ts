import type { SettlementPeriod } from '../../people/partners/partner.ts';
import type { Environment } from '../../platform/config/config.ts';
import type { Sql, Tx } from '../../platform/database/postgres.ts';
import { defineStatement } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  boolean,
  double,
  integer,
  nothing,
  nullable,
  present,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import type { SettlementRun } from './statement.ts';

const COLUMNS = `id, environment, period, until, partner_id as "partnerId",
  requested_by as "requestedBy", status, created_at as "createdAt", finished_at as "finishedAt"`;
const RUN = {
  id: text,
  environment: textOf<Environment>(),
  period: nullable(text),
  until: present(timestamptz, 'every run is inserted with it'),
  partnerId: nullable(text),
  requestedBy: text,
  status: textOf<SettlementRun['status']>(),
  createdAt: timestamptz,
  finishedAt: nullable(timestamptz),
};

/** Inserts a run. */
export const insertRun = defineStatement({
  params: {
    id: text,
    environment: textOf<Environment>(),
    period: nullable(text),
    until: timestamptz,
    partnerId: nullable(text),
    requestedBy: text,
    status: textOf<SettlementRun['status']>(),
    createdAt: timestamptz,
  },
  text: `insert into settlement_runs (id, environment, period, until, partner_id, requested_by, status,
      created_at)
    values (:id, :environment, :period, :until, :partnerId, :requestedBy, :status, :createdAt)`,
});

/** Selects a run of any environment. */
export const selectRun = defineStatement({
  params: { id: text },
  row: RUN,
  text: `select ${COLUMNS} from settlement_runs where id = :id`,
});

/** Like {@link selectRun}, but locks the row: completing a run must see every partner that ended before. */
export const selectRunForUpdate = defineStatement({
  params: { id: text },
  row: RUN,
  text: `select ${COLUMNS} from settlement_runs where id = :id for update`,
});

/** Selects a partner's ID; no row if there is no such partner. */
export const selectPartner = defineStatement({
  params: { id: text },
  row: { id: text },
  text: 'select id from partners where id = :id',
});

/** The cutoff for each kind of period. */
export type PeriodCutoffs = Readonly<Record<SettlementPeriod, Date>>;

/** False for a currency whose newest statement already reaches the cutoff, if `skipClosed` is set. */
const stillOpen = (currency: string) => `not (:skipClosed and exists (
  select 1 from settlements s where s.partner_id = c.partner_id and s.environment = :environment
    and s.currency = ${currency} and s.period_end >= c.at))`;

/**
 * Selects partners for which something is due at the cutoff of their kind of period, a payout has failed,
 * referral commissions are pending, or a statement is half closed. `skipClosed` leaves out late arrivals for
 * a closed period: they wait for the next one.
 */
export const selectPartnersWithWork = defineStatement({
  params: {
    environment: textOf<Environment>(),
    partnerId: nullable(text),
    monthly: timestamptz,
    semiMonthly: timestamptz,
    weekly: timestamptz,
    delaySeconds: double,
    skipClosed: boolean,
  },
  row: { id: text },
  text: `with cut as (
      select p.id as partner_id, c.at, c.at - make_interval(secs => :delaySeconds) as delivered_by
      from partners p
      join (values ('monthly', :monthly::timestamptz), ('semi_monthly', :semiMonthly::timestamptz),
              ('weekly', :weekly::timestamptz)) as c (kind, at) on c.kind = p.settlement_period
      where :partnerId::text is null or p.id = :partnerId),
    clawed as (
      select r.partner_id, r.currency, min(r.created_at) as at from refunds r
      where r.environment = :environment and r.kind = 'clawback'
        and not exists (select 1 from settlement_lines l
                        where l.order_id = r.order_id and l.kind = 'clawback')
        and exists (select 1 from settlement_lines l where l.order_id = r.order_id and l.kind = 'sale')
      group by r.partner_id, r.currency)
    select c.partner_id as id from cut c
    where exists (select 1 from settlements s where s.partner_id = c.partner_id
                    and s.environment = :environment and s.status = 'closing')
      or exists (select 1 from orders o where o.partner_id = c.partner_id
                   and o.environment = :environment and o.settlement_id is null
                   and o.transfer_completed_at <= c.delivered_by and ${stillOpen('o.currency')})
      or exists (select 1 from clawed d where d.partner_id = c.partner_id and d.at <= c.at
                   and ${stillOpen('d.currency')})
      or exists (select 1 from settlement_payables y where y.partner_id = c.partner_id
                   and y.environment = :environment and y.payout_id is null
                 group by y.source, y.currency
                 having sum(y.amount_cents) > 0 and min(y.released_at) <= c.at)
      or exists (select 1 from referral_sales f where f.partner_id = c.partner_id
                   and f.environment = :environment
                   and ((f.payout_id is null and f.pending_at <= c.at
                       and (f.state = 'pending' or f.recovery_payout_id is not null))
                     or (f.state = 'reversed' and f.paid_out_at is not null
                       and f.recovery_payout_id is null))
                 group by f.currency
                 having sum(case when f.payout_id is null then f.commission_cents
                   else -f.commission_cents end) > 0)
    order by c.partner_id`,
});

/** Selects an unfinished scheduled run created between the two instants. */
export const selectUnfinishedRun = defineStatement({
  params: {
    environment: textOf<Environment>(),
    period: text,
    since: timestamptz,
    until: timestamptz,
  },
  row: { id: text },
  text: `select id from settlement_runs where environment = :environment and period = :period
      and status <> 'completed' and created_at > :since and created_at < :until limit 1`,
});

const OPEN_RUNS = {
  environment: textOf<Environment>(),
  count: integer,
  /** When the oldest of them was requested. */
  oldest: nullable(timestamptz),
};
/** The unfinished settlement runs of an environment. */
export type OpenSettlementRuns = RowOf<typeof OPEN_RUNS>;

/** Counts the unfinished runs of both environments, with a row even for none. */
export const countOpenRuns = defineStatement({
  row: OPEN_RUNS,
  text: `select e.environment, count(r.id)::int as count, min(r.created_at) as oldest
    from (values ('SANDBOX'), ('LIVE')) as e (environment)
    left join settlement_runs r on r.environment = e.environment and r.status <> 'completed'
    group by e.environment`,
});

/** Inserts the partners for which a run has work. */
export const insertRunPartners = defineStatement({
  params: { runId: text, partnerIds: arrayOf(text) },
  text: `insert into settlement_run_partners (run_id, partner_id, state)
    select :runId, unnest(:partnerIds::text[]), 'queued'
    on conflict do nothing`,
});

/** Updates the status of a run and when it ended. */
export const updateRunStatus = defineStatement({
  params: {
    id: text,
    status: textOf<SettlementRun['status']>(),
    finishedAt: nullable(timestamptz),
  },
  text: 'update settlement_runs set status = :status, finished_at = :finishedAt where id = :id',
});

/** Records a statement that a run closed. */
export const updateRunStatements = defineStatement({
  params: { runId: text, partnerId: text, settlementId: text },
  text: `update settlement_run_partners set settlement_ids = settlement_ids || :settlementId::text
    where run_id = :runId and partner_id = :partnerId`,
});

/** Marks a partner of a run as done. */
export const updateRunPartnerDone = defineStatement({
  params: { runId: text, partnerId: text },
  text: `update settlement_run_partners set state = 'done'
    where run_id = :runId and partner_id = :partnerId`,
});

/** Selects a partner with which a run is not yet done. */
export const selectQueuedPartner = defineStatement({
  params: { runId: text },
  row: { partnerId: text },
  text: `select partner_id as "partnerId" from settlement_run_partners
    where run_id = :runId and state = 'queued' limit 1`,
});

const RUN_PARTNER = {
  partnerId: text,
  state: textOf<'queued' | 'done'>(),
  settlementIds: arrayOf(text),
};
/** A partner of a run, and the statements that the run closed for it. */
export type RunPartnerRow = RowOf<typeof RUN_PARTNER>;

/** Selects the partners of a run after a given one. */
export const selectRunPartners = defineStatement({
  params: { runId: text, after: text, limit: bigint },
  row: RUN_PARTNER,
  text: `select partner_id as "partnerId", state, settlement_ids as "settlementIds"
    from settlement_run_partners where run_id = :runId and partner_id > :after
    order by partner_id limit :limit`,
});

/** Waits for the lock under which an environment's schedule starts runs: of two concurrent attempts, one starts. */
export const selectScheduleLock = defineStatement({
  params: { environment: textOf<Environment>() },
  row: { pg_advisory_xact_lock: nothing },
  text: `select pg_advisory_xact_lock(
      hashtextextended('settlement-schedule/' || :environment::text, 0))`,
});

/** Selects runs that ended before an instant, oldest first, locked until the transaction ends. */
export const selectFinishedRunsForUpdate = defineStatement({
  params: { before: timestamptz, limit: bigint },
  row: { id: text },
  text: `select id from settlement_runs where status = 'completed' and finished_at < :before
    order by finished_at limit :limit for update skip locked`,
});

/** Deletes the partners of these runs. */
export const deleteRunPartners = defineStatement({
  params: { ids: arrayOf(text) },
  text: 'delete from settlement_run_partners where run_id = any(:ids)',
});

/** Deletes these runs; their partners must be deleted first. */
export const deleteRuns = defineStatement({
  params: { ids: arrayOf(text) },
  text: 'delete from settlement_runs where id = any(:ids)',
});

/** Returns the IDs of the partners for which a run has work, see {@link selectPartnersWithWork}. */
export async function readPartnersWithWork(
  sql: Sql,
  scope: {
    environment: Environment;
    partnerId: string | null;
    cuts: PeriodCutoffs;
    delayMs: number;
    skipClosed: boolean;
  },
): Promise<string[]> {
  const rows = await selectPartnersWithWork.all(sql, {
    environment: scope.environment,
    partnerId: scope.partnerId,
    monthly: scope.cuts.monthly,
    semiMonthly: scope.cuts.semi_monthly,
    weekly: scope.cuts.weekly,
    delaySeconds: scope.delayMs / 1_000,
    skipClosed: scope.skipClosed,
  });
  return rows.map(({ id }) => id);
}

/** Deletes up to `limit` runs that ended before an instant, and returns how many. */
export async function removeFinishedRuns(tx: Tx, before: Date, limit: number): Promise<number> {
  const rows = await selectFinishedRunsForUpdate.all(tx, { before, limit });
  const ids = rows.map(({ id }) => id);
  await deleteRunPartners.run(tx, { ids });
  await deleteRuns.run(tx, { ids });
  return ids.length;
}
