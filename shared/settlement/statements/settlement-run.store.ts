import type { SettlementPeriod } from '../../people/partners/partner.ts';
import type { Environment } from '../../platform/config/config.ts';
import type { Sql, Tx } from '../../platform/database/postgres.ts';
import type { OpenSettlementRuns } from './read-settlement-runs.ts';
import type { SettlementRun } from './statement.ts';

const COLUMNS = `id, environment, period, until, partner_id as "partnerId",
  requested_by as "requestedBy", status, created_at as "createdAt", finished_at as "finishedAt"`;

export async function insertRun(tx: Tx, run: SettlementRun): Promise<void> {
  await tx('settlement_runs').insert({
    id: run.id,
    environment: run.environment,
    period: run.period,
    until: run.until,
    partner_id: run.partnerId,
    requested_by: run.requestedBy,
    status: run.status,
    created_at: run.createdAt,
  });
}

export async function findRun(sql: Sql, id: string): Promise<SettlementRun | undefined> {
  const { rows } = await sql.raw(`select ${COLUMNS} from settlement_runs where id = :id`, { id });
  return rows[0];
}

/** The same, locked: what ends a run must see every partner that ended before. */
export async function lockRun(tx: Tx, id: string): Promise<SettlementRun | undefined> {
  const { rows } = await tx.raw(
    `select ${COLUMNS} from settlement_runs where id = :id for update`,
    { id },
  );
  return rows[0];
}

export async function partnerExists(sql: Sql, id: string): Promise<boolean> {
  const { rows } = await sql.raw('select 1 from partners where id = :id', { id });
  return rows.length > 0;
}

/** Where each kind of period is cut. */
export type PeriodCutoffs = Readonly<Record<SettlementPeriod, Date>>;

/** False for a currency whose newest statement reaches the cut already, when those are to be left out. */
const stillOpen = (currency: string) => `not (:skipClosed and exists (
  select 1 from settlements s where s.partner_id = c.partner_id and s.environment = :environment
    and s.currency = ${currency} and s.period_end >= c.at))`;

/**
 * Partners for whom something is due at the cut of their kind of period, a payout has failed,
 * referral commissions are pending, or a statement is half closed.
 * @param skipClosed leaves out what came late for a period that is closed: it waits for the next one
 */
export async function findPartnersWithWork(
  sql: Sql,
  scope: {
    environment: Environment;
    partnerId: string | null;
    cuts: PeriodCutoffs;
    delayMs: number;
    skipClosed: boolean;
  },
): Promise<string[]> {
  const { rows } = await sql.raw(
    `with cut as (
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
    {
      environment: scope.environment,
      partnerId: scope.partnerId,
      monthly: scope.cuts.monthly,
      semiMonthly: scope.cuts.semi_monthly,
      weekly: scope.cuts.weekly,
      delaySeconds: scope.delayMs / 1_000,
      skipClosed: scope.skipClosed,
    },
  );
  return rows.map((row: { id: string }) => row.id);
}

/** Whether a run of the schedule that began after `since` is still under way. */
export async function hasUnfinishedRun(
  sql: Sql,
  scope: { environment: Environment; period: string; since: Date; until: Date },
): Promise<boolean> {
  const { rows } = await sql.raw(
    `select 1 from settlement_runs where environment = :environment and period = :period
       and status <> 'completed' and created_at > :since and created_at < :until limit 1`,
    scope,
  );
  return rows.length > 0;
}

/** Both environments, also without a run. */
export async function countOpenRuns(sql: Sql): Promise<OpenSettlementRuns[]> {
  const { rows } = await sql.raw(
    `select e.environment, count(r.id)::int as count, min(r.created_at) as oldest
     from (values ('SANDBOX'), ('LIVE')) as e (environment)
     left join settlement_runs r on r.environment = e.environment and r.status <> 'completed'
     group by e.environment`,
  );
  return rows;
}

export async function insertRunPartners(
  tx: Tx,
  runId: string,
  partnerIds: readonly string[],
): Promise<void> {
  await tx.raw(
    `insert into settlement_run_partners (run_id, partner_id, state)
     select :runId, unnest(:partnerIds::text[]), 'queued'
     on conflict do nothing`,
    { runId, partnerIds: [...partnerIds] },
  );
}

export async function updateRunStatus(
  tx: Tx,
  id: string,
  status: SettlementRun['status'],
  finishedAt: Date | null,
): Promise<void> {
  await tx.raw(
    `update settlement_runs set status = :status, finished_at = :finishedAt where id = :id`,
    { id, status, finishedAt },
  );
}

/** Notes a statement that a run closed. */
export async function addRunStatement(
  tx: Tx,
  part: { runId: string; partnerId: string },
  settlementId: string,
): Promise<void> {
  await tx.raw(
    `update settlement_run_partners set settlement_ids = settlement_ids || :settlementId::text
     where run_id = :runId and partner_id = :partnerId`,
    { ...part, settlementId },
  );
}

export async function finishRunPartner(
  tx: Tx,
  part: { runId: string; partnerId: string },
): Promise<void> {
  await tx.raw(
    `update settlement_run_partners set state = 'done'
     where run_id = :runId and partner_id = :partnerId`,
    part,
  );
}

export async function hasQueuedPartners(tx: Tx, runId: string): Promise<boolean> {
  const { rows } = await tx.raw(
    `select 1 from settlement_run_partners where run_id = :runId and state = 'queued' limit 1`,
    { runId },
  );
  return rows.length > 0;
}

export interface RunPartner {
  partnerId: string;
  state: 'queued' | 'done';
  settlementIds: string[];
}

export async function findRunPartners(sql: Sql, runId: string): Promise<RunPartner[]> {
  const { rows } = await sql.raw(
    `select partner_id as "partnerId", state, settlement_ids as "settlementIds"
     from settlement_run_partners where run_id = :runId order by partner_id`,
    { runId },
  );
  return rows;
}

/** Two schedulers that tick at once must not start two runs. */
export async function lockSchedule(tx: Tx, environment: Environment): Promise<void> {
  await tx.raw(`select pg_advisory_xact_lock(hashtextextended(:name, 0))`, {
    name: `settlement-schedule/${environment}`,
  });
}

export async function deleteFinishedRuns(tx: Tx, before: Date, limit: number): Promise<number> {
  const { rows } = await tx.raw(
    `select id from settlement_runs where status = 'completed' and finished_at < :before
     order by finished_at limit :limit for update skip locked`,
    { before, limit },
  );
  const ids = rows.map((row: { id: string }) => row.id);
  await tx.raw('delete from settlement_run_partners where run_id = any(:ids)', { ids });
  await tx.raw('delete from settlement_runs where id = any(:ids)', { ids });
  return ids.length;
}
